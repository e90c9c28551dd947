"""An experiment: what is compared, on which tasks, under which conditions; in TOML or as an object.

Every axis takes one value or several: a list, a text with commas, or for whole numbers a range
("0:50" is 0 to 49). `cells()` are the runs of it, one for each combination.
"""

from __future__ import annotations

import importlib
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache, cached_property, lru_cache
from itertools import product
from math import prod
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from course.benches.bench import Bench, make, nearest
from course.benches.oracle import Flaws
from course.errors import ConfigurationError
from course.files import misfit
from course.lab.frameworks import FRAMEWORKS, OURS, enter, framework_of, named
from course.lab.measures import MEASURES
from course.lab.patterns import PATTERNS, POLICIES
from course.lab.store import digest
from course.models.injection import MODEL_KINDS
from course.models.profile import load as load_profile
from course.models.tool_faults import TOOL_KINDS

MODELS = ("oracle", "simulated", "endpoint")
MOST_RUNS = 1_000_000
"""Runs of an experiment: each takes some ten milliseconds, and has its place in memory."""
MOST_ARMS = 10_000
_LARGEST = 2**63 - 1  # what a table holds
KEYS = 2
"""The version of how luck hangs on a run; part of every run's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One run of an experiment, as plain values: all that decides how it goes."""

    experiment: str
    bench: str
    task: str
    pattern: str
    policy: str
    model: str
    profile: str
    fault_model: float
    fault_kind: str
    fault_tool: float
    tool_kind: str
    fault_move: float
    flaw: tuple[tuple[str, Any], ...]
    deadline: float | None
    load: int
    gap: float
    seed: int
    epoch: int
    tasks: int
    world_seed: int
    prices: tuple[float, float] | None = None
    spans: bool = True
    measures: tuple[str, ...] = ()

    @property
    def live(self) -> bool:
        """Whether a service answers, in real time."""
        return self.model == "endpoint"

    @property
    def luck(self) -> int:
        """The seed of the run's client: repetitions of a seed are another luck."""
        return self.seed + 1_000_003 * self.epoch

    @property
    def run_id(self) -> str:
        """Names the run."""
        return _run_id(self)

    @property
    def arm(self) -> str:
        """What is compared with others of the same task, seed and epoch."""
        told = (
            (True, " · ".join((self.pattern, self.policy, self.bench, self.model, self.profile))),
            (self.fault_model, f"{self.fault_model:g} {self.fault_kind}"),
            (self.fault_tool, f"{self.fault_tool:g} tools {self.tool_kind}"),
            (self.fault_move, f"{self.fault_move:g} moves"),
            (self.flaw, str(flaws_of(self.flaw))),
            (self.deadline is not None, f"{self.deadline or 0:g} s"),
            (self.load > 1, f"load {self.load}" + f", {self.gap:g} s apart" * bool(self.gap)),
        )
        return " · ".join(text for there, text in told if there)

    def row(self) -> dict[str, Any]:
        """The columns of `runs` that a cell knows before it is run."""
        same = ("experiment", "arm", "pattern", "policy", "bench", "world_seed", "seed", "epoch",
                "model", "profile", "fault_model", "fault_tool", "fault_move", "load",
                "run_id")  # fmt: skip
        return {each: getattr(self, each) for each in same} | {
            "task_id": self.task, "framework": framework_of(self.pattern),
            "fault_kind": f"{self.fault_kind}/{self.tool_kind}",
            "flaw": str(flaws_of(self.flaw)), "deadline_s": self.deadline, "gap_s": self.gap,
        }  # fmt: skip


@lru_cache(maxsize=256)
def _run_id(cell: Cell) -> str:
    told = asdict(cell)
    del told["experiment"], told["spans"], told["measures"]
    if not cell.gap:  # so that runs keep the names that they had before there were gaps
        del told["gap"]
    return digest({**told, "keys": KEYS})


@cache
def flaws_of(told: tuple[tuple[str, Any], ...]) -> Flaws:
    """The flaws that a cell has.

    Raises ConfigurationError: an oracle has no such flaw, or not such a value of it.
    """
    for key, _ in told:
        _refuse_unknown("flaw", key, Flaws.model_fields)
    try:
        return Flaws.model_validate(dict(told))
    except ValidationError as error:
        raise ConfigurationError(f"flaw: {misfit(error)}") from None


