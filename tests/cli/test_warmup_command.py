"""`manikin warmup`: what is to do and what is not, what it compiles, and the time each took."""

import json
import os
import subprocess
import sys

import pytest
from tests.prebuilt import toy

from manikin.kernels import jit


@pytest.fixture
def quick(monkeypatch):
    """Stands in for Numba, which takes a while."""

    def call_all(progress):
        progress("forward", 1.5)
        progress("solve", 0.02)
        return {"forward": 1.5, "solve": 0.02}

    monkeypatch.setattr("manikin.kernels.prepare.call_all", call_all)
    monkeypatch.setattr("manikin.kernels.prepare.is_ready", lambda: False)
    monkeypatch.setattr("manikin.kernels.jit.ASKED_FOR", True)


def test_the_time_of_each_kernel_and_of_all(manikin, quick):
    lines = manikin("warmup").stdout.splitlines()
    assert [line.split() for line in lines[:2]] == [["forward", "1.5", "s"], ["solve", "20", "ms"]]
    assert lines[2] == "2 kernels ready, 1.52 s"


def test_json_has_the_same_in_seconds(manikin, quick):
    data = json.loads(manikin("warmup", "--json").stdout)
    assert data == {"kernels": {"forward": 1.5, "solve": 0.02}, "seconds": 1.52}


@pytest.mark.skipif(jit.PREBUILT is None, reason="the kernels are Numba's")
def test_where_the_kernels_were_compiled_ahead_nothing_is_to_do(manikin):
    said = manikin("warmup").stdout
    assert said.startswith(f"nothing to do: {len(jit.PREBUILT.ENTRIES)} kernels were compiled ahead")
    data = json.loads(manikin("warmup", "--json").stdout)
    assert data["prebuilt"] == jit.PREBUILT.LEVEL and len(data["kernels"]) == len(jit.PREBUILT.ENTRIES)


def test_where_there_is_no_library_it_is_made(tmp_path):
    root = toy.make(tmp_path)
    code = "from manikin.kernels import prepare; print(prepare.build_library())"
    done = toy.run(root, "-c", code, XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert done.stdout == "True\n" and "4/4" in done.stderr
    assert (
        toy.run(root, "-c", "from manikin.kernels import prepare; print(prepare.is_ready())").stdout
        == "True\n"
    )


@pytest.mark.long
def test_the_real_kernels_compile_by_numba():
    command = [sys.executable, "-c", "from manikin.cli.main import app; app()", "warmup", "--json"]
    done = subprocess.run(command, env={**os.environ, "MANIKIN_JIT": "1"}, capture_output=True, text=True)
    assert len(json.loads(done.stdout)["kernels"]) > 0
