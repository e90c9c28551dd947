"""The validator comes without the slow import, and without changing what others get."""

import subprocess
import sys

import pytest

from tests.needs import package

SLOW = {"lark", "rfc3987_syntax", "isoduration", "arrow", "webcolors", "rfc3986_validator"}
SEEN = f"{SLOW} & {{*sys.modules}}"
FORMATS = {
    "rfc3987_syntax": ("iri", "http://a.example/ü", "a b<"),
    "isoduration": ("duration", "P3DT4H", "three days"),
    "rfc3986_validator": ("uri", "http://a.example/u", "a b<"),
    "webcolors": ("color", "red", "#12"),
}


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
def test_the_slow_modules_are_not_imported(module: str) -> None:
    assert run(f"import sys, {module}; print({SEEN})") == "set()"


@pytest.mark.parametrize("first", ["course.models.validators, jsonschema", "jsonschema"])
def test_their_formats_are_checked_as_before(first: str) -> None:
    for slow in FORMATS:
        package(slow)  # without it jsonschema doesn't check the format
    code = (
        f"import {first}, course.models.validators, sys; "
        "has = jsonschema.FormatChecker().conforms; "
        f"print([[has(text, rule) for text in texts] for rule, *texts in {[*FORMATS.values()]!r}])"
    )
    assert run(code) == str([[True, False]] * len(FORMATS))
