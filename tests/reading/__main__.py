"""Measure the simulated model on generated requests: `python -m tests.reading [part]`.

Parts: train, validation, test. The test part is for the end; each look at it is a line in
looks.csv, so that a reader of its figure knows how often it was looked at. `--wrong` prints what
went wrong, and `--documents` fills the schemas of generated documents instead, field by field.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from openai import AsyncOpenAI

from course.models.connect import connect
from tests.reading.documents import all_documents, put
from tests.reading.domains import domains
from tests.reading.requests import every
from tests.reading.scoring import put_all, table

LOOKS = Path(__file__).parent / "looks.csv"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", default="train", choices=["train", "validation", "test"])
    parser.add_argument("--wrong", action="store_true", help="print the requests that went wrong")
    parser.add_argument("--documents", action="store_true", help="fill schemas from documents")
    given = parser.parse_args()
    client = connect(profile="instant", wire=False)
    if given.documents:
        _documents(client, given.part, tell=given.wrong and given.part != "test")
        return
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


def _documents(client: AsyncOpenAI, part: str, *, tell: bool) -> None:
    """Tell the share of right fields by kind, and of documents without a wrong one."""
    right, of, whole = Counter[str](), Counter[str](), Counter[bool]()
    for document in all_documents(domains(), part):
        wrong = put(client, document)
        whole[not wrong] += 1
        for field in document.fields:
            kind = field.kind if field.value is not None else f"{field.kind}, not said"
            of[kind] += 1
            right[kind] += field not in wrong
        if tell and wrong:
            print(document.text, *(f"    {f.name}: {f.value}" for f in wrong), sep="\n")
    for kind in sorted(of):
        print(f"{kind:22} {right[kind]:4} of {of[kind]:4}  {right[kind] / of[kind]:4.0%}")
    print(f"fields {right.total()} of {of.total()}, documents {whole[True]} of {whole.total()}")


if __name__ == "__main__":
    main()
