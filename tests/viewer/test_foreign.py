"""Traces that are not whole open as far as they go, and say what was mended; others are refused."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from course import cli
from course.errors import FileFormatError
from course.trace import Span, Trace
from course.viewer.foreign import read
from course.viewer.outline import outline
from course.viewer.picture import picture_of
from tests.hostile import NAME
from tests.viewer.runs import failing_plan, faulty
from tests.viewer.test_picture import lies

Raw = dict[str, Any]


@pytest.fixture(scope="module")
def whole() -> str:
    return failing_plan().to_json()


def written(raw: Any, folder: Path) -> Path:
    path = folder / "trace.json"
    path.write_text(raw if isinstance(raw, str) else json.dumps(raw), encoding="utf-8")
    return path


def each_span(change: Callable[[Raw], Any]) -> Callable[[Raw], Any]:
    return lambda raw: [change(span) for span in raw["spans"]]


def circle(raw: Raw) -> None:
    raw["spans"][0]["parent_id"] = raw["spans"][-1]["span_id"]
    raw["spans"][-1]["parent_id"] = raw["spans"][0]["span_id"]


MENDED: dict[str, tuple[Callable[[Raw], Any], str]] = {
    "another version": (lambda raw: raw.update(version=1), "of version 1"),
    "a version to come": (lambda raw: raw.update(version=9), "of version 9"),
    "no version": (lambda raw: raw.pop("version"), "of version ?"),
    "no parents": (each_span(lambda s: s.update(parent_id="ab" * 8)), "lack the step around"),
    "cut in the middle": (lambda raw: raw["spans"].__delitem__(slice(0, 9)), "lack the step"),
    "backwards": (each_span(lambda s: s.update(end=s["start"] - 1)), "end before they start"),
    "without times": (lambda raw: raw["spans"][2].pop("start"), "1 steps cannot be read"),
    "times that are none": (lambda raw: raw["spans"][2].update(end="soon"), "cannot be read"),
    "infinite": (lambda raw: raw["spans"][2].update(end=float("inf")), "cannot be read"),
    "a null": (lambda raw: raw["spans"].__setitem__(2, None), "cannot be read"),
    "ids twice": (each_span(lambda s: s.update(span_id="ab" * 8)), "have the id of another"),
    "around itself": (circle, "circle is cut"),
}


@pytest.mark.parametrize("name", MENDED)
def test_what_is_not_whole_opens_and_says_so(name: str, whole: str, tmp_path: Path) -> None:
    change, said = MENDED[name]
    raw = json.loads(whole)
    change(raw)
    trace, told = read(written(raw, tmp_path))
    assert said in "; ".join(told)
    picture = picture_of(trace)
    assert [each for each in lies(picture) if "outside" not in each] == []
    json.dumps(picture.as_json(told), allow_nan=False)


@pytest.mark.parametrize("given", ["{", '{"spans": [{', "[]", "3", '{"spans": [1, 2]}', ""])
def test_what_is_no_trace_is_refused_in_one_line(
    given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(given, tmp_path)
    with pytest.raises(FileFormatError):
        read(path)
    assert cli.main(["trace", str(path), "--html"]) == cli.BAD_INPUT
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not path.with_suffix(".html").exists()


def test_a_half_of_a_file_is_refused_with_its_place(whole: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"line \d+, column \d+"):
        read(written(whole[: len(whole) // 2], tmp_path))


def test_a_whole_trace_is_read_as_it_is(whole: str, tmp_path: Path) -> None:
    trace, told = read(written(whole, tmp_path))
    assert told == []
    assert trace.spans == Trace.from_json(whole).spans


@pytest.mark.parametrize("raw", [{}, {"spans": []}, {"version": 2, "name": "x", "spans": None}])
def test_an_empty_one_is_a_caller_and_nobody_else(raw: Raw, tmp_path: Path) -> None:
    picture = picture_of(read(written(raw, tmp_path))[0])
    assert [moment.who for moment in picture.moments] == ["caller", "caller"]
    assert picture.cords == []


def exported(trace: Trace) -> Raw:
    """A trace as OpenTelemetry's JSON encoding has it, each step noted when it ended."""
    begin = 1_700_000_000_000_000_000

    def value(given: Any) -> Raw:
        if isinstance(given, bool):
            return {"boolValue": given}
        if isinstance(given, int):
            return {"intValue": str(given)}
        return {"doubleValue": given} if isinstance(given, float) else {"stringValue": given}

    def listed(span: Span) -> list[Raw]:
        own = {"gen_ai.operation.name": span.operation, **span.attributes}
        theirs = {key: given for key, given in own.items() if not key.startswith("switchboard.")}
        return [{"key": key, "value": value(given)} for key, given in theirs.items()]

    spans = [
        {
            "traceId": trace.trace_id, "spanId": span.span_id,
            "parentSpanId": span.parent_id or "", "name": f"{span.operation} {span.name}",
            "startTimeUnixNano": str(begin + round(span.start * 1e9)),
            "endTimeUnixNano": str(begin + round(span.end * 1e9)),
            "attributes": listed(span),
            "status": {"code": 2, "message": span.error} if span.status == "error" else {},
        }
        for span in sorted(trace.spans, key=lambda span: span.end)
    ]  # fmt: skip
    service = {"attributes": [{"key": "service.name", "value": {"stringValue": "their agent"}}]}
    return {"resourceSpans": [{"resource": service, "scopeSpans": [{"spans": spans}]}]}


