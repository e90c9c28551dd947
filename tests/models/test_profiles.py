"""Profiles: what ships is sound, what is damaged is refused, what is drawn follows the figures."""

import math
import statistics
import tomllib
from pathlib import Path

import pytest

from course.errors import FileFormatError
from course.models import LARGE, NAMES, SMALL, Draws, Key
from course.models.conditions import Faults, Weather, pace
from course.models.profile import FOLDER, load, names, read, sources_of

WANTED = {"calm", "instant", "busy", "faulty", "stormy", "misrouting"}


def test_the_course_ships_its_profiles() -> None:
    assert set(names()) >= WANTED


@pytest.mark.parametrize("name", names())
def test_every_shipped_profile_serves_both_models_and_names_itself(name: str) -> None:
    profile = load(name)
    assert (profile.name, tuple(profile.models)) == (name, NAMES)
    assert profile.summary
    assert all(what and date for _, what, date in sources_of(name))


@pytest.mark.parametrize("name", names())
def test_no_source_is_described_in_vain(name: str) -> None:
    tables = tomllib.loads((FOLDER / f"{name}.toml").read_text())
    unused = [s for s in tables.pop("sources", {}) if f"'source': '{s}'" not in str(tables)]
    # The assumption is described once, in the profile that the others build on.
    assert set(unused) <= ({"assumption"} if name == "calm" else set())


def test_the_default_is_failure_free_and_the_instant_one_takes_no_time() -> None:
    assert load().failures.rate == 0
    assert load().models[SMALL].requests_per_minute is None
    draws = Draws(0, Key("r", "a", 1))
    instant = pace(load("instant").models[SMALL], 500, draws)
    assert instant.total(10_000) == 0
    assert load("instant").models[SMALL].price_input == load().models[SMALL].price_input


def test_what_an_agent_works_on_is_part_of_its_luck_and_nothing_is_as_it_was() -> None:
    keys = [Key("r", "a", 1), Key("r", "a", 1, matter="t1"), Key("r", "a", 1, matter="t2")]
    assert len({Draws(0, key).uniform("speed") for key in keys}) == 3
    assert Draws(0, keys[0]).uniform("speed") == 0.0339247624192217


def damaged(tmp_path: Path, text: str) -> str:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(FileFormatError) as caught:
        load(file)
    message = str(caught.value)
    assert "mine.toml" in message
    assert "\n" not in message
    return message


def figure(value: object, source: str = "assumption") -> str:
    return f'{{ value = {value}, source = "{source}" }}'


HEAD = 'extends = "calm"\n'
MODEL = f"[models.{SMALL}]\n"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("name = \n", "line 1, column 8"),
        (HEAD + MODEL + "ttft_median = 0.5", f"models.{SMALL}.ttft_median: write a figure as"),
        (
            HEAD + MODEL + f"ttft_median = {figure(0.5, 'hearsay')}",
            f"models.{SMALL}.ttft_median: describe its source",
        ),
        (
            HEAD + MODEL + 'ttft_median = { value = 1, source = "assumption", unit = "s" }',
            "a value and a source, nothing else",
        ),
        (HEAD + MODEL + f"ttft_median = {figure(-1)}", f"models.{SMALL}.ttft_median"),
        (HEAD + MODEL + f"ttft_median = {figure('inf')}", f"models.{SMALL}.ttft_median"),
        (HEAD + MODEL + f"context_window = {figure(0.5)}", f"models.{SMALL}.context_window"),
        (HEAD + MODEL + f"charm = {figure(1)}", f"models.{SMALL}.charm"),
        (HEAD + f"[failures]\ntimeout = {figure(0.5)}", "must be 1, not 1.35"),
        (HEAD + f"[failures]\nrate = {figure(2)}", "failures.rate"),
        (HEAD + f"routing_error = {figure('[[1, 7.0]]')}", "routing_error"),
        ('extends = "nothing"\n', "no profile 'nothing' to build on"),
        ('extends = "mine"\n', "no profile 'mine' to build on"),
        ("", "name"),
    ],
)
def test_a_damaged_profile_is_refused_with_its_place(tmp_path: Path, text: str, place: str) -> None:
    assert place in damaged(tmp_path, text)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileFormatError, match=r"mine\.toml"):
        load(file)


