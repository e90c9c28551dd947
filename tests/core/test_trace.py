"""Traces: what is recorded, the file it becomes, every damage to that file, the views."""

import asyncio
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import clock
from course.errors import FileFormatError
from course.observability.views import gantt, tree, walk
from course.trace import CAPTURE_VARIABLE, TRACE_SCHEMA, Span, Trace, current, span

PUBLISHED = Path(__file__).parents[2] / "docs" / "trace.schema.json"
WORD = st.text("abcXYZ _.-äé✗", max_size=10)
NAME = st.text("abcXYZ_.-äé", min_size=1, max_size=8)
TEXT = st.text(max_size=12)
ODD = st.floats() | st.lists(st.integers(), max_size=2) | st.dictionaries(NAME, TEXT, max_size=2)
VALUE = TEXT | st.booleans() | st.integers(-(10**12), 10**12) | ODD | st.none()
ATTRIBUTES = st.dictionaries(NAME, VALUE, max_size=3)


@st.composite
def steps(draw: st.DrawFn, depth: int = 3) -> dict[str, Any]:
    """One step of a run and the steps inside it, one after another or at the same time."""
    return {
        "operation": draw(st.sampled_from(["chat", "execute_tool", "invoke_agent", "plan", ""])),
        "name": draw(WORD),
        "attributes": draw(ATTRIBUTES),
        "before": draw(st.integers(0, 3000)) / 1000,
        "event": draw(st.none() | ATTRIBUTES),
        "fails": draw(st.none() | TEXT),
        "at_once": draw(st.booleans()),
        "inside": draw(st.lists(steps(depth - 1), max_size=3)) if depth else [],
    }


async def perform(step: dict[str, Any]) -> None:
    with span(step["operation"], step["name"], step["attributes"]) as recording:
        await asyncio.sleep(step["before"])
        if step["event"] is not None:
            recording.event("noted", step["event"])
        if step["at_once"]:
            await asyncio.gather(*(perform(inner) for inner in step["inside"]))
        else:
            for inner in step["inside"]:
                await perform(inner)
        if step["fails"] is not None:
            recording.fail(step["fails"])


def recorded(what: list[dict[str, Any]], name: str = "run", seed: int = 0) -> Trace:
    trace = Trace(name, seed=seed)

    async def main() -> None:
        for step in what:
            await perform(step)

    with trace.record():
        clock.simulate(main())
    return trace


def example() -> Trace:
    """A small run with everything in it."""
    chat = {"operation": "chat", "name": "small", "attributes": {"gen_ai.usage.input_tokens": 12}}
    tool = {"operation": "execute_tool", "name": "find", "attributes": {}, "fails": "no such one"}
    rest = {"before": 1.5, "event": {"cause": "x"}, "fails": None, "at_once": False, "inside": []}
    inner = [{**rest, **chat}, {**rest, **tool}]
    outer = {"operation": "invoke_agent", "name": "desk", "attributes": {}, "inside": inner}
    return recorded([{**rest, **outer, "at_once": True}])


# recording


def test_a_span_has_its_times_attributes_events_and_place() -> None:
    outer, chat, tool = example().spans
    assert (outer.operation, outer.name, outer.parent_id) == ("invoke_agent", "desk", None)
    assert (outer.start, outer.end, outer.seconds) == (0, 3, 3)
    assert (chat.parent_id, chat.start, chat.end) == (outer.span_id, 1.5, 3)
    assert chat.attributes == {"gen_ai.usage.input_tokens": 12}
    assert [(e.name, e.time, dict(e.attributes)) for e in chat.events] == [
        ("noted", 3, {"cause": "x"})
    ]
    assert (tool.status, tool.error) == ("error", "no such one")


def test_outside_a_trace_a_span_does_nothing() -> None:
    assert current() is None
    with span("chat", "m") as step:
        step.set("a", 1)
        step.event("b")
        step.fail("c")


def test_an_exception_marks_the_span_and_goes_on() -> None:
    trace = Trace("run")
    with trace.record(), pytest.raises(KeyError), span("plan"):
        raise KeyError("nobody")
    [step] = trace.spans
    assert (step.status, step.error) == ("error", "'nobody'")
    assert step.attributes["error.type"] == "KeyError"


