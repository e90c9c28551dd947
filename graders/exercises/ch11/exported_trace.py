"""Requirement 6: a complete exported trace, and one that tells what was seen."""

from __future__ import annotations

from course.models.validators import Draft202012Validator, best_match
from course.trace import TRACE_SCHEMA
from graders.checks import trace_agrees
from graders.checks.intervals import later
from graders.exercises.ch11 import stages
from graders.exercises.ch11.observed_run import Seen
from graders.exercises.ch11.plan_adherence import kept_to
from graders.exercises.ch11.plan_shapes import Faults
from graders.exercises.ch11.retry_caps import unnamed
from graders.exercises.ch11.shared import ALL, DEFINITIONS, HIDDEN, trial
from graders.exercises.ch11.span_tree import SLACK, Tree
from graders.exercises.ch11.told_results import id_of
from graders.exercises.ch11.verdicts import Troubles, wrong
from graders.exercises.ch11.worlds import ProjectWorld
from graders.exercises.kit import *
from graders.records.wording import listed, seconds, shown

CODES = {
    "project.no_trace": "execute returns no trace",
    "project.trace_form": "the trace is not in the published form",
    "project.dispatch_missing": "a task that ran has no dispatch in the trace",
    "project.dispatch_other": "a request or a call is not below the dispatch of its task",
    "project.dispatch_times": "a dispatch does not last as long as its task",
    "project.dispatch_late": "a dispatch goes on after its task has ended",
    "project.dispatch_faked": "the trace tells of a task that never ran",
    "project.aggregate_missing": "the trace has no aggregation",
    "project.aggregate_other": "the request for the answer is not below the aggregation",
    "project.aggregate_around": "the aggregation is around the tasks too",
    "project.tries_untold": "the trace tells of other tries than were seen",
    "project.failure_hidden": "the trace hides that a task failed",
    "project.failure_claimed": "the trace says of a task with a result that it failed",
}

LATE = 3.0
"""Seconds that a dispatch may go on after its task's last reply, as for a pause."""
_VALIDATOR = Draft202012Validator(TRACE_SCHEMA)


def published(seen: Seen) -> Iterator[Verdict]:
    """The trace is there, in the published form."""
    if not seen.log.trace or seen.log.trace.get("unreadable") == "":
        yield wrong(
            "no_trace",
            expected="`trace`: the trace as JSON text",
            got=f"got {shown(seen.outcome.get('trace'))}",
            look="look at what execute returns",
            seen=seen,
        )
        return
    if set(seen.log.trace) == {"unreadable"}:  # the world's own words for text that is no JSON
        yield wrong(
            "trace_form",
            expected="`trace`: the trace as JSON text",
            got=f"but it is no JSON: {shown(seen.log.trace['unreadable'])}",
            look="look at how it is written",
            seen=seen,
        )
        return
    problem = best_match(_VALIDATOR.iter_errors(dict(seen.log.trace)))
    if problem is not None:
        where = ".".join(map(str, problem.absolute_path)) or "it"
        yield wrong(
            "trace_form",
            expected="a trace in the form of docs/trace.schema.json",
            got=f"but {where}: {problem.message}",
            look="look at how it is written",
            seen=seen,
        )


def agrees(seen: Seen) -> Iterator[Verdict]:
    """Each request and each call has its span, with its times, and no span is made up."""
    verdict = trace_agrees(slack=SLACK)(seen.log)
    if not verdict.passed:
        yield verdict


def agrees_after_plan(seen: Seen) -> Iterator[Verdict]:
    """The same for what came after the plan, which `execute` cannot have traced."""
    begin = min((e.number for done in seen.tasks.values() for e in done.exchanges), default=0)
    rest = tuple(each for each in seen.log.exchanges if each.number >= begin)
    yield from agrees(replace(seen, log=replace(seen.log, exchanges=rest)))


def dispatched(seen: Seen) -> Iterator[Verdict]:
    """Each task that ran has its dispatch, around all that was done for it."""
    tree = Tree.of(seen)
    for ref, done in seen.tasks.items():
        id = id_of(seen, ref)
        own = tree.dispatches(id)
        if not own:
            yield _told(
                seen, "dispatch_missing", f"a `dispatch` span for task {shown(id)}", "got none"
            )
            continue
        for exchange in (each for one in done.tries for each in one.exchanges):
            span = tree.of_exchange(exchange)
            if span is not None and tree.nearest(span) not in own:
                name = f"{exchange.kind} {exchange.name} at {seconds(exchange.start)}"
                yield _told(
                    seen,
                    "dispatch_other",
                    f"{name} below the dispatch of {shown(id)}, and of no other task",
                    "but it is not",
                )
                break
        begin, end = min(s.start for s in own), max(s.end for s in own)
        if later(begin, done.start) or later(done.end, end):
            got = f"but it says {seconds(begin)} to {seconds(end)}"
            took = f"{seconds(done.start)} to {seconds(done.end)}"
            yield _told(seen, "dispatch_times", f"the dispatch of {shown(id)} around {took}", got)
    ran = {id_of(seen, ref) for ref in seen.tasks}
    strange = [each for each in tree.all_dispatches() if each not in ran]
    empty = [id for id in sorted(ran) if not all(map(tree.holds_work, tree.dispatches(id)))]
    if empty:
        got = f"but one of {listed(empty)} holds neither a request nor a call"
        yield _told(seen, "dispatch_faked", "a dispatch for what was done, and no others", got)
    if strange:
        got = f"but {listed(strange)} too"
        yield _told(seen, "dispatch_faked", "dispatches of what ran, and no others", got)


