"""Whatever keeps a run from ending: it ends within its budget, for a reason of its own."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbformat import NotebookNode, writes
from nbformat.v4 import new_code_cell, new_notebook

from graders.box import Parent, Used, warm
from graders.checks import equals, returned
from graders.child import keeper
from graders.judge import channel, meter, submission
from graders.judge.budget import Budget, Purse, Seconds
from graders.judge.chapters import Chapter
from graders.judge.endings import verdict_on
from graders.judge.inside import play_inside
from graders.judge.judge import judge
from graders.judge.outside import play_outside, script_for
from graders.records.scenario import Exercise, Scenario, Trial
from graders.records.verdict import Verdict
from tests.judge.boxes import strongest
from tests.judge.stages import HEAD, STAGE, TOKENS, notebook, world
from tests.notebooks import kit

WAITS, SPINS, FLOODS = "blocked.real_time", "blocked.endless_loop", "flood.messages"
IDLE = '{"do":"idle","until":0,"held":""}\\n'
SLEEP = "import ctypes; sleep = ctypes.CDLL(None).usleep"

HANGS = {
    # name: (body of the answer, code of its verdict, what the message names)
    "select": ("import select\nselect.select([], [], [], 19)", WAITS, "select.select in line 11;"),
    "a lock": ("lock = threading.Lock()\nlock.acquire()\nlock.acquire()", WAITS, "lock.acquire in"),
    "a pipe": ("import os\nos.read(os.pipe()[0], 1)", WAITS, "os.read in line 11;"),
    "a queue": ("queue.Queue().get()", "stalled.forever", "line 10: queue.Queue().get()"),
    "a bare queue": ("queue.SimpleQueue().get()", WAITS, "queue.SimpleQueue().get in line 10"),
    "a socket": (
        "import socket\na, b = socket.socketpair()\na.recv(1)",
        WAITS,
        "a.recv in line 12",
    ),
    "a signal": ("import signal\nsignal.sigwait([signal.SIGUSR1])", WAITS, "signal.sigwait"),
    "a lock of a file": (
        "import fcntl\na, b = open('f', 'w'), open('f')\nfcntl.flock(a, 2), fcntl.flock(b, 2)",
        WAITS,
        "fcntl.flock in line 12",
    ),
    "a sleep of C": ("import ctypes\nctypes.CDLL(None).sleep(30)", WAITS, ".sleep in line 11"),
    "a sleep of C that lets nobody look": (
        "import ctypes\nctypes.PyDLL(None).sleep(30)",
        WAITS,
        "says nothing",
    ),
    "short sleeps": (f"{SLEEP}\nwhile True:\n    sleep(50_000)", WAITS, "sleep in line 12"),
    "a thread": (
        "import select\nawait asyncio.to_thread(select.select, [], [], [], 19)",
        "stalled.forever",
        "line 11",
    ),
    "a thread beside a timer": (
        "import select\nt = asyncio.create_task(asyncio.to_thread(select.select, [], [], [], 19))\n"
        "while not t.done():\n    await asyncio.sleep(1)",
        WAITS,
        "says nothing",
    ),
    "a regular expression": ("import re\nre.match('(a+)+$', 'a' * 40 + 'b')", SPINS, ""),
    "a power": ("return 7 ** 10**8 % 10", SPINS, ""),
    "a loop": ("while True:\n    pass", SPINS, "in line 1"),
    "a loop that lets nobody look": (
        "import sys\nsys.setswitchinterval(1e6)\nwhile True:\n    pass",
        SPINS,
        "",
    ),
    "an error's words": (
        "class A(Exception):\n    def __str__(self):\n        while True: pass\nraise A",
        SPINS,
        "in line 1",
    ),
    "trickled bytes": (
        f"import os\n{SLEEP}\nwhile True:\n    os.write(3, b' ')\n    sleep(99_000)",
        WAITS,
        "in line 1",
    ),
    "trickled bytes of a thread that nobody sees": (
        f"import os, _thread\n{SLEEP}\ndef drip():\n    while True:\n"
        f"        os.write(3, b'{IDLE}')\n        sleep(20_000)\n"
        "_thread.start_new_thread(drip, ())\nwhile True:\n    await asyncio.sleep(1)",
        "",
        "expected a result",
    ),
    "idles that never read": (
        f"import os\nwhile True:\n    os.write(3, b'{IDLE}' * 1000)",
        WAITS,
        "",
    ),
    "small values": (
        'import os\nmany = \'{"do":"tool","id":%d,"name":"look_up","arguments":{"name":[\' + '
        "'{},' * 500_000 + '{}]}}\\n'\nfor n in range(40):\n    left = (many % n).encode()\n"
        "    while left:\n        left = left[os.write(3, left):]",
        FLOODS,
        "stopped after",
    ),
}


@pytest.fixture(scope="module")
def parent() -> Iterator[Parent]:
    with warm(strongest()) as warmed:
        yield warmed


def text(body: str) -> str:
    return HEAD + "async def solve(bench, look_up, names):\n    " + body.replace("\n", "\n    ")


def boxed(parent: Parent, body: str) -> Verdict:
    scenario = world()
    script = script_for(STAGE, scenario, [{"name": "1", "source": text(body)}])
    return verdict_on(play_outside(parent, script, scenario, TOKENS).log, [returned()])


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("name", HANGS)
def test_a_run_that_hangs_ends_for_a_reason(parent: Parent, name: str) -> None:
    body, code, told = HANGS[name]
    verdict = boxed(parent, body)
    assert verdict.code == (code or verdict.code)
    assert told in verdict.message


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("name", ["select", "short sleeps", "a queue", "a thread", "a loop"])
def test_the_notebook_says_the_same(parent: Parent, name: str) -> None:
    body, code, _ = HANGS[name]
    body = body.replace("19)", "2)").replace("while True", "for _ in range(10**9)")
    log = play_inside(STAGE, world(), TOKENS, notebook(text(body)))
    here = verdict_on(log, [returned()])
    assert here.code == code
    there = boxed(parent, body)
    assert here.message == there.message or name == "a loop"  # which has two lines to be found in


@pytest.mark.usefixtures("impatient")
def test_who_is_slow_to_find_out_that_all_wait_still_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(keeper, "POLL", 0.06)  # as on a machine that others keep busy
    body = HANGS["a thread"][0].replace("19)", "3)")
    log = play_inside(STAGE, world(), TOKENS, notebook(text(body)))
    assert verdict_on(log, [returned()]).code == "stalled.forever"


@pytest.mark.usefixtures("impatient")
def test_a_cell_may_not_wait_either(parent: Parent) -> None:
    scenario = world()
    cells = [
        {"name": "1", "source": "x = input"},
        {"name": "2", "source": "import select\nselect.select([], [], [], 9)"},
    ]
    log = play_outside(parent, script_for(STAGE, scenario, cells), scenario, TOKENS).log
    assert [(each.kind, each.detail) for each in log.moments] == [
        ("asleep", "select.select in line 2")
    ]


def test_who_computes_is_waited_for_though_others_get_the_processor() -> None:
    """Real seconds do not count while a run is ready and has no processor."""
    used = [Used(cpu_seconds=0.1 * n, delayed=50.0 * n) for n in range(9)]
    measured = meter.Meter(_Told(used[1:]), Budget(), Seconds(9, 9))
    for _ in used[1:]:
        measured._looked -= 1
        measured._begin -= 50
        measured.look(0, began=False)
    assert measured.used(used[-1]).real < 2


@pytest.mark.parametrize(
    ("used", "heard", "reason"),
    [
        (Used(0.0, 0.0), 0, meter.Asleep),
        (Used(9.0, 0.0), 0, meter.Endless),
        (Used(0.0, 0.0), 1, meter.Asleep),
        (Used(0.5, 0.0), 1, meter.Overdrawn),
    ],
)
def test_a_run_is_ended_for_what_it_uses(used: Used, heard: int, reason: type[Exception]) -> None:
    left = Seconds(0.4, 9) if reason is meter.Overdrawn else Seconds(99, 99)
    measured = meter.Meter(_Told([used] * 99), Budget(), left)

    def look(times: int) -> None:
        for each in range(times):
            measured._looked -= 1
            measured._begin -= 1
            measured.look(each * heard, began=bool(heard))

    with pytest.raises(reason):
        look(99)


class _Told:
    """A box of which it is known what it will have used at each look."""

    def __init__(self, used: list[Used]) -> None:
        self._used = iter(used)

    def used(self) -> Used:
        return next(self._used)


# -- an exercise, and a notebook --------------------------------------------------------------


def test_what_others_use_up_leaves_each_exercise_its_own() -> None:
    purse = Purse(Budget(), "abcdef")
    allowed = []
    for name in "abcdef":
        with purse.exercise(name):
            allowed.append(purse._left.real)
            while not purse.empty:
                purse.pay(Seconds(1, 1))
    usual = Budget()
    assert allowed[0] == usual.exercise.real
    assert min(allowed) >= usual.reserve.real
    assert sum(allowed) <= usual.notebook.real


def test_the_page_gives_the_numbers() -> None:
    page = (kit.ROOT / "docs/judging.md").read_text()
    usual = Budget()
    for name, seconds in (
        ("a run that says nothing", f"{usual.quiet.cpu:g} | {usual.quiet.real:g}, asleep"),
        ("a run of one trial", f"{usual.run.cpu:g} | {usual.run.real:g}"),
        ("an exercise", f"{usual.exercise.cpu:g} | {usual.exercise.real:g}"),
        ("a notebook", f"{usual.notebook.cpu:g} | {usual.notebook.real:g}"),
    ):
        assert f"| {name} | {seconds} |" in page
    assert f"\n{usual.reserve.real:g} seconds are kept back" in page
    assert f"a notebook may have {submission.LARGEST // 10**6} MB" in page
    assert f"{submission.MOST_CELLS:,} cells, and of more than {submission.MOST_CODE:,}" in page
    assert f"or {submission.MOST_LINES:,} lines" in page
    assert f"A run may say {channel.MOST_BYTES // 10**6} MB" in page


def test_it_is_said_who_used_it_up() -> None:
    purse = Purse(Budget(), ["8.1", "8.2", "8.3"])
    with purse.exercise("8.1"):
        purse.pay(Seconds(0, 12.5))
        assert purse.empty
        assert purse.why() == "the 10 s of this exercise were used up"
    with purse.exercise("8.2"):
        purse.pay(Seconds(0, 30))
    with purse.exercise("8.3"):
        assert purse.why() == "the notebook's 40 s were used up by exercises 8.2 and 8.1"


# The peak as the system tells it of this program: getrusage also counts the one it was forked from.
ALONE = """
import re, sys
from pathlib import Path
from graders.chapters import released
from graders.judge.judge import judge_submission
sys.stdout.write(f"{judge_submission(Path(sys.argv[1]), chapters=released()).score:g} ")
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1000)
"""
MOST_MEMORY = 300  # MB


def test_a_padded_notebook_is_judged_and_takes_little_memory(tmp_path: Path) -> None:
    strongest()
    book = kit.read(kit.ROOT / "solutions/00_start_here/00_start_here.ipynb")
    book.cells[3:3] = [new_code_cell(f"v{n} = '{'é' * 9_000}'") for n in range(1_900)]
    paper = tmp_path / "00_start_here.ipynb"
    paper.write_text(writes(book))  # type: ignore[no-untyped-call]
    command = [sys.executable, "-c", ALONE, str(paper)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=kit.ROOT)
    score, megabytes = map(float, ran.stdout.split())
    assert score == 5
    assert megabytes < MOST_MEMORY


WAITING = "def greet(town):\n    import select\n    select.select([], [], [], 9)"
SLOW = """
def greet(town):
    import time
    begin = time.process_time()
    while time.process_time() - begin < 0.3:
        pass
    return f"Hello {town}"
