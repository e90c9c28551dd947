"""Ablation in the small: what each branch, operand and filter of the policy is worth.

`python -m tests.reading.switches [module ...]` reads the modules (all, or those named, such as
`reader.choices`) with a switch at every branch, at every operand of "and" and "or", and at every
filter. A pass over samples of the open sets tells which requests each
switch can touch; then each is off for some of these, and a line tells how many come out right that
did not, and the other way round. `--together` leaves off all that cost nothing, at once.

What costs nothing here may still be a guard against input that no set holds, or a general rule that
none of these requests needs: the lines say where to read, not what to delete.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import pkgutil
import random
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import Any

PACKAGE = "course.models.policy"
SAMPLE = 40
"""Requests that each switch is tried on, at most."""
LONGEST = 4.0
"""Seconds after which a request counts as lost: some switches end a loop."""

places: list[str] = []
"""What each switch stands at."""
off: set[int] = set()
reached: set[int] = set()


def _test(number: int, value: Any) -> Any:
    """A branch that is off is not taken, nor an operand of "or"."""
    if value:
        reached.add(number)
    return None if number in off else value


def _operand(number: int, value: Any) -> Any:
    """An operand of "and" that is off holds."""
    if not value:
        reached.add(number)
    return True if number in off else value


class _Switches(ast.NodeTransformer):
    """Puts a switch at every branch, operand and filter of a module."""

    def __init__(self, module: str) -> None:
        self.module = module.removeprefix(f"{PACKAGE}.")

    def _with(self, switch: Callable[..., Any], what: str, at: ast.expr) -> ast.expr:
        places.append(f"{self.module}:{at.lineno} {what} {ast.unparse(at)[:70]}")
        number = ast.Constant(len(places) - 1)
        return ast.Call(ast.Name(f"switched{switch.__name__}", ast.Load()), [number, at], [])

    def visit_If(self, node: ast.If) -> ast.If:
        node.test = self._with(_test, "if", node.test)
        self.generic_visit(node)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.IfExp:
        node.test = self._with(_test, "if", node.test)
        self.generic_visit(node)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.BoolOp:
        ands = isinstance(node.op, ast.And)
        switch, what = (_operand, "and") if ands else (_test, "or")
        node.values = [self._with(switch, what, value) for value in node.values]
        self.generic_visit(node)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        node.ifs = [self._with(_operand, "only", test) for test in node.ifs]
        self.generic_visit(node)
        return node


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        source = self.get_data(self.path).decode()
        tree = _Switches(fullname).visit(ast.parse(source))
        return compile(ast.fix_missing_locations(tree), self.path, "exec", dont_inherit=True)

    def exec_module(self, module: Any) -> None:
        vars(module).update(switched_test=_test, switched_operand=_operand)
        super().exec_module(module)


class _Finder(MetaPathFinder):
    def __init__(self, names: list[str]) -> None:
        self.names = names

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        name = fullname.removeprefix(f"{PACKAGE}.")
        if name == fullname or (self.names and name not in self.names):
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec and spec.origin and not spec.submodule_search_locations:
            spec.loader = _Loader(fullname, spec.origin)
        return spec


def _requests() -> list[Callable[[], bool]]:
    """Plays of samples of the open sets, each true where its request comes out right."""
    import asyncio

    from course.models.connect import connect
    from tests.policy import cases, teamwork, test_plans
    from tests.reading import duties

    client = connect(profile="instant", wire=False)
    singles = [*cases.load("natural"), *cases.load("natural_validation"), *cases.ALL][::2]
    teams = [c for n in ("teamwork", "teamwork_2", "teamwork_3") for c in teamwork.load(n)]
    whole = [c for name in duties.OPEN for c in duties.load(name)]
    plans = [(d, r) for rows in test_plans.DOMAINS.values() for d in rows
             if not d["kept"] for r in d["requests"]]  # fmt: skip
    return [
        *(lambda c=c: not cases.play(c) for c in singles),
        *(lambda c=c: not teamwork.play(c) for c in teams),
        *(lambda c=c: not asyncio.run(duties.put(client, c)) for c in whole),
        *(lambda d=d, r=r: not test_plans.wrong_in_plan(d, r) for d, r in plans),
    ]


def _forget() -> None:
    """Empty the caches of what was read of texts; what was read of files stays."""
    for name in [n for n in sys.modules if n.startswith(PACKAGE)]:
        for value in vars(sys.modules[name]).values():
            wrapped = getattr(value, "__wrapped__", None)
            if hasattr(value, "cache_clear") and wrapped and wrapped.__code__.co_argcount:
                value.cache_clear()


def _right(play: Callable[[], bool]) -> bool:
    signal.setitimer(signal.ITIMER_REAL, LONGEST, 0.3)
    try:
        return play()
    except Exception:  # whatever is missing, the request is not answered
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _late(*_: Any) -> None:
    raise TimeoutError


def _changes(switches: set[int], plays: list[Callable[[], bool]], right: list[bool],
             among: list[int]) -> Iterator[int]:  # fmt: skip
    """+1 and -1 for each request that comes out right, or no longer, with switches off."""
    off.update(switches)
    _forget()
    for n in among:
        if (now := _right(plays[n])) != right[n]:
            yield 1 if now else -1
    off.clear()
    _forget()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="modules, such as reader.choices; else all")
    parser.add_argument("--together", action="store_true", help="at the end, all of them at once")
    given = parser.parse_args()
    signal.signal(signal.SIGALRM, _late)
    sys.meta_path.insert(0, _Finder(given.only))
    policy = importlib.import_module(PACKAGE)
    for found in pkgutil.walk_packages(policy.__path__, f"{PACKAGE}."):
        importlib.import_module(found.name)
    at_import, plays = set(reached), _requests()
    right, touched = [], defaultdict[int, list[int]](list)
    for n, play in enumerate(plays):
        _forget()
        reached.clear()
        right.append(_right(play))
        for number in reached:
            touched[number].append(n)
    tally, free, luck = Counter[str](), set[int](), random.Random(0)
    for number, place in enumerate(places):
        among = luck.sample(touched[number], min(SAMPLE, len(touched[number])))
        changes = [*_changes({number}, plays, right, among)]
        lost, won = changes.count(-1), changes.count(1)
        verdict = "never" if not among else "needed" if lost > won else "free"
        tally[verdict] += 1
        if lost <= won and number not in at_import:
            free.add(number)
        print(f"{verdict}\t-{lost} +{won} of {len(among)}\t{place}", flush=True)
    print(f"{len(places)} switches: {dict(tally)}; {sum(right)} of {len(plays)} come out right")
    if given.together:
        changes = [*_changes(free, plays, right, [*range(len(plays))])]
        print(f"{len(free)} off together: -{changes.count(-1)} +{changes.count(1)}")


if __name__ == "__main__":
    main()
