"""Addresses of services, as they may be shown: where they lead, and nothing that lets one in."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""The names that this machine has for itself."""

_FORM = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?:(?P<login>[^/?#]*)@)?"
    r"(?P<host>[^\s/?#@:\[\]]+|\[[0-9a-f:.]+\])(?::(?P<port>\d{1,5}))?(?P<rest>(?:[/?#].*)?)",
    re.IGNORECASE | re.DOTALL,
)


class Address(NamedTuple):
    """An address in its parts; `place` is the host, and the port where there is one.

    `user` and `password` are as they are meant, without percent signs; None where none are given.
    `rest` begins with the path.
    """

    scheme: str
    user: str | None
    password: str | None
    host: str
    place: str
    rest: str


def parts(address: str) -> Address | None:
    """An address taken apart; None for what is none.

    An @ behind the host is taken for the end of a password that has a / ? or # in it, so that no
    half of one is ever taken for a host.
    """
    found = _FORM.fullmatch(address.strip())
    if found is None or "@" in found["rest"]:
        return None
    user = password = None
    if found["login"] is not None:
        user, _, password = map(unquote, found["login"].partition(":"))
    place = found["host"] + (f":{found['port']}" if found["port"] else "")
    return Address(found["scheme"].lower(), user, password, found["host"].lower(), place,
                   found["rest"])  # fmt: skip


def shown(address: str) -> str:
    """Where an address leads, for messages and logs: "127.0.0.1:8123", or words where it is none.

    User, password, path and query are left out, for each of them may let somebody in.
    """
    known = parts(address)
    return known.place if known else "an address that cannot be read"
