"""Exercise 9.6: traces with a straggler, a wasted try, a hidden contradiction, or none of them."""

from __future__ import annotations

from course.observability.diagnosis import diagnose
from graders.exercises.kit import *
from graders.exercises.sample_traces import exported

_STAGE = stage_of(
    "sorted([each.kind, *each.tasks] for each in student.diagnose(Trace.from_json(case)))",
    given="from course.trace import Trace",
)
_WORKERS = ("harbour", "accounts", "shipyard")
_ERRORS = ("no year is named", "the archive is closed", "too many hits (240)")
Try = tuple[str, str, str, float]
"""Worker, words, error (empty: it worked), seconds."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A task of a run: when it began, its tries one after the other, and what it found out."""

    id: str
    start: float
    tries: tuple[Try, ...]
    needs: tuple[str, ...] = ()
    result: str = ""

    @property
    def end(self) -> float:
        """When its last try ended."""
        return self.start + sum(seconds for *_, seconds in self.tries)

    @property
    def data(self) -> dict[str, Any]:
        """The step as a span of the published format."""
        worker, _, error, _ = self.tries[-1]
        attributes = {"switchboard.task.id": self.id, "switchboard.task.worker": worker}
        if self.needs:
            attributes["switchboard.task.dependencies"] = ", ".join(self.needs)
        if self.result:
            attributes["switchboard.task.result"] = self.result
        keys = ("worker", "words", "error", "seconds")
        events = [
            {"name": "attempt", "time": self.end, "attributes": dict(zip(keys, each, strict=True))}
            for each in self.tries
        ]
        failed = {"status": "error", "error": error} if error else {}
        return {"name": self.id, "operation": "dispatch", "start": self.start, "end": self.end,
                "attributes": attributes, "events": events, **failed}  # fmt: skip


def trace_of(steps: Sequence[Step], answer: str | None = "Keep the boat.") -> str:
    """A trace with these tasks and, if there is one, the answer made of them."""
    end = max((each.end for each in steps), default=0.0)
    told: list[dict[str, Any]] = [each.data for each in steps]
    if answer is not None:
        said = {"switchboard.aggregation.method": "merge",
                "switchboard.aggregation.answer": answer}  # fmt: skip
        told.append({"name": "answering", "operation": "aggregate", "start": end, "end": end + 1,
                     "attributes": said})  # fmt: skip
    top = {"name": "chief", "operation": "invoke_agent", "start": 0.0, "end": end + 1}
    return exported([top, *({**each, "above": 0} for each in told)])


def _step(
    draw: random.Random, id: str, start: float, seconds: float, *needs: str, says: str = ""
) -> Step:
    """A task that worked at once."""
    did = (draw.choice(_WORKERS), f"Find out about {id}", "", seconds)
    return Step(id=id, start=start, tries=(did,), needs=needs, result=says or "All well.")


def _slow(draw: random.Random) -> str:
    """One of two ways is slow; a task beside them is slower still, and nobody waits for it."""
    a, b, c, d, e, f = names(draw, 6)
    took = float(draw.randrange(8, 12))
    return trace_of([
        _step(draw, a, 0.0, 2.0), _step(draw, b, 0.0, took), _step(draw, c, 2.0, 3.0, a),
        _step(draw, d, took, 3.0, b, c), _step(draw, e, 0.0, took + 2), _step(draw, f, 0.0, 2.0),
    ])  # fmt: skip


def _even(draw: random.Random) -> str:
    """Nobody takes 1.5 times as long as usual, though one takes exactly that."""
    a, b, c, d = names(draw, 4)
    usual = float(draw.randrange(2, 6))
    return trace_of([
        _step(draw, a, 0.0, usual), _step(draw, b, 0.0, 1.5 * usual), _step(draw, c, 0.0, usual),
        _step(draw, d, 1.5 * usual, usual, a, b),
    ])  # fmt: skip


def _beside(draw: random.Random) -> str:
    """The only slow task is not on the chain: the last one did not need it."""
    a, b, c, d = names(draw, 4)
    return trace_of([
        _step(draw, a, 0.0, 3.0), _step(draw, b, 3.0, 3.0, a), _step(draw, c, 6.0, 3.0, b),
        _step(draw, d, 0.0, float(draw.randrange(6, 9))),
    ])  # fmt: skip


def _slow_chain(draw: random.Random) -> str:
    """Both tasks of the chain are slow beside the many short ones, the second one more so."""
    return _chained(draw, *sorted(draw.sample((6.0, 7.0, 8.0, 9.0), 2)))


