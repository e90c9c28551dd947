"""Requirement 5: one answer out of the results, also when some are missing."""

from __future__ import annotations

from graders.checks.text import folded
from graders.exercises.ch11 import stages
from graders.exercises.ch11.answer_gaps import names_gaps, tells_gaps_apart
from graders.exercises.ch11.failure_handling import others_finish
from graders.exercises.ch11.grounding import adds_nothing, with_request
from graders.exercises.ch11.observed_run import Done, Heard, Seen
from graders.exercises.ch11.plan_adherence import kept_to
from graders.exercises.ch11.plan_shapes import Faults
from graders.exercises.ch11.prompt_reader import RESULT
from graders.exercises.ch11.shared import ALL, DEFINITIONS, HIDDEN, trial
from graders.exercises.ch11.told_results import id_of, tells
from graders.exercises.ch11.verdicts import Troubles, wrong
from graders.exercises.ch11.worlds import ProjectWorld
from graders.exercises.kit import *
from graders.records.wording import count, listed, shown

CODES = {
    "project.no_answer": "there is no answer",
    "project.concatenation": "the results are pasted one after another",
    "project.answer_not_asked": "no request asks a model for the answer",
    "project.results_withheld": "the model does not see each result when it writes the answer",
    "project.answer_other": "what is returned is not what the model wrote last",
    "project.answer_on": "the answer is asked for again and again",
    "project.answer_early": "the answer is asked for while a worker is at work",
    "project.fact_lost": "something that the model wrote is not in the answer any more",
    "project.partial_lost": "no model writes the answer, and the results are lost",
}

_MOST_ASKED = 20  # parts of it, drafts and what a critic says among them


def there_is_one(seen: Seen) -> Iterator[Verdict]:
    """There is an answer."""
    if not seen.answer.strip():
        yield wrong(
            "no_answer",
            expected="`answer`: a text",
            got=f"got {shown(seen.outcome.get('answer'))}",
            look="look at what execute returns",
            seen=seen,
        )


def written(seen: Seen) -> Iterator[Verdict]:
    """A model wrote it from all the results, and it is what was returned."""
    said = seen.answer
    pasted = [ref for ref, done in seen.finished.items() if _pasted(seen, done)]
    if len(pasted) > 1:
        yield wrong(
            "concatenation",
            expected="an answer that is made of the results",
            got=f"but {count(len(pasted), 'result')} of {len(seen.finished)} are pasted into it",
            look="let the model write one answer to the request",
            seen=seen,
        )
    yield from asked_for(seen)
    if not seen.answers:
        return
    withheld = [ref for ref in seen.finished if ref not in _gone_into(seen) or _bare(seen, ref)]
    if withheld:
        yield wrong(
            "results_withheld",
            expected="the model to see each result when it writes the answer",
            got=f"but not that of {listed([id_of(seen, ref) for ref in withheld])}",
            look="look at what the request for the answer holds",
            seen=seen,
            meant=[heard.exchange for heard in seen.answers],
        )
    if len(seen.answers) > _MOST_ASKED:
        yield wrong(
            "answer_on",
            expected=f"at most {_MOST_ASKED} requests for the answer and its parts",
            got=f"but there were {len(seen.answers)}",
            look="what ends the loop around the answer?",
            seen=seen,
            meant=[heard.exchange for heard in seen.answers],
        )
    last = seen.answers[-1]
    if folded(last.exchange.token) not in folded(said):
        yield wrong(
            "answer_other",
            expected="the answer that the model wrote last, with its code word",
            got=f"got {shown(said, 60)}",
            look="look at what becomes of the model's reply",
            seen=seen,
            meant=[last.exchange],
        )


def asked_for(seen: Seen) -> Iterator[Verdict]:
    """A model is asked for the answer."""
    if not seen.answers:
        yield wrong(
            "answer_not_asked",
            expected="a request that shows the results and asks for one answer",
            got=f"but none of {count(len(seen.log.requests()), 'request')} did",
            look="look at what the answer is made of",
            seen=seen,
        )


def _pasted(seen: Seen, done: Done) -> bool:
    """Whether a result stands in the answer as it is, without the model having written it so."""
    said, whole = folded(seen.answer), folded(done.result)
    found = RESULT.search(done.result)
    own = folded(done.result[: done.result.rfind("(", 0, found.start())]) if found else ""
    wrote = folded("\n".join(heard.reply for heard in _kept(seen)))
    return whole in said or bool(own and own in said and own not in wrote)


