"""`python -m course lab ...`: what the lab does from a terminal."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from course.lab.tables import need


def add(commands: Any) -> None:
    """Add `lab` and its own commands to a parser's."""
    lab = commands.add_parser("lab", help="compare patterns: run, report, export, reproduce")
    lab.set_defaults(command=lambda _: lab.print_help() or 0)
    own = lab.add_subparsers(title="commands")

    shown = own.add_parser("report", help="write a results folder's report.html")
    shown.set_defaults(command=report)
    shown.add_argument("folder", type=Path, help="what `lab run --out` wrote")

    exported = own.add_parser("export", help="write a results folder as logs of inspect_ai")
    exported.set_defaults(command=export)
    exported.add_argument("folder", type=Path, help="what `lab run --out` wrote")
    exported.add_argument("--out", type=Path, help="where the logs go (default: FOLDER/inspect)")


def report(chosen: argparse.Namespace) -> int:
    """Write the report and say where it is."""
    for library in ("pandas", "scipy", "statsmodels", "matplotlib", "jinja2"):
        need(library)
    from course.lab.report import report

    print(report(chosen.folder))
    return 0


def export(chosen: argparse.Namespace) -> int:
    """Write the logs and say how they are opened."""
    need("pandas")
    from course.lab.inspect_export import export

    logs = export(chosen.folder, chosen.out)
    print(f"{len(logs)} logs; open them with: inspect view --log-dir {logs[0].parent}")
    return 0
