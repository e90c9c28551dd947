"""Exercise 5.2: a result of its type, made of what the model wrote, or the reason why not."""

from __future__ import annotations

from course.delegation.results import MISFIT
from graders.checks.natures import of_words
from graders.exercises.ch05.completion_tool import TYPES
from graders.exercises.kit import *

_READ = f"""
from pydantic import TypeAdapter


async def stage(bench, student):
    came = []
    for source, arguments in bench.params["reads"]:
        names = {{}}
        exec({TYPES!r} + source, names)
        kind = names["Kind"]
        try:
            value = student.read_result(kind, arguments)
        except (NotImplementedError, NameError, AttributeError, TypeError):
            raise
        except Exception as error:
            kinds = [each.__name__ for each in type(error).__mro__]
            came.append({{"raised": kinds, "says": str(error)}})
        else:
            if type(value).__name__ != "dict" or kind is dict:
                written = TypeAdapter(kind).dump_python(value, mode="json", warnings=False)
            else:
                written = value
            came.append({{"is": type(value).__name__, "value": written}})
    return came
"""

_WORDS = ("red", "green", "blue", "white", "black")
_COLOURS = ("red", "green", "blue")
_COLOURED = (
    "class Kind(BaseModel):\n    name: str\n    colour: Literal['red', 'green', 'blue']\n"
    "    day: date\n"
)
_STAY = (
    "class Kind(BaseModel):\n    first: date\n    last: date\n\n"
    '    @model_validator(mode="after")\n    def in_order(self):\n'
    "        if self.last < self.first:\n"
    '            raise ValueError("the last day is before the first")\n        return self\n'
)
_STOPS = (
    "class Stop(BaseModel):\n    street: str\n    number: int\n\n\n"
    "class Kind(BaseModel):\n    stops: list[Stop]\n"
)
_PAIR = "@dataclass\nclass Kind:\n    name: str\n    number: int\n"


def _coloured(draw: random.Random) -> dict[str, Any]:
    return {
        "name": f"number {draw.randrange(1000)}",
        "colour": draw.choice(_COLOURS),
        "day": f"2026-03-{draw.randrange(10, 29)}",
    }


def _good(draw: random.Random) -> Scenario:
    pair = {"name": draw.choice(_WORDS), "number": draw.randrange(90)}
    return Scenario(params={"reads": [[_COLOURED, _coloured(draw)], [_PAIR, pair]]})


def _good_plain(draw: random.Random) -> Scenario:
    reads = [
        ["Kind = bool\n", {"result": draw.choice((True, False))}],
        ["Kind = list[str]\n", {"result": draw.sample(_WORDS, 2)}],
        ["Kind = date\n", {"result": f"2026-03-{draw.randrange(10, 29)}"}],
    ]
    return Scenario(params={"reads": reads})


def _bad(draw: random.Random) -> Scenario:
    wrong = {**_coloured(draw), "colour": draw.choice(("pale", "loud"))}
    del wrong["day"]
    stops = {"stops": [{"street": "Elm", "number": draw.randrange(90)}, {}]}
    reads = [
        [_COLOURED, wrong],
        [_PAIR, {"name": "x", "number": "y"}],
        [_PAIR, {}],
        [_COLOURED, {}],
        [_STOPS, stops],
    ]
    return Scenario(params={"reads": reads})


def _bad_whole(draw: random.Random) -> Scenario:
    early, late = sorted(draw.sample(range(10, 29), 2))
    turned = {"first": f"2026-03-{late}", "last": f"2026-03-{early}"}
    stay = {"first": f"2026-03-{early}", "last": f"2026-03-{late}"}
    return Scenario(params={"reads": [[_STAY, turned], [_STAY, stay]]})


def _bad_plain(draw: random.Random) -> Scenario:
    reads = [
        ["Kind = bool\n", {"value": True}],
        ["Kind = int\n", {"result": draw.choice(("many", "few"))}],
        ["Kind = int\n", {"result": draw.randrange(9), "remark": "none"}],
        ["Kind = int\n", {}],
    ]
    return Scenario(params={"reads": reads})


_PLAIN = {"Kind = bool\n": "bool", "Kind = list[str]\n": "list", "Kind = date\n": "date"}


def _values(world: Scenario) -> list[Any]:
    """Each read as a value of its type."""
    wanted = []
    for source, arguments in world.params["reads"]:
        value = arguments if list(arguments) != ["result"] else arguments["result"]
        wanted.append({"is": _PLAIN.get(source, "Kind"), "value": value})
    return [fits(wanted, look="look at how a value is made of the arguments")]


def _refused(*words: str) -> dict[str, Any]:
    """A ToolError whose message holds each of the words, not glued to others, in one line."""

    def told(text: str) -> bool:
        named = text.replace(MISFIT, "")  # what every message says of the result names no field
        known = all(re.search(rf"(?<!\w){word}(?!\w)", named) for word in words)
        return known and not several(text)

    def several(text: str) -> str:
        return "those are several lines" if len(text.strip().splitlines()) > 1 else ""

    def lacks(text: str) -> str:
        return several(text) or of_words(text, words)

    return {
        "raised": such_that("a ToolError", lambda kinds: "ToolError" in kinds),
        "says": such_that(f"a reason in one line that says {', '.join(words)}", told, lacks),
    }


def _refusals(*each: tuple[str, ...], look: str) -> Checks:
    return lambda world: [fits([_refused(*words) for words in each], look=f"look at {look}")]


def _whole(world: Scenario) -> list[Any]:
    good = world.params["reads"][1][1]
    wanted = [_refused("the last day is before the first"), {"is": "Kind", "value": good}]
    return [fits(wanted, look="what checks the type as a whole?")]


READ_RESULT = Exercise(
    "5.2", ("read_result",), (
        Trial("makes a value of the type", _READ, _good, _values, 0.5),
        Trial("takes a plain value out of result", _READ, _good_plain, _values, 0.5),
        Trial("says which fields do not fit, and why", _READ, _bad,
              _refusals(("colour", "'green'", "day", "required"), ("number", "integer"),
                        ("name", "number", "required"), ("name", "colour", "day", "required"),
                        ("street", "number", "required"),
                        look="what of the validation error reaches the model"), 0.5),
        Trial("lets the type check the whole", _READ, _bad_whole, _whole, 0.25),
        Trial("wants a plain value under the name result, and nothing else", _READ, _bad_plain,
              _refusals(("result",), ("result", "integer"), ("result",), ("result",),
                        look="the arguments of a plain type"), 0.25),
    ),
    builds_on={
        "adapter": "course.delegation.results:adapter",
        "field_of": "course.delegation.results:field_of",
        "has_fields": "course.delegation.results:has_fields",
    },
    places={
        "*": "what came of the {} arguments",
        "*.is": "the value made of the {} arguments",
        "*.raised": "the error for the {} arguments",
        "*.says": "the text of the error for the {} arguments",
        "*.of": "the type of the value made of the {} arguments",
    },
    finished={"read_result": "course.delegation.results:read_result"},
)  # fmt: skip
