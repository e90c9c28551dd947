"""Countries: their names and the codes that forms use for them (ISO 3166-1)."""

from __future__ import annotations

from course.models.policy.wordlists import word_list

COUNTRIES = dict(pair.split(":") for pair in word_list("countries.countries"))
"""Codes by the names of countries, in lower case."""
