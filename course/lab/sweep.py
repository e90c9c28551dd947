"""All runs of an experiment: estimated first, then played chunk by chunk into a results folder.

A chunk is named by what its runs are, so a sweep that was stopped goes on where it was, whoever
plays it. `check` runs a sample once more and compares bytes.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import os
import platform
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from course.benches.bench import make
from course.errors import ConfigurationError
from course.lab import store
from course.lab.executors import Executor, Serial
from course.lab.one import Played, play, play_side_by_side
from course.lab.spec import KEYS, Cell, Experiment
from course.lab.tables import RUNS, SPANS, need
from course.models.endpoint import KEY, MODEL
from course.models.profile import load as load_profile

CHUNK = 100
"""Runs of a chunk: what is lost at most when a process dies."""
ROOT = Path(__file__).parents[2]
Question = Callable[[str], bool]
_GONE = ("cannot be reached", "cannot reach", "refuses the key", "has no model")


@dataclass(frozen=True)
class Forecast:
    """What an experiment will take.

    Attributes:
        runs: of all arms.
        cpu_seconds: of one core, from a run of each arm that was played for it.
        calls, tokens: of models, in all.
        cost_usd: at the profile's prices, or the endpoint's where the cap has them.
        live: runs that a real service answers.
    """

    runs: int
    cpu_seconds: float
    calls: int
    tokens: int
    cost_usd: float
    live: int

    def __str__(self) -> str:
        cost = f", about {self.cost_usd:.2f} USD of a real service" if self.live else ""
        return (
            f"{self.runs:,} runs, about {self.cpu_seconds:.0f} s of CPU,"
            f" {self.calls:,} model calls, {self.tokens:,} tokens{cost}"
        )


def estimate(experiment: Experiment) -> Forecast:
    """What an experiment will take, from one run of each arm; a service is not asked for it.

    A real endpoint's calls and tokens are taken from the oracle's, which is a competent model.
    """
    counts: dict[str, int] = {}
    first: dict[str, Cell] = {}
    for cell in experiment.cells():
        counts[cell.arm] = counts.get(cell.arm, 0) + 1
        first.setdefault(cell.arm, cell)
    seconds = calls = tokens = cost = 0.0
    for arm, cell in first.items():
        tried = _instead(cell) if cell.live else cell
        play(tried)  # worlds and walks are made once
        begin = time.process_time()
        row = play(tried).row
        seconds += counts[arm] * (time.process_time() - begin) * (not cell.live)
        calls += counts[arm] * row["requests"]
        tokens += counts[arm] * (row["tokens_in"] + row["tokens_out"])
        if cell.live:
            cost += counts[arm] * _cost(row, cell.prices)
    live = sum(count for arm, count in counts.items() if first[arm].live)
    return Forecast(sum(counts.values()), seconds, int(calls), int(tokens), cost, live)


def sweep(
    experiment: Experiment,
    folder: str | Path,
    *,
    executor: Executor | None = None,
    ask: Question | None = None,
    progress: bool = True,
) -> Path:
    """Play all runs of an experiment that its folder does not have yet.

    Args:
        experiment: what is run.
        folder: where the results go; one of the same experiment is gone on with.
        executor: who plays; this process if left out.
        ask: decides before a real service is asked, from the estimate's text; None goes on.
        progress: whether a bar shows how far it is.

    Returns:
        The folder.

    Raises ConfigurationError: the folder holds another experiment, the disk is full, nobody plays,
    a service stopped answering, or its cap is reached. What is finished is kept.
    """
    folder = Path(folder)
    need("pandas")
    cells = list(experiment.cells())
    chunks = dict(_chunks(cells, experiment))
    known = _begun(folder, experiment, chunks)
    todo = [name for name in chunks if _missing(folder, name, known)]
    live = [cell for name in todo for cell in chunks[name] if cell.live]
    if live and not os.environ.get(KEY):
        raise ConfigurationError(f"no key: set {KEY}, or take another model than endpoint")
    if live and ask is not None and not ask(str(estimate(experiment))):
        raise ConfigurationError("nothing was run: a real service was not agreed to")
    began = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    manifest = {**known, "began": known.get("began", began)}
    spent = _spent(folder, chunks, todo) if live else 0.0
    ready = len(cells) - sum(len(chunks[name]) for name in todo)
    with need("tqdm").tqdm(
        total=len(cells), initial=ready, disable=not progress, unit="run"
    ) as bar:
        for place, made in _results(experiment, [chunks[n] for n in todo], executor, spent):
            name = todo[place]
            manifest["chunks"][name] = {
                "runs": len(chunks[name]),
                **store.save_chunk(folder, name, made),
            }
            store.save_manifest(folder, manifest)
            bar.update(len(chunks[name]))
    manifest["ended"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    store.save_manifest(folder, manifest)
    return folder


def check(folder: str | Path, *, sample: int = 20) -> list[str]:
    """Run a sample of a folder's runs once more and compare bytes.

    Args:
        folder: with results.
        sample: how many runs, spread evenly; those of a real service cannot be compared.

    Returns:
        A line for each thing that is not as it was; none where all is well.

    Raises ConfigurationError, FileFormatError: there are no results that could be read.
    """
    folder = Path(folder)
    known = store.manifest(folder)
    found = [
        f"chunk {name}: its files are not those of the manifest"
        for name, told in known["chunks"].items()
        if told.get("runs_sha") and store.finished(folder, name) != _hashes(told)
    ]
    missing = [name for name, told in known["chunks"].items() if not told.get("runs_sha")]
    if missing:
        found.append(f"{len(missing)} chunks are missing: 'lab run' with this folder makes them")
    experiment = Experiment(**known["spec"])
    cells = [cell for cell in experiment.cells() if not cell.live]
    rows = store.runs(folder)
    there = dict(zip(rows["run_id"], rows["trace_sha"], strict=True))
    cells = [cell for cell in cells if cell.run_id in there]
    for cell in cells[:: max(1, len(cells) // sample)][:sample]:
        if play(cell).row["trace_sha"] != there[cell.run_id]:
            found.append(f"run {cell.run_id} ({cell.arm}, {cell.task}) goes another way now")
    return found


def cell_of(folder: str | Path, run_id: str) -> Cell:
    """The cell of a run in a results folder, to play it once more.

    Raises ConfigurationError: it has no such run.
    """
    experiment = Experiment(**store.manifest(folder)["spec"])
    for cell in experiment.cells():
        if cell.run_id == run_id:
            return cell
    raise ConfigurationError(f"{folder} has no run '{run_id}'")


# -- chunks ---------------------------------------------------------------------------------------


def _chunks(cells: Sequence[Cell], experiment: Experiment) -> Iterator[tuple[str, list[Cell]]]:
    """Runs in groups, each with the name that its content makes."""
    size = min(CHUNK, 4 * experiment.cap.in_flight) if "endpoint" in experiment.model else CHUNK
    waiting = iter(cells)
    while part := list(islice(waiting, size)):
        spans = "" if experiment.spans else " without spans"
        yield store.digest([cell.run_id for cell in part] + [experiment.name + spans]), part


def _begun(folder: Path, experiment: Experiment, chunks: Mapping[str, Any]) -> dict[str, Any]:
    """What the manifest says, or will say; ConfigurationError for another experiment's folder."""
    spec = experiment.model_dump(mode="json")
    if (folder / store.MANIFEST).exists():
        known = store.manifest(folder)
        if known["chunks"].keys() != chunks.keys():
            raise ConfigurationError(
                f"{folder} holds another experiment ('{known['spec']['name']}', or other axes):"
                " choose another folder"
            )
        return known
    return {
        "spec": spec,
        "keys": KEYS,
        "chunks": {name: {"runs": len(part)} for name, part in chunks.items()},
        **_provenance(experiment),
    }


