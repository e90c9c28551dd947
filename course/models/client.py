"""The client: the real AsyncOpenAI, made fit for virtual time and for runs that repeat exactly."""

from __future__ import annotations

from typing import Any

import httpx2
from openai import AsyncOpenAI
from openai._models import FinalRequestOptions

from course.models.draws import Draws
from course.models.wire import AGENT_HEADER, CALL_HEADER, RUN_HEADER, Key

BASE_URL = "http://in-process.invalid/v1"
"""The address an in-process client shows; nothing ever resolves it."""


class CourseClient(AsyncOpenAI):
    """AsyncOpenAI with three of its habits changed, and nothing else.

    Its retries wait as long as the original's, but the jitter is drawn from the request's key
    instead of a global generator. It does not start a thread to learn the platform's name, which
    has no place under virtual time. And it makes the URL of a path once, not with every request.

    `real_time` says whether what answers is reached over a network, so that time cannot be jumped.
    """

    def __init__(self, *, seed: int = 0, real_time: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self._seed = seed
        self.real_time = real_time
        self._platform = "Unknown"
        self._urls: dict[str, tuple[httpx2.URL, httpx2.URL]] = {}

    def copy(self, **options: Any) -> CourseClient:
        """A client like this one with some options changed, as in the original."""
        own = {"seed": self._seed, "real_time": self.real_time}
        extra = {**own, **(options.pop("_extra_kwargs", None) or {})}
        return super().copy(_extra_kwargs=extra, **options)

    with_options = copy

    @property
    def seed(self) -> int:
        """The seed of all draws, which a run's trace takes for its ids as well."""
        return self._seed

    def _prepare_url(self, url: str) -> httpx2.URL:
        base, made = self._urls.get(url, (None, None))
        if made is None or base is not self._base_url:
            made = super()._prepare_url(url)
            self._urls[url] = (self._base_url, made)
        return made

    def _calculate_retry_timeout(
        self,
        remaining_retries: int,
        options: FinalRequestOptions,
        response_headers: httpx2.Headers | None = None,
    ) -> float:
        asked = super()._parse_retry_after_header(response_headers)
        if asked is not None and asked > 0:
            return super()._calculate_retry_timeout(remaining_retries, options, response_headers)
        retries = options.get_max_retries(self.max_retries) - remaining_retries
        luck = Draws(self._seed, _key(options, retries)).uniform("retry jitter")
        return min(0.5 * 2.0**retries, 8.0) * (1 - 0.25 * luck)


def _key(options: FinalRequestOptions, attempt: int) -> Key:
    """The key of a request that has not become one yet."""
    headers = options.headers if isinstance(options.headers, dict) else {}
    call = str(headers.get(CALL_HEADER, "0"))
    return Key(
        str(headers.get(RUN_HEADER, "")),
        str(headers.get(AGENT_HEADER, "")),
        int(call) if call.isdigit() else 0,
        attempt,
    )
