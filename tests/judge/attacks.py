"""Submissions that want points, or harm, without the work: sources of exercise 0.2's cell.

None of them does what is asked, so none may earn a point; the exercises before and after it are
solved and must keep theirs.
"""

from __future__ import annotations

LAZY = """
async def put_all_through(callers, put_through):
    return [f"{caller} is through" for caller in callers]
"""
FROZEN = """
import time

time.monotonic = time.time = time.perf_counter = lambda: 0.0
"""
FAKED = """
class Right(list):
    def __eq__(self, other):
        return True

    __hash__ = None


async def put_all_through(callers, put_through):
    return Right()
"""
WORDS = """
class Right(str):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


async def put_all_through(callers, put_through):
    return [Right(caller) for caller in callers]
"""


def _inside(body: str) -> str:
    """An answer that does something else first, and nothing of what is asked."""
    indented = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return f"async def put_all_through(callers, put_through):\n{indented}    return []\n"


def _above(body: str) -> str:
    return body.strip() + "\n\n" + LAZY


FORGED = '{"do":"returned","result":[["x is through"]],"trace":null,"running":[]}'

ATTACKS: dict[str, str] = {
    "does nothing": LAZY,
    "is no Python": "async def put_all_through(callers, put_through)\n    return []",
    "spins in a coroutine": _inside("while True:\n    pass"),
    "spins and swallows everything": _inside(
        "while True:\n    try:\n        while True:\n            pass\n"
        "    except BaseException:\n        pass"
    ),
    "awaits for ever": _inside("await asyncio.Event().wait()"),
    "awaits for ever at the top": _above("import asyncio\nawait asyncio.Event().wait()"),
    "polls for ever": _inside("while True:\n    await asyncio.sleep(1)"),
    "ends the program": _inside("import os\nos._exit(0)"),
    "ends the program at the top": _above("import os\nos._exit(0)"),
    "exits politely": _inside("raise SystemExit(0)"),
    "prints without end": _inside("while True:\n    print('x' * 100_000)"),
    "prints 200 MB": _inside("for _ in range(2000):\n    print('x' * 100_000)"),
    "kills itself": _inside("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"),
    "crashes": _inside("import ctypes\nctypes.string_at(0)"),
    "recurses without end": _inside("def again():\n    return again()\n\n\nagain()"),
    "takes 4 GB": _inside("held = b'x' * (4 << 30)"),
    "takes memory bit by bit": _inside("held = []\nwhile True:\n    held.append(b'x' * (1 << 24))"),
    "forks": _inside(
        "import os, time\nfor _ in range(50):\n    if os.fork() == 0:\n        os.setsid()\n"
        "        time.sleep(60)\n        os._exit(0)"
    ),
    "forks without end": _inside("import os\nwhile True:\n    os.fork()"),
    "starts threads without end": _inside(
        "import threading, time\nwhile True:\n"
        "    threading.Thread(target=time.sleep, args=(60,)).start()"
    ),
    "fills the disk": _inside(
        "with open('big', 'wb') as file:\n    while True:\n        file.write(b'x' * (1 << 20))"
    ),
    "writes the gradebook": _inside("open(VICTIM + '/gradebook.db', 'w').write('297')"),
    "spoils another's work": _inside(
        "import pathlib\npathlib.Path(VICTIM, 'other.ipynb').write_text('{}')"
    ),
    "reads the solutions": _inside(
        "import pathlib\n"
        "text = pathlib.Path(PROJECT, 'graders/exercises/ch00.py').read_text()\n"
        "print(text)"
    ),
    "imports the exercises": _inside("import graders.exercises.ch00"),
    "calls home": _inside(
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:80', timeout=2)"
    ),
    "opens a socket": _inside(
        "import socket\nsocket.create_connection(('1.1.1.1', 53), timeout=2)"
    ),
    "leaves a startup file": _inside(
        "import os\nplace = VICTIM + '/startup'\nos.makedirs(place)\n"
        "open(place + '/00.py', 'w').write('import os')"
    ),
    "transforms the input": _above(
        "try:\n    get_ipython().input_transformers_cleanup.append(lambda lines: ['pass'])\n"
        "except NameError:\n    pass"
    ),
    "fakes equality": FAKED,
    "fakes equality of text": WORDS,
    "freezes the clocks": FROZEN + LAZY,
    "replaces the checks": _above(
        "import sys, types\nfake = types.ModuleType('graders')\nfake.checks = fake\n"
        "sys.modules['graders'] = sys.modules['graders.checks'] = fake"
    ),
    "replaces the judge's own modules": _above(
        "import sys\nfor name, module in list(sys.modules.items()):\n"
        "    if name.startswith('child'):\n        for each in list(vars(module)):\n"
        "            if each in ('plain', 'to_line', 'failure', 'play'):\n"
        "                setattr(module, each, lambda *a, **k: {\n"
        "                    'do': 'returned', 'result': [['x']], 'trace': None, 'running': []})"
    ),
    "writes on the line": _inside(
        f"import os\nfor number in range(3, 20):\n    try:\n"
        f"        os.write(number, {FORGED!r}.encode() + b'\\n')\n    except OSError:\n        pass"
    ),
    "writes garbage on the line": _inside(
        "import os\nfor number in range(3, 20):\n    try:\n"
        "        os.write(number, b'\\xff' * 100_000 + b'\\n')\n    except OSError:\n        pass"
    ),
    "floods the line": _inside(
        "import os\nwhile True:\n    for number in range(3, 8):\n        try:\n"
        "            os.write(number, b'[]\\n' * 10_000)\n        except OSError:\n            pass"
    ),
    "closes the line": _inside("import os\nos.closerange(3, 64)"),
    "asks without end": _inside("while True:\n    await put_through('Ada')"),
    "asks the frames": _inside(
        "import gc, sys\nframe = sys._getframe()\nwhile frame:\n"
        "    for value in list(frame.f_locals.values()):\n        print(type(value))\n"
        "    frame = frame.f_back\n"
        "found = [each for each in gc.get_objects() if type(each).__name__ in ('World', 'Trial')]\n"
        "assert found"
    ),
    "returns something endless": _inside("endless = []\nendless.append(endless)\nreturn endless"),
    "returns something huge": _inside("return ['x' * 1000] * 1_000_000"),
    "returns what lies about itself": _above(
        "class Odd:\n    def __len__(self):\n        return 10**9\n\n"
        "    def __iter__(self):\n        while True:\n            yield 'x'\n"
    ).replace('return [f"{caller} is through" for caller in callers]', "return Odd()"),
    "raises what cannot be told": _inside(
        "class Mute(Exception):\n    def __str__(self):\n        raise SystemExit(0)\n\n\n"
        "raise Mute"
    ),
    "stops at a signal": _inside(
        "import os, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "os.kill(os.getpid(), signal.SIGSTOP)"
    ),
}
"""Name -> source. VICTIM and PROJECT are replaced by folders, as text."""