def parents(trace: Trace) -> dict[str, str]:
    names = {s.span_id: s.name for s in trace.spans}
    return {s.name: names[s.parent_id] for s in trace.spans if s.parent_id}


async def in_gather(work: Callable[[str], Any]) -> None:
    await asyncio.gather(*(work(name) for name in "abc"))


async def in_a_group(work: Callable[[str], Any]) -> None:
    async with asyncio.TaskGroup() as group:
        for name in "abc":
            group.create_task(work(name))


@pytest.mark.parametrize("spread", [in_gather, in_a_group])
def test_tasks_started_in_a_span_are_its_children_and_keep_their_own(
    spread: Callable[[Callable[[str], Any]], Any],
) -> None:
    trace = Trace("run")

    async def work(name: str) -> None:
        with span("invoke_agent", name):
            await asyncio.sleep({"a": 3, "b": 1, "c": 2}[name])
            with span("chat", f"{name}'s chat"):
                await asyncio.sleep(1)

    async def main() -> None:
        with span("plan", "all"):
            await spread(work)

    with trace.record():
        clock.simulate(main())
    assert parents(trace) == {
        **dict.fromkeys("abc", "all"),
        **{f"{name}'s chat": name for name in "abc"},
    }
    assert [s.name for s in trace.spans] == ["all", *"abc", "b's chat", "c's chat", "a's chat"]


def test_a_trace_within_another_is_apart_from_it() -> None:
    outer, inner = Trace("same name"), Trace("same name")
    with outer.record(), span("plan", "outer"):
        with inner.record(), span("chat", "inner"):
            assert current() is inner
        assert current() is outer
        with span("chat", "later"):
            pass
    assert parents(outer) == {"later": "outer"}
    assert parents(inner) == {}
    assert [s.parent_id for s in inner.spans] == [None]


def test_recording_into_the_same_trace_again_keeps_the_place() -> None:
    trace = Trace("run")
    with trace.record(), span("plan", "outer"), trace.record(), span("chat", "inner"):
        pass
    assert parents(trace) == {"inner": "outer"}


def test_a_trace_seen_in_mid_run_is_a_trace_of_what_is_finished() -> None:
    trace = Trace("run")
    with trace.record(), span("plan", "still open"):
        with span("chat", "finished"):
            pass
        seen = Trace.from_json(trace.to_json())
        assert [(s.name, s.parent_id) for s in seen.spans] == [("finished", None)]
        assert "finished" in tree(trace)
    assert parents(trace) == {"finished": "still open"}


def test_no_number_of_attributes_or_events_is_too_many() -> None:
    trace = Trace("run")
    with trace.record(), span("plan", attributes={f"a{i}": i for i in range(300)}) as step:
        for i in range(300):
            step.event("noted", {"i": i})
    [one] = trace.spans
    assert (len(one.attributes), len(one.events)) == (300, 300)


def test_a_value_that_is_no_plain_one_is_kept_as_json_text(caplog: Any) -> None:
    trace = Trace("run")
    with trace.record(), span("plan", attributes={"gone": None}) as step:
        step.set("list", [1, {"a": None}])  # type: ignore[arg-type]
        step.set("nan", math.nan)
        step.set("object", object)  # type: ignore[arg-type]
        step.set("none", None)
    attributes = dict(trace.spans[0].attributes)
    assert attributes.pop("object") == "\"<class 'object'>\""
    assert attributes == {"list": '[1,{"a":null}]', "nan": "nan"}
    assert caplog.records == []


def test_ids_depend_on_name_seed_and_run_alone() -> None:
    first, again = example(), example()
    assert first.to_json() == again.to_json()
    others = (first, Trace("other"), Trace("run", seed=1), Trace("run", run_id="again"))
    assert len({each.trace_id for each in others}) == 4
    assert len({s.span_id for s in first.spans}) == 3


