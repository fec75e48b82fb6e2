"""How large and how entangled the core is: ``python -m tools.core_counts [CHECKOUT/src] [--json FILE]``.

Counted from the source by `ast`, except for the files that a solve walks, which a child process traces. Every count is
defined in the docstring of its function, so that two versions can be compared.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: Packages of the core: those that exist count.
CORE = ("solvers", "residuals", "verify", "plan", "engines", "result", "problem")
KERNELS = ("kernels", "toolchain")
#: Longer functions, and functions with more parameters, are counted.
LINES, PARAMETERS = 80, 12
#: Lines of a window that repeats.
WINDOW = 6
#: The constants that kernels know residual kinds by, less those that mean other things too (POINT, AXES, AIM, TURN).
RESIDUAL_KINDS = (
    *("COORDINATES", "ROTATION", "AFFINE", "RING", "CLEAR", "APART", "EGG", "CENTER", "BALANCE"),
    *("LINEAR", "DENSE", "SHARE", "CONE", "SWIVEL"),
)
#: What the tree's motions are known by: constants, and the names of their files less those that mean other things too.
JOINT_KINDS = (
    *("ROTATE", "SLIDE", "SWING_TWIST", "TWIST_SWING", "ROTATION_VECTOR"),
    *("rotate", "swing_twist", "twist_swing"),
)
#: What named tuples have for everyone, in spite of the underscore.
TUPLES = {"_replace", "_make", "_fields", "_asdict"}
#: Names of the classes from which goals derive.
GOAL_BASES = {"Goal", "FigureGoal", "Objective"}
_WALK = """
import json, sys
import manikin as mk
root = mk.__file__.rsplit("/", 1)[0]
body = mk.human(stature=1.75)
goals = [mk.Position("right_hand", [0.4, -0.2, 1.1]), mk.Pin("left_foot"), mk.Balance()]
seen, steps = set(), {}
def look(frame, event, argument):
    code = frame.f_code
    if code.co_name != "<module>" and code.co_filename.startswith(root):
        seen.add(code.co_filename[len(root) + 1:])
def traced(name, call):
    seen.clear()
    sys.settrace(look)
    try:
        return call()
    finally:
        sys.settrace(None)
        steps[name] = sorted(seen)
