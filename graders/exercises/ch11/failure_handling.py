"""Requirement 4: a failed task is put differently by its error, thrice at most; others go on."""

from __future__ import annotations

from difflib import SequenceMatcher

from graders.checks.text import content_words, share, text_of, words
from graders.exercises.ch11 import stages
from graders.exercises.ch11.hang_limits import stops_asking, stops_waiting
from graders.exercises.ch11.observed_run import Done, Seen, Try, workers_in
from graders.exercises.ch11.plan_adherence import kept_to, never_begun
from graders.exercises.ch11.plan_shapes import PLACES, Faults
from graders.exercises.ch11.prompt_reader import REFERENCE
from graders.exercises.ch11.retry_caps import MOST_TRIES, breaks_off, gave_up, never_more, unnamed
from graders.exercises.ch11.shared import ALL, DEFINITIONS, HIDDEN, trial
from graders.exercises.ch11.told_results import CARRIED, id_of, told_truly
from graders.exercises.ch11.verdicts import Troubles, wrong
from graders.exercises.ch11.worlds import ProjectWorld
from graders.exercises.kit import *
from graders.records.wording import shown

CODES = {
    "project.not_refined": "the tries of a task never say what its error asks for",
    "project.plain_repeat": "a failed task is sent again, word for word",
    "project.pasted": "a failed task is sent again with nothing but its error beside it",
    "project.no_error": "a failed task is changed, but not by its error",
    "project.no_task": "the error is sent, but the task is gone",
    "project.foreknown": "a worker is told what a tool refuses before it has refused",
    "project.sibling_lost": "a task is lost that builds on nothing that failed",
}

_TELLING = 3  # words of a refusal, below which anybody may have them by chance
_QUOTED = 5  # words of an error that stand together where it is quoted
_FOREKNOWN = 0.8  # share of a refusal's words with which a request holds it


def refined(world: ProjectWorld) -> Troubles:
    """A task that was refused is sent again, changed by its error, and is done then."""

    def look(seen: Seen) -> Iterator[Verdict]:
        yield from unnamed(seen)
        for place in world.script.faults.trapped:
            done = seen.tasks.get(world.at(place).ref)
            if done is None:
                yield never_begun(seen, world.at(place).ref)
                continue
            yield from _foreknown(seen, done)
            yield from _changed_each_time(seen, done)
            if not done.result and len(done.tries) < MOST_TRIES:
                yield gave_up(seen, done)
            if not done.result and not _handed_on(done):
                yield wrong(
                    "not_refined",
                    expected=f"task {shown(id_of(seen, done.errand.ref))} to work once it is put"
                    " as its error asks",
                    got=f"but all {len(done.tries)} tries were refused",
                    look="look at what the second try says",
                    seen=seen,
                    meant=done.exchanges,
                )

    return look


def _handed_on(done: Done) -> bool:
    """Whether the last try was another worker's, who does not have the tool."""
    last, tool = done.tries[-1].requests[0], done.errand.call.tool
    return len(done.tries) == MOST_TRIES and tool not in last.reading.offered


def _foreknown(seen: Seen, done: Done) -> Iterator[Verdict]:
    """A first request that holds its refusal, and not because of the task, a result or a tool."""
    asked, error = done.tries[0].requests[0], done.tries[0].error
    own = [str(seen.planned.get(done.errand.ref, {}).get("description", done.errand.says))]
    own += [str(each["instructions"]) for each in workers_in(seen)]
    own += [each.result for each in seen.tasks.values()]
    own += [text_of(asked.exchange.request.get("tools"))]
    learnt = {each for each in content_words(error) if not each.isdigit()}
    learnt -= set(words("\n".join(own))) | {exchange.token for exchange in done.exchanges}
    if len(learnt) >= _TELLING and share(learnt, words(asked.text)) > _FOREKNOWN:
        yield wrong(
            "foreknown",
            expected=f"task {shown(id_of(seen, done.errand.ref))} to be told of a refusal"
            " once there is one",
            got=f"but its first request has it all (“{error[:40]}…”)",
            look="a worker sees its task and the results it depends on, nothing else",
            seen=seen,
            meant=[asked.exchange],
        )


def _changed_each_time(seen: Seen, done: Done) -> Iterator[Verdict]:
    for before, after in zip(done.tries, done.tries[1:], strict=False):
        if before.result:
            return
        said = _unchanged(seen, done, before, after)
        if said:
            code, got, look = said
            yield wrong(
                code,
                expected=f"task {shown(id_of(seen, done.errand.ref))} to be sent again, changed by"
                f" its error (“{before.error[:40]}…”)",
                got=got,
                look=look,
                seen=seen,
                meant=after.exchanges,
            )


