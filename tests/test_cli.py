"""`python -m course`: what it prints, what it leaves behind, and how it refuses."""

import errno
import io
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import openai
import pytest

import course.models
from course import cli
from course.models import LARGE, SMALL, ApiError, Call, ChatRequest, Reply, Scripted, server
from course.scenarios import front_desk
from course.trace import Trace

ROOT = str(Path(course.models.__file__).parents[2])
HOURS = "What are your opening hours on Friday?"
Command = Callable[..., subprocess.CompletedProcess[str]]
Asked = tuple[Path, subprocess.CompletedProcess[str]]


def called(
    folder: Path, *arguments: str, typed: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder, with nothing of this machine's settings."""
    return subprocess.run(
        [sys.executable, "-m", "course", *arguments],
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": ROOT} | environment,
        timeout=60,
        check=False,
    )


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """The command line in an empty folder."""
    return partial(called, tmp_path)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """A folder where a request was put, and what came of it."""
    folder = tmp_path_factory.mktemp("asked")
    return folder, called(folder, "ask", HOURS)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to run commands in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def one_line(text: str) -> str:
    """The text, after making sure that it is a single line and no traceback."""
    assert text.count("\n") == 1, text
    assert text.startswith("course: ")
    return text.strip()


def look_up_hours(request: ChatRequest) -> Reply:
    """A scripted model that looks something up once and then answers with it."""
    last = request.messages[-1]
    if last["role"] == "user":
        return Reply(calls=(Call("get_clinic_information", '{"topic": "opening hours"}'),))
    return Reply(text=f"Our hours: {last['content']}")


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Scripted], Scripted]:
    """Let a scripted model answer what the command asks."""

    def use(model: Scripted) -> Scripted:
        connect = course.models.connect
        monkeypatch.setattr(course.models, "connect", lambda *_, **__: connect(model))
        return model

    return use


def test_an_answer_its_trace_and_a_file(asked: Asked) -> None:
    folder, done = asked
    with front_desk.Desk() as desk:
        sample = front_desk.REQUESTS[0].on(desk)
    assert done.stderr == ""
    assert done.returncode == 0
    assert sample.text == HOURS
    assert sample.missing(done.stdout) == []
    assert re.search(r"└─ invoke_agent front desk", done.stdout)
    assert re.search(r"execute_tool get_clinic_information +│ ", done.stdout)
    assert done.stdout.endswith("The trace is in trace.json\n")
    trace = Trace.load(folder / "trace.json")
    assert [span.operation for span in trace.spans][:2] == ["invoke_agent", "chat"]


def test_the_same_request_piped_in_gives_the_same_output_and_the_same_trace(
    command: Command, tmp_path: Path, asked: Asked
) -> None:
    folder, first = asked
    second = command("ask", "--save", "again.json", typed=f"{HOURS}\nthis line is not read\n")
    assert second.stdout.replace("again.json", "trace.json") == first.stdout
    assert (tmp_path / "again.json").read_bytes() == (folder / "trace.json").read_bytes()


def test_without_a_command_it_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"^ +ask \(demo\) +put one request", printed, re.MULTILINE)
    assert re.search(r"^ +serve +serve the simulated", printed, re.MULTILINE)


@pytest.mark.parametrize(("given", "typed"), [(("",), "x"), (("  ",), "x")])
def test_an_empty_request(
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    given: tuple[str, ...],
    typed: str,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    assert cli.main(["ask", *given]) == 2
    error = one_line(capsys.readouterr().err)
    assert error == 'course: the request is empty: say what you want, as in ask "..."'
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("place", "reason"),
    [("nowhere/trace.json", "No such file or directory"), (".", "Is a directory")],
)
def test_a_file_that_cannot_be_written(
    here: Path, capsys: pytest.CaptureFixture[str], place: str, reason: str
) -> None:
    assert cli.main(["ask", HOURS, "--save", place]) == 2
    printed = capsys.readouterr()
    assert one_line(printed.err) == (
        f"course: cannot write {place} ({reason}): choose another place with --save"
    )
    assert printed.out == ""


def test_a_disk_that_fills_up_does_not_swallow_the_answer(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Trace, "save", full)
    assert cli.main(["ask", HOURS]) == 2
    printed = capsys.readouterr()
    assert "invoke_agent" in printed.out
    assert "cannot write trace.json (No space left on device)" in one_line(printed.err)


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "course", "ask", HOURS],
        stdout=write,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": ROOT},
        timeout=60,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
    assert Trace.load(tmp_path / "trace.json").spans


