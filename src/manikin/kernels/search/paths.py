"""A search along a path: sample after sample, each from the end of the last."""

from __future__ import annotations

from typing import Any

from manikin.kernels.jit import kernel
from manikin.kernels.memory.path import given_start, next_targets, path_samples, run_of_sample
from manikin.kernels.memory.state import DONE, REFUSED
from manikin.kernels.memory.views import view1


def along_path(search_from: Any) -> Any:
    """The kernel that searches from ``start``, or along the path that the table tells of (`memory.path`): a block for
    each of its samples, until one is missed.

    search_from: ``(T, start, given, block, patience, far, run)``, given: the start that was given, which may be
    another; run: as of `memory.path`.
    """

    @kernel
    def follow(T, start, block, patience, far):
        samples = path_samples(T)
        count = max(samples, 1)
        size = block.shape[0] // count
        begin = view1(start, 0, start.shape[0])
        for k in range(count):
            if samples > 0 and not next_targets(T, k):
                return REFUSED
            own = view1(block, k * size, size)
            given = given_start(T, begin) if k == 0 else begin
            task = search_from(T, begin, given, own, patience, far, run_of_sample(T, k))
            if task > DONE or samples == 0:
                return task
            begin = view1(own, size - 2 * start.shape[0], start.shape[0])
        return DONE

    return follow
