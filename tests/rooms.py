"""What each room of the project needs to have played: `make test ROOM=voice`."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
FOLDERS = tuple(
    sorted(path.name for path in TESTS.iterdir() if next(path.rglob("test_*.py"), None))
)
_BESIDE = {
    "agent": ("tests/core", "tests/programs", "solutions/01*"),
    "delegation": ("tests/patterns/test_task*", "tests/patterns/test_conversation*",
                   "tests/patterns/test_sequence*", "solutions/05*"),
    "handoff": ("tests/patterns/test_team*", "solutions/03*"),
    "playground": ("tests/test_cli.py", "tests/browser/test_playground.py"),
    "pipeline": ("tests/patterns/test_pipeline*", "solutions/02*"),
    "routing": ("tests/patterns/test_routing*", "solutions/02*"),
    "supervisor": ("tests/patterns/test_supervisor*", "solutions/04*"),
    "supervisor_worker": ("tests/patterns/test_plan*", "tests/patterns/test_schedule*",
                          "tests/patterns/test_failures*", "tests/patterns/test_resume*",
                          "tests/patterns/test_aggregate*", "tests/patterns/test_factory*",
                          "tests/project", "solutions/0[6-9]*", "solutions/10*"),
    "team": ("tests/patterns/test_team*", "solutions/03*"),
    "benches": ("tests/lab",),
    "evaluation": ("tests/lab",),
    "joining": ("tests/lab/test_joining.py",),
    "lab": ("solutions/12*",),
    "models": ("tests/policy", "tests/reading", "tests/core"),
    "notebook": ("tests/notebooks", "tests/browser/test_cells.py"),
    "observability": ("tests/core", "tests/docs"),
    "reproductions": ("tests/lab",),
    "scenarios": ("tests/project", "solutions/11*"),
    "viewer": ("tests/browser/test_viewer.py", "tests/notebooks/test_seat.py",
               "tests/notebooks/test_sliders.py"),
    "voice": ("tests/browser/test_microphone.py", "tests/browser/test_room_page.py",
              "solutions/13*"),
    "box": ("tests/judge",),
    "checks": ("tests/judge/checks", "tests/judge/exercises"),
    "child": ("tests/judge",),
    "exercises": ("tests/grading", "tests/judge/test_mutants.py"),
    "feedback": ("tests/judge/test_feedback.py", "tests/classroom"),
    "records": ("tests/judge", "tests/classroom"),
    "security": ("tests/browser/test_hostile.py", "tests/classroom/test_forged.py",
                 "tests/classroom/test_harmless.py", "tests/classroom/test_one_students_own.py",
                 "tests/classroom/test_shown.py", "tests/house/test_keys.py",
                 "tests/house/test_markup.py", "tests/house/test_security.py",
                 "tests/judge/test_attacks.py", "tests/judge/test_box_*",
                 "tests/judge/test_forgeries.py",
                 "tests/models/test_callers.py", "tests/models/test_hostile.py",
                 "tests/models/test_secrets.py", "tests/lab/test_spec.py",
                 "tests/scenarios/test_world_kit.py", "tests/scenarios/test_domain_tools.py"),
}  # fmt: skip
"""What a room needs besides tests of its own name."""


def _paths(room: str) -> tuple[str, ...]:
    own = (f"tests/{room}",) if room in FOLDERS else ()
    found = {
        str(path.relative_to(ROOT))
        for pattern in _BESIDE.get(room, ())
        for path in ROOT.glob(pattern)
    }
    return (*own, *sorted(found - set(own)))


ROOMS = {room: _paths(room) for room in sorted({*FOLDERS, *_BESIDE})}
"""The paths that pytest gets, by room."""
