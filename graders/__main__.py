"""``python -m graders release``: make notebooks/ from solutions/; ``doctor``: which boxes work."""

from __future__ import annotations

import argparse
import sys

from graders.box.doctor import doctor
from graders.release import ReleaseError, chapters, check, release


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code (0 fine, 1 refused or out of date)."""
    parser = argparse.ArgumentParser(prog="python -m graders", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    releasing = commands.add_parser("release", help="make notebooks/ from solutions/")
    releasing.add_argument(
        "--check", action="store_true", help="change nothing; fail when notebooks/ is out of date"
    )
    commands.add_parser("doctor", help="say which boxes for other people's code work here")
    chosen = parser.parse_args(arguments)
    if chosen.command == "doctor":
        return doctor()
    try:
        return _check() if chosen.check else _release()
    except ReleaseError as trouble:
        print(f"release: {trouble}", file=sys.stderr)
        return 1


def _release() -> int:
    changed = release()
    for each in changed:
        print(f"notebooks/{each.path}")
    print(f"released {len(chapters())} chapters, {len(changed)} files written")
    return 0


def _check() -> int:
    found = check()
    for each in found:
        print(f"notebooks/{each}")
    if found:
        print("notebooks/ is not what solutions/ gives: run make release")
        return 1
    print(f"notebooks/ is up to date with {len(chapters())} chapters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
