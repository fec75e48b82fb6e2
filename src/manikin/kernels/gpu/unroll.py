"""Loops written out, small arrays made scalars: what a GPU wants to see of a kernel with known sizes.

A register has no index. A kernel whose arrays should live in registers must therefore be straight-line code over
scalars; written by hand that cannot be read, so it is written with loops and small arrays, and `unrolled` makes the
straight lines out of its syntax tree, for given sizes:

- ``for j in range(…)`` whose limits are known is written out, and so is an ``if`` whose condition is known;
- ``a = local(6, 7)`` declares a small array; its items become scalars, ``a[1, j]`` is one once j is known;
- ``a = known(3 * j)`` names a whole number that is known once j is;
- ``r = record()`` declares a record: ``r.x`` is a variable or small array of its own, which parts that are handed
  ``r`` share. An argument that is named in ``records`` becomes an argument for each of its fields;
- an argument, or such a field, of the name and size given in ``spread`` becomes as many scalar arguments (which a GPU
  reads from its constant bank, as operands of its arithmetic);
- a call ``part(a, b, …)``, as a statement, of a function that is marked as a `part` is replaced by the function's
  body, its own names made distinct. It gives back what it writes into arrays, and returns nothing;
- literals become those of the precision asked for: one 0.5 would make a float64 of all that it touches.

The same source runs as it stands on NumPy arrays, which is what tests compare with.
"""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

_PARTS: set[Callable[..., Any]] = set()
_KNOWN = {"range": range, "min": min, "max": max, "len": len}


