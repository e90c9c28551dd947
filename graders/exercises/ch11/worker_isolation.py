"""What a worker is told, offered and shown at work: its own, and nothing else."""

from __future__ import annotations

from graders.checks.text import content_words, folded, share, words
from graders.exercises.ch11.observed_run import Done, Heard, Seen, functions_of, workers_in
from graders.exercises.ch11.prompt_reader import RESULT
from graders.exercises.ch11.told_results import tells
from graders.exercises.ch11.verdicts import Troubles, wrong
from graders.exercises.ch11.worlds import ProjectWorld
from graders.exercises.kit import *
from graders.records.wording import shown

CODES = {
    "project.offered_other": "a worker's request offers other tools than its own",
    "project.prompt_unsent": "a worker's request does not hold its instructions",
    "project.prompt_shared": "a worker's request holds another worker's instructions too",
    "project.result_withheld": "a worker does not see a result that its task depends on",
    "project.sees_result": "a worker sees a result that its task does not depend on",
    "project.sees_task": "a worker sees another task",
    "project.sees_request": "a worker sees the whole request of the user",
    "project.sees_error": "a worker sees what went wrong with another task",
}

_ALL = 0.95  # share of the request's words that no task has, with which a worker sees all of it
SHORTEST = 4
"""Words of a prompt."""


def really(world: ProjectWorld, name: str, description: str) -> str:
    """Which of the domain's tools this is, by its name or by what is said of it; else its name."""
    tools = world.script.setting.tools
    if name in tools or not description:
        return name
    like = (each for each, tool in tools.items() if folded(tool.description) == folded(description))
    return next(like, name)


def as_planned(world: ProjectWorld) -> Troubles:
    """At work, each worker is told its own instructions alone, and offered its own tools."""

    def look(seen: Seen) -> Iterator[Verdict]:
        told = {str(each["name"]): each for each in workers_in(seen)}
        for ref, done, task in _tasks(seen):
            worker = told.get(str(task["worker"]), {})
            for heard in (each for one in done.tries for each in one.requests):
                yield from _tools_offered(world, seen, heard, worker)
                yield from _prompts_told(seen, heard, ref, worker)

    return look


def _tools_offered(
    world: ProjectWorld, seen: Seen, heard: Heard, worker: Mapping[str, Any]
) -> Iterator[Verdict]:
    own = set(worker.get("tools", ()))
    offered = {
        really(world, str(each.get("name")), str(each.get("description") or ""))
        for each in functions_of(heard.exchange)
    }
    domain = set(world.script.setting.tools) | own
    more, fewer = sorted((offered & domain) - own), sorted(own - offered)
    if more or fewer:
        yield wrong(
            "offered_other",
            expected=f"{shown(worker.get('name'))} to be offered its own tools, all of them",
            got=f"but it was offered {more[0]}" if more else f"but not {fewer[0]}",
            look="look at which tools a worker's request carries",
            seen=seen,
            meant=[heard.exchange],
        )


def _prompts_told(
    seen: Seen, heard: Heard, ref: str, worker: Mapping[str, Any]
) -> Iterator[Verdict]:
    own, there = folded(str(worker.get("instructions"))), folded(heard.text)
    whole = folded(f"{heard.text}\n{heard.beside}")
    if own not in there:
        yield wrong(
            "prompt_unsent",
            expected=f"the request for {ref} to hold its worker's instructions",
            got="but they are not in it",
            look="look at the messages that a worker's model gets",
            seen=seen,
            meant=[heard.exchange],
        )
    for other in workers_in(seen):
        prompt = folded(str(other["instructions"]))
        if len(words(prompt)) >= SHORTEST and prompt not in own and prompt in whole:
            yield wrong(
                "prompt_shared",
                expected=f"the request for {ref} to hold its own worker's instructions alone",
                got=f"but those of {shown(other['name'])} are in it too",
                look="look at the messages that a worker's model gets",
                seen=seen,
                meant=[heard.exchange],
            )


def apart(world: ProjectWorld) -> Troubles:
    """A worker sees its task and the results that this depends on, and nothing else."""

    def look(seen: Seen) -> Iterator[Verdict]:
        by_id = {str(task["id"]): ref for ref, task in seen.planned.items()}
        for ref, done, task in _tasks(seen):
            needs = {by_id.get(str(each), "") for each in task.get("dependencies", ())}
            tries = [one for one in done.tries if one not in done.needless]
            for heard in (each for one in tries for each in one.requests):
                yield from _sees(world, seen, heard, ref, needs)

    return look


def _sees(
    world: ProjectWorld, seen: Seen, heard: Heard, ref: str, needs: set[str]
) -> Iterator[Verdict]:
    """What one request lacks, or shows beside its task and the results that it needs."""
    shows, name = set(heard.reading.results), shown(seen.planned[ref]["id"])
    whole = f"{heard.text}\n{heard.beside}"
    own = [world.job.by_ref[each].says for each in {ref, *needs} if each in world.job.by_ref]
    given = [done.result for each in needs if (done := seen.tasks.get(each))]
    needed = folded("\n".join([*own, *given]))

    def told(text: str) -> bool:
        """Whether it stands in the request, and not because the task or a result says it."""
        said = folded(re.sub(r"\((ref|result) [^)]*\)", " ", text))
        return said not in needed and said in re.sub(r" +", " ", folded(whole))

    found = {each: done.result for each, done in seen.tasks.items() if done.result}
    strange = [each for each in seen.planned if each not in {ref, *needs}]
    for other in (each for each in needs if each in found):
        if other not in shows or not tells(heard.text, found[other]):
            what = f"{name} to be given {shown(seen.planned[other]['id'])}'s result, all of it"
            yield _unlike(seen, heard, "result_withheld", what)
    aside = {each for each, _ in RESULT.findall(heard.beside)}
    for other in strange:
        what = shown(seen.planned[other]["id"])
        if other in shows | aside or (other in found and told(found[other])):
            yield _unlike(seen, heard, "sees_result", f"{name} not to see {what}'s result")
        if other in seen.tasks and any(code in whole for code in _refusals(seen.tasks[other])):
            yield _unlike(seen, heard, "sees_error", f"{name} not to see what {what} failed of")
    for other in [each for each in world.job.by_ref if each not in {ref, *needs}]:
        says = world.job.by_ref[other].says
        if other in heard.reading.refs or (other in strange and told(says)):
            expected = f"{name} not to see another task (“{says[:40]}”)"
            yield _unlike(seen, heard, "sees_task", expected)
    asked = content_words(world.job.text) - set(words(needed))
    if share(asked, words(whole)) >= _ALL:
        yield _unlike(seen, heard, "sees_request", f"{name} not to see the user's whole request")


def _refusals(done: Done) -> list[str]:
    """The code words of the calls that were refused."""
    calls = (each for one in done.tries for each in one.calls)
    return [each.token for each in calls if each.outcome == "failed" and each.token]


def _unlike(seen: Seen, heard: Heard, code: str, expected: str) -> Verdict:
    got = "but its request does not hold it" if code == "result_withheld" else "but it does"
    return wrong(
        code,
        expected=expected,
        got=got,
        look="a worker sees its task and the results it depends on, nothing else",
        seen=seen,
        meant=[heard.exchange],
    )


def _tasks(seen: Seen) -> Iterator[tuple[str, Done, Mapping[str, Any]]]:
    for ref, task in seen.planned.items():
        if ref in seen.tasks:
            yield ref, seen.tasks[ref], task