def _missing(folder: Path, name: str, known: dict[str, Any]) -> bool:
    """Whether a chunk has to be played: it is not there, is broken off, or is not what it was."""
    hashes = store.finished(folder, name)
    told = _hashes(known["chunks"][name])
    if hashes is not None and not told:  # killed between the chunk and the manifest
        known["chunks"][name] |= {f"{kind}_sha": sha for kind, sha in hashes.items()}
        return False
    return hashes is None or hashes != told


def _hashes(told: Mapping[str, Any]) -> dict[str, str]:
    return {kind: told[f"{kind}_sha"] for kind in store.TABLES if f"{kind}_sha" in told}


def _results(
    experiment: Experiment,
    chunks: Sequence[Sequence[Cell]],
    executor: Executor | None,
    spent: float,
) -> Iterator[tuple[int, dict[str, bytes]]]:
    """The chunks' tables as they come; of a real service, one chunk after the other."""
    if "endpoint" not in experiment.model:
        jobs = [(experiment.modules, chunk) for chunk in chunks]
        yield from (executor or Serial()).map(play_chunk, jobs)
        return
    cap, done = experiment.cap, 0
    for place, chunk in enumerate(chunks):
        if cap.usd is not None and spent >= cap.usd:
            raise ConfigurationError(
                f"the cap of {cap.usd:g} USD is reached ({spent:.2f}): what is finished is kept;"
                " raise cap.usd and run the same again"
            )
        played = play_side_by_side(chunk, in_flight=cap.in_flight)
        gone = [each for each in played if any(sign in each.row["why"] for sign in _GONE)]
        if gone:
            raise ConfigurationError(
                f"the endpoint stopped answering after {done} runs ({gone[0].row['why']}): what is"
                " finished is kept, run the same again"
            )
        for cell, each in zip(chunk, played, strict=True):
            each.row["cost_usd"] = _cost(each.row, cell.prices)
            each.row["model"] = os.environ.get(MODEL) or each.row["model"]
        spent += sum(each.row["cost_usd"] for each in played)
        done += len(played)
        yield place, tables_of(played)


