"""The command line: ask the front desk, run any system, serve the simulated model, use the lab.

Whatever goes wrong is one line on stderr and exit code 2.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, TextIO

from course import files, lab_commands
from course.errors import ConfigurationError, CourseError
from course.terminal import plain

if TYPE_CHECKING:
    from course.scenarios.front_desk import Desk
    from course.systems import Result
    from course.trace import Trace

BAD_INPUT = 2
INTERRUPTED = 130
LAST_PORT = 65535
EXAMPLES = (0, 3, 5)  # places in the front desk's REQUESTS, shown to who is asked for one


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0, 2 for bad input, 130 when interrupted."""
    parser = argparse.ArgumentParser(prog="python -m course", description=__doc__)
    parser.set_defaults(command=None)
    add_commands(parser.add_subparsers(title="commands"))
    return play(parser, arguments)


def play(parser: argparse.ArgumentParser, arguments: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name; each has a function as `command`.

    Returns its exit code, 2 where it could not be carried out, which one line says, or 130 when
    interrupted. Without a command there is help.
    """
    name = parser.prog.rpartition(" ")[2]
    chosen = parser.parse_args(arguments)
    if chosen.command is None:
        parser.print_help()
        return 0
    _never_fail_on_letters(sys.stdin, sys.stdout, sys.stderr)
    try:
        code = int(chosen.command(chosen))
        sys.stdout.flush()  # here, where a reader that is gone can still be caught
        return code
    except BrokenPipeError:  # whoever was reading, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (CourseError, OSError) as error:
        print(f"{name}: {plain(str(error))}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        return INTERRUPTED


def add_commands(commands: Any, lab: str = "lab") -> None:
    """Add the commands of this package to a parser's; `lab` names the one for experiments."""
    asked = commands.add_parser(
        "ask", aliases=["demo"], help="put one request to a clinic's front desk"
    )
    asked.set_defaults(command=_ask)
    asked.add_argument("request", nargs="?", help="what you want; asked for when left out")
    asked.add_argument("--seed", type=int, default=7, help="which clinic (default: 7)")

    ran = commands.add_parser("run", help="run a system from a file: ask it, or talk to it")
    ran.set_defaults(command=run_file)
    ran.add_argument(
        "system", metavar="FILE.py[:NAME]", help="without a name, the last in the file"
    )
    ran.add_argument("request", nargs="?", help="what you want; a conversation when left out")
    ran.add_argument("--page", action="store_true", help="talk on a page, with the trace beside it")
    ran.add_argument("--seed", type=int, default=0, help="of the random draws (default: 0)")

    for each in (asked, ran):
        each.add_argument(
            "--backend",
            choices=("simulated", "endpoint"),
            help="who answers (default: COURSE_BACKEND, or simulated)",
        )
        each.add_argument(
            "--save",
            type=Path,
            default=Path("trace.json"),
            metavar="FILE",
            help="where the trace goes (default: trace.json)",
        )
        each.add_argument(
            "--speed",
            type=_speed,
            metavar="X",
            help="watch the simulated model at X times real time (default: do not wait at all)",
        )

    sent = commands.add_parser("send", help="send a saved trace to an OpenTelemetry collector")
    sent.set_defaults(command=_send)
    sent.add_argument("trace", nargs="?", type=Path, default=Path("trace.json"), metavar="FILE")
    sent.add_argument("--to", metavar="URL", help="default: OTEL_EXPORTER_OTLP_ENDPOINT")

    drawn = commands.add_parser("trace", help="show a saved trace: as text, or as a page to play")
    drawn.set_defaults(command=trace)
    drawn.add_argument("trace", nargs="?", type=Path, default=Path("trace.json"), metavar="FILE")
    drawn.add_argument("--html", action="store_true", help="write a page that needs no network")
    drawn.add_argument("--with", dest="other", type=Path, metavar="FILE", help="compare with it")
    drawn.add_argument("--to", type=Path, metavar="FILE", help="the page (default: FILE.html)")

    served = commands.add_parser("serve", help="serve the simulated model on 127.0.0.1")
    served.set_defaults(command=serve)
    served.add_argument("--port", type=_port, default=0, help="0 takes a free one (default)")
    served.add_argument("--key", help="the API key that callers have to send (default: any)")
    served.add_argument("--profile", help="speed, limits and failures: a name or a TOML file")
    served.add_argument("--seed", type=int, default=0, help="of the random draws (default: 0)")

    kept = commands.add_parser("local", help="serve a small real model (extra: local)")
    kept.set_defaults(command=serve_file)
    kept.add_argument("file", nargs="?", type=Path, help="a GGUF file (default: SmolLM2-135M)")

    begun = commands.add_parser("new-world", help="begin a world of your own for the project")
    begun.set_defaults(command=begin)
    begun.add_argument("name", help="of its package in worlds/, such as ferry_line")

    voiced = commands.add_parser("voice", help="bring what spoken calls need")
    steps = voiced.add_subparsers(title="steps", required=True)
    fetched = steps.add_parser("fetch", help="the recogniser's weights (145 MB, once, checked)")
    fetched.set_defaults(command=_fetch)
    built = steps.add_parser("server", help="a LiveKit server, built by Go (once, minutes)")
    built.set_defaults(command=_build)
    lab_commands.add(commands, lab)


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not above 0: 1 is real time, 10 is faster")
    return speed


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > LAST_PORT:
        raise argparse.ArgumentTypeError(f"'{text}' is not a port: choose 0 to {LAST_PORT}")
    return int(text)


def trace(chosen: argparse.Namespace) -> int:
    """Print a trace as a tree of its steps, or write it as an HTML page."""
    from course.observability.views import tree
    from course.viewer.foreign import read
    from course.viewer.page import page

    recorded, told = read(chosen.trace)
    other = read(chosen.other)[0] if chosen.other else None
    for each in told:
        print(f"course: {plain(each)}", file=sys.stderr)
    if not chosen.html:
        print(plain(tree(recorded)))
        return 0
    target = chosen.to or chosen.trace.with_suffix(".html")
    written = files.write(target, page(recorded, other, told=told))
    print(f"wrote {plain(str(written))}: {written.stat().st_size:,} bytes")
    return 0


def serve(chosen: argparse.Namespace) -> int:
    """Serve the simulated model until interrupted."""
    from course.models.profile import DEFAULT
    from course.models.server import serve

    profile = chosen.profile or DEFAULT
    serve(chosen.port, profile=profile, seed=chosen.seed, require_key=chosen.key)
    return 0


def serve_file(chosen: argparse.Namespace) -> int:
    """Serve a model of this machine until it is stopped, and say how to reach it."""
    from course.models import local

    address, server = local.start(chosen.file or local.weights())
    print(f"export OPENAI_BASE_URL={address} OPENAI_API_KEY=none COURSE_MODEL=local", flush=True)
    Event().wait()  # until Ctrl-C
    del server
    return 0


def _send(chosen: argparse.Namespace) -> int:
    """Send a saved trace to a collector over OTLP/HTTP, and say how many spans it took."""
    from course.observability import export
    from course.trace import Trace

    print(f"{export.send(Trace.load(chosen.trace), chosen.to)} spans sent")
    return 0


def _fetch(chosen: argparse.Namespace) -> int:
    """Bring the recogniser's weights into the user's cache, and say where."""
    from course.voice import weights

    print(f"The recogniser's weights are in {weights.fetch()}")
    return 0


def _build(chosen: argparse.Namespace) -> int:
    """Build a LiveKit server into the user's cache, and say where."""
    from course.voice import server

    print(f"The LiveKit server is {server.build()}")
    return 0


def begin(chosen: argparse.Namespace) -> int:
    """Begin a world of the user's own, and say where."""
    from course.scenarios.world.new import new_world

    print(new_world(chosen.name))
    print("It works as it is: docs/new-world.md says what to change, and how to try it.")
    return 0


def _ask(chosen: argparse.Namespace) -> int:
    """Answer one request at the front desk; print the answer and its trace, and save the trace."""
    from course.scenarios.front_desk import Desk
    from course.trace import Trace

    backend = _backend(chosen)
    with Desk(seed=chosen.seed) as desk:
        request = _request(chosen.request, desk)
        with _saved(Trace("front desk", seed=chosen.seed), chosen.save) as trace:
            _show(_answer(desk, request, backend, trace, chosen.speed), trace)
    return 0


def run_file(chosen: argparse.Namespace) -> int:
    """Ask a system from a file once, talk to it in the terminal, or put it on a page."""
    from course import clock
    from course.models import connect
    from course.observability.views import tree
    from course.playground import page
    from course.playground.loading import loaded
    from course.playground.talking import answered, converse
    from course.trace import Trace

    backend = _backend(chosen)
    speed = 1 if backend == "endpoint" else chosen.speed
    client = connect(backend, seed=chosen.seed)
    with (
        loaded(chosen.system, client=client) as (name, system),
        _saved(Trace(name, seed=chosen.seed, messages=chosen.page or None), chosen.save) as trace,
    ):
        if chosen.page:
            say = partial(print, flush=True)
            page.serve(name, system, client=client, trace=trace, speed=speed, say=say)
        elif chosen.request is not None:
            asked = answered(system, _given(chosen.request), client=client, trace=trace)
            result = clock.simulate(asked, speed=speed)
            _show(result, trace)
            print(f"\n{result.bill}")
        else:
            say = partial(_say, name)
            talk = converse(system, client=client, trace=trace, hear=_typed, tell=say)
            clock.simulate(talk, speed=speed)
            print(plain(f"\n{tree(trace)}"))
    return 0


def _typed() -> str | None:
    """The next thing that is typed; None at the end."""
    while True:
        try:
            text = _letters(input("> " if sys.stdin.isatty() else ""))
        except EOFError:
            return None
        if text:
            return text


def _say(name: str, told: Result | str) -> None:
    print(plain(f"{name}: {told if isinstance(told, str) else told.answer}"))


@contextmanager
def _saved(trace: Trace, path: Path) -> Iterator[Trace]:
    """A trace that is saved at the end of the block, and where it is then."""
    with _writing(path):  # better to hear now than after the work that it cannot be
        path.open("a").close()
    try:
        yield trace
    finally:  # the trace of a failed run is the one worth reading
        with _writing(path):
            trace.save(path)
    print(f"\nThe trace is in {path}")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ConfigurationError(
            f"cannot write {path} ({error.strerror}): choose another place with --save"
        ) from error


def _backend(chosen: argparse.Namespace) -> str:
    """Who answers. Unlike a notebook, a command that is told to use an endpoint insists on it."""
    backend = chosen.backend or os.environ.get("COURSE_BACKEND") or "simulated"
    if backend == "endpoint" and not os.environ.get("OPENAI_API_KEY"):
        raise ConfigurationError("no key: set OPENAI_API_KEY, or use --backend simulated")
    if backend == "endpoint" and chosen.speed not in (None, 1):
        raise ConfigurationError("--speed is for the simulated model: an endpoint has its own")
    return str(backend)


def _request(given: str | None, desk: Desk) -> str:
    """The request as given, as typed at the prompt, or as piped in; else the first example."""
    from course.scenarios.front_desk import REQUESTS

    examples = [REQUESTS[place].on(desk).text for place in EXAMPLES]
    if given is None:
        text = _prompt(examples) if sys.stdin.isatty() else sys.stdin.readline()
    else:
        text = given
    text = _letters(text) if given is None else _given(given)
    if text and not (text.isdecimal() and 0 < int(text) <= len(examples)):
        return text
    example = examples[int(text or 1) - 1]
    print(f"Request: {example}\n")
    return example


def _given(text: str) -> str:
    """A request that was given; it must say something."""
    if not (text := _letters(text)):
        raise ConfigurationError('the request is empty: say what you want, as in ask "..."')
    return text


def _letters(text: str) -> str:
    """What was typed: a terminal that is not set to UTF-8 may hand over bytes that are not text."""
    return text.encode("utf-8", "replace").decode().strip()


def _prompt(examples: list[str]) -> str:
    print("What can the front desk do for you? Type it, or the number of an example (Enter: 1).")
    for number, example in enumerate(examples, 1):
        print(f"  {number}  {example}")
    try:
        return input("> ")
    except EOFError:
        print()
        return ""


def _answer(desk: Desk, request: str, backend: str, trace: Trace, speed: float | None) -> Result:
    """Run the agent of chapter 01: in virtual time, unless somebody watches or really answers."""
    from course import clock
    from course.models import connect
    from course.runner import run
    from course.scenarios.front_desk import agent

    async def answer() -> Result:
        async with connect(backend, seed=desk.seed) as client:
            result: Result = await run(agent(desk), request, client=client, trace=trace)
            return result

    return clock.simulate(answer(), speed=1 if backend == "endpoint" else speed)


def _show(result: Result, trace: Trace) -> None:
    from course.observability.views import gantt, tree

    print(plain(result.answer or "(no answer)"))  # by a model: it may hold anything
    if result.stop:
        print(plain(str(result.stop)))
    print(plain(f"\n{tree(trace)}\n\n{gantt(trace)}"))


def _never_fail_on_letters(*streams: TextIO) -> None:
    """Print a ? for a sign that the terminal's encoding does not have, instead of failing."""
    for stream in streams:
        if hasattr(stream, "reconfigure"):  # not when a test or a notebook has replaced it
            stream.reconfigure(errors="replace")
