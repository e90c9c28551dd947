"""What makes the policy's tables quick to read changes nothing of what they say."""

import tomllib

from course.models.policy.lexicon import TABLES, _entries
from tests.policy.stems import FOLDER, TABLE, made


def test_the_tables_are_read_as_toml_has_them() -> None:
    whole = [tomllib.loads((FOLDER / f"{f}.toml").read_text(encoding="utf-8")) for f in TABLES]
    told = [(name, *row) for each in whole for name, rows in each.items() for row in rows.items()]
    assert list(_entries()) == told


def test_the_stems_known_by_heart_are_the_stemmers() -> None:
    held = TABLE.read_text(encoding="utf-8")
    assert held == made(), "run: python -m tests.policy.stems"
