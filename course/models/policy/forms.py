"""Forms: what a mention of one kind is worth for a parameter of another, by form alone."""

from __future__ import annotations

# What a mention of each kind is worth for a parameter of each kind, before any cue.
BASE: dict[str, dict[str, float]] = {
    "date": {"date": 3.0},
    "weekday": {"date": 3.0},
    "month": {"month": 3.0, "date": 1.0},
    "hour": {"time": 3.0, "number": 1.0},
    "time": {"time": 3.0},
    "datetime": {"date": 3.0},
    "email": {"email": 4.0},
    "phone": {"phone": 4.0, "number": 0.2},
    "url": {"url": 4.0},
    "uuid": {"uuid": 4.0},
    "id": {"id": 3.0, "uuid": 3.0, "number": 1.3, "quoted": 1.0, "phone": 1.0},
    "intid": {"number": 1.6, "id": 1.0},
    "amount": {"amount": 3.0, "number": 1.2},
    "number": {"number": 2.0, "amount": 0.6},
    "name": {"name": 3.0, "quoted": 1.5, "run": 0.4},
    "words": {
        "file": 2.6,
        "quoted": 2.6,
        "run": 1.5,
        "name": 1.4,
        "id": 0.2,
        "number": -1.0,
        "address": 2.2,
    },
    "query": {"address": 1.8, "quoted": 2.6, "run": 1.8, "name": 1.5, "id": 0.8},
    # What a search for persons is made with: a name or what else tells people apart.
    "who": {
        "name": 3.0,
        "address": 2.6,
        "phone": 2.6,
        "email": 2.6,
        "id": 2.2,
        "quoted": 1.5,
        "run": 0.4,
    },
    "prose": {"quoted": 2.6},
    "currency": {"currency": 3.0},
}
