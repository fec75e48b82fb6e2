"""Calls of the compiled entries: what they take, what they refuse, and in which words."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

from manikin.kernels import jit

pytestmark = pytest.mark.skipif(jit.PREBUILT is None, reason=f"the kernels are Numba's: {jit.WHY}")


@pytest.fixture
def entries():
    return jit.PREBUILT.ENTRIES


def is_placement(entries, *args):
    return entries["limb.limb.is_placement"](*args)


def test_every_entry_of_the_source_is_in_the_library_and_takes_what_it_declares(entries):
    from manikin.toolchain.catalogue import entries as in_source

    assert entries.keys() == in_source().keys()
    for key, entry in in_source().items():
        with pytest.raises(TypeError, match=f"takes {len(entry.signature.takes)} arguments, not 0"):
            entries[key]()


def test_arrays_that_mean_the_same_are_taken(entries):
    target = np.eye(4)
    frozen = target.copy()
    frozen.flags.writeable = False
    for same in (frozen, target.view(np.memmap), target.astype(np.dtype("f8", metadata={"unit": "m"}))):
        assert is_placement(entries, same, 1e-9) is True
    assert is_placement(entries, 2.0 * target, 1e-9) is False
    numbers = np.array([0, 0, 0, 0], np.longlong)
    assert entries["memory.targets.take_target"](numbers, 0, np.zeros(3)) is True


@pytest.mark.parametrize(
    "wrong",
    [
        np.eye(4).T[:, ::-1],
        np.asfortranarray(np.arange(16.0).reshape(4, 4)),
        np.eye(4, dtype=np.float32),
        np.eye(4, dtype=">f8"),
        np.zeros(16),
        np.zeros((4, 4), np.int64),
        np.eye(4).tolist(),
        None,
    ],
)
def test_what_is_no_such_array_is_refused_in_words(entries, wrong):
    with pytest.raises(TypeError, match="is_placement: argument 1 is to be an array of float64 with 2 axes"):
        is_placement(entries, wrong, 1e-9)


def test_numbers_of_every_kind_are_taken_and_others_refused(entries):
    for tolerance in (1, np.float64(1e-9), np.float32(1e-3), True):
        assert is_placement(entries, np.eye(4), tolerance) is True
    with pytest.raises(TypeError):
        is_placement(entries, np.eye(4), "1")
    take = entries["memory.targets.take_target"]
    with pytest.raises(TypeError):
        take(np.zeros(4, np.int64), 0.5, np.zeros(3))
    with pytest.raises(OverflowError):
        take(np.zeros(4, np.int64), 2**70, np.zeros(3))


def test_too_few_and_too_many_arguments_are_refused(entries):
    for args in ((np.eye(4),), (np.eye(4), 1.0, 1.0), ()):
        with pytest.raises(TypeError, match=f"is_placement takes 2 arguments, not {len(args)}"):
            is_placement(entries, *args)


def test_calls_keep_no_references(entries):
    target = np.eye(4)
    before = sys.getrefcount(target)
    for _ in range(100):
        is_placement(entries, target, 1e-9)
        with pytest.raises(TypeError):
            is_placement(entries, target, "x")
    assert sys.getrefcount(target) == before


def test_calls_on_several_threads_give_the_same(entries):
    targets = [np.eye(4) * scale for scale in (1.0, 2.0)]
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(2000):
            if is_placement(entries, targets[k % 2], 1e-9) is not (k % 2 == 0):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
