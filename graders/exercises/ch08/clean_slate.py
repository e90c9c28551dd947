"""Exercise 8.6: a retry loop that clears its error too early, diagnosed by its log and mended."""

from __future__ import annotations

from graders.exercises.kit import *

_STAGE = """
from course.models.breaker import Breaker


async def stage(bench, student):
    breaker = Breaker(name="archive", failures=bench.params["failures"], cooldown=900.0)
    told = {}
    for case in bench.params["cases"]:
        name = case["called"]

        async def ask(words):
            return await bench.tool("archive").function(task=name, words=words)

        async def rewrite(words, error):
            return await bench.tool("rewrite").function(task=name, words=words, error=error)

        answer, tried = await student.mended(
            case["words"], ask, rewrite, breaker, tries=case["tries"]
        )
        told[name] = {"answer": answer, "tries": [list(each) for each in tried]}
    return told
"""
_DIAGNOSED = """
async def stage(bench, student):
    told = {}
    for run in bench.params["runs"]:
        found = student.unheard([tuple(each) for each in run["log"]])
        names = " and ".join(sorted(found)) if isinstance(found, set | frozenset) else found
        told[run["called"]] = "nobody" if names == "" else names
    return told
"""
_TEXT = {"type": "string"}
_WORDS = ("Count the bicycles on the old bridge", "Find the rent of the market hall")
_ERRORS = ("too many papers fit: name the shelf {}", "there is no room {}: take another")
Case = dict[str, Any]


def _world(failures: int, *kinds: tuple[int, int]) -> ScenarioMaker:
    """Tasks that share a breaker, which opens after so many failures.

    Args:
        failures: in a row.
        kinds: of each task how often it fails before it works, and how often it may be tried.
    """

    def world(draw: random.Random) -> Scenario:
        cases: list[Case] = [
            {
                "called": f"task {number}, of at most {tries} {'tries' if tries > 1 else 'try'}",
                "words": f"{draw.choice(_WORDS)}, file {draw.randrange(1000, 10_000)}.",
                "fails": fails,
                "tries": tries,
            }
            for number, (fails, tries) in enumerate(kinds, 1)
        ]
        left = {case["called"]: case["fails"] for case in cases}
        says = draw.choice(_ERRORS)

        def archive(ask: Ask) -> Answer:
            task = ask.arguments["task"]
            left[task] -= 1
            if left[task] >= 0:
                return Answer(error=says.format(ask.token), seconds=1.0)
            return Answer(f"It is {ask.token}.", seconds=1.0)

        return Scenario(
            (_offer("archive", archive), _offer("rewrite", _rewritten, "error")),
            params={"cases": cases, "failures": failures},
        )

    return world


def _rewritten(ask: Ask) -> Answer:
    return Answer(f"Look at it another way, by {ask.token}.", seconds=1.0)


def _offer(name: str, does: Callable[[Ask], Answer], *more: str) -> ToolOffer:
    names = ("task", "words", *more)
    schema = {"type": "object", "properties": dict.fromkeys(names, _TEXT), "required": names}
    return ToolOffer(name, f"Has a task done: {name}.", schema, does)


def tries_in(params: Mapping[str, Any]) -> list[int]:
    """How many tries of each task there have to be, with one breaker for all of them."""
    row, found = 0, []
    for case in params["cases"]:
        tried, worked = 0, False
        while tried < case["tries"] and row < params["failures"] and not worked:
            worked = tried == case["fails"]
            row, tried = 0 if worked else row + 1, tried + 1
        found.append(tried)
    return found


_NEXT = such_that("what `rewrite` makes of the last words and of their error", lambda said: False)


def _wanted(log: Log, case: Case, many: int) -> dict[str, Any]:
    """What has to come of a task, by what its archive and its rewriting said."""
    asked = _of(log, "archive", case)
    tries: list[list[Any]] = []
    for number in range(many):
        words = _new(log, case, tries[-1]) if tries else case["words"]
        failed = number < len(asked) and asked[number].outcome == "failed"
        tries.append([words, asked[number].reply["error"] if failed else None])
    answered = [each.reply for each in asked[:many] if each.outcome == "answered"]
    return {
        "asked": [words for words, _ in tries],
        "tries": tries,
        "answer": answered[0] if answered else None,
    }


def _new(log: Log, case: Case, last: list[Any]) -> Any:
    """The words that `rewrite` made of the last try."""
    told = _of(log, "rewrite", case)
    new = (e.reply for e in told if [e.request["words"], e.request["error"]] == last)
    return next(new, _NEXT)