def test_no_setting_of_the_environment_loses_a_span() -> None:
    program = (
        "from course.trace import Trace, span\n"
        "trace = Trace('run')\n"
        "with trace.record(), span('plan', 'x', {'a': 'long text', 'b': 1}): pass\n"
        "print(len(trace.spans), len(trace.spans[0].attributes), trace.spans[0].attributes['a'])"
    )
    environment = {
        "OTEL_SDK_DISABLED": "true",
        "OTEL_TRACES_SAMPLER": "always_off",
        "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "1",
        "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": "2",
        "PYTHONPATH": str(PUBLISHED.parents[1]),
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("1 2 long text\n", "")


def test_totals_add_up_an_attribute() -> None:
    assert example().total("gen_ai.usage.input_tokens") == 12
    assert example().total("gen_ai.usage.output_tokens") == 0


def test_a_step_that_sums_up_those_inside_it_is_not_counted_beside_them() -> None:
    trace = Trace("run")
    with trace.record(), span("invoke_agent", "chief", {"tokens": 9}):
        with span("chat", "", {"tokens": 2}):
            pass
        with span("delegate"), span("invoke_agent", "worker", {"tokens": 7}):
            with span("chat", "", {"tokens": 3}), span("wait"):
                pass
            with span("chat", "", {"tokens": 4}):
                pass
    with trace.record(), span("invoke_agent", "recorded elsewhere", {"tokens": 5}):
        pass
    assert trace.total("tokens") == 2 + 3 + 4 + 5
    assert Trace.from_json(trace.to_json()).total("tokens") == 14


# the file


def shape(trace: Trace) -> list[tuple[Any, ...]]:
    return [
        (s.operation, s.name, s.span_id, s.parent_id, s.start, s.end, s.status, s.error)
        for s in trace.spans
    ]


@given(st.lists(steps(), max_size=3), TEXT, st.integers(0, 99))
def test_a_trace_comes_back_from_json_as_it_went(
    what: list[dict[str, Any]], name: str, seed: int
) -> None:
    trace = recorded(what, name, seed)
    text = trace.to_json()
    again = Trace.from_json(text)
    assert again.to_json() == text
    assert shape(again) == shape(trace)
    assert [dict(s.attributes) for s in again.spans] == [dict(s.attributes) for s in trace.spans]
    assert (again.name, again.seed, again.trace_id) == (trace.name, trace.seed, trace.trace_id)
    jsonschema.validate(json.loads(text), TRACE_SCHEMA)


@given(st.lists(steps(), max_size=3))
def test_every_span_lies_within_its_parent(what: list[dict[str, Any]]) -> None:
    trace = recorded(what)
    by_id = {s.span_id: s for s in trace.spans}
    for each in trace.spans:
        if each.parent_id:
            outer = by_id[each.parent_id]
            assert outer.start <= each.start <= each.end <= outer.end
    assert [s.start for s in trace.spans] == sorted(s.start for s in trace.spans)


@pytest.mark.filterwarnings("error")
def test_text_that_no_encoding_holds_does_not_spoil_the_file(tmp_path: Path) -> None:
    trace = Trace("half a \ud800 pair")
    with trace.record(), span("plan", "x", {"a": "\udc80"}):
        pass
    assert Trace.load(trace.save(tmp_path / "trace.json")).spans[0].attributes["a"] == "?"


def test_a_file_is_saved_and_loaded(tmp_path: Path) -> None:
    path = example().save(tmp_path / "trace.json")
    assert path.read_text(encoding="utf-8") == example().to_json()
    assert Trace.load(path).to_json() == example().to_json()
    with pytest.raises(FileNotFoundError):
        Trace.load(tmp_path / "nowhere.json")


def test_more_can_be_recorded_into_a_loaded_trace() -> None:
    trace = Trace.from_json(example().to_json())
    with trace.record(), span("chat", "one more"):
        pass
    assert len({s.span_id for s in trace.spans}) == 4
    assert len(Trace.from_json(trace.to_json()).spans) == 4


def test_a_loaded_empty_trace_begins_when_it_is_first_recorded_into() -> None:
    trace = Trace.from_json(Trace("nothing yet").to_json())
    with trace.record(), span("chat", "m"):
        pass
    assert trace.spans[0].start == 0


def test_the_published_schema_is_the_one_that_files_follow() -> None:
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    assert published == TRACE_SCHEMA, "write TRACE_SCHEMA to docs/trace.schema.json again"
    jsonschema.Draft202012Validator.check_schema(published)


def test_a_saved_file_follows_the_published_schema(tmp_path: Path) -> None:
    saved = json.loads(example().save(tmp_path / "trace.json").read_text(encoding="utf-8"))
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    jsonschema.validate(saved, published)
    for key in ("format", "name", "trace_id", "spans"):
        broken = {k: v for k, v in saved.items() if k != key}
        if key in published["required"]:
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate(broken, published)


# damage


def damaged(**changes: Any) -> str:
    """The example's file with parts of its second span changed."""
    record = json.loads(example().to_json())
    record["spans"][1].update(changes)
    return json.dumps(record)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "line 1, column 1"),
        ("{", "line 1, column 2"),
        (example().to_json()[:300], r"line \d+, column \d+"),
        ("[]", "top level"),
        ("{}", "name: Field required"),
        ('{"version": "2"}', "version: "),
        (damaged(end="late"), r"spans\[1\]\.end: "),
        (damaged(end=-1), r"spans\[1\]\.end: ends before it starts"),
        (damaged(end=math.nan), r"spans\[1\]\.end: .*finite"),
        (damaged(span_id="xyz"), r"spans\[1\]\.span_id: "),
        (damaged(parent_id="0" * 16), r"spans\[1\]\.parent_id: no earlier span"),
        (damaged(parent_id=example().spans[1].span_id), r"spans\[1\]\.parent_id: no earlier span"),
        (damaged(parent_id=example().spans[2].span_id), r"spans\[1\]\.parent_id: no earlier span"),
        (damaged(span_id=example().spans[0].span_id), r"spans\[1\]\.span_id: an earlier span"),
        (damaged(status="fine"), r"spans\[1\]\.status: "),
        (damaged(colour="red"), r"spans\[1\]\.colour: Unexpected"),
        (damaged(attributes={"a": [1]}), r"spans\[1\]\.attributes\.a"),
        (damaged(events=[{"name": "x"}]), r"spans\[1\]\.events\[0\]\.time: "),
        ("[" * 100_000, "cannot be read: "),
        ("1" * 5_000, "cannot be read: "),
    ],
)
def test_a_damaged_file_is_refused_with_the_position(text: str, where: str) -> None:
    with pytest.raises(FileFormatError, match=f"^run.json: (not JSON at )?{where}") as caught:
        Trace.from_json(text, source="run.json")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("version", "way_out"),
    [(1, "Switchboard 0.4.0"), (3, "a newer Switchboard")],
)
def test_a_file_of_another_version_is_refused_with_the_way_out(version: int, way_out: str) -> None:
    """Even where nothing else of it would be understood."""
    with pytest.raises(FileFormatError) as caught:
        Trace.from_json(json.dumps({"version": version, "steps": []}), source="run.json")
    assert str(caught.value) == (
        f"run.json: a trace of version {version}, and this release reads version 2:"
        f" make the run again, or read the file with {way_out}"
    )


