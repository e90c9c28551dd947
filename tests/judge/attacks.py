"""Submissions that want points, or harm, without the work: what they do instead of what is asked.

None of them earns a point, wherever it is put; the exercises beside it are solved and must keep
theirs. `attacking` makes submissions of them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    """Text that stands where an answer should.

    Attributes:
        does: statements. VICTIM and PROJECT in them are folders, as text; ASK is one request of
            the exercise.
        gives: what is returned after them; GUESS is the exercise's look of an answer.
        above: whether it is done where the function is defined, not when it is called.
    """

    does: str = "pass"
    gives: str = "[]"
    above: bool = False


FORGED = '{"do":"returned","result":[["x is through"]],"trace":null,"running":[]}'

ATTACKS: dict[str, Attack] = {
    "does nothing": Attack(gives="GUESS"),
    "is no Python": Attack("def so(it, goes)\n    return []", above=True),
    "spins in a coroutine": Attack("while True:\n    pass"),
    "spins and swallows everything": Attack(
        "while True:\n    try:\n        while True:\n            pass\n"
        "    except BaseException:\n        pass"
    ),
    "awaits for ever": Attack("import asyncio as aio\nawait aio.Event().wait()"),
    "awaits for ever at the top": Attack(
        "import asyncio as aio\nawait aio.Event().wait()", above=True
    ),
    "polls for ever": Attack("import asyncio as aio\nwhile True:\n    await aio.sleep(1)"),
    "ends the program": Attack("import os\nos._exit(0)"),
    "ends the program at the top": Attack("import os\nos._exit(0)", above=True),
    "exits politely": Attack("raise SystemExit(0)"),
    "prints without end": Attack("while True:\n    print('x' * 100_000)"),
    "prints 200 MB": Attack("for _ in range(2000):\n    print('x' * 100_000)"),
    "kills itself": Attack("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"),
    "crashes": Attack("import ctypes\nctypes.string_at(0)"),
    "recurses without end": Attack("def again():\n    return again()\n\n\nagain()"),
    "takes 4 GB": Attack("held = b'x' * (4 << 30)"),
    "takes memory bit by bit": Attack("held = []\nwhile True:\n    held.append(b'x' * (1 << 24))"),
    "forks": Attack(
        "import os, time\nfor _ in range(50):\n    if os.fork() == 0:\n        os.setsid()\n"
        "        time.sleep(60)\n        os._exit(0)"
    ),
    "forks without end": Attack("import os\nwhile True:\n    os.fork()"),
    "starts threads without end": Attack(
        "import threading, time\nwhile True:\n"
        "    threading.Thread(target=time.sleep, args=(60,)).start()"
    ),
    "fills the disk": Attack(
        "with open('big', 'wb') as file:\n    while True:\n        file.write(b'x' * (1 << 20))"
    ),
    "writes the gradebook": Attack("open(VICTIM + '/gradebook.db', 'w').write('297')"),
    "spoils another's work": Attack(
        "import pathlib\npathlib.Path(VICTIM, 'other.ipynb').write_text('{}')"
    ),
    "reads the solutions": Attack(
        "import pathlib\n"
        "text = pathlib.Path(PROJECT, 'graders/exercises/ch00/greeting.py').read_text()\n"
        "print(text)"
    ),
    "imports the exercises": Attack("import graders.exercises.ch00.greeting"),
    "calls home": Attack(
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:80', timeout=2)"
    ),
    "opens a socket": Attack("import socket\nsocket.create_connection(('1.1.1.1', 53), timeout=2)"),
    "leaves a startup file": Attack(
        "import os\nplace = VICTIM + '/startup'\nos.makedirs(place)\n"
        "open(place + '/00.py', 'w').write('import os')"
    ),
    "transforms the input": Attack(
        "try:\n    get_ipython().input_transformers_cleanup.append(lambda lines: ['pass'])\n"
        "except NameError:\n    pass",
        gives="GUESS",
        above=True,
    ),
    "fakes equality": Attack(
        "class Right(list):\n    def __eq__(self, other):\n        return True\n\n"
        "    __hash__ = None",
        gives="Right()",
        above=True,
    ),
    "fakes equality of text": Attack(
        "class Right(str):\n    def __eq__(self, other):\n        return True\n\n"
        "    def __hash__(self):\n        return 0",
        gives="[Right('Ada')]",
        above=True,
    ),
    "freezes the clocks": Attack(
        "import time\n\ntime.monotonic = time.time = time.perf_counter = lambda: 0.0",
        gives="GUESS",
        above=True,
    ),
    "replaces the checks": Attack(
        "import sys, types\nfake = types.ModuleType('graders')\nfake.checks = fake\n"
        "sys.modules['graders'] = sys.modules['graders.checks'] = fake",
        gives="GUESS",
        above=True,
    ),
    "replaces the judge's own modules": Attack(
        "import sys\nfor path, part in list(sys.modules.items()):\n"
        "    if path.startswith('child'):\n        for word in list(vars(part)):\n"
        "            if word in ('plain', 'to_line', 'failure', 'play'):\n"
        "                setattr(part, word, lambda *a, **k: {\n"
        "                    'do': 'returned', 'result': [['x']], 'trace': None, 'running': []})",
        gives="GUESS",
        above=True,
    ),
    "writes on the line": Attack(
        f"import os\nfor number in range(3, 20):\n    try:\n"
        f"        os.write(number, {FORGED!r}.encode() + b'\\n')\n    except OSError:\n        pass"
    ),
    "writes garbage on the line": Attack(
        "import os\nfor number in range(3, 20):\n    try:\n"
        "        os.write(number, b'\\xff' * 100_000 + b'\\n')\n    except OSError:\n        pass"
    ),
    "floods the line": Attack(
        "import os\nwhile True:\n    for number in range(3, 8):\n        try:\n"
        "            os.write(number, b'[]\\n' * 10_000)\n        except OSError:\n            pass"
    ),
    "closes the line": Attack("import os\nos.closerange(3, 64)"),
    "asks without end": Attack("while True:\n    ASK"),
    "asks the frames": Attack(
        "import gc, sys\nframe = sys._getframe()\nwhile frame:\n"
        "    for value in list(frame.f_locals.values()):\n        print(type(value))\n"
        "    frame = frame.f_back\n"
        "found = [each for each in gc.get_objects() if type(each).__name__ in ('World', 'Trial')]\n"
        "assert found"
    ),
    "returns something endless": Attack("endless = []\nendless.append(endless)", gives="endless"),
    "returns something huge": Attack(gives="['x' * 1000] * 1_000_000"),
    "returns what lies about itself": Attack(
        "class Odd:\n    def __len__(self):\n        return 10**9\n\n"
        "    def __iter__(self):\n        while True:\n            yield 'x'",
        gives="Odd()",
        above=True,
    ),
    "raises what cannot be told": Attack(
        "class Mute(Exception):\n    def __str__(self):\n        raise SystemExit(0)\n\n\n"
        "raise Mute"
    ),
    "stops at a signal": Attack(
        "import os, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "os.kill(os.getpid(), signal.SIGSTOP)"
    ),
}

SLOW = frozenset(
    (
        "asks without end",
        "polls for ever",
        "prints without end",
        "spins and swallows everything",
        "spins in a coroutine",
        "takes memory bit by bit",
    )
)
"""They cost a second or more in each trial."""
