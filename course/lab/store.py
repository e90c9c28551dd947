"""A folder of results: chunks of runs in Parquet files, named by what was asked, and a manifest.

A chunk is there whole or not at all, so a sweep that was killed goes on where it was. `runs` and
`spans` read the tables, `manifest` what they rest on. The two tables stand in two folders, `runs`
and `spans`, each of which any reader of Parquet takes as one table.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from course import files
from course.errors import ConfigurationError, FileFormatError
from course.extras import need
from course.lab.tables import RUNS, SPANS, Column, pandas_type, schema, table

FORMAT = 2
MANIFEST = "manifest.json"
TABLES: Mapping[str, tuple[Column, ...]] = {"spans": SPANS, "runs": RUNS}
"""In the order in which a chunk's are written: runs last, as the sign that it is whole."""


def runs(*folders: str | Path) -> Any:
    """The table `runs` of results folders as a data frame, in the order of their experiments.

    Of several folders it is one table, whose column `experiment` tells them apart.

    Raises ConfigurationError: there are no results, or of another version, or folders whose luck
    hangs on other things and cannot be paired, or pandas is missing; FileFormatError: a file is
    damaged; `lab run` with the same folder makes it anew.
    """
    keys = {str(folder): manifest(folder).get("keys") for folder in folders}
    if len(set(keys.values())) > 1:
        told = ", ".join(f"{folder} {version}" for folder, version in keys.items())
        raise ConfigurationError(
            f"these folders draw their luck in other ways (keys: {told}), so that no pairs can be"
            " made of them: run the older ones again with this version"
        )
    return _frame([Path(folder) for folder in folders], "runs")


def ended(folder: str | Path) -> Any:
    """As `runs`; also ConfigurationError where no run has ended yet."""
    found = runs(folder)
    if found.empty:
        raise ConfigurationError(f"no run of {folder} has ended yet: 'lab run' goes on with it")
    return found


def spans(folder: str | Path, *run_ids: str) -> Any:
    """The table `spans` of a results folder as a data frame; of some runs, or of all.

    Raises ConfigurationError, FileFormatError: as `runs`.
    """
    return _frame([Path(folder)], "spans", run_ids)


def manifest(folder: str | Path) -> dict[str, Any]:
    """What a results folder rests on.

    Returns:
        `format`, `spec` (the experiment as JSON), `chunks` (in order, each with the number of its
        runs and the hashes of its files, once they are there), `code`, `profiles`, `benches` (each
        with licence and hash), `notes` (assumptions to be told on every figure), `began`, `ended`.

    Raises:
        ConfigurationError: there are no results here, or of another version.
        FileFormatError: the file is damaged.
    """
    path = Path(folder, MANIFEST)
    if not path.is_file():
        raise ConfigurationError(f"there are no results in {folder}: it has no {MANIFEST}")
    source = str(path)
    hint = "delete it and run the experiment again with this folder: what is finished is kept"
    found = files.from_json(files.read(path, source=source, hint=hint), source=source, hint=hint)
    version = found.get("format") if isinstance(found, dict) else None
    if version is None or (version == FORMAT and not _whole(found)):
        raise FileFormatError(f"{source}: is no whole manifest; {hint}")
    if version != FORMAT:
        raise ConfigurationError(
            f"{folder} holds results of format {version}, and this is {FORMAT}:"
            " read them with the version that wrote them, or choose another folder"
        )
    return dict(found)


def _whole(found: Mapping[str, Any]) -> bool:
    """Whether a manifest has its parts: a named experiment, and chunks, each with what is known."""
    spec, chunks = found.get("spec"), found.get("chunks")
    if not (isinstance(spec, dict) and "name" in spec and isinstance(chunks, dict)):
        return False
    return all(isinstance(each, dict) for each in chunks.values())


def save_manifest(folder: Path, told: Mapping[str, Any]) -> None:
    """Write the manifest, whole or not at all."""
    _replace(folder / MANIFEST, files.as_json({"format": FORMAT, **told}).encode())


def save_chunk(folder: Path, name: str, tables: Mapping[str, bytes]) -> dict[str, str]:
    """Write the tables of a chunk, Parquet files, and return their hashes as `finished` does.

    Raises ConfigurationError: the disk is full or the folder cannot be written.
    """
    for kind in TABLES:
        _replace(chunk(folder, name, kind), tables[kind])
    return {f"{kind}_sha": hashlib.sha256(tables[kind]).hexdigest() for kind in TABLES}


def parquet(rows: Iterable[Mapping[str, Any]], columns: tuple[Column, ...]) -> bytes:
    """Rows as a Parquet file; the same rows are the same bytes."""
    written = io.BytesIO()
    need("pyarrow.parquet").write_table(table(rows, columns), written, compression="zstd")
    return written.getvalue()


def chunk(folder: Path, name: str, kind: str) -> Path:
    """Where a table of a chunk is."""
    return folder / kind / f"{name}.parquet"


def finished(folder: Path, name: str) -> dict[str, str] | None:
    """The hashes of a chunk's files, `runs_sha` and `spans_sha`; None where one is missing or
    broken off."""
    hashes = {}
    for kind, columns in TABLES.items():
        try:
            data = chunk(folder, name, kind).read_bytes()
            found = need("pyarrow.parquet").read_schema(io.BytesIO(data))
        except (OSError, ValueError):  # pyarrow's own errors are ValueErrors
            return None
        if found.names[: len(columns)] != schema(columns).names:  # after them, measures
            return None
        hashes[f"{kind}_sha"] = hashlib.sha256(data).hexdigest()
    return hashes


def rows(folder: Path, name: str, kind: str) -> list[dict[str, Any]]:
    """The rows of a chunk; none where it was not played yet.

    Raises FileFormatError: as `runs`.
    """
    path = chunk(folder, name, kind)
    if not path.exists():
        return []
    return list(_read(path).to_pylist())


def _read(path: Path, only: Any = None) -> Any:
    try:
        return need("pyarrow.parquet").read_table(path, filters=only)
    except (OSError, ValueError):
        raise FileFormatError(
            f"{path} is damaged: 'lab run' with this folder makes that chunk again"
        ) from None


def _frame(folders: Sequence[Path], kind: str, run_ids: Sequence[str] = ()) -> Any:
    need("pandas")
    parts = [schema(TABLES[kind]).empty_table()]
    only = [("run_id", "in", list(run_ids))] if run_ids else None
    chunks = [(folder, name) for folder in folders for name in manifest(folder)["chunks"]]
    for path in (chunk(folder, name, kind) for folder, name in chunks):
        if path.exists():  # else not yet run
            parts.append(_read(path, only))
    whole = need("pyarrow").concat_tables(parts, promote_options="default")
    return whole.to_pandas(types_mapper=pandas_type)


def _replace(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_bytes(data)
        fresh.replace(path)
    except OSError as error:
        with suppress(OSError):  # where nothing can be written, nothing can be deleted
            fresh.unlink(missing_ok=True)
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        said = "the disk is full" if full else f"cannot be written ({error.strerror})"
        out = "make room" if full else "make it writable"
        raise ConfigurationError(
            f"{path}: {said}; what is finished is kept: {out} and run the same again"
        ) from None


def digest(value: Any) -> str:
    """A short name for any JSON value: 16 hexadecimal digits of its SHA-256."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