def _unchanged(seen: Seen, done: Done, before: Try, after: Try) -> tuple[str, str, str] | None:
    """What is wrong with a try that follows a failed one: code, what was got, a hint."""
    sent, now = before.requests[0].text, after.requests[0].text
    if words(sent) == words(now):
        return "plain_repeat", "but it was sent word for word", "look at how the new task is made"
    errors = [each.error for each in done.tries[: done.tries.index(after)]]
    if not _new_words(now, errors) - _new_words(done.tries[0].requests[0].text, errors):
        return (
            "pasted",
            "but it was the same words with the error beside them",
            "the task itself has to change: say what to do about the error",
        )
    error = content_words(before.error) - content_words(done.errand.says)
    if share(error - set(words(sent)) or error, words(now)) < CARRIED:
        return "no_error", "but the error is not in it", "is the error handed on?"
    own = content_words(done.errand.says) - content_words(before.error)
    for worker in workers_in(seen):  # what holds for every task says nothing of this one
        now = now.replace(str(worker.get("instructions")), " ")
    if share(own, words(now)) < CARRIED or done.errand.ref not in REFERENCE.findall(now):
        return "no_task", "but the task itself is gone", "keep the task and add what went wrong"
    return None


def _new_words(text: str, errors: Sequence[str]) -> set[str]:
    """What a request says beside these errors, however they are quoted in it."""
    left = words(text)
    for error in errors:
        while len(quoted := _longest(left, words(error))) >= _QUOTED:
            del left[quoted.start : quoted.stop]
    return {each for each in content_words(" ".join(left)) if len(each) > 1}


def _longest(said: Sequence[str], piece: Sequence[str]) -> range:
    """Where the most words of a piece stand together in what was said."""
    found = SequenceMatcher(None, said, piece, autojunk=False).find_longest_match()
    return range(found.a, found.a + found.size)


def others_finish(world: ProjectWorld) -> Troubles:
    """What does not build on a failed task is done all the same."""

    def look(seen: Seen) -> Iterator[Verdict]:
        failed = world.script.refs(world.script.faults.lasting)
        for place in PLACES:
            errand = world.at(place)
            if errand.ref in failed | _downstream(world, failed):
                continue
            done = seen.tasks.get(errand.ref)
            if done is None or not done.result:
                got = "but it was never begun" if done is None else f"but its end was: {done.error}"
                yield wrong(
                    "sibling_lost",
                    expected=f"task {shown(id_of(seen, errand.ref))}, which builds on nothing that"
                    " failed, to be done",
                    got=got,
                    look="look at what one failure does to the others",
                    seen=seen,
                )

    return look


def _downstream(world: ProjectWorld, failed: set[str]) -> set[str]:
    """What waits, directly or not, for one of these."""
    found: set[str] = set()
    for place in PLACES:  # in an order in which none comes before what it needs
        errand = world.at(place)
        if not (failed | found).isdisjoint(errand.needs):
            found.add(errand.ref)
    return found


def _partial(world: ProjectWorld) -> Sequence[Troubles]:
    return [never_more, others_finish(world), told_truly]


FAILURES = Exercise(
    "11.4",
    DEFINITIONS,
    (
        trial("puts a task that was refused differently, by its error, in your domain",
              stages.WHOLE, 1.0, lambda world: [refined(world), kept_to(world)], own=True,
              faults=Faults(trapped=("a", "e"))),
        trial("does so in another domain, and counts the tries", stages.EXECUTE, 0.75,
              lambda world: [refined(world), kept_to(world), told_truly], given=True,
              faults=Faults(trapped=("b",))),
        trial("heeds each error anew, when a task is refused twice", stages.EXECUTE, 0.5,
              lambda world: [refined(world)], given=True,
              faults=Faults(trapped=("e",), stern=("e",))),
        trial("tries what cannot work three times and no more", stages.EXECUTE, 0.75,
              lambda world: [breaks_off(world), never_more], given=True,
              faults=Faults(broken=("e",))),
        trial("finishes what does not build on a failed task, and tells what came of each",
              stages.EXECUTE, 0.75, _partial, given=True,
              faults=Faults(broken=("b",), slow=("a",))),
        trial("lives with a model that fails: once on the way, and for one task for good",
              stages.EXECUTE, 0.5, _partial, given=True, faults=Faults(dead=("b",), shaky=("e",))),
        trial("gives up a model that stays busy", stages.EXECUTE, 0.25,
              lambda world: [stops_asking(world), others_finish(world)], given=True,
              faults=Faults(busy=("e",))),
        trial("gives up a call that never comes back, and finishes the rest", stages.EXECUTE, 0.5,
              lambda world: [stops_waiting(world), others_finish(world)], given=True,
              faults=Faults(hung=("b",))),
    ),
    cells=ALL,
    choice="DOMAIN",
    hidden_seeds=HIDDEN,
)  # fmt: skip
