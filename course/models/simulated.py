"""The simulated model: the policy as a responder, with the profile's routing errors."""

from __future__ import annotations

from dataclasses import replace

from course.models.draws import Draws
from course.models.profile import Profile
from course.models.wire import ChatRequest, Reply


class Simulated:
    """Answers a request by the policy; each further choice draws luck of its own.

    Args:
        profile: gives the chance of a wrong tool for the number of tools and agents offered.
        seed: of the draws, unless a request brings its own `seed`.
    """

    def __init__(self, profile: Profile, seed: int = 0) -> None:
        self._profile = profile
        self._seed = seed

    def __call__(self, request: ChatRequest) -> tuple[Reply, ...]:
        """Answer a request; called by the engine."""
        # Imported at the first answer: a script or a recording never needs the policy's parts.
        from course.models.policy import options, respond

        seed = self._seed if request.seed is None else request.seed
        wrong = bool(self._profile.routing_error)  # without a curve there is nothing to count
        error_rate = self._profile.error_rate(options(request)) if wrong else 0.0
        agent = request.key.agent
        return tuple(
            respond(
                request,
                Draws(seed, replace(request.key, agent=f"{agent}#{n}" if n else agent)),
                error_rate=error_rate,
            )
            for n in range(request.n)
        )
