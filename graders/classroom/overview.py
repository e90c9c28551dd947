"""A class at a glance, as data and as one page: what is ungraded, what went wrong, how often."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from graders.classroom.grades import Grade
from graders.classroom.lms_names import read_time
from graders.records.report import ExerciseReport
from graders.records.whole import write

DATA, PAGE = "class.json", "class.html"
TEMPLATE = Path(__file__).parent / "overview.html"
BINS = 10
_NAMES = ("student", "students", "submission")


def overview(
    grades: Sequence[Grade], before: Mapping[str, Any], key: bytes = b""
) -> dict[str, Any]:
    """What there is to say of a class.

    Args:
        grades: of everybody.
        before: what this gave the last time; empty the first time.
        key: the class's secret, by which `scores` knows a submission again and names nobody.

    Returns:
        Plain values: `ungraded`, `chapters` (each with its distribution, exercises, codes, times)
        and `changed` since the last time.
    """
    names = sorted({each.result.chapter for each in grades})
    whose = {f"{g.result.student}/{g.result.chapter}": g.result.score for g in grades}
    marks = {name: _mark(name, key) for name in whose}
    scores = {marks[name]: score for name, score in whose.items()}
    old = before.get("scores", {})
    return {
        "counts": Counter(each.result.status for each in grades),
        "waiting": sum(bool(each.waiting) for each in grades),
        "ungraded": [
            {
                "student": each.result.student,
                "chapter": each.result.chapter,
                "code": each.result.code,
                "message": each.result.message,
            }
            for each in grades
            if each.result.status == "ungraded"
        ],
        "chapters": [
            _chapter(name, [g for g in grades if g.result.chapter == name]) for name in names
        ],
        "changed": [
            {"submission": name, "before": old[mark], "after": scores[mark]}
            for name, mark in marks.items()
            if mark in old and old[mark] != scores[mark]
        ],
        "new": sum(name not in old for name in scores) if old else 0,
        "scores": scores,
    }


def write_overview(grades: Sequence[Grade], out: Path, *, names: bool = False) -> Path:
    """Write `class.json` and `class.html`, with or without students' names."""
    from jinja2 import Environment  # here: who only judges needs none

    data = out / DATA
    try:
        before = json.loads(data.read_text(encoding="utf-8")) if data.exists() else {}
    except ValueError:
        before = {}
    secret = out / "secret"
    made = overview(grades, before, secret.read_bytes() if secret.exists() else b"")
    write(data, json.dumps(made if names else _nameless(made), ensure_ascii=False, indent=1))
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
        TEMPLATE.read_text(encoding="utf-8")
    )
    page = out / PAGE
    text = template.render(**made, names=names, missing=made["counts"]["missing"])
    write(page, text)
    return page


def _mark(submission: str, key: bytes) -> str:
    return hashlib.blake2b(submission.encode(), key=key[:64], digest_size=8).hexdigest()


def _nameless(made: Any) -> Any:
    """The same without whatever names a student."""
    if isinstance(made, dict):
        return {key: _nameless(value) for key, value in made.items() if key not in _NAMES}
    return [_nameless(each) for each in made] if isinstance(made, list) else made


def _chapter(name: str, grades: Sequence[Grade]) -> dict[str, Any]:
    graded = [each for each in grades if each.result.score is not None]
    most = max((each.result.max_score for each in grades), default=0.0)
    scores = sorted(each.result.score or 0.0 for each in graded)
    exercises: dict[str, list[tuple[str, ExerciseReport]]] = defaultdict(list)
    for each in graded:
        for exercise in each.result.report.exercises if each.result.report else ():
            exercises[exercise.number].append((each.result.student, exercise))
    return {
        "name": name,
        "max": most,
        "graded": len(graded),
        "median": scores[len(scores) // 2] if scores else None,
        "bins": _bins(scores, most),
        "exercises": [_exercise(number, found) for number, found in exercises.items()],
        "codes": _codes(exercises),
        "times": _times(graded),
    }


def _bins(scores: Iterable[float], most: float) -> list[dict[str, Any]]:
    """How many have at least so many points, in tenths of what there is."""
    counts = Counter(min(int(score / most * BINS), BINS - 1) if most else 0 for score in scores)
    return [
        {"from": round(place * most / BINS, 2), "to": round((place + 1) * most / BINS, 2),
         "count": counts[place]}
        for place in range(BINS)
    ]  # fmt: skip


def _exercise(number: str, found: Sequence[tuple[str, ExerciseReport]]) -> dict[str, Any]:
    whole = sum(all(trial.verdict.passed for trial in each.trials) for _, each in found)
    tried = sum(any(t.verdict.sign != "not attempted" for t in each.trials) for _, each in found)
    earned = sum(each.score for _, each in found) / max(sum(e.max_score for _, e in found), 1e-9)
    return {
        "number": number,
        "passed": whole,
        "attempted": tried,
        "of": len(found),
        "share": round(whole / len(found), 3),
        "points": round(earned, 3),
    }


def _codes(
    exercises: Mapping[str, Sequence[tuple[str, ExerciseReport]]],
) -> list[dict[str, Any]]:
    """Exercise and code of a failure, the most frequent first, each with one message."""
    students: dict[tuple[str, str], list[str]] = defaultdict(list)
    examples: dict[tuple[str, str], str] = {}
    for number, found in exercises.items():
        for student, exercise in found:
            failed = [each.verdict for each in exercise.trials if not each.verdict.passed]
            for code in dict.fromkeys(each.code for each in failed):
                students[number, code].append(student)
                message = next(each.message for each in failed if each.code == code)
                examples.setdefault((number, code), message)
    order = sorted(students, key=lambda key: (-len(students[key]), key))
    return [
        {"exercise": key[0], "code": key[1], "count": len(students[key]),
         "example": examples[key], "students": students[key]}
        for key in order
    ]  # fmt: skip


def _times(graded: Sequence[Grade]) -> list[dict[str, Any]]:
    """Hours before it was due (after it: below 0) and the share of points, where both are known."""
    found = []
    for each in graded:
        row = each.collected
        due = read_time(row.due) if row and row.due else None
        if row is None or row.time is None or due is None or not each.result.max_score:
            continue
        hours = (due - row.time).total_seconds() / 3600
        share = (each.result.score or 0.0) / each.result.max_score
        found.append({"hours": round(hours, 2), "share": round(share, 3)})
    return sorted(found, key=lambda each: each["hours"])
