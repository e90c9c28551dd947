"""Statistics of comparisons: paired by task and seed, clustered by task, never a bare mean.

Questions are counted, not attempts: the seeds of a task are averaged first, and tasks are what an
interval is over, so many seeds of few tasks do not pass for many tasks. A pair counts only if both
of its runs do; who is left out is counted with the reason. With simulated runs the Monte-Carlo
error can be made as small as one likes. What the assumptions are worth is another matter, and
`tornado` tells it apart.

Intervals and their p are those of `course.evaluation.means`.

Tables are those of `course.lab.tables`. Sources: Miller, "Adding Error Bars to Evals"
(arXiv 2411.00640); McNemar (1947); Holm (1979); Yao et al., "tau-bench" (2024) for pass^k; Morey
(2008) for intervals within tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from math import comb, isnan, nan
from typing import Any

import numpy as np
import pandas as pd
from scipy import special  # and not scipy.stats, which takes 45 MB to import

from course.errors import ConfigurationError
from course.evaluation.means import (
    ALPHA,
    SAME_TO,
    equal,
    holm,
    interval,
    p_value,
    power,
    rejected,
    skewness,
)

TASK = ["bench", "task_id"]
CLUSTER = ["bench", "cluster"]
SAME = ["bench", "task_id", "cluster", "world_seed", "seed", "epoch"]
SIDES = ["baseline", "candidate"]
AXES = (
    "pattern", "policy", "level", "model", "profile", "fault_model", "fault_tool", "fault_move",
    "fault_kind", "flaw", "deadline_s", "load", "gap_s",
)  # fmt: skip
WHOLE = (*AXES, "bench", "framework", "experiment")
"""Columns that may be compared along, with all the others the same in a pair."""

COUNTED = ("scored", "failed")
"""The statuses that count: a run that failed has a success of 0, and is no missing value."""

FEW = 10
"""Pairs or tasks below which an interval is warned of."""

SHARES = ("success", "share")
"""Values from 0 to 1, whose intervals end there."""

SKEWED, ENOUGH = 1.0, 40
"""A skewness that fewer tasks than these cannot make up for."""

POWER = 0.8


def counted(runs: pd.DataFrame, value: str) -> pd.Series:
    """Which runs count for a value: their status does, and the value is there.

    Raises ConfigurationError: there is no such column.
    """
    if value not in runs:
        raise ConfigurationError(f"no column '{value}'; there are: {', '.join(runs.columns)}")
    there = runs[value].notna()
    return there & runs["status"].isin(COUNTED)


def exclusions(runs: pd.DataFrame, value: str) -> dict[str, int]:
    """How many runs do not count for a value, by reason."""
    left = runs[~counted(runs, value)]
    status, why = left["status"].astype(str), left["why"].fillna("").astype(str)
    reasons = status.where(why == "", status + ": " + why)
    reasons = reasons.where(~status.isin(COUNTED), f"no {value}")
    return {str(reason): int(count) for reason, count in reasons.value_counts().items()}


@dataclass(frozen=True)
class Estimate:
    """A mean over tasks, with its 95 % interval.

    Attributes:
        value, low, high: in the unit of what was measured; NaN where nothing was.
        units: how many tasks (with a single task: runs) it stands on.
        runs: how many runs.
    """

    value: float
    low: float
    high: float
    units: int
    runs: int


def by_task(table: pd.DataFrame, value: str) -> pd.Series:
    """What an interval is over: the means of clusters of tasks that are alike where there are ten
    or more of them, else of tasks; the values themselves where there is a single task."""
    means = table.groupby(CLUSTER, observed=True)[value].mean()
    if len(means) < FEW:
        means = table.groupby(TASK, observed=True)[value].mean()
    return (means if len(means) > 1 else table[value]).astype(float)


def estimate(runs: pd.DataFrame, value: str) -> Estimate:
    """The mean of a value over tasks, with the interval over tasks.

    Raises ConfigurationError: there is no such column.
    """
    kept = runs[counted(runs, value)].astype({value: float})
    if kept.empty:
        return Estimate(nan, nan, nan, 0, 0)
    units = by_task(kept, value)
    ends = interval(units, within=(0, 1) if value in SHARES else None)
    return Estimate(float(units.mean()), *ends, len(units), len(kept))


def summary(runs: pd.DataFrame, value: str, by: str | list[str] = "pattern") -> pd.DataFrame:
    """One row for each group: mean, interval, tasks, runs, and how many were excluded."""
    rows = []
    for name, group in runs.groupby(by, sort=False, observed=True):
        names = name if isinstance(name, tuple) else (name,)
        keys = dict(zip([by] if isinstance(by, str) else by, names, strict=True))
        left = sum(exclusions(group, value).values())
        rows.append(keys | asdict(estimate(group, value)) | {"excluded": left})
    return pd.DataFrame(rows)


def within_tasks(runs: pd.DataFrame, value: str, by: str = "pattern") -> pd.DataFrame:
    """As `summary` over tasks that every group has, with intervals for comparing the groups.

    What makes a task hard for everybody is taken out of the intervals (Cousineau and Morey), as
    pairing takes it out of a difference.
    """
    kept = runs[counted(runs, value)].astype({value: float})
    wide = kept.pivot_table(index=TASK, columns=by, values=value, observed=True, sort=False)
    wide = wide.dropna()
    count = len(wide.columns)
    scale = (count / (count - 1)) ** 0.5 if count > 1 else 1.0
    level = wide.mean(axis=1) - wide.mean(axis=1).mean()
    rows = []
    for name in wide.columns:
        moved = wide[name] - level if count > 1 else wide[name]
        middle = float(wide[name].mean())
        bounds = (0, 1) if value in SHARES else None
        low, high = interval(middle + scale * (moved - moved.mean()), within=bounds)
        rows.append({by: name, "value": middle, "low": low, "high": high, "units": len(wide)})
    return pd.DataFrame(rows, columns=[by, "value", "low", "high", "units"])


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Candidate minus baseline on the same tasks and seeds.

    Attributes:
        difference, low, high: the mean over tasks, with the interval that inverts its test.
        pairs, tasks: what it stands on.
        p, test: how often chance alone would give so much, and by which test: "signs and t" or,
            below six tasks, "t".
        se, se_unpaired: standard errors of the difference, and what it would be unpaired.
        detectable: the difference that this many tasks show in 80 % of such experiments.
        excluded: pairs that do not count, by reason.
        warnings: what to know before it is believed.
    """

    value: str
    baseline: str
    candidate: str
    difference: float
    low: float
    high: float
    pairs: int
    tasks: int
    p: float
    test: str
    se: float
    se_unpaired: float
    detectable: float
    excluded: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def pairs(
    runs: pd.DataFrame, value: str, baseline: str, candidate: str, *, axis: str = "pattern"
) -> tuple[pd.DataFrame, dict[str, int]]:
    """The pairs of two arms: the same task, world, seed and conditions.

    Args:
        runs: the table.
        value: the column that is compared.
        baseline, candidate: two values of the axis.
        axis: the column that tells the arms apart. With one of the experiment's axes all others
            are the same in a pair; with "arm" or a column of your own, task and seeds alone.

    Returns:
        The pairs with the columns `baseline`, `candidate` and `difference`, and how many do not
        count, by reason.

    Raises ConfigurationError: no such arm or column, or an arm has two runs of the same conditions.
    """
    table = runs.assign(ok=counted(runs, value))
    keys = [each for each in (*SAME, *(AXES if axis in WHOLE else ())) if each != axis]
    if axis == "framework":  # whose patterns have its name before theirs
        names = zip(runs["framework"], runs["pattern"], strict=True)
        table["pattern"] = [of.removeprefix(f"{framework}:") for framework, of in names]
    sides = []
    for arm in (baseline, candidate):
        side = table[table[axis] == arm]
        if side.empty:
            there = ", ".join(map(str, runs[axis].unique()))
            raise ConfigurationError(f"no runs with {axis} '{arm}'; there are: {there}")
        if side.duplicated(keys).any():
            raise ConfigurationError(
                f"{axis} '{arm}' has two runs of the same task and seed: compare one experiment"
                " at a time, or give the repetitions an epoch"
            )
        sides.append(side[[*keys, "ok"]].assign(run=side[value].to_numpy(float, na_value=nan)))
    both = sides[0].merge(sides[1], on=keys, how="outer", suffixes=("_a", "_b"), indicator=True)
    whole = both["_merge"] == "both"
    fine = [both[f"ok_{side}"].eq(True) for side in "ab"]
    excluded = {
        "without a partner": int((~whole).sum()),
        f"{baseline} not scored": int((whole & ~fine[0] & fine[1]).sum()),
        f"{candidate} not scored": int((whole & fine[0] & ~fine[1]).sum()),
        "neither scored": int((whole & ~fine[0] & ~fine[1]).sum()),
    }
    kept = both[whole & fine[0] & fine[1]]
    found = kept[keys].assign(baseline=kept["run_a"], candidate=kept["run_b"])
    if axis == "bench":  # whose tasks of one name are one task
        found["bench"] = f"{baseline}, {candidate}"
    differ = ~np.isclose(found["candidate"], found["baseline"], rtol=SAME_TO, atol=0)
    found["difference"] = (found["candidate"] - found["baseline"]).where(differ, 0.0)
    return found.reset_index(drop=True), {why: n for why, n in excluded.items() if n}


