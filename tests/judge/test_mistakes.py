"""The commonest mistakes: one message each, that names the definition and what to change."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator

import pytest

from graders.box import Parent, warm
from graders.checks import equals
from graders.child.noticing import Noticing
from graders.exercises import exercise
from graders.judge import endings
from graders.judge.inside import play_inside
from graders.judge.judge import judge_inside
from graders.judge.mistakes import CODES, WORDS, in_plain_words
from graders.judge.outside import play_outside, script_for
from graders.records.log import Log
from graders.records.scenario import Scenario
from graders.records.verdict import Verdict, not_yet, passed
from graders.records.wording import LONGEST
from tests.grading.judging import names_of
from tests.judge.boxes import strongest
from tests.judge.exercises.playing import TOKENS

PLAIN = """
async def stage(bench, student):
    told = student.solve(3)
    return {"told": told.upper() if isinstance(told, str) else told}
"""
WAITED = """
async def stage(bench, student):
    name, size = await student.solve(3)
    return {"told": name}
"""
TASKED = """
import asyncio
async def stage(bench, student):
    running = asyncio.create_task(student.solve(3))
    return {"told": (await running)[0]}
"""
CATCHES = """
async def stage(bench, student):
    def fails():
        raise ValueError("no")
    try:
        told = student.solve(fails)
    except (NameError, TypeError):
        raise
    except Exception as error:
        told = type(error).__name__
    return {"told": told}
"""
MAY_BE_NONE = """
async def stage(bench, student):
    told = student.solve(3)
    return {"told": told or "A"}
