"""Entries that are compiled when they are called: once, announced once, and again when anything they need changes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from . import toy

INNER = """
from manikin.kernels.jit import kernel

@kernel
def inner(x):
    return 2.0 * x
"""
OUTER = """
from manikin.kernels.jit import kernel
from manikin.kernels.small.inner import inner

@kernel(entry="f8 -> f8")
def outer(x):
    return inner(x) + 1.0

@kernel(entry="f8 -> f8")
def other(x):
    return inner(x) - 1.0

@kernel(entry="f8[:], f8 -> f8")
def total(a, x):
    s = 0.0
    for i in range(a.shape[0]):
        s += inner(a[i]) * x
    return s
"""
RUN = "from manikin.kernels.small.outer import outer, other; print(outer(3.0), other(3))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A package whose kernels are one that calls another in a second file."""
    root = toy.make(tmp_path_factory.mktemp("package"))
    kernels = root / "manikin" / "kernels"
    (kernels / "small" / "inner.py").write_text(INNER)
    (kernels / "small" / "outer.py").write_text(OUTER)
    shutil.rmtree(kernels / "large")
    return root


def run(folder, code=RUN, **environment):
    """(what it printed, what it said on stderr) in a process of its own, whose compiled code lies in the folder."""
    done = toy.run(folder, "-c", code, XDG_CACHE_HOME=str(folder / "cache"), **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


TOGETHER = """
import numba
from concurrent.futures import ThreadPoolExecutor
from manikin.kernels.small.outer import outer, other
def foreign(k):
    return numba.njit(lambda x: x + k)(1.0)
with ThreadPoolExecutor(8) as pool:
    jobs = [pool.submit(*job) for k in range(4) for job in ((outer, 3.0), (foreign, k), (other, 3.0))]
    print(sorted({job.result() for job in jobs if job.result() > 4.5}))
"""


def test_threads_may_call_entries_for_the_first_time_together_beside_numba(folder, tmp_path):
    own = shutil.copytree(folder, tmp_path / "own", ignore=shutil.ignore_patterns("cache"))
    printed, said = run(own, TOGETHER)
    assert printed == "[5.0, 7.0]"
    assert said.count("compiling a part of the solver") == 1


def test_entries_are_compiled_once_announced_once_and_again_when_a_callee_changes(folder, tmp_path):
    own = shutil.copytree(folder, tmp_path / "own", ignore=shutil.ignore_patterns("cache"))
    printed, said = run(own)
    assert printed == "7.0 5.0"
    assert said.count("compiling a part of the solver") == 1  # two kernels are compiled, and what they call
    assert "manikin warmup" in said and said.count("\n") == 1
    assert run(own) == ("7.0 5.0", "")  # as it was kept
    inner = own / "manikin" / "kernels" / "small" / "inner.py"
    before = inner.stat()
    inner.write_text(INNER.replace("2.0", "5.0"))
    os.utime(inner, ns=(before.st_atime_ns, before.st_mtime_ns))  # the content counts, not the clock
    printed, said = run(own)
    assert printed == "16.0 14.0"
    assert said.count("compiling a part of the solver") == 1


def test_entries_come_from_the_objects_of_all_parts_if_these_were_made(folder, tmp_path):
    own = shutil.copytree(folder, tmp_path / "own", ignore=shutil.ignore_patterns("cache"))
    done = toy.run(own, "-m", "manikin.toolchain", "--objects", XDG_CACHE_HOME=str(own / "cache"))
    assert done.returncode == 0, done.stderr
    assert run(own) == ("7.0 5.0", "")


DIGEST = "from manikin.toolchain.catalogue import digest_of; print(digest_of(['small.outer.outer'], []))"


@pytest.mark.parametrize("change", ["edit", "rename", "remove"])
def test_the_digest_changes_with_any_kernel_that_a_file_imports(folder, tmp_path, change):
    root = shutil.copytree(folder, tmp_path / "copy")
    inner = root / "manikin" / "kernels" / "small" / "inner.py"
    before, _ = run(root, DIGEST)
    if change == "edit":
        inner.write_text(inner.read_text() + "\n")
    elif change == "rename":
        inner.rename(inner.with_name("renamed.py"))
    else:
        inner.unlink()
    assert run(root, DIGEST)[0] != before


def test_the_digest_changes_with_the_tool_chain(folder, tmp_path):
    root = shutil.copytree(folder, tmp_path / "copy")
    before, _ = run(root, DIGEST)
    backend = root / "manikin" / "toolchain" / "backend.py"
    backend.write_text(backend.read_text() + "\n")
    assert run(root, DIGEST)[0] != before


def test_the_digest_does_not_change_with_a_file_that_is_not_imported(folder, tmp_path):
    root = shutil.copytree(folder, tmp_path / "copy")
    before, _ = run(root, DIGEST)
    (root / "manikin" / "kernels" / "added.py").write_text("x = 1\n")
    assert run(root, DIGEST)[0] == before


def test_the_digest_does_not_depend_on_where_the_package_lies(folder, tmp_path):
    assert run(shutil.copytree(folder, tmp_path / "copy"), DIGEST)[0] == run(folder, DIGEST)[0]


REFUSED = """
import numpy as np
from manikin.kernels.small.outer import other, outer, total
a = np.arange(6.0)
print(total(a, 1.0))
a.flags.writeable = False
print(total(a, 1.0), total(a, 2))
for call in (
    lambda: total(np.arange(12.0)[::2], 1.0),
    lambda: total(np.arange(6), 1.0),
    lambda: total([1.0], 1.0),
    lambda: outer("1"),
    lambda: other(),
):
    try:
        call()
    except TypeError as error:
        print(error)
"""


def test_arrays_and_numbers_are_taken_and_refused_as_by_the_library(folder):
    printed, _ = run(folder, REFUSED)
    array = "total: argument 1 is to be an array of float64 with 1 axes, in C order"
    assert printed.splitlines() == [
        "30.0",
        "30.0 60.0",
        *[array] * 3,
        "outer: argument 1 is to be a number",
        "other takes 1 arguments, not 0",
    ]


_REPORT = """
import sys
import manikin as mk
from manikin.cli.report import cases
if "others first" in sys.argv:
    links = [(0.0, 1.5708, 0.3, 0.0), (0.4, 0.0, 0.0, 0.0), (0.3, 0.0, 0.0, 0.0)]
    arm = mk.Figure.from_dh(links, lower=-2.5, upper=2.5)
    mk.solve(arm, [mk.Position("tip", [3.0, 0.2, 0.6])])
    mk.solve(arm, [mk.Position("tip", [0.4, 0.2, 0.6], hard=True)])
case = cases()[1]
print(mk.Problem(case.start, case.goals, free=case.free).solve().q.tobytes().hex())
"""


@pytest.mark.long
def test_a_result_does_not_depend_on_what_the_process_called_before():
    environment = {**os.environ, "MANIKIN_JIT": "1"}
    found = {
        subprocess.run(
            [sys.executable, "-c", _REPORT, *arguments],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        ).stdout
        for arguments in ((), ("others first",))
    }
    assert len(found) == 1
