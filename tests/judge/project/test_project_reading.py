"""The scripted model knows what it is asked by content alone, in whatever prompt."""

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from course.models.wire import ChatRequest, ToolSpec
from graders.exercises.ch11.errands import Job
from graders.exercises.ch11.model import CANNOT, NOBODY, ProjectModel, flawed, found
from graders.exercises.ch11.plan_shapes import Faults
from graders.exercises.ch11.worlds import begun, world

MADE = world(Random(7), "patient case", own=True, faults=Faults(trapped=("a",)))
JOB: Job = MADE.job
ROSTER = {w.name: [t.name for t in w.tools] for w in MADE.script.setting.workers}
FIRST, SECOND = MADE.at("a"), MADE.at("b")
ERROR = f"{FIRST.refusal} (refusal abc123)"


def model() -> ProjectModel:
    return begun(MADE.script, ROSTER)


def asks(*said: str | dict[str, Any], tools: tuple[str, ...] = ()) -> ChatRequest:
    """A request with these messages; texts are a person's."""
    messages = [{"role": "user", "content": s} if isinstance(s, str) else s for s in said]
    return ChatRequest("small", tuple(messages), tuple(ToolSpec(name) for name in tools))


PLANS = (
    "Split this into tasks with their dependencies, as JSON.\n{request}\nPeople: {names}",
    "{request}\n\nWho can do what: {names}. Reply with {{tasks: [{{id, worker, depends_on}}]}}",
)
REWRITES = (
    "Rewrite the task so that it works.\nTask: {task}\nError: {error}",
    "The task was: {task}\nThe error was: {error}\nWrite the task anew, and only that.",
    "{task}\n\nThis was refused: {error}\n\nSay it so that it is not refused again.",
)
ANSWERS = (
    "Request: {request}\nResults:\n- {one}\n- {two}\nWrite one answer.",
    "Combine these into an answer to “{request}”:\n[t1] {one}\n[t2] failed: {error}",
    "{request}\n{one}\n{two}\nTask t3 failed: {task}, because {error}. Summarise, say what lacks.",
)


def filled(text: str) -> str:
    return text.format(
        request=JOB.text,
        names="; ".join(f"{name}: {', '.join(tools)}" for name, tools in ROSTER.items()),
        task=FIRST.description,
        error=ERROR,
        one=found(SECOND, "aaaaaa1"),
        two=found(MADE.at("e"), "bbbbbb2"),
    )


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *(("plan", each) for each in PLANS),
        *(("rewrite", each) for each in REWRITES),
        *(("answer", each) for each in ANSWERS),
    ],
)
def test_what_is_asked_for_is_known_in_any_wording(kind: str, text: str) -> None:
    reader = model()
    reader.errors[FIRST.ref] = [ERROR]
    assert reader.read(asks(filled(text))).kind == kind


def test_a_worker_is_known_by_its_tools_and_its_task() -> None:
    tools = tuple(ROSTER[MADE.script.setting.owners[FIRST.call.tool]])
    read = model().read(asks(f"Do this: {FIRST.description}", tools=tools))
    assert (read.kind, read.task) == ("work", FIRST)


def test_of_several_tasks_it_does_the_one_that_needs_the_others() -> None:
    last = MADE.at("d")
    tools = tuple(tool for names in ROSTER.values() for tool in names)
    told = f"{last.description}\nGiven: {found(MADE.at('b'), 'x1x1x1')}, {MADE.at('c').says}"
    assert model().read(asks(told, tools=tools)).task == last


def test_it_calls_as_it_was_told_and_refines_only_what_is_put_differently() -> None:
    reader = model()
    tools = tuple(ROSTER[MADE.script.setting.owners[FIRST.call.tool]])
    [naive] = reader.reply(asks(FIRST.description, tools=tools)).calls
    call = {"role": "tool", "content": ERROR, "tool_call_id": "1"}
    refused = reader.reply(asks(FIRST.description, call, tools=tools)).text
    [again] = reader.reply(asks(FIRST.description, tools=tools)).calls
    put = reader.reply(asks(filled(REWRITES[0]))).text
    [refined] = reader.reply(asks(str(put), tools=tools)).calls
    assert refused == f"{CANNOT} {FIRST.call.tool}: {ERROR}"
    assert again.arguments == naive.arguments != refined.arguments
    assert FIRST.ref in str(put)


def test_other_words_heed_the_error_that_the_request_tells_of_and_no_other() -> None:
    reader, later = model(), "release c0ffee77 has to be named in the task for this"
    reader.errors[FIRST.ref] = [ERROR, later]
    last, first, none = (
        str(reader.reply(asks(f"It failed, rewrite it: {FIRST.description}. {said}")).text)
        for said in (f"Error: {later}", f"Error: {ERROR}", "Do better.")
    )
    assert "c0ffee77" in last and ERROR not in last
    assert "c0ffee77" not in first and ERROR in first
    assert "c0ffee77" not in none and ERROR not in none and FIRST.ref in none


def test_a_result_is_told_with_its_code_and_what_is_missing_is_named() -> None:
    reader = model()
    reader.errors[FIRST.ref] = [ERROR]
    said = reader.answer(reader.read(asks(filled(ANSWERS[2]))), "c0de55")
    assert "c0de55" in said
    assert f"Missing: {FIRST.description}" in said
    assert f"Missing: {SECOND.description}" not in said
    assert all(fact.name in said for fact in SECOND.facts)


@pytest.mark.parametrize(
    ("flaw", "heard", "deaf"),
    [
        ("worker", "the night porter is nobody here", "that is not valid"),
        ("need", "t77 is not a task", "a dependency is wrong"),
        ("cycle", "t1 and t5 wait for each other", "that is not valid"),
        ("text", "I cannot parse this as JSON", "that is not valid"),
    ],
)
def test_a_flaw_is_mended_once_it_is_told(flaw: str, heard: str, deaf: str) -> None:
    for complaint, mended in ((heard, True), (deaf, False)):
        reader = ProjectModel(JOB, ROSTER, flaws=(flaw,))
        first = str(reader.reply(asks(filled(PLANS[0]))).text)
        assert first == flawed(reader.tasks(), flaw)
        quoted = f"You said:\n{first}\n{complaint}"
        second = str(reader.reply(asks(filled(PLANS[0]), quoted)).text)
        assert (second == flawed(reader.tasks(), "")) is mended


def test_what_cannot_be_made_out_is_said_so() -> None:
    assert "cannot tell" in str(model().reply(asks("Good morning!")).text)


@pytest.mark.parametrize("wanted", [True, False])
def test_a_plan_has_the_field_for_tools_only_where_the_form_speaks_of_it(wanted: bool) -> None:
    fields = {"id": {"type": "string"}} | ({"tools": {"type": "array"}} if wanted else {})
    form = {"type": "object", "properties": {"tasks": {"items": {"properties": fields}}}}
    request = replace(asks(filled(PLANS[0])), schema=form)
    tasks = json.loads(model().reply(request).text or "")["tasks"]
    assert {"tools" in each for each in tasks} == {wanted}


def test_a_bad_plan_set_differently_is_no_word_about_what_is_wrong_with_it() -> None:
    odd = begun(replace(MADE.script, faults=Faults(flawed=("worker",))), ROSTER)
    first = odd.reply(asks(filled(PLANS[0]))).text or ""
    again = [
        asks(filled(PLANS[0]), first.replace(",", ",\n")),
        asks(filled(PLANS[0]), f"? {NOBODY}"),
    ]
    assert [NOBODY in (odd.reply(each).text or "") for each in again] == [True, False]