"""
COURSE = "from course import Context\n"
FETCH = "import asyncio\nasync def fetch(number):\n    return 'A', 1\n"
GATHER = "    return await asyncio.gather([fetch(number)])\n"

RIGHT = {
    "a function": (PLAIN, "def solve(number):\n    return 'A'"),
    "a lambda": (PLAIN, "solve = lambda number: 'A'"),
    "a class": (PLAIN, "class solve(str):\n    def __new__(cls, number):\n        return 'A'"),
    "a partial": (
        WAITED,
        "import functools\nasync def made(x, number):\n    return 'A', x\n"
        "solve = functools.partial(made, 1)",
    ),
    "a function that gives an awaitable": (WAITED, FETCH + "def solve(n):\n    return fetch(n)"),
    "a gathering": (
        TASKED,
        FETCH + "async def solve(n):\n    return await asyncio.gather(*[fetch(n)]) and 'A'",
    ),
    "an object": (
        WAITED,
        "class Solve:\n    async def __call__(self, number):\n        return 'A', 1\n"
        "solve = Solve()",
    ),
    "one that prints as well": (PLAIN, "def solve(number):\n    print(3)\n    return 'A'"),
    "one that is wrapped in itself": (
        MAY_BE_NONE,
        "from functools import wraps\ndef solve(number):\n    return None\n"
        "solve = wraps(solve)(solve)",
    ),
    "an object that shows nothing of itself": (
        MAY_BE_NONE,
        "class Solve:\n    def __call__(self, number):\n        return None\n"
        "    def __getattr__(self, name):\n        raise RuntimeError(name)\nsolve = Solve()",
    ),
    "an awaitable that shows nothing of itself": (
        WAITED,
        "class Made:\n    __class__ = property(lambda self: 1 / 0)\n"
        "    def __await__(self):\n        return 'A', 1\n        yield\n"
        "def solve(number):\n    return Made()",
    ),
    "an error that shows nothing of itself": (
        CATCHES,
        "class Shy(type):\n    __module__ = property(lambda self: 1 / 0)\n"
        "class A(ValueError, metaclass=Shy):\n    pass\n"
        "def solve(fails):\n    raise A('no')",
    ),
}
WRONG = {
    "pass": (PLAIN, "def solve(number):\n    pass", "empty", "does nothing yet"),
    "dots": (WAITED, "async def solve(number):\n    '''Do it.'''\n    ...", "empty", "nothing yet"),
    "no return": (PLAIN, "def solve(number):\n    said = 'A'", "nothing", "`return ...`"),
    "a print": (PLAIN, "def solve(number):\n    print('A')", "prints", "prints, but"),
    "a way without a return": (
        WAITED,
        "async def solve(number) -> tuple[str, int]:\n    if number > 9:\n        return 'A', 1",
        "none",
        "returned None",
    ),
    "def": (WAITED, "def solve(number):\n    return 'A', 1", "not_async", "`async def solve(...)`"),
    "def for a task": (TASKED, "def solve(number):\n    return 'A'", "not_async", "async def"),
    "async def": (
        PLAIN,
        "async def solve(number):\n    return 'A'",
        "is_async",
        "`def solve(...)`",
    ),
    "never awaited": (
        WAITED,
        FETCH + "async def solve(number):\n    return fetch(number)",
        "unawaited",
        "`solve` returned fetch(...)",
    ),
    "never awaited, in a list": (
        PLAIN,
        FETCH + "def solve(number):\n    return [fetch(number)]",
        "unawaited",
        "write `await`",
    ),
    "a gathering that nobody awaits": (
        WAITED,
        FETCH + "async def solve(number):\n    return asyncio.gather(fetch(number))",
        "unawaited",
        "asyncio.gather(...)",
    ),
    "tasks that nobody awaits": (
        WAITED,
        FETCH
        + "async def solve(number):\n    return [asyncio.create_task(fetch(number)) for _ in 'AB']",
        "tasks",
        "such as by `await asyncio.gather(*...)`",
    ),
    "tasks that are over": (
        WAITED,
        FETCH + "async def solve(number):\n    made = [asyncio.create_task(fetch(number))]\n"
        "    await asyncio.wait(made)\n    return made",
        "finished",
        "returned tasks, and not what came of each of them: hand back `.result()`",
    ),
    "a task that is over": (
        WAITED,
        FETCH + "async def solve(number):\n    made = asyncio.create_task(fetch(number))\n"
        "    await made\n    return made",
        "finished",
        "returned a task, and not what came of it",
    ),
    "a gathering of a list": (
        WAITED,
        FETCH + "async def solve(number):\n" + GATHER,
        "gather",
        "line 5: return await asyncio.gather([fetch(number)])",
    ),
    "a yield": (WAITED, "async def solve(number):\n    yield 'A', 1", "yields", "`yield`"),
    "a yield in a function": (PLAIN, "def solve(number):\n    yield 'A'", "yields", "`yield`"),
    "a generator": (
        PLAIN,
        "def solve(number):\n    return (each for each in 'A')",
        "generator",
        "return a list",
    ),
    "one value": (
        WAITED,
        "async def solve(number):\n    return 1.5",
        "values",
        "returned one float where 2 are asked for: write `return name, size`",
    ),
    "three values": (WAITED, "async def solve(number):\n    return 1, 2, 3", "values", "3 values"),
    "another type": (
        TASKED,
        "async def solve(number) -> tuple[str, int]:\n    return 7",
        "type",
        "returned an int where its first line promises tuple[str, int]",
    ),
    "a value of another type among several": (
        "async def stage(bench, student):\n    word, size = student.solve(3)\n"
        "    return {'told': word.upper()}\n",
        "def solve(number) -> tuple[str, int]:\n    return 1.5, 3",
        "type",
        "returned a tuple of float and int where its first line promises tuple[str, int]",
    ),
    "nothing in it": (TASKED, "async def solve(number):\n    return []", "short", "a list before"),
    "no data": (PLAIN, "def solve(number):\n    return [len]", "no_data", "gave back a builtin"),
    "nothing that is asked for": (
        "async def stage(bench, student):\n    student.solve(made := [])\n    return made[0]\n",
        "def solve(made):\n    return 3",
        "undone",
        "`solve` came to its end",
    ),
    "an argument too few": (
        PLAIN,
        "def solve():\n    return 'A'",
        "arguments",
        "`solve()` takes 0",
    ),
    "an argument too many": (
        WAITED,
        "async def solve(number, other):\n    return 'A', 1",
        "arguments",
        "missing 1 required positional argument: 'other'",
    ),
    "another lambda": (PLAIN, "solve = lambda: 'A'", "arguments", "`solve()` takes 0"),
    "a name": (
        PLAIN,
        "def solve(number):\n    return text[number]",
        "name",
        "`text` is not defined (line 2: return text[number])",
    ),
    "an error that the stage catches": (
        CATCHES,
        "def solve(number):\n    return {}['A']",
        "caught",
        "your code raised KeyError: 'A' (line 2: return {}['A'])",
    ),
    "a blocking call where the stage catches": (
        CATCHES,
        "import time\ndef solve(number):\n    time.sleep(1)",
        "caught",
        "(line 3: time.sleep(1))",
    ),
    "no import": (
        WAITED,
        "async def solve(number):\n    await asyncio.sleep(1)",
        "name",
        "`asyncio` is not defined",
    ),
    "an await too many": (
        WAITED,
        "async def solve(number):\n    return await len('A')",
        "awaits_value",
        "an int was awaited",
    ),
    "an await too few": (
        WAITED,
        FETCH + "async def solve(number):\n    found = fetch(number)\n    return found[0], 1",
        "awaits_nothing",
        "line 6: return found[0], 1",
    ),
    "a typo": (
        PLAIN,
        COURSE + "def solve(number):\n    return Context.of('A').mesages",
        "attribute",
        "a Context has no `mesages`",
    ),
    "a key as an attribute": (
        PLAIN,
        "def solve(number):\n    return {'text': 'A'}.text",
        "key",
        'write `["text"]`',
    ),
    "an attribute as a key": (
        PLAIN,
        COURSE + "def solve(number):\n    return Context.of('A')['messages']",
        "no_keys",
        "a Context has no keys",
    ),
}


CODE_OF = {"caught": "value.differs"}
"""Where the words are added to what a check says: its own code, which its sentences name."""


def _judged(log: Log) -> Verdict:
    return endings.verdict_on(log, [equals({"told": "A"})])


def _here(stage: str, source: str) -> Verdict:
    names = names_of([{"name": "ex_1_1", "source": source}])
    with contextlib.redirect_stdout(io.StringIO()):
        return _judged(play_inside(stage, Scenario(), TOKENS, names))


@pytest.fixture(scope="module")
def parent() -> Iterator[Parent]:
    with warm(strongest()) as warmed:
        yield warmed


def _there(parent: Parent, stage: str, source: str) -> Verdict:
    script = script_for(stage, Scenario(), [{"name": "ex_1_1", "source": source}])
    return _judged(play_outside(parent, script, Scenario(), TOKENS).log)


@pytest.mark.parametrize(("stage", "source"), RIGHT.values(), ids=RIGHT)
def test_a_right_answer_stays_right(stage: str, source: str) -> None:
    assert _here(stage, source) == passed()


@pytest.mark.parametrize(("stage", "source", "kind", "said"), WRONG.values(), ids=WRONG)
def test_a_mistake_is_named(stage: str, source: str, kind: str, said: str) -> None:
    verdict = _here(stage, source)
    assert verdict.code == CODE_OF.get(kind, f"code.{kind}"), verdict.message
    assert said in verdict.message
    assert "solve" in verdict.message or "line " in verdict.message


@pytest.mark.parametrize(
    "name",
    [
        "pass",
        "never awaited",
        "one value",
        "a typo",
        "no import",
        "an error that the stage catches",
    ],
)
def test_a_box_says_it_in_the_same_words(parent: Parent, name: str) -> None:
    stage, source, *_ = WRONG[name]
    assert _there(parent, stage, source) == _here(stage, source)


@pytest.mark.parametrize(
    "source",
    [
        "def solve(fails):\n    raise ValueError('meant')",
        "def solve(fails):\n    return fails()",
        "def solve(fails):\n    if fails: raise ValueError('meant')",
        "def solve(fails):\n    x = 1; raise ValueError(\n        'meant'\n    )",
        "def no():\n    assert 0, 'meant'\n\n\ndef solve(fails):\n    no()",
    ],
)
def test_what_is_raised_on_purpose_is_left_to_the_checks(source: str) -> None:
    assert _here(CATCHES, source).code == "value.differs"


def test_an_error_in_the_place_of_another_is_told_beside_the_one_that_is_asked_for() -> None:
    names = names_of([{"name": "ex_1_1", "source": "def solve(fails):\n    return {}['A']"}])
    log = play_inside(CATCHES, Scenario(), TOKENS, names)
    verdict = endings.verdict_on(log, [equals({"told": "ValueError"})])
    assert verdict.code == "value.differs"
    assert verdict.message == (
        'expected `told` of the result to be "ValueError", got "KeyError":'
        " your code raised KeyError: 'A' (line 2: return {}['A']); look at that line"
    )


def test_an_error_that_the_contract_names_is_never_told_as_a_cause() -> None:
    names = names_of([{"name": "ex_1_1", "source": "def solve(fails):\n    return int('A')"}])
    log = play_inside(CATCHES, Scenario(), TOKENS, names)
    assert log.mistake[0] == "caught"
    for asked, told in (("`ValueError` when it is none.", False), ("`KeyError`.", True)):
        verdict = endings.verdict_on(log, [equals({"told": "A"})], contract=asked)
        assert ("your code raised" in verdict.message) == told


def test_an_error_raised_on_purpose_elsewhere_is_no_cause() -> None:
    """12.1 without a word for NaN, whose `raise` stands behind an `if` on one line."""
    source = (
        "def reading(low, high, *, tasks, matters):\n"
        "    if low > high: raise ValueError('no interval')\n    return 'few'"
    )
    names = names_of([{"name": "ex_12_1", "source": source}])
    said = [each.verdict.message for each in judge_inside(exercise("12.1"), names)]
    assert any("ValueError" in each for each in said)
    assert not [each for each in said if "your code raised" in each]


def test_a_long_error_leaves_room_for_what_is_asked_for() -> None:
    log = Log(returned=True, mistake=("caught", "KeyError: " + 300 * "k", 300 * "l"))
    told = in_plain_words(log, not_yet("value.differs", f"expected 1, got {300 * '2'}; look"))
    assert told.message.startswith("expected 1, got 22")
    assert "your code raised KeyError: kk" in told.message
    assert len(told.message) <= LONGEST


def test_a_stub_with_lines_of_the_students_says_what_is_left_to_do() -> None:
    last = "    raise NotImplementedError('Exercise 1.1 not attempted yet')"
    untouched = _here(PLAIN, f"def solve(number):\n{last}")
    begun = _here(PLAIN, f"def solve(number):\n    said = 'A'\n{last}")
    assert (untouched.sign, untouched.message) == ("not attempted", "not attempted yet")
    assert (begun.sign, begun.code) == ("not attempted", "not_attempted")
    assert "`solve` still raises NotImplementedError (line 3: raise" in begun.message


def test_every_kind_is_seen_and_has_a_meaning() -> None:
    assert {kind for _, _, kind, _ in WRONG.values()} | {"stub"} == set(WORDS)
    assert set(CODES) == {f"code.{kind}" for kind in WORDS if kind not in {"stub", *CODE_OF}}


@pytest.mark.parametrize("mistake", [("no such",), ("type",), ("values", "f"), ("{0.__class__}",)])
def test_what_a_box_makes_up_changes_neither_sign_nor_points(mistake: tuple[str, ...]) -> None:
    wrong = not_yet("value.differs", "expected 1, got 2; look")
    log = Log(returned=True, mistake=mistake)
    assert in_plain_words(log, wrong).sign == "not yet"
    assert in_plain_words(log, passed()) == passed()


def test_nothing_is_lost_where_a_value_refuses_to_be_looked_at() -> None:
    class Shy:
        def __getattribute__(self, name: str) -> object:
            raise ValueError(name)

    noticing = Noticing(PLAIN, {"solve": Shy()})
    said = {"type": "TypeError", "message": "x", "line": ""}
    assert noticing.mistake(TypeError("x"), said) == []


def test_what_was_never_awaited_warns_nobody(recwarn: pytest.WarningsRecorder) -> None:
    for name in ("never awaited, in a list", "an await too few"):
        stage, source, *_ = WRONG[name]
        _here(stage, source)
    assert [str(each.message) for each in recwarn if "awaited" in str(each.message)] == []
