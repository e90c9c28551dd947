"""Any run as a sequence diagram: who turned to whom, with what words, and what came back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from course.observability.diagrams import LOOK
from course.trace import Span, Trace

PERSON = "person"
TOOLS = "tools"
LABEL = 60
"""Longest label, in characters; what is longer ends in an ellipsis."""
WORDS = (
    "switchboard.delegation.task",
    "switchboard.task.description",
    "gen_ai.tool.call.arguments",
)
"""The attributes that hold the words with which somebody is turned to."""


@dataclass(frozen=True)
class Message:
    """One arrow: from whom to whom, when (seconds from the start of the trace), and what is said.

    Attributes:
        kind: "call" asks for something, "return" is what came back, "failure" that nothing did.
    """

    sender: str
    receiver: str
    at: float
    says: str
    kind: str = "call"


def messages(trace: Trace, *, tools: bool = True) -> list[Message]:
    """What was passed between the person, the agents and their tools, in the order of time.

    An agent is called by the agent or the workflow around it; a handoff is one arrow that nobody
    answers. Calls of a tool in which another agent works are that agent's.

    Args:
        trace: of any system, as recorded or from a file.
        tools: whether the calls of tools are arrows too; their results always come back to the
            agent that called.
    """
    if not trace.spans:
        return []
    told = _Told(trace)
    first = told.inside(None)
    asked = trace.name.removeprefix(f"{first}: ")
    found = [Message(PERSON, first, trace.spans[0].start, asked)]
    for span in trace.spans:
        if span.operation == "handoff":
            sender, _, receiver = span.name.partition(" -> ")
            found.append(Message(sender, receiver, span.start, "hands over"))
        elif span.operation == "invoke_agent":
            found.extend(told.work_of(span))
        elif tools and span.operation == "execute_tool" and not told.has_agents(span):
            found.extend(told.use_of(span))
    end = max(span.end for span in trace.spans)
    failed = trace.spans[0].status == "error"
    found.append(
        Message(told.last(), PERSON, end, trace.spans[0].error or "answers", _back(failed))
    )  # stable: what happens at the same moment stays in the order of the steps
    return sorted(found, key=lambda message: message.at)


def sequence_diagram(trace: Trace, *, tools: bool = True) -> str:
    """The run as the text of a Mermaid sequence diagram, with a title and a description.

    JupyterLab draws it in a Markdown cell or output, and so do many other places.

    Args:
        trace: of any system, as recorded or from a file.
        tools: whether the calls of tools are drawn.
    """
    said = messages(trace, tools=tools)
    names = list(dict.fromkeys(name for each in said for name in (each.sender, each.receiver)))
    short = {name: f"P{place}" for place, name in enumerate(names)}
    arrows = {"call": "->>", "return": "-->>", "failure": "--x"}
    lines = [
        LOOK,
        "sequenceDiagram",
        f"    accTitle: {_clean(trace.name)}",
        f"    accDescr: {len(said)} messages between {_clean(', '.join(names), len(names) * 40)}.",
        *(f"    participant {short[name]} as {_clean(name)}" for name in names),
        *(
            f"    {short[each.sender]}{arrows[each.kind]}{short[each.receiver]}:"
            f" {each.at:.2f} s · {_clean(each.says)}"
            for each in said
        ),
    ]
    return "\n".join(lines)


class _Told:
    """A trace, asked for who stands around a step."""

    def __init__(self, trace: Trace) -> None:
        self.spans: Mapping[str, Span] = {span.span_id: span for span in trace.spans}
        self.agents = {span.name for span in trace.spans if span.operation == "invoke_agent"}
        self.moves = [span for span in trace.spans if span.operation == "handoff"]
        self.first = trace.spans[0]

    def above(self, span: Span) -> Iterator[Span]:
        """The steps around a step, from the inside out."""
        while around := self.spans.get(span.parent_id or ""):
            yield around
            span = around

    def inside(self, span: Span | None) -> str:
        """Who works on what is around a step: an agent, or a workflow that is none itself."""
        around = (self.first,) if span is None else self.above(span)
        for each in around:
            if each.operation in ("invoke_agent", "invoke_workflow"):
                return each.name
        return PERSON if span is not None else self.first.name

    def has_agents(self, span: Span) -> bool:
        """Whether an agent works inside this step."""
        return any(
            each.operation == "invoke_agent" and span in self.above(each)
            for each in self.spans.values()
        )

    def work_of(self, span: Span) -> Iterator[Message]:
        """The arrows to an agent and back."""
        caller = self.inside(span)
        if caller in (PERSON, span.name):
            return
        came = self.came(span)
        if not came:
            yield Message(caller, span.name, span.start, self.words(span))
        if not self.left(span) and not (came and caller == self.first.name):
            failed = span.status == "error"
            says = span.error if failed and span.error else "answers"
            yield Message(span.name, caller, span.end, says, _back(failed))

    def came(self, span: Span) -> bool:
        """Whether somebody handed over to the agent of this step."""
        return any(
            move.name.endswith(f" -> {span.name}") and _same(move.end, span.start)
            for move in self.moves
        )

    def left(self, span: Span) -> bool:
        """Whether the agent of this step ended by handing over."""
        return any(
            move.name.startswith(f"{span.name} -> ") and _same(move.start, span.end)
            for move in self.moves
        )

    def last(self) -> str:
        """Who answers the person: whom the conversation was handed to, or else who was asked."""
        kept = [
            span.name
            for span in self.spans.values()
            if span.operation == "invoke_agent"
            and self.inside(span) == self.first.name
            and self.came(span)
            and not self.left(span)
        ]
        return kept[-1] if kept else self.inside(None)

    def use_of(self, span: Span) -> Iterator[Message]:
        """The arrows to a tool and back."""
        caller = self.inside(span)
        given = str(span.attributes.get("gen_ai.tool.call.arguments", ""))
        failed = span.status == "error"
        yield Message(caller, TOOLS, span.start, f"{span.name} {_values(given)}")
        says = span.error if failed and span.error else f"{span.name} is done"
        yield Message(TOOLS, caller, span.end, says, _back(failed))

    def words(self, span: Span) -> str:
        """With what words an agent is turned to: those of the nearest step that holds some."""
        for each in self.above(span):
            for name in WORDS:
                if name in each.attributes:
                    return _values(str(each.attributes[name]))
            if each.operation in ("invoke_agent", "invoke_workflow"):
                break
            if each.operation in ("stage", "task", "dispatch"):
                return f"{each.operation} {each.name}"
        return "asks"


def _same(one: float, other: float) -> bool:
    return abs(one - other) < 1e-6


def _back(failed: bool) -> str:
    return "failure" if failed else "return"


def _values(text: str) -> str:
    """The values of JSON arguments, with commas; any other text as it is."""
    try:
        given = json.loads(text)
    except ValueError:
        return text
    return ", ".join(str(each) for each in given.values()) if isinstance(given, dict) else text


def _clean(text: str, most: int = LABEL) -> str:
    """Text in one line that Mermaid takes for words, no longer than the most."""
    line = " ".join(text.split()).replace(";", ",").replace("#", "No. ").replace(":", " ·")
    return line if len(line) <= most else line[: most - 1] + "…"