def compare(
    runs: pd.DataFrame, value: str, baseline: str, candidate: str, *, axis: str = "pattern"
) -> Comparison:
    """Compare two arms on the pairs that both were scored on. Arguments and errors: `pairs`."""
    found, excluded = pairs(runs, value, baseline, candidate, axis=axis)
    units = by_task(found, "difference")
    low, high = interval(units, within=(-1, 1) if value in SHARES else None)
    p = p_value(units)
    if equal(units) and low * high > 0 and p > ALPHA:
        low = high = nan  # so few, and all alike: they say nothing of how others are spread
    sd = 0.0 if equal(units) and len(units) > 1 else float(units.std())
    return Comparison(
        value=value,
        baseline=baseline,
        candidate=candidate,
        difference=float(units.mean()),
        low=low,
        high=high,
        pairs=len(found),
        tasks=len(found[TASK].drop_duplicates()),
        p=p,
        test="signs and t" if rejected(units) else "t",
        se=float(sd / np.sqrt(len(units))) if len(units) else nan,
        se_unpaired=float(np.hypot(*(by_task(found, each).sem() for each in SIDES))),
        detectable=detectable(sd, len(units)),
        excluded=excluded,
        warnings=tuple(_warnings(found, units, shares=value in SHARES)),
    )


def _warnings(found: pd.DataFrame, units: pd.Series, *, shares: bool) -> Iterable[str]:
    tasks = len(found[TASK].drop_duplicates())
    if found.empty:
        yield "no pair was scored"
        return
    if len(found) < FEW:
        yield f"only {len(found)} pairs: fewer than {FEW} say little of others"
    elif 1 < tasks < FEW:
        yield f"only {tasks} tasks: fewer than {FEW} say little of others"
    if tasks == 1:
        yield "a single task: the interval is over its runs and says nothing of other tasks"
    yield from doubts(units, shares=shares)
    if seeds_outweigh(found):
        yield "what a seed does to all tasks alike outweighs the rest: take more seeds, not tasks"


