"""Sixty wrong answers of the kind beginners write, each with what its message has to say.

Six for each of ten exercises over the chapters: the same few mistakes with Python, and slips of
thought. `docs/messages.md` shows what each is told; `python -m tests.grading.common` prints it.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from graders.child.cells import Cells
from graders.exercises import exercises_of
from graders.feedback import Finding, findings
from graders.judge.judge import judge_inside
from graders.records.scenario import Exercise
from tests.grading.judging import SEED, cells_of, names_of
from tests.notebooks import kit

PAGE = kit.ROOT / "docs/messages.md"


@dataclass(frozen=True)
class Common:
    """A wrong answer, and how one sees that its message names the right cause.

    Attributes:
        exercise: its number.
        name: what is wrong, in a few words.
        body: the solution cell; where it does not begin with a definition, the lines of one.
        code: of the first message.
        says: what stands in it.
    """

    exercise: str
    name: str
    body: str
    code: str
    says: str

    @property
    def source(self) -> str:
        """The whole solution cell."""
        return f"{FIRST_LINES[self.exercise]}\n{self.body}" if self.body[0] == " " else self.body


FIRST_LINES = {
    "0.2": "async def put_all_through(callers: list[str], put_through) -> list[str]:",
    "1.2": "async def answer_call(call, tools) -> dict:",
    "1.4": "async def loop(agent, context, *, client, on_text=None)"
    " -> tuple[Context, Usage, Stop | None]:",
    "2.1": "def shown(stage: Stage, state: BaseModel) -> str:",
    "3.3": "def groups(context: Context) -> Iterator[list[Message]]:",
    "4.5": "async def decide(question, approver, *, seconds: float) -> Decision:",
    "6.3": "def critical_path(plan: Plan, seconds=None) -> tuple[tuple[str, ...], float]:",
    "7.1": "async def concurrently(works) -> list:",
    "8.1": "async def insist(call, backoff, *, key):",
    "9.1": "def gaps(plan: Plan, results) -> tuple[Gap, ...]:",
}
_ANSWERED = """    name, arguments = call["function"]["name"], call["function"]["arguments"]
    named = by_name(tools)
"""
_LOOPED = """    usage, turns, begin = Usage(), 0, clock.now()
    while True:
        stop = reached(agent.limits, turns=turns, tokens=usage.total, seconds=clock.now() - begin)
        if stop:
            return context, usage, stop
        answer = await ask(agent, context, client=client, on_text=on_text)
        turns += 1
        usage += answer.usage
        context = context.add(answer.message)
        calls = answer.message.get("tool_calls")
        if not calls:
            return context, usage, cut_off(answer)
        context = context.add(*await answer_calls(calls, agent.tools))
"""
_TRIED = """    for made in range(backoff.tries):
        try:
            return await call(made)
        except Exception as error:
            if not is_transient(error) or made + 1 == backoff.tries:
                raise
            await asyncio.sleep(backoff.wait(made + 1, key=key, retry_after=retry_after(error)))
"""
_GAPS = """    found = []
    for task in plan.tasks:
        failure = results[task.id].failure
        if failure is not None and failure.cause != "dependency":
            touched = tuple(downstream(plan, task.id))
            found.append(Gap(task.id, task.description, str(failure), touched))
    return tuple(found)
