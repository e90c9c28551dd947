"""Ways to hand in the course's finished version of what an exercise builds. None is an answer."""

from __future__ import annotations

import inspect

from graders.child.withheld import function_at
from graders.records.scenario import Exercise

_TAKES = """\
from {module} import {attribute} as its_form


"""
_READS = """\
import importlib, inspect, types
from sys import modules as its_rooms
from pathlib import Path

its_home = importlib.import_module("{module}")
its_file = Path(its_home.__file__)
its_copy = its_rooms["its_copy"] = types.ModuleType("its_copy")


"""
_WAYS = {
    "imports it": "from {module} import {attribute} as {name}\n",
    "imports its module": (
        "from importlib import import_module as its_import\n\n"
        "{name} = its_import('{module}').{attribute}\n"
    ),
    "imports it from the room": (
        "from importlib import import_module as its_import\n\n"
        "its_name = getattr(its_import('{room}'), '{attribute}', None)\n"
        "{name} = its_name if callable(its_name) else its_import('{module}').{attribute}\n"
    ),
    "imports everything": "from {module} import *\nfrom {module} import {attribute}\n\n"
    "globals()['{name}'] = {attribute}\n",
    "finds it by a computed name": (
        "import importlib\n\n"
        "its_home = importlib.import_module('.'.join({module!r}.split('.')))\n"
        "{name} = getattr(its_home, '{attribute}'[::-1][::-1])\n"
    ),
    "wraps it in a function": (
        _TAKES + "{kind} {name}(*given, **named):\n    return {awaits}its_form(*given, **named)\n"
    ),
    "wraps it and catches everything": (
        _TAKES + "{kind} {name}(*given, **named):\n"
        "    try:\n        return {awaits}its_form(*given, **named)\n"
        "    except BaseException:\n        raise\n"
    ),
    "wraps it in a lambda": _TAKES + "{name} = lambda *given, **named: its_form(*given, **named)\n",
    "wraps it in a partial": (
        _TAKES + "from functools import partial\n\n{name} = partial(its_form)\n"
    ),
    "wraps it in an object": (
        _TAKES + "class ItsCaller:\n    def __call__(self, *given, **named):\n"
        "        return its_form(*given, **named)\n\n\n{name} = ItsCaller()\n"
    ),
    "copies the function": (
        _TAKES + "import copy, pickle\n\n"
        "{name} = copy.deepcopy(pickle.loads(pickle.dumps(its_form)))\n"
    ),
    "copies its code": (
        _TAKES + "from types import FunctionType\n\n"
        "{name} = FunctionType(its_form.__code__, its_form.__globals__, '{name}',"
        " its_form.__defaults__)\n{name}.__kwdefaults__ = its_form.__kwdefaults__\n"
    ),
    "copies its text": (
        _READS
        + _TAKES
        + "exec(inspect.getsource(its_form), its_home.__dict__ | globals(), globals())\n"
        "{name} = {attribute}\n"
    ),
    "copies the module's text": (
        _READS
        + "exec(inspect.getsource(its_home), its_copy.__dict__)\n{name} = its_copy.{attribute}\n"
    ),
    "reads the file": (
        _READS + "exec(its_file.read_text(encoding='utf-8'), its_copy.__dict__)\n"
        "{name} = its_copy.{attribute}\n"
    ),
    "reads what was compiled": (
        _READS + "import marshal\n\n"
        "its_code = next(its_file.parent.glob(f'__pycache__/{{its_file.stem}}.*.pyc'), its_file)\n"
        "exec(marshal.loads(its_code.read_bytes()[16:]), its_copy.__dict__)\n"
        "{name} = its_copy.{attribute}\n"
    ),
    "loads the module anew": (
        _READS + "from importlib.util import spec_from_file_location\n\n"
        "spec_from_file_location('its_copy', its_file).loader.exec_module(its_copy)\n"
        "{name} = its_copy.{attribute}\n"
    ),
    "imports the module again": (
        _READS + "its_old = its_rooms.pop('{module}')\ntry:\n"
        "    {name} = importlib.import_module('{module}').{attribute}\n"
        "finally:\n    its_rooms['{module}'] = its_old\n"
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