"""
STUBBED = "def greet(town):\n    raise NotImplementedError"


def hall(number: str, trials: int) -> Exercise:
    stage = f"async def stage(bench, student):\n    return student.greet_{number[-1]}('Oslo')\n"
    kinds = [
        Trial(
            f"greets {n}", stage, lambda draw: Scenario(), lambda scenario: [equals("Hello Oslo")]
        )
        for n in range(trials)
    ]
    return Exercise(number, (f"greet_{number[-1]}",), tuple(kinds), hidden_seeds=(2,))


def solution(number: str, source: str) -> NotebookNode:
    name = "ex_" + number.replace(".", "_")
    about = {"grade_id": name, "solution": True, "locked": False, "grade": False}
    named = source.replace("greet(", f"greet_{number[-1]}(")
    return new_code_cell(named, metadata={"nbgrader": about}, id=name)


def test_an_innocent_exercise_is_judged_after_those_that_hang(tmp_path: Path) -> None:
    numbers = ("9.1", "9.2", "9.3")
    exercises = tuple(hall(each, 5) for each in numbers)
    made = [solution(each, STUBBED) for each in numbers]
    chapter = Chapter("09_fixture", new_notebook(cells=made), exercises)
    given = [WAITING, SLOW, "def greet(town):\n    return f'Hello {town}'"]
    paper = tmp_path / "09_fixture.ipynb"
    paper.write_text(writes(new_notebook(cells=list(map(solution, numbers, given)))))
    second = Seconds(1.0, 1.0)
    budget = Budget(quiet=Seconds(0.5, 0.25), exercise=second, notebook=second * 3, reserve=second)
    with judge(box="none", own_work=True, chapters=[chapter], budget=budget) as ready:
        report = ready.submission(paper)
    waits, slow, right = report.exercises
    assert (waits.score, right.score) == (0, 5)
    assert 0 < slow.score < 5
    assert [
        (each.trials[-1].verdict.code, each.trials[-1].verdict.message) for each in (waits, slow)
    ] == [
        ("blocked.real_time", "not played: the code waited in real time in trial 1"),
        ("budget.used_up", "not played: the 1 s of this exercise were used up"),
    ]
