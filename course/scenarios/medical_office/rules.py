"""What may be done and told, as checks in code: a model can ask for anything and gets no more.

`Call` is one telephone call: who was identified in it, what was given out, and the tools of the
four agents. Each tool checks its rule, and each use of it is an entry in the audit log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Annotated

from pydantic import Field

from course.errors import ToolError
from course.scenarios.database import Row
from course.scenarios.medical_office.office import DRUGS, Office

IDENTITY = "identity first"
EMERGENCY = "an emergency goes to a person"
PROTOCOL = "no advice beyond the protocol"
RECORD = "refills only if the record allows"
NEED = "insurance data on a need-to-know basis"
SCOPE = "nothing that no desk answers for"

LATER = "I can't help with that on the phone. A colleague will call back."
NEEDED = ("insurer", "plan")
"""What a caller may hear of the policy: enough to verify it, and nothing else in it."""

SIGNS = re.compile(
    r"\bchest\b.{0,30}\b(?:hurt|pain|ach(?:e|ing)|tight|press|heavy|squeez|burn)|on my chest|numb\b"
    r"|\b(?:hurt|pain|tight|press)\w*\b.{0,20}\bchest|heart attack|no pulse|stroke|slurr|n't feel"
    r"|(?:n'?t|not|stopp\w+|struggl\w+|trouble|hard|difficult\w*|short\w*|hardly)\b.{0,20}\b(?:breath"
    r"|respond|wak\w+|speak|stop bleed|want to live)|want to die|suicid|end (?:my life|it all)"
    r"|(?:kill|hurt|harm)\w* (?:my|him|her)self|seizure|having a fit|chok(?:e|ing)|collaps|faint"
    r"|(?:whole|entire) (?:pack|bottle|box)|too many (?:pill|tablet)|overdos|swallowed|drank|poison"
    r"|unconscious|passed out|turn\w+ blue|bleed\w*\b.{0,9}\b(?:heav|bad|a lot)|heavy bleeding"
    r"|(?:cough|vomit)\w* (?:up )?blood|blood everywhere|allergic (?:reaction|shock)"
    r"|(?:mouth|face|tongue|throat|lips?)\b.{0,12}\b(?:droop|hang|swell|swoll|clos)",
    re.IGNORECASE,
)
"""Signs of an emergency. A "no" before one counts for nothing: a person hears it and decides."""

_DRUGS = "|".join(name for name, *_ in DRUGS)
_ADVICE = re.compile(
    r"\b(?:take|taking|stop|double|halve|increase|reduce|skip|apply|inject|swallow|drink|rest"
    r"|combine|safe|harmless|recommend|diagnos\w+|you (?:have|need))\b"
    r"|\b(?:\d+(?:[.,]\d+)?|an?|one|two|three|four|half)\s?(?:mg|mcg|g|ml|tablets?|pills?|drops)\b",
    re.IGNORECASE,
)
REMEDIES = re.compile(
    rf"\b(?:drugs?|pills?|tablets?|antibiotics?|medicines?|doses?|mg|safe|diagnos\w+|{_DRUGS})\b",
    re.IGNORECASE,
)
"""What the protocol never speaks of: drugs, doses and diagnoses are a doctor's."""

Whose = Annotated[
    str | None, Field(description="full name of the patient it is about; the caller if left out")
]


class Call:
    """One call: `patient` is who was identified, `given` what may be said of the records."""

    def __init__(self, office: Office) -> None:
        self.office = office
        self.patient: Row | None = None
        self.given: list[str] = []
        self.entries = 0

    def log(self, rule: str, what: str, outcome: str, reason: str = "") -> None:
        """Write an entry into the audit log."""
        self.entries += 1
        row = (self.patient["id"] if self.patient else None, rule, what, outcome, reason)
        self.change("INSERT INTO audit VALUES (NULL, ?, ?, ?, ?, ?)", *row)

    def change(self, statement: str, *values: object) -> int:
        """Change the office's data; gives the number of rows that were changed."""
        with self.office.database.write() as connection:
            return connection.execute(statement, values).rowcount

    def tell(self, query: str, *values: object) -> list[Row]:
        """What a query finds, and take note that it may be said."""
        return [self.give(row) for row in self.office.rows(query, *values)]

    def give(self, row: Row) -> Row:
        """Take note that what stands in a row may be said, and give it."""
        self.given += map(str, row.values())
        return row

    def identify(self, words: str) -> str | None:
        """Look who calls: a full name and its date of birth, both as in the records.

        Only the name that callers introduce themselves with counts: who speaks for somebody else
        is not that patient. Gives the words without the introduction, which the agents need not
        know, or None for a caller who is not identified.
        """
        for row in self.office.rows("SELECT id, name, born FROM patients"):
            day = date.fromisoformat(row["born"])
            born = f"{row['born']}|{day.day} {day:%B %Y}|{day:%B} {day.day}, {day.year}"
            who = rf"(?:\bI'?m|\bI am|\bthis is|\bmy name is) {row['name']},?"
            when = rf"(?:(?:and )?I was )?(?:born|date of birth)(?: on)? (?:{born})\b[.,]?"
            rest, found = re.subn(f"{who} {when}", "", words, flags=re.IGNORECASE)
            if found:
                self.patient = row
                return rest.strip()
        self.log(IDENTITY, words, "refused", "no full name with its date of birth was given")
        return None

    @contextmanager
    def checked(self, rule: str, what: str, whose: str | None = None) -> Iterator[Row]:
        """One use of a tool, for the caller; a refusal in the block goes into the log."""
        try:
            if self.patient is None:
                raise ToolError("ask for the caller's full name and date of birth first")
            if whose and self._names_another(whose, self.patient["name"]):
                rule = IDENTITY
                raise ToolError("the caller is somebody else: nobody hears of another patient")
            yield self.patient
        except ToolError as error:
            self.given.append(str(error))
            self.log(rule, what, "refused", str(error))
            raise
        self.log(rule, what, "done")

    def _names_another(self, whose: str, caller: str) -> bool:
        """Whether a name, or a part of one, is another patient's and not the caller's."""
        known = " ".join(r["name"] for r in self.office.rows("SELECT name FROM patients")).lower()
        return bool({*whose.lower().split()} & {*known.split()} - {*caller.lower().split()})

    def release(self, answer: str, words: str) -> str:
        """The answer without advice that no desk gave; each sentence taken out is in the log.

        An answer to words for which no desk looked anything up is not given at all.
        """
        if not self.entries:
            self.log(SCOPE, words, "refused", "no desk's records or rules answer it")
            return LATER
        kept = []
        for said in re.split(r"(?<=[.!?])\s+|\n+", answer):
            rest = said.lower()
            for text in sorted(self.given, key=len, reverse=True):
                rest = rest.replace(text.lower().rstrip("."), " ")
            if _ADVICE.search(rest):
                self.log(PROTOCOL, f"to say: {said}", "refused", "no desk has said that")
            else:
                kept.append(said)
        return " ".join(kept) or LATER
