"""All runs of an experiment: estimated first, then played chunk by chunk into a results folder.

A chunk is named by what its runs are, so a sweep that was stopped goes on where it was, whoever
plays it. `check` runs a sample once more and compares bytes.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import platform
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from course.errors import ConfigurationError
from course.executors import Executor, Serial
from course.extras import need
from course.lab import store
from course.lab.kept import Answers, NotKept, Service
from course.lab.live import in_order, named, play_live, service_of
from course.lab.measures import columns
from course.lab.one import Played, play
from course.lab.proving import proved
from course.lab.spec import KEYS, Cell, Experiment
from course.lab.tables import SPANS
from course.models.profile import load as load_profile

CHUNK = 100
"""Runs of a chunk: what is lost at most when a process dies."""
JUDGED = ("status", "success", "share", "right", "needed", "wrong", "why")
"""The columns that say what a run was worth."""
BYTES_A_TOKEN = 8
"""Of what is kept of a service: the text, and the JSON around it."""
ROOT = Path(__file__).parents[2]
_GIT = (("rev-parse", "HEAD"), ("status", "--short"))


@dataclass(frozen=True)
class Forecast:
    """What an experiment will take: runs, seconds of one core, calls and tokens of models, and what
    the runs cost that a real service answers (`live`), at the cap's prices or the profile's."""

    runs: int
    cpu_seconds: float
    calls: int
    tokens: int
    cost_usd: float
    live: int

    def __str__(self) -> str:
        size = max(1, round(self.tokens * BYTES_A_TOKEN / 1e6))
        cost = f", about {self.cost_usd:.2f} USD of a real service ({size} MB of answers are kept)"
        cost *= bool(self.live)
        return (
            f"{self.runs:,} runs, about {self.cpu_seconds:.0f} s of CPU,"
            f" {self.calls:,} model calls, {self.tokens:,} tokens{cost}"
        )


def estimate(experiment: Experiment) -> Forecast:
    """What an experiment will take, from one run of each arm; a service is not asked for it.

    A real endpoint's calls and tokens are taken from the oracle's, which is a competent model.

    Raises ConfigurationError: as `course.lab.proving.proved`.
    """
    proved(experiment)
    cells = list(experiment.cells())
    counts = Counter(cell.arm for cell in cells)
    seconds = calls = tokens = cost = live = 0.0
    for cell in {cell.arm: cell for cell in reversed(cells)}.values():
        many, tried = counts[cell.arm], replace(cell, model="oracle") if cell.live else cell
        play(tried)  # worlds and walks are made once
        begin = time.process_time()
        row = play(tried).row
        seconds += many * (time.process_time() - begin) * (not cell.live)
        calls += many * row["requests"]
        tokens += many * (row["tokens_in"] + row["tokens_out"])
        cost += many * _cost(row, cell.prices) * cell.live
        live += many * cell.live
    return Forecast(len(cells), seconds, int(calls), int(tokens), cost, int(live))


def sweep(
    experiment: Experiment,
    folder: str | Path,
    *,
    executor: Executor | None = None,
    ask: Callable[[str], bool] | None = None,
    progress: bool = True,
) -> Path:
    """Play all runs of an experiment that its folder does not have yet.

    Args:
        experiment: what is run.
        folder: where the results go; one of the same experiment is gone on with.
        executor: who plays; this process if left out.
        ask: decides before a real service is asked, from the estimate's text; None goes on.
        progress: whether a bar shows how far it is.

    Returns the folder. Raises ConfigurationError: it holds another experiment, or one that can show
    nothing (`course.lab.proving`), the disk is full, nobody plays, a service stopped answering, or
    its cap is reached. What is finished is kept.
    """
    folder = Path(folder)
    need("pandas")
    chunks = dict(_chunks(experiment))
    told = _begun(folder, experiment, chunks)
    todo = [name for name in chunks if _missing(folder, name, told)]
    if todo:
        proved(experiment)
    left, runs = (sum(len(chunks[name]) for name in names) for names in (todo, chunks))
    live = [cell for name in todo for cell in chunks[name] if cell.live]
    service = _agreed(experiment, folder, told, ask) if live else None
    told.setdefault("began", _now())
    bar = need("tqdm").tqdm(total=runs, initial=runs - left, disable=not progress, unit="run")

    def save(name: str, made: Mapping[str, bytes]) -> None:
        size = len(chunks[name])
        told["chunks"][name] = {"runs": size, **store.save_chunk(folder, name, made)}
        if service:
            told["service"] = named(service, told["service"])
        store.save_manifest(folder, told)
        bar.update(size)

    with bar:
        still = [name for name in todo if not chunks[name][0].live]
        jobs = [(experiment.modules, chunks[name]) for name in still]
        for place, made in (executor or Serial()).map(play_chunk, jobs):
            save(still[place], made)
        if service:
            names = {chunks[name][0].run_id: name for name in todo}

            def keep(cell: Cell, played: Played) -> None:
                played.row["cost_usd"] = _cost(played.row, cell.prices)
                save(names[cell.run_id], tables_of([played], cell.measures))

            play_live(in_order(live), service, keep, in_flight=experiment.cap.in_flight)
    store.save_manifest(folder, {**told, "ended": _now()})
    return folder


def check(folder: str | Path, *, sample: int = 20) -> list[str]:
    """Run a sample of a folder's runs once more and compare bytes.

    Args:
        folder: with results.
        sample: how many runs, spread evenly; those of a real service cannot be compared.

    Returns a line for each thing that is not as it was; none where all is well. Raises
    ConfigurationError: a sample of less than one run; ConfigurationError, FileFormatError: there
    are no results that could be read.
    """
    if sample < 1:
        raise ConfigurationError(f"a sample is 1 or more runs, not {sample}")
    told = store.manifest(folder)
    chunks = told["chunks"].items()
    found = [
        f"chunk {name}: its files are not those of the manifest"
        for name, known in chunks
        if "runs_sha" in known and store.finished(Path(folder), name) != _hashes(known)
    ]
    if missing := sum("runs_sha" not in known for _, known in chunks):
        found.append(f"{missing} chunks are missing: 'lab run' with this folder makes them")
    there = store.runs(folder).set_index("run_id")["trace_sha"]
    cells = [c for c in Experiment(**told["spec"]).cells() if not c.live and c.run_id in there]
    for cell in cells[:: max(1, len(cells) // sample)][:sample]:
        if play(cell).row["trace_sha"] != there[cell.run_id]:
            found.append(f"run {cell.run_id} ({cell.arm}, {cell.task}) goes another way now")
    return found


def judge(folder: str | Path) -> tuple[int, int, int]:
    """Score the runs of a folder again, with the bench as it is now and no request.

    A simulated run is played again, one of a real service from its kept answers. What it was worth
    is written anew (`JUDGED`), all else stays as it was.

    Returns how many runs were judged, how many of them are worth another thing now, and how many
    were left as they are, since they ask what was never answered. Raises ConfigurationError,
    FileFormatError: as `check`.
    """
    folder, told = Path(folder), store.manifest(folder)
    store.ended(folder)
    service = Service(Answers(folder))
    judged = changed = left = 0
    for name, cells in _chunks(Experiment(**told["spec"])):
        rows, differs = store.rows(folder, name, "runs"), False
        for cell, row in zip(cells, rows, strict=bool(rows)):
            try:
                fresh = play(cell, kept=service if cell.live else None).row
            except NotKept:
                left += 1
                continue
            now = {key: fresh[key] for key in JUDGED}
            judged, other = judged + 1, now != {key: row[key] for key in JUDGED}
            row |= now
            changed, differs = changed + other, differs or other
        if differs:
            files = {"runs": store.parquet(rows, columns(cells[0].measures)),
                     "spans": store.chunk(folder, name, "spans").read_bytes()}  # fmt: skip
            told["chunks"][name] |= store.save_chunk(folder, name, files)
    store.save_manifest(folder, {**told, "judged": _now()})
    return judged, changed, left


def cell_of(folder: str | Path, run_id: str) -> Cell:
    """The cell of a run in a results folder, to play it once more.

    Raises ConfigurationError: it has no such run.
    """
    for cell in Experiment(**store.manifest(folder)["spec"]).cells():
        if cell.run_id == run_id:
            return cell
    raise ConfigurationError(f"{folder} has no run '{run_id}'")


def played_again(folder: str | Path, run_id: str) -> Played:
    """A run of a results folder, played once more, with its messages; one of a real service from
    its kept answers.

    Raises ConfigurationError: it has no such run, or its answers were not kept.
    """
    cell = cell_of(folder, run_id)
    service = Service(Answers(Path(folder))) if cell.live else None
    return play(cell, messages=True, kept=service)


# -- chunks ---------------------------------------------------------------------------------------


def _chunks(experiment: Experiment) -> Iterator[tuple[str, list[Cell]]]:
    """Runs in groups, each with the name that its content makes; each of a real service alone, so
    that it is kept when it ends."""
    spans = "".join(("" if experiment.spans else " without spans", *experiment.measure))
    for size, live in ((CHUNK, False), (1, True)):
        waiting = (cell for cell in experiment.cells() if cell.live == live)
        while part := list(islice(waiting, size)):
            yield store.digest([cell.run_id for cell in part] + [experiment.name + spans]), part


def _begun(folder: Path, experiment: Experiment, chunks: Mapping[str, Any]) -> dict[str, Any]:
    """What the manifest says, or will say; ConfigurationError for another experiment's folder."""
    if not (folder / store.MANIFEST).exists():
        listed = {name: {"runs": len(part)} for name, part in chunks.items()}
        spec = experiment.model_dump(mode="json")
        return {"spec": spec, "keys": KEYS, "chunks": listed, **_provenance(experiment)}
    known = store.manifest(folder)
    if known["chunks"].keys() != chunks.keys():
        raise ConfigurationError(
            f"{folder} holds another experiment ('{known['spec']['name']}', or other axes):"
            " choose another folder"
        )
    return known


