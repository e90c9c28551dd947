"""A real service, played by one on loopback: asked in pairs, within the cap, paid once, kept."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from course import cli
from course.errors import ConfigurationError, FileFormatError
from course.lab import kept, live, store, sweep
from course.lab.one import CONTEXT, play
from course.lab.spec import Experiment
from course.models.connect import connect
from course.models.places import Places
from course.models.profile import Profile, load
from course.models.rates import RateLimit
from course.models.server import background
from course.models.simulated import Simulated
from course.models.wire import ChatRequest
from course.notebook.explorer import run_trace
from tests.models.service import Service, send

IN_FLIGHT = 3
DEAREST = 0.0018
"""US dollars that no request here costs."""
LIVE: dict[str, Any] = {
    "name": "live", "bench": "calls:1", "pattern": ["single", "supervisor"], "model": "endpoint",
    "seeds": 0, "tasks": 3, "cap": {"in_flight": IN_FLIGHT, "input": 1.0, "output": 2.0},
}  # fmt: skip


class Counting:
    """The simulated model, which counts what it is asked."""

    def __init__(self) -> None:
        self.model = Simulated(load("instant"), 0)
        self.asked = 0

    def __call__(self, request: ChatRequest) -> Any:
        self.asked += 1
        return self.model(request)


def experiment(**cap: Any) -> Experiment:
    return Experiment(**{**LIVE, "cap": {**LIVE["cap"], **cap}})


def calls(folder: Path) -> dict[int, dict[str, float]]:
    """The requests that were sent, by number."""
    found: dict[int, dict[str, float]] = {}
    for line in (folder / kept.SPENT).read_text().splitlines():
        told = json.loads(line)
        found.setdefault(told["call"], {}).update(told)
    return found


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("COURSE_MODEL", "switchboard-large")


@pytest.fixture
def model(key: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counting]:
    counting = Counting()
    with background(profile="instant", responder=counting) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        yield counting


def test_nothing_is_asked_without_a_key_a_price_or_a_yes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigurationError, match=r"no price here: give cap\.input and cap\.output"):
        experiment(input=None)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="no key: set OPENAI_API_KEY"):
        sweep.sweep(experiment(), tmp_path, progress=False)
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    asked: list[str] = []
    with pytest.raises(ConfigurationError, match="was not agreed to"):
        sweep.sweep(experiment(), tmp_path, ask=lambda said: bool(asked.append(said)))
    assert "6 runs" in asked[0] and "USD of a real service (1 MB of answers are kept)" in asked[0]
    assert not list(tmp_path.iterdir())


def test_a_cap_is_kept_pairs_are_whole_and_nothing_is_paid_twice(
    model: Counting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 0.006
    with pytest.raises(ConfigurationError, match=r"the cap of 0\.006 USD is reached"):
        sweep.sweep(experiment(usd=most), tmp_path, progress=False)
    first = calls(tmp_path)
    spent = sum(each["paid"] for each in first.values())
    assert len(first) == model.asked and 0.5 * most < spent <= most + IN_FLIGHT * DEAREST
    there = store.runs(tmp_path)
    assert 0 < len(there) < 6
    runs = store.runs(sweep.sweep(experiment(), tmp_path, progress=False))
    assert len(runs) == 6 and runs["success"].all(), list(runs["why"])
    assert model.asked == runs["requests"].sum() == len(calls(tmp_path))
    paid = runs["tokens_in"] * 1e-6 + runs["tokens_out"] * 2e-6
    assert (abs(runs["cost_usd"] - paid) < 1e-12).all()
    assert abs(sum(each["paid"] for each in calls(tmp_path).values()) - paid.sum()) < 1e-9

    told = store.manifest(tmp_path)
    assert told["service"]["addresses"] == [os.environ["OPENAI_BASE_URL"].split("/")[2]]
    [[served, fingerprint]] = told["service"]["served"]
    assert served == "switchboard-large" and fingerprint.startswith("fp_")
    assert [cap["usd"] for cap in told["caps"]] == [most, None]
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or b"secret" not in path.read_bytes()

    cut = store.chunk(tmp_path, next(iter(told["chunks"])), "runs")
    cut.write_bytes(cut.read_bytes()[:-40])
    with pytest.raises(FileFormatError, match="makes that chunk again"):
        store.runs(tmp_path)
    asked = model.asked
    sweep.sweep(experiment(), tmp_path, progress=False)
    assert len(store.runs(tmp_path)) == 6 and model.asked == asked  # made of kept answers

    monkeypatch.setenv("COURSE_MODEL", "another")
    cut.unlink()
    with pytest.raises(ConfigurationError, match="were begun with switchboard-large"):
        sweep.sweep(experiment(), tmp_path, progress=False)


def test_what_has_ended_outlives_an_interruption(
    model: Counting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, made = store.save_chunk, list[str]()

    def interrupted(folder: Path, name: str, tables: Any) -> Any:
        made.append(name)
        if len(made) == 3:
            signal.raise_signal(signal.SIGINT)
        return save(folder, name, tables)

    monkeypatch.setattr(store, "save_chunk", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sweep.sweep(experiment(), tmp_path, progress=False)
    assert 3 <= len(store.runs(tmp_path)) < 6
    asked, written = model.asked, len(calls(tmp_path))
    assert asked <= written <= asked + IN_FLIGHT  # what was on its way is counted, too
    runs = store.runs(sweep.sweep(experiment(), tmp_path, progress=False))
    assert len(runs) == 6 and runs["success"].all()
    assert model.asked <= runs["requests"].sum() + IN_FLIGHT


def test_runs_are_judged_and_looked_at_again_without_a_request(
    key: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with background(profile="instant", responder=(model := Counting())) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        sweep.sweep(experiment(), tmp_path, progress=False)
    asked, runs = model.asked, store.runs(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY")
    assert cli.main(["lab", "judge", str(tmp_path)]) == 0
    assert "6 runs judged again, with no request: 0 are worth" in capsys.readouterr().out
    monkeypatch.setattr("course.benches.generated._figures", lambda answer, truth: kept_nothing())
    assert sweep.judge(tmp_path) == (6, 6, 0)
    now = store.runs(tmp_path)
    assert not now["success"].any() and set(now["why"]) == {"missing: all"}
    same = [name for name in runs if name not in sweep.JUDGED]
    assert now[same].equals(runs[same]) and sweep.check(tmp_path) == []
    trace = run_trace(tmp_path, runs["run_id"][0])
    assert sum(step.operation == "chat" for step in trace.spans) == runs["requests"][0]
    for path in (tmp_path / kept.ANSWERS).iterdir():
        path.unlink()
    assert sweep.judge(tmp_path) == (0, 0, 6)
    assert model.asked == asked


def kept_nothing() -> Any:
    from course.benches.outcome import counted

    return counted({"all": False})


def test_arms_of_a_pair_come_together_in_an_order_that_is_drawn() -> None:
    cells = list(Experiment(**{**LIVE, "seeds": "0:20", "tasks": 5}).cells())
    ordered = live.in_order(cells)
    assert Counter(cell.run_id for cell in ordered) == Counter(cell.run_id for cell in cells)
    pairs = [ordered[n : n + 2] for n in range(0, len(ordered), 2)]
    assert all((a.task, a.seed) == (b.task, b.seed) and a.arm != b.arm for a, b in pairs)
    first = Counter(a.pattern for a, _ in pairs)
    assert min(first["single"], first["supervisor"]) > 35
    assert [a.seed for a, _ in pairs] == sorted(a.seed for a, _ in pairs)


@pytest.mark.parametrize(("kind", "said"), [
    ("text/html", "<h1>It works!</h1>"), ("application/json", {"choices": []}),
    ("application/json", "{"), ("application/json", []),
])  # fmt: skip
def test_a_service_that_answers_nonsense_is_one_line(
    key: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, said: Any
) -> None:
    service = Service()
    service.answer = lambda request: send(request, 200, said, kind)
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://{service.place}/v1")
    try:
        with pytest.raises(ConfigurationError, match="stopped answering after 0 runs") as caught:
            sweep.sweep(experiment(), tmp_path, progress=False)
    finally:
        service.stop()
    assert "check OPENAI_BASE_URL" in str(caught.value) and "\n" not in str(caught.value)
    assert store.runs(tmp_path).empty and not (tmp_path / kept.ANSWERS).exists()


def test_a_kill_in_the_middle_of_a_line_loses_that_line_alone(tmp_path: Path) -> None:
    (tmp_path / kept.SPENT).write_text(
        '{"call": 1, "held": 0.5}\n{"call": 1, "paid": 0.1}\n{"call": 2, "held": 0.5}\n{"call": '
    )
    (tmp_path / kept.ANSWERS).mkdir()
    (tmp_path / kept.ANSWERS / "run.jsonl").write_text(json.dumps(kept.HEADER) + '\n{"method": "PO')
    answers = kept.Answers(tmp_path)
    assert answers.spent == 0.6  # what never came back counts as it was taken


def virtually(profile: Profile, rate: RateLimit | None = None) -> kept.Service:
    """A service in virtual time."""

    class Virtual(kept.Service):
        def client(self, cell: Any) -> Any:
            return connect(Simulated(profile, 0), profile=profile, seed=cell.luck)

    return Virtual(kept.Answers(Path("none")), rate, Places(8))


def test_a_known_limit_is_kept_by_waiting_and_latency_is_told_without_it() -> None:
    cell = next(Experiment(**{**LIVE, "bench": "calls:5", "pattern": "pipeline"}).cells())
    few = load("calm").model_copy(update={"models": {
        name: each.model_copy(update={"requests_per_minute": 4})
        for name, each in load("calm").models.items()}})  # fmt: skip
    blind, rate = play(cell, kept=virtually(few)), RateLimit(requests_per_minute=4)
    minding = play(cell, kept=virtually(few, rate))
    assert blind.row["retries"] > 0 and minding.row["retries"] == 0
    calm = play(cell, kept=virtually(load("calm")))
    for played, refusals in ((blind, 0.5), (minding, 1e-6)):  # being refused takes time, too
        assert played.row["latency_s"] > calm.row["latency_s"] + 60
        assert abs(played.row["latency_net_s"] - calm.row["latency_s"]) < refusals
    assert calm.row["latency_net_s"] == calm.row["latency_s"]


def test_a_limit_is_not_used_to_its_end_before_the_service_counts() -> None:
    for rpm, tpm in ((60, 30_000), (6000, None), (None, 6000), (1, None), (None, None)):
        rate = live.allowed(experiment(rpm=rpm, tpm=tpm).cap)
        levels = {unit: (bucket.level, bucket.limit) for unit, bucket in rate._buckets.items()}
        assert len(levels) == (rpm is not None) + (tpm is not None)
        for level, limit in levels.values():
            assert level <= limit * (1 - live.LAG / 60) + 1 and level < limit


def test_a_context_overflow_is_told_apart_from_other_failures() -> None:
    cell = next(Experiment(**LIVE).cells())
    small = load("calm").model_copy(update={"models": {
        name: each.model_copy(update={"context_window": 60})
        for name, each in load("calm").models.items()}})  # fmt: skip
    row = play(cell, kept=virtually(small)).row
    assert row["status"] == "failed" and row["stop_reason"] == CONTEXT
    assert "maximum context length" in row["why"]
