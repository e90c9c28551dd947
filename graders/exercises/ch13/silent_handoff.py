"""Exercise 13.3: a model's reply without the farewell before a handoff."""

from __future__ import annotations

from graders.exercises.kit import *

_STAGE = """
import inspect
from types import SimpleNamespace


def chunk_of(piece):
    kind, text = piece
    if kind == "count":
        return SimpleNamespace(id=kind, delta=None)
    named = text.split() if kind == "call" else []
    calls = [SimpleNamespace(name=each, arguments="{}") for each in named]
    words = text if kind == "words" else None
    return SimpleNamespace(id=kind, delta=SimpleNamespace(content=words, tool_calls=calls))


async def opened(reply):
    reply = await reply if inspect.isawaitable(reply) else reply
    async for chunk in reply:
        yield chunk


async def stage(bench, student):
    came = []
    for number, reply in enumerate(bench.params["replies"]):

        async def chunks():
            for place, piece in enumerate(reply):
                await bench.tool("model").function(reply=number, place=place)
                yield chunk_of(piece)

        heard = []
        handoffs = set(bench.params["handoffs"])
        async for chunk in opened(student.without_farewell(chunks(), handoffs)):
            bench.mark("out")
            if chunk.delta is None:
                heard.append(["count", ""])
            elif chunk.delta.tool_calls:
                heard.append(["call", " ".join(each.name for each in chunk.delta.tool_calls)])
            else:
                heard.append(["words", chunk.delta.content])
        came.append(heard)
    return came
"""
_SCHEMA = {
    "type": "object",
    "properties": {"reply": {"type": "integer"}, "place": {"type": "integer"}},
    "required": ["reply", "place"],
}
_MOVES = ("transfer_to_accounts", "transfer_to_nurse")
_FAREWELLS = (("One ", "moment ", "please"), ("I ", "pass ", "you ", "on"), ("Let ", "me ", "see"))
_ANSWERS = (
    ("We ", "open ", "at ", "8.30. ", "And ", "we ", "close ", "at ", "six."),
    ("From 8.30 ", "on. ", "We ", "close ", "at ", "six."),
    ("Is ", "it ", "you?", " I ", "know ", "your ", "voice."),
    ("Good ", "morning!", " How ", "are ", "you?"),
)
Piece = list[str]
Maker = Callable[[random.Random], list[Piece]]


def _words(*texts: str) -> list[Piece]:
    return [["words", each] for each in texts]


def _saying(answer: tuple[str, ...]) -> Maker:
    return lambda draw: [*_words(*answer), ["count", ""]]


_EACH_ANSWER = [_saying(each) for each in _ANSWERS]
"""Their first sentences end in each of the marks."""


def _looked_up(draw: random.Random) -> list[Piece]:
    return [*_words(*draw.choice(_FAREWELLS)), ["call", "find_slots"]]


def _open_end(draw: random.Random) -> list[Piece]:
    return _words(*draw.choice(_FAREWELLS))


def _farewell(draw: random.Random) -> list[Piece]:
    return [*_words(*draw.choice(_FAREWELLS)), ["call", draw.choice(_MOVES)]]


def _beside(*calls: str) -> Maker:
    """Other calls around the move, before it or in one chunk with it."""

    def made(draw: random.Random) -> list[Piece]:
        said, move = _words(*draw.choice(_FAREWELLS)), draw.choice(_MOVES)
        named = [["call", each.format(move=move)] for each in calls]
        return [*said, *named, ["call", "find_slots"]]

    return made


_BESIDE = [_beside("note_down", "{move}"), _beside("note_down {move}"), _beside("{move} note_down")]


def _after(draw: random.Random) -> list[Piece]:
    return [["call", draw.choice(_MOVES)], *_words(*draw.choice(_FAREWELLS))]


def _late(draw: random.Random) -> list[Piece]:
    said = _words(*draw.choice(_ANSWERS))
    return [*said, ["call", draw.choice(_MOVES)], *_words("Bye."), ["count", ""]]


def _world(*makers: Maker) -> ScenarioMaker:
    """A model that sends a chunk each half second."""
    tool = ToolOffer("model", "The next chunk.", _SCHEMA, lambda ask: Answer("sent", seconds=0.5))

    def world(draw: random.Random) -> Scenario:
        replies = [make(draw) for make in makers]
        return Scenario((tool,), params={"replies": replies, "handoffs": list(_MOVES)})

    return world


def let_through(reply: Sequence[Piece]) -> list[tuple[int, Piece]]:
    """What goes out of a reply, and after how many chunks of it had come."""
    out: list[tuple[int, Piece]] = []
    held: list[Piece] = []
    open_, moved = True, False
    for number, piece in enumerate(reply, start=1):
        kind, text = piece
        moves = kind == "call" and not set(text.split()).isdisjoint(_MOVES)
        moved = moved or moves
        if kind == "words" and moved:
            continue
        held.append(piece)
        if moves:
            held = [each for each in held if each[0] == "call"]
        if moves or (kind == "words" and text.rstrip().endswith((".", "?", "!"))):
            open_ = False
        if not open_:
            out += [(number, each) for each in held]
            held = []
    return [*out, *((len(reply), each) for each in held)]


def _out(look: str) -> Checks:
    def checks(world: Scenario) -> list[Any]:
        wanted = [[each for _, each in let_through(reply)] for reply in world.params["replies"]]
        return [fits(wanted, look=f"look at {look}")]

    return checks


def _in_time(world: Scenario) -> list[Any]:
    def gone(log: Log) -> list[int]:
        """How many chunks had come whenever one went out."""
        return [mark.after for mark in log.marked("out")]

    due, before = list[int](), 0
    for reply in world.params["replies"]:
        due += [before + number for number, _ in let_through(reply)]
        before += len(reply)
    look = "what goes out as soon as the first sentence has ended?"
    return [viewed(lambda log: {"gone": gone(log)}, equals({"gone": due}, look=look))]


WITHOUT_FAREWELL = Exercise(
    "13.3", ("without_farewell",), (
        Trial("lets a reply that hands nothing over out, word for word", _STAGE,
              _world(*_EACH_ANSWER, _looked_up, _open_end),
              lambda world: [*_out("replies without a handoff")(world), *_in_time(world)], 1),
        Trial("leaves out the words before a handoff", _STAGE, _world(_farewell, _farewell),
              _out("what was said before a move"), 1),
        Trial("lets every call out, in order", _STAGE, _world(*_BESIDE),
              _out("calls beside a move"),
              0.5),
        Trial("leaves out the words after a handoff", _STAGE, _world(_after, _late, _late),
              _out("words after a move"), 0.5),
        Trial("holds nothing back after the first sentence", _STAGE,
              _world(*_EACH_ANSWER[:2], *_BESIDE[:2]),
              _in_time, 1),
    ),
    places={
        "": "what goes out of the replies",
        "*": "what goes out of the {} reply",
        "*.*": "the {} chunk that goes out",
        "gone": "how many chunks had come whenever one went out",
        "gone.*": "how many chunks had come when the {} one went out",
    },
)  # fmt: skip
