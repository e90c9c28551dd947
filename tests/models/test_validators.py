"""The validator comes without the slow import, and without changing what others get."""

import subprocess
import sys

import pytest

from tests.needs import package

RULES = "iri", "iri-reference"
SEEN = "'lark' in sys.modules or 'rfc3987_syntax' in sys.modules"


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "module",
    [
        "course.models.policy",
        "graders.chapters",  # nbformat imports jsonschema, too
        "graders.handed_in",
    ],
)
def test_the_slow_module_is_not_imported(module: str) -> None:
    assert run(f"import sys, {module}; print({SEEN})") == "False"


@pytest.mark.parametrize("first", ["course.models.validators, jsonschema", "jsonschema"])
def test_its_formats_are_checked_as_before(first: str) -> None:
    package("rfc3987_syntax")  # jsonschema checks no iri without it
    code = (
        f"import {first}, course.models.validators, sys; "
        "has = jsonschema.FormatChecker().conforms; "
        f"print([has(text, rule) for rule in {RULES} for text in ('http://a.example/ü', 'a b<')])"
    )
    assert run(code) == "[True, False, True, False]"
