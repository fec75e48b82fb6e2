"""`manikin warmup`: what is to do and what is not, and what it compiles."""

import json
import os

import pytest
from tests.toolchain import toy

from manikin.kernels import jit
from manikin.toolchain import link
from manikin.toolchain.catalogue import entries


@pytest.mark.skipif(jit.PREBUILT is None, reason="the kernels are compiled when they are called")
def test_where_the_kernels_were_compiled_ahead_nothing_is_to_do(manikin):
    said = manikin("warmup").stdout
    assert said.startswith(f"nothing to do: {len(jit.PREBUILT.ENTRIES)} kernels were compiled ahead")
    data = json.loads(manikin("warmup", "--json").stdout)
    assert data["prebuilt"] == jit.PREBUILT.LEVEL and data["kernels"] == len(entries())


COMPILE = "from manikin.toolchain.prepare import compile_all; compile_all()"
WHO = "from manikin.kernels import jit; print(jit.PREBUILT is None)"


def test_the_library_is_made_where_there_is_none(tmp_path):
    root = toy.make(tmp_path)
    done = toy.run(root, "-c", COMPILE, XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert done.returncode == 0 and "4/4" in done.stderr
    assert toy.run(root, "-c", WHO).stdout == f"{bool(link.can_link('v2') and link.can_link('arm64'))}\n"


def test_without_a_c_compiler_objects_are_made_from_which_entries_are_loaded(tmp_path):
    root, cache = toy.make(tmp_path), str(tmp_path / "cache")
    (tmp_path / "nothing").mkdir()
    alone = {"PATH": str(tmp_path / "nothing"), "CC": "", "XDG_CACHE_HOME": cache}
    done = toy.run(root, "-c", COMPILE, **alone)
    assert done.returncode == 0 and "4/4" in done.stderr
    use = "from manikin.kernels.small.outer import outer; print(outer(3.0))"
    done = toy.run(root, "-c", use, **alone)
    assert (done.stdout, done.stderr) == ("7.0\n", "") and os.path.isdir(cache)


def test_a_build_that_fails_is_an_error(tmp_path):
    root = toy.make(tmp_path)
    (root / "manikin" / "kernels" / "small" / "inner.py").write_text("from nowhere import nothing\n")
    done = toy.run(root, "-c", COMPILE, XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert "BuildError: the kernels could not be compiled" in done.stderr
