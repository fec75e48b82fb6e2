"""The cache of compiled kernels notices any change, and the wait for the compiler is announced once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import manikin
from manikin.kernels import by_numba
from manikin.kernels.stamps import stamp

PACKAGE = Path(manikin.__file__).parent

INNER = """
from manikin.kernels.jit import kernel

@kernel
def inner(x):
    return 2.0 * x
"""
OUTER = """
from manikin.kernels.inner import inner
from manikin.kernels.jit import kernel

@kernel(entry=True)
def outer(x):
    return inner(x) + 1.0

@kernel(entry=True)
def other(x):
    return inner(x) - 1.0
"""
RUN = "from manikin.kernels.outer import outer, other; print(outer(3.0), other(3.0))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A package of kernels of its own: this one's decorator, one kernel that calls another in a second file."""
    root = tmp_path_factory.mktemp("package")
    kernels = root / "manikin" / "kernels"
    kernels.mkdir(parents=True)
    (root / "manikin" / "__init__.py").touch()
    (kernels / "__init__.py").touch()
    shutil.copy(PACKAGE / "errors.py", root / "manikin")
    for name in ("jit", "by_numba", "stamps"):
        shutil.copy(PACKAGE / "kernels" / f"{name}.py", kernels)
    (kernels / "inner.py").write_text(INNER)
    (kernels / "outer.py").write_text(OUTER)
    return root


def run(folder, code=RUN):
    """(what it printed, what it said on stderr) in a process of its own."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    environment |= {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip(), done.stderr


TOGETHER = """
import numba
from concurrent.futures import ThreadPoolExecutor
from manikin.kernels.outer import outer, other
def foreign(k):
    return numba.njit(lambda x: x + k)(1.0)
with ThreadPoolExecutor(8) as pool:
    jobs = [pool.submit(*job) for k in range(4) for job in ((outer, 3.0), (foreign, k), (other, 3.0))]
    print(sorted({job.result() for job in jobs if job.result() > 4.5}))
"""
NOT_KEPT = """
from manikin.kernels.outer import outer
def fail(*given):
    raise RuntimeError("no compiled object yet for <Library 'outer'>")
outer._cache.save_overload = fail
print(outer(3.0), outer(4), len(outer.overloads))
"""


def test_threads_may_call_entries_for_the_first_time_together_beside_other_compiling(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "own", ignore=shutil.ignore_patterns("__pycache__"))
    printed, said = run(tmp_path / "own", TOGETHER)
    assert printed == "[5.0, 7.0]"
    assert said.count("compiling a part of the solver") == 1


def test_an_entry_that_cannot_be_kept_on_disk_is_used_all_the_same(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "own", ignore=shutil.ignore_patterns("__pycache__"))
    printed, _ = run(tmp_path / "own", NOT_KEPT)
    assert printed == "7.0 9.0 1"


def test_kernels_are_compiled_once_announced_once_and_again_when_a_callee_changes(folder):
    printed, said = run(folder)
    assert printed == "7.0 5.0"
    assert said.count("compiling a part of the solver") == 1  # two kernels are compiled, and what they call
    printed, said = run(folder)
    assert printed == "7.0 5.0" and said == ""  # from the cache
    inner = folder / "manikin" / "kernels" / "inner.py"
    before = inner.stat()
    inner.write_text(INNER.replace("2.0", "5.0"))
    os.utime(inner, ns=(before.st_atime_ns, before.st_mtime_ns))  # the content counts, not the clock
    printed, said = run(folder)
    assert printed == "16.0 14.0"
    assert said.count("compiling a part of the solver") == 1


def test_the_announcement_says_how_to_compile_ahead(folder):
    shutil.rmtree(folder / "manikin" / "kernels" / "__pycache__", ignore_errors=True)
    _, said = run(folder)
    assert "manikin warmup" in said and said.count("\n") == 1


def test_other_peoples_compiled_functions_are_not_announced_as_kernels(folder):
    (folder / "theirs.py").write_text("import numba\n\n@numba.njit\ndef f(x):\n    return x + 1.0\n")
    printed, said = run(folder, "import manikin.kernels.jit, theirs; print(theirs.f(1.0))")
    assert printed == "2.0" and said == ""


STAMP = "from manikin.kernels import stamps; print(stamps.stamp(stamps.ROOM / 'outer.py'))"


@pytest.mark.parametrize("change", ["edit", "rename", "remove"])
def test_the_stamp_changes_with_any_kernel_that_a_file_imports(folder, tmp_path, change):
    root = shutil.copytree(folder, tmp_path / "copy")
    inner = root / "manikin" / "kernels" / "inner.py"
    before, _ = run(root, STAMP)
    if change == "edit":
        inner.write_text(inner.read_text() + "\n")
    elif change == "rename":
        inner.rename(inner.with_name("renamed.py"))
    else:
        inner.unlink()
    assert run(root, STAMP)[0] != before


def test_the_stamp_does_not_change_with_a_file_that_is_not_imported(folder, tmp_path):
    root = shutil.copytree(folder, tmp_path / "copy")
    before, _ = run(root, STAMP)
    (root / "manikin" / "kernels" / "added.py").write_text("x = 1\n")
    assert run(root, STAMP)[0] == before


def test_the_stamp_does_not_depend_on_where_the_package_lies(folder, tmp_path):
    assert run(shutil.copytree(folder, tmp_path / "copy"), STAMP)[0] == run(folder, STAMP)[0]


def test_every_entry_is_cached_under_the_stamp_and_nothing_else_is():
    from manikin.kernels.pose import limits, slope
    from manikin.kernels.residuals import potentials
    from manikin.kernels.tree import sweep as tree

    entries = by_numba.ENTRIES.values()
    for module in (limits, slope, potentials, tree):
        found = [f for f in vars(module).values() if hasattr(f, "py_func")]
        assert found
        for function in found:
            path = Path(function.py_func.__code__.co_filename)
            if any(function is entry for entry in entries):
                assert function._cache._cache_file._source_stamp == stamp(path), function.__name__
            else:
                assert not hasattr(function._cache, "_cache_file"), function.__name__


ARRAYS = """
import numpy as np
from manikin.kernels.arrays import total
a = np.arange(6.0)
print(total(a, 1.0))
a.flags.writeable = False
print(total(a, 1.0), total(a, 2), len(total.signatures))
try:
    total(np.arange(12.0)[::2], 1.0)
