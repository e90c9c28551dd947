"""`python -m course lab ...`: what the lab does from a terminal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from course.extras import need
from course.terminal import plain


def add(commands: Any, called: str) -> None:
    """Add the command of this name, with its own commands, to a parser's."""
    lab = commands.add_parser(called, help="compare patterns: run, report, export, reproduce")
    lab.set_defaults(command=lambda _: lab.print_help() or 0)
    own = lab.add_subparsers(title="commands")
    for command, told in (
        (run_experiment, "run an experiment, or go on with one that was stopped"),
        (check, "run a sample of a results folder again, and compare"),
        (judge, "score a results folder's runs again, with no request"),
        (report, "write a results folder's report.html"),
        (export, "write a results folder as logs of inspect_ai"),
        (reproduce, "measure published figures again, and print them"),
    ):
        name = command.__name__.partition("_")[0]
        parser = own.add_parser(name, help=told)
        parser.set_defaults(command=command)
        for names, options in _ARGUMENTS[name].items():
            parser.add_argument(*names.split(), **options)


_FOLDER = {"folder": {"type": Path, "help": "what `lab run --out` wrote"}}
_ARGUMENTS: dict[str, dict[str, dict[str, Any]]] = {
    "run": {
        "spec": {"type": Path, "help": "a TOML file"},
        "--out": {"type": Path, "required": True, "help": "the folder of the results"},
        "--jobs": {"type": int, "default": 1, "metavar": "N", "help": "processes (default: 1)"},
        "--scheduler": {"metavar": "TCP", "help": "a Dask cluster, such as tcp://127.0.0.1:8786"},
        "--yes": {"action": "store_true", "help": "do not ask before a service is paid"},
        "--dry": {"action": "store_true", "help": "list and estimate, and run nothing"},
    },
    "check": _FOLDER
    | {"--sample": {"type": int, "default": 20, "metavar": "N", "help": "runs (default: 20)"}},
    "judge": _FOLDER,
    "report": _FOLDER,
    "export": _FOLDER
    | {"--out": {"type": Path, "help": "where the logs go (default: FOLDER/inspect)"}},
    "reproduce": {},
}


def run_experiment(chosen: argparse.Namespace) -> int:
    """List, estimate, ask where it costs money, and run."""
    need("pyarrow")
    from course.executors import executor
    from course.lab.levels import level
    from course.lab.spec import Experiment
    from course.lab.sweep import estimate, sweep

    experiment = Experiment.read(chosen.spec)
    print(plain(experiment.dry()))  # a spec and a folder may be of somebody else
    print(estimate(experiment))
    if chosen.dry and (found := level(experiment)):
        print(plain(str(found)))
    if not chosen.dry:
        player = executor(jobs=chosen.jobs, scheduler=chosen.scheduler)
        print(sweep(experiment, chosen.out, executor=player, ask=None if chosen.yes else _agreed))
    return 0


def check(chosen: argparse.Namespace) -> int:
    """Run a sample again; 1 where anything is not as it was."""
    need("pyarrow")
    from course.lab.sweep import check

    found = check(chosen.folder, sample=chosen.sample)
    print(plain("\n".join(found)) or "as it was, to the byte")
    return int(bool(found))


def judge(chosen: argparse.Namespace) -> int:
    """Score again and say how many runs are worth another thing now."""
    need("pyarrow")
    from course.lab.sweep import judge

    judged, changed, left = judge(chosen.folder)
    rest = f"; {left} ask what was never answered, and stay as they are" * bool(left)
    print(f"{judged} runs judged again, with no request: {changed} are worth another thing{rest}")
    return 0


def _agreed(told: str) -> bool:
    """Whether the person at the terminal agrees; nobody there does not."""
    if not sys.stdin.isatty():
        return False
    return input(f"{told}. Ask the service? [y/N] ").strip().lower() in ("y", "yes")


def report(chosen: argparse.Namespace) -> int:
    """Write the report and say where it is."""
    need("pandas", "scipy", "matplotlib", "jinja2")
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
    need("pandas", "scipy", "sklearn")
    from course.reproductions.published import page

    print(page())
    return 0
