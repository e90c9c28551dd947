"""Where no sandbox works, tests of the judge say so; in CI on Linux they fail."""

import sys

import pytest

from tests.judge import boxes


@pytest.fixture
def nothing_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxes.bwrap, "available", lambda: "bubblewrap is not installed")
    monkeypatch.setattr(boxes.landlock, "available", lambda: "no Landlock here")


@pytest.mark.parametrize("name", boxes.BACKENDS)
@pytest.mark.usefixtures("nothing_works")
def test_ci_fails_and_names_what_to_install(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(pytest.fail.Exception, match="apt install bubblewrap"):
        boxes.needed(name)
    with pytest.raises(pytest.fail.Exception, match="apt install bubblewrap"):
        boxes.strongest()


@pytest.mark.parametrize(("ci", "platform"), [("", "linux"), ("true", "darwin")])
@pytest.mark.usefixtures("nothing_works")
def test_elsewhere_it_is_skipped_with_a_reason(
    monkeypatch: pytest.MonkeyPatch, ci: str, platform: str
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(pytest.skip.Exception, match="no Landlock here"):
        boxes.needed("landlock")
    with pytest.raises(pytest.skip.Exception, match="bubblewrap is not installed"):
        boxes.strongest()


def test_one_sandbox_of_several_may_be_missing_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr(boxes.bwrap, "available", lambda: "bubblewrap is not installed")
    monkeypatch.setattr(boxes.landlock, "available", lambda: "")
    with pytest.raises(pytest.skip.Exception, match="bubblewrap is not installed"):
        boxes.needed("bwrap")
    assert boxes.strongest().name == "landlock"
