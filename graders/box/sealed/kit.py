"""Which code a process runs: where packages stand, and a hash of the files that each consists of.

Parent and box compare theirs: an environment may hold a second copy of the course, and an answer
that is judged by two copies at once loses its points for nothing that it did.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

PACKAGES = ("course", "child", "sealed")
"""What a box imports of the kit; the latter two are copies of the judge's."""


def fingerprint(folder: Path) -> str:
    """A hash of a package's files, by their paths in it; what programs add for themselves aside."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith((".", "__pycache__")) for part in parts):
            digest.update(f"{'/'.join(parts)}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def kit(homes: dict[str, Path]) -> dict[str, list[str]]:
    """For each package by name the folder it stands in, and its fingerprint."""
    return {name: [str(home), fingerprint(home)] for name, home in homes.items()}
