"""Work on threads: in order, as if one after the other; failures come out."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from tests.problems import work_of

import manikin as mk
from manikin.engines.starts.threads import Team
from manikin.errors import SolveError
from manikin.plan.options import checked_threads

from .samples import chain


def team(threads: int) -> Team:
    figure = chain([0.4, 0.3], ["R(y)", "R(x)"])
    problem = mk.Problem(figure, [mk.Position("tip", [0.1, 0.2, 0.3])])
    work = work_of(problem)
    return Team(work.packed, work.fast, threads)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_order(threads):
    group = team(threads)
    with group.each(lambda packed, fast, piece: piece * piece, range(20), aside=True) as found:
        assert list(found) == [k * k for k in range(20)]
    group.close()


def test_every_thread_has_arrays_of_its_own():
    group, meet = team(3), threading.Barrier(3)

    def work(packed, fast, piece):
        meet.wait(30.0)
        return packed.workspace.ctypes.data, fast.reals.ctypes.data, fast.lanes.ctypes.data

    with group.each(work, range(3), aside=True) as found:
        places = list(found)
    group.close()
    for column in zip(*places, strict=True):
        assert len(set(column)) == 3
    assert group.packed.workspace.ctypes.data not in [place[0] for place in places]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_a_thread_comes_out_and_the_rest_is_not_begun(error, threads):
    group, begun, out = team(threads), [], threading.Event()

    def work(packed, fast, piece):
        begun.append(piece)
        if piece == 2:
            raise error("stop")
        return piece if piece < 2 else out.wait(30.0)

    with pytest.raises(error), group.each(work, range(1000), aside=True) as found:
        list(found)
    out.set()
    group.close()
    assert len(begun) <= 3 + threads
    assert not any(thread.name.startswith("manikin") for thread in threading.enumerate())


def test_what_nobody_asks_for_is_not_begun():
    group, begun, out = team(2), [], threading.Event()

    def work(packed, fast, piece):
        begun.append(piece)
        return piece if piece == 0 else out.wait(30.0)

    with group.each(work, range(1000), aside=True) as found:
        next(found)
    out.set()
    group.close()
    assert len(begun) <= 3


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_a_wrong_number_of_threads_is_refused(threads):
    figure = chain([0.4, 0.3], ["R(y)", "R(x)"])
    with pytest.raises(SolveError, match="threads must be a whole number above zero"):
        mk.solve(figure, [mk.Position("tip", [0.1, 0.2, 0.3])], threads=threads)


def test_by_default_there_are_as_many_as_the_process_may_use():
    assert checked_threads(None) >= 1
    assert checked_threads(np.int64(3)) == 3