def test_a_profile_may_build_on_one_beside_it_and_is_read_anew(tmp_path: Path) -> None:
    (tmp_path / "slow.toml").write_text(HEAD + MODEL + f"ttft_median = {figure(9)}")
    mine = tmp_path / "mine.toml"
    mine.write_text('extends = "slow"\nname = "mine"\n')
    assert (load(mine).name, load(mine).models[SMALL].ttft_median) == ("mine", 9)
    assert load(mine).models[LARGE] == load().models[LARGE]
    mine.write_text('extends = "slow"\nname = "changed"\n')
    assert read(mine).name == load(mine).name == "changed"


def test_a_call_costs_what_the_price_list_says() -> None:
    assert load().models[SMALL].cost(1_000_000, 1_000_000) == pytest.approx(0.40 + 1.60)


def test_the_routing_error_follows_its_curve() -> None:
    profile = load("misrouting")
    assert [profile.error_rate(n) for n in (0, 1, 5, 10, 30, 128, 900)] == pytest.approx(
        [0, 0, 0.01, 0.03, 0.165, 0.6, 0.6]
    )
    assert load("calm").error_rate(100) == 0


def keys(count: int) -> list[Draws]:
    return [Draws(0, Key("run", f"agent {n % 20}", n // 20)) for n in range(count)]


def test_latency_has_the_median_and_the_tail_of_its_figures() -> None:
    model = load("calm").models[LARGE]
    first = [pace(model, 0, draws).first for draws in keys(4000)]
    assert statistics.median(first) == pytest.approx(model.ttft_median, rel=0.05)
    p95 = statistics.quantiles(first, n=20)[-1]
    assert p95 == pytest.approx(model.ttft_median * math.exp(1.645 * model.ttft_sigma), rel=0.1)


def test_prefill_and_decoding_add_up() -> None:
    model = load("calm").models[SMALL]
    draws = Draws(0, Key("r"))
    short, long = pace(model, 0, draws), pace(model, 1000, draws)
    assert long.first - short.first == pytest.approx(1000 * model.prefill_per_token)
    assert short.total(100) - short.first == pytest.approx(100 * short.per_token)


def test_failures_come_as_often_and_in_the_ways_the_profile_says() -> None:
    failures = load("faulty").failures
    faults = Faults(failures, seed=0)
    struck = [faults.strike(draws, now=1.0) for draws in keys(20_000)]
    found = [fault for fault in struck if fault]
    assert len(found) / len(struck) == pytest.approx(0.02, rel=0.15)
    assert found.count("rate_limited") / len(found) == pytest.approx(0.6, abs=0.08)
    assert found.count("timeout") / len(found) == pytest.approx(0.15, abs=0.06)


def test_a_retry_draws_anew_and_order_does_not_matter() -> None:
    failures = load("faulty").failures
    attempts = [Draws(0, Key("r", "a", 1, attempt)) for attempt in range(300)]
    forwards = [Faults(failures, 0).strike(draws, 1.0) for draws in attempts]
    backwards = [Faults(failures, 0).strike(draws, 1.0) for draws in reversed(attempts)]
    assert forwards == backwards[::-1]
    assert 0 < sum(fault is not None for fault in forwards) < 30


def test_outages_cluster_failures_and_add_up_to_a_bad_day() -> None:
    failures = load("stormy").failures
    assert failures.outages is not None
    faults, weather = Faults(failures, seed=1), Weather(failures.outages, seed=1)
    moments = [0.5 * n for n in range(40_000)]
    struck = [
        (faults.strike(Draws(1, Key("r", "a", n)), moment) is not None, weather.bad(moment))
        for n, moment in enumerate(moments)
    ]
    rate = statistics.fmean(failed for failed, _ in struck)
    in_bad = statistics.fmean(failed for failed, bad in struck if bad)
    in_good = statistics.fmean(failed for failed, bad in struck if not bad)
    assert 0.04 < rate < 0.08
    assert in_bad == pytest.approx(0.75, abs=0.05)
    assert in_good < 0.01


def test_the_weather_is_the_same_in_whatever_order_it_is_asked() -> None:
    outages = load("stormy").failures.outages
    assert outages is not None
    moments = [5.0 * n for n in range(500)]
    forwards = [Weather(outages, 3).bad(moment) for moment in moments]
    one = Weather(outages, 3)
    assert [one.bad(moment) for moment in reversed(moments)] == forwards[::-1]
    assert any(forwards)
    assert not forwards[0]
