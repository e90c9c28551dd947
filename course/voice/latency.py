"""How long a caller waits after they have spoken, and where the time goes.

All four moments are counted from the end of the caller's speech as it entered the line, and the
last one where it leaves the loudspeaker: what LiveKit itself measures begins later, where the
detector places that end in the sound that reached it, and ends earlier.

Sources: 200 ms, the gap between two people's turns (Stivers et al. 2009, PNAS 106); 800 ms, past
which a caller takes the silence for a fault (a rule of thumb of voice agents' vendors).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STAGES = ("transcript", "first token", "first audio", "ear")
BETWEEN_PEOPLE = 0.2
A_FAULT = 0.8
_LOOKS = (("#0072B2", ""), ("#56B4E9", "//"), ("#E69F00", ".."), ("#009E73", "xx"))


@dataclass(frozen=True, kw_only=True)
class SpokenTurn:
    """One turn of a call: what the caller said, and what came of it.

    Attributes:
        said: the caller's words, where they are known.
        heard: what was recognised of them.
        answer: what the caller heard in return, up to where they cut in.
        transcript, first_token, first_audio, ear: seconds from the end of the caller's speech
            until its words were recognised, the reply's first words were there, its first sound
            was made, and that was heard. None for what did not come.
        silent_after: seconds from the caller's cutting in on the answer until the agent was
            silent; None where they heard it out. A long time means that it talked on.
    """

    said: str
    heard: str
    answer: str
    transcript: float | None = None
    first_token: float | None = None
    first_audio: float | None = None
    ear: float | None = None
    silent_after: float | None = None

    @property
    def stages(self) -> tuple[float, ...] | None:
        """Seconds of each of `STAGES`, which add up to `ear`; None when one is not known."""
        marks = (self.transcript, self.first_token, self.first_audio, self.ear)
        known = [mark for mark in marks if mark is not None]
        if len(known) < len(marks):
            return None
        return tuple(max(0.0, b - a) for a, b in zip((0.0, *known), known, strict=False))


_LINE = 0.07
"""The height of a line of text, as a share of the figure's."""
_LEADER = {"arrowstyle": "-", "linewidth": 0.7, "shrinkA": 0, "shrinkB": 0}


def waits(turns: Sequence[SpokenTurn]) -> list[float]:
    """Seconds until the caller heard something, of each turn that was answered."""
    return [turn.ear for turn in turns if turn.ear is not None]


def latency_figure(turns: Sequence[SpokenTurn]) -> tuple[Figure, str]:
    """Stacked bars of where the time went, one a turn, against 200 and 800 ms.

    Args:
        turns: of one call or several; those that are not known whole are left out.

    Returns:
        The figure, and its alt text.
    """
    from matplotlib.figure import Figure

    shown = [(number, turn.stages) for number, turn in enumerate(turns, 1) if turn.stages]
    figure = Figure(figsize=(7, 3.5), layout="constrained")
    axes = figure.subplots()
    places = [str(number) for number, _ in shown]
    below, top = (
        [0.0] * len(shown),
        max([sum(each) for _, each in shown if each] + [A_FAULT]) * 1.15,
    )
    label = -top
    for stage, (name, (colour, hatch)) in enumerate(zip(STAGES, _LOOKS, strict=True)):
        high = [stages[stage] if stages else 0.0 for _, stages in shown]
        axes.bar(places, high, bottom=below, color=colour, hatch=hatch, edgecolor="white")
        if shown:
            middle, last = below[-1] + high[-1] / 2, len(shown) - 1
            label = max(middle, label + _LINE * top)  # a short stage is lower than its name
            axes.annotate(name, (last + 0.4, middle), (last + 0.5, label), va="center",
                          annotation_clip=False, arrowprops=_LEADER)  # fmt: skip
        below = [a + b for a, b in zip(below, high, strict=True)]
    for at, says in ((BETWEEN_PEOPLE, "200 ms: two people"), (A_FAULT, "800 ms: seems broken")):
        axes.axhline(at, color="#000000", linestyle="--", linewidth=1)
        behind = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0}
        axes.annotate(says, (-0.6, at), va="bottom", fontsize="small", bbox=behind)
    axes.set_xlim(-0.65, max(len(shown), 1) + 0.6)
    axes.set_ylim(0, top)
    axes.set_xlabel("turn of the call")
    axes.set_ylabel("since the end of speech (s)")
    return figure, _alt(shown, below)


def _alt(shown: Sequence[tuple[int, tuple[float, ...] | None]], totals: Sequence[float]) -> str:
    if not totals:
        return "Stacked bars of the waits in a call; no turn was answered."
    parts = [mean(stages[place] for _, stages in shown if stages) for place in range(len(STAGES))]
    split = ", ".join(f"{name} {part:.2f} s" for name, part in zip(STAGES, parts, strict=True))
    late = sum(total > A_FAULT for total in totals)
    return (
        f"Stacked bars of the wait after each of {len(totals)} turns: {mean(totals):.2f} s on"
        f" average, of it {split}; {late} of {len(totals)} took longer than 800 ms."
    )
