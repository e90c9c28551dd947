"""Whatever a child sends, the judge stays alive and the log says what it was."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.box import Ending, Parent, Used
from graders.judge import protocol
from graders.judge.channel import Channel, Flooded, Gone
from graders.judge.outside import play_outside, script_for
from graders.judge.protocol import Lied, read
from graders.judge.world import World
from graders.records.log import Log
from tests.judge.stages import STAGE, TOKENS, world

READY = {"do": "ready"}
BEGAN = {"do": "began", "notes": []}
RETURNED = {"do": "returned", "result": 1, "trace": None, "running": []}
IDLE = {"do": "idle", "until": None, "held": ""}
TOOL = {"do": "tool", "id": 0, "name": "look_up", "arguments": {"name": "Ann"}}
MODEL = {
    "do": "model",
    "id": 0,
    "method": "POST",
    "path": "/v1/chat/completions",
    "headers": {},
    "body": '{"model": "switchboard-small", "messages": [{"role": "user", "content": "x"}]}',
}
KINDS: dict[str, dict[str, Any]] = {
    "ready": READY,
    "began": BEGAN,
    "returned": RETURNED,
    "idle": IDLE,
    "tool": TOOL,
    "model": MODEL,
    "cancel": {"do": "cancel", "id": 0},
    "told": {"do": "told", "name": "a piece", "value": ["text"]},
    "raised": {"do": "raised", "type": "KeyError", "message": "x", "line": "line 1: x"},
    "stuck": {"do": "stuck", "waiting": ["solve"]},
    "spinning": {"do": "spinning", "line": "line 1: while True: pass"},
    "asleep": {"do": "asleep", "line": "select.select in line 1"},
}


def line(message: Any) -> bytes:
    return json.dumps(message).encode()


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_read(kind: str) -> None:
    assert type(read(line(KINDS[kind]))).__module__ == protocol.__name__


@pytest.mark.parametrize("kind", KINDS)
def test_each_field_is_needed_and_no_other_is_taken(kind: str) -> None:
    for name in KINDS[kind]:
        with pytest.raises(Lied):
            read(line({key: value for key, value in KINDS[kind].items() if key != name}))
    with pytest.raises(Lied, match="too many"):
        read(line({**KINDS[kind], "points": 10}))


WRONG: list[tuple[str, str, Any]] = [
    ("idle", "until", "abc"),
    ("idle", "until", True),
    ("idle", "until", -1),
    ("idle", "until", 1e300),
    ("idle", "until", [1]),
    ("idle", "held", None),
    ("idle", "held", "x" * 201),
    ("tool", "id", [1]),
    ("tool", "id", {"a": 1}),
    ("tool", "id", True),
    ("tool", "id", -1),
    ("tool", "id", 1.0),
    ("tool", "id", 2**31),
    ("tool", "name", 7),
    ("tool", "arguments", [1]),
    ("tool", "arguments", "{}"),
    ("model", "headers", {"a": 1}),
    ("model", "headers", {str(n): "" for n in range(21)}),
    ("model", "body", {"model": "x"}),
    ("model", "path", "/" * 501),
    ("returned", "running", "solve"),
    ("returned", "running", [1]),
    ("returned", "running", ["x"] * 51),
    ("raised", "message", "x" * 501),
    ("began", "notes", [{"cell": "1"}]),
    ("began", "notes", [[]]),
    ("began", "notes", {"a": 1}),
    ("stuck", "waiting", None),
    ("cancel", "id", "0"),
    ("spinning", "line", 3),
    ("asleep", "line", None),
]


@pytest.mark.parametrize(("kind", "field", "value"), WRONG)
def test_each_field_is_checked(kind: str, field: str, value: Any) -> None:
    with pytest.raises(Lied, match=field[:4]):
        read(line({**KINDS[kind], field: value}))


@pytest.mark.parametrize("name", ["do", "until"])
def test_numbers_that_json_does_not_know_are_refused(name: str) -> None:
    for number in ("NaN", "Infinity", "-Infinity"):
        with pytest.raises(Lied):
            read(line({**IDLE, name: "?"}).replace(b'"?"', number.encode()))


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_a_lie(data: bytes) -> None:
    try:
        message = read(data)
    except Lied:
        return
    assert isinstance(message, get_args(protocol.Message))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@st.composite
def almost(draw: st.DrawFn) -> dict[str, Any]:
    """A message, often with a field or two that are not right."""
    message = dict(KINDS[draw(st.sampled_from(sorted(KINDS)))])
    for name in draw(st.lists(st.sampled_from(sorted(message)), max_size=2)):
        message[name] = draw(values | st.integers(0, 4))
    return message


@given(st.lists(almost(), max_size=12))
def test_a_world_hears_any_messages_and_only_lies_stop_it(messages: list[dict[str, Any]]) -> None:
    here = World(world(), TOKENS)
    try:
        here.hear(read(line(BEGAN)))
        for message in messages:
            delivery = here.hear(read(line(message)))
            assert delivery is None or json.loads(json.dumps(delivery)) == delivery
    except Lied:
        here.stop("lied", "")
    log = here.log()
    times = [e.start for e in log.exchanges]
    assert times == sorted(times)
    assert all(e.end is None or e.end >= e.start for e in log.exchanges)
    assert all((e.end is None) == (e.outcome == "open") for e in log.exchanges)


class _Box:
    def __init__(self, end: socket.socket) -> None:
        self.socket = end

    def wait(self, seconds: float) -> bool:
        return True

    def used(self) -> Used:
        return Used()

    def end(self) -> Ending:
        return Ending("exited", 0, 0.0, "")


class Liar:
    """Stands in for a parent; its only box sends some bytes, whatever it is told."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    @contextmanager
    def box(self, limits: object) -> Iterator[_Box]:
        ours, theirs = socket.socketpair()
        thread = threading.Thread(target=self._send, args=(theirs,))
        thread.start()
        try:
            yield _Box(ours)
        finally:
            ours.close()
            thread.join()

    def _send(self, end: socket.socket) -> None:
        reader = threading.Thread(target=self._read, args=(end,))
        reader.start()
        with end:
            with suppress(OSError):
                end.sendall(self._data)
                end.shutdown(socket.SHUT_WR)
            reader.join()

    def _read(self, end: socket.socket) -> None:
        with suppress(OSError):
            while end.recv(65536):
                pass