@pytest.mark.parametrize("by_environment", [False, True])
def test_no_key(
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    by_environment: bool,
) -> None:
    if by_environment:
        monkeypatch.setenv("COURSE_BACKEND", "endpoint")
    assert cli.main(["ask", HOURS, *(() if by_environment else ("--backend", "endpoint"))]) == 2
    assert one_line(capsys.readouterr().err) == (
        "course: no key: set OPENAI_API_KEY, or use --backend simulated"
    )
    assert list(here.iterdir()) == []


def test_a_backend_that_does_not_exist(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COURSE_BACKEND", "oracle")
    assert cli.main(["ask", HOURS]) == 2
    assert "there is no backend 'oracle'" in one_line(capsys.readouterr().err)


def test_it_can_be_watched(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["ask", HOURS, "--speed", "100"]) == 0
    watched = capsys.readouterr().out
    assert cli.main(["ask", HOURS]) == 0
    jumped = capsys.readouterr().out
    assert watched.splitlines()[0] == jumped.splitlines()[0]


def test_an_endpoint_that_is_not_there(command: Command, tmp_path: Path) -> None:
    done = command(
        "ask",
        HOURS,
        "--backend",
        "endpoint",
        OPENAI_API_KEY="sk-secret-secret",
        OPENAI_BASE_URL="http://127.0.0.1:9/v1",
        COURSE_MODEL="some-model",
    )
    assert done.returncode == 2
    assert "OPENAI_BASE_URL" in one_line(done.stderr)
    assert "secret" not in done.stdout + done.stderr
    trace = (tmp_path / "trace.json").read_text()
    assert "secret" not in trace
    assert Trace.from_json(trace).spans[0].status == "error"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["ask", "x", "--seed", "many"], "invalid int value: 'many'"),
        (["ask", "x", "--speed", "0"], "'0' is not above 0: 1 is real time, 10 is faster"),
        (["ask", "x", "--speed", "fast"], "'fast' is not above 0"),
        (["ask", "x", "--speed", "nan"], "'nan' is not above 0"),
        (["ask", "x", "--backend", "oracle"], "invalid choice: 'oracle'"),
        (["serve", "--port", "65536"], "'65536' is not a port: choose 0 to 65535"),
        (["serve", "--port", "-1"], "'-1' is not a port"),
        (["answer"], "invalid choice: 'answer'"),
    ],
)
def test_wrong_options_are_refused_by_name(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert complaint in capsys.readouterr().err


def test_an_endpoint_has_no_speed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert cli.main(["ask", "x", "--backend", "endpoint", "--speed", "10"]) == 2
    assert "--speed is for the simulated model" in one_line(capsys.readouterr().err)


def test_the_desk_of_the_seed_is_asked(
    scripted: Callable[[Scripted], Scripted],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = scripted(Scripted(look_up_hours))
    for seed in ("7", "1"):
        assert cli.main(["ask", HOURS, "--seed", seed, "--save", str(tmp_path / "t.json")]) == 0
    answers = [line for line in capsys.readouterr().out.splitlines() if "Our hours" in line]
    assert len(set(answers)) == 2
    assert model.requests[0].messages[1]["content"] == HOURS
    assert len(model.requests[0].tools) == 9


def test_a_model_that_fails_leaves_the_trace_of_what_was_done(
    scripted: Callable[[Scripted], Scripted],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail_later(request: ChatRequest) -> Reply:
        if request.messages[-1]["role"] == "tool":
            raise ApiError(400, "that was too much")
        return look_up_hours(request)

    scripted(Scripted(fail_later))
    assert cli.main(["ask", HOURS, "--save", str(tmp_path / "t.json")]) == 2
    assert "that was too much" in one_line(capsys.readouterr().err)
    operations = [span.operation for span in Trace.load(tmp_path / "t.json").spans]
    assert operations == ["invoke_agent", "chat", "execute_tool", "chat"]


def test_a_limit_that_is_reached_is_told(
    scripted: Callable[[Scripted], Scripted],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    scripted(
        Scripted(lambda _: Reply(calls=(Call("get_clinic_information", '{"topic": "address"}'),)))
    )
    assert cli.main(["ask", HOURS, "--save", str(tmp_path / "t.json")]) == 0
    printed = capsys.readouterr().out
    told = "No more could be done: max_turns is 10.\nstopped: max_turns is 10, reached 10\n"
    assert printed.startswith(told)


STEERING = ("\x1b]0;PWN\x07", "\x1b[31m", "\x9b2J", "\u202egnp.", "\u2066x\u2069", "x\r\bok")


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("mark", STEERING)
def test_what_a_model_says_steers_no_terminal(
    mark: str,
    fails: bool,
    scripted: Callable[[Scripted], Scripted],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def answer(request: ChatRequest) -> Reply:
        if fails:
            raise ApiError(400, f"no {mark} today")
        if request.messages[-1]["role"] == "tool":
            return Reply(text=f"Open\tfrom {mark} eight.\nTill {mark} six.")
        return Reply(calls=(Call(f"get{mark}", '{"topic": "hours"}'),))

    scripted(Scripted(answer))
    code = cli.main(["ask", HOURS, "--save", str(tmp_path / "t.json")])
    said = capsys.readouterr()
    assert [c for c in said.out + said.err if not (c.isprintable() or c in "\n\t")] == []
    assert (code, "no " in said.err, "eight.\nTill" in said.out) == (2 * fails, fails, not fails)


class Terminal(io.StringIO):
    """A stdin on which somebody sits and types."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("typed", "asked"),
    [("When are you open?\n", "When are you open?"), ("1\n", HOURS), ("\n", HOURS), ("", HOURS)],
)
def test_a_person_at_a_terminal_is_offered_three_examples(
    scripted: Callable[[Scripted], Scripted],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    typed: str,
    asked: str,
) -> None:
    model = scripted(Scripted(look_up_hours))
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    assert cli.main(["ask", "--save", str(tmp_path / "t.json")]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[1] == f"  1  {HOURS}"
    assert [line[:5] for line in printed[2:4]] == ["  2  ", "  3  "]
    assert model.requests[0].messages[1]["content"] == asked


def test_where_nobody_can_be_asked_a_sample_is_answered(command: Command) -> None:
    done = command("ask", typed="")
    assert done.returncode == 0
    assert done.stdout.startswith(f"Request: {HOURS}\n")


def test_an_interrupt_is_no_traceback(
    scripted: Callable[[Scripted], Scripted],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupt(_: ChatRequest) -> Reply:
        raise KeyboardInterrupt

    scripted(Scripted(interrupt))
    assert cli.main(["ask", HOURS, "--save", str(tmp_path / "t.json")]) == 130
    assert one_line(capsys.readouterr().err) == "course: interrupted"


def test_letters_that_a_terminal_lacks_do_not_stop_it(command: Command) -> None:
    done = command("ask", f"Füße \udce9? {HOURS}", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "?? invoke_agent front desk" in done.stdout


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server in a process of its own, with its address; it is stopped at the end."""
    with subprocess.Popen(
        [sys.executable, "-m", "course", "serve", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": ROOT},
    ) as process:
        try:
            assert process.stdout
            found = re.search(r"http://127\.0\.0\.1:\d+/v1", process.stdout.readline())
            assert found
            yield found.group(), process
        finally:
            process.kill()


def test_serve_answers_whoever_has_the_key_until_it_is_interrupted() -> None:
    with serving("--key", "open-sesame", "--profile", "instant") as (url, process):
        client = openai.OpenAI(base_url=url, api_key="open-sesame", timeout=30)
        assert {model.id for model in client.models.list()} >= {SMALL, LARGE}
        said = client.chat.completions.create(
            model=SMALL, messages=[{"role": "user", "content": "Hello"}]
        )
        assert said.choices[0].finish_reason == "stop"
        with pytest.raises(openai.AuthenticationError):
            client.with_options(api_key="guess").models.list()
        client.close()

        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0
        assert "Traceback" not in out + err


def test_serve_refuses_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        assert cli.main(["serve", "--port", port]) == 2
    assert port in one_line(capsys.readouterr().err)


def test_serve_refuses_a_profile_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["serve", "--profile", "nonsense"]) == 2
    assert "nonsense" in one_line(capsys.readouterr().err)


def test_serve_hands_its_options_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []
    monkeypatch.setattr(server, "serve", lambda port, **options: seen.extend((port, options)))
    assert cli.main(["serve", "--port", "8080", "--key", "k", "--seed", "3"]) == 0
    assert seen == [8080, {"profile": "calm", "seed": 3, "require_key": "k"}]
