"""Profiles: how fast, how limited, how unreliable and how dear the simulated models are.

A profile is a TOML file in which every figure names its source, so that an assumption can never
pass for a finding. `load("calm")` reads one that comes with the course, `load("my/own.toml")` any
other. A file may say `extends = "calm"` and then give only what differs.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from course.errors import ConfigurationError, FileFormatError

FOLDER = Path(__file__).with_name("profiles")
DEFAULT = "calm"


def _plain(value: object) -> object:
    """The number of a figure, whose source `_sourced` has seen to."""
    return value["value"] if isinstance(value, dict) and "value" in value else value


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


Amount = Annotated[float, Field(ge=0), BeforeValidator(_plain)]
Count = Annotated[int, Field(ge=1), BeforeValidator(_plain)]
Share = Annotated[float, Field(ge=0, le=1), BeforeValidator(_plain)]
Curve = Annotated[
    tuple[tuple[int, Annotated[float, Field(ge=0, le=1)]], ...], BeforeValidator(_plain)
]


class ModelProfile(_Part):
    """One model. Times in seconds, prices in US dollars per million tokens.

    An answer takes `ttft_median` (lognormal, `ttft_sigma` is the deviation of the logarithm), plus
    `prefill_per_token` for each token of the prompt, plus the answer's tokens at
    `tokens_per_second`, whose own jitter is lognormal with `decode_sigma`.

    `requests_per_minute` and `tokens_per_minute` of None mean no limit; a request that sets no
    limit for its answer is charged `assumed_output` tokens for it.
    """

    context_window: Count
    max_output_tokens: Count
    ttft_median: Amount
    ttft_sigma: Amount
    prefill_per_token: Amount
    tokens_per_second: Annotated[float, Field(gt=0, allow_inf_nan=True), BeforeValidator(_plain)]
    decode_sigma: Amount
    price_input: Amount
    price_output: Amount
    assumed_output: Count
    requests_per_minute: Count | None = None
    tokens_per_minute: Count | None = None

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What a call costs, in US dollars."""
        return (
            prompt_tokens * self.price_input + completion_tokens * self.price_output
        ) / 1_000_000


class Outages(_Part):
    """Bad spells of a two-state Markov chain (Gilbert-Elliott), in slots of `slot_seconds`.

    A slot turns bad with chance `begin`, good again with chance `end`; in a bad one a request
    fails with chance `failure_rate` instead of the profile's own. The first one is bad with chance
    `at_first`. `weather` names the draws: under the same seed another name is another weather.

    Source: E. N. Gilbert, "Capacity of a burst-noise channel", Bell System Technical Journal 39
    (1960); E. O. Elliott, the same journal 42 (1963).
    """

    slot_seconds: Annotated[float, Field(gt=0), BeforeValidator(_plain)]
    begin: Share
    end: Share
    failure_rate: Share
    at_first: Share = 0.0
    weather: str = "run"


class Failures(_Part):
    """How often a request fails, and how: the shares of 429, 5xx and hanging add up to 1.

    `retry_after` is what a 429 tells the caller to wait, `hang_seconds` how long a stuck request
    keeps a caller that sets no timeout of its own (both in seconds). Where they are `noted`, each
    one is a `fault` step of the trace.
    """

    rate: Share
    rate_limited: Share
    server_error: Share
    timeout: Share
    retry_after: Amount
    hang_seconds: Amount
    outages: Outages | None = None
    noted: bool = False

    @model_validator(mode="after")
    def _shares_add_up(self) -> Failures:
        total = self.rate_limited + self.server_error + self.timeout
        if not math.isclose(total, 1.0):
            raise ValueError(f"rate_limited + server_error + timeout must be 1, not {total:g}")
        return self


class ToolFailures(_Part):
    """How often a tool call goes wrong, and how: the four shares add up to 1.

    Attributes:
        rate: the share of calls that go wrong.
        slow: it answers `slow_seconds` later.
        error: it breaks, and may work the next time.
        bad_value: one digit of its result is another.
        wrong_shape: its result breaks off in the middle.
        own: the kind of your own that strikes in place of these (`course.models.tool_faults`).
    """

    rate: Share
    slow: Share
    error: Share
    bad_value: Share
    wrong_shape: Share
    slow_seconds: Amount
    own: str = ""

    @model_validator(mode="after")
    def _shares_add_up(self) -> ToolFailures:
        total = self.slow + self.error + self.bad_value + self.wrong_shape
        if not math.isclose(total, 1.0):
            raise ValueError(f"slow + error + bad_value + wrong_shape must be 1, not {total:g}")
        return self


