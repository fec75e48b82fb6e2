"""No kernel reads past the end of its arrays: what lies behind them does not change a result."""

from __future__ import annotations

import numpy as np
import pytest
from tests.problems import work_of

import manikin as mk
from manikin.engines.work import Work
from manikin.kernels.memory.lane_tools import aligned_zeros


def padded(array: np.ndarray, filler: float, *, aligned: bool = False) -> np.ndarray:
    """The same numbers, with others behind them."""
    room = aligned_zeros(len(array) + 400) if aligned else np.zeros(len(array) + 400, array.dtype)
    room[len(array) :] = filler
    room[: len(array)] = array
    return room[: len(array)]


def surround(work: Work, filler: float) -> None:
    """Move the arrays of a packed problem to where something else lies behind them."""
    for packed in {id(p): p for p in (work.packed, getattr(work.levels, "packed", None)) if p}.values():
        packed.parameters = padded(packed.parameters, filler)
        packed.workspace = padded(packed.workspace, filler)
        packed.__dict__.pop("sections", None)
        packed.__post_init__()
    if work.fast is not None:
        work.fast.reals = padded(work.fast.reals, filler, aligned=True)
        work.fast.lanes = padded(work.fast.lanes, filler, aligned=True)
        work.fast.__dict__.pop("bounds", None)
        work.fast.__dict__.pop("limits", None)
        work.fast.point(work.packed)
    levels = work.levels
    if levels is not None:
        levels.measuring.mr = padded(levels.measuring.mr, filler)
        levels.measuring.mw = padded(levels.measuring.mw, filler)
        levels.measuring.__dict__.pop("sections", None)
        levels._make_room()
        levels.numbers = padded(levels.numbers, filler)
        from manikin.kernels.levels.layout import descent_sections

        kept = levels.D.stop.copy()
        levels.D = descent_sections(levels.header, levels.numbers)
        levels.D.stop[:] = kept


def arm(n: int, rng: np.random.Generator) -> mk.Figure:
    joints = [
        mk.Joint.revolute(
            f"j{k}",
            f"s{k}",
            f"s{k + 1}",
            "xyz"[k % 3],
            placement=0.4 * rng.normal(size=3),
            lower=-rng.uniform(0.3, 2.0),
            upper=rng.uniform(0.3, 2.0),
        )
        for k in range(n)
    ]
    return mk.Figure(
        "arm", [f"s{k}" for k in range(n + 1)], joints, [mk.Site("tip", f"s{n}", [0.2, 0.1, 0.0])]
    )


def few_variables_many_rows(seed):
    rng = np.random.default_rng(seed)
    figure = arm(1 + seed % 5, rng)
    goals = [
        mk.Placement("tip", rng.normal(size=3), np.eye(3), weight=10.0 ** rng.integers(-3, 2))
        for _ in range(3)
    ]
    return figure.pose(0.2 * rng.normal(size=figure.n)), goals, {}


def hard_and_regions(seed):
    rng = np.random.default_rng(seed)
    figure = arm(7, rng)
    pose = figure.pose(0.3 * rng.normal(size=7))
    ball = mk.Ball(pose.position("tip") + 0.3 * rng.normal(size=3), 0.1)
    goals = [
        mk.Range("tip", z=float(pose.position("tip")[2]), hard=True),
        mk.Inside("tip", ball),
        mk.Outside("s4", mk.Ball([0.3, 0.3, 0.3], 0.1), whole=False),
        mk.Posture(),
    ]
    return pose, goals, {}


def linear_rows(seed):
    rng = np.random.default_rng(seed)
    figure = arm(6, rng)
    goals = [mk.Position("tip", 2.0 * rng.normal(size=3)), mk.Position("s3", rng.normal(size=3))]
    return figure, goals, {"constraints": ["j0 + j1 <= 0.4", "j2 + j3 + j4 + j5 + j1 + j0 = 0.1"]}


def tied(seed):
    start, goals, _ = linear_rows(seed)
    return start, goals, {"constraints": ["j0 + 0.5*j1 = 0.1", "j2 = 0.3*j3"]}


@pytest.mark.parametrize("make", [few_variables_many_rows, hard_and_regions, linear_rows, tied])
@pytest.mark.parametrize("seed", range(8))
def test_what_lies_behind_the_arrays_does_not_matter(make, seed):
    start, goals, options = make(seed)
    found = []
    for filler in (0.0, np.nan, 1e30):
        problem = mk.Problem(start, goals, **options)
        work = work_of(problem)
        surround(work, filler)
        for _ in range(2):  # in several calls, then in one
            solution = work.solve(None, None)
            found.append((solution.q.tobytes(), solution.potential, solution.iterations))
    assert len(set(found)) == 1