def doubts(units: Any, *, shares: bool = False) -> Iterable[str]:
    """What the spread of the differences, one for each task, says against their interval."""
    differ = int(np.count_nonzero(units))
    if 0 < differ < min(FEW, len(units)):
        yield f"only {differ} of {len(units)} differ at all: what is rare may not have come up"
    if abs(skewness(units)) > SKEWED and len(units) < ENOUGH:
        yield f"the differences lean to one side: {ENOUGH} tasks or more would say more"
    if equal(units):
        allowed = ": the interval is what 3/n allows" if shares else ", so the interval is none"
        yield f"all differences are equal{allowed}"


def seeds_outweigh(found: pd.DataFrame) -> bool:
    """Whether the seeds' part of the error is more than what the interval over tasks sees of it.

    Tasks are taken for independent. Where a seed does the same to all of them (an outage for all at
    once), the mean hangs on few seeds, and the interval does not know. Two-way analysis of variance
    over tasks and seeds; the seeds have to differ by more than chance (F test, 1 %).
    """
    table = found.pivot_table(index=TASK, columns="seed", values="difference", observed=True)
    values = table.dropna().to_numpy(float)
    tasks, seeds = values.shape
    if tasks < 2 or seeds < 2:
        return False
    by_seed, by_unit = values.mean(axis=0), values.mean(axis=1)
    rest = values - by_seed - by_unit[:, None] + values.mean()
    noise = float((rest**2).sum() / ((tasks - 1) * (seeds - 1)))
    between = tasks * float(by_seed.var(ddof=1))
    part = (between - noise) / tasks / seeds  # of the variance of the mean
    if part <= float(by_unit.var(ddof=1)) / tasks:
        return False
    free = (seeds - 1, (tasks - 1) * (seeds - 1))
    return not noise or float(special.fdtrc(*free, between / noise)) < 0.01


