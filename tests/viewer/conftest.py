"""Traces to draw: those of every system that the documents show, and some that they don't."""

import contextlib
import io
from pathlib import Path

import pytest

from course.trace import CAPTURE_VARIABLE, Trace
from tests.docs.test_systems import PAGES, block
from tests.viewer.runs import RUNS

PROGRAMS = sorted((Path(__file__).parents[1] / "programs").glob("*.py"))
MOST = 3  # of a program that runs its system many times
_CODE = {path.stem: path for path in (*PAGES, *PROGRAMS)}


def code(path: Path) -> str:
    return block(path, "python") if path.suffix == ".md" else path.read_text(encoding="utf-8")


def recorded(name: str) -> list[Trace]:
    """The traces, with messages, that a documented program makes."""
    made: list[Trace] = []
    begin = Trace.__init__

    def noted(self: Trace, *given: object, **more: object) -> None:
        begin(self, *given, **more)  # type: ignore[arg-type]
        made.append(self)

    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()):
        patch.setenv(CAPTURE_VARIABLE, "true")
        patch.setattr(Trace, "__init__", noted)
        exec(compile(code(_CODE[name]), name, "exec"), {"__name__": "__main__"})
    return [trace for trace in made if trace.spans][:MOST]


@pytest.fixture(scope="session", params=[*_CODE, *RUNS])
def traces(request: pytest.FixtureRequest) -> list[Trace]:
    """What one system leaves behind."""
    name: str = request.param
    return [RUNS[name]()] if name in RUNS else recorded(name)