def _slow_first(draw: random.Random) -> str:
    """Both tasks of the chain are slow, the first one more so."""
    return _chained(draw, *sorted(draw.sample((6.0, 7.0, 8.0, 9.0), 2), reverse=True))


def _chained(draw: random.Random, first: float, second: float) -> str:
    a, b, *others = names(draw, 6)
    short = [_step(draw, each, 0.0, 1.0) for each in others]
    return trace_of([_step(draw, a, 0.0, first), _step(draw, b, first, second, a), *short])


def _beside_usual(draw: random.Random, seconds: float) -> str:
    """Six tasks, usual are 2.5 s between 2 and 3; the slowest is none that anybody waited for.

    The last of the chain takes so many seconds. One that was usual failed.
    """
    a, b, c, d, e, f = names(draw, 6)
    failed = (draw.choice(_WORKERS), f"Find out about {d}", draw.choice(_ERRORS), 3.0)
    return trace_of([
        _step(draw, a, 0.0, 2.0), _step(draw, b, 2.0, 2.0, a), _step(draw, e, 4.0, seconds, b),
        _step(draw, c, 0.0, 2.0), Step(id=d, start=0.0, tries=(failed,)), _step(draw, f, 0.0, 7.0),
    ])  # fmt: skip


def _above_usual(draw: random.Random) -> str:
    """Slow beside what is usual, though not beside the mean or the slower half."""
    return _beside_usual(draw, draw.choice((4.0, 4.25)))


def _near_usual(draw: random.Random) -> str:
    """Not slow beside what is usual, though beside the quicker half, and those that are done."""
    return _beside_usual(draw, draw.choice((3.25, 3.5)))


def _by_tries(draw: random.Random) -> str:
    """A task is slow because it took three tries, put differently each time: none is wasted."""
    a, b, c, d = names(draw, 4)
    worker, error = draw.choice(_WORKERS), draw.choice(_ERRORS)
    tries = (
        (worker, "Find the cost", error, 3.0),
        (worker, "Find the cost in 2025", error, 3.0),
        (worker, "Find the cost in 2026", "", 3.0),
    )
    many = Step(id=a, start=0.0, tries=tries, result="It is there.")
    return trace_of([many, _step(draw, b, 9.0, 2.0, a), _step(draw, c, 0.0, 2.0),
                     _step(draw, d, 0.0, 3.0)])  # fmt: skip


def _wasted(draw: random.Random) -> str:
    """The same try three times, of which two were for nothing; then it is given up."""
    a, b = names(draw, 2)
    same = (draw.choice(_WORKERS), "Find the cost", draw.choice(_ERRORS), 2.0)
    given_up = Step(id=a, start=0.0, tries=(same,) * 3, result="I cannot.")
    return trace_of([given_up, _step(draw, b, 0.0, 6.0)])


def _not_wasted(draw: random.Random) -> str:
    """Another worker, another error, or another task: each of these might have helped."""
    a, b = names(draw, 2)
    one, other = draw.sample(_WORKERS, 2)
    error, later = draw.sample(_ERRORS, 2)
    tries = (
        (one, "Find the cost", error, 1.0),
        (one, "Find the cost", later, 1.0),
        (other, "Find the cost", error, 1.0),
        (other, "Find the cost", "", 1.0),
    )
    alike = (one, "Find the cost", error, 2.0), (other, "Find it", "", 2.0)
    return trace_of([
        Step(id=a, start=0.0, tries=tries, result="It is there."),
        Step(id=b, start=0.0, tries=alike, result="It is here."),
    ])  # fmt: skip


def _apart(draw: random.Random) -> str:
    """The same try again, with another one in between."""
    a, b = names(draw, 2)
    worker, error = draw.choice(_WORKERS), draw.choice(_ERRORS)
    same, between = (worker, "Find it", error, 1.0), (worker, "Find the log", error, 1.0)
    tries = (same, between, same, (worker, "Find the log of 2025", "", 1.0))
    return trace_of([Step(id=a, start=0.0, tries=tries, result="Well."),
                     _step(draw, b, 0.0, 4.0)])  # fmt: skip


def _prices(draw: random.Random) -> tuple[str, str, str, list[Step]]:
    a, b, c = names(draw, 3)
    one, other = (f"{each} EUR" for each in draw.sample(range(120, 980, 40), 2))
    steps = [
        _step(draw, a, 0.0, 2.0, says=f"The fare of the boat is {one}."),
        _step(draw, b, 0.0, 2.0, says=f"Fare of the boat: {other}."),
        _step(draw, c, 2.0, 2.0, a, b),
    ]
    return one, other, c, steps


