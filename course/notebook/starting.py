"""The first cell of a chapter: say what runs, and speak up only when something is missing."""

from __future__ import annotations

import os
import re
from importlib import metadata
from types import TracebackType
from typing import Any

from course.notebook import in_tab
from course.notebook.explain import undefined, unsolved
from course.notebook.leash import LIMIT, Leash
from course.notebook.overlooked import shell
from course.notebook.stopping import wake_on_signals
from course.tab import TAB
from course.trace import CAPTURE_VARIABLE

DISTRIBUTION = "switchboard-course"
NEEDED = ("openai", "pydantic", "ipykernel", "matplotlib", "ipywidgets")


def start(*, seconds: float = LIMIT) -> None:
    """Print one line: the version, and which model answers.

    From then on an exercise that is not solved yet answers with one line instead of a traceback,
    wherever it is called and whatever its error was wrapped in, a name that is not defined comes
    with the way out, the Stop button interrupts cells that await
    (:func:`course.notebook.stopping.wake_on_signals`), and the traces of runs carry what was asked
    and answered, unless OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT says otherwise. A cell
    that computes for longer than a minute is stopped with a line (:mod:`course.notebook.leash`).

    When a package is missing, or is not the version the course was tested with, the line is
    followed by ``[OK]`` or ``[FAIL]`` for each package and by the way out. In a browser's tab,
    whose packages come with the page, a line says instead what is different there.

    Args:
        seconds: of CPU that a cell may use.
    """
    print(f"Switchboard {_version()} · {_who_answers()}")
    if (notebook := shell()) is not None:
        notebook.set_custom_exc((Exception,), _told)
        os.environ.setdefault(CAPTURE_VARIABLE, "true")
        Leash(seconds).fasten(notebook)
    wake_on_signals()
    if TAB:
        in_tab.settle(notebook)
        return
    wanted = _wanted()
    findings = {name: _finding(name, version) for name, version in wanted.items()}
    if any(findings.values()):
        for name, fault in findings.items():
            print(f"[FAIL] {name}: {fault}" if fault else f"[OK]   {name}")
        print("Way out: run `make lab` in the course's folder again; it installs what is missing.")


def _told(
    shell: Any,
    kind: type[BaseException],
    trouble: BaseException,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> list[str]:
    """Show what is not solved, or not defined; everything else as IPython does by itself."""
    stub = unsolved(trouble)
    if stub is not None:
        lines = [f"○ {stub}"]
        shell._showtraceback(type(stub), stub, lines)
        return lines
    if type(trouble) is NameError:  # not a local variable that was read too early
        shown = shell.InteractiveTB.structured_traceback(kind, trouble, trace, tb_offset)
        lines = [*shown, undefined(trouble)]
        shell._showtraceback(kind, trouble, lines)
        return lines
    if TAB and (module := in_tab.absent(trouble)):
        lines = [in_tab.lacking(module)]
        shell._showtraceback(kind, trouble, lines)
        return lines
    shell.showtraceback((kind, trouble, trace), tb_offset=tb_offset, running_compiled_code=True)
    return []


def _version() -> str:
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "(not installed)"


def _who_answers() -> str:
    if os.environ.get("COURSE_BACKEND", "simulated") != "endpoint":
        return "offline, simulated model, no key needed"
    if not os.environ.get("OPENAI_API_KEY"):
        return "COURSE_BACKEND=endpoint without OPENAI_API_KEY: the simulated model answers"
    model = os.environ.get("COURSE_MODEL", "the default model")
    return f"endpoint: {model} answers, over the network"


def _wanted() -> dict[str, str | None]:
    """Return the versions that the course pins; without its metadata, only the names."""
    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return dict.fromkeys(NEEDED)
    pins: dict[str, str | None] = {}
    for line in lines:
        name, mark, version = line.partition(";")[0].strip().partition("==")
        extra = re.search(r"extra == ['\"](\w+)['\"]", line)
        if mark and (extra is None or extra[1] == "lab"):
            pins[name] = version
    return pins


def _finding(name: str, wanted: str | None) -> str:
    try:
        found = metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"
    if wanted and found != wanted:
        return f"{found} is installed, {wanted} is what the course was tested with"
    return ""
