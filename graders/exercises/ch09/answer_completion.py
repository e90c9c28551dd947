"""Exercise 9.3: an answer is completed with what it does not say, and with nothing else."""

from __future__ import annotations

from course.contradictions import Contradiction
from course.results import Gap
from graders.exercises.kit import *

STAGE = """
from course.contradictions import Contradiction
from course.results import Gap
from course.supervisor_worker.aggregate import Material


def material_of(case):
    return Material(
        request="Keep the boat?", results=case.get("results", {}),
        gaps=tuple(Gap(*each[:3], tuple(each[3])) for each in case["gaps"]),
        contradictions=tuple(
            Contradiction(about, tuple(map(tuple, said))) for about, said in case["contradictions"]
        ),
    )


async def stage(bench, student):
    return [
        student.completed(case["answer"], material_of(case)) for case in bench.params["cases"]
    ]
"""
_WHY = ("the offer is not in the archive", "no result within 120 s", "nobody answers the door")
_THINGS = ("fare", "crew", "subsidy", "fuel", "noise of the engine")
Case = dict[str, Any]
Maker = Callable[[random.Random], Case]


def _gap(draw: random.Random, id: str, *affects: str) -> list[Any]:
    return [id, f"Find out {draw.choice(_THINGS)}", f"worker: {draw.choice(_WHY)}", list(affects)]


def _clash(draw: random.Random, a: str, b: str) -> list[Any]:
    one, other = draw.sample(range(120, 980, 40), 2)
    return [draw.choice(_THINGS), [[a, f"{one} EUR"], [b, f"{other} EUR"]]]


def _case(answer: str, clashes: list[Any], gaps: list[Any]) -> Case:
    return {"answer": answer, "contradictions": clashes, "gaps": gaps}


def _silent(draw: random.Random) -> Case:
    """It gives one of two figures, and says nothing of two others and of what is missing."""
    a, b, c, d, e = names(draw, 5)
    clash, other = _clash(draw, a, b), _clash(draw, b, d)
    gaps = [_gap(draw, c, d), _gap(draw, e)]
    return _case(f"Keep it. It is {clash[1][0][1]} [{a}].", [clash, other], gaps)


def _honest(draw: random.Random) -> Case:
    """It says everything, in its own order and spacing."""
    a, b, c = names(draw, 3)
    clash, gap = _clash(draw, a, b), _gap(draw, c)
    (_, one), (_, other) = clash[1]
    told = f"I don't know of {c} ({gap[2]}). The results give {other} or {one.replace(' ', '')}."
    return _case(told, [clash], [gap])


def _half(draw: random.Random) -> Case:
    """Of two contradictions and three gaps it says some; one by its id, one by its reason alone."""
    a, b, c, d, e, f, g = names(draw, 7)
    said, unsaid = _clash(draw, a, b), _clash(draw, d, e)
    gaps = [_gap(draw, c), _gap(draw, f), _gap(draw, g, a, b)]
    gaps[0][2], gaps[1][2], gaps[2][2] = (f"worker: {why}" for why in draw.sample(_WHY, 3))
    told = f"It is {said[1][0][1]} or {said[1][1][1]}. {c} says so; {gaps[1][2]}."
    told += f" And {g} has no result ({gaps[2][2]})."
    return _case(told, [said, unsaid], gaps)


def _apart(draw: random.Random) -> Case:
    """Both figures are there, in two sentences, as if they were of two things."""
    a, b = names(draw, 2)
    clash = _clash(draw, a, b)
    (_, one), (_, other) = clash[1]
    return _case(f"The boat costs {one}.\nThe pier costs {other}.", [clash], [])


def _nothing_to_add(draw: random.Random) -> Case:
    return _case(f"Keep it: {draw.randrange(20, 90)} people need it.\n\nThey said so.", [], [])


def _spaced(draw: random.Random) -> Case:
    """The text has blanks around it."""
    [a] = names(draw, 1)
    return _case("\n Keep it. \n\n", [], [_gap(draw, a)])


def _only_spaced(draw: random.Random) -> Case:
    """Blanks around a text to which there is nothing to add."""
    return _case("\n Keep it. \n\n", [], [])


def _empty(draw: random.Random) -> Case:
    """The model wrote nothing at all."""
    a, b, c = names(draw, 3)
    return _case(draw.choice(("", " \n")), [_clash(draw, a, b)], [_gap(draw, c)])


def wanted(case: Case) -> str:
    """The answer of a case with what it does not say."""
    text = case["answer"]
    clashes = [Contradiction(about, tuple(map(tuple, said))) for about, said in
               case["contradictions"]]  # fmt: skip
    gaps = [Gap(id, what, why, tuple(touched)) for id, what, why, touched in case["gaps"]]
    told = [text.strip()] if text.strip() else []
    told += [str(each) for each in clashes if not each.stated_in(text)]
    left = [f"- {each}" for each in gaps if not (each.task_id in text and each.why in text)]
    if left:
        told.append("\n".join(["Missing:", *left]))
    return "\n\n".join(told)


_made = compared(wanted)


COMPLETED = Exercise(
    "9.3", ("completed",), (
        Trial("adds what the text hides, below it", STAGE, cases(_silent, _apart),
              _made("what comes after the text: contradictions first, then one block of gaps")),
        Trial("says nothing twice", STAGE, cases(_honest, _half, _nothing_to_add),
              _made("what the text says already; a gap needs its id and its reason"), 0.5),
        Trial("leaves no empty blocks", STAGE, cases(_spaced, _only_spaced, _empty),
              _made("a text with blanks around it, and one that is empty"), 0.5),
    ),
    places={
        "*": "the {} answer",
    },
    finished={"completed": "course.supervisor_worker.aggregate:completed"},
)  # fmt: skip
