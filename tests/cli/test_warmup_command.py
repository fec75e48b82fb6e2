"""`manikin warmup`: what it compiles, and the time each took."""

import json

import pytest


@pytest.fixture
def quick(monkeypatch):
    """Stands in for the compiler, which takes a while."""

    def compile_all(progress):
        progress("forward", 1.5)
        progress("solve", 0.02)

    monkeypatch.setattr("manikin.kernels.warmup.warmup", compile_all)


def test_the_time_of_each_kernel_and_of_all(manikin, quick):
    lines = manikin("warmup").stdout.splitlines()
    assert [line.split() for line in lines[:2]] == [["forward", "1.5", "s"], ["solve", "20", "ms"]]
    assert lines[2] == "2 kernels ready, 1.52 s"


def test_json_has_the_same_in_seconds(manikin, quick):
    data = json.loads(manikin("warmup", "--json").stdout)
    assert data == {"kernels": {"forward": 1.5, "solve": 0.02}, "seconds": 1.52}


@pytest.mark.long
def test_the_real_kernels_compile(manikin):
    assert len(json.loads(manikin("warmup", "--json").stdout)["kernels"]) > 0
