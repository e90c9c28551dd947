"""Systems in files: what can be run in a Python file, by its name or as the last one in it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from course.errors import ConfigurationError, in_a_line
from course.models.wire import AsyncOpenAI
from course.systems import RUNNABLE, carrier_of


@contextmanager
def loaded(place: str, *, client: AsyncOpenAI) -> Iterator[tuple[str, Any]]:
    """The system that stands in a file, and its name, within the block.

    Where a file speaks of LiveKit, other makers' ears, voices and models are stood in for there, as
    `course.voice.stand_ins` says.

    Args:
        place: "shop.py", whose last system counts, or "shop.py:desk". What has that name may also
            be made without arguments: a function or a class.
        client: answers in place of other makers' models.

    Raises ConfigurationError: there is no such file or name, the file cannot be run, or nothing in
    it is a system. Enter it outside virtual time: what a file imports may need threads.
    """
    path, name = _parted(place)
    with _stand_ins(path, client), _imported(path) as known:
        if not name:
            name = next((each for each in reversed(known) if _is_system(known[each])), "")
        if not name:
            raise ConfigurationError(f"{path} has no system: it needs {RUNNABLE}")
        if name not in known:
            listed = ", ".join(each for each in known if _is_system(known[each])) or "none"
            raise ConfigurationError(f"{path} has no '{name}'; its systems: {listed}")
        yield name, _made(known[name], f"{path}:{name}")


def _parted(place: str) -> tuple[Path, str]:
    """The file and the name; a drive's colon is no separator."""
    file, _, name = place.rpartition(":")
    path, name = (Path(file), name) if file and name.isidentifier() else (Path(place), "")
    if not path.is_file():
        raise ConfigurationError(f"there is no file {path}")
    return path, name


@contextmanager
def _imported(path: Path) -> Iterator[dict[str, Any]]:
    """The names of a file that is run as a module, in the order in which they were made."""
    module_name = f"{path.stem} (a file)"  # no other module's
    spec = spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ConfigurationError(f"{path} is no Python file")
    module = sys.modules[module_name] = module_from_spec(spec)
    beside = str(path.resolve().parent)
    sys.path.insert(0, beside)  # as Python does for a program
    try:
        with _told_in_a_line(str(path)):
            spec.loader.exec_module(module)
        yield {name: each for name, each in vars(module).items() if not name.startswith("_")}
    finally:
        sys.path.remove(beside)
        del sys.modules[module_name]


@contextmanager
def _told_in_a_line(place: str) -> Iterator[None]:
    """Tell whatever somebody's code raises in one line; a program that ends itself, too."""
    try:
        yield
    except (Exception, SystemExit) as error:
        raise ConfigurationError(f"{place} cannot be run: {in_a_line(error)}") from error


def _is_system(value: Any) -> bool:
    return not inspect.isclass(value) and (
        carrier_of(type(value)) is not None or is_entrypoint(value) or is_live(value)
    )


def is_entrypoint(value: Any) -> bool:
    """Whether this is what a program gives a LiveKit worker: an async function of its job."""
    if not inspect.iscoroutinefunction(value):
        return False
    taken = [str(each.annotation) for each in inspect.signature(value).parameters.values()]
    return len(taken) == 1 and taken[0].rstrip("'>").endswith("JobContext")


def is_live(value: Any) -> bool:
    """Whether this is an agent of LiveKit."""
    live = sys.modules.get("livekit.agents")
    return live is not None and isinstance(value, live.Agent)


def _made(value: Any, place: str) -> Any:
    """A system, made where it is a function or a class that takes nothing."""
    if callable(value) and not _is_system(value) and not inspect.iscoroutinefunction(value):
        needed = [
            each.name
            for each in inspect.signature(value).parameters.values()
            if each.default is each.empty
            and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        ]
        if needed:
            raise ConfigurationError(f"{place} needs {', '.join(needed)}: name what it gives")
        with _told_in_a_line(place):
            value = value()
    if not _is_system(value):
        kind = type(value).__name__
        raise ConfigurationError(f"{place} is or gives {kind}: it must be or make {RUNNABLE}")
    return value


def _stand_ins(path: Path, client: AsyncOpenAI) -> AbstractContextManager[None]:
    """What a program for LiveKit needs; importing that takes seconds, so no other one waits."""
    if b"livekit" not in path.read_bytes():
        return nullcontext()
    from course.voice.stand_ins import stand_ins

    return stand_ins(client)
