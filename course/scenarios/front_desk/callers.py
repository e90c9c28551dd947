"""People who call the front desk about a visit: what each of them knows, and how they answer.

They are drawn from the desk's own database, so that every wish can be met: a complaint with the
field of medicine that treats it, a day with a free slot, one open invoice. A caller answers what
they are asked, by the words of the question, and nothing else; it is no model, and always the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from course.scenarios.dice import Dice
from course.scenarios.front_desk import names
from course.scenarios.front_desk.desk import Desk

_VAGUELY = {"severity": "it bothers me a lot", "day": "Sunday 8 March 2026"}
NOT_SURE = "I am not sure what you mean."
_SINCE = ("two days", "three days", "a week", "two weeks")
_SEVERITY = ("mild", "moderate", "severe")
_METHODS = ("card", "cash", "transfer")
_QUESTIONS = (  # what a question is about, by its words
    ("complaint", r"\bwrong\b|complain|symptom|brings you"),
    ("since", r"\bsince\b|how long|\bbegan\b|\bstart"),
    ("severity", r"how bad|sever"),
    ("name", r"\bnames?\b|who is|\bpatient\b(?!'s date)"),
    ("born", r"\bborn\b|birth"),
    ("day", r"\b(?:which|what) day\b|(?<!part of )the day\b|\bdate\b(?! of birth)"),
    ("part_of_day", r"\bmorning\b|\bafternoon\b|\bhalf\b|part of (?:the )?day"),
    ("method", r"\bhow\b[^?]*\bpay\b|\bcash\b|\bcard\b|method"),
)
# Somebody whose name is theirs alone, and who has exactly one open invoice.
_PEOPLE = """
    SELECT p.id AS patient_id, p.first_name || ' ' || p.last_name AS name, p.born,
           min(i.id) AS invoice_id
    FROM patients p JOIN invoices i ON i.patient_id = p.id JOIN balances b ON b.invoice_id = i.id
    WHERE b.paid_cents < b.total_cents AND p.born < '2008-01-01'
      AND (SELECT count(*) FROM patients q
           WHERE q.first_name = p.first_name AND q.last_name = p.last_name) = 1
    GROUP BY p.id HAVING count(*) = 1 ORDER BY p.id
"""
_FREE = """
    SELECT DISTINCT date(s.starts) AS day, substr(s.starts, 12) < '12:00' AS morning
    FROM slots s JOIN doctors d ON d.id = s.doctor_id
    WHERE d.speciality = ? AND s.starts > '2026-03-03'
      AND s.id NOT IN (SELECT slot_id FROM appointments WHERE status <> 'cancelled')
      AND date(s.starts) NOT IN (
          SELECT date(t.starts) FROM appointments a JOIN slots t ON t.id = a.slot_id
          WHERE a.patient_id = ? AND a.status = 'booked')
    ORDER BY day, morning
"""


@dataclass(frozen=True, kw_only=True)
class Caller:
    """What one person knows, and what a desk should have found out when they hang up.

    Attributes:
        another_day: what they would rather have, once they were asked how they want to pay; None
            for people who know their mind.
        vague: at first they say how bad it is in their own words, and wish for a day on which the
            clinic is closed; asked again, they give what can be used.
    """

    patient_id: str
    name: str
    born: date
    complaint: str
    speciality: str
    since: str
    severity: str
    day: date
    part_of_day: str
    invoice_id: str
    method: str
    another_day: date | None = None
    vague: bool = False

    @property
    def first(self) -> str:
        """What they say first."""
        return f"Hello. I have a complaint: {self.complaint}. I need an appointment, please."

    @property
    def second(self) -> str:
        """What they say next, unless it was settled meanwhile."""
        return "I would also like to settle my invoice."

    def fact(self, about: str, *, first: bool = False) -> str:
        """How they say one of the things they know, the first time or later."""
        if first and self.vague and about in _VAGUELY:
            return _VAGUELY[about]
        if about in ("day", "another_day"):
            return spoken(getattr(self, about))
        if about == "born":
            return f"I was born on {self.born.day} {self.born:%B %Y}"
        if about == "name" and not first:
            return f"My name is {self.name}"
        if about == "part_of_day":
            return f"in the {self.part_of_day}"
        return str(getattr(self, about))


@dataclass
class Answering:
    """A caller on the line: a function from a question to an answer, that remembers.

    Told something that is no question, they come to the invoice, and when that is settled too they
    hang up, which is an EOFError.

    Attributes:
        caller: who it is.
        heard: what was said to them so far.
    """

    caller: Caller
    heard: list[str] = field(default_factory=list)
    changed: bool = False
    settled: bool = False
    told: set[str] = field(default_factory=set)

    async def __call__(self, question: str) -> str:
        """The answer to a question."""
        self.heard.append(question)
        if "?" not in question:
            if self.settled:
                raise EOFError(f"{self.caller.name} hung up")
            self.settled = True
            return self.caller.second
        about = list(subjects(question))
        self.settled = self.settled or "method" in about
        if self.caller.another_day and "method" in about and not self.changed:
            self.changed = True
            return f"Actually, can we change the day to {self.caller.fact('another_day')}?"
        told = [self._fact(each) for each in about]
        return f"{', '.join(told)}." if told else NOT_SURE

    def _fact(self, about: str) -> str:
        first = about not in self.told
        self.told.add(about)
        asked = "another_day" if about == "day" and self.changed else about
        return self.caller.fact(asked, first=first)


def subjects(question: str) -> Iterator[str]:
    """What a question asks for, in the order of a form."""
    for about, words in _QUESTIONS:
        if re.search(words, question, re.IGNORECASE):
            yield about


def spoken(day: date) -> str:
    """A day as a caller says it: 'Tuesday 10 March 2026'."""
    return f"{day:%A} {day.day} {day:%B %Y}"


def callers(
    desk: Desk, *, count: int = 5, undecided: bool = False, vague: bool = False
) -> list[Caller]:
    """People who call about a visit, drawn from the desk's database by its seed.

    Args:
        desk: an untouched one.
        count: how many; there are at most about ten.
        undecided: each of them changes the day of the visit at the end.
        vague: each of them says at first what cannot be used.
    """
    dice = Dice(desk.seed)
    people = dice.some(desk.rows(_PEOPLE), count)
    return [
        replace(each, vague=vague, another_day=each.another_day if undecided else None)
        for each in (_caller(desk, dice, person) for person in people)
    ]


def _caller(desk: Desk, dice: Dice, person: dict[str, Any]) -> Caller:
    adults = [each for each in names.SPECIALITIES if each != "paediatrics"]
    speciality = dice.pick(adults)
    free = desk.rows(_FREE, speciality, person["patient_id"])
    pairs = [(a, b) for a in free for b in free if a["day"] != b["day"]]
    wish, other = dice.pick([(a, b) for a, b in pairs if a["morning"] == b["morning"]])
    return Caller(
        patient_id=person["patient_id"],
        name=person["name"],
        born=date.fromisoformat(person["born"]),
        complaint=dice.pick(names.REASONS[speciality]),
        speciality=speciality,
        since=dice.pick(_SINCE),
        severity=dice.pick(_SEVERITY),
        day=date.fromisoformat(wish["day"]),
        part_of_day="morning" if wish["morning"] else "afternoon",
        invoice_id=person["invoice_id"],
        method=dice.pick(_METHODS),
        another_day=date.fromisoformat(other["day"]),
    )
