"""Measure the simulated model on generated requests: `python -m tests.reading [part]`.

Parts: train, validation, test. The test part is for the end; each look at it is a line in
looks.csv, so that a reader of its figure knows how often it was looked at. `--wrong` prints what
went wrong.
"""

from __future__ import annotations

import argparse
import csv
from datetime import UTC, datetime
from pathlib import Path

from course.models.connect import connect
from tests.reading.domains import domains
from tests.reading.requests import every
from tests.reading.scoring import put_all, table

LOOKS = Path(__file__).parent / "looks.csv"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", default="train", choices=["train", "validation", "test"])
    parser.add_argument("--wrong", action="store_true", help="print the requests that went wrong")
    given = parser.parse_args()
    client = connect(profile="instant", wire=False)
    verdicts = put_all(client, every(domains(), given.part))
    if given.wrong and given.part != "test":
        for each in verdicts:
            if each.wrong:
                said = " // ".join(str(m["content"]) for m in each.case.messages)
                print(f"{each.case.domain} {each.case.operator}: {said}\n    {each.wrong}")
    print(table(verdicts))
    if given.part == "test":
        right = sum(not each.wrong for each in verdicts)
        with LOOKS.open("a", newline="") as file:
            csv.writer(file).writerow([datetime.now(UTC).date(), right, len(verdicts)])


if __name__ == "__main__":
    main()
