"""What is wrong with one student's files costs that student, and nobody else of the class."""

import io
import json
import os
import struct
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from graders import cli
from graders.classroom import archives, saying
from graders.classroom.archives import Unpacker
from graders.classroom.collected import read_collected
from graders.classroom.lms_names import read_part, readings
from tests.classroom.making import CHAPTER, lines, right
from tests.classroom.test_collecting import collect, packed
from tests.grading.odd import solved

Printed = pytest.CaptureFixture[str]
HONEST = 15
GOOD = right()


def entries(*names: str, data: bytes = GOOD, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name in names:
            entry = zipfile.ZipInfo("x")
            entry.filename = name
            entry.compress_type = method
            archive.writestr(entry, data)
    return made.getvalue()


def unnamed() -> bytes:
    """Its one entry has a name of no letters, here and in the list at the end."""
    data = bytearray(entries("x", data=b"hello"))
    at, listed = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    body = bytes(data[at + 31 : listed])
    data = bytearray(data[:26] + struct.pack("<HH", 0, 0) + body + data[listed:])
    listed = data.index(b"PK\x01\x02")
    data[listed + 28 : listed + 30] = struct.pack("<H", 0)
    del data[listed + 46]
    end = data.index(b"PK\x05\x06")
    data[end + 12 : end + 20] = struct.pack("<II", end - listed, listed)
    return bytes(data)


def damaged() -> bytes:
    data = bytearray(entries("x.ipynb"))
    data[60:200] = bytes(140)
    return bytes(data)


def beyond() -> bytes:
    """Its list says that the file begins far behind the end."""
    data = bytearray(entries("x.ipynb"))
    listed = data.index(b"PK\x01\x02")
    data[listed + 42 : listed + 46] = struct.pack("<I", 0xFFFFFFF0)
    return bytes(data)


ODD: dict[str, Callable[[], bytes]] = {
    "a dot": lambda: entries("."),
    "dots": lambda: entries("./."),
    "no name": unnamed,
    "up": lambda: entries("../../x.ipynb"),
    "absolute": lambda: entries("/etc/x.ipynb"),
    "a drive": lambda: entries("C:\\x.ipynb"),
    "deep": lambda: entries("a/" * 3000 + "x.ipynb"),
    "long": lambda: entries("x_1_1_" + ".a" * 32_000),
    "folders": lambda: entries(*(f"{n}/" for n in range(3000)), data=b""),
    "damaged": damaged,
    "beyond": beyond,
    "lzma": lambda: entries("x.ipynb", data=b" " * 10**6, method=zipfile.ZIP_LZMA),
    "no zip": lambda: b"PK\x03\x04 no zip",
    "empty": lambda: entries(),
    "names": lambda: entries(*("x_1_1_" + ".a" * n for n in range(31_900, 32_000))),
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def download(hostile: dict[str, bytes], honest: int = HONEST) -> Path:
    """Honest students before and after each hostile one; the roster names them all."""
    files = {f"s{n:02}_{n}_1_x.ipynb": GOOD for n in range(1, honest + 1)}
    files |= {
        f"a{n}_{n}_1_{name}.zip": zipped for n, (name, zipped) in enumerate(hostile.items(), 500)
    }
    roster = "student,canvas\n" + "".join(f"h{n},{n}\n" for n in range(1, honest + 1))
    roster += "".join(f"{name},{n}\n" for n, name in enumerate(hostile, 500))
    Path("roster.csv").write_text(roster)
    Path("download.zip").write_bytes(packed(files))
    return Path("download.zip")


def placed() -> list[str]:
    return [row.student for row in read_collected(Path("build")) if row.counts]


def test_an_odd_zip_costs_nobody_else(capsys: Printed) -> None:
    hostile = {name: make() for name, make in ODD.items()}
    assert collect(str(download(hostile))) == 3
    assert sorted(placed()) == sorted(f"h{n}" for n in range(1, HONEST + 1))
    said = capsys.readouterr().err
    assert "nothing handed in" not in said
    for name in hostile:
        assert [line for line in said.splitlines() if f"_1_{name}" in line], name
    refused = {row.student for row in read_collected(Path("build")) if row.refused}
    assert refused == set(hostile)
    assert max(map(len, said.splitlines())) < 700


@pytest.mark.parametrize("packing", ["zip", "folder"])
def test_each_student_has_a_budget_of_files(
    packing: str, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "FILES_EACH", 30)
    many = {f"{n}.txt": b"" for n in range(90)} | {"zz/mine.ipynb": right(ex_0_1="x = 1")}
    source = download({"many": packed(many), "deep": packed({"in.zip": packed(many)})})
    if packing == "folder":
        with zipfile.ZipFile(source) as archive:
            archive.extractall("there")
        source = Path("there")
    assert collect(str(source)) == 3
    assert len(placed()) == HONEST + 2  # a notebook comes before what else is packed with it
    said = capsys.readouterr().err
    assert said.count("there are more than 30 files of one student: the rest was left out") == 2
    assert "nothing handed in" not in said


def test_each_student_has_a_budget_of_notebooks(capsys: Printed) -> None:
    many = {f"{n}.ipynb": b"%d" % n for n in range(archives.NOTEBOOKS_EACH + 5)}
    assert collect(str(download({"many": packed(many)}))) == 3
    assert len(placed()) == HONEST + 1
    rows = [row for row in read_collected(Path("build")) if row.student == "many" and row.sha256]
    assert len(rows) == archives.NOTEBOOKS_EACH
    said = capsys.readouterr().err
    assert said.count("more than 50 notebooks of one student: the rest was left out") == 1
    assert len([line for line in said.splitlines() if "many" in line]) < 25


def test_one_student_does_not_decide_which_chapter_a_download_is_of(capsys: Printed) -> None:
    other = json.dumps(solved("02_pipeline"))
    many = {f"{n}.ipynb": f"{other}{' ' * n}".encode() for n in range(HONEST + 9)}
    source = download({"many": packed(many), "cut": packed({"x.ipynb": GOOD[:3000]})})
    collect(str(source), "--due", "2026-11-20T00:00:00Z")
    rows = [row for row in read_collected(Path("build")) if row.counts]
    assert {row.chapter for row in rows if row.due} == {CHAPTER}
    assert [row.chapter for row in rows if row.student == "cut"] == [CHAPTER]


def test_each_student_has_a_budget_of_bytes(
    capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "BYTES_EACH", 3_000_000)
    monkeypatch.setattr(archives, "LARGEST", 2_000_000)
    large = {f"{n}.ipynb": b" " * 1_500_000 for n in range(9)}
    bomb = {"bomb": packed(large), "in": packed({"in.zip": packed(large)})}
    assert collect(str(download({**bomb, "one": packed({"x.ipynb": b" " * 2_500_000})}))) == 3
    assert {f"h{n}" for n in range(1, HONEST + 1)} <= set(placed())
    said = capsys.readouterr().err
    assert said.count("there are more than 3 MB of one student, unpacked: the rest was") == 2
    assert "one.zip/x.ipynb: it is larger than 2 MB, unpacked" in said


def test_when_the_whole_is_too_much_everybody_left_out_is_named(
    capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MOST_FILES", HONEST - 3)
    assert collect(str(download({"x": packed({"x.ipynb": GOOD})}))) == 3
    said = capsys.readouterr().err
    assert "nothing handed in" not in said
    assert 0 < said.count(": the rest was left out") <= saying.MOST_LINES
    left_out = [row for row in read_collected(Path("build")) if "the rest was left" in row.reason]
    assert len(left_out) == HONEST + 1 - len(placed())


def test_of_one_cause_some_lines_are_told_and_everybody_is_in_them(capsys: Printed) -> None:
    hostile = {name: entries(*(f"../{n}.ipynb" for n in range(300))) for name in ("a", "b", "c")}
    assert collect(str(download(hostile))) == 3
    told = [line for line in capsys.readouterr().err.splitlines() if "its path leads out" in line]
    assert len(told) == saying.MOST_LINES
    for name in hostile:
        assert [line for line in told if name in line]
    assert len([row for row in read_collected(Path("build")) if row.refused]) == 900


def test_what_cannot_be_opened_is_that_students(
    capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ada", "bo", "cy", "di"):
        Path("x", name).mkdir(parents=True)
        Path("x", name, "x.ipynb").write_bytes(GOOD)
    os.mkfifo("x/bo/y.ipynb")
    deep = Path("x/cy")
    for _ in range(archives.DEEPEST_FOLDER + 5):
        deep /= "d"
    deep.mkdir(parents=True)
    shut = Path("x/di/x.ipynb")
    was = Path.open

    def closed(path: Path, *given: object, **named: object) -> object:
        if path == shut:
            raise PermissionError(13, "Permission denied")
        return was(path, *given, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", closed)
    Path("roster.csv").write_text("student\nada\nbo\ncy\ndi\nel\n")
    assert collect("x") == 3
    assert sorted(placed()) == ["ada", "bo", "cy"]
    said = capsys.readouterr().err
    assert "bo/y.ipynb: it is no file, but a pipe or a device" in said
    assert "lies more than 50 deep" in said
    assert "di/x.ipynb: it cannot be read: [Errno 13] Permission denied" in said
    assert "el: nothing handed in" in said and said.count("nothing handed in") == 1


def test_a_disk_that_is_full_is_nobodys_file(
    capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.BytesIO):
        def write(self, data: object) -> int:
            raise OSError(28, "No space left on device")

    Path("download.zip").write_bytes(entries("a_1_1_x.ipynb"))
    monkeypatch.setattr(Path, "open", lambda path, mode="r", *given, **named: Full())
    with pytest.raises(Exception, match="cannot unpack the download: No space left on device"):
        list(Unpacker(Path()).pieces(Path("download.zip")))


@pytest.mark.parametrize(
    "part",
    [
        "x_1_1_" + ".a" * 20_000,
        "x_1_1_" + "-1" * 20_000 + "!",
        "_1" * 20_000,
        "x_1_assignsubmission_file" * 2_000,
        "+2026-01-01" * 5_000,
        "a.b-c d_" * 5_000,
    ],
    ids=lambda part: part[:12],
)
def test_names_are_read_in_one_pass(part: str) -> None:
    """The pattern that was here tried each cut of a name, and took minutes for these."""

    def cost(text: str) -> float:
        begun = time.process_time()
        read_part(text)
        return time.process_time() - begun

    assert cost(part) < 5  # seconds; they are hundredths
    assert sum(1 for _ in readings(part[:255])) <= 256


def grow(source: Path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(source, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)


@pytest.mark.long
def test_a_class_of_thirty_with_fifteen_hostile_students(capsys: Printed) -> None:
    """Also those that are too large for every day: every honest one is graded as without them."""
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("bomb.ipynb", "w", force_zip64=True) as file:
            for _ in range(400):
                file.write(bytes(1_000_000))
        for n in range(40):
            archive.writestr(f"z{n}.ipynb", bytes(39_000_000))
    hostile = {name: make() for name, make in list(ODD.items())[:12]}
    hostile["bomb"] = bomb.getvalue()
    hostile["files"] = entries(*(f"{n}" for n in range(50_001)), data=b"")
    hostile["names"] = ODD["names"]()
    source = download({}, honest=HONEST)
    begun = time.monotonic()
    assert collect(str(source)) == 0
    alone = time.monotonic() - begun
    begun = time.monotonic()
    assert collect(str(download(hostile))) == 3
    assert time.monotonic() - begun < alone + 10
    assert sorted(placed()) == sorted(["bomb", *(f"h{n}" for n in range(1, HONEST + 1))])
    assert len(capsys.readouterr().err.splitlines()) < 200
    cli.main(["grade", "--no-gradebook"])
    told = lines(Path("build"))
    honest = [told[f"h{n}"] for n in range(1, HONEST + 1)]
    assert [each["score"] for each in honest] == [5.0] * HONEST
    codes = {name: each["code"] for name, each in told.items() if name in hostile}
    assert codes.pop("bomb") == "notebook.not_json"
    assert set(codes.values()) == {"submission.refused"} and len(codes) == len(hostile) - 1