def test_somebody_elses_trace_opens_as_far_as_it_goes(tmp_path: Path) -> None:
    ours = faulty()
    trace, told = read(written(exported(ours), tmp_path))
    assert re.search("another tool", told[0])
    assert trace.name == "their agent"
    theirs, own = picture_of(trace), picture_of(ours)
    assert lies(theirs) == []
    assert theirs.agents == own.agents
    assert theirs.facts["calls"] == own.facts["calls"]
    kinds = [cord.kind for cord in own.cords if cord.kind != "held"]
    assert sorted(kinds) == sorted(c.kind for c in theirs.cords if c.kind != "held")
    assert max(span.end for span in trace.spans) == pytest.approx(own.end)


def test_a_trace_of_many_steps_opens_by_level_and_says_so() -> None:
    trace = Trace("many")
    trace.begin_ns = 0
    for n in range(40):
        root = Span(name="a", operation="invoke_agent", span_id=f"{n:016x}", start=n, end=n + 1)
        trace.add(root)
        inner = Span(
            name="m", operation="chat", span_id=f"{n + 100:016x}", start=n, end=n + 1,
            parent_id=root.span_id,
        )  # fmt: skip
        trace.add(inner)
    drawn, [told] = outline(trace, most=50)
    assert "80 steps: the outermost 50, 2 levels deep" in told
    assert [s.operation for s in drawn.spans].count("invoke_agent") == 40
    assert lies(picture_of(drawn)) == []
    assert outline(trace, most=80) == (trace, [])


def longer(raw: Raw, change: Callable[[str], str]) -> None:
    """Every text of a trace changed that somebody wrote: messages, results, errors, names."""

    def of(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: change(inner) if key in ("content", "response") else of(inner)
                for key, inner in value.items()
            }
        return [of(inner) for inner in value] if isinstance(value, list) else value

    for span in raw["spans"]:
        for key, value in span["attributes"].items():
            if key.endswith(".messages"):
                span["attributes"][key] = json.dumps(of(json.loads(value)))
            elif key in ("gen_ai.tool.call.result", "switchboard.task.result"):
                span["attributes"][key] = change(value)
        if span["error"]:
            span["error"] = change(span["error"])
        for event in span["events"]:
            event["attributes"] |= {"error": change(str(event["attributes"].get("error", "")))}


LETTERS = 100_000


def test_too_much_text_opens_by_cutting_and_says_so(whole: str, tmp_path: Path) -> None:
    raw = json.loads(whole)
    longer(raw, lambda text: f"{text}{NAME * 2_000}")
    trace, told = read(written(raw, tmp_path))
    assert told == []
    drawn, [line] = outline(trace, letters=LETTERS)
    assert re.fullmatch(r"[\d,]{9,} letters of text: long ones are cut after [\d,]+", line)
    picture = picture_of(drawn)
    assert lies(picture) == []
    shown = json.dumps(picture.as_json())
    assert len(shown) < 4 * LETTERS
    assert "letters more)" in shown
    plain = picture_of(Trace.from_json(whole))
    assert [m.step and m.step.order for m in picture.moments] == [
        m.step and m.step.order for m in plain.moments
    ]
    assert picture.facts == plain.facts


def test_short_texts_stay_whole_where_one_is_too_long(whole: str, tmp_path: Path) -> None:
    raw = json.loads(whole)
    longer(raw, lambda text: text * 100_000 if text.startswith("pier 1") else text)
    drawn, _ = outline(read(written(raw, tmp_path))[0], letters=LETTERS)
    asked = [m.text for m in picture_of(Trace.from_json(whole)).moments if "gives t" in m.text]
    assert asked == [m.text for m in picture_of(drawn).moments if "gives t" in m.text]


def test_too_many_texts_are_left_out(whole: str, tmp_path: Path) -> None:
    drawn, [line] = outline(read(written(whole, tmp_path))[0], letters=1_000)
    assert line.endswith("long ones are left out")
    assert lies(picture_of(drawn)) == []


@pytest.mark.parametrize("deep", [15, 400, 3_000])
def test_messages_inside_messages_are_cut_as_well(deep: int) -> None:
    trace = Trace("deep", messages=True)
    trace.begin_ns = 0
    words = f"{'[' * deep}{json.dumps(NAME * 5_000)}{']' * deep}"
    about = {"gen_ai.input.messages": words, "gen_ai.agent.name": "a"}
    span = Span(name="m", operation="chat", span_id="1" * 16, start=0, end=1, attributes=about)
    trace.add(span)
    drawn, [line] = outline(trace, letters=10_000)
    assert "cut after" in line
    assert len(str(drawn.spans[0].attributes)) < 30_000
    assert lies(picture_of(drawn)) == []


def test_what_is_small_is_drawn_as_it_is(whole: str) -> None:
    trace = Trace.from_json(whole)
    assert outline(trace) == (trace, [])
    assert picture_of(trace).told == []
