"""Forms: what a mention of one kind is worth for a parameter of another, by form alone."""

from __future__ import annotations

from course.models.policy.wordlists import table

# What a mention of each kind is worth for a parameter of each kind, before any cue.
BASE: dict[str, dict[str, float]] = table("forms.base")
