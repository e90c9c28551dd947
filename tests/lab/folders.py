"""Results folders made by hand, as `lab run` leaves them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from course.lab import store
from tests.lab.frames import spans_table

NOTE = "The model is an oracle: what differs is the pattern."


def results(folder: Path, runs: pd.DataFrame) -> Path:
    """A folder with these runs and their spans in one chunk."""
    rows = [
        table.astype(object).where(table.notna(), None).to_dict("records")
        for table in (runs, spans_table(runs))
    ]
    data = {
        kind: store.parquet(part, store.TABLES[kind])
        for kind, part in zip(("runs", "spans"), rows, strict=True)
    }
    hashes = store.save_chunk(folder, "chunk", data)
    told = {
        "spec": {"name": "by hand"},
        "chunks": {"chunk": hashes},
        "notes": [NOTE],
        "began": None,
    }
    store.save_manifest(folder, told)
    return folder
