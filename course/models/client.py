"""The client: the real AsyncOpenAI, made fit for virtual time and for runs that repeat exactly."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from functools import cached_property, partial
from typing import Any

import httpx2
from openai import AsyncOpenAI, NotGiven
from openai._constants import INITIAL_RETRY_DELAY, MAX_RETRY_DELAY
from openai._models import FinalRequestOptions

from course.models.completions import Chat
from course.models.draws import Draws
from course.models.envelopes import Envelopes, options_of
from course.models.heard import Seated, hear, is_heard
from course.models.places import Places
from course.models.profile import Profile

BASE_URL = "http://in-process.invalid/v1"
"""The address an in-process client shows; nothing ever resolves it."""


class CourseClient(AsyncOpenAI):
    """AsyncOpenAI with five of its habits changed, and nothing else.

    It does not send a request again by itself: a `Line` does, and shows it in the trace (a copy
    that is told to, pauses for seconds that follow from the seed and what is asked). It does not
    start a thread to learn the platform's name, which has no place under virtual time. It makes
    a request's address and headers once, not with every request (`course.models.envelopes`), and
    does not walk through conversations that are plain JSON (`course.models.completions`). And
    inside a trace it records the chat completions of code that is not the course's
    (`course.models.heard`).

    Attributes:
        seed: of all draws; a run's trace takes it for its ids as well.
        real_time: whether what answers is reached over a network, so that time cannot be jumped.
        profile: of the model that answers, where it is known: its prices and its tools' failures.
        in_flight: how many requests its lines let be under way together; None is no limit.
        prices: US dollars per million tokens read and written, by model, beside the profile's.
        places: those of `in_flight`, shared by all lines to this client and its copies.
        secrets: texts that a service may repeat and nobody may read: its key, a login's password.
        seat: of somebody else's agent, whose calls these are (`course.foreign`); None is nobody's.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        real_time: bool = False,
        profile: Profile | None = None,
        in_flight: int | None = None,
        prices: Mapping[str, tuple[float, float]] | None = None,
        places: Places | None = None,
        secrets: Collection[str] = (),
        seat: Seated | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**{"max_retries": 0, **options})
        self.seed = seed
        self.real_time = real_time
        self.profile = profile
        self.prices = prices or {}
        self.places = places or (None if in_flight is None else Places(in_flight))
        self.secrets = secrets
        self.seat = seat
        self._platform = "Unknown"
        self._envelopes = Envelopes()

    def copy(self, **options: Any) -> CourseClient:
        """A client like this one with some options changed, as in the original."""
        extra = {**self._own(), **(options.pop("_extra_kwargs", None) or {})}
        return super().copy(_extra_kwargs=extra, **options)

    with_options = copy

    def _own(self) -> dict[str, Any]:
        """What a copy gets besides the SDK's own options."""
        return {
            "seed": self.seed, "real_time": self.real_time, "profile": self.profile,
            "prices": self.prices, "places": self.places, "secrets": self.secrets,
            "seat": self.seat,
        }  # fmt: skip

    @cached_property
    def chat(self) -> Chat:
        """As the original's."""
        return Chat(self)

    async def post(self, path: str, *, cast_to: Any, **more: Any) -> Any:
        """Send as the original does; chat completions of somebody else's code are heard."""
        if is_heard(self, path, more.get("options")):
            return await hear(self, cast_to=cast_to, **{"options": None, **more})
        if more.keys() & {"content", "files"}:
            return await super().post(path, cast_to=cast_to, **more)
        asked = options_of(path, more.pop("body", None), more.pop("options", None) or {})
        return await self.request(cast_to, asked, **more)

    def cost(self, model: str, read: int, written: int) -> float | None:
        """What so many tokens cost (US dollars); None where the model's price is not known."""
        if model in self.prices:
            given, taken = self.prices[model]
            return (read * given + written * taken) / 1_000_000
        priced = self.profile.models.get(model) if self.profile else None
        return priced.cost(read, written) if priced else None

    def _calculate_retry_timeout(
        self, remaining_retries: int, options: FinalRequestOptions, response_headers: Any = None
    ) -> float:
        told = super()._calculate_retry_timeout(remaining_retries, options, response_headers)
        if told == self._parse_retry_after_header(response_headers):
            return told
        tries = min(options.get_max_retries(self.max_retries) - remaining_retries, 1_000)
        asked = f"{tries} {zlib.crc32(repr(options.json_data).encode())}"
        pause = min(INITIAL_RETRY_DELAY * 2.0**tries, MAX_RETRY_DELAY)
        return pause * (1 - 0.25 * Draws(self.seed).uniform(asked))  # its own jitter's width

    def _build_request(
        self, options: FinalRequestOptions, *, retries_taken: int = 0
    ) -> httpx2.Request:
        build = partial(super()._build_request, options, retries_taken=retries_taken)
        http = self._client
        if len(http.cookies.jar):
            return build()
        timeout = self.timeout if isinstance(options.timeout, NotGiven) else options.timeout
        settings = (
            retries_taken, self._base_url, self.api_key, self.admin_api_key, self.organization,
            self.project, timeout, http.headers.raw, http.params,
        )  # fmt: skip
        return self._envelopes.around(options, settings, build)