class Profile(_Part):
    """A whole profile: its models by name, their failures, the tools', the share of moves that fail
    (work that is given to somebody and does not get there), and the routing-error curve.

    `routing_error` lists (tools offered, chance of a wrong tool); between two points the chance is
    on the straight line, outside it is that of the nearest point.
    """

    name: str
    summary: str
    models: dict[str, ModelProfile] = Field(min_length=1)
    failures: Failures
    tool_failures: ToolFailures | None = None
    move_failures: Share = 0.0
    routing_error: Curve = ()

    def error_rate(self, tools: int) -> float:
        """The chance that a model offered this many tools takes a wrong one."""
        points = self.routing_error
        if not points or tools <= points[0][0]:
            return points[0][1] if points else 0.0
        for (low, start), (high, end) in pairwise(points):
            if tools <= high:
                return start + (end - start) * (tools - low) / (high - low)
        return points[-1][1]


def load(profile: str | Path | Profile = DEFAULT) -> Profile:
    """The profile of this name, or in this TOML file.

    Raises:
        ConfigurationError: when there is none of that name and no such file.
        FileFormatError: when the file is not a valid profile; the message gives the place.
    """
    if isinstance(profile, Profile):
        return profile
    if str(profile) in names():
        return _shipped(str(profile))
    file = Path(profile)
    if not file.is_file():
        listed = ", ".join(names())
        raise ConfigurationError(
            f"there is no profile '{profile}': use one of {listed}, or the path of a TOML file"
        )
    return read(file)


def names() -> list[str]:
    """The profiles that come with the course."""
    return sorted(file.stem for file in FOLDER.glob("*.toml") if not file.stem.startswith("_"))


@cache
def _shipped(name: str) -> Profile:
    return read(FOLDER / f"{name}.toml")


def read(file: Path) -> Profile:
    """The profile in a file; raises FileFormatError with the place of what is wrong."""
    merged = _merged(file)
    sources = merged.pop("sources", {})
    try:
        _check_sources(merged, sources)
        return Profile.model_validate(merged)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise FileFormatError(f"{file}: {place}: {first['msg']}") from None
    except ValueError as error:
        raise FileFormatError(f"{file}: {error}") from None


def _merged(file: Path, seen: tuple[Path, ...] = ()) -> dict[str, Any]:
    """The tables of a file over those of the file it extends."""
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # no text, no TOML, or 5000 digits or brackets
        raise FileFormatError(f"{file}: {error}") from None
    parent = tables.pop("extends", None)
    if parent is None:
        return tables
    base = FOLDER / f"{parent}.toml" if (FOLDER / f"{parent}.toml").is_file() else None
    base = base or file.parent / f"{parent}.toml"
    if base in seen or not base.is_file():
        raise FileFormatError(f"{file}: extends: there is no profile '{parent}' to build on")
    return _overlay(_merged(base, (*seen, file)), tables)


def _overlay(base: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with the values of `over`; tables are merged, figures replaced whole."""
    for name, value in over.items():
        old = base.get(name)
        tables = isinstance(old, dict) and isinstance(value, dict) and "value" not in value
        base[name] = _overlay(old, value) if tables and old is not None else value
    return base


def _check_sources(table: Mapping[str, Any], sources: Any, path: tuple[str, ...] = ()) -> None:
    """Demand of every figure a source that the file describes and dates."""
    for name, value in table.items():
        place = (*path, name)
        if isinstance(value, Mapping) and "value" in value:
            _check_source(value, sources, ".".join(place))
        elif isinstance(value, Mapping):
            _check_sources(value, sources, place)
        elif not isinstance(value, str):
            raise ValueError(
                f'{".".join(place)}: write a figure as {{ value = ..., source = "..." }}'
            )


def _check_source(figure: Mapping[str, Any], sources: Any, place: str) -> None:
    if figure.keys() != {"value", "source"}:
        raise ValueError(f"{place}: a figure has a value and a source, nothing else")
    source = sources.get(figure["source"]) if isinstance(sources, Mapping) else None
    if not isinstance(source, Mapping) or not {"what", "date"} <= source.keys():
        raise ValueError(
            f"{place}: describe its source in a table [sources.{figure['source']}] "
            "with 'what' and 'date'"
        )


def sources_of(profile: str) -> Iterable[tuple[str, str, str]]:
    """(name, what, date) of every source behind a shipped profile, for a table in a chapter."""
    merged = _merged(FOLDER / f"{profile}.toml")
    return [(name, s["what"], str(s["date"])) for name, s in merged["sources"].items()]
