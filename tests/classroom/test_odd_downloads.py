"""What honest people hand in and honest programs pack finds its place, however odd it is called."""

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from graders.classroom import archives
from graders.classroom.collected import read_collected
from tests.classroom.making import right
from tests.classroom.test_collecting import collect, counted, laid_out, packed

Printed = pytest.CaptureFixture[str]
ROSTER = (
    "student,name,canvas,moodle\n"
    "ada,Ada Love,101,9001\nbo_2,Bo O'Neil-Ängström,102,9002\ncy.young@uni.edu,Cy Young,103,9003\n"
)
GOOD = right()
MOODLE = {
    f"{name}_{number}_assignsubmission_file_/x.ipynb": GOOD
    for name, number in (("Ada Love", 9001), ("Bo ONeil-Ängström", 9002), ("Cy Young", 9003))
}
CANVAS = {
    "loveada_101_5001_01_one_agent.ipynb": GOOD,
    "oneilängströmbo_LATE_102_5002_11_2024_12_final_v2-1.ipynb": GOOD,
    "young_cy_103_5003_O'Neil's  (copy) [3].ipynb": GOOD,
}
FOLDERS = {f"{name}/x.ipynb": GOOD for name in ("ada", "bo_2", "cy.young@uni.edu")}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("roster.csv").write_text(ROSTER, encoding="utf-8")


class Mac(zipfile.ZipInfo):
    """Written as a Mac does: in UTF-8, without a word that it is."""

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:  # noqa: N802
        return self.filename.encode(), self.flag_bits


def below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f"{folder}/{name}": data for name, data in files.items()}


def as_on_a_mac(files: Mapping[str, bytes]) -> bytes:
    """With a file of the Mac's own beside each."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in files.items():
            folder, _, last = name.rpartition("/")
            for path, content in ((name, data), (f"__MACOSX/{folder}/._{last}", b"Mac OS X")):
                archive.writestr(Mac(path), content)
    return made.getvalue()


def as_on_windows(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo("x")
            entry.filename = name.replace("/", "\\")
            archive.writestr(entry, data)
    return made.getvalue()


DOWNLOADS: dict[str, Callable[[], bytes]] = {
    "Canvas": lambda: packed(CANVAS),
    "Moodle": lambda: packed(MOODLE),
    "a zip in a zip": lambda: packed({"submissions.zip": packed(MOODLE)}),
    "a zip in a zip in a zip": lambda: packed({"a.zip": packed({"b.zip": packed(CANVAS)})}),
    "a zip beside a table": lambda: packed({"s.zip": packed(CANVAS), "grades.csv": b"a,b"}),
    "a folder beside what Windows adds": lambda: packed(
        below("week 1", MOODLE) | {"desktop.ini": b"", "Thumbs.db": b""}
    ),
    "by a Mac": lambda: as_on_a_mac(below("week 1", MOODLE)),
    "by Windows": lambda: as_on_windows(below("submissions", FOLDERS)),
    "zips in capitals": lambda: packed(
        {f"{name.partition('/')[0]}.ZIP": packed({"hw/x.ipynb": GOOD}) for name in FOLDERS}
    ),
    "names with two underscores": lambda: packed(
        {name.replace("/x", "/__hw/__final__"): data for name, data in FOLDERS.items()}
    ),
    "capitals": lambda: packed(
        {f"{name.partition('/')[0].upper()}/X.IPYNB": GOOD for name in FOLDERS}
    ),
    "loose files": lambda: packed(
        {f"{name.partition('/')[0]} my hw_1.ipynb": GOOD for name in FOLDERS}
    ),
}


def given(download: bytes, packing: str) -> str:
    """As a zip, or unpacked; returns its name."""
    Path("submissions.zip").write_bytes(download)
    if packing == "zip":
        return "submissions.zip"
    with zipfile.ZipFile("submissions.zip") as archive:
        archive.extractall("submissions")
    return "submissions"


@pytest.mark.parametrize(
    ("name", "packing"),
    [(name, packing) for name in DOWNLOADS for packing in ("zip", "folder")
     if packing == "zip" or "by " not in name],
)  # fmt: skip
def test_everybody_finds_a_place(name: str, packing: str, capsys: Printed) -> None:
    code = collect(given(DOWNLOADS[name](), packing))
    said = capsys.readouterr().err
    assert sorted(student for student, _ in counted()) == ["ada", "bo_2", "cy.young@uni.edu"], said
    assert code == (3 if "table" in name else 0), said
    assert all(Path("build/submitted", each).read_bytes() == GOOD for each in laid_out())


def test_a_name_with_accents_in_a_zip_by_a_mac() -> None:
    names = ["Zoë Müller", "Jürgen", "林"]
    Path("roster.csv").write_text("student\n" + "".join(f"{n}\n" for n in names), encoding="utf-8")
    files = {f"{name}/Übung.ipynb": GOOD for name in names}
    Path("submissions.zip").write_bytes(as_on_a_mac(below("submissions", files)))
    assert collect("submissions.zip") == 0
    assert sorted(student for student, _ in counted()) == sorted(names)


@pytest.mark.parametrize("kind", ["text", "link"])
def test_what_was_typed_into_canvas_is_seen(kind: str, capsys: Printed) -> None:
    files = {"loveada_101_5001_x.ipynb": GOOD, f"oneilbo_LATE_102_{kind}.html": b"<p>see here"}
    Path("download.zip").write_bytes(packed({**files, f"young_cy_103_{kind}.html": b"<p>"}))
    assert collect("download.zip") == 3
    said = capsys.readouterr().err
    assert "nothing handed in" not in said
    refused = {row.student for row in read_collected(Path("build")) if row.refused}
    assert refused == {"bo_2", "cy.young@uni.edu"}


def test_where_names_decide_they_are_compared_as_moodle_writes_them() -> None:
    Path("roster.csv").write_text(
        "student,name\nada,Ada Love\nbo,Bo O'Neil-Ängström\ncy,Cy <C> Young_Smith\n", "utf-8"
    )
    names = ("Ada Love", "Bo ONeil-Ängström", "Cy C Young Smith")
    files = {f"{each}_{n}_assignsubmission_file_/x.ipynb": GOOD for n, each in enumerate(names)}
    Path("download.zip").write_bytes(packed(files))
    assert collect("download.zip") == 0
    assert sorted(student for student, _ in counted()) == ["ada", "bo", "cy"]


@pytest.mark.parametrize("wrapped", ["", "submissions/", "submissions (1)/"])
def test_without_a_roster_the_downloads_own_folder_is_no_student(wrapped: str) -> None:
    Path("submissions.zip").write_bytes(packed({wrapped + name: d for name, d in FOLDERS.items()}))
    assert collect("submissions.zip", roster=False) == 0
    assert sorted(student for student, _ in counted()) == ["ada", "bo_2", "cy.young@uni.edu"]


@pytest.mark.parametrize("packing", ["zip", "folder"])
def test_a_budget_goes_to_notebooks_first(packing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "FILES_EACH", 20)
    many = {f"ada/.venv/{n}.py": b"" for n in range(40)} | {f"ada/data/{n}": b"" for n in range(40)}
    assert collect(given(packed(many | FOLDERS), packing)) == 3
    assert sorted(student for student, _ in counted()) == ["ada", "bo_2", "cy.young@uni.edu"]
