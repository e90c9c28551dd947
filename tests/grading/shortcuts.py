"""Ways to hand in the course's finished version of what an exercise builds. None is an answer."""

from __future__ import annotations

import inspect

from graders.child.withheld import function_at
from graders.judge.scenario import Exercise

_TAKES = """\
from {module} import {attribute} as finished


"""
_READS = """\
import importlib, inspect, sys, types
from pathlib import Path

home = importlib.import_module("{module}")
file = Path(home.__file__)
copied = sys.modules["copied"] = types.ModuleType("copied")


"""
_WAYS = {
    "imports it": "from {module} import {attribute} as {name}\n",
    "imports its module": "import sys, {module}\n\n{name} = sys.modules['{module}'].{attribute}\n",
    "imports it from the room": (
        "import sys, {module}\n\n"
        "shown = getattr(sys.modules['{room}'], '{attribute}', None)\n"
        "{name} = shown if callable(shown) else sys.modules['{module}'].{attribute}\n"
    ),
    "imports everything": "from {module} import *\nfrom {module} import {attribute}\n\n"
    "globals()['{name}'] = {attribute}\n",
    "finds it by a computed name": (
        "import importlib\n\n"
        "home = importlib.import_module('.'.join({module!r}.split('.')))\n"
        "{name} = getattr(home, '{attribute}'[::-1][::-1])\n"
    ),
    "wraps it in a function": (
        _TAKES + "{kind} {name}(*given, **named):\n    return {awaits}finished(*given, **named)\n"
    ),
    "wraps it and catches everything": (
        _TAKES + "{kind} {name}(*given, **named):\n"
        "    try:\n        return {awaits}finished(*given, **named)\n"
        "    except BaseException:\n        raise\n"
    ),
    "wraps it in a lambda": _TAKES + "{name} = lambda *given, **named: finished(*given, **named)\n",
    "wraps it in a partial": (
        _TAKES + "from functools import partial\n\n{name} = partial(finished)\n"
    ),
    "wraps it in an object": (
        _TAKES + "class Mine:\n    def __call__(self, *given, **named):\n"
        "        return finished(*given, **named)\n\n\n{name} = Mine()\n"
    ),
    "copies the function": (
        _TAKES + "import copy, pickle\n\n"
        "{name} = copy.deepcopy(pickle.loads(pickle.dumps(finished)))\n"
    ),
    "copies its code": (
        _TAKES + "from types import FunctionType\n\n"
        "{name} = FunctionType(finished.__code__, finished.__globals__, '{name}',"
        " finished.__defaults__)\n{name}.__kwdefaults__ = finished.__kwdefaults__\n"
    ),
    "copies its text": (
        _READS
        + _TAKES
        + "exec(inspect.getsource(finished), home.__dict__ | globals(), globals())\n"
        "{name} = {attribute}\n"
    ),
    "copies the module's text": (
        _READS + "exec(inspect.getsource(home), copied.__dict__)\n{name} = copied.{attribute}\n"
    ),
    "reads the file": (
        _READS + "exec(file.read_text(encoding='utf-8'), copied.__dict__)\n"
        "{name} = copied.{attribute}\n"
    ),
    "reads what was compiled": (
        _READS + "import marshal\n\n"
        "compiled = next(file.parent.glob(f'__pycache__/{{file.stem}}.*.pyc'), file)\n"
        "exec(marshal.loads(compiled.read_bytes()[16:]), copied.__dict__)\n"
        "{name} = copied.{attribute}\n"
    ),
    "loads the module anew": (
        _READS + "from importlib.util import spec_from_file_location\n\n"
        "spec_from_file_location('copied', file).loader.exec_module(copied)\n"
        "{name} = copied.{attribute}\n"
    ),
    "imports the module again": (
        _READS + "kept = sys.modules.pop('{module}')\ntry:\n"
        "    {name} = importlib.import_module('{module}').{attribute}\n"
        "finally:\n    sys.modules['{module}'] = kept\n"
    ),
    "runs the module": "import runpy\n\n{name} = runpy.run_module('{module}')['{attribute}']\n",
}


def shortcuts(exercise: Exercise) -> dict[str, str]:
    """What each way is, and the solution cell it makes for this exercise."""
    [name] = exercise.definitions
    place = exercise.finished.get(name) or next(iter(exercise.finished.values()))
    module, _, attribute = place.partition(":")
    waits = inspect.iscoroutinefunction(function_at(place))
    words = {
        "name": name,
        "module": module,
        "attribute": attribute,
        "room": module.rpartition(".")[0],
        "kind": "async def" if waits else "def",
        "awaits": "await " if waits else "",
    }
    return {way: text.format(**words) for way, text in _WAYS.items()}
