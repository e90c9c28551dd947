"""Requirement 5: one answer out of the results, also when some are missing."""

from __future__ import annotations

from collections.abc import Iterator

from graders.checks.saying import count, listed, shown
from graders.checks.text import content_words, folded, holds, share, words
from graders.judge.scenario import Exercise
from graders.judge.verdict import Verdict
from graders.project import stages
from graders.project.apartness import told_apart
from graders.project.failing import others_finish
from graders.project.keeping import kept_to
from graders.project.reading import RESULT
from graders.project.seen import Done, Heard, Seen
from graders.project.shapes import Faults
from graders.project.staging import ALL, DEFINITIONS, HIDDEN, trial
from graders.project.telling import id_of
from graders.project.verdicts import Troubles, wrong
from graders.project.worlds import ProjectWorld

CODES = {
    "project.no_answer": "there is no answer",
    "project.concatenation": "the results are pasted one after another",
    "project.answer_not_asked": "no request asks a model for the answer",
    "project.results_withheld": "the model does not see each result when it writes the answer",
    "project.answer_other": "what is returned is not what the model wrote last",
    "project.answer_early": "the answer is asked for while a worker is at work",
    "project.fact_lost": "something that the model wrote is not in the answer any more",
    "project.gap_unnamed": "the answer does not name a task that has no result",
    "project.gap_alike": "the answer says the same of what has a result and of what has none",
    "project.partial_lost": "no model writes the answer, and the results are lost",
}

_NAMED = 0.6  # share of a task's words that name it


def answer_of(seen: Seen) -> str:
    """The answer that `execute` returned; empty when it is no text."""
    said = seen.outcome.get("answer")
    return said if isinstance(said, str) else ""


def finished(seen: Seen) -> dict[str, Done]:
    """The tasks that brought a result."""
    return {ref: done for ref, done in seen.tasks.items() if done.result}


def unfinished(seen: Seen) -> list[str]:
    """The planned tasks without a result."""
    return [ref for ref in seen.planned if ref not in finished(seen)]


def there_is_one(seen: Seen) -> Iterator[Verdict]:
    """There is an answer."""
    if not answer_of(seen).strip():
        yield wrong(
            "no_answer",
            expected="`answer`: a text",
            got=f"got {shown(seen.outcome.get('answer'))}",
            look="look at what execute returns",
            seen=seen,
        )


def written(seen: Seen) -> Iterator[Verdict]:
    """A model wrote it from all the results, and it is what was returned."""
    said = answer_of(seen)
    pasted = [ref for ref, done in finished(seen).items() if _pasted(seen, done)]
    if len(pasted) > 1:
        yield wrong(
            "concatenation",
            expected="an answer that is made of the results",
            got=f"but {count(len(pasted), 'result')} of {len(finished(seen))} are pasted into it",
            look="let the model write one answer to the request",
            seen=seen,
        )
    if not seen.answers:
        yield wrong(
            "answer_not_asked",
            expected="a request that shows the results and asks for one answer",
            got=f"but none of {count(len(seen.log.requests()), 'request')} did",
            look="look at what the answer is made of",
            seen=seen,
        )
        return
    withheld = [ref for ref in finished(seen) if ref not in _gone_into(seen)]
    if withheld:
        yield wrong(
            "results_withheld",
            expected="the model to see each result when it writes the answer",
            got=f"but not that of {listed([id_of(seen, ref) for ref in withheld])}",
            look="look at what the request for the answer holds",
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


def _pasted(seen: Seen, done: Done) -> bool:
    """Whether a result stands in the answer as it is, without the model having written it so."""
    said, whole = folded(answer_of(seen)), folded(done.result)
    found = RESULT.search(done.result)
    own = folded(done.result[: done.result.rfind("(", 0, found.start())]) if found else ""
    wrote = folded("\n".join(heard.reply for heard in _kept(seen)))
    return whole in said or bool(own and own in said and own not in wrote)


def _kept(seen: Seen) -> list[Heard]:
    """The requests for an answer whose replies are in what was returned, the last one anyway."""
    said = folded(answer_of(seen))
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
    last = max((done.end for done in finished(seen).values()), default=0.0)
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
    said = folded(answer_of(seen))
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


def names_gaps(seen: Seen) -> Iterator[Verdict]:
    """Each task without a result is named in the answer as missing."""
    said = answer_of(seen)
    unnamed = [ref for ref in unfinished(seen) if not _named(seen, ref, said)]
    if unnamed:
        missing = listed([id_of(seen, ref) for ref in unfinished(seen)])
        yield wrong(
            "gap_unnamed",
            expected=f"the answer to name what has no result: {missing}",
            got=f"but it says nothing of {listed([id_of(seen, ref) for ref in unnamed])}",
            look="tell the model which tasks failed, or say it yourself",
            seen=seen,
        )


def tells_gaps_apart(seen: Seen) -> Iterator[Verdict]:
    """What the answer says of a task without a result, it does not say of those that have one."""
    alike = [ref for ref in unfinished(seen) if not _apart(seen, ref)]
    if alike:
        yield wrong(
            "gap_alike",
            expected=f"the answer to tell {id_of(seen, alike[0])}, which has no result, apart from"
            " what has one",
            got="but it says the same of all",
            look="look at which tasks you name as missing",
            seen=seen,
        )


def _apart(seen: Seen, ref: str) -> bool:
    said, there = answer_of(seen), list(finished(seen))
    described = [folded(str(seen.planned[r]["description"])) in folded(said) for r in there]
    return (
        told_apart(said, id_of(seen, ref), [id_of(seen, other) for other in there])
        or told_apart(said, ref, there)
        or (share(_about(seen, ref), words(said)) >= _NAMED and not all(described))
    )


def _named(seen: Seen, ref: str, said: str) -> bool:
    told = holds(said, str(seen.planned[ref]["id"])) or holds(said, ref)
    return told or share(_about(seen, ref), words(said)) >= _NAMED


def _about(seen: Seen, ref: str) -> set[str]:
    return content_words(str(seen.planned[ref]["description"])) - {ref.casefold()}


def lists_results(seen: Seen) -> Iterator[Verdict]:
    """Where no model writes the answer, it holds the results that there are."""
    said = folded(answer_of(seen))
    lost = [ref for ref, done in finished(seen).items() if not _has_code(said, done)]
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
        trial(
            "makes one answer of all results, in your domain",
            stages.WHOLE,
            1.5,
            _whole,
            own=True,
        ),
        trial(
            "does so for a plan that a person wrote, in another domain",
            stages.EXECUTE,
            1.0,
            _whole,
            given=True,
        ),
        trial(
            "says what is missing when a worker failed",
            stages.EXECUTE,
            1.5,
            lambda world: [others_finish(world), there_is_one, written, *_GAPS],
            given=True,
            faults=Faults(broken=("b",)),
        ),
        trial(
            "gives what there is when no model writes the answer",
            stages.EXECUTE,
            1.0,
            lambda world: [kept_to(world), there_is_one, lists_results],
            given=True,
            faults=Faults(silent=True),
        ),
    ),
    cells=ALL,
    choice="DOMAIN",
    hidden_seeds=HIDDEN,
)