except TypeError as error:
    print(error)
"""


def test_an_entry_is_compiled_once_for_arrays_that_may_and_may_not_be_written_to(folder, tmp_path):
    root = shutil.copytree(folder, tmp_path / "copy")
    (root / "manikin" / "kernels" / "arrays.py").write_text(
        "from manikin.kernels.inner import inner\nfrom manikin.kernels.jit import kernel\n\n@kernel(entry=True)\n"
        "def total(a, x):\n    s = 0.0\n    for i in range(a.shape[0]):\n        s += inner(a[i]) * x\n    return s\n"
    )
    printed, _ = run(root, ARRAYS)
    first, second, refused = printed.splitlines()
    assert second.split()[:2] == [first, str(2.0 * float(first))]
    assert second.split()[2] == "1"
    assert refused == "total: argument 1 is not an array in C order"


def test_a_function_of_somebody_elses_may_call_kernels(folder, tmp_path):
    root = shutil.copytree(folder, tmp_path / "copy")
    (root / "theirs.py").write_text(
        "import numba\nfrom manikin.kernels.inner import inner\nfrom manikin.kernels.outer import outer\n\n"
        "@numba.njit\ndef f(x):\n    return inner(x) + outer(x)\n"
    )
    printed, _ = run(
        root, "import theirs; from manikin.kernels.outer import other; print(theirs.f(1.0), other(1.0))"
    )
    two = 5.0 if "5.0" in (root / "manikin" / "kernels" / "inner.py").read_text() else 2.0
    assert printed == f"{2.0 * two + 1.0} {two - 1.0}"


_REPORT = """
import sys
import manikin as mk
from manikin.cli.report import cases
method = sys.argv[1]
if "others first" in sys.argv:
    links = [(0.0, 1.5708, 0.3, 0.0), (0.4, 0.0, 0.0, 0.0), (0.3, 0.0, 0.0, 0.0)]
    arm = mk.Figure.from_dh(links, lower=-2.5, upper=2.5)
    mk.solve(arm, [mk.Position("tip", [3.0, 0.2, 0.6])], method=method)
    mk.solve(arm, [mk.Position("tip", [0.4, 0.2, 0.6], hard=method == "auto")], method=method)
case = cases()[1]
print(mk.Problem(case.start, case.goals, free=case.free).solve(method=method).q.tobytes().hex())
"""


def _in_a_process_of_its_own(*arguments, **environment):
    found = subprocess.run(
        [sys.executable, "-c", _REPORT, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return found.stdout.strip()


# Both methods' kernels together take Numba two minutes.
@pytest.mark.parametrize("method", ["projection", pytest.param("auto", marks=pytest.mark.long)])
def test_a_result_does_not_depend_on_what_the_process_called_before(method):
    assert _in_a_process_of_its_own(method) == _in_a_process_of_its_own(method, "others first")


@pytest.mark.long
def test_what_was_compiled_just_now_gives_what_the_cache_gives_later(tmp_path):
    cold, warm = (_in_a_process_of_its_own("auto", NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert cold == warm
