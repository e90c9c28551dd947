"""What the site holds, by who reads it: each page of the course stands here once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

API = "api"
"""The folder of the pages that are made from docstrings."""


@dataclass(frozen=True)
class Part:
    """The pages for one kind of reader.

    Attributes:
        title: over them, in every page's list.
        words: what they find there, on the first page.
        patterns: of pages, in the order in which they are read; paths in the repository.
    """

    title: str
    words: str
    patterns: tuple[str, ...]

    def pages(self, root: Path) -> list[str]:
        """Its pages, as paths without what follows the last dot."""
        found = []
        for pattern in self.patterns:
            paths = sorted(root.glob(pattern))
            found += [path.relative_to(root).with_suffix("").as_posix() for path in paths]
        return list(dict.fromkeys(found))


PARTS = (
    Part(
        "Learn",
        "The chapters with what they show, and what every word means.",
        ("notebooks/index.ipynb", "notebooks/*/*.ipynb", "docs/glossary.md"),
    ),
    Part(
        "Teach",
        "A class from release to grades, and how answers are judged.",
        ("docs/teaching.md", "docs/judging.md", "docs/judging-*.md", "docs/messages.md",
         "docs/domains.md", "docs/authoring.md", "docs/new-world.md", "docs/security.md"),
    ),
    Part(
        "Research",
        "From a question to a figure, and what is assumed on the way.",
        ("docs/lab.md", "docs/reproductions.md", "docs/frameworks.md", "docs/real-models.md",
         "docs/model-card.md", "docs/model-*.md", "docs/trace.md"),
    ),
    Part(
        "Build on",
        "Every system with its code, the public names, and how to join in.",
        ("docs/systems.md", "docs/systems/*.md", "docs/teams.md", "docs/tasks.md",
         f"{API}/*.md", "docs/dependencies.md", "CONTRIBUTING.md", "docs/style.md",
         "CHANGELOG.md"),
    ),
)  # fmt: skip
