"""An experiment: what is compared, on which tasks, under which conditions; in TOML or as an object.

Every axis takes one value or several: a list, a text with commas, or for whole numbers a range
("0:50" is 0 to 49). `cells()` are the runs of it, one for each combination.
"""

from __future__ import annotations

import importlib
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache, cached_property, lru_cache
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from course.benches.bench import make, nearest
from course.benches.oracle import Flaws
from course.errors import ConfigurationError
from course.files import misfit
from course.lab.faults import MODEL_KINDS, TOOL_KINDS
from course.lab.patterns import PATTERNS, POLICIES
from course.lab.store import digest
from course.models.profile import load as load_profile

MODELS = ("oracle", "simulated", "endpoint")
KEYS = 1
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

    @property
    def live(self) -> bool:
        """Whether a service answers, in real time."""
        return self.model == "endpoint"

    @property
    def run_id(self) -> str:
        """Names the run."""
        return _run_id(self)

    @property
    def arm(self) -> str:
        """What is compared with others of the same task, seed and epoch."""
        told = [self.pattern, self.policy, self.bench, self.model, self.profile]
        if self.fault_model:
            told.append(f"{self.fault_model:g} {self.fault_kind}")
        if self.fault_tool:
            told.append(f"{self.fault_tool:g} tools {self.tool_kind}")
        if self.flaw:
            told.append(self.flaws)
        if self.deadline is not None:
            told.append(f"{self.deadline:g} s")
        if self.load > 1:
            every = f", {self.gap:g} s apart" if self.gap else ""
            told.append(f"load {self.load}{every}")
        return " · ".join(told)

    @property
    def flaws(self) -> str:
        """The oracle's flaws in words."""
        return str(flaws_of(self.flaw))

    def row(self) -> dict[str, Any]:
        """The columns of `runs` that a cell knows before it is run."""
        return {
            "run_id": self.run_id, "experiment": self.experiment, "arm": self.arm,
            "pattern": self.pattern, "policy": self.policy, "bench": self.bench,
            "task_id": self.task, "world_seed": self.world_seed, "seed": self.seed,
            "epoch": self.epoch, "model": self.model, "profile": self.profile,
            "fault_model": self.fault_model, "fault_tool": self.fault_tool,
            "fault_kind": f"{self.fault_kind}/{self.tool_kind}", "flaw": self.flaws,
            "deadline_s": self.deadline, "load": self.load, "gap_s": self.gap,
        }  # fmt: skip


@lru_cache(maxsize=256)
def _run_id(cell: Cell) -> str:
    told = asdict(cell)
    del told["experiment"], told["spans"]
    if not cell.gap:  # so that runs keep the names that they had before there were gaps
        del told["gap"]
    return digest({**told, "keys": KEYS})


@cache
def flaws_of(told: tuple[tuple[str, Any], ...]) -> Flaws:
    """The flaws that a cell has."""
    return Flaws.model_validate(dict(told))


def _several(given: Any) -> Any:
    """One value or many as a tuple; texts with commas are split."""
    if isinstance(given, str):
        return tuple(part.strip() for part in given.split(",") if part.strip())
    return tuple(given) if isinstance(given, list | tuple | range) else (given,)


def _numbers(given: Any) -> Any:
    """The same for whole numbers, where "0:50" is a range, as in Python without its end."""
    found: list[Any] = []
    for each in _several(given):
        ends = each.split(":") if isinstance(each, str) and ":" in each else ()
        if ends and all(end.strip().isdecimal() for end in ends):
            found += range(*map(int, ends))
        else:
            found.append(each)
    return tuple(found)


def _or_none(given: Any) -> Any:
    """Values of which "none" is None."""
    return tuple(None if each in ("none", None) else each for each in _several(given))


