"""The statistics give textbook values, cover what they say, and count whom they leave out."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

from course.errors import ConfigurationError
from course.evaluation import means, stats
from course.evaluation.calibration import wilson
from tests.benchmarks.coverage import SHAPES, held
from tests.lab.frames import frame, runs_table


def test_wilsons_interval_is_that_of_statsmodels() -> None:
    for right, count in ((0, 7), (3, 10), (81, 263), (50, 50)):
        expected = proportion_confint(right, count, method="wilson")
        assert wilson(right, count) == pytest.approx(expected)


def test_mcnemar_is_the_binomial_of_the_pairs_that_disagree() -> None:
    # 10 tasks only the baseline solves, 2 only the candidate, 30 both, 8 neither.
    sides = [(1, 0)] * 10 + [(0, 1)] * 2 + [(1, 1)] * 30 + [(0, 0)] * 8
    found = pd.DataFrame(sides, columns=["baseline", "candidate"])
    found = found.assign(bench="b", task_id=[str(n) for n in range(len(found))])
    assert stats.mcnemar(found) == pytest.approx(scipy_stats.binomtest(2, 12).pvalue)
    assert stats.mcnemar(found) == pytest.approx(2 * (1 + 12 + 66) / 2**12)
    with pytest.raises(ConfigurationError, match="one pair a task"):
        stats.mcnemar(pd.concat([found, found]))


def test_holm_is_holms_own_procedure() -> None:
    assert means.holm([0.01, 0.04, math.nan, 0.03])[[0, 1, 3]] == pytest.approx([0.03, 0.06, 0.06])
    assert math.isnan(means.holm([0.01, math.nan])[1])
    for number in range(1, 9):  # small numbers and ones, in any order, some of them equal
        values = np.random.default_rng(number).choice([1e-9, 0.004, 0.03, 0.2, 1.0], number)
        assert list(means.holm(values)) == list(multipletests(values, method="holm")[1])


def test_the_detectable_effect_and_the_power_are_those_of_the_paired_t_test() -> None:
    # Cohen (1988): d = 0.5 at 80 % takes 34 pairs.
    assert stats.detectable(1.0, 34) == pytest.approx(0.5, abs=0.01)
    curve = stats.power_curve(stats.Spread(1.0, 0.0), 0.5, tasks=(33, 34))
    assert curve["power"].iloc[0] < 0.8 < curve["power"].iloc[1]


def test_more_seeds_help_only_until_the_tasks_decide() -> None:
    curve = stats.power_curve(stats.Spread(1.0, 4.0), 1.0, tasks=(20,), seeds=(1, 4, 100, 10_000))
    found = list(curve["detectable"])
    assert found == sorted(found, reverse=True)
    assert found[0] > 1.5 * found[1]
    assert found[2] < 1.03 * found[3]


def test_variance_is_split_between_tasks_and_seeds() -> None:
    luck = np.random.default_rng(5)
    rows = [
        {"bench": "b", "task_id": str(task), "difference": middle + luck.normal(0, 2)}
        for task, middle in enumerate(luck.normal(0, 1, 2000))
        for _ in range(4)
    ]
    parts = stats.spread(pd.DataFrame(rows))
    assert parts.between == pytest.approx(1.0, abs=0.2)
    assert parts.within == pytest.approx(4.0, abs=0.2)


def test_intervals_by_task_cover_and_intervals_by_run_do_not() -> None:
    """Over 150 experiments of 25 tasks and 4 seeds with a true difference of 1: tasks resampled,
    and runs resampled as if each were a task of its own."""
    covered, naive, turns = 0, 0, 150
    for turn in range(turns):
        luck = np.random.default_rng(turn)
        runs = 1 + luck.normal(0, 0.8, (25, 1)) + luck.normal(0, 0.2, (25, 4))
        for kept, values in (("task", runs.mean(axis=1)), ("run", runs.ravel())):
            low, high = means.interval(values)
            covered += kept == "task" and low <= 1 <= high
            naive += kept == "run" and low <= 1 <= high
    assert 0.90 <= covered / turns <= 0.985
    assert naive / turns < 0.8


def test_the_standard_error_is_that_of_clustered_least_squares() -> None:
    table = runs_table(tasks=20, seeds=5)
    found, _ = stats.pairs(table, "latency_s", "single", "planner")
    fit = OLS(found["difference"], np.ones(len(found))).fit(
        cov_type="cluster", cov_kwds={"groups": pd.factorize(found["task_id"])[0]}
    )
    ours = stats.compare(table, "latency_s", "single", "planner")
    assert ours.difference == pytest.approx(fit.params.iloc[0])
    assert ours.se == pytest.approx(fit.bse.iloc[0], rel=0.01)
    assert ours.se < 0.3 * ours.se_unpaired  # what the tasks have in common is gone


def test_a_pair_counts_only_if_both_of_its_runs_do() -> None:
    table = runs_table(tasks=12, seeds=2)
    table.loc[table["run_id"] == "single/0/0", "status"] = "excluded"
    table.loc[table["run_id"] == "planner/1/0", ["status", "why"]] = ["excluded", "no answer key"]
    both = table["run_id"].isin(["single/2/0", "planner/2/0"])
    table.loc[both, "status"] = "excluded"
    table = table[table["run_id"] != "planner/3/0"]
    found = stats.compare(table, "latency_s", "single", "planner")
    assert found.pairs == 24 - 4
    assert found.excluded == {
        "without a partner": 1, "single not scored": 1, "planner not scored": 1,
        "neither scored": 1,
    }  # fmt: skip
    assert stats.exclusions(table[table["pattern"] == "planner"], "latency_s") == {
        "excluded: no answer key": 1, "excluded": 1,
    }  # fmt: skip


def test_arms_of_several_axes_are_paired_by_task_and_seed() -> None:
    plain, patient = runs_table(policy="none"), runs_table(policy="refine")
    table = pd.concat([plain, patient]).assign(both=lambda t: t["pattern"] + " " + t["policy"])
    found = stats.compare(table, "latency_s", "single none", "planner refine", axis="both")
    assert found.pairs == 48
    assert not found.excluded
    by_policy = stats.compare(table, "latency_s", "none", "refine", axis="policy")
    assert (by_policy.pairs, by_policy.difference) == (3 * 48, 0)


def test_a_failed_run_counts_as_no_success_and_not_as_missing() -> None:
    table = runs_table(tasks=10, seeds=1, effects={"a": 0.0, "b": 0.0}).assign(success=True)
    table.loc[table["pattern"] == "b", ["status", "success"]] = ["failed", False]
    found = stats.compare(table, "success", "a", "b")
    assert (found.difference, found.pairs) == (-1.0, 10)


def test_few_pairs_one_task_and_equal_differences_are_warned_of() -> None:
    few = stats.compare(runs_table(tasks=9, seeds=1), "latency_s", "single", "planner")
    assert "only 9 pairs" in few.warnings[0]
    enough = stats.compare(runs_table(tasks=10, seeds=1), "latency_s", "single", "planner")
    assert not any("pairs" in each for each in enough.warnings)
    one = stats.compare(runs_table(tasks=1, seeds=20), "latency_s", "single", "planner")
    assert one.low < one.difference < one.high
    assert any("single task" in each for each in one.warnings)
    equal = stats.compare(runs_table(), "calls", "single", "supervisor")
    assert any("all differences are equal" in each for each in equal.warnings)


@pytest.mark.parametrize("unit", [1e-9, 1e-3, 1.0, 1e6])
def test_what_only_the_order_of_a_sum_tells_apart_is_no_difference(unit: float) -> None:
    parts = np.random.default_rng(5).random((20, 7)) * unit
    rows = []
    for pattern, way in (("a", 1), ("b", -1)):
        for task, costs in enumerate(parts):
            total = sum(float(each) for each in costs[::way])
            rows.append({"bench": "b", "task_id": f"t{task}", "cluster": f"t{task}", "seed": 0,
                         "world_seed": 0, "epoch": 0, "pattern": pattern, "status": "scored",
                         "cost_usd": total, "why": ""})  # fmt: skip
    runs = frame(rows)
    assert runs["cost_usd"].nunique() > 20  # the two orders do give other floats
    found = stats.compare(runs, "cost_usd", "a", "b")
    assert (found.difference, found.low, found.high, found.p) == (0, 0, 0, 1)
    runs.loc[20:, "cost_usd"] *= 1 + 1e-6
    assert stats.compare(runs, "cost_usd", "a", "b").p < 0.01


def test_where_few_tasks_differ_the_interval_is_not_to_be_trusted() -> None:
    table = runs_table(tasks=20, seeds=1, effects={"a": 0.0, "b": 0.0}).assign(success=True)
    table.loc[table["run_id"].isin(["a/0/0", "a/1/0", "a/2/0"]), "success"] = False
    found = stats.compare(table, "success", "a", "b")
    assert found.low <= 0
    assert found.p == pytest.approx(0.25, abs=0.03)
    assert "only 3 of 20 differ at all" in found.warnings[0]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("tasks", [10, 20])
def test_intervals_cover_or_are_warned_of_and_never_say_another_thing_than_p(
    shape: str, tasks: int
) -> None:
    found = held(shape, tasks, 100)
    assert found.contradicted == 0
    assert found.told >= 90  # 0.93 and more of 600 (tests/benchmarks/coverage.py)
    if shape in ("normal", "skewed", "share"):
        assert found.alarms <= 10


def test_an_interval_holds_the_means_that_its_test_does_not_reject() -> None:
    luck = np.random.default_rng(3)
    for count in (2, 4, 5, 6, 9, 12, 13, 30, 60):
        for values in (luck.normal(0.5, 1, count), luck.lognormal(0, 1, count),
                       luck.integers(-2, 3, count) / 5):  # fmt: skip
            low, high = means.interval(values)
            if np.ptp(values) == 0:
                continue  # equal values have no interval that a test inverts
            for mean, rejected in ((low, 0), (high, 0), (low - 0.01, 1), (high + 0.01, 1)):
                inward = np.sign(np.mean(values) - mean) * 1e-6 * (1 - rejected)
                assert (means.p_value(values - mean - inward) <= 0.05) == rejected


def test_the_sign_test_is_the_exact_permutation_test() -> None:
    for turn in range(5):
        values = np.random.default_rng(turn).normal(0.4, 1, 9)
        expected = scipy_stats.permutation_test(
            (values,), lambda x, axis: x.mean(axis=axis), permutation_type="samples",
            vectorized=True, n_resamples=10_000,
        ).pvalue  # fmt: skip
        assert means.p_value(values) >= expected - 1e-12
        drawn = means.subset_means(values)
        side = min((drawn <= 0).sum(), (drawn >= 0).sum())
        assert 2 * (1 + side) / 2**9 == pytest.approx(expected)


def test_a_share_keeps_to_its_bounds_and_all_alike_leave_what_3_of_n_allow() -> None:
    assert means.interval(np.ones(30), within=(0, 1)) == pytest.approx((0.9, 1))
    assert means.interval(np.zeros(30), within=(-1, 1)) == pytest.approx((-0.1, 0.1))
    assert means.interval(np.full(30, -1.0), within=(-1, 1)) == pytest.approx((-1, -0.8))
    assert means.interval([1, 1, 1], within=(0, 1)) == (0, 1)
    whole = runs_table(tasks=12, seeds=2, effects={"a": 0.0, "b": 0.0}).assign(success=True)
    assert stats.estimate(whole, "success").low == pytest.approx(0.75)
    found = stats.compare(whole, "success", "a", "b")
    assert (found.low, found.high, found.p) == (-0.25, 0.25, 1)
    whole.loc[whole["run_id"] == "a/0/0", "success"] = False
    for table in (stats.within_tasks(whole, "success"), stats.summary(whole, "success")):
        assert table["low"].min() >= 0 and table["high"].max() <= 1
    luck = np.random.default_rng(1)
    for _ in range(40):
        low, high = means.interval(luck.random(8) < 0.9, within=(0, 1))
        assert 0 <= low <= high <= 1


def test_few_tasks_are_tested_by_t_and_say_so() -> None:
    arms = ("latency_s", "single", "supervisor")
    effects = {"single": 0.0, "supervisor": 5.0}
    five, six = (
        stats.compare(runs_table(tasks=n, seeds=4, effects=effects), *arms) for n in (5, 6)
    )
    assert (five.test, six.test) == ("t", "signs and t")
    assert five.p < 0.05  # which no pattern of five signs could say


@pytest.mark.parametrize(("alike", "warned"), [(0.0, False), (3.0, True)])
def test_what_a_seed_does_to_all_tasks_is_warned_of(alike: float, warned: bool) -> None:
    luck = np.random.default_rng(8)
    table = runs_table(tasks=15, seeds=5, effects={"a": 0.0, "b": 0.0})
    shift = {seed: luck.normal(0, alike) for seed in range(5)}
    other = table["pattern"] == "b"
    moved = table["latency_s"] + luck.normal(0, 0.5, len(table)) + table["seed"].map(shift)
    table["latency_s"] = table["latency_s"].where(~other, moved)
    told = stats.compare(table, "latency_s", "a", "b").warnings
    assert any("seed" in each for each in told) == warned


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("latency", "single", "planner"), "no column 'latency'"),
        (("latency_s", "single", "hub"), "no runs with pattern 'hub'; there are: single"),
    ],
)
def test_what_is_not_there_is_named(asked: tuple[str, str, str], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        stats.compare(runs_table(tasks=3), *asked)


def test_two_runs_of_one_condition_in_an_arm_are_refused() -> None:
    table = runs_table(tasks=3)
    with pytest.raises(ConfigurationError, match="two runs of the same task and seed"):
        stats.compare(pd.concat([table, table]), "latency_s", "single", "planner")


def test_all_arms_are_compared_with_a_baseline_and_corrected_for_their_number() -> None:
    table = stats.compare_all(runs_table(), "latency_s", "single")
    assert list(table["candidate"]) == ["supervisor", "planner"]
    assert (table["p_holm"] >= table["p"]).all()
    assert table["p_holm"].min() == pytest.approx(2 * table["p"].min())


def test_no_difference_is_found_as_often_as_alpha_says() -> None:
    found = [
        means.p_value(np.random.default_rng(turn).standard_t(4, 8)) < 0.05 for turn in range(200)
    ]
    assert 0.01 <= np.mean(found) <= 0.06


def test_intervals_within_tasks_are_those_of_the_difference() -> None:
    table = runs_table(effects={"a": 0.0, "b": 1.0}, tasks=30)
    rows = stats.within_tasks(table, "latency_s").set_index("pattern")
    plain = stats.summary(table, "latency_s").set_index("pattern")
    width, bare = (each.loc["a", "high"] - each.loc["a", "low"] for each in (rows, plain))
    paired = stats.compare(table, "latency_s", "a", "b")
    assert width < 0.3 * bare
    assert width * math.sqrt(2) == pytest.approx(paired.high - paired.low, rel=0.15)


def test_pass_k_is_the_share_of_draws_that_all_succeed() -> None:
    rows = [
        {"bench": "b", "task_id": task, "success": won, "status": "scored"}
        for task, wins in {"easy": 4, "half": 2, "hard": 0}.items()
        for won in [1.0] * wins + [0.0] * (4 - wins)
    ]
    found = stats.pass_k(pd.DataFrame(rows))["value"]
    assert list(found) == pytest.approx([0.5, (1 + 1 / 6) / 3, 1 / 3, 1 / 3])


def test_a_beta_of_difficulty_has_the_moments_it_was_made_from_and_foretells_the_next() -> None:
    a, b = stats.beta_from(0.604, 0.491)
    assert [stats.beta_pass_k(a, b, k) for k in (1, 2)] == pytest.approx([0.604, 0.491])
    draws = np.random.default_rng(1).beta(a, b, 200_000)
    assert stats.beta_pass_k(a, b, 4) == pytest.approx((draws**4).mean(), abs=0.005)
    with pytest.raises(ConfigurationError, match="no tasks have"):
        stats.beta_from(0.5, 0.2)


def test_a_tornado_moves_one_assumption_at_a_time() -> None:
    def at(effect: float, **conditions: object) -> pd.DataFrame:
        return runs_table(effects={"a": 0.0, "b": effect}, tasks=15, **conditions)  # type: ignore[arg-type]

    table = pd.concat([
        at(1.0), at(3.0, profile="busy"), at(1.2, fault_model=0.1),
        at(9.0, profile="busy", fault_model=0.1),
    ])  # fmt: skip
    base = {"profile": "calm", "fault_model": 0.0}
    rows = stats.tornado(table, "latency_s", "a", "b", base=base)
    assert list(rows["setting"]) == ["calm", "busy", "0.0", "0.1"]
    assert list(rows["difference"].round()) == [1, 3, 1, 1]
    assert (rows["low"] < rows["difference"]).all()
    with pytest.raises(ConfigurationError, match="no pairs"):
        stats.tornado(table, "latency_s", "a", "b", base={"profile": "stormy"})


@pytest.mark.parametrize("units", [2, 5, 40])
def test_power_is_that_of_statsmodels(units: int) -> None:
    theirs = TTestPower()
    for effect in (0.01, 0.3, 1.0):
        mine = stats.power(effect, units)
        assert mine == pytest.approx(theirs.power(effect, units, stats.ALPHA), abs=1e-9)
    least = theirs.solve_power(nobs=units, alpha=stats.ALPHA, power=stats.POWER)
    assert stats.detectable(2.0, units) == pytest.approx(2 * least, rel=1e-5)
    assert stats.power(30.0, units) == pytest.approx(1.0, abs=1e-3)  # where scipy gives NaN
