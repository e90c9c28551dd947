"""Programs that forge what is known in the judged process, to stand above a wrong answer.

Each is the text of statements. It may define `before()`, which is called with the answer's
arguments whenever the answer begins, and `after(value)`, called with what it gives, whose own
value is given instead. FOUND is there for all: the objects of classes with these names.

What is not here: a program that does at the boundary what a right answer does, such as one that
leaves a wait out or gives a request up, by whatever means. There it *is* right.
"""

from __future__ import annotations

HELPERS = """
import gc, sys


def FOUND(*names):
    return [each for each in gc.get_objects() if type(each).__name__ in names]


def CHILD(ending):
    return [m for n, m in list(sys.modules.items()) if n.endswith("child." + ending)]


def FRAMES(name):
    frame = sys._getframe()
    while frame:
        if frame.f_code.co_name == name and frame.f_globals.get("__name__") == "stage":
            yield frame
        frame = frame.f_back


def before(*args, **kwargs):
    pass


def after(value):
    return value
"""

ARMED = """

import functools, inspect


def armed(answer):
    if inspect.iscoroutinefunction(answer):
        @functools.wraps(answer)
        async def forged(*args, **kwargs):
            before(*args, **kwargs)
            try:
                value = await answer(*args, **kwargs)
            except BaseException:
                after(None)
                raise
            return after(value)
    else:
        @functools.wraps(answer)
        def forged(*args, **kwargs):
            before(*args, **kwargs)
            return after(answer(*args, **kwargs))
    return forged


NAME = armed(NAME)
"""

