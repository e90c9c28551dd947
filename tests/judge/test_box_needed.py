"""Where a sandbox is missing, tests of the judge say so; in CI on Linux they fail."""

import sys

import pytest

from tests import needs
from tests.judge import boxes

MISSING = {
    "bwrap": "bubblewrap is missing, apt install bubblewrap",
    "landlock": "Landlock is missing, use Linux 5.13 or newer that allows it",
    "landlock, no namespaces": "Landlock is missing, use Linux 5.13 or newer that allows it",
}


@pytest.fixture
def nothing_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxes.bwrap, "available", lambda: "bubblewrap is not installed")
    monkeypatch.setattr(boxes.landlock, "available", lambda: "no Landlock here")


@pytest.mark.parametrize("name", boxes.BACKENDS)
@pytest.mark.usefixtures("nothing_works")
def test_ci_fails_and_names_what_to_install(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(pytest.fail.Exception) as failed:
        boxes.needed(name)
    assert needs.why_not(str(failed.value)) == MISSING[name]
    with pytest.raises(pytest.fail.Exception, match="apt install bubblewrap"):
        boxes.strongest()


@pytest.mark.parametrize(
    ("ci", "platform", "without"),
    [("", "linux", ""), ("true", "darwin", ""), ("true", "linux", "Landlock, bubblewrap")],
)
@pytest.mark.usefixtures("nothing_works")
def test_elsewhere_it_is_skipped_with_a_reason(
    monkeypatch: pytest.MonkeyPatch, ci: str, platform: str, without: str
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("TESTS_WITHOUT", without)
    monkeypatch.setattr(sys, "platform", platform)
    for name in boxes.BACKENDS:
        with pytest.raises(pytest.skip.Exception) as skipped:
            boxes.needed(name)
        assert needs.why_not(str(skipped.value)) == MISSING[name]
    with pytest.raises(pytest.skip.Exception, match="bubblewrap is not installed"):
        boxes.strongest()


def test_what_needs_any_sandbox_takes_the_one_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxes.bwrap, "available", lambda: "bubblewrap is not installed")
    monkeypatch.setattr(boxes.landlock, "available", lambda: "")
    assert boxes.strongest().name == "landlock"