def _hidden(draw: random.Random) -> str:
    """The answer takes one of two figures."""
    one, other, _, steps = _prices(draw)
    return trace_of(steps, f"The fare is {draw.choice((one, other))}.")


def _hidden_twice(draw: random.Random) -> str:
    """Two results contradict each other twice, and the answer speaks of neither."""
    a, b = names(draw, 2)
    one, other, third, last = (f"{each} EUR" for each in draw.sample(range(120, 980, 40), 4))
    return trace_of([
        _step(draw, a, 0.0, 2.0, says=f"The fare is {one}. The cost of the boat is {other}."),
        _step(draw, b, 0.0, 2.0, says=f"The cost of the boat: {third}. The fare is {last}."),
    ])  # fmt: skip


def _stated(draw: random.Random) -> str:
    """The answer gives both."""
    one, other, _, steps = _prices(draw)
    return trace_of(steps, f"Keep the boat. The fare is {one} or {other}.")


def _unanswered(draw: random.Random) -> str:
    """Nobody made an answer, so nobody stated it."""
    return trace_of(_prices(draw)[3], None)


def _of_a_failure(draw: random.Random) -> str:
    """The other figure is what a failed task said last: that is no result."""
    one, _, last, steps = _prices(draw)
    worker, words, _, seconds = steps[1].tries[0]
    failed = Step(id=steps[1].id, start=0.0, result=steps[1].result,
                  tries=((worker, words, "it was cut off", seconds),))  # fmt: skip
    return trace_of([steps[0], failed, steps[2]], f"The fare is {one}. [{last}]")


def _nothing(draw: random.Random) -> str:
    """A run without any task."""
    return trace_of([])


def _all(draw: random.Random) -> str:
    """One of each kind."""
    a, b, c, d = names(draw, 4)
    same = (draw.choice(_WORKERS), "Weigh the boat", draw.choice(_ERRORS), 1.0)
    took = float(draw.randrange(7, 12))
    return trace_of([
        _step(draw, a, 0.0, 2.0, says="The crew is 4 people."),
        _step(draw, b, 0.0, took, says="The crew: 6 people."),
        Step(id=c, start=0.0, tries=(same, same), result="I cannot."),
        _step(draw, d, took, 2.0, b),
    ], "There are 4 people.")  # fmt: skip


Case = Callable[[random.Random], str]
CASES: dict[Case, int] = {
    _slow: 1, _slow_chain: 1, _slow_first: 1, _above_usual: 1, _near_usual: 0, _even: 0, _beside: 0,
    _by_tries: 1, _wasted: 2, _not_wasted: 0, _apart: 1, _hidden: 1, _hidden_twice: 2, _stated: 0,
    _unanswered: 1, _of_a_failure: 0,
    _nothing: 0, _all: 3,
}  # fmt: skip
"""The cases, with the number of findings in each."""


_found = compared(
    lambda text: sorted([each.kind, *each.tasks] for each in diagnose(Trace.from_json(text)))
)


DIAGNOSE = Exercise(
    "9.6", ("diagnose",), (
        Trial("finds the task that held the run up", _STAGE,
              cases(_slow, _slow_chain, _slow_first, _by_tries, _beside, _above_usual,
                    _near_usual),
              _found("the decisive tasks: the slowest of all may have held nobody up")),
        Trial("finds each try that could not help", _STAGE, cases(_wasted, _not_wasted, _apart),
              _found("what has to be the same: worker, words and error, in one task")),
        Trial("finds what the answer keeps to itself", _STAGE,
              cases(_hidden, _hidden_twice, _unanswered, _of_a_failure),
              _found("the results of tasks that are done, and the answer")),
        Trial("accuses nobody in a good run, and finds everything in a bad one", _STAGE,
              cases(_even, _stated, _nothing, _all),
              _found("a run in which all is well, and one without tasks")),
    ),
    builds_on={
        "Finding": "course.observability.diagnosis:Finding",
        "task_runs": "course.observability.plan_runs:task_runs",
        "decisive": "course.observability.plan_runs:decisive",
        "answer_in": "course.observability.plan_runs:answer_in",
        "contradictions": "course.contradictions:contradictions",
    },
    places={
        "*": "the findings in the {} trace",
        "*.*": "the {1} finding in the {0} trace",
        "*.*.0": "the kind of the {1} finding in the {0} trace",
        "*.*.1": "the task of the {1} finding in the {0} trace",
    },
    finished={
        name: f"course.observability.diagnosis:{name}"
        for name in ("straggler", "wasted", "unstated", "diagnose")
    },
)  # fmt: skip