def aggregated(seen: Seen) -> Iterator[Verdict]:
    """The request for the answer stands below a span that says so."""
    tree = Tree.of(seen)
    own = {step.span_id for step in tree.steps if step.operation == "aggregate"}
    if not own:
        yield _told(seen, "aggregate_missing", "an `aggregate` span", "got none")
        return
    if any(own & tree.above(step) for step in tree.steps if step.operation == "dispatch"):
        expected = "`aggregate` around the making of the answer alone"
        yield _told(seen, "aggregate_around", expected, "but dispatches are in it too")
    for heard in seen.answers[-1:]:
        span = tree.of_exchange(heard.exchange)
        if span is not None and tree.above(span).isdisjoint(own):
            expected = "the request for the answer below `aggregate`"
            yield _told(seen, "aggregate_other", expected, "but it is not")


def ends_in_time(seen: Seen) -> Iterator[Verdict]:
    """A dispatch ends when its task does, so that the slowest can be told from the others."""
    tree = Tree.of(seen)
    for ref, done in seen.tasks.items():
        end = max((step.end for step in tree.dispatches(id_of(seen, ref))), default=0.0)
        if end > done.end + LATE:
            expected = f"the dispatch of {shown(id_of(seen, ref))} to end at {seconds(done.end)}"
            yield _told(seen, "dispatch_late", expected, f"but it says {seconds(end)}")


def tries_told(seen: Seen) -> Iterator[Verdict]:
    """The tries of each task are in the trace, and that a task failed."""
    tree = Tree.of(seen)
    for ref, done in seen.tasks.items():
        id = id_of(seen, ref)
        own = tree.dispatches(id)
        if len(done.tries) not in tree.told(own):
            yield from unnamed(seen)  # where a try has lost its name, nobody can count it
            tries = "1 try" if len(done.tries) == 1 else f"{len(done.tries)} tries"
            yield wrong(
                "tries_untold",
                expected=f"the trace to tell {tries} of task {shown(id)}",
                got=f"but it tells {max(tree.told(own))}",
                look="one `attempt` event a try, or `switchboard.task.attempts`, or one `dispatch`"
                " a try",
                seen=seen,
                meant=done.exchanges,
            )
        if not done.result and own and not own[-1].failed:
            expected = f"the dispatch of {shown(id)} with status error, as the task failed"
            yield _told(seen, "failure_hidden", expected, "but it says ok")
        if done.result and own and all(step.failed for step in own):
            expected = f"the dispatch of {shown(id)} with status ok, as the task has a result"
            yield _told(seen, "failure_claimed", expected, "but it says error")


def _told(seen: Seen, code: str, expected: str, got: str) -> Verdict:
    look = "look at which span is open when it happens"
    return wrong(code, expected=expected, got=got, look=look, seen=seen)


def _complete(world: ProjectWorld) -> list[Troubles]:
    return [published, agrees, dispatched, aggregated]


TRACED = Exercise(
    "11.6",
    DEFINITIONS,
    (
        trial("exports a trace that tells what was seen, in your domain", stages.WHOLE, 1.5,
              lambda world: [kept_to(world), published, agrees_after_plan], own=True),
        trial("with each task's dispatch around its work, and the answer's aggregation",
              stages.EXECUTE, 1.0, lambda world: [kept_to(world), *_complete(world)], given=True),
        trial("from which one can tell which task was slow", stages.EXECUTE, 0.5,
              lambda world: [kept_to(world), published, dispatched, ends_in_time], given=True,
              faults=Faults(slow=("e",))),
        trial("and with its tries, when a task is refused at first", stages.EXECUTE, 1.0,
              lambda world: [*_complete(world), tries_told], given=True,
              faults=Faults(trapped=("c",))),
        trial("hides nothing when a task fails for good", stages.EXECUTE, 1.0,
              lambda world: [*_complete(world), tries_told], given=True,
              faults=Faults(broken=("a",))),
    ),
    cells=ALL,
    choice="DOMAIN",
    hidden_seeds=HIDDEN,
)  # fmt: skip
