"""The validator comes without the slow import, and without changing what others get."""

import subprocess
import sys

import pytest

RULES = "iri", "iri-reference"
SEEN = "'lark' in sys.modules or 'rfc3987_syntax' in sys.modules"


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "module",
    [
        "course.models.validators",
        "course.models.policy",
        "graders.checks",
        "graders.handed_in",
        "graders.judge.chapters",
        "graders.judge.submission",
    ],
)
def test_the_slow_module_is_not_imported(module: str) -> None:
    assert run(f"import sys, {module}; print({SEEN})") == "False"


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("first", ["course.models.validators, jsonschema", "jsonschema"])
def test_its_formats_are_checked_as_before(first: str, rule: str) -> None:
    pytest.importorskip("rfc3987_syntax", reason="jsonschema checks no iri without it")
    code = (
        f"import {first}, course.models.validators, sys; "
        "has = jsonschema.FormatChecker().conforms; "
        f"print(has('http://bücher.example', '{rule}'), has('a b<', '{rule}'), {SEEN})"
    )
    assert run(code) == "True False True"
