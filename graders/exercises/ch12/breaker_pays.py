"""Exercise 12.5: from which share of failing calls on a breaker pays."""

from __future__ import annotations

from graders.exercises.kit import *

_STAGE = stage_of(
    "student.pays_from([tuple(effect) for effect in case['effects']], least=case['least'])"
)
Effects = list[tuple[float, float, float]]
Sweep = dict[str, Any]
Case = Callable[[random.Random], Sweep]


def _sweep(*tops: float, least: float = 1.0) -> Case:
    """Intervals whose upper ends are these, in units of `least`, at rising shares."""

    def made(draw: random.Random) -> Sweep:
        unit = draw.randrange(2, 20) / 2
        steps = sorted(draw.sample(range(2, 90), len(tops)))
        effects = [
            (step / 100, top * unit - draw.randrange(1, 30) / 2, top * unit)
            for step, top in zip(steps, tops, strict=True)
        ]
        draw.shuffle(effects)
        return {"effects": effects, "least": least * unit}

    return made


def _again(*tops: float, before: int, after: int) -> Case:
    """One share was measured more often: it paid so often before it did not, and so often after."""

    def made(draw: random.Random) -> Sweep:
        sweep = _sweep(*tops)(draw)
        middle = sorted(sweep["effects"])[len(tops) // 2]
        others = [each for each in sweep["effects"] if each is not middle]
        bad = (middle[0], -4.0, 0.5)
        place = draw.randrange(len(others))
        measured = [middle] * before + [bad] + [middle] * after
        return {**sweep, "effects": [*others[:place], *measured, *others[place:]]}

    return made


def _from_nought(draw: random.Random) -> Sweep:
    """It pays even where no call fails."""
    sweep = _sweep(-2, -3)(draw)
    return {**sweep, "effects": [*sweep["effects"], (0.0, -40.0, -1.5 * sweep["least"])]}


def _from(sweep: Sweep) -> float | None:
    """Each share is tried: it, and all above it."""
    shares = sorted({share for share, _, _ in sweep["effects"]})
    for share in shares:
        if all(high < -sweep["least"] for at, _, high in sweep["effects"] if at >= share):
            return float(share)
    return None


_found = compared(_from)


PAYS_FROM = Exercise(
    "12.5", ("pays_from",), (
        Trial("finds the share from which on it pays", _STAGE,
              cases(_sweep(0.5, -0.5, -1.5, -3), _sweep(-2, -3, -4), _sweep(0.2, 0, -0.5, -2),
                    _sweep(1, -0.5, -2, least=0.0), _from_nought),
              _found("the end of the interval that decides, and the lowest of the shares")),
        Trial("asks that it pays from there on, each time that it was measured", _STAGE,
              cases(_sweep(-2, 0.5, -3, -4), _again(-2, -3, -4, -5, before=0, after=1),
                    _again(-2, -3, -4, before=1, after=0), _again(-2, -3, -4, before=2, after=1),
                    _sweep(0.5, -1, -2, -3), _sweep(0.5, 0, -2, least=0.0)),
              _found("shares above yours at which it does not pay")),
        Trial(
            "finds nothing where it never pays, or nothing was measured",
            _STAGE,
            cases(
                _sweep(0.5, -0.5, -2, 0.25),
                lambda draw: {"effects": [], "least": 1.0},
                _sweep(-3),  # where nothing but None is given, this is missed
            ),
            _found("the highest share, and an empty list"),
        ),
    ),
    places={"*": "the share for the {} sweep"},
)  # fmt: skip