def _missing(folder: Path, name: str, told: dict[str, Any]) -> bool:
    """Whether a chunk has to be played: it is not there, is broken off, or is not what it was."""
    hashes, known = store.finished(folder, name), told["chunks"][name]
    if hashes is not None and "runs_sha" not in known:  # killed between the chunk and the manifest
        known |= hashes
    return hashes is None or hashes != _hashes(known)


def _hashes(known: Mapping[str, Any]) -> dict[str, str]:
    return {key: value for key, value in known.items() if key.endswith("_sha")}


def _agreed(
    experiment: Experiment, folder: Path, told: dict[str, Any], ask: Callable[[str], bool] | None
) -> Service:
    """The service that is asked, once somebody agreed to what it may cost."""
    service = service_of(folder, experiment.cap)
    about = named(service, told.get("service", {}))
    if ask is not None and not ask(str(estimate(experiment))):
        raise ConfigurationError("nothing was run: a real service was not agreed to")
    caps = [*told.get("caps", ()), {"from": _now(), **experiment.cap.model_dump()}]
    told |= {"service": about, "caps": caps}
    store.save_manifest(folder, told)
    return service


def play_chunk(job: tuple[Sequence[str], Sequence[Cell]]) -> dict[str, bytes]:
    """Play a chunk's cells and give its tables as Parquet files; runs in any process."""
    modules, cells = job
    for module in modules:
        importlib.import_module(module)
    usual = gc.get_threshold()
    gc.freeze()  # what is there stays: nobody need look through it again and again
    gc.set_threshold(20_000, 50, 50)
    try:
        return tables_of([play(cell) for cell in cells], cells[0].measures)
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