def _bare(seen: Seen, ref: str) -> bool:
    """Whether no request shows more of a result than its code word."""
    return not any(tells(heard.text, seen.tasks[ref].result) for heard in seen.answers)


def _kept(seen: Seen) -> list[Heard]:
    """The requests for an answer whose replies are in what was returned, the last one anyway."""
    said = folded(seen.answer)
    return [h for h in seen.answers if h is seen.answers[-1] or folded(h.exchange.token) in said]


def _gone_into(seen: Seen) -> set[str]:
    """The results that the answer was written from, also by way of what was written before."""
    known: dict[str, set[str]] = {}
    for heard in seen.answers:
        shows = folded(heard.reading.text)
        before = [refs for token, refs in known.items() if token in shows]
        known[folded(heard.exchange.token)] = set(heard.reading.results).union(*before)
    return set[str]().union(*(known[folded(heard.exchange.token)] for heard in _kept(seen)))


def in_time(seen: Seen) -> Iterator[Verdict]:
    """It is asked for when all the results are there."""
    last = max((done.end for done in seen.finished.values()), default=0.0)
    if seen.answers and seen.answers[-1].exchange.start < last - 1e-6:
        yield wrong(
            "answer_early",
            expected="the answer to be asked for when all results are there",
            got="but a worker was still at work",
            look="look at what is awaited before it",
            seen=seen,
            meant=[seen.answers[-1].exchange],
        )


def states_all(seen: Seen) -> Iterator[Verdict]:
    """Nothing that the model wrote is lost on the way into what is returned."""
    said = folded(seen.answer)
    lines = [line.strip("-* ") for heard in _kept(seen) for line in heard.reply.splitlines()]
    lost = [line for line in lines if folded(line) not in said]
    if lost:
        yield wrong(
            "fact_lost",
            expected=f"the answer to hold what the model wrote, such as “{lost[0][:60]}”",
            got=f"but {count(len(lost), 'line')} of {len(lines)} are gone",
            look="look at what is cut off the answer",
            seen=seen,
            meant=[seen.answers[-1].exchange],
        )


def lists_results(seen: Seen) -> Iterator[Verdict]:
    """Where no model writes the answer, it holds the results that there are."""
    said = folded(seen.answer)
    lost = [ref for ref, done in seen.finished.items() if not _has_code(said, done)]
    if lost:
        yield wrong(
            "partial_lost",
            expected="the results that there are, as no model writes the answer",
            got=f"but that of {listed([id_of(seen, ref) for ref in lost])} is not in it",
            look="look at what execute returns when the last request fails",
            seen=seen,
        )


def _has_code(said: str, done: Done) -> bool:
    found = RESULT.search(done.result)
    return found is not None and folded(found.group()) in said


def _whole(world: ProjectWorld) -> list[Troubles]:
    return [kept_to(world), there_is_one, written, in_time, states_all]


_GAPS = (names_gaps, tells_gaps_apart)

SYNTHESIS = Exercise(
    "11.5",
    DEFINITIONS,
    (
        trial("makes one answer of all results, in your domain", stages.WHOLE, 1.25, _whole,
              own=True),
        trial("does so for a plan that a person wrote, in another domain", stages.EXECUTE, 1.0,
              _whole, given=True),
        trial("asks for it with what the user has asked", stages.EXECUTE, 0.5,
              lambda world: [kept_to(world), there_is_one, asked_for, with_request], given=True),
        trial("says what is missing when a worker failed", stages.EXECUTE, 1.0,
              lambda world: [others_finish(world), there_is_one, written, *_GAPS], given=True,
              faults=Faults(broken=("b",))),
        trial("adds no figure that nobody has found", stages.EXECUTE, 0.5,
              lambda world: [there_is_one, written, adds_nothing], given=True,
              faults=Faults(broken=("b",))),
        trial("gives what there is when no model writes the answer", stages.EXECUTE, 0.75,
              lambda world: [kept_to(world), there_is_one, lists_results], given=True,
              faults=Faults(silent=True)),
    ),
    cells=ALL,
    choice="DOMAIN",
    hidden_seeds=HIDDEN,
)  # fmt: skip
