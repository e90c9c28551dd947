"""The one way to a model: `connect()` returns a real AsyncOpenAI, wired to what answers it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course.errors import ConfigurationError

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

    from course.models.engine import Engine, Responder
    from course.models.profile import Profile
    from course.models.replay import Replay

BACKEND = "COURSE_BACKEND"
BACKENDS = ("simulated", "endpoint")


def connect(
    model: str | Responder | Replay | None = None,
    *,
    seed: int | None = None,
    profile: str | Path | Profile | None = None,
    record: Path | str | None = None,
    wire: bool = True,
    in_flight: int | None = None,
    prices: Mapping[str, tuple[float, float]] | None = None,
    environ: Mapping[str, str] | None = None,
    through: Callable[[httpx2.AsyncBaseTransport], httpx2.AsyncBaseTransport] | None = None,
) -> AsyncOpenAI:
    """A client whose requests are answered by the model of your choice.

    Args:
        model: "simulated" (in process, no key, no network), "endpoint" (any OpenAI-compatible
            service, from OPENAI_API_KEY, OPENAI_BASE_URL and COURSE_MODEL), a `Scripted` or any
            function of a `ChatRequest`, or a `Replay`. None asks the environment variable
            COURSE_BACKEND, which is "simulated" when unset.
        seed: of every random draw: latency, failures, the policy's luck; None is 0. An endpoint is
            sent none where it is None, else with each call one that follows from it, the run, the
            agent and the call.
        profile: speed, limits and failures of a model in process: a name such as "calm", the path
            of a TOML file, or a `Profile`. When None, a simulated model is "calm" and a scripted
            one "instant".
        record: write every exchange to this file, for `Replay`; keys are never in it.
        wire: whether requests become HTTP ones. A model in process can do without (False): the
            same answers at the same moments for half the CPU, for sweeps of many runs.
        in_flight: how many requests may be under way at the same time, over all runs of the client
            (`course.run`); None is no limit.
        prices: US dollars per million tokens read and written, by a model's name, the course's or
            the service's own; a model in process has its profile's.
        environ: an endpoint's settings, for a service beside the one that the process's environment
            names: the same names, in a mapping.
        through: what requests pass on their way, such as a store of answers: it is given the
            transport and gives another one.

    Raises:
        ConfigurationError: for a backend or profile that does not exist, or `wire=False` for what
            needs a wire, or `in_flight` below 1.
        FileFormatError: for a damaged recording or profile.
    """
    if model is None:
        model = os.environ.get(BACKEND) or "simulated"
    options, transport = _wire(model, seed, profile, environ)
    priced = dict(prices or {})
    priced |= {ours: priced[its] for ours, its in options.pop("names", ()) if its in priced}
    options |= {"in_flight": in_flight, "prices": priced}
    if isinstance(model, str):
        from course.models.transport import Divertible

        transport = Divertible(transport)
    if not wire and (record is not None or through is not None or "engine" not in options):
        raise ConfigurationError(
            "an endpoint, a replay, a recording and a way need the wire: leave out wire=False"
        )
    if through is not None:
        transport = through(transport)
    if record is not None:
        from course.models.recorder import RecordingTransport

        transport = RecordingTransport(transport, Path(record), options.get("secrets", ()))
    return _client(transport, seed=seed or 0, wire=wire, **options)


def default_client() -> AsyncOpenAI:
    """The client of whoever names none: one for the whole process, as `connect()` makes it."""
    return _default(os.environ.get(BACKEND) or "simulated")


@cache
def _default(backend: str) -> AsyncOpenAI:
    return connect(backend)


def _wire(
    model: str | Responder | Replay,
    seed: int | None,
    profile: str | Path | Profile | None,
    environ: Mapping[str, str] | None,
) -> tuple[dict[str, Any], httpx2.AsyncBaseTransport]:
    """What the client needs to know of its model, and the transport that reaches it."""
    if model == "endpoint":
        from course.models.endpoint import EndpointTransport, settings

        found = settings(environ)
        if found is not None:
            options = {"api_key": found.key, "base_url": found.url, "real_time": True}
            told = {"names": found.models, "secrets": found.secrets}
            return {**options, **told}, EndpointTransport(found, seed)
        model = "simulated"
    if not isinstance(model, str) and not callable(model):
        from course.models.playback import ReplayTransport

        return {}, ReplayTransport(model)
    engine, loaded = _engine(model, seed or 0, profile)
    from course.models.transport import SimulatedTransport

    return {"profile": loaded, "engine": engine}, SimulatedTransport(engine)


def _engine(
    model: str | Responder, seed: int, profile: str | Path | Profile | None
) -> tuple[Engine, Profile]:
    """What answers in process, and under which profile."""
    from course.models.engine import Engine
    from course.models.profile import DEFAULT, load
    from course.models.simulated import Simulated

    if not isinstance(model, str):
        loaded = load("instant" if profile is None else profile)
        return Engine(model, loaded, seed=seed), loaded
    if model != "simulated":
        listed = " or ".join(f"'{name}'" for name in BACKENDS)
        raise ConfigurationError(
            f"there is no backend '{model}': use {listed} (argument of connect, or {BACKEND})"
        )
    loaded = load(DEFAULT if profile is None else profile)
    return Engine(Simulated(loaded, seed), loaded, seed=seed), loaded


def _client(
    transport: httpx2.AsyncBaseTransport,
    api_key: str = "no-key-needed",
    base_url: str | None = None,
    wire: bool = True,
    engine: Engine | None = None,
    **options: Any,
) -> AsyncOpenAI:
    import httpx2

    from course.models.client import BASE_URL, CourseClient

    kind: Any = CourseClient
    if not wire:
        from course.models.direct import DirectClient

        kind, options["engine"] = DirectClient, engine
    return kind(  # type: ignore[no-any-return]
        api_key=api_key,
        base_url=base_url or BASE_URL,
        http_client=httpx2.AsyncClient(transport=transport, follow_redirects=True),
        **options,
    )