def tables_of(played: Sequence[Played], measures: Sequence[str] = ()) -> dict[str, bytes]:
    """The two tables of some runs as Parquet files."""
    return {
        "runs": store.parquet([each.row for each in played], columns(measures)),
        "spans": store.parquet([row for each in played for row in each.spans], SPANS),
    }


# -- what results rest on -------------------------------------------------------------------------


def _provenance(experiment: Experiment) -> dict[str, Any]:
    """Code, lock, profiles, benches and what has to be said on every figure."""
    made = {text: experiment.made(text) for text in experiment.bench}
    notes = [f"{text}: {bench.tuned}" for text, bench in made.items() if bench.tuned]
    lock = ROOT / "binder" / "requirements.txt"
    return {
        "code": {"version": version("switchboard-course"), **_revision()},
        "lock": hashlib.sha256(lock.read_bytes()).hexdigest()[:16] if lock.is_file() else None,
        "python": platform.python_version(),
        "profiles": {name: store.digest(load_profile(name).model_dump(mode="json"))
                     for name in experiment.profile},
        "benches": {text: {"licence": bench.licence,
                           "tasks": store.digest([asdict(task) for task in bench.tasks()])}
                    for text, bench in made.items()},
        "notes": notes if "simulated" in experiment.model else [],
    }  # fmt: skip


def _revision() -> dict[str, Any]:
    """The code's revision and whether it was changed since, where it is a checkout."""
    git = partial(subprocess.run, cwd=ROOT, capture_output=True, text=True, timeout=10, check=True)
    try:
        told = [git(["git", *each]).stdout.strip() for each in _GIT]
    except (OSError, subprocess.SubprocessError):
        return {"revision": None, "dirty": None}
    return {"revision": told[0], "dirty": bool(told[1])}


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _cost(row: Mapping[str, Any], prices: tuple[float, float] | None) -> float:
    if prices is None:
        return float(row["cost_usd"] or 0)
    return float(row["tokens_in"] * prices[0] + row["tokens_out"] * prices[1]) / 1e6
