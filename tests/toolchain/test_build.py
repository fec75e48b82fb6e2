"""The build of the library: what it makes works, nothing is made twice, and what does not fit is not used."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from manikin.toolchain import check, elf, link

from . import toy

pytestmark = pytest.mark.skipif(
    bool(link.can_link("v2") if link.compiler("v2") else link.can_link("arm64")), reason="no C compiler here"
)

WHO = "from manikin.kernels import jit; print(jit.WHY if jit.PREBUILT is None else 'library')"
USE = """
import sys
import numpy as np
from manikin.kernels.large.other import other
from manikin.kernels.small.outer import fill, nothing, outer
out, whole, few = np.zeros(3), np.array([1, 2, 3]), np.array([[10, 20, 30]], np.int16)
print(outer(3.0), other(3.0), fill(out, whole, few, 5, 3.0, False), out.tolist(), nothing(out), out[0], end=" ")
print("numba" in sys.modules)
"""
KINDS = """
import numpy as np
from manikin.kernels.small.outer import kinds
kinds_of_numbers = ("f4", "i4", "i1", "u8", "u4", "u2", "u1", "?")
print(kinds(*(np.array([k + 1, 1], kind) for k, kind in enumerate(kinds_of_numbers))))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A package with its library, and what the build said."""
    root = toy.make(tmp_path_factory.mktemp("toy"))
    done = toy.build(root)
    assert done.returncode == 0, done.stderr
    return root, done


def library(root: Path) -> Path:
    (found,) = (root / "manikin" / "kernels").glob("_prebuilt_*.so")
    return found


def test_the_library_gives_what_single_entries_give_and_neither_imports_numba(built):
    root, _ = built
    ahead, numbas = toy.run(root, "-c", USE), toy.run(root, "-c", USE, MANIKIN_JIT="1")
    assert ahead.stdout == f"7.0 {6.0**0.3} (145, 6.0, True) [6.0, 6.0, 6.0] None 7.0 False\n", ahead.stderr
    assert numbas.stdout == ahead.stdout, numbas.stderr


def test_arrays_of_every_kind_of_number_reach_the_kernel(built):
    assert toy.run(built[0], "-c", KINDS).stdout == "37.0\n"  # 1 + 2 + … + 7 + 1, and 8 times 1
    assert toy.run(built[0], "-c", KINDS, MANIKIN_JIT="1").stdout == "37.0\n"


def test_its_progress_is_told_and_ends_with_all_of_it(built):
    _, done = built
    lines = done.stderr.splitlines()
    assert "0/4" in lines[0] and "4/4" in lines[-1]
    assert "compiled: _prebuilt_" in done.stdout


def test_nothing_is_compiled_twice(built):
    root, _ = built
    before = library(root).stat()
    again = toy.build(root)
    assert (again.returncode, again.stderr, again.stdout) == (0, "", "the kernels are compiled already\n")
    assert library(root).stat().st_mtime_ns == before.st_mtime_ns


def test_an_edit_is_noticed_and_compiles_again_only_the_part_it_concerns(built, tmp_path):
    root = shutil.copytree(built[0], tmp_path / "copy")
    other = root / "manikin" / "kernels" / "large" / "other.py"
    other.write_text(toy.OTHER.replace("0.3", "0.5"))
    assert "not those that were compiled ahead" in toy.run(root, "-c", WHO).stdout
    assert toy.run(root, "-c", USE).stdout.split()[1] == str(6.0**0.5)  # compiled when it is called
    done = toy.build(root)
    assert "2/2" in done.stderr and "large" in done.stderr and "small" not in done.stderr
    assert toy.run(root, "-c", USE).stdout.split()[1] == str(6.0**0.5)
    assert toy.run(root, "-c", WHO).stdout == "library\n"
    other.write_text(toy.OTHER)
    back = toy.build(root)
    assert back.stderr == "" and toy.run(root, "-c", USE).stdout.split()[1] == str(6.0**0.3)


def test_the_same_source_gives_the_same_code(built, tmp_path):
    root = toy.make(tmp_path)
    assert toy.build(root, "--jobs", "1").returncode == 0
    assert library(root).read_bytes() == library(built[0]).read_bytes()


def test_single_entries_may_be_asked_for(built):
    assert toy.run(built[0], "-c", WHO, MANIKIN_JIT="1").stdout == "MANIKIN_JIT is set\n"
    assert toy.run(built[0], "-c", WHO, MANIKIN_JIT="0").stdout == "library\n"


def test_without_library_and_without_numba_the_error_says_what_to_install(tmp_path):
    root = toy.make(tmp_path)
    lacking = "import importlib.util as u; u.find_spec = lambda name: None"
    done = toy.run(root, "-c", f"{lacking}\nfrom manikin.kernels import jit")
    assert "MissingExtraError" in done.stderr and 'pip install "manikin[jit]"' in done.stderr


def test_without_a_compiler_the_build_says_so_and_single_entries_serve(tmp_path):
    root = toy.make(tmp_path)
    (tmp_path / "nothing").mkdir()
    path = {"PATH": str(tmp_path / "nothing"), "CC": ""}
    assert "no C compiler" in (failed := toy.build(root, **path)).stderr and failed.returncode == 1
    assert toy.build(root, "--if-possible", **path).returncode == 0
    assert toy.run(root, "-c", USE).stdout.startswith("7.0 ")


@pytest.mark.parametrize(
    "declared, said",
    [
        ("f8 -> i8", "large.other.wrong returns float64, not i8"),
        ("f8", "large.other.wrong returns float64, not nothing"),
        ("f2 -> f8", "'f2' in 'f2 -> f8' is no argument of an entry"),
        ("f8 -> f4", "'f4' in 'f8 -> f4' is not what an entry returns"),
    ],
)
def test_an_entry_that_declares_what_it_is_not_is_named(tmp_path, declared, said):
    root = toy.make(tmp_path)
    other = root / "manikin" / "kernels" / "large" / "other.py"
    other.write_text(toy.OTHER + f'\n\n@kernel(entry="{declared}")\ndef wrong(x):\n    return 0.5 * x\n')
    done = toy.build(root)
    assert done.returncode != 0 and said in done.stderr


def test_a_numba_that_does_not_lower_as_it_should_is_refused(tmp_path):
    root = toy.make(tmp_path)
    private = root / "manikin" / "toolchain" / "private.py"
    private.write_text(private.read_text().replace('{"reassoc", "contract", "arcp", "nsz"}', "False"))
    done = toy.build(root)
    assert done.returncode == 1 and "sums may not be reassociated" in done.stderr
    assert toy.build(root, "--if-possible").returncode == 0


def test_an_unknown_level_is_refused(built):
    done = toy.build(built[0], "--levels", "v3,v9")
    assert done.returncode == 2 and "no such level: v9" in done.stderr


def test_the_library_asks_for_python_and_an_old_c_library_alone(built):
    path = library(built[0])
    check.check(path)
    read = elf.read(path)
    assert read.shown == [f"PyInit_{path.name.split('.')[0]}"]
    assert {"hypot", "pow"} <= {symbol.name for symbol in read.needed}
    assert check.platform_tag([path]) == f"manylinux_2_17_{read.machine}"
    _, *modules = toy.build(built[0], "--wheel").stdout.split()
    assert modules == [str(path)]