def test_a_file_that_is_no_text_is_refused_with_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(b'{"name": "\xff"}')
    with pytest.raises(FileFormatError, match="not text at byte 10"):
        Trace.load(path)


@st.composite
def corrupted(draw: st.DrawFn) -> str:
    """The example's text, cut, stuffed or with something else in some place."""
    text = example().to_json()
    start = draw(st.integers(0, len(text)))
    end = min(len(text), start + draw(st.integers(0, 40)))
    junk = draw(st.text(max_size=6) | st.sampled_from(["NaN", "1e999", "null", "[", '"', "-5"]))
    return text[:start] + junk + text[end:]


@given(corrupted())
def test_any_corruption_is_refused_or_is_a_sound_trace(text: str) -> None:
    try:
        trace = Trace.from_json(text)
    except FileFormatError:
        return
    assert Trace.from_json(trace.to_json()).to_json() == trace.to_json()
    assert tree(trace)
    assert gantt(trace)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["spans", "name", "seed"]), inner, max_size=3)
        ),
        max_leaves=6,
    )
)
def test_any_other_json_is_refused(value: Any) -> None:
    with pytest.raises(FileFormatError):
        Trace.from_json(json.dumps(value))


# views


def test_a_tree_shows_every_step_below_its_parent() -> None:
    assert tree(example()).splitlines() == [
        "run  (3.00 s)",
        "└─ invoke_agent desk  0.00–3.00 s",
        "   ├─ chat small  1.50–3.00 s  12 tokens in",
        "   └─ execute_tool find  1.50–3.00 s  ✗ no such one",
    ]


