"""Benches: what they ask can be done, is judged by what is there, and is excluded out loud."""

import gzip
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from course.agent import Agent
from course.benches import bench, public
from course.benches.outcome import counted
from course.errors import ConfigurationError
from course.lab.one import play
from course.lab.spec import Experiment


def rows(**axes: Any) -> list[dict[str, Any]]:
    given = {"name": "test", "pattern": "single", "seeds": "0:1", "tasks": 1, "spans": False}
    return [play(cell).row for cell in Experiment(**{**given, **axes}).cells()]


def test_the_scenarios_are_done_by_an_oracle() -> None:
    found = rows(bench=["front_desk:8", "support"], pattern=["single", "supervisor"])
    assert {row["status"] for row in found} == {"scored"}
    assert all(row["success"] for row in found), [row["why"] for row in found]
    assert {row["task_id"].split("/")[0] for row in found} == {"front_desk", "support"}


@pytest.mark.parametrize("domain", ["contract_review", "competitive_intelligence"])
def test_a_domains_requests_are_done_by_level(domain: str) -> None:
    found = rows(bench=f"{domain}:1-3", pattern="planner")
    assert sorted({row["level"] for row in found}) == [1, 2, 3]
    assert all(row["success"] for row in found), [row["why"] for row in found]


def test_the_drive_through_is_a_chain_and_nothing_else() -> None:
    found = rows(bench="drive_through", pattern=["single", "pipeline"], model="simulated")
    told = {row["pattern"]: row for row in found if row["task_id"].endswith("/one thing")}
    assert told["single"]["status"] == "excluded" and "fixed chain" in told["single"]["why"]
    assert told["single"]["success"] is None
    assert told["pipeline"]["success"], told["pipeline"]["why"]


def test_generated_tasks_are_the_same_for_every_model_and_depend_on_the_world() -> None:
    one, other = (bench.make("calls:3", tasks=2, world_seed=seed) for seed in (7, 8))
    task = one.tasks()[0]
    with one.open(task) as here, other.open(task) as there, one.open(task) as again:
        assert here.request == again.request != there.request
        said = " ".join(here.truth.values())
        assert here.said(said).success
        assert here.said(said.replace(here.truth["m1"], "")).share == pytest.approx(2 / 3)


def test_every_bench_says_under_which_licence_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in bench.known():
        if name not in public.SETS:
            assert bench.make(name).licence == "Apache-2.0"
    assert {each.licence for each in public.SETS.values()} == {"CC BY 3.0", "CC BY 4.0", "MIT"}


@pytest.fixture
def own_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small set of ours in ParallelQA's place, and its checksum in the table."""
    data = json.dumps([{"id": str(n), "branch": 2 + n % 2} for n in range(4)]).encode()
    (tmp_path / "llmcompiler-parallelqa.json.gz").write_bytes(gzip.compress(data))
    known = public.SETS["parallelqa"]
    [file] = known.files
    ours = replace(known, files=(replace(file, sha256=hashlib.sha256(data).hexdigest()),))
    monkeypatch.setitem(public.SETS, "parallelqa", ours)  # type: ignore[arg-type]
    monkeypatch.setenv(public.FOLDER, str(tmp_path))
    return tmp_path


def test_a_public_set_is_read_where_it_lies(own_sets: Path) -> None:
    found = rows(bench="parallelqa", pattern="planner")
    assert [row["level"] for row in found] == [2, 3]
    assert all(row["success"] for row in found)
    assert bench.make("parallelqa").licence.startswith("MIT (Kim et al.")


def test_a_wrong_checksum_is_never_used(own_sets: Path) -> None:
    packed = own_sets / "llmcompiler-parallelqa.json.gz"
    for spoilt in (gzip.compress(b"[]"), packed.read_bytes()[:20]):
        packed.write_bytes(spoilt)
        with pytest.raises(ConfigurationError, match="is not parallelqa as it was published"):
            bench.make("parallelqa")


def test_a_set_that_cannot_be_fetched_says_where_to_put_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(public.FOLDER, str(tmp_path))
    [file] = public.SETS["parallelqa"].files
    gone = replace(file, url="http://127.0.0.1:9/gone.json")
    gone_set = replace(public.SETS["parallelqa"], files=(gone,))
    monkeypatch.setitem(public.SETS, "parallelqa", gone_set)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r"put the file into .* as llmcompiler"):
        public.fetch("parallelqa")


@dataclass(frozen=True)
class Shop:
    """A bench as a stranger writes it: an answer has to name a price; for an oracle, nothing."""

    needs: bool = True
    licence: str = "CC0"
    tuned: str = ""

    def tasks(self) -> list[bench.Named]:
        return [bench.Named("one", "one", 1)]

    @contextmanager
    def open(self, task: bench.Named) -> Iterator[bench.Case]:
        agent = Agent(name="clerk", description="prices", instructions="Say the price.")
        met = {"a price": False} if self.needs else {}
        yield bench.Case(request="What is it?", agents=(agent,), said=lambda _: counted(met))


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> str:
    made = {"": Shop(), "nothing": Shop(needs=False)}
    monkeypatch.setitem(bench.BENCHES, "shop", lambda argument, *_: made[argument])
    return "shop"


@pytest.mark.parametrize(
    ("text", "model", "status"),
    [
        ("", "simulated", "scored"),
        ("", "oracle", "excluded"),
        (":nothing", "simulated", "excluded"),
        (":nothing", "oracle", "excluded"),
    ],
)
def test_where_nothing_is_needed_nothing_counts(
    shop: str, text: str, model: str, status: str
) -> None:
    [row] = rows(bench=shop + text, model=model)
    assert row["status"] == status
    assert row["success"] is (False if status == "scored" else None)
    assert "nothing that is needed" in row["why"] or status == "scored"


def test_a_bench_that_breaks_as_it_is_made_is_one_line_that_names_it(shop: str) -> None:
    with pytest.raises(ConfigurationError, match=r"bench 'shop:x' breaks .* KeyError: 'x'$"):
        rows(bench=f"{shop}:x")
