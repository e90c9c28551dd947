"""How long one answer takes, drawn from the profile and the request's key.

time = time to first token + prompt tokens x prefill + answer tokens / speed

Source: the model of llm-d-inference-sim (prefill, then decoding), with lognormal in place of normal
jitter, because measured times to first token have long tails; figures are in the profile files.
"""

from __future__ import annotations

from dataclasses import dataclass

from course.models.draws import Draws
from course.models.profile import ModelProfile


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds until the first token, and seconds for each token after that."""

    first: float = 0.0
    per_token: float = 0.0

    def total(self, answer_tokens: int) -> float:
        """Seconds until an answer of this length is complete."""
        return self.first + answer_tokens * self.per_token


def pace(model: ModelProfile, prompt_tokens: int, draws: Draws) -> Pace:
    """The pace of one answer; the same key always draws the same luck."""
    first = prompt_tokens * model.prefill_per_token
    if model.ttft_median:
        first += draws.lognormal("time to first token", model.ttft_median, model.ttft_sigma)
    per_token = 1 / model.tokens_per_second
    if per_token and model.decode_sigma:
        per_token *= draws.lognormal("decoding speed", 1.0, model.decode_sigma)
    return Pace(first, per_token)