def part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that `unrolled` puts in the place of its calls."""
    _PARTS.add(function)
    return function


def local(*shape: int) -> np.ndarray:
    """A small array of float32, zero at first where the source runs on NumPy; otherwise as many scalars, unset."""
    return np.zeros(shape, np.float32)


def record() -> SimpleNamespace:
    """Variables and small arrays under one name."""
    return SimpleNamespace()


def known(index: int) -> int:
    """Mark a whole number that is to be worked out when loops are written out."""
    return index


def unrolled(
    function: Callable[..., Any],
    sizes: Mapping[str, int],
    spread: Mapping[str, int] | None = None,
    scope: Mapping[str, Any] | None = None,
    single: bool = True,
    calls: Mapping[str, str] | None = None,
    unsigned: bool = False,
    records: Mapping[str, Iterable[str]] | None = None,
) -> tuple[Callable[..., Any], str]:
    """The function for these sizes, and its source.

    sizes: values of names that the source leaves open. spread: arguments that become scalars, and how many. scope:
    other values for global names, such as what a device has of its own. single: literals in float32. calls:
    expressions to put in the place of calls, ``{0}``, ``{1}`` … being the arguments (numba-cuda compiles functions
    that are called for a device that it must find). unsigned: indices of arrays are made so; of others Numba asks
    whether they count from the end, which takes several instructions each time. records: fields of arguments that are
    records.
    """
    tree = _definition(function)
    names = {**function.__globals__, **(scope or {})}
    work = _Unroller(names, dict(sizes), single)
    work.replaced, work.unsigned = dict(calls or {}), unsigned
    arguments: list[str] = []
    for argument in (one.arg for one in tree.args.args):
        fields = (records or {}).get(argument)
        if fields is not None:
            work.records[argument] = argument
        for field in fields or [argument]:
            name = argument if fields is None else f"{argument}_{field}"
            if fields is not None:
                work.fields[name] = None
            count = (spread or {}).get(field)
            if count is not None:
                work.note_array(name)
            arguments += [name] if count is None else [f"{name}_{k}" for k in range(count)]
    tree.args.args = [ast.arg(name) for name in arguments]
    tree.body, tree.decorator_list = work.block(work.named(tree).body), []
    module = ast.fix_missing_locations(ast.Module([tree], []))
    source = ast.unparse(module)
    home: dict[str, Any] = {**work.met, **names, "_f": np.float32, "_u": np.uint64}
    if single:
        home = {name: np.float32(value) if type(value) is float else value for name, value in home.items()}
    exec(compile(source, f"<{function.__name__} {dict(sizes)}>", "exec"), home)
    return home[function.__name__], source


def _definition(function: Callable[..., Any]) -> ast.FunctionDef:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    if isinstance(tree.body[0], ast.Expr) and isinstance(tree.body[0].value, ast.Constant):
        tree.body = tree.body[1:]
    return tree


class _Unroller(ast.NodeTransformer):
    """Rewrites statements, the values of some names being known.

    arrays: of each small array the stem of its scalars. records: of each record the stem of its fields. fields: the
    same as arrays, of the fields of all records; None if one is no array. renamed: the names of a part that is written
    in. replaced: expressions for calls. met: the global names of all parts that were met.
    """

    def __init__(self, names: Mapping[str, Any], known: dict[str, Any], single: bool) -> None:
        self.names, self.sizes, self.known, self.single = names, dict(known), known, single
        self.records: dict[str, str] = {}
        self.fields: dict[str, str | None] = {}
        self.arrays: dict[str, str] = {}
        self.renamed: dict[str, str] = {}
        self.replaced: dict[str, str] = {}
        self.met: dict[str, Any] = {}
        self.calls = 0
        self.unsigned = False

    def named(self, tree: ast.FunctionDef, stem: str = "") -> ast.FunctionDef:
        """The function, its records' fields being names."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and self.called(node.value) is record:
                assert isinstance(node.targets[0], ast.Name)
                self.records[node.targets[0].id] = stem + node.targets[0].id
        found: ast.FunctionDef = _Fields(self.records, self.fields).visit(tree)
        return found

    def note_array(self, name: str) -> None:
        """A small array is declared: a field's is known wherever the record is."""
        if name in self.fields:
            self.fields[name] = name
        else:
            self.arrays[name] = self.renamed.get(name, name)

    def stem(self, node: ast.AST) -> str | None:
        """The stem of a small array's scalars; None for anything else."""
        if not isinstance(node, ast.Name):
            return None
        return self.arrays.get(node.id) or self.fields.get(node.id)

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The statements that stand for these."""
        made: list[ast.stmt] = []
        for statement in statements:
            made += self.statement(statement)
        return made

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """The statements that stand for one."""
        if isinstance(node, ast.For):
            return self.loop(node)
        if isinstance(node, ast.If):
            value = self.value(node.test)
            if value is not None:
                return self.block(node.body if value else node.orelse)
            return [
                ast.If(
                    self.visit(_copy(node.test)),
                    self.block(node.body) or [ast.Pass()],
                    self.block(node.orelse),
                )
            ]
        if isinstance(node, ast.While):
            return [ast.While(self.visit(_copy(node.test)), self.block(node.body), [])]
        if isinstance(node, ast.Assign) and self.called(node.value) is local:
            target = node.targets[0]
            assert isinstance(target, ast.Name)
            self.note_array(target.id)
            return []
        if isinstance(node, ast.Assign) and self.called(node.value) is record:
            return []
        if isinstance(node, ast.Assign) and self.called(node.value) is known:
            assert isinstance(node.targets[0], ast.Name)
            assert isinstance(node.value, ast.Call)
            self.known[node.targets[0].id] = self.value(node.value.args[0])
            return []
        if isinstance(node, ast.Expr) and self.called(node.value) in _PARTS:
            assert isinstance(node.value, ast.Call)
            return self.written_in(node.value)
        return [self.generic_visit(_copy(node))]  # type: ignore[list-item]

    def loop(self, node: ast.For) -> list[ast.stmt]:
        """A loop, written out where its limits are known."""
        assert isinstance(node.target, ast.Name)
        if self.called(node.iter) is range:
            assert isinstance(node.iter, ast.Call)
            limits = [self.value(limit) for limit in node.iter.args]
            if None not in limits:
                made = []
                for k in range(*limits):
                    self.known[node.target.id] = k
                    made += self.block(node.body)
                self.known.pop(node.target.id, None)
                return made
        return [
            ast.For(self.visit(_copy(node.target)), self.visit(_copy(node.iter)), self.block(node.body), [])
        ]

    def written_in(self, call: ast.Call) -> list[ast.stmt]:
        """The body of a part, with the arguments' own names in place of its parameters'."""
        function = self.called(call)
        tree = _definition(function)
        inner = _Unroller({**function.__globals__, **self.names}, dict(self.sizes), self.single)
        inner.sizes, inner.replaced, inner.met = self.sizes, self.replaced, self.met
        inner.unsigned, inner.fields = self.unsigned, self.fields
        self.met.update(function.__globals__)
        self.calls += 1
        stem = f"{function.__name__}{self.calls}_"
        stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        inner.renamed = {name: stem + name for name in stored}
        for parameter, given in zip(tree.args.args, call.args, strict=True):
            value = self.value(given)
            if value is not None:
                inner.known[parameter.arg] = value
            elif (array := self.stem(given)) is not None:
                inner.arrays[parameter.arg] = array
            elif isinstance(given, ast.Name) and given.id in self.records:
                inner.records[parameter.arg] = self.records[given.id]
            else:
                name = self.visit(_copy(given))
                assert isinstance(name, ast.Name), f"{function.__name__}: arguments are names"
                inner.renamed[parameter.arg] = name.id
        made = inner.block(inner.named(tree, stem).body)
        self.calls += inner.calls
        return made

    def called(self, node: ast.AST | None) -> Any:
        """What a call calls, where it is known."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self.names.get(node.func.id, _KNOWN.get(node.func.id))
        return None

    def value(self, node: ast.AST) -> Any:
        """The value of an expression of known names, or None."""
        for inner in ast.walk(node):
            if isinstance(inner, (ast.Subscript, ast.Attribute)):
                return None
            if isinstance(inner, ast.Name) and inner.id not in self.known and inner.id not in _KNOWN:
                found = self.names.get(inner.id)
                if type(found) is not int or inner.id in self.renamed:
                    return None
        scope = {**_KNOWN, **{k: v for k, v in self.names.items() if type(v) is int}, **self.known}
        code = compile(ast.Expression(_copy(node)), "<known>", "eval")
        try:
            found = eval(code, {"__builtins__": {}}, scope)
        except (NameError, TypeError):
            return None
        return found if isinstance(found, (int, bool)) else None

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """An item of a small array is a scalar."""
        stem = self.stem(node.value)
        if stem is not None:
            index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            values = [self.value(one) for one in index]
            assert None not in values, f"{ast.unparse(node)}: the index must be known"
            name = "_".join([stem, *map(str, values)])
            return ast.Name(name, type(node.ctx)())
        found = self.generic_visit(node)
        assert isinstance(found, ast.Subscript)
        if self.unsigned and isinstance(found.value, ast.Name):
            found.slice = ast.Call(ast.Name("_u", ast.Load()), [found.slice], [])
        return found

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call that a device has an expression for."""
        found = self.generic_visit(node)
        assert isinstance(found, ast.Call)
        if isinstance(found.func, ast.Name) and found.func.id in self.replaced:
            text = self.replaced[found.func.id].format(*(ast.unparse(argument) for argument in found.args))
            return ast.parse(text, mode="eval").body
        return found

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A name that is known is its value; of a part, a name of its own."""
        if node.id in self.known:
            return ast.Constant(self.known[node.id])
        if node.id in self.renamed:
            return ast.Name(self.renamed[node.id], node.ctx)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """A literal in the precision asked for."""
        if self.single and type(node.value) is float:
            return ast.Call(ast.Name("_f", ast.Load()), [ast.Constant(node.value)], [])
        return node


class _Fields(ast.NodeTransformer):
    """Puts a name in the place of each field of a record, and notes it."""

    def __init__(self, records: Mapping[str, str], fields: dict[str, str | None]) -> None:
        self.records, self.fields = records, fields

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """``r.x`` is the name ``r_x``."""
        self.generic_visit(node)
        if not (isinstance(node.value, ast.Name) and node.value.id in self.records):
            return node
        name = f"{self.records[node.value.id]}_{node.attr}"
        self.fields.setdefault(name, None)
        return ast.Name(name, node.ctx)


def _copy(node: Any) -> Any:
    return copy.deepcopy(node)
