"""Where the course is published, as web/host.toml says, and the doors that follow from it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
_HERE = Path(__file__).with_name("host.toml")


@dataclass(frozen=True)
class Host:
    """Addresses of what is published; an empty one is not there.

    Attributes:
        source: of the public repository, without a slash at the end.
        version: the tag that links point at.
        lite: of the course in a tab; a relative one is seen from the site's first page.
    """

    source: str = ""
    version: str = ""
    lite: str = ""

    def file(self, path: str) -> str:
        """The address of a file or a folder of the repository; empty where it has none."""
        return f"{self.source}/blob/{self.version}/{path}" if self.source and self.version else ""

    def doors(self, notebook: str, up: str) -> list[tuple[str, str]]:
        """The doors to a notebook besides its download, as (what is read, address).

        Args:
            notebook: its path in the repository.
            up: from its page to the site's first, such as ``"../../"``.
        """
        found = []
        if self.lite:
            base = self.lite if "://" in self.lite else up + self.lite
            found.append(("Open in a tab", f"{base}/lab/index.html?path={notebook}"))
        file, known = self.file(notebook), "https://github.com/"
        if file.startswith(known):  # both open notebooks from there by their path
            name = self.source.removeprefix(known)
            lab = f"{name}/{self.version}?urlpath=lab/tree/{notebook}"
            found += [
                ("Binder", f"https://mybinder.org/v2/gh/{lab}"),
                ("Colab", f"https://colab.research.google.com/github/{file.removeprefix(known)}"),
            ]
        return found


def host(path: Path = _HERE) -> Host:
    """What host.toml says.

    Raises TypeError: it has a key that means nothing.
    """
    return Host(**tomllib.loads(path.read_text(encoding="utf-8")))