mk.Problem(body, goals).solve().reached  # loads, or compiles, the kernels
problem = traced("problem", lambda: mk.Problem(body, goals))
solution = traced("solve", problem.solve)
traced("reached", lambda: solution.reached)
steps["all"] = sorted(set().union(*steps.values()))
print(json.dumps(steps))
"""


class Module:
    """A source file, its lines and its tree."""

    def __init__(self, root: Path, path: Path) -> None:
        self.name = str(path.relative_to(root))
        self.package = path.relative_to(root).parts[0]
        text = path.read_text(encoding="utf-8")
        self.lines = text.splitlines()
        self.tree = ast.parse(text)
        self.nodes = list(ast.walk(self.tree))

    def words(self) -> set[str]:
        """Every identifier, and every string that is one word."""
        found: set[str] = set()
        for node in self.nodes:
            match node:
                case (
                    ast.Name(id=name)
                    | ast.Attribute(attr=name)
                    | ast.alias(name=name)
                    | ast.ClassDef(name=name)
                ):
                    found.add(name)
                case ast.Constant(value=str(text)) if text.isidentifier():
                    found.add(text)
        return found


def modules(source: Path) -> list[Module]:
    """All files of the package."""
    root = source / "manikin"
    return [Module(root, path) for path in sorted(root.rglob("*.py"))]


def sizes(all_: list[Module], packages: tuple[str, ...]) -> dict[str, int]:
    """Files and lines of some packages."""
    chosen = [module for module in all_ if module.package in packages]
    return {"files": len(chosen), "lines": sum(len(module.lines) for module in chosen)}


def classes(all_: list[Module], most: int = 5) -> list[dict[str, Any]]:
    """The core's classes by methods and attributes (of ``self``), those of bases in the core included."""
    found = {
        node.name: node
        for module in all_
        if module.package in CORE
        for node in module.nodes
        if isinstance(node, ast.ClassDef)
    }

    def bases(name: str) -> Iterator[ast.ClassDef]:
        yield found[name]
        for base in found[name].bases:
            if isinstance(base, ast.Name) and base.id in found:
                yield from bases(base.id)

    counted = []
    for name in found:
        methods: set[str] = set()
        attributes: set[str] = set()
        for node in bases(name):
            methods |= {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
            attributes |= {
                each.target.id
                for each in node.body
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
            }
            attributes |= {
                each.attr
                for each in ast.walk(node)
                if isinstance(each, ast.Attribute)
                and isinstance(each.ctx, ast.Store)
                and isinstance(each.value, ast.Name)
                and each.value.id == "self"
            }
        counted.append({"name": name, "methods": len(methods), "attributes": len(attributes - methods)})
    return sorted(counted, key=lambda each: -(each["methods"] + each["attributes"]))[:most]


def private_accesses(all_: list[Module]) -> dict[str, int]:
    """Uses of ``x._name``, x not ``self`` or ``cls``; those whose name the module does not define; such imports.

    The methods of named tuples are not private.
    """
    accesses = foreign = imports = 0
    for module in all_:
        own: set[str] = set()
        for node in module.nodes:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                own.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                own.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _of_self(node):
                own.add(node.attr)
        for node in module.nodes:
            if isinstance(node, ast.Attribute) and _private(node.attr) and not _of_self(node):
                accesses += 1
                foreign += node.attr not in own
            elif isinstance(node, ast.ImportFrom):
                imports += sum(_private(each.name) for each in node.names)
    return {"accesses": accesses, "foreign": foreign, "imports": imports}


def _private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in TUPLES


def _of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def cycles(source: Path) -> list[list[str]]:
    """Groups of packages each of which imports every other, directly or through others; imports for types left out.

    For a process that has not imported the package, which is looked for by its name.
    """
    import grimp

    sys.path.insert(0, str(source))
    try:
        graph = grimp.build_graph("manikin", cache_dir=None, exclude_type_checking_imports=True)
    finally:
        sys.path.remove(str(source))
    imports: defaultdict[str, set[str]] = defaultdict(set)
    for module in graph.modules:
        for other in graph.find_modules_directly_imported_by(module):
            if "." in module and "." in other and module.split(".")[1] != other.split(".")[1]:
                imports[module.split(".")[1]].add(other.split(".")[1])

    def reached(first: str) -> set[str]:
        found, left = set(), [first]
        while left:
            left += (more := imports[left.pop()] - found)
            found |= more
        return found

    reach = {package: reached(package) for package in list(imports)}
    groups = {
        frozenset(other for other in mine if package in reach.get(other, ()))
        for package, mine in reach.items()
        if package in mine
    }
    return sorted(sorted(group) for group in groups)


def functions(all_: list[Module]) -> dict[str, int]:
    """Functions of the whole package with more than `LINES` lines, docstring included, or `PARAMETERS` parameters."""
    long = many = 0
    for module in all_:
        for node in module.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                given = node.args
                count = len([*given.posonlyargs, *given.args, *given.kwonlyargs])
                count += (given.vararg is not None) + (given.kwarg is not None)
                long += (node.end_lineno or node.lineno) - node.lineno + 1 > LINES
                many += count > PARAMETERS
    return {"long": long, "many_parameters": many}


def repeats(all_: list[Module], packages: tuple[str, ...]) -> int:
    """Places that repeat another: runs of `WINDOW` lines of code or more that stand in two places.

    Lines are compared without their indentation; blank lines, comments, docstrings and imports do not count. Windows
    that follow each other in both places are one repeat; of n places alike, n - 1 are repeats of the first.
    """
    first: dict[tuple[str, ...], tuple[str, int]] = {}
    count = 0
    for module in all_:
        if module.package not in packages:
            continue
        code = _code(module)
        follows: tuple[str, int] | None = None
        for place in range(len(code) - WINDOW + 1):
            window = tuple(code[place : place + WINDOW])
            before = first.get(window)
            if before is None:
                first[window] = module.name, place
                follows = None
                continue
            count += before != follows
            follows = before[0], before[1] + 1
    return count


def _code(module: Module) -> list[str]:
    """The lines that count for `repeats`."""
    left_out: set[int] = set()
    for node in module.nodes:
        alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if alone or isinstance(node, ast.Import | ast.ImportFrom):
            left_out |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = (line.strip() for number, line in enumerate(module.lines, 1) if number not in left_out)
    return [line for line in lines if line and not line.startswith("#") and line not in ")]}"]


def files_naming(all_: list[Module]) -> dict[str, Any]:
    """Files that name a residual kind, a joint kind or a goal, `__init__` left out: by the class or the constant."""
    chosen = [module for module in all_ if not module.name.endswith("__init__.py")]
    words = {module.name: module.words() for module in chosen}
    goals = {
        node.name
        for module in chosen
        if module.package == "goals"
        for node in module.nodes
        if isinstance(node, ast.ClassDef)
        and {base.id for base in node.bases if isinstance(base, ast.Name)} & GOAL_BASES
    } - GOAL_BASES
    found: dict[str, Any] = {}
    for what, names in (
        ("residual kind", RESIDUAL_KINDS),
        ("joint kind", JOINT_KINDS),
        ("goal", sorted(goals)),
    ):
        each = Counter({name: sum(name in known for known in words.values()) for name in names})
        found[what] = {
            "any": sum(bool(known & set(names)) for known in words.values()),
            "least": min(each.values(), default=0),
            "most": max(each.values(), default=0),
        }
    return found


def walked(source: Path) -> dict[str, dict[str, int]]:
    """Files whose functions run while a problem of a human, a position, a pin and balance is made, solved and read.

    Another such problem was solved before, so that what happens once in a process does not count.
    """
    done = subprocess.run(
        [sys.executable, "-c", _WALK],
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    steps: dict[str, list[str]] = json.loads(done.stdout)
    return {
        step: {
            "files": len(files),
            "core": sum(file.split("/")[0] in CORE for file in files),
            "kernels": sum(file.split("/")[0] in KERNELS for file in files),
        }
        for step, files in steps.items()
    }


def counts(source: Path) -> dict[str, Any]:
    """All of it."""
    all_ = modules(source)
    return {
        "core": sizes(all_, CORE),
        "kernels and toolchain": sizes(all_, KERNELS),
        "package": {"files": len(all_), "lines": sum(len(module.lines) for module in all_)},
        "classes": classes(all_),
        "private": private_accesses(all_),
        "private in the core": private_accesses([module for module in all_ if module.package in CORE]),
        "cycles": cycles(source),
        "functions": functions(all_),
        "repeats": {"core": repeats(all_, CORE), "kernels and toolchain": repeats(all_, KERNELS)},
        "files naming": files_naming(all_),
        "walked": walked(source),
    }


def rows(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What is counted, and how much, line by line."""
    for name in ("core", "kernels and toolchain", "package"):
        yield f"{name}: lines, files", f"{found[name]['lines']:,}, {found[name]['files']}"
    for each in found["classes"]:
        yield f"class {each['name']}: methods, attributes", f"{each['methods']}, {each['attributes']}"
    for name in ("private", "private in the core"):
        label = f"{name}: `x._name`, those of other modules, imports"
        yield label, "{accesses}, {foreign}, {imports}".format(**found[name])
    cyclic = found["cycles"]
    yield (
        "packages in import cycles",
        ", ".join(f"{len(each)} ({' '.join(each)})" for each in cyclic) or "none",
    )
    yield f"functions over {LINES} lines", str(found["functions"]["long"])
    yield f"functions with over {PARAMETERS} parameters", str(found["functions"]["many_parameters"])
    for name, count in found["repeats"].items():
        yield f"{name}: repeats of {WINDOW} lines or more", str(count)
    for what, each in found["files naming"].items():
        yield f"files that name a {what}: any, one (least to most)", "{any}, {least} to {most}".format(**each)
    for step, each in found["walked"].items():
        yield f"files walked, {step}: core, kernels, all", "{core}, {kernels}, {files}".format(**each)


def main() -> None:
    """Print a table of the counts in Markdown."""
    parser = argparse.ArgumentParser(prog="python -m tools.core_counts", description=__doc__)
    parser.add_argument("source", nargs="?", type=Path, default=Path(__file__).parents[1] / "src")
    parser.add_argument("--json", type=Path, help="where to write the counts")
    given = parser.parse_args()
    found = counts(given.source.resolve())
    print("| counted | |\n|---|---|")
    for name, value in rows(found):
        print(f"| {name} | {value} |")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
