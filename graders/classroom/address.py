"""The address of a database: nobody is shown more of it than its host and its name.

It may hold a password, in the address's own place or as a setting behind "?", with whatever signs
in it, percent-encoded or not; and a driver that misreads it repeats a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

from course.errors import ConfigurationError
from graders.records.wording import one_line

SQLITE = "sqlite:///"
_WHERE = re.compile(
    r"(\[[0-9a-fA-F:.]+\]|[a-zA-Z0-9][a-zA-Z0-9.-]*)(?::[0-9]+)?(?:/([\w.-]*))?", re.ASCII
)
_LATER = re.compile("[:?]")
_SIGNS = re.compile(r"[^A-Za-z0-9]+")
_SHORTEST = 3  # letters; fewer are in every word


def shown(address: str) -> str:
    """An address for people to read: a file, or host and name of a database.

    Where signs in a password leave open what the host is, only the kind of database is told.
    """
    return _split(address)[0]


def safe(text: str, address: str) -> str:
    """What a driver said, unless a part of a secret in the address may be in it."""
    said = one_line(text)
    low = said.casefold()
    if any(piece in low for piece in _pieces(address)):
        return "the driver's own words are left out, since they repeat the password"
    return said


@contextmanager
def without_secrets(address: str) -> Iterator[None]:
    """Turn whatever goes wrong with a database into one line without its secrets.

    Raises:
        ConfigurationError: instead of any other exception; it has no cause, whose text would show.
    """
    try:
        yield
    except ConfigurationError:
        raise
    except Exception as trouble:  # each driver has errors of its own
        said = safe(str(getattr(trouble, "orig", None) or trouble), address)
        kind = type(trouble).__name__
        raise ConfigurationError(f"{shown(address)}: {kind}: {said}") from None


def _split(address: str) -> tuple[str, list[str]]:
    """What may be shown of an address, and the texts in it that may be secret."""
    if address.startswith(SQLITE):
        return address.removeprefix(SQLITE), []
    kind, scheme, rest = address.partition("://")
    if not scheme:
        return "the gradebook's database", [address]
    before, at, where = rest.rpartition("@")
    place, _, settings = where.partition("?")
    found = _WHERE.fullmatch(place)
    if found is None or (at and "?" in before):
        return f"a database by {_SIGNS.sub(' ', kind)}", [_LATER.split(rest, maxsplit=1)[-1]]
    values = [each.partition("=")[2] for each in settings.split("&")]
    return "/".join(part for part in found.groups() if part), [before.partition(":")[2], *values]


def _pieces(address: str) -> set[str]:
    """What may be secret, whole and by its runs of letters and digits, as it stands and decoded."""
    given = _split(address)[1]
    texts = {text.casefold() for each in given for text in (each, unquote(each)) if text}
    pieces = {piece for text in texts for piece in _SIGNS.split(text)}
    return texts | {piece for piece in pieces if len(piece) >= _SHORTEST}
