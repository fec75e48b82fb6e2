"""Faults: which there can be in a file, and the file with one of them.

Nothing on the disk changes: a hook of the interpreter (`hook/sitecustomize.py`) compiles one module with its fault, in
every process that a test starts. So compiled kernels fit the sources still, and a fault in a kernel is seen by the
tests that run kernels as plain Python.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any

#: The environment's variable that says which fault: the file and the number of the fault in it.
VARIABLE = "MANIKIN_MUTANT"

_SWAPS: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
_NAMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any"}
_NAMES |= {"sin": "cos", "cos": "sin", "lower": "upper", "upper": "lower"}


def _faults_of(node: ast.AST) -> Iterator[tuple[str, Any]]:
    """Of one node what may be wrong about it, in words, and how: a function that changes a copy of the node."""
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.MatMult):

            def turned(n: Any) -> None:
                n.left, n.right = n.right, n.left

            yield "A @ B → B @ A", turned
        elif type(node.op) in _SWAPS and not _is_text(node):
            other = _SWAPS[type(node.op)]
            yield f"{type(node.op).__name__} → {other.__name__}", lambda n: setattr(n, "op", other())
    elif isinstance(node, ast.AugAssign) and type(node.op) in _SWAPS:
        other = _SWAPS[type(node.op)]
        yield f"{type(node.op).__name__} → {other.__name__}", lambda n: setattr(n, "op", other())
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _SWAPS:
        other = _SWAPS[type(node.ops[0])]
        yield f"{type(node.ops[0]).__name__} → {other.__name__}", lambda n: setattr(n, "ops", [other()])
    elif isinstance(node, ast.BoolOp):
        other = _SWAPS[type(node.op)]
        yield f"{type(node.op).__name__} → {other.__name__}", lambda n: setattr(n, "op", other())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        yield f"without {type(node.op).__name__}", lambda n: setattr(n, "op", ast.UAdd())
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        more = node.value + 1 if type(node.value) is int else 1.5 * node.value + 0.1
        yield f"{node.value} → {more}", lambda n: setattr(n, "value", more)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield f"{node.value} → {not node.value}", lambda n: setattr(n, "value", not n.value)
    elif isinstance(node, ast.Name) and node.id in _NAMES and isinstance(node.ctx, ast.Load):
        yield f"{node.id} → {_NAMES[node.id]}", lambda n: setattr(n, "id", _NAMES[n.id])
    elif isinstance(node, ast.Attribute) and node.attr in _NAMES and isinstance(node.ctx, ast.Load):
        yield f".{node.attr} → .{_NAMES[node.attr]}", lambda n: setattr(n, "attr", _NAMES[n.attr])


def _is_text(node: ast.BinOp) -> bool:
    """Whether the operands are texts, or types in an annotation."""
    return any(
        isinstance(side, ast.JoinedStr)
        or (isinstance(side, ast.Constant) and not isinstance(side.value, (int, float)))
        for side in (node.left, node.right)
    )


class _Faults(ast.NodeTransformer):
    """Counts faults, and makes the one of a number."""

    def __init__(self, wanted: int | None = None) -> None:
        self.wanted = wanted
        self.found: list[tuple[int, str]] = []

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = [self.visit(each) for each in node.body]
            return node  # neither annotations nor decorators nor defaults
        if isinstance(node, (ast.JoinedStr, ast.Raise, ast.Import, ast.ImportFrom)):
            return node  # what is said of errors
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                node.value = self.visit(node.value)
            return node
        for words, change in _faults_of(node):
            if self.wanted == len(self.found):
                node = copy.copy(node)
                change(node)
            self.found.append((getattr(node, "lineno", 0), words))
        return self.generic_visit(node)


def faults(source: str) -> list[tuple[int, str]]:
    """All faults that a file may have: the line, and in words."""
    counted = _Faults()
    counted.visit(ast.parse(source))
    return counted.found


def faulty(source: str, number: int) -> ast.AST:
    """The file with one of them."""
    tree: ast.AST = _Faults(number).visit(ast.parse(source))
    return ast.fix_missing_locations(tree)
