"""Rate limits as token buckets that refill continuously; a 429 follows from load, not from luck.

A request is charged before it runs, with its prompt and the room it asks for its answer, and only
when every bucket can pay. Time is the event loop's, so limits hold under virtual time as well.

Source: OpenAI guide "Rate limits" (several limits at once, the first one reached answers 429) and
Cerebras documentation, "Rate limits" (prompt plus max_tokens charged up front), read 2026-11.
"""

from __future__ import annotations

import math

from course.models import refusals
from course.models.profile import ModelProfile
from course.models.rates import MINUTE, Bucket


class RateLimiter:
    """The limits of one model: requests and tokens per minute."""

    def __init__(self, model: str, profile: ModelProfile) -> None:
        self._model = model
        self._assumed = profile.assumed_output
        limits = (("requests", profile.requests_per_minute), ("tokens", profile.tokens_per_minute))
        self.buckets = {scope: Bucket(limit) for scope, limit in limits if limit is not None}

    def charge(self, prompt: int, max_tokens: int | None, now: float) -> dict[str, str]:
        """Pay for a request at `now` (seconds) and return the x-ratelimit headers of its answer.

        Raises ApiError: 429 when a bucket cannot pay; then none of them is charged.
        """
        amounts = {"requests": 1, "tokens": prompt + (max_tokens or self._assumed)}
        for scope, bucket in self.buckets.items():
            wait = bucket.wait(amounts[scope], now)
            if wait > 0:
                used = bucket.limit - math.floor(bucket.level)
                raise refusals.rate_limited(
                    self._model, scope, bucket.limit, used, amounts[scope], wait
                )
        for scope, bucket in self.buckets.items():
            bucket.take(amounts[scope])
        return self._headers()

    def _headers(self) -> dict[str, str]:
        headers = {}
        for scope, bucket in self.buckets.items():
            until_full = (bucket.limit - bucket.level) * MINUTE / bucket.limit
            headers[f"x-ratelimit-limit-{scope}"] = str(bucket.limit)
            headers[f"x-ratelimit-remaining-{scope}"] = str(math.floor(bucket.level))
            headers[f"x-ratelimit-reset-{scope}"] = f"{until_full:.3f}s"
        return headers
