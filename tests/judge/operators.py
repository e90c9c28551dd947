"""Operators that change one node of a syntax tree, as a student might get it wrong.

Each says whether it changed something; where it did not, the tree is as it was.
"""

from __future__ import annotations

import ast

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
DELETED = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.If, ast.Raise, ast.For)


def _swap(node: ast.AST, tree: ast.Module) -> bool:
    """Another comparison, another arithmetic, `or` for `and`."""
    if isinstance(node, ast.Compare):
        kind = SWAPPED.get(type(node.ops[0]))
        if kind is not None:
            node.ops[0] = kind()  # type: ignore[assignment]
        return kind is not None
    if isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp):
        kind = SWAPPED.get(type(node.op))
        if kind is not None:
            node.op = kind()  # type: ignore[assignment]
        return kind is not None
    return False


def _constant(node: ast.AST, tree: ast.Module) -> bool:
    """Another number, another text, the other truth value."""
    if not isinstance(node, ast.Constant) or _in_fstring(node, tree):
        return False
    if isinstance(node.value, bool):
        node.value = not node.value
    elif isinstance(node.value, int | float):
        node.value += 1
    elif isinstance(node.value, str):
        node.value = "" if node.value else "mutant"
    else:
        return False
    return True


def _in_fstring(node: ast.Constant, tree: ast.Module) -> bool:
    return any(isinstance(each, ast.JoinedStr) and node in each.values for each in ast.walk(tree))


def _condition(node: ast.AST, tree: ast.Module) -> bool:
    """The other branch."""
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        node.test = ast.UnaryOp(ast.Not(), node.test)
        return True
    if isinstance(node, ast.comprehension) and node.ifs:
        node.ifs[0] = ast.UnaryOp(ast.Not(), node.ifs[0])
        return True
    return False


def _returned(node: ast.AST, tree: ast.Module) -> bool:
    """Nothing is returned."""
    if isinstance(node, ast.Return) and node.value is not None:
        node.value = ast.Constant(None)
        return True
    return False


def _deleted(node: ast.AST, tree: ast.Module) -> bool:
    """A statement is left out."""
    if not isinstance(node, DELETED):
        return False
    for parent in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            listed = getattr(parent, field, None)
            if isinstance(listed, list) and node in listed:
                listed[listed.index(node)] = ast.Pass()
                return True
    return False


def _not_awaited(node: ast.AST, tree: ast.Module) -> bool:
    """An `await` is left out."""
    for parent in ast.walk(tree) if isinstance(node, ast.Await) else ():
        for field, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, field, node.value)
                return True
    return False


def _first_left_out(node: ast.AST, tree: ast.Module) -> bool:
    """The first operand, element or condition is left out."""
    return _left_out(node, tree, 0)


def _last_left_out(node: ast.AST, tree: ast.Module) -> bool:
    """The last operand, element or condition is left out."""
    return _left_out(node, tree, -1)


def _left_out(node: ast.AST, tree: ast.Module, place: int) -> bool:
    if isinstance(node, ast.BoolOp):
        parts = node.values
    elif isinstance(node, ast.comprehension):
        parts = node.ifs
    elif isinstance(node, ast.List | ast.Tuple | ast.Set) and not _is_target_or_type(node, tree):
        parts = node.elts
    else:
        parts = []
    if parts:
        parts.pop(place)
        return True
    return False


def _is_target_or_type(node: ast.List | ast.Tuple | ast.Set, tree: ast.Module) -> bool:
    """Whether it is assigned to, as in `a, b = ...`, or says a type, as in `dict[str, int]`."""
    slices = (each.slice for each in ast.walk(tree) if isinstance(each, ast.Subscript))
    loaded = isinstance(getattr(node, "ctx", None), ast.Load | None)
    return not loaded or any(node is part for each in slices for part in ast.walk(each))


def _unhandled(node: ast.AST, tree: ast.Module) -> bool:
    """An exception is not caught."""
    for each in ast.walk(tree) if isinstance(node, ast.ExceptHandler) else ():
        if isinstance(each, ast.Try) and node in each.handlers:
            each.handlers.remove(node)
            each.finalbody = each.finalbody or [ast.Pass()]  # a `try` needs one of the two
            return True
    return False


def _lower(node: ast.AST, tree: ast.Module) -> bool:
    """A number is one less."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        node.value -= 1  # type: ignore[operator]
        return True
    return False


def _only_once(node: ast.AST, tree: ast.Module) -> bool:
    """A loop ends after its first round."""
    if isinstance(node, ast.For | ast.While):
        node.body.append(ast.Break())
        return True
    return False


def _broken_off(node: ast.AST, tree: ast.Module) -> bool:
    """A loop ends where it should go on with the next round."""
    for parent in ast.walk(tree) if isinstance(node, ast.Continue) else ():
        body = getattr(parent, "body", None)
        if isinstance(body, list) and node in body:
            body[body.index(node)] = ast.Break()
            return True
    return False


OPERATORS = (
    _swap,
    _constant,
    _condition,
    _returned,
    _deleted,
    _not_awaited,
    _first_left_out,
    _last_left_out,
    _unhandled,
    _lower,
    _only_once,
    _broken_off,
)
