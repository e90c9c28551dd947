"""A way of boxing code in: what the three ways have in common, and the choice among them."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from course.errors import ConfigurationError
from graders.box.view import packages

MODULES = (
    "anyio._backends._asyncio",
    "openai",
    "openai.resources.chat.completions",
    "openai.types.chat",
    "httpx2",
    "pydantic",
    "course",
    "course.agent",
    "course.chat",
    "course.clock",
    "course.context",
    "course.limits",
    "course.models",
    "course.drawing",
    *(
        f"course.notebook.{each}"
        for each in "approval asking checks overview playing recalls seat show sliders solutions"
        " starting timeline".split()
    ),
    "course.observability.diagnosis",
    "course.observability.information",
    "course.observability.plan_runs",
    "course.routing",
    "course.supervisor_worker",
    "course.tools",
    "course.trace",
    "child.main",
)


@dataclass(frozen=True)
class Launch:
    """How to start one warmed process.

    Attributes:
        command: the program and its arguments; settings and the socket's number are added.
        settings: what the warmed process is told (see sealed/serve.py).
        code: where the sealed code stands, as the sandbox sees it.
    """

    command: list[str]
    settings: dict[str, Any]
    code: str
    environment: dict[str, str] = field(default_factory=dict)


class Backend(Protocol):
    """One way of boxing code in."""

    name: str
    walls: bool
    """Whether it keeps code from files, network and processes, or only to limits."""
    separate: bool
    """Whether a fork of a warmed process is enough of a box where it has no namespaces."""

    def launch(self, code: Path, scratch: Path) -> Launch:
        """How to start a warmed process on the code in `code`, with private folders in
        `scratch`."""
        ...


def python(code: str) -> list[str]:
    """The command that starts the warmed process on the code that stands at `code`."""
    course, *installed = packages()  # this course first: an environment may hold another one
    start = f"import sys; sys.path[:] = {[code, course]!r} + sys.path + {installed!r}; "
    start += "from sealed.serve import serve; serve(int(sys.argv[1]), sys.argv[2])"
    return [sys.executable, "-s", "-B", "-c", start]


def environment() -> dict[str, str]:
    """All that a box knows of the environment."""
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONSAFEPATH": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",  # else each thread reserves 128 MB of the address space allowed
        "MPLBACKEND": "Agg",
    }


def account() -> int | None:
    """The unprivileged account that root's boxes run under; None when we are not root.

    It differs between judges, so that the kernel counts their tasks apart.
    """
    return 61000 + os.getpid() % 4000 if os.geteuid() == 0 else None


def on_linux(name: str) -> None:
    """Refuse a backend elsewhere than on Linux, or on a processor whose calls we can't filter."""
    if sys.platform != "linux":
        raise ConfigurationError(f"the box {name!r} needs Linux; this is {sys.platform}")
    from graders.box.sealed import seccomp

    if not seccomp.supported():
        raise ConfigurationError(
            f"the box {name!r} filters system calls on x86_64 and aarch64 (64 bit) only; "
            f"this is {os.uname().machine}"
        )