def play_chunk(job: tuple[Sequence[str], Sequence[Cell]]) -> dict[str, bytes]:
    """Play a chunk's cells and give its tables as Parquet files; runs in any process."""
    modules, cells = job
    for module in modules:
        importlib.import_module(module)
    usual = gc.get_threshold()
    gc.freeze()  # what is there stays: nobody need look through it again and again
    gc.set_threshold(20_000, 50, 50)
    try:
        return tables_of([play(cell) for cell in cells])
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


def tables_of(played: Sequence[Played]) -> dict[str, bytes]:
    """The two tables of some runs as Parquet files."""
    return {
        "runs": store.parquet([each.row for each in played], RUNS),
        "spans": store.parquet([row for each in played for row in each.spans], SPANS),
    }


# -- what results rest on -------------------------------------------------------------------------


def _provenance(experiment: Experiment) -> dict[str, Any]:
    """Code, lock, profiles, benches and what has to be said on every figure."""
    made = {
        text: make(text, tasks=experiment.tasks, world_seed=experiment.world_seed)
        for text in experiment.bench
    }
    notes = [f"{text}: {bench.tuned}" for text, bench in made.items() if bench.tuned]
    return {
        "code": {"version": version("switchboard-course"), **_revision()},
        "lock": _file_hash(ROOT / "binder" / "requirements.txt"),
        "python": platform.python_version(),
        "profiles": {name: store.digest(load_profile(name).model_dump(mode="json"))
                     for name in experiment.profile},
        "benches": {
            text: {"licence": bench.licence,
                   "tasks": store.digest([asdict(task) for task in bench.tasks()])}
            for text, bench in made.items()
        },
        "notes": notes if "simulated" in experiment.model else [],
    }  # fmt: skip


def _revision() -> dict[str, Any]:
    """The code's revision and whether it was changed since, where it is a checkout."""
    told = {}
    for key, command in (("revision", ["rev-parse", "HEAD"]), ("changes", ["status", "--short"])):
        try:
            done = subprocess.run(
                ["git", "-C", str(ROOT), *command],
                capture_output=True, text=True, timeout=10, check=True,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError):
            return {"revision": None, "dirty": None}
        told[key] = done.stdout.strip()
    return {"revision": told["revision"], "dirty": bool(told["changes"])}


def _file_hash(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else None


def _instead(cell: Cell) -> Cell:
    """The cell with the oracle in a service's place."""
    return Cell(**{**asdict(cell), "model": "oracle"})


def _cost(row: Mapping[str, Any], prices: tuple[float, float] | None) -> float:
    if prices is None:
        return float(row["cost_usd"] or 0)
    return float(row["tokens_in"] * prices[0] + row["tokens_out"] * prices[1]) / 1e6


def _spent(folder: Path, chunks: Mapping[str, Any], todo: Sequence[str]) -> float:
    """What the finished chunks have cost."""
    if len(todo) == len(chunks):
        return 0.0
    return float(store.runs(folder)["cost_usd"].sum())
