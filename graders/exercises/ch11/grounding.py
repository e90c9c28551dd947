"""The answer rests on what was asked and found: nothing in it comes from nowhere."""

from __future__ import annotations

from graders.checks.content import texts_of
from graders.checks.invention import unsent
from graders.checks.text import content_words, share, text_of, words
from graders.exercises.ch11.observed_run import Seen
from graders.exercises.ch11.told_results import id_of
from graders.exercises.ch11.verdicts import wrong
from graders.exercises.kit import *
from graders.records.wording import shown

CODES = {
    "project.request_withheld": "the model does not see the user's request when it answers",
    "project.figure_invented": "a figure is told that nobody has found",
}

TOLD = 0.9
"""Share of the request's own words that have to be there."""
_COUNTS = 100  # whole numbers up to this one number and count
_TIME = re.compile(r"\d+(?:[.,]\d+)?\s?(?:s|sec|secs|seconds?|ms|min|minutes?|h|hours?)\b")


def with_request(seen: Seen) -> Iterator[Verdict]:
    """A request for the answer holds what the user has asked."""
    if not seen.answers:
        return
    wanted = content_words(seen.answers[0].reading.job.text)
    if not any(share(wanted, words(heard.text)) >= TOLD for heard in seen.answers):
        yield wrong(
            "request_withheld",
            expected="the request for the answer to hold what the user has asked",
            got="but it is not in it",
            look="look at the prompt for the answer: what is the model to answer?",
            seen=seen,
            meant=[heard.exchange for heard in seen.answers],
        )


def adds_nothing(seen: Seen) -> Iterator[Verdict]:
    """Each figure in the answer and in the results was sent by a model or a tool.

    Times, counts, and what the errors of the tasks say, may be a project's own.
    """
    tasks = seen.outcome.get("tasks")
    own = [text_of(seen.told(id_of(seen, ref)).get("error")) for ref in seen.planned]
    there = "\n".join([*texts_of(seen.log), *own, *(id_of(seen, ref) for ref in seen.planned)])
    told = {"answer": seen.outcome.get("answer")}
    if isinstance(tasks, dict):
        told |= {f"tasks[{shown(id)}]": seen.told(id).get("result") for id in tasks}
    for where, said in told.items():
        strange = _figure(text_of(said), there)
        if strange:
            yield wrong(
                "figure_invented",
                expected=f"no figure in {where} but those that were found",
                got=f"but nobody sent {shown(strange)}",
                look="look at what your code adds to what the model wrote",
                seen=seen,
            )


def _figure(said: str, there: str) -> str:
    """The first figure that came from nowhere, or ""."""
    return unsent(_TIME.sub(" ", said.casefold()), there.casefold(), set(), _COUNTS)
