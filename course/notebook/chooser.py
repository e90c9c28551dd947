"""From needs to a pattern, with reasons: as a function, as a table, and with boxes to tick."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from course.errors import ConfigurationError
from course.markup import Markup, fill, joined
from course.notebook.show import html_widget, put, show, show_html

NEEDS = {
    "few": "Ten tools or fewer do all of it, in a few steps.",
    "fixed": "The steps are known beforehand and are always the same.",
    "one": "Each request belongs to one specialist.",
    "talks on": "The specialist should go on talking with the person.",
    "comes back": "An agent needs another one's result and then goes on itself.",
    "worse": "Some problems are too hard at first, and a human may have to take over.",
    "several": "One request needs several specialists and one answer.",
    "at once": "Parts of the work do not need each other and should run at the same time.",
    "many": "There are more than ten specialists.",
    "form": "Something with fixed fields has to be collected from a person.",
    "minds": "There are several such things, and people change their minds.",
    "plan": "The work has to be planned and checked before anything is done.",
}

USES = {
    "e-commerce checkout": ("fixed",),
    "form filling": ("form", "minds"),
    "booking": ("form",),
    "support": ("one", "talks on"),
    "troubleshooting": ("worse",),
    "call centre": ("one", "talks on", "worse"),
    "consultation": ("comes back",),
    "multi-department help": ("several", "many"),
    "research report": ("plan", "at once"),
    "questions about one thing": ("few",),
}
"""What such systems are usually built for; a name of these stands for the needs behind it."""

DIFFERS = {
    "booking": ("pipeline", "what is asked for hangs on what was said already, and a task asks for"
                " the rest alone"),
    "form filling": ("pipeline", "people change their minds, and a chain has no way back"),
    "call centre": ("escalation", "most callers need one specialist and no higher tier: a handoff"
                    " serves them, and the ladder stands behind it"),
    "multi-department help": ("hub and spoke", "past ten departments choosing takes a level of its"
                              " own, which a hub that talks with everybody has not"),
}  # fmt: skip
"""Where the usual tables of patterns name another one for a use than `choose` does, and why."""

COSTS = {
    "one agent": "a model call for each step; every tool is in every one of them",
    "pipeline": "one model call a stage; nothing unforeseen gets through",
    "routing": "one short model call, none where a classifier is sure",
    "handoff": "one model call; the next agent knows what the context filter lets through",
    "consultation": "two model calls more, one there and one back",
    "escalation": "every tier that could not help is paid for as well",
    "supervisor": "two model calls of its own besides those of its workers",
    "sub-supervisors": "one more level of model calls",
    "task": "the specialist's own dialogue; nothing when everything was said already",
    "task group": "its tasks, and one model call for the summary",
    "supervisor-worker": "one model call for the plan, and one to put the results together",
}

CHAPTERS = {
    "one agent": "01",
    "pipeline": "02",
    "routing": "02",
    "handoff": "03",
    "consultation": "03",
    "escalation": "03",
    "supervisor": "04",
    "sub-supervisors": "04",
    "task": "05",
    "task group": "05",
    "supervisor-worker": "06",
}

WITHOUT_WIDGETS = (
    "There are no boxes to tick here: call choose('form', 'minds') with needs by name."
)


@dataclass(frozen=True)
class Rule:
    """A need speaks for a pattern (`weight` above 0) or against it (below), because."""

    need: str
    pattern: str
    because: str
    weight: int = 2


RULES = (
    Rule("few", "one agent", "nobody has to be told what another one knows"),
    Rule("few", "supervisor", "each step would be told twice, and a level would gain nothing", -1),
    Rule("many", "one agent", "among more tools the wrong one is taken more often", -2),
    Rule("fixed", "pipeline", "a chain in code cannot take another way"),
    Rule("fixed", "handoff", "an agent that may choose will now and then choose wrongly", -1),
    Rule("fixed", "supervisor", "a supervisor decides anew each time what you know already", -1),
    Rule("one", "routing", "choosing once is cheaper than an agent that talks about it"),
    Rule("one", "handoff", "the specialist gets the conversation", 1),
    Rule("one", "supervisor", "a supervisor would only repeat the one answer", -1),
    Rule("talks on", "handoff", "the conversation itself moves, and the first agent stops"),
    Rule("talks on", "task", "a task has the floor, but only until it is done", 1),
    Rule("talks on", "supervisor", "workers do not talk with the person", -2),
    Rule("comes back", "consultation", "the result comes back as that of a tool call"),
    Rule("comes back", "supervisor", "delegating is asking and getting back, too", 1),
    Rule("comes back", "handoff", "a plain handoff does not come back", -1),
    Rule("worse", "escalation", "criteria move a problem up, and what was tried goes along"),
    Rule("several", "supervisor", "one agent keeps control and puts the answers together"),
    Rule("several", "routing", "a router may choose several, if nobody has to inspect them", 1),
    Rule("several", "handoff", "only one agent has the conversation, so parts wait", -1),
    Rule("at once", "supervisor", "several delegations in one message run at the same time"),
    Rule("at once", "supervisor-worker", "a plan says which tasks wait for which", 1),
    Rule("at once", "pipeline", "stages run one after the other", -2),
    Rule("many", "sub-supervisors", "each level chooses among few, which models do better"),
    Rule("many", "routing", "a classifier does not mind how many there are", 1),
    Rule("form", "task", "the result is typed and checked, and goes back when it does not fit"),
    Rule("form", "handoff", "a handoff brings back nothing that could be checked", -1),
    Rule("minds", "task group", "results by id, and a way back to an earlier step"),
    Rule("minds", "pipeline", "a chain has no way back", -2),
    Rule("plan", "supervisor-worker", "the plan is data: it is validated before it runs"),
    Rule("plan", "supervisor", "a supervisor plans as it goes", -1),
)  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """A pattern and how well it fits: the sum of its rules' weights, and what they say.

    Attributes:
        reasons: what speaks for it.
        doubts: what speaks against it.
    """

    pattern: str
    fit: int
    reasons: tuple[str, ...]
    doubts: tuple[str, ...]

    @property
    def chapter(self) -> str:
        """The chapter that builds it."""
        return CHAPTERS[self.pattern]

    @property
    def costs(self) -> str:
        """What it costs."""
        return COSTS[self.pattern]


def choose(*needs: str) -> list[Choice]:
    """The patterns that meet some of these needs, the best first, with reasons.

    Args:
        needs: names of `NEEDS`, such as "form" and "minds", or of `USES`, such as "booking".

    Raises ConfigurationError: there is no such need; the message lists them.
    """
    wanted = _needed(needs)
    choices = (_choice(pattern, wanted) for pattern in CHAPTERS)
    return sorted((each for each in choices if each.reasons), key=lambda each: -each.fit)


def pattern_table(*needs: str) -> None:
    """Show what speaks for and against each pattern: for these needs, or without any for all.

    Args:
        needs: as for `choose`.
    """
    show_html(_markup(needs), _text(needs))


def pattern_chooser(*needs: str) -> None:
    """Show the needs as boxes to tick, and below them the patterns that fit, with reasons.

    Args:
        needs: ticked at first, as for `choose`.

    The boxes are reached and ticked with the keyboard (Tab and Space), and nothing is told by
    colour. Where there are no widgets, the table is shown, and a line says what to call instead.
    """
    try:
        import ipywidgets  # type: ignore[import-untyped]
    except ImportError:
        print(WITHOUT_WIDGETS)
        pattern_table(*needs)
        return
    wide = ipywidgets.Layout(width="auto")
    first = _needed(needs)
    boxes = {
        need: ipywidgets.Checkbox(value=need in first, description=text, indent=False, layout=wide)
        for need, text in NEEDS.items()
    }
    below = html_widget(_markup(needs))

    def ticked(_: Any) -> None:
        put(below, _markup([need for need, box in boxes.items() if box.value]))

    for box in boxes.values():
        box.observe(ticked, names="value")
    shown = ipywidgets.VBox([*boxes.values(), below])
    show({**shown._repr_mimebundle_(), "text/plain": f"{WITHOUT_WIDGETS}\n{_text(needs)}"})


def _needed(named: Iterable[str]) -> set[str]:
    """The needs that are named, each by itself or by what it is usually built for."""
    found = {need for name in named for need in USES.get(name, (name,))}
    if unknown := sorted(found - NEEDS.keys()):
        there = f"there are: {', '.join(NEEDS)}; and the uses {', '.join(USES)}"
        raise ConfigurationError(f"there is no need '{unknown[0]}'; {there}")
    return found


def _choice(pattern: str, needs: set[str]) -> Choice:
    rules = [rule for rule in RULES if rule.pattern == pattern and rule.need in needs]
    return Choice(
        pattern,
        sum(rule.weight for rule in rules),
        tuple(rule.because for rule in rules if rule.weight > 0),
        tuple(rule.because for rule in rules if rule.weight < 0),
    )


def _shown(needs: Iterable[str]) -> list[Choice]:
    chosen = list(needs)
    return choose(*(chosen or NEEDS))


def _markup(needs: Iterable[str]) -> Markup:
    """The choices as an HTML table with a caption and headings of rows and columns."""
    needs = list(needs)
    head = joined(
        fill('<th scope="col" style="text-align: left; padding-right: 1.5em">{}</th>', each)
        for each in ("pattern", "chapter", "fit", "for it (+) and against it (−)", "what it costs")
    )
    return fill(
        '<table style="text-align: left"><caption style="text-align: left">{}'
        "</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>",
        _caption(needs), head, joined(map(_row, _shown(needs))),
    )  # fmt: skip


def _row(choice: Choice) -> Markup:
    said = [f"+ {each}" for each in choice.reasons] + [f"− {each}" for each in choice.doubts]
    cells = (choice.chapter, f"{choice.fit:+d}", joined(said, "<br>"), choice.costs)
    left = "text-align: left; vertical-align: top; padding: 0.3em 1.5em 0.3em 0"
    filled = joined(fill('<td style="{}">{}</td>', left, each) for each in cells)
    return fill('<tr><th scope="row" style="{}">{}</th>{}</tr>', left, choice.pattern, filled)


def _caption(needs: list[str]) -> str:
    if not needs:
        return "Everything that speaks for and against each pattern"
    found = choose(*needs)
    best = [each for each in found if each.fit == found[0].fit]
    told = ", ".join(f"{each.pattern} (chapter {each.chapter})" for each in best)
    together = ". They go together." if len(best) > 1 else ""
    return " ".join((f"Best fit: {told}{together}", *_differs(needs)))


def _differs(needs: Iterable[str]) -> Iterator[str]:
    """Where a use is usually built in another way, that and why not here."""
    for use in needs:
        if use in DIFFERS:
            usual, why = DIFFERS[use]
            yield f"({use[:1].upper()}{use[1:]} is often built as {usual}; here not: {why}.)"


def _text(needs: Iterable[str]) -> str:
    """The same as lines of text."""
    needs = list(needs)
    lines = [_caption(needs)]
    for each in _shown(needs):
        lines.append(f"{each.pattern} (chapter {each.chapter}, fit {each.fit:+d}): {each.costs}")
        lines += [f"  + {reason}" for reason in each.reasons]
        lines += [f"  − {doubt}" for doubt in each.doubts]
    return "\n".join(lines)