"""

COMMON = (
    Common("0.2", "pass", "    pass", "code.empty", "`put_all_through` does nothing yet"),
    Common(
        "0.2",
        "def instead of async def",
        "def put_all_through(callers, put_through):\n"
        "    return [put_through(caller) for caller in callers]",
        "code.not_async",
        "write `async def put_all_through(...)`",
    ),
    Common(
        "0.2",
        "calls that nobody awaits",
        "    return [put_through(caller) for caller in callers]",
        "code.unawaited",
        "`put_all_through` returned put_through(...) that was never awaited",
    ),
    Common(
        "0.2",
        "a gathering that nobody awaits",
        "    return asyncio.gather(*[put_through(caller) for caller in callers])",
        "code.unawaited",
        "asyncio.gather(...)",
    ),
    Common(
        "0.2",
        "a gathering of a list",
        "    return await asyncio.gather([put_through(caller) for caller in callers])",
        "code.gather",
        "put a star in front",
    ),
    Common(
        "0.2",
        "one after the other",
        "    return [await put_through(caller) for caller in callers]",
        "parallel.one_at_a_time",
        "only one ran at a time",
    ),
    Common(
        "1.2",
        "only the text is returned",
        _ANSWERED + "    return await call_tool(named[name], arguments)",
        "value.kind",
        "the first message to be",
    ),
    Common(
        "1.2",
        "the tool is not awaited",
        _ANSWERED + "    content = call_tool(named[name], arguments)\n"
        "    return {'role': 'tool', 'tool_call_id': call['id'], 'content': content}",
        "code.unawaited",
        "call_tool(...)",
    ),
    Common(
        "1.2",
        "the message is printed",
        _ANSWERED + "    content = await call_tool(named[name], arguments)\n"
        "    print({'role': 'tool', 'tool_call_id': call['id'], 'content': content})",
        "code.prints",
        "`answer_call` prints",
    ),
    Common(
        "1.2",
        "a key read as an attribute",
        "    name = call.function['name']",
        "code.key",
        '`["function"]`',
    ),
    Common(
        "1.2",
        "an unknown tool is not expected",
        _ANSWERED + "    content = await call_tool(named[name], arguments)\n"
        "    return {'role': 'tool', 'tool_call_id': call['id'], 'content': content}",
        "raised.error",
        "KeyError",
    ),
    Common(
        "1.2",
        "another id",
        _ANSWERED + "    content = await call_tool(named[name], arguments)\n"
        "    return {'role': 'tool', 'tool_call_id': name, 'content': content}",
        "value.differs",
        "`tool_call_id` of the first message",
    ),
    Common(
        "1.4",
        "only the context is returned",
        _LOOPED.replace("return context, usage, cut_off(answer)", "return context"),
        "code.values",
        "`return context, usage, stop`",
    ),
    Common(
        "1.4",
        "the model is not awaited",
        _LOOPED.replace("await ask(", "ask("),
        "code.awaits_nothing",
        "in front of the call that made it",
    ),
    Common(
        "1.4",
        "a way without a return",
        _LOOPED.replace("return context, usage, cut_off(answer)", "break"),
        "code.none",
        "`loop` returned None",
    ),
    Common(
        "1.4",
        "the first line lost an argument",
        "async def loop(agent, context):\n" + _LOOPED,
        "code.arguments",
        "unexpected keyword argument 'client'",
    ),
    Common(
        "1.4",
        "a name with a typo",
        _LOOPED.replace("while True:", "while Ture:"),
        "code.name",
        "`Ture` is not defined",
    ),
    Common(
        "1.4",
        "the turns are never counted",
        _LOOPED.replace("        turns += 1\n", ""),
        "within.requests",
        "look at what ends the loop",
    ),
    Common("2.1", "dots", "    ...", "code.empty", "`shown` does nothing yet"),
    Common(
        "2.1",
        "a dictionary instead of its text",
        "    return {name: getattr(state, name) for name in stage.reads}",
        "value",
        "the first text",
    ),
    Common(
        "2.1",
        "async def instead of def",
        "async def shown(stage, state):\n    return state.model_dump_json()",
        "code.is_async",
        "write `def shown(...)`",
    ),
    Common(
        "2.1",
        "a typo in an attribute",
        "    return to_json({name: getattr(state, name) for name in stage.read}).decode()",
        "code.attribute",
        "did you mean `reads`?",
    ),
    Common(
        "2.1",
        "the text is printed",
        "    print(state.model_dump_json(include=set(stage.reads)))",
        "code.prints",
        "`shown` prints",
    ),
    Common(
        "2.1",
        "the whole state",
        "    return state.model_dump_json()",
        "value",
        "the first text",
    ),
    Common(
        "3.3",
        "return instead of yield, at the first message",
        "    for message in context.messages:\n        return [message]",
        "code.none",
        "`groups` returned None",
    ),
    Common("3.3", "nothing is given back", "    found = []", "code.nothing", "`groups` never"),
    Common(
        "3.3",
        "every message alone",
        "    for message in context.messages:\n        yield [message]",
        "value.length",
        "the groups of",
    ),
    Common(
        "3.3",
        "the last group is forgotten",
        "    group = []\n    for message in context.messages:\n"
        "        if message['role'] != 'tool' and group:\n            yield group\n"
        "            group = []\n        group.append(message)",
        "value.length",
        "the groups of the first conversation to have 5 items",
    ),
    Common(
        "3.3",
        "a message is read by attribute",
        "    for message in context.messages:\n        if message.role == 'user':\n"
        "            yield [message]",
        "code.key",
        '`["role"]`',
    ),
    Common(
        "3.3",
        "the context is read by key",
        "    for message in context['messages']:\n        yield [message]",
        "code.no_keys",
        "a Context has no keys",
    ),
    Common(
        "4.5",
        "def instead of async def",
        "def decide(question, approver, *, seconds):\n"
        "    return Decision(approved=approver(question))",
        "code.not_async",
        "`async def decide(...)`",
    ),
    Common(
        "4.5",
        "an asynchronous approver is not awaited",
        "    said = approver(question)\n"
        "    return said if isinstance(said, Decision) else Decision(approved=said)",
        "code.unawaited",
        "`decide` returned something that was never awaited",
    ),
    Common(
        "4.5",
        "True instead of a Decision",
        "    said = approver(question)\n    return said is True",
        "code.type",
        "`decide` returned a bool where its first line promises Decision",
    ),
    Common(
        "4.5",
        "a plain answer is awaited",
        "    return Decision(approved=await approver(question))",
        "code.awaits_value",
        "a bool was awaited",
    ),
    Common(
        "4.5",
        "no time limit",
        "    said = approver(question)\n    if inspect.isawaitable(said):\n"
        "        said = await said\n"
        "    return said if isinstance(said, Decision) else Decision(approved=said is True)",
        "stalled.forever",
        "waited for ever",
    ),
    Common(
        "4.5",
        "whatever is true is a yes",
        "    try:\n        async with asyncio.timeout(seconds):\n"
        "            said = approver(question)\n            if inspect.isawaitable(said):\n"
        "                said = await said\n    except TimeoutError:\n"
        "        return refusal(f'nobody decided within {seconds:g} s')\n"
        "    return said if isinstance(said, Decision) else Decision(approved=bool(said))",
        "value",
        "decision",
    ),
    Common(
        "6.3",
        "only the tasks",
        "    return tuple(task.id for task in plan.tasks)",
        "value",
        "the seconds of the first plan's path",
    ),
    Common(
        "6.3",
        "a generator",
        "    return (task.id for task in plan.tasks)",
        "code.generator",
        "`critical_path` returned a generator",
    ),
    Common("6.3", "None", "    return None", "code.empty", "`critical_path`"),
    Common(
        "6.3",
        "the first line lost an argument",
        "def critical_path(plan: Plan):\n    return (), 0.0",
        "code.arguments",
        "keep the first line of `critical_path`",
    ),
    Common(
        "6.3",
        "the tasks that take longest",
        "    longest = max(plan.tasks, key=lambda task: (seconds or {}).get(task.id, 1.0))\n"
        "    return (longest.id,), (seconds or {}).get(longest.id, 1.0)",
        "value",
        "the first plan's path",
    ),
    Common(
        "6.3",
        "the sum of all tasks",
        "    return tuple(t.id for t in plan.tasks), sum((seconds or {}).get(t.id, 1.0)"
        " for t in plan.tasks)",
        "value",
        "the first plan's path",
    ),
    Common("7.1", "pass", "    pass", "code.empty", "`concurrently` does nothing yet"),
    Common(
        "7.1",
        "a gathering",
        "    return await asyncio.gather(*works)",
        "value.length",
        "cancelled and waited for",
    ),
    Common(
        "7.1",
        "a gathering that nobody awaits",
        "    return asyncio.gather(*works)",
        "code.unawaited",
        "asyncio.gather(...)",
    ),
    Common(
        "7.1",
        "the tasks instead of their results",
        "    async with asyncio.TaskGroup() as group:\n"
        "        tasks = [group.create_task(work) for work in works]\n"
        "    return tasks",
        "code.finished",
        "`.result()`",
    ),
    Common(
        "7.1",
        "one after the other",
        "    return [await work for work in works]",
        "parallel.one_at_a_time",
        "only one ran at a time",
    ),
    Common(
        "7.1",
        "no return",
        "    async with asyncio.TaskGroup() as group:\n"
        "        tasks = [group.create_task(work) for work in works]",
        "code.nothing",
        "`concurrently` never returns",
    ),
    Common(
        "8.1",
        "the call is not awaited",
        _TRIED.replace("await call(made)", "call(made)"),
        "code.unawaited",
        "call(...)",
    ),
    Common(
        "8.1",
        "the result is not returned",
        _TRIED.replace("return await call(made)", "await call(made)"),
        "code.nothing",
        "`insist` never returns",
    ),
    Common(
        "8.1",
        "the wait is not awaited",
        _TRIED.replace("await asyncio.sleep(", "asyncio.sleep("),
        "retry.no_wait",
        "some time before the next try",
    ),
    Common(
        "8.1",
        "the calls are counted from one",
        _TRIED.replace("await call(made)", "await call(made + 1)"),
        "value.differs",
        "the number that `call` was given",
    ),
    Common(
        "8.1",
        "every error is met again",
        _TRIED.replace("not is_transient(error) or ", ""),
        "within.requests",
        "after which errors",
    ),
    Common(
        "8.1",
        "the wait does not grow",
        _TRIED.replace("backoff.wait(made + 1,", "backoff.wait(1,"),
        "value.differs",
        "wait",
    ),
    Common(
        "9.1",
        "a list of texts",
        _GAPS.replace("Gap(task.id, task.description, str(failure), touched)", "str(failure)"),
        "code.type",
        "`gaps` returned",
    ),
    Common(
        "9.1",
        "return inside the loop",
        _GAPS.replace("    return tuple(found)", "        return tuple(found)"),
        "value",
        "the gaps of the first plan",
    ),
    Common(
        "9.1",
        "None where there is nothing",
        _GAPS.replace("return tuple(found)", "return tuple(found) or None"),
        "code.none",
        "`gaps` returned None",
    ),
    Common(
        "9.1",
        "what was skipped is a gap, too",
        _GAPS.replace(' and failure.cause != "dependency"', ""),
        "value.length",
        "the gaps of the first plan",
    ),
    Common(
        "9.1",
        "only the next tasks",
        _GAPS.replace("tuple(downstream(plan, task.id))", "tuple(task.dependencies)"),
        "value",
        "`affects`",
    ),
    Common(
        "9.1",
        "a typo in an attribute",
        _GAPS.replace("task.description", "task.descripton"),
        "code.attribute",
        "did you mean `description`?",
    ),
)


def exercise_of(number: str) -> Exercise:
    """The exercise of this number."""
    chapter = number.partition(".")[0].zfill(2)
    return next(each for each in exercises_of(chapter) if each.number == number)


@cache
def _around(exercise: str) -> dict[str, object]:
    """The names of a solved chapter that an exercise needs."""
    number = exercise.partition(".")[0].zfill(2)
    chapter = next(path.stem for path in (kit.ROOT / "solutions").glob(f"{number}_*/*.ipynb"))
    return names_of(cells_of(chapter, exercise_of(exercise)))


@cache
def told(answer: Common) -> tuple[Finding, ...]:
    """What the notebook says to an answer."""
    exercise = exercise_of(answer.exercise)
    with contextlib.redirect_stdout(io.StringIO()):
        names = dict(_around(answer.exercise))
        Cells(names).run([{"name": exercise.grade_ids[0], "source": answer.source}])
        return findings(judge_inside(exercise, names, seed=SEED))


def page() -> Iterator[str]:
    """The table of answers and messages, line by line."""
    yield "# What common wrong answers are told\n"
    yield (
        f"{len(COMMON)} answers of the kind beginners write, six for each of ten exercises, and the"
        " first thing that each is told in the notebook; feedback on what was handed in says the"
        " same. This page is printed by `python -m tests.grading.common`.\n"
    )
    yield "| exercise | what is wrong | message |\n|---|---|---|"
    for each in COMMON:
        message = told(each)[0].message.replace("|", "\\|").replace("<", "&lt;")
        yield f"| {each.exercise} | {each.name} | {message} |"


if __name__ == "__main__":
    PAGE.write_text("\n".join(page()) + "\n", encoding="utf-8")
    print(f"wrote {PAGE.relative_to(kit.ROOT)}")
