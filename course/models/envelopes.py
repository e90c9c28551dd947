"""What is around a request and stays the same from one to the next: made by the SDK, then kept.

For each request the SDK sets up some twenty headers, merges them three times and parses its
address twice, which costs more than all else it does. Of two requests to the same path only the
body differs, and the few headers that key the model's luck. The options of a request it makes anew
as well, with a copy of each default.

Source: openai 3.54 (`openai._base_client`, `_build_request`), httpx2 2.16.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import httpx2
from openai._models import FinalRequestOptions
from openai._utils import strip_not_given
from openai._utils._json import openapi_dumps

from course.models.wire import KEY_HEADERS

_DEFAULTS = FinalRequestOptions.construct(method="post", url="")


def options_of(path: str, body: object, given: Mapping[str, Any]) -> FinalRequestOptions:
    """The options with which the SDK posts a body to a path: those that are given, and defaults."""
    made = copy(_DEFAULTS)
    for name, value in {"url": path, "json_data": body, **given}.items():
        setattr(made, name, strip_not_given(value))
    return made


class Envelopes:
    """Those of one client."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, ...], tuple[tuple[Any, ...], _Envelope | None]] = {}

    def around(
        self,
        options: FinalRequestOptions,
        settings: tuple[Any, ...],
        build: Callable[[], httpx2.Request],
    ) -> httpx2.Request:
        """The request of these options, equal to the one that `build` makes.

        `settings` is what it depends on besides: an envelope is kept while they are the same.
        """
        headers, body = options.headers, options.json_data
        if type(headers) is not dict or type(body) is not dict:
            return build()
        vary = [name for name in KEY_HEADERS if type(headers.get(name)) is str]
        others = [each for each in headers.items() if each[0] not in vary]
        needs = (*settings, options.security, options.extra_json, options.params, others)
        place = (options.method, options.url, *headers)
        needed, envelope = self._kept.get(place, (None, None))
        if needed == needs:
            return envelope.around(body, headers) if envelope else build()
        made = build()
        envelope = _Envelope(made, vary)
        whole = isinstance(made.stream, httpx2.ByteStream)  # no form
        fits = whole and _told(envelope.around(body, headers)) == _told(made)
        self._kept[place] = needs, envelope if fits else None
        return made


class _Envelope:
    """Address, headers and timeouts of a request that was made."""

    def __init__(self, made: httpx2.Request, vary: Sequence[str]) -> None:
        self._method, self._url, self._more = made.method, made.url, made.extensions
        self._headers = made.headers.raw
        places = {name.lower().decode(): place for place, (name, _) in enumerate(self._headers)}
        self._vary = [(places[name], name) for name in vary]
        self._length = places.get("content-length", 0)

    def around(self, body: Mapping[str, Any], headers: Mapping[str, Any]) -> httpx2.Request:
        """A request with this body, and of these headers those that vary."""
        content, now = openapi_dumps(body), self._headers.copy()
        for place, name in self._vary:
            now[place] = (now[place][0], headers[name].encode("ascii"))
        now[self._length] = (now[self._length][0], b"%d" % len(content))
        stream = httpx2.ByteStream(content)
        request = httpx2.Request(self._method, self._url, headers=now, stream=stream,
                                 extensions=self._more)  # fmt: skip
        request.read()
        return request


def _told(request: httpx2.Request) -> tuple[Any, ...]:
    """All that a request says to whoever sends it."""
    return (
        request.method, request.url, request.headers.raw, request.content, request.extensions
    )  # fmt: skip