def _refuse_unknown(what: str, name: str, names: Collection[str]) -> None:
    if name not in names:
        raise ConfigurationError(f"there is no {what} '{name}'{nearest(name, list(names))}")


def _several(given: Any) -> Any:
    """One value or many as a tuple; texts with commas are split."""
    if isinstance(given, str):
        given = [part.strip() for part in given.split(",") if part.strip()]
    return tuple(given) if isinstance(given, list | tuple | range) else (given,)


def _once(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values of an axis in order, each once: named twice, it would be two runs of one name."""
    return tuple(dict.fromkeys(given))


_END = re.compile(r"\s*\d{1,18}\s*", re.ASCII)


def _numbers(given: Any) -> Any:
    """The same for whole numbers, where "0:50" is a range, as in Python without its end."""
    found: list[Any] = []
    for each in _several(given):
        ends = str(each).split(":")
        if len(ends) < 2 or not all(_END.fullmatch(end) for end in ends):
            found.append(each)
            continue
        ranged = range(*map(int, ends))
        if len(found) + len(ranged) > MOST_RUNS:  # before they are made
            raise ValueError(f"'{each}' are more than {MOST_RUNS:,} numbers")
        found += ranged
    return tuple(found)


def _or_none(given: Any) -> Any:
    """Values of which "none" is None."""
    return tuple(None if each == "none" else each for each in _several(given))


_Some = Field(min_length=1)
_Once = AfterValidator(_once)
_Share = Annotated[float, Field(ge=0, le=1)]
_Positive = Annotated[float, Field(gt=0)]
_Length = Annotated[float, Field(ge=0)]
_Whole = Annotated[int, Field(ge=0, le=_LARGEST)]
_Count = Annotated[int, Field(ge=1, le=MOST_RUNS)]
Texts = Annotated[tuple[str, ...], _Some, _Once, BeforeValidator(_several)]
Shares = Annotated[tuple[_Share, ...], _Some, _Once, BeforeValidator(_several)]
Lengths = Annotated[tuple[_Length, ...], _Some, _Once, BeforeValidator(_several)]
Counts = Annotated[tuple[_Count, ...], _Some, _Once, BeforeValidator(_numbers)]
Wholes = Annotated[tuple[_Whole, ...], _Some, _Once, BeforeValidator(_numbers)]
Seconds = Annotated[tuple[_Positive | None, ...], _Some, _Once, BeforeValidator(_or_none)]


class _Part(BaseModel):
    """A part of an experiment, whose mistakes are one line that names the key."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def __init__(self, /, **given: Any) -> None:
        for key in given:
            _refuse_unknown("key", key, type(self).model_fields)
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise ConfigurationError(f"the experiment does not fit: {misfit(error)}") from None


class FaultAxes(_Part):
    """What goes wrong on purpose.

    Attributes:
        model, tool, move: shares of a model's calls, of the bench's tool calls, and of moves, which
            are all ways of giving work away: 0 to 1.
        kind, tool_kind: what happens to them (`course.models.injection.MODEL_KINDS`,
            `course.models.tool_faults.TOOL_KINDS`).
    """

    model: Shares = (0.0,)
    tool: Shares = (0.0,)
    move: Shares = (0.0,)
    kind: Texts = ("service",)
    tool_kind: Texts = ("mixed",)


class Cap(_Part):
    """What a real service may be asked for.

    Attributes:
        usd: US dollars that may be spent: a request that may cost more is not made. None is no
            limit.
        in_flight: requests at the same time.
        rpm, tpm: requests and tokens a minute that the account allows, kept by waiting.
        input, output: the model's prices, in US dollars per million tokens.
    """

    usd: _Positive | None = None
    in_flight: _Count = 4
    rpm: _Count | None = None
    tpm: Annotated[int, Field(ge=1, le=_LARGEST)] | None = None
    input: _Length | None = None
    output: _Length | None = None


class Experiment(_Part):
    """What is compared. Axes take one value or several.

    Attributes:
        name: of the experiment.
        bench: where the tasks come from, such as "calls:1-5" (`course.benches.bench.known()`).
        pattern: how the agents work together (`course.lab.patterns.PATTERNS`).
        framework: whose agents, such as "openai-agents" (`course.lab.frameworks`); where it has
            not the pattern, the run is excluded and says so.
        policy: what is done about failures (`course.lab.patterns.POLICIES`).
        model: who answers: "oracle", "simulated" or "endpoint".
        profile: assumptions about speed, limits and prices, by name or file.
        fault: what goes wrong on purpose.
        flaw: how the oracle is made worse, each a table of `course.benches.oracle.Flaws`.
        deadline: seconds until an answer is due; "none" for no deadline.
        load: requests that share a service; the one in the middle is measured.
        gap: mean seconds from one arrival to the next, a Poisson process; 0 is all at once.
        seeds: of all draws; two patterns meet the same ones.
        epochs: repetitions of each task and seed.
        tasks: of each kind or level of a bench that is made up.
        world_seed: of the benches' worlds.
        modules: to be imported first, such as yours with a pattern, bench, fault or measure.
        measure: columns of your own (`course.lab.measures`).
        spans: whether the steps of each run are kept.
        cap: what a real service may be asked for.

    Raises ConfigurationError: an unknown key, pattern, bench or another name, with the nearest one;
    more runs than `MOST_RUNS`.
    """

    name: Annotated[str, Field(pattern=r"^[\w-]+$")]
    bench: Texts
    pattern: Texts
    framework: Texts = (OURS,)
    policy: Texts = ("retry",)
    model: Texts = ("oracle",)
    profile: Texts = ("calm",)
    fault: FaultAxes = Field(default_factory=FaultAxes)
    flaw: Annotated[tuple[dict[str, Any], ...], _Some, BeforeValidator(_several)] = ({},)
    deadline: Seconds = (None,)
    load: Counts = (1,)
    gap: Lengths = (0.0,)
    seeds: Wholes = tuple(range(10))
    epochs: _Count = 1
    tasks: _Count = 10
    world_seed: Annotated[int, Field(ge=-_LARGEST, le=_LARGEST)] = 7
    modules: Texts | tuple[()] = ()
    measure: Texts | tuple[()] = ()
    spans: bool = True
    cap: Cap = Field(default_factory=Cap)

    def __init__(self, /, **given: Any) -> None:
        super().__init__(**given)
        for module in self.modules:
            try:
                importlib.import_module(module)
            except Exception as error:  # whatever a module of one's own does as it is loaded
                out = "run where it is, or install it"
                if not isinstance(error, ImportError):
                    out = f"mend it; python -c 'import {module}' shows where"
                said = f"{type(error).__name__}: {error}".splitlines()[0]
                raise ConfigurationError(
                    f"the module '{module}' cannot be imported ({said}): {out}"
                ) from None
        self._enter_frameworks()
        for axis, names in _NAMES.items():
            for value in getattr(self.fault if "kind" in axis else self, axis):
                _refuse_unknown(axis.replace("_", " "), value, names)
        if "endpoint" in self.model and None in (self.cap.input, self.cap.output):
            raise ConfigurationError(
                "a real service's model has no price here: give cap.input and cap.output, US"
                " dollars per million tokens (0 for a model of your own)"
            )
        self._refuse_size()
        for profile in self.profile:
            load_profile(profile)
        for text in self.bench:
            self.made(text)
        if (
            self.arms
            and "endpoint" in self.model
            and any((*self.fault.model, *self.fault.tool, *self.fault.move))
        ):
            raise ConfigurationError("a real endpoint has faults of its own: leave fault at 0")

    def _enter_frameworks(self) -> None:
        for pattern in (*self.pattern, *(f"{each}:" for each in self.framework)):
            enter(pattern)

    def _refuse_size(self) -> None:
        """Refuse more than can be run, before any of it is listed."""
        combined = prod(len(axis) for axis in self._axes().values())
        if combined > MOST_ARMS:
            raise ConfigurationError(
                f"the axes make {combined:,} combinations, and {MOST_ARMS:,} is the most: leave"
                " values out"
            )
        self._refuse_runs(len(self.arms) * len(self.seeds) * self.epochs)

    def _refuse_runs(self, runs: int) -> None:
        if runs > MOST_RUNS:
            raise ConfigurationError(
                f"that is {runs:,} runs, and {MOST_RUNS:,} is the most: take fewer seeds, epochs"
                " or tasks"
            )

    def made(self, text: str) -> Bench:
        """The bench of this text, as the experiment has it."""
        return make(text, tasks=self.tasks, world_seed=self.world_seed)

    @cached_property
    def arms(self) -> tuple[dict[str, Any], ...]:
        """Every combination of the axes but task, seed and epoch."""
        axes = self._axes()
        found: dict[tuple[Any, ...], dict[str, Any]] = {}
        for values in product(*axes.values()):
            arm: dict[str, Any] = dict(zip(axes, values, strict=True))
            arm["fault_kind"] = arm["fault_kind"] if arm["fault_model"] else "service"
            arm["tool_kind"] = arm["tool_kind"] if arm["fault_tool"] else "mixed"
            arm["gap"] = arm["gap"] if arm["load"] > 1 else 0.0
            # without faults their kind makes no difference
            found.setdefault(tuple(arm.values()), arm)
        return tuple(found.values())

    def _axes(self) -> dict[str, tuple[Any, ...]]:
        """The values of each axis but task, seed and epoch."""
        return {
            "bench": self.bench, "pattern": self._patterns(), "policy": self.policy,
            "model": self.model, "profile": self.profile, "fault_model": self.fault.model,
            "fault_kind": self.fault.kind, "fault_tool": self.fault.tool,
            "tool_kind": self.fault.tool_kind, "fault_move": self.fault.move,
            "flaw": tuple(_told(each) for each in self.flaw),
            "deadline": self.deadline, "load": self.load, "gap": self.gap,
        }  # fmt: skip

    def _patterns(self) -> tuple[str, ...]:
        """The patterns of each framework, by the names under which they are entered."""
        return tuple(named(each, pattern) for each in self.framework for pattern in self.pattern)

    def cells(self) -> Iterator[Cell]:
        """The runs, task by task and seed by seed with all arms of each, so that wherever a sweep
        is stopped there are whole pairs; ConfigurationError for more than `MOST_RUNS` of them.
        """
        prices = (self.cap.input, self.cap.output)
        fixed: dict[str, Any] = {
            "experiment": self.name, "tasks": self.tasks, "world_seed": self.world_seed,
            "spans": self.spans, "measures": self.measure,
            "prices": prices if None not in prices else None,
        }  # fmt: skip
        listed = {text: [task.id for task in self.made(text).tasks()] for text in self.bench}
        tasks = sum(len(listed[arm["bench"]]) for arm in self.arms)
        self._refuse_runs(tasks * len(self.seeds) * self.epochs)
        for bench, names in listed.items():
            arms = [arm for arm in self.arms if arm["bench"] == bench]
            for task, seed, epoch in product(names, self.seeds, range(self.epochs)):
                for arm in arms:
                    yield Cell(**arm, **fixed, task=task, seed=seed, epoch=epoch)

    def dry(self) -> str:
        """What would be run, a line for each arm, before anything is."""
        counts = Counter(cell.arm for cell in self.cells())
        lines = [f"{count:>7,} × {arm}" for arm, count in counts.items()]
        arms = f"{len(counts)} arm{'s' if len(counts) != 1 else ''}"
        return "\n".join([*lines, f"{sum(counts.values()):>7,} runs of {arms}"])

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The experiment in a TOML file.

        Raises ConfigurationError: there is no such file, it is no TOML, or it says what cannot be.
        """
        try:
            told = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise ConfigurationError(f"{path} cannot be read ({error.strerror})") from None
        except (
            ValueError,
            RecursionError,
        ) as error:  # no text, no TOML, or 5000 digits or brackets
            raise ConfigurationError(f"{path} is no TOML: {error}") from None
        try:
            return cls(**told)
        except ConfigurationError as error:
            raise ConfigurationError(f"{path}: {error}") from None


_NAMES: Mapping[str, Collection[str]] = {
    "pattern": PATTERNS, "framework": (OURS, *FRAMEWORKS), "policy": POLICIES,
    "model": MODELS, "kind": MODEL_KINDS,
    "tool_kind": TOOL_KINDS, "measure": MEASURES,
}  # fmt: skip


def _told(given: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Those of an oracle's flaws that are not the usual ones, in the order of their names."""
    listed = ((k, tuple(v) if isinstance(v, list) else v) for k, v in given.items())
    known = flaws_of(tuple(listed))
    return tuple(sorted(known.model_dump(exclude_defaults=True).items()))
