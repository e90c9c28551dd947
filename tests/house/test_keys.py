"""A person's key goes to their endpoint and nowhere else: no trace, recording or error holds it."""

import asyncio
from pathlib import Path

import pytest

from course import Agent, connect, run
from course.errors import CourseError
from course.models.server import background

KEY = "barley-seventeen"
AGENT = Agent(name="clerk", instructions="Answer.")


@pytest.fixture
def my_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("COURSE_BACKEND", "endpoint")


@pytest.mark.usefixtures("my_key")
def test_a_key_that_is_accepted_is_kept_nowhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with background(profile="instant", responder=lambda _: "hello", require_key=KEY) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        client = connect(record=tmp_path / "recording")
        result = asyncio.run(run(AGENT, "Hello?", client=client))
    result.trace.save(tmp_path / "trace.json")
    written = {path.name: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    assert result.answer == "hello"
    assert len(written) == 2
    assert {name for name, text in written.items() if KEY in text} == set()
    assert KEY not in repr(result)


@pytest.mark.usefixtures("my_key")
def test_a_key_that_is_refused_is_not_repeated(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def unkind(_: object) -> str:
        raise AssertionError("asked with a wrong key")

    with background(profile="instant", responder=unkind, require_key="another") as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        client = connect(record=tmp_path / "recording")
        with pytest.raises(CourseError, match="OPENAI_API_KEY") as refused:
            asyncio.run(run(AGENT, "Hello?", client=client))
    recorded = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert KEY not in str(refused.value) + "".join(recorded)
    assert "another" not in str(refused.value) + "".join(recorded)