def _of(log: Log, tool: str, case: Case) -> list[Exchange]:
    return [each for each in log.calls(tool) if each.request["task"] == case["called"]]


def _heard(look: str) -> Checks:
    """Each task is tried in these words and no others, and so it is told."""

    def checks(world: Scenario) -> list[Check]:
        cases = world.params["cases"]

        def seen(log: Log) -> dict[str, Any]:
            return {
                case["called"]: {
                    "asked": [each.request["words"] for each in _of(log, "archive", case)],
                    **log.result[case["called"]],
                }
                for case in cases
            }

        def wanted(log: Log) -> dict[str, Any]:
            pairs = zip(cases, tries_in(world.params), strict=True)
            return {case["called"]: _wanted(log, case, many) for case, many in pairs}

        return [viewed(seen, equals(wanted, look=f"look at {look}"))]

    return checks


_SIGNS = {
    "f": "; failed",
    "F": "; failed in the same words",
    "O": "; failed in the first words again",
    "w": "; worked",
    "W": "; worked in the same words",
    "?": ", and the breaker was told nothing",
    "!": ", and the breaker was told that it worked",
}


def _logs(*runs: tuple[str, str]) -> ScenarioMaker:
    """Logs of runs, and who was deaf in each of them.

    Args:
        runs: for each run a letter for each try, and who did not hear of an error. "f" failed and
            "w" worked, in new words, and the breaker heard; a capital letter says that the words
            are the last ones, "?" and "!" after it that the breaker heard nothing, and that it
            worked; "O" fails in the words of the first one (`_SIGNS`).
    """

    def world(draw: random.Random) -> Scenario:
        shown = [
            {
                "called": "".join(_SIGNS[sign] for sign in tries).strip("; "),
                "log": _log(draw, tries),
            }
            for tries, _ in runs
        ]
        deaf = {each["called"]: who for each, (_, who) in zip(shown, runs, strict=True)}
        return Scenario(params={"runs": shown, "deaf": deaf})

    return world


def _log(draw: random.Random, tries: str) -> list[list[Any]]:
    words, log = "", list[list[Any]]()
    for sign in tries:
        if sign in "?!":
            log[-1][2] = None if sign == "?" else True
            continue
        fresh = f"{draw.choice(_WORDS)}, file {draw.random():.9f}."
        words = log[0][0] if sign == "O" else words if sign.isupper() else fresh
        error = draw.choice(_ERRORS).format(draw.randrange(100)) if sign in "fFO" else None
        log.append([words, error, error is None])
    return log


def _deaf(world: Scenario) -> list[Check]:
    look = "look at the words after each error, and at what the breaker was told of it"
    return [equals(world.params["deaf"], look=look)]


MENDED = Exercise(
    "8.6", ("unheard", "mended"), (
        Trial(
            "says who did not hear of an error",
            _DIAGNOSED,
            _logs(
                ("f!F!F!F!", "breaker and rewriter"),  # what `tidy` does
                ("ffW", "rewriter"),
                ("fFfw", "rewriter"),
                ("ff!w", "breaker"),
                ("f!fw", "breaker"),
                ("ffO", "nobody"),
                ("ff?", "breaker"),
                ("f", "nobody"),
                ("ffff", "nobody"),
                ("wW", "nobody"),
                ("fw?", "nobody"),
            ),
            _deaf,
        ),
        Trial("makes each try in words that its error has changed", _STAGE,
              _world(9, (0, 4), (1, 4), (3, 5)),
              _heard("what `rewrite` is given, and when that is cleared")),
        Trial("tells the breaker how each try ended, and heeds it", _STAGE,
              _world(3, (2, 2), (0, 2), (9, 5), (0, 2)),
              _heard("what `settle` hears after a failure, and what `admit` says then"), 0.5),
        Trial("ends with the last try", _STAGE, _world(99, (9, 1), (9, 3), (1, 2)),
              _heard("how many tries there may be, and what is left after the last"), 0.5),
    ),
    places={
        "*": "what came of {}",
        "*.asked": "the words in which {} was tried",
        "*.asked.*": "the words of the {1} try of {0}",
        "*.tries": "the tries that were told of {}",
        "*.tries.*": "what was told of the {1} try of {0}",
        "*.tries.*.0": "the words told of the {1} try of {0}",
        "*.tries.*.1": "the error told of the {1} try of {0}",
        "*.answer": "the answer of {}",
    },
)  # fmt: skip