_Share = Annotated[float, Field(ge=0, le=1)]
Texts = Annotated[tuple[str, ...], Field(min_length=1), BeforeValidator(_several)]
Shares = Annotated[tuple[_Share, ...], Field(min_length=1), BeforeValidator(_several)]
Wholes = Annotated[
    tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1), BeforeValidator(_numbers)
]
Seconds = Annotated[
    tuple[Annotated[float, Field(gt=0)] | None, ...],
    Field(min_length=1),
    BeforeValidator(_or_none),
]


class _Part(BaseModel):
    """A part of an experiment, whose mistakes are one line that names the key."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __init__(self, **given: Any) -> None:
        for key in given:
            if key not in type(self).model_fields:
                near = nearest(key, type(self).model_fields)
                raise ConfigurationError(f"there is no key '{key}'{near}")
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise ConfigurationError(f"the experiment does not fit: {misfit(error)}") from None


class FaultAxes(_Part):
    """What goes wrong on purpose.

    Attributes:
        model, tool: shares of calls, 0 to 1.
        kind, tool_kind: what happens to them (`course.lab.faults`).
    """

    model: Shares = (0.0,)
    tool: Shares = (0.0,)
    kind: Texts = ("service",)
    tool_kind: Texts = ("mixed",)


class Cap(_Part):
    """What a real service may be asked for.

    Attributes:
        usd: spending after which nothing more is begun; None is no limit.
        in_flight: runs at the same time.
        input, output: prices in US dollars per million tokens, where the endpoint's model has them.
    """

    usd: Annotated[float, Field(gt=0)] | None = None
    in_flight: Annotated[int, Field(ge=1)] = 4
    input: Annotated[float, Field(ge=0)] | None = None
    output: Annotated[float, Field(ge=0)] | None = None


class Experiment(_Part):
    """What is compared. Axes take one value or several.

    Attributes:
        name: of the experiment.
        bench: where the tasks come from, such as "calls:1-5" (`course.benches.bench.BENCHES`).
        pattern: how the agents work together (`course.lab.patterns.PATTERNS`).
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
        modules: to be imported first, such as yours with a pattern of your own.
        spans: whether the steps of each run are kept.
        cap: what a real service may be asked for.

    Raises ConfigurationError: an unknown key, pattern, bench or another name, with the nearest one.
    """

    name: Annotated[str, Field(pattern=r"^[\w-]+$")]
    bench: Texts
    pattern: Texts
    policy: Texts = ("retry",)
    model: Texts = ("oracle",)
    profile: Texts = ("calm",)
    fault: FaultAxes = Field(default_factory=FaultAxes)
    flaw: Annotated[tuple[dict[str, Any], ...], BeforeValidator(_several)] = ({},)
    deadline: Seconds = (None,)
    load: Wholes = (1,)
    gap: Annotated[
        tuple[Annotated[float, Field(ge=0)], ...], Field(min_length=1), BeforeValidator(_several)
    ] = (0.0,)
    seeds: Wholes = tuple(range(10))
    epochs: Annotated[int, Field(ge=1)] = 1
    tasks: Annotated[int, Field(ge=1)] = 5
    world_seed: int = 7
    modules: Texts | tuple[()] = ()
    spans: bool = True
    cap: Cap = Field(default_factory=Cap)

    def __init__(self, **given: Any) -> None:
        for part, kind in (("fault", FaultAxes), ("cap", Cap)):
            if isinstance(given.get(part), Mapping):
                given[part] = kind(**given[part])  # so that a mistake in it is named as one
        super().__init__(**given)
        for module in self.modules:
            _imported(module)
        self._refuse_unknown()
        for profile in self.profile:
            load_profile(profile)
        for flaw in self.flaw:
            _flaws(flaw)
        for text in self.bench:
            make(text, tasks=self.tasks, world_seed=self.world_seed)
        if "endpoint" in self.model and any((*self.fault.model, *self.fault.tool)):
            raise ConfigurationError("a real endpoint has faults of its own: leave fault at 0")

    def _refuse_unknown(self) -> None:
        for axis, names in _NAMES:
            for value in getattr(self.fault if "kind" in axis else self, axis):
                if value not in names:
                    said = f"there is no {axis.replace('_', ' ')} '{value}'"
                    raise ConfigurationError(said + nearest(value, names))

    @cached_property
    def arms(self) -> tuple[dict[str, Any], ...]:
        """Every combination of the axes but task, seed and epoch."""
        axes = {
            "bench": self.bench, "pattern": self.pattern, "policy": self.policy,
            "model": self.model, "profile": self.profile, "fault_model": self.fault.model,
            "fault_kind": self.fault.kind, "fault_tool": self.fault.tool,
            "tool_kind": self.fault.tool_kind,
            "flaw": tuple(tuple(sorted(_flaws(each).items())) for each in self.flaw),
            "deadline": self.deadline, "load": self.load, "gap": self.gap,
        }  # fmt: skip
        found = []
        for values in product(*axes.values()):
            arm: dict[str, Any] = dict(zip(axes, values, strict=True))
            arm["fault_kind"] = arm["fault_kind"] if arm["fault_model"] else "service"
            arm["tool_kind"] = arm["tool_kind"] if arm["fault_tool"] else "mixed"
            arm["gap"] = arm["gap"] if arm["load"] > 1 else 0.0
            if arm not in found:  # without faults their kind makes no difference
                found.append(arm)
        return tuple(found)

    def cells(self) -> Iterator[Cell]:
        """The runs, arm by arm."""
        prices = (self.cap.input, self.cap.output)
        fixed: dict[str, Any] = {
            "experiment": self.name,
            "tasks": self.tasks,
            "world_seed": self.world_seed,
            "spans": self.spans,
            "prices": prices if None not in prices else None,
        }
        listed = {text: self._tasks(text) for text in self.bench}
        for arm in self.arms:
            for task in listed[arm["bench"]]:
                for seed in self.seeds:
                    for epoch in range(self.epochs):
                        yield Cell(**arm, **fixed, task=task, seed=seed, epoch=epoch)

    def dry(self) -> str:
        """What would be run, a line for each arm, before anything is."""
        counts = Counter(cell.arm for cell in self.cells())
        lines = [f"{count:>7,} × {arm}" for arm, count in counts.items()]
        return "\n".join([*lines, f"{sum(counts.values()):>7,} runs of {len(counts)} arms"])

    def _tasks(self, text: str) -> tuple[str, ...]:
        made = make(text, tasks=self.tasks, world_seed=self.world_seed)
        return tuple(task.id for task in made.tasks())

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The experiment in a TOML file.

        Raises ConfigurationError: there is no such file, it is no TOML, or it says what cannot be.
        """
        try:
            given = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise ConfigurationError(f"{path} cannot be read ({error.strerror})") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{path} is no TOML: {error}") from None
        try:
            return cls(**given)
        except ConfigurationError as error:
            raise ConfigurationError(f"{path}: {error}") from None


_NAMES: tuple[tuple[str, Any], ...] = (
    ("pattern", PATTERNS),
    ("policy", POLICIES),
    ("model", MODELS),
    ("kind", MODEL_KINDS),
    ("tool_kind", TOOL_KINDS),
)


def _flaws(given: Mapping[str, Any]) -> dict[str, Any]:
    """The flaws of an oracle that are not the usual ones."""
    for key in given:
        if key not in Flaws.model_fields:
            near = nearest(key, Flaws.model_fields)
            raise ConfigurationError(f"there is no flaw '{key}'{near}")
    try:
        return Flaws.model_validate(dict(given)).model_dump(exclude_defaults=True)
    except ValidationError as error:
        raise ConfigurationError(f"flaw: {misfit(error)}") from None


def _imported(module: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError as error:
        raise ConfigurationError(
            f"the module '{module}' cannot be imported ({error}): run where it is, or install it"
        ) from None
