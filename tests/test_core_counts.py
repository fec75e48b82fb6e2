"""The counts of `tools/core_counts.py`, on a package whose counts are known."""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tools import core_counts as counted

SOLVER = """
from manikin.goals.pin import Pin, _hidden


class Base:
    def one(self):
        self.a = self._b = 1


class Search(Base):
    size: int = 3

    def two(self, other, kind):
        self.c = other._b + other._inside.value
        return kind == EGG, Pin


def many(a, b, c, d, e, f, g, h, i, j, k, l, *m):
    x = a + 1
    x = x * b
    x = x - c
    x = x / d
    x = x + e
    x = x + f
    return x


def again(a, b, c, d, e, f):
    x = a + 1
    x = x * b
    x = x - c

    # The same once more.
    x = x / d
    x = x + e
    x = x + f
    return x
"""
PIN = '''
"""A pin."""
from manikin.goals.goal import Goal


class Pin(Goal):
    def solve(self):
        from manikin.engines.search import Search

        return Search
'''


def _package(folder):
    root = folder / "manikin"
    for name, text in (
        ("engines/search.py", SOLVER),
        ("goals/pin.py", PIN),
        ("goals/goal.py", "class Goal: pass"),
    ):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        (path.parent / "__init__.py").write_text("", encoding="utf-8")
    (root / "__init__.py").write_text("", encoding="utf-8")
    return counted.modules(folder)


def test_a_known_package_is_counted(tmp_path):
    all_ = _package(tmp_path)
    assert counted.sizes(all_, counted.CORE) == {"files": 2, "lines": len(SOLVER.splitlines())}
    assert counted.classes(all_)[0] == {"name": "Search", "methods": 2, "attributes": 4}
    assert counted.private_accesses(all_) == {"accesses": 2, "foreign": 1, "imports": 1}
    assert counted.functions(all_) == {"long": 0, "many_parameters": 1}
    assert counted.repeats(all_, ("engines",)) == 1 and counted.repeats(all_, ("goals",)) == 0
    named = counted.files_naming(all_)
    assert named["goal"] == {"any": 2, "least": 2, "most": 2}
    assert named["residual kind"] == {"any": 1, "least": 0, "most": 1}
    assert named["joint kind"]["any"] == 0


def test_packages_that_import_each_other_are_a_cycle(tmp_path):
    """In a process that has not imported the package: the count looks for it by name."""
    _package(tmp_path)
    code = f"from pathlib import Path; from tools.core_counts import cycles; print(cycles(Path({str(tmp_path)!r})))"
    root = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[['engines', 'goals']]"


def test_a_solve_walks_files_of_the_core():
    walked = counted.walked(Path(__file__).parents[1] / "src")
    assert 0 < walked["solve"]["core"] <= walked["all"]["core"]
    assert all(each["core"] + each["kernels"] <= each["files"] for each in walked.values())