_CLOCKS = {
    "freezes the course's clock": "from course import clock\nclock.now = lambda: 0.0",
    "has a clock that tells what one likes": (
        "import itertools\nfrom course import clock\n"
        "times = itertools.count()\nclock.now = lambda: float(next(times))"
    ),
    "freezes the clocks of the process": (
        "import time\n"
        "time.time = time.monotonic = time.perf_counter = time.process_time = lambda: 0.0"
    ),
    "freezes the loop": (
        "def before(*args, **kwargs):\n    import asyncio\n"
        "    type(asyncio.get_running_loop()).time = lambda self: 0.0"
    ),
    "turns the loop's clock back at the end": (
        "def after(value):\n    import asyncio\n"
        "    type(asyncio.get_running_loop()).time = lambda self: 0.0\n    return value"
    ),
    "sets the keeper's time back": (
        "def after(value):\n    for each in FOUND('Keeper'):\n        each.now = 0.0\n"
        "    return value"
    ),
    "has a keeper on whose clock it is always now": (
        "for each in CHILD('keeper'):\n"
        "    each.Keeper.now = property(lambda self: 0.0, lambda self, value: None)"
    ),
    "sleeps for no time anywhere": (
        "import asyncio\nreally = asyncio.sleep\n"
        "async def sleep(seconds, result=None):\n    return await really(0, result)\n"
        "def before(*args, **kwargs):\n    asyncio.sleep = sleep"
    ),
    "has timers that are due at once": (
        "def before(*args, **kwargs):\n    import asyncio\n"
        "    loop = type(asyncio.get_running_loop())\n"
        "    loop.call_at = lambda self, when, call, *a, **k: self.call_soon(call, *a)"
    ),
    "forgets the timers": (
        "def after(value):\n    import asyncio\n"
        "    asyncio.get_running_loop()._scheduled.clear()\n    return value"
    ),
    "dates its traces back": (
        "from course.trace import span\nimport course.traceing as recording"
        "\nfrom course import clock\nclock.now_ns = lambda: 0\nclock.now = lambda: 0.0"
    ),
}
_TASKS = {
    "has no tasks": (
        "import asyncio\nasyncio.all_tasks = asyncio.tasks.all_tasks = lambda loop=None: set()"
    ),
    "empties the list of tasks": (
        "def after(value):\n    import asyncio\n"
        "    getattr(asyncio.tasks, '_scheduled_tasks', set()).clear()\n"
        "    getattr(asyncio.tasks, '_eager_tasks', set()).clear()\n    return value"
    ),
    "is nobody's task": "import asyncio\nasyncio.current_task = lambda loop=None: None",
    "runs its tasks as something else": (
        "import asyncio, collections.abc\n"
        "class Hidden(collections.abc.Coroutine):\n"
        "    def __init__(self, work):\n        self.work = work\n"
        "    def send(self, value):\n        return self.work.send(value)\n"
        "    def throw(self, *args):\n        return self.work.throw(*args)\n"
        "    def close(self):\n        self.work.close()\n"
        "    def __await__(self):\n        return self.work.__await__()\n"
        "really = asyncio.create_task\n"
        "def make(work, **more):\n    return really(Hidden(work), **more)\n"
        "asyncio.create_task = make\n"
        "asyncio.ensure_future = lambda w, loop=None: make(w) if asyncio.iscoroutine(w) else w"
    ),
    "has a judge who sees no coroutines": (
        "for each in CHILD('stage'):\n    each.CoroutineType = type(None)"
    ),
}
_KEEPER = {
    "closes all calls": (
        "def after(value):\n    for each in FOUND('Keeper'):\n"
        "        for number in list(getattr(each, '_arrivals', ())):\n"
        "            each.close(number, given_up=True)\n    return value"
    ),
    "clears the keeper's list and the tasks": (
        "import asyncio\nfrom course import clock\n"
        "def after(value):\n    asyncio.all_tasks = lambda loop=None: set()\n"
        "    clock.now = lambda: 0.0\n    for each in FOUND('Keeper'):\n"
        "        for number in list(getattr(each, '_arrivals', ())):\n"
        "            each.close(number, given_up=True)\n"
        "        each._arrivals.clear(), each.loops.clear()\n    return value"
    ),
    "forgets who waits for replies": (
        "def after(value):\n    for each in FOUND('Keeper'):\n        each._arrivals.clear()\n"
        "    return value"
    ),
    "has a keeper who knows nobody else": (
        "for each in CHILD('keeper'):\n    each.Keeper.others = lambda self: []"
    ),
    "has a keeper who tells nothing": (
        "for each in CHILD('keeper'):\n    each.Keeper.tell = lambda self, *args: None"
    ),
    "has a keeper who tells everything at once": (
        "for each in CHILD('keeper'):\n    really = each.Keeper.tell\n"
        "    def tell(self, *args):\n        really(self, *args)\n        really(self, *args)\n"
        "    each.Keeper.tell = tell"
    ),
    "rests before it has to": (
        "for each in CHILD('main') + CHILD('stage'):\n    each.rest = lambda keeper: None"
    ),
    "says that nothing is held up": (
        "for each in CHILD('actors'):\n"
        "    each.Actor.holds = property(lambda self: '', lambda self, value: None)"
    ),
    "gives up each call as soon as it is made": (
        "for each in CHILD('keeper'):\n    really = each.Keeper.open\n"
        "    def opened(self, message, arrive):\n        number = really(self, message, arrive)\n"
        "        self._link.send({'do': 'cancel', 'id': number})\n        return number\n"
        "    each.Keeper.open = opened"
    ),
}
_LINE = {
    "sends another ending": (
        "for each in CHILD('link'):\n    really = each.LineLink.send\n"
        "    def send(self, message):\n        if message.get('do') == 'returned':\n"
        "            message = {**message, 'running': []}\n        really(self, message)\n"
        "    each.LineLink.send = send"
    ),
    "stops talking after the return": (
        "import os\nfor each in CHILD('link'):\n    really = each.LineLink.send\n"
        "    def send(self, message):\n        really(self, message)\n"
        "        if message.get('do') == 'returned':\n"
        "            really(self, {'do': 'idle', 'until': None, 'held': ''})\n"
        "            os._exit(0)\n    each.LineLink.send = send"
    ),
    "dates what it tells": (
        "for each in CHILD('link'):\n    really = each.LineLink.send\n"
        "    def send(self, message):\n        if message.get('do') in ('tool', 'model', 'told'):\n"
        "            message = {**message, 'now': 0.0}\n        really(self, message)\n"
        "    each.LineLink.send = send"
    ),
    "writes an ending of its own": (
        'import os\ndef after(value):\n    line = b\'{"do":"returned","result":"stopped",\'\n'
        '    line += b\'"trace":null,"running":[]}\\n\'\n    for number in range(3, 9):\n'
        "        try:\n            os.write(number, line)\n        except OSError:\n"
        "            pass\n    return value"
    ),
    "writes marks": (
        "import os\ndef after(value):\n"
        '    line = b\'{"do":"told","name":"tidied","value":"lift"}\\n\'\n'
        "    for number in range(3, 9):\n        try:\n            os.write(number, line * 4)\n"
        "        except OSError:\n            pass\n    return value"
    ),
    "writes at its exit": (
        'import atexit, os\nline = b\'{"do":"returned","result":[],"trace":null,\'\n'
        "line += b'\"running\":[]}\\n'\natexit.register(lambda: os.write(3, line))"
    ),
    "writes lines of its own kind": (
        "import json\nreally = json.dumps\n"
        "def dumps(value, **more):\n    if isinstance(value, dict) and 'running' in value:\n"
        "        value = {**value, 'running': []}\n    return really(value, **more)\n"
        "json.dumps = dumps"
    ),
    "makes lines of its own": (
        "import json\nfor each in CHILD('plain') + CHILD('link'):\n"
        "    each.to_line = lambda message: json.dumps({**message, 'running': []} if "
        "message.get('do') == 'returned' else dict(message)).encode() + b'\\n'"
    ),
    "takes everything for plain": (
        "for each in CHILD('stage') + CHILD('bench'):\n"
        "    really = each.plain\n"
        "    each.plain = lambda value: [] if value is None else really(value)"
    ),
}
_STAGE = {
    "plays with the parameters": (
        "def before(*args, **kwargs):\n    for each in FOUND('Bench'):\n"
        "        for key, value in list(each.params.items()):\n"
        "            if isinstance(value, (int, float)):\n                each.params[key] = 0\n"
        "            if key in ('errors', 'visits', 'cases', 'merges', 'pauses'):\n"
        "                each.params[key] = type(value)()"
    ),
    "has tools that answer at once": (
        "from types import SimpleNamespace\n"
        "async def answers(*args, **kwargs):\n    return 'hello'\n"
        "def before(*args, **kwargs):\n    for each in FOUND('Bench'):\n"
        "        each.tool = lambda name: SimpleNamespace(function=answers, name=name)"
    ),
    "has a bench that marks what one likes": (
        "def before(*args, **kwargs):\n    for each in FOUND('Bench'):\n"
        "        really = type(each).mark\n"
        "        each.mark = lambda name, value=None: None"
    ),
    "passes for everybody's answer": (
        "for each in CHILD('bench'):\n    really = each.Student.__getattr__\n"
        "    each.Student.__getattr__ = lambda self, name: really(self, name)"
    ),
    "writes into the stage's own lists": (
        "def after(value):\n    for frame in FRAMES('stage'):\n"
        "        for name, each in list(frame.f_locals.items()):\n"
        "            if isinstance(each, list) and name != 'bench':\n                each.clear()\n"
        "            if isinstance(each, dict):\n                each.clear()\n    return value"
    ),
    "writes into the stage's own names": (
        "def before(*args, **kwargs):\n    for frame in FRAMES('stage'):\n"
        "        frame.f_globals['asyncio'] = None"
    ),
    "plays another stage": (
        "for each in CHILD('stage'):\n"
        "    really = each._returned\n"
        "    def returned(keeper, loop, bench, result):\n"
        "        said = really(keeper, loop, bench, result)\n"
        "        return {**said, 'running': [], 'trace': None}\n"
        "    each._returned = returned"
    ),
    "tampers from a thread": (
        "import threading\n"
        "def tamper():\n    pause = threading.Event()\n    while not pause.wait(0.002):\n"
        "        for each in FOUND('Keeper'):\n            each.now = 0.0\n"
        "threading.Thread(target=tamper, daemon=True).start()"
    ),
    "clears everything from a thread": (
        "import threading\n"
        "def tamper():\n    pause = threading.Event()\n    while not pause.wait(0.002):\n"
        "        for each in FOUND('Keeper'):\n            each.loops.clear()\n"
        "            each._arrivals.clear()\n"
        "threading.Thread(target=tamper, daemon=True).start()"
    ),
    "looks for the world": (
        "def after(value):\n    for each in FOUND('World', 'Ledger', 'DirectLink', 'Log'):\n"
        "        for name, held in list(getattr(each, '__dict__', {}).items()):\n"
        "            if isinstance(held, list):\n                held.clear()\n    return value"
    ),
}
_PYTHON = {
    "says that all is of every kind": (
        "import builtins\nbuiltins.isinstance = lambda value, kinds: True"
    ),
    "has lists that are as long as one likes": (
        "import builtins\ndef before(*args, **kwargs):\n    builtins.len = lambda value: 1"
    ),
    "sorts nothing": (
        "import builtins\ndef before(*args, **kwargs):\n"
        "    builtins.sorted = lambda values, **more: []"
    ),
    "has a type with another name": (
        "import builtins\nreally = type\n"
        "def before(*args, **kwargs):\n    class Type(really):\n        __name__ = 'ToolError'\n"
        "    builtins.type = lambda value, *more: Type('ToolError', (), {})"
    ),
    "names its errors as one likes": (
        "class ToolError(Exception):\n    pass\n"
        "ToolError.__name__ = ToolError.__qualname__ = 'ModelError'"
    ),
    "equals everything": (
        "class Right(dict):\n    def __eq__(self, other):\n        return True\n"
        "    def __getitem__(self, key):\n        return self\n    __hash__ = None\n"
        "def after(value):\n    return Right()"
    ),
    "replaces the modules": (
        "import types\nfor name in list(sys.modules):\n"
        "    if name.endswith(('child.plain', 'child.failures', 'child.stuck')):\n"
        "        sys.modules[name] = types.ModuleType(name)"
    ),
    "swallows its interruptions": (
        "import asyncio\nasyncio.CancelledError = type('CancelledError', (Exception,), {})\n"
        "asyncio.exceptions.CancelledError = asyncio.CancelledError"
    ),
    "writes that it was stopped": (
        "def before(*args, **kwargs):\n    for frame in FRAMES('stage'):\n"
        "        frame.f_locals.update(stopped=True, tidied=[], told=[])"
    ),
}
FORGERIES: dict[str, str] = {**_CLOCKS, **_TASKS, **_KEEPER, **_LINE, **_STAGE, **_PYTHON}