def compare_all(
    runs: pd.DataFrame, value: str, baseline: str, *, axis: str = "pattern"
) -> pd.DataFrame:
    """Compare each other arm with a baseline: rows whose `p_holm`, unlike their interval and its
    `p`, is corrected for their number."""
    others = [each for each in runs[axis].unique() if each != baseline]
    if not others:
        raise ConfigurationError(
            f"nothing to compare {axis} '{baseline}' with: give the experiment another {axis}"
        )
    rows = [asdict(compare(runs, value, baseline, each, axis=axis)) for each in others]
    table = pd.DataFrame(rows)
    return table.assign(p_holm=holm(table["p"]))


def mcnemar(found: pd.DataFrame) -> float:
    """McNemar's exact test on pairs of yes and no, each a task of its own.

    Args:
        found: what `pairs` gives for a value of 0 and 1, such as success.

    Raises ConfigurationError: a task has several pairs, which this test would take for several
    tasks; use `compare`.
    """
    if found.duplicated(TASK).any():
        raise ConfigurationError(
            "McNemar's test takes one pair a task: keep one seed, or use compare, which clusters"
        )
    yes = found[SIDES] > 0.5
    lost = int((yes["baseline"] & ~yes["candidate"]).sum())
    won = int((~yes["baseline"] & yes["candidate"]).sum())
    return min(1.0, 2 * float(special.bdtr(min(won, lost), won + lost, 0.5)))


def detectable(spread: float, units: int) -> float:
    """The smallest true difference that a paired comparison shows in 80 % of such experiments.

    Args:
        spread: the standard deviation of the units' differences.
        units: how many tasks.
    """
    from scipy.optimize import brentq  # 12 MB, which chapters do without

    if units < 2 or isnan(spread):
        return nan
    return float(brentq(lambda effect: power(effect, units) - POWER, 0, 100)) * spread


@dataclass(frozen=True)
class Spread:
    """Where differences come from: variance between tasks, and within a task between seeds."""

    between: float
    within: float

    def sd(self, seeds: int) -> float:
        """The standard deviation of a task's mean difference over this many seeds."""
        return float((self.between + self.within / seeds) ** 0.5)


def spread(found: pd.DataFrame) -> Spread:
    """Variance components of the differences of `pairs` (one-way analysis of variance)."""
    groups = found.groupby(TASK, observed=True)["difference"]
    sizes, free = groups.size(), len(found) - groups.ngroups
    squares = (found["difference"] - groups.transform("mean")).pow(2).sum()
    within = float(squares / free) if free else 0.0
    means = float(groups.mean().var(ddof=1)) if len(sizes) > 1 else 0.0
    return Spread(max(0.0, means - within * float((1 / sizes).mean())), within)


def power_curve(
    parts: Spread, effect: float, *, tasks: Sequence[int], seeds: Sequence[int] = (1,)
) -> pd.DataFrame:
    """How often an experiment of a size would show an effect: `power` by `tasks` and `seeds`.

    More seeds shrink only what differs within a task; past some number only tasks help. Where
    nothing differed in the pilot, nothing is known of the power: NaN.
    """
    rows = []
    for count, repeats in product(tasks, seeds):
        sd = parts.sd(repeats) or nan
        shown = power(effect / sd, count) if sd == sd else nan
        rows.append((count, repeats, shown, detectable(sd, count)))
    return pd.DataFrame(rows, columns=["tasks", "seeds", "power", "detectable"])