def test_bars_lie_where_the_steps_lie_in_time() -> None:
    assert gantt(example(), width=8).splitlines() == [
        "invoke_agent desk   │────────│   3.00 s",
        "  chat small        │    ████│   1.50 s",
        "  execute_tool find │    ▒▒▒▒│   1.50 s",
        "                    │0   3.00 s│",
    ]


@given(st.lists(steps(), max_size=3), st.integers(1, 100))
def test_views_show_every_span_once_on_a_line_of_its_own(
    what: list[dict[str, Any]], width: int
) -> None:
    trace = recorded(what)
    assert len(tree(trace).splitlines()) == len(trace.spans) + 1
    assert [s for _, s in walk(trace)] == sorted(trace.spans, key=lambda s: order(trace, s))
    assert len(gantt(trace, width=width).splitlines()) == len(trace.spans) + 1


def order(trace: Trace, it: Span) -> list[int]:
    """The path to a span as positions, which is the order of a walk."""
    by_id = {s.span_id: s for s in trace.spans}
    path = [trace.spans.index(it)]
    while it.parent_id:
        it = by_id[it.parent_id]
        path.insert(0, trace.spans.index(it))
    return path


def test_a_very_deep_trace_is_shown() -> None:
    record = json.loads(example().to_json())
    base = record["spans"][0] | {"events": []}
    record["spans"] = [
        {**base, "span_id": f"{i + 1:016x}", "parent_id": f"{i:016x}" if i else None}
        for i in range(2000)
    ]
    trace = Trace.from_json(json.dumps(record))
    assert len(tree(trace).splitlines()) == 2001
    assert len(gantt(trace).splitlines()) == 2001


def test_an_empty_trace_is_shown_as_such() -> None:
    assert tree(Trace("nothing yet")) == "nothing yet  (0.00 s)"
    assert gantt(Trace("nothing yet")) == "nothing yet: no steps recorded"


# messages

CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": [{"type": "text", "text": "1 + 1?"}, {"type": "image_url"}]},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "2"},
]


def kept(messages: list[dict[str, Any]], trace: Trace) -> list[dict[str, Any]] | None:
    """What a step of this trace tells of the messages."""
    with trace.record(), span("chat", "small") as step:
        step.messages("gen_ai.input.messages", messages)
    text = trace.spans[-1].attributes.get("gen_ai.input.messages")
    return None if text is None else json.loads(str(text))


def test_messages_have_the_form_of_the_conventions() -> None:
    call = {"type": "tool_call", "id": "c1", "name": "add", "arguments": '{"a": 1}'}
    assert kept(TALK, Trace("run", messages=True)) == [
        {"role": "system", "parts": [{"type": "text", "content": "Be short."}]},
        {"role": "user", "parts": [{"type": "text", "content": "1 + 1?"}, {"type": "image_url"}]},
        {"role": "assistant", "parts": [call]},
        {
            "role": "tool",
            "parts": [{"type": "tool_call_response", "id": "c1", "response": "2"}],
        },
    ]


@pytest.mark.parametrize(
    ("says", "asked", "there"),
    [
        (None, None, False),
        ("no_content", None, False),
        ("true", None, True),
        ("SPAN_ONLY", None, True),
        ("true", False, False),
        (None, True, True),
    ],
)
def test_messages_are_kept_where_the_trace_or_the_environment_asks_for_them(
    says: str | None, asked: bool | None, there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CAPTURE_VARIABLE, raising=False)
    if says:
        monkeypatch.setenv(CAPTURE_VARIABLE, says)
    assert (kept(TALK, Trace("run", messages=asked)) is not None) == there


def test_a_long_conversation_is_kept_in_short() -> None:
    talk = [{"role": "user", "content": f"{number} " + "x" * 9_000} for number in range(100)]
    told = kept(talk, Trace("run", messages=True)) or []
    words = [each["parts"][0]["content"] for each in told]
    assert [each.split()[0] for each in words[:2]] == ["0", "1"]
    assert words[2] == "(60 messages left out)"
    assert [each.split()[0] for each in words[3:]] == [str(number) for number in range(62, 100)]
    assert words[0].endswith("… (9002 characters)")
    assert max(map(len, words)) < 4_100
