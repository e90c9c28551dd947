"""`python -m course lab ...`: what the lab does from a terminal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from course.lab.tables import need


def add(commands: Any) -> None:
    """Add `lab` and its own commands to a parser's."""
    lab = commands.add_parser("lab", help="compare patterns: run, report, export, reproduce")
    lab.set_defaults(command=lambda _: lab.print_help() or 0)
    own = lab.add_subparsers(title="commands")

    ran = own.add_parser("run", help="run an experiment, or go on with one that was stopped")
    ran.set_defaults(command=run_experiment)
    ran.add_argument("spec", type=Path, help="a TOML file")
    ran.add_argument("--out", type=Path, required=True, help="the folder of the results")
    ran.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default: 1)")
    ran.add_argument("--scheduler", metavar="TCP", help="a Dask cluster, such as tcp://host:8786")
    ran.add_argument("--yes", action="store_true", help="do not ask before a service is paid")
    ran.add_argument("--dry", action="store_true", help="list and estimate, and run nothing")

    checked = own.add_parser("check", help="run a sample of a results folder again, and compare")
    checked.set_defaults(command=check)
    checked.add_argument("folder", type=Path, help="what `lab run --out` wrote")
    checked.add_argument("--sample", type=int, default=20, metavar="N", help="runs (default: 20)")

    shown = own.add_parser("report", help="write a results folder's report.html")
    shown.set_defaults(command=report)
    shown.add_argument("folder", type=Path, help="what `lab run --out` wrote")

    exported = own.add_parser("export", help="write a results folder as logs of inspect_ai")
    exported.set_defaults(command=export)
    exported.add_argument("folder", type=Path, help="what `lab run --out` wrote")
    exported.add_argument("--out", type=Path, help="where the logs go (default: FOLDER/inspect)")

    printed = own.add_parser("reproduce", help="measure published figures again, and print them")
    printed.set_defaults(command=reproduce)


def run_experiment(chosen: argparse.Namespace) -> int:
    """List, estimate, ask where it costs money, and run."""
    need("pyarrow")
    from course.lab.executors import executor
    from course.lab.spec import Experiment
    from course.lab.sweep import estimate, sweep

    experiment = Experiment.read(chosen.spec)
    print(experiment.dry())
    print(estimate(experiment))
    if chosen.dry:
        return 0
    player = executor(jobs=chosen.jobs, scheduler=chosen.scheduler)
    print(sweep(experiment, chosen.out, executor=player, ask=None if chosen.yes else _agreed))
    return 0


def check(chosen: argparse.Namespace) -> int:
    """Run a sample again; 1 where anything is not as it was."""
    need("pyarrow")
    from course.lab.sweep import check

    found = check(chosen.folder, sample=chosen.sample)
    print("\n".join(found) or "as it was, to the byte")
    return int(bool(found))


def _agreed(told: str) -> bool:
    """Whether the person at the terminal agrees; nobody there does not."""
    if not sys.stdin.isatty():
        return False
    return input(f"{told}. Ask the service? [y/N] ").strip().lower() in ("y", "yes")


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


def reproduce(_: argparse.Namespace) -> int:
    """Print docs/reproductions.md; CLINC150 is fetched once."""
    for library in ("pandas", "scipy", "statsmodels", "sklearn"):
        need(library)
    from course.reproductions.published import page

    print(page())
    return 0