def pass_k(runs: pd.DataFrame, most: int = 4, value: str = "success") -> pd.DataFrame:
    """pass^k: the chance that k runs of a task all succeed, mean over tasks, with intervals.

    Args:
        runs: of one arm; a task's seeds and epochs are its trials.
        most: the highest k.
        value: 0 or 1.

    Returns:
        A row for each k: `k`, `value`, `low`, `high`, `units` (tasks with k trials or more).
    """
    kept = runs[counted(runs, value)].astype({value: float})
    groups = kept.groupby(TASK, observed=True)[value]
    done, tried = groups.sum().round().astype(int), groups.size()
    rows = []
    for k in range(1, most + 1):
        shares = [comb(c, k) / comb(n, k) for c, n in zip(done, tried, strict=True) if n >= k]
        low, high = interval(shares, within=(0, 1))
        middle = float(np.mean(shares)) if shares else nan
        rows.append({"k": k, "value": middle, "low": low, "high": high, "units": len(shares)})
    return pd.DataFrame(rows)


def beta_from(pass_1: float, pass_2: float) -> tuple[float, float]:
    """The Beta distribution of the tasks' success rates that has these pass^1 and pass^2.

    Raises:
        ConfigurationError: no distribution has them: pass^2 lies between pass^1 squared and pass^1.
    """
    if not pass_1**2 < pass_2 < pass_1 < 1:
        raise ConfigurationError(f"no tasks have pass^1 {pass_1:g} and pass^2 {pass_2:g}")
    size = (pass_1 - pass_2) / (pass_2 - pass_1**2)
    return pass_1 * size, (1 - pass_1) * size


def beta_pass_k(a: float, b: float, k: int) -> float:
    """pass^k where a task's success rate is drawn from Beta(a, b): the k-th moment."""
    return float(np.prod([(a + n) / (a + b + n) for n in range(k)]))


HANGS = {"fault_kind": ("fault_model", "fault_tool"), "gap_s": ("load",)}
"""Columns that say nothing where others are 0 or 1, and so change with them."""


def tornado(
    runs: pd.DataFrame,
    value: str,
    baseline: str,
    candidate: str,
    *,
    base: Mapping[str, Any],
    axis: str = "pattern",
) -> pd.DataFrame:
    """What the difference hangs on: one assumption changed at a time, the others at their base.

    Args:
        runs: the table.
        value, baseline, candidate, axis: as for `pairs`.
        base: the assumptions to vary (columns such as "profile" and "fault_model"), each with the
            setting that the others are held at; what hangs on the one that varies is not held.

    Returns:
        A row for each setting: `parameter`, `setting`, `is_base`, `difference`, `low`, `high` (the
        Monte-Carlo error there), `pairs`. How far `difference` moves is the parameters' part.

    Raises ConfigurationError: as `pairs`; also when no run has the base settings.
    """
    rows = []
    for parameter in base:
        others = (each for each in base if parameter not in (each, *HANGS.get(each, ())))
        held = runs[_all_equal(runs, {each: base[each] for each in others})]
        for setting, group in held.groupby(parameter, sort=False, observed=True):
            if {baseline, candidate} <= set(group[axis]):
                found = asdict(compare(group, value, baseline, candidate, axis=axis))
                told = {each: found[each] for each in ("difference", "low", "high", "pairs")}
                rows.append({"parameter": parameter, "setting": str(setting) or "none",
                             "is_base": setting == base[parameter], **told})  # fmt: skip
    table = pd.DataFrame(rows)
    if table.empty or not table["is_base"].any():
        held_at = ", ".join(f"{name} {setting}" for name, setting in base.items())
        raise ConfigurationError(f"no pairs of {baseline} and {candidate} at {held_at}")
    return table


def _all_equal(runs: pd.DataFrame, settings: Mapping[str, Any]) -> pd.Series:
    """Which runs have all these settings."""
    return (runs[list(settings)] == pd.Series(settings, dtype=object)).all(axis=1)
