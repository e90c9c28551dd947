"""Play the rulers against the simulated model: `python -m tests.rulers [SET ...]`.

A SET is a name in sets/ or a path; without one, all are played. Prints a table; each look at a set
becomes a line of looks.csv, unless it is the same stand-in again. `--cases` prints what was wrong,
case by case, and the look says that the set was read: its figures are no results from then on.
`--fair` asks instead whether sets are fair (`--why`: in words), without the simulated model.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import hashlib
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import course
from course.evaluation.calibration import wilson
from tests import sets
from tests.rulers import fair
from tests.rulers.cases import KINDS, SETS, Ruler, Verdict, paths, read
from tests.rulers.verdicts import verdict

HERE = Path(__file__).parent
LOOKS = HERE / "looks.csv"
MODEL = Path(course.__file__).parent / "models"
COUNTED = ("cases", "right", "calls", "of_calls", "told", "of_told", *KINDS)
COLUMNS = ("set", "digest", "code", "read", *COUNTED)


def counted(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """The figures of a set: how many cases ended how, and the two shares."""
    kinds = [each.kind for each in verdicts]
    shares = {
        "calls": sum(each.calls[0] for each in verdicts),
        "of_calls": sum(each.calls[1] for each in verdicts),
        "told": sum(each.told[0] for each in verdicts),
        "of_told": sum(each.told[1] for each in verdicts),
    }
    ends = {kind: kinds.count(kind) for kind in ("right", *KINDS)}
    return {"cases": len(verdicts), **shares, **ends}


def stand_in() -> str:
    """A hash of what decides in the simulated model, its words too: 16 hexadecimal digits."""
    made = hashlib.sha256()
    files = [each for each in MODEL.glob("policy/**/*") if each.suffix in (".py", ".toml", ".json")]
    for path in sorted([*files, MODEL / "simulated.py"]):
        made.update(f"{path.relative_to(MODEL).as_posix()}\0".encode() + path.read_bytes())
    return made.hexdigest()[:16]


def looked(ruler: Ruler, figures: dict[str, int], *, read: bool) -> tuple[int, bool]:
    """Note a look at a set; gives how many there were, and whether it was ever read."""
    row = {"set": ruler.name, "digest": sets.digest(ruler.held), "code": stand_in(),
           "read": "yes" if read else "no", **figures}  # fmt: skip
    before = [each for each in looks() if each["set"] == ruler.name]
    line = {column: str(row[column]) for column in COLUMNS}
    if line not in before:
        new = not LOOKS.exists()
        with LOOKS.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow(line)
        before.append(line)
    return len(before), any(each["read"] == "yes" for each in before)


def looks() -> list[dict[str, str]]:
    if not LOOKS.exists():
        return []
    with LOOKS.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def share(part: int, whole: int) -> str:
    """A share with where the true one lies with 95 % certainty (Wilson's interval)."""
    if not whole:
        return "-"
    low, high = wilson(part, whole)
    return f"{part}/{whole} ({low:.2f}-{high:.2f})"


def row(name: str, figures: dict[str, int], times: str) -> str:
    cells = [
        name,
        share(figures["right"], figures["cases"]),
        share(figures["calls"], figures["of_calls"]),
        share(figures["told"], figures["of_told"]),
        share(figures["harmful"], figures["cases"]),
        *(str(figures[kind]) for kind in KINDS[1:]),
        times,
    ]
    return f"| {' | '.join(cells)} |"


async def played(ruler: Ruler) -> list[Verdict]:
    """Every case of a set, once and in order."""
    client = course.connect(profile="instant")
    return [await verdict(ruler, case, client) for case in ruler.cases]


def show(rulers: Iterable[Ruler], *, cases: bool) -> None:
    print(f"| set | right | calls made | told | harmful | {' | '.join(KINDS[1:])} | looks |")
    print("|" + "---|" * (6 + len(KINDS[1:])))
    for ruler in rulers:
        verdicts = asyncio.run(played(ruler))
        figures = counted(verdicts)
        often, was_read = looked(ruler, figures, read=cases)
        times = f"{often}, read" if was_read else str(often)
        print(row(ruler.name, figures, times), flush=True)
        groups = sorted({each.group for each in verdicts}) if ruler.kind == "deeds" else []
        for group in groups:
            part = counted([each for each in verdicts if each.group == group])
            print(row(f"{ruler.name}: {group}", part, times))
        for each in verdicts if cases else ():
            why = "; ".join(problem.said for problem in each.problems)
            print(f"{each.kind:8} {each.id} ({each.group}) {why[:300]}", file=sys.stderr)


def are_fair(rulers: Iterable[Ruler], *, why: bool) -> bool:
    """Print what is unfair in the sets, by ids and kinds alone unless it is asked why."""
    good = True
    for ruler in rulers:
        bad = 0
        for case in ruler.cases:
            if found := asyncio.run(fair.faults(ruler, case)):
                bad += 1
                told = found if why else [each.partition(":")[0] for each in found]
                print(f"UNFAIR {ruler.name} {case['id']}: {' | '.join(told)}")
        count = len(ruler.cases)
        print(f"{ruler.name}: {count - bad} of {count} {ruler.kind} are fair", flush=True)
        good = good and not bad
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", help="names in sets/, or paths; all without one")
    parser.add_argument("--cases", action="store_true", help="print what was wrong: a set is read")
    parser.add_argument("--fair", action="store_true", help="ask whether the sets are fair")
    parser.add_argument("--why", action="store_true", help="with --fair: say why one is not")
    given = parser.parse_args()
    named = [each if each.suffix else SETS / f"{each}.json" for each in map(Path, given.sets)]
    for each in named:
        if not each.exists():
            print(f"there is no set {each}: give a path, or a name in tests/rulers/sets")
            return 2
    rulers = map(read, named or paths())
    if given.fair:
        return 0 if are_fair(rulers, why=given.why) else 1
    show(rulers, cases=given.cases)
    return 0


if __name__ == "__main__":
    sys.exit(main())