WRONG: dict[str, tuple[str, ...]] = {
    "0.2": ("one after the other",),
    "1.3": ("one after the other",),
    "1.5": ("hands the text over at the end",),
    "4.2": ("leaves the workers running when it is stopped", "one after the other"),
    "4.3": ("reserves after the call", "settles errors but not a cancelled call"),
    "4.4": ("leaves the late worker running",),
    "4.5": ("leaves the silent one waiting",),
    "5.3": ("counts one silence too many",),
    "5.4": ("takes the calls out of the task's own messages",),
    "5.5": ("goes back once too often", "all at once"),
    "7.1": ("cancels and does not wait", "shields all of it together"),
    "7.2": ("leaves orphans", "tells of all results in the end"),
    "7.4": ("looks only once", "lets a small request pass"),
    "8.1": ("waits once more before it gives up", "tells each call that it is the first"),
    "8.3": ("lets everybody through after the pause", "opens anew with every late failure"),
    "8.4": ("counts tries from the wrong end", "always has three tries"),
    "9.4": ("reads one batch after the other",),
    "9.5": ("asks one vote after the other",),
    "10.4": ("never counts what is under way",),
    "10.5": ("does failed tasks again",),
}
"""Wrong answers of each exercise that lose points for what they do, not for what they give."""
