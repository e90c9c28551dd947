"""Typed values in natural words: days, times of day and numbers, and which day is today."""

from __future__ import annotations

from datetime import date

import pytest

from course.models.policy.conversation import stated_today, written_on
from course.models.policy.dates import find_dates, find_months
from course.models.policy.mentions import mentions
from course.models.policy.times import find_times

DAY = date(2026, 6, 9)  # a Tuesday


@pytest.mark.parametrize(
    "told",
    [
        "It is Tuesday, June 9th, 2026. You mind the kiln.",
        '{"shop": "Kiln", "today": "2026-06-09", "open": true}',
        "| shop | Kiln |\n| today | 2026-06-09 |",
        "The kiln's desk. Tuesday, 9 June 2026, 8:15 in the morning.",
        "Current date and time: 2026-06-09 08:15",
        "Date: today is the 9th of June 2026.",
        "The calendar on the wall says 9 June 2026, a Tuesday. Open since 2 May 1990.",
        "Date stamp: Tue 09-Jun-2026",
        "You mind the kiln (Tuesday, 9 June 2026).",
        "09 Jun 2026 (Tuesday), all times UTC.",
    ],
)
def test_instructions_tell_the_day_in_many_forms(told: str) -> None:
    assert (stated_today(told) or written_on(told)) == DAY


def test_a_day_that_is_not_todays_tells_nothing() -> None:
    told = "We fired on Monday, 1 June 2026 and again on Friday, 5 June 2026. It is open daily."
    assert stated_today(told) is None and written_on(told) is None


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("the twenty-third of July", ["2026-07-23"]),
        ("shut since Friday", ["2026-06-05"]),
        ("ill since the first of May", ["2026-05-01"]),
        ("the 6th up to and including the 10th of July", ["2026-07-06", "2026-07-10"]),
        ("it broke last night, I saw it this morning", ["2026-06-08", "2026-06-09"]),
        ("the day before yesterday", ["2026-06-07"]),
        ("Thursday fortnight, tomorrow week", ["2026-06-25", "2026-06-17"]),
        ("on the last day of June", ["2026-06-30"]),
        ("a week from today", ["2026-06-16"]),
        ("on Saturday 13th", ["2026-06-13"]),
        ("Monday the twenty-second", ["2026-06-22"]),
        ("Mon 22 until Fri 26 June", ["2026-06-22", "2026-06-26"]),
        ("from the 6th of July until the 13th", ["2026-07-06", "2026-07-13"]),
        ("on the 2nd of this month", ["2026-06-02"]),
        ("until the last of May 2031", ["2031-05-31"]),
        ("open on Christmas Eve and New Year's Day?", ["2026-12-24", "2027-01-01"]),
        ("lanes on 12/12", ["2026-12-12"]),
        ("three 3/4 inch bolts", []),
        ("Friday 7 pm", ["2026-06-12"]),
        ("on the second floor", []),
    ],
)
def test_days_in_words(said: str, days: list[str]) -> None:
    assert [f.value.isoformat() for f in find_dates(said, DAY)] == days


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("at twenty past five in the morning", ["05:20"]),
        ("a quarter to five in the afternoon", ["16:45"]),
        ("9 till half past twelve", ["09:00", "12:30"]),
        ("from 7 to 9 pm", ["19:00", "21:00"]),
        ("from five to six days", []),
        ("tomorrow from ten, for three hours", ["10:00"]),
        ("quarter to six suits me", ["17:45"]),
        ("until a quarter to midnight", ["23:45"]),
        ("half past eight instead of seven, in the evening", ["20:30"]),
        ("from 7 to 12 people", []),
        ("at seven thirty in the evening, by 17h30, till 18.45", ["19:30", "17:30", "18:45"]),
        ("half past eleven at night, 7ish in the evening", ["23:30", "19:00"]),
        ("at 0730, at 1200 metres", ["07:30"]),
        ("longer by three and a half metres, at 9 Mill Lane", []),
    ],
)
def test_times_in_words(said: str, times: list[str]) -> None:
    assert [f.value for f in find_times(said)] == times


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("two thousand three hundred and twelve", [2312]),
        ("half a dozen cups, two and three quarters", [6, 2.75]),
        ("seven out of ten", [7]),
        ("the proper one was six point one five", [6.15]),
        ("between two and four", [2, 4]),
        ("at minus five degrees, for an hour and a half", [-5, 1.5]),
        ("three quarters of an hour", [0.75]),
        ("costs in million", []),
    ],
)
def test_numbers_in_words(said: str, numbers: list[float]) -> None:
    assert [m.value for m in mentions(said, DAY) if m.kind == "number"] == numbers


@pytest.mark.parametrize(
    ("said", "months"),
    [
        ("August 2027 would be the month", ["2027-08"]),
        ("from June on", ["2026-06"]),
        ("the bill of last month", ["2026-05"]),
        ("through all of November this year", ["2026-11"]),
    ],
)
def test_months_in_words(said: str, months: list[str]) -> None:
    assert [f"{f.value:%Y-%m}" for f in find_months(said, DAY)] == months


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("Two things: a van, and three vans more.", [3]),
        ("a single copy", [1]),
        ("for the next hour and a half", [1.5]),
    ],
)
def test_numbers_that_say_how_many(said: str, numbers: list[float]) -> None:
    assert [m.value for m in mentions(said, DAY) if m.kind == "number"] == numbers
