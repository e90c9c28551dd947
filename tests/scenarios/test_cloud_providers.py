"""The cloud providers' request: right figures, calculated after three lookups side by side."""

import pytest

from course import Plan, PlanningSupervisor, run_sync
from course.scenarios.cloud_providers import (
    REQUEST,
    Providers,
    order_flaws,
    workers,
    wrong_figures,
)

OTHER_WORDS = (
    "For the 3 largest cloud providers, give the market capitalisation and the year-over-year"
    " growth, and write a short report on their competitive positioning."
)


@pytest.mark.parametrize("words", [REQUEST, OTHER_WORDS])
def test_twenty_seeds_have_right_figures_and_calculate_after_three_lookups_at_once(
    words: str,
) -> None:
    for seed in range(20 if words is REQUEST else 1):
        with Providers(seed=seed) as providers:
            boss = PlanningSupervisor(name="boss", workers=workers(providers))
            result = run_sync(boss, words)
            assert not wrong_figures(providers, result.answer)
            assert not order_flaws(result.trace)


def test_a_wrong_growth_a_missing_figure_and_a_chain_are_each_told() -> None:
    with Providers(seed=1) as providers:
        boss = PlanningSupervisor(name="boss", workers=workers(providers))
        result = run_sync(boss, REQUEST)
        first = providers.rows("SELECT * FROM providers WHERE rank = 1")[0]
        growth = f"{100 * (first['now'] / first['before'] - 1):.2f} percent"
        assert growth in result.answer
        wrong = result.answer.replace(growth, "9.99 percent")
        assert wrong_figures(providers, wrong) == [
            f"{first['name']}: its growth is missing or wrong"
        ]
        assert wrong_figures(providers, result.answer.replace(first["name"], "Nobody"))
        chain, before = [], tuple[str, ...]()
        for task in result.plan.tasks:
            chain.append(task.model_copy(update={"dependencies": before}))
            before = (*before, task.id)
        plan = Plan(goal="a chain", tasks=tuple(chain))
        [flaw] = order_flaws(run_sync(boss, REQUEST, plan=plan).trace)
        assert flaw == "1 of the lookups were under way at once, not three"


def test_nobody_who_looks_up_by_rank_leaves_the_plan_as_it_was() -> None:
    with Providers(seed=1) as providers:
        researcher, *others = workers(providers)
        plain = type(researcher)(
            name="researcher", description="searches articles", instructions="Search.",
            tools=researcher.tools,
        )  # fmt: skip
        boss = PlanningSupervisor(name="boss", workers=(plain, *others))
        plan = run_sync(boss, REQUEST).plan
        assert "rank" not in plan.to_json()