def told(*messages: Any) -> Log:
    told = (READY, *messages)
    data = b"".join(m if isinstance(m, bytes) else line(m) + b"\n" for m in told)
    scenario = world()
    parent = cast(Parent, Liar(data))
    return play_outside(parent, script_for(STAGE, scenario), scenario, TOKENS).log


ATTACKS: dict[str, tuple[list[Any], str]] = {
    "no JSON": ([b"hello\n"], "lied"),
    "not UTF-8": ([b'{"do": "\xff"}\n'], "lied"),
    "half a surrogate pair": ([BEGAN, b'{"do": "cancel", "id": "\\ud800"}\n'], "lied"),
    "a list": ([[1, 2]], "lied"),
    "an unknown kind": ([{"do": "pass_me"}], "lied"),
    "a kind that is a list": ([{"do": ["returned"]}], "lied"),
    "idle until a word": ([BEGAN, {**IDLE, "until": "abc"}], "lied"),
    "a number that is a list": ([BEGAN, {**TOOL, "id": []}], "lied"),
    "a number used twice": ([BEGAN, TOOL, TOOL], "lied"),
    "a tool that is not there": ([BEGAN, {**TOOL, "name": "award_points"}], "lied"),
    "giving up what was never asked": ([BEGAN, {"do": "cancel", "id": 3}], "lied"),
    "a result before the beginning": ([RETURNED], "lied"),
    "two beginnings": ([BEGAN, BEGAN], "lied"),
    "two starts": ([READY], "lied"),
    "a request before the beginning": ([TOOL], "lied"),
    "time before the beginning": ([IDLE], "lied"),
    "a stall that was none": ([BEGAN, {"do": "stuck", "waiting": []}], "lied"),
    "JSON deeper than a stack": ([b"[" * 100_000 + b"\n"], "lied"),
    "a number without end": ([b'{"do": "cancel", "id": ' + b"9" * 90_000 + b"}\n"], "lied"),
    "a long line": ([b'{"do": "' + b"x" * 1_000_001 + b'"}\n'], "lied"),
    "a line without end": ([b"x" * 1_500_000], "flooded"),
    "requests without end": ([BEGAN, *({**TOOL, "id": n} for n in range(5_001))], "flooded"),
    "time without end": ([BEGAN, *[{**IDLE, "until": 0}] * 50_001], "stalled"),
    "a far future": ([BEGAN, {**IDLE, "until": 9e8}], "stalled"),
    "nothing": ([], "died"),
    "half a line": ([b'{"do": "beg'], "died"),
    "an end after the beginning": ([BEGAN], "died"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_named(name: str) -> None:
    messages, kind = ATTACKS[name]
    log = told(*messages)
    assert not log.returned
    assert log.moments[-1].kind == kind


def test_what_comes_after_the_end_is_not_heard() -> None:
    log = told(BEGAN, RETURNED, {**RETURNED, "result": 2}, TOOL, b"garbage\n")
    assert (log.result, log.exchanges, log.moments) == (1, (), ())


def test_hand_made_requests_are_requests() -> None:
    log = told(BEGAN, TOOL, {**IDLE, "until": None}, RETURNED)
    assert [(e.name, e.start, e.end) for e in log.exchanges] == [("look_up", 0.0, 1.0)]


def test_a_silent_child_is_looked_at_now_and_then() -> None:
    def look() -> None:
        raise TimeoutError

    ours, theirs = socket.socketpair()
    with ours, theirs:
        with pytest.raises(TimeoutError):
            next(Channel(ours, look).lines())
        with pytest.raises(TimeoutError):
            Channel(ours, look).send({"text": "x" * 10_000_000})  # which nobody reads
        theirs.sendall(b"one\ntwo\nthr")
        lines = Channel(ours, lambda: None).lines()
        assert [next(lines), next(lines)] == [b"one", b"two"]
        theirs.shutdown(socket.SHUT_WR)
        with pytest.raises(Gone):
            next(lines)


def test_more_bytes_than_anybody_needs_are_a_flood() -> None:
    ours, theirs = socket.socketpair()

    def pour() -> None:
        with theirs:
            try:
                for _ in range(70):
                    theirs.sendall(b"x" * 999_999 + b"\n")
            except OSError:
                return

    thread = threading.Thread(target=pour)
    thread.start()
    with ours, pytest.raises(Flooded):
        list(Channel(ours, lambda: None).lines())
    thread.join()
