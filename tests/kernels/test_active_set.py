"""The recursive inverse, metric and multipliers against the same from scratch."""

from __future__ import annotations

import numpy as np
import pytest

from manikin.kernels.projection.active_set import (
    ACTIVE,
    AT_LOWER,
    AT_UPPER,
    EQUAL,
    FREE,
    MU,
    RHO,
    ROW_SIDE,
    SCALE,
    SIDE,
    G,
)

from . import polytopes
from .polytopes import Space


class ActiveSet(Space):
    """A space and what is held in it."""

    def __init__(self, n, rows, metric=None):
        super().__init__(n, rows)
        self.count = 0
        self.work.metric[:] = np.eye(n) if metric is None else metric

    @property
    def held(self):
        return np.flatnonzero(self.vector[SIDE] != FREE)

    @property
    def active(self):
        return self.row[ACTIVE, : self.count].astype(int)

    def normals(self):
        """The normals of everything held, by rows: coordinates first."""
        return np.vstack([np.eye(self.vector.shape[1])[self.held], self.rows[self.active]])

    def hold_bound(self, j, side=AT_LOWER):
        return self.call(polytopes.hold_bound, self.count, j, side)

    def hold_row(self, r, side=AT_UPPER):
        held = self.call(polytopes.hold_row, self.count, r, side)
        self.count += held
        return held

    def release_bound(self, j, scale=1.0):
        self.call(polytopes.release_bound, self.count, j, scale)

    def release_row(self, place, scale=1.0):
        self.call(polytopes.release_row, self.count, place, scale)
        self.count -= 1

    def check(self):
        """N is (A Aᵀ)⁻¹ over the free coordinates, H a = 0, H is symmetric and nowhere negative."""
        a = self.rows[self.active][:, self.vector[SIDE] == FREE]
        inverse = np.linalg.inv(a @ a.T) if self.count else np.zeros((0, 0))
        scale = np.abs(inverse).max(initial=1.0)
        assert np.abs(self.work.inverse[: self.count, : self.count] - inverse).max(initial=0.0) < 1e-9 * scale
        h = self.work.metric
        size = np.abs(h).max(initial=1.0)
        assert np.abs(h @ self.normals().T).max(initial=0.0) < 1e-9 * size
        assert np.abs(h - h.T).max() < 1e-12 * size
        assert np.linalg.eigvalsh(h)[0] > -1e-9 * size

    def wander(self, rng, steps, scale=1.0):
        """Hold and release at random, never more constraints than there is room for."""
        n, rows = self.vector.shape[1], len(self.rows)
        for _ in range(steps):
            choice = rng.integers(4)
            idle_rows = np.setdiff1d(np.arange(rows), self.active)
            free = np.flatnonzero(self.vector[SIDE] == FREE)
            room = len(self.held) + self.count < n
            if choice == 0 and room and len(free):
                self.hold_bound(int(rng.choice(free)), rng.choice([AT_LOWER, AT_UPPER]))
            elif choice == 1 and room and len(idle_rows):
                self.hold_row(int(rng.choice(idle_rows)), rng.choice([AT_LOWER, AT_UPPER]))
            elif choice == 2 and len(self.held):
                self.release_bound(int(rng.choice(self.held)), scale)
            elif choice == 3 and self.count:
                self.release_row(int(rng.integers(self.count)), scale)
            yield


def null_projector(normals):
    return np.eye(normals.shape[1]) - np.linalg.pinv(normals) @ normals


@pytest.mark.parametrize("seed", range(12))
def test_after_any_holds_and_releases_the_plain_metric_is_the_projector_on_what_is_free(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    space = ActiveSet(n, rng.normal(size=(int(rng.integers(1, n + 1)), n)))
    for _ in space.wander(rng, 60):
        space.check()
        assert np.abs(space.work.metric - null_projector(space.normals())).max() < 1e-7


@pytest.mark.parametrize("seed", range(12))
def test_after_any_holds_and_releases_a_learnt_metric_vanishes_on_what_is_held(seed):
    rng = np.random.default_rng(100 + seed)
    n = int(rng.integers(2, 9))
    root = rng.normal(size=(n, n))
    space = ActiveSet(n, rng.normal(size=(n, n)), root @ root.T + 0.1 * np.eye(n))
    for _ in space.wander(rng, 40, scale=0.3):
        space.check()
        assert np.linalg.matrix_rank(space.work.metric, 1e-7) == n - len(space.held) - space.count


@pytest.mark.parametrize("seed", range(8))
def test_holding_conditions_the_metric_whatever_the_order(seed):
    """H − H Aᵀ (A H Aᵀ)⁻¹ A H."""
    rng = np.random.default_rng(200 + seed)
    n = 7
    root = rng.normal(size=(n, n))
    h = root @ root.T + 0.1 * np.eye(n)
    space = ActiveSet(n, rng.normal(size=(3, n)), h)
    for kind, which in rng.permutation([("row", 0), ("row", 1), ("row", 2), ("bound", 1), ("bound", 4)]):
        assert (space.hold_row if kind == "row" else space.hold_bound)(int(which))
    a = space.normals()
    expected = h - h @ a.T @ np.linalg.solve(a @ h @ a.T, a @ h)
    assert np.abs(space.work.metric - expected).max() < 1e-9 * np.abs(h).max()
    space.check()


def test_a_row_held_twice_is_refused():
    space = ActiveSet(3, [[1, 2, 3], [1, 2, 3], [-2, -4, -6]])
    assert space.hold_row(0)
    before = space.work.metric.copy()
    assert not space.hold_row(1) and not space.hold_row(2)
    assert (space.work.metric == before).all() and space.count == 1
    assert space.row[ROW_SIDE, 1] == FREE


def test_a_row_that_is_the_sum_of_held_ones_is_refused():
    space = ActiveSet(4, [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 1, 1], [1, 1, 1, 1.01]])
    assert space.hold_row(0) and space.hold_row(1)
    assert not space.hold_row(2)
    assert space.hold_row(3)
    space.check()


def test_a_row_whose_coordinates_are_all_held_is_refused():
    space = ActiveSet(3, [[1, 1, 0]])
    assert space.hold_bound(0) and space.hold_bound(1)
    assert not space.hold_row(0)


def test_a_bound_that_the_rows_determine_is_refused():
    space = ActiveSet(3, [[1, 1, 0], [1, -1, 0]])
    assert space.hold_row(0) and space.hold_row(1)
    before = space.work.metric.copy()
    assert not space.hold_bound(0) and not space.hold_bound(1)
    assert space.vector[SIDE, 0] == FREE and (space.work.metric == before).all()
    assert space.hold_bound(2)
    space.check()


@pytest.mark.parametrize("seed", range(6))
def test_a_fresh_metric_keeps_what_is_held_and_drops_what_depends(seed):
    rng = np.random.default_rng(300 + seed)
    rows = rng.normal(size=(4, 6))
    rows[2] = rows[0] - 2.0 * rows[1]
    space = ActiveSet(6, rows)
    space.vector[SCALE] = rng.uniform(0.5, 2.0, 6)
    space.vector[SIDE, 3] = AT_UPPER
    space.row[ROW_SIDE, :3] = AT_LOWER
    space.count = space.call(polytopes.fresh_metric, 0.7)
    assert space.active.tolist() == [0, 1] and space.row[ROW_SIDE, 2] == FREE
    space.check()
    h = 0.7 * np.diag(space.vector[SCALE])
    a = space.normals()
    expected = h - h @ a.T @ np.linalg.solve(a @ h @ a.T, a @ h)
    assert np.abs(space.work.metric - expected).max() < 1e-12


@pytest.mark.parametrize("seed", range(12))
def test_multipliers_are_those_of_least_squares(seed):
    """g = Σ μ a + Σ ρ e, what is left over orthogonal to everything held."""
    rng = np.random.default_rng(400 + seed)
    n = 7
    space = ActiveSet(n, rng.normal(size=(4, n)))
    for _ in space.wander(rng, 25):
        pass
    space.vector[G] = rng.normal(size=n)
    space.call(polytopes.multipliers, space.count)
    expected = np.linalg.lstsq(space.normals().T, space.vector[G], rcond=None)[0]
    held = len(space.held)
    assert np.abs(space.vector[RHO, space.held] - expected[:held]).max(initial=0.0) < 1e-8
    assert np.abs(space.row[MU, : space.count] - expected[held:]).max(initial=0.0) < 1e-8
    free = space.vector[SIDE] == FREE
    left = space.vector[G] - space.normals().T @ expected
    assert np.abs(space.vector[RHO, free] - left[free]).max(initial=0.0) < 1e-8


@pytest.mark.parametrize("seed", range(12))
def test_the_worst_multiplier_is_the_one_whose_release_gains_most(seed):
    rng = np.random.default_rng(500 + seed)
    n = 6
    space = ActiveSet(n, rng.normal(size=(4, n)))
    for _ in space.wander(rng, 25):
        pass
    space.vector[G] = rng.normal(size=n)
    space.call(polytopes.multipliers, space.count)
    worst, which = space.call(polytopes.worst_multiplier, space.count)
    a = space.normals()
    multiplier = np.linalg.lstsq(a.T, space.vector[G], rcond=None)[0]
    sides = np.concatenate([space.vector[SIDE, space.held], space.row[ROW_SIDE, space.active]])
    gains = multiplier * sides / np.sqrt(np.diag(np.linalg.inv(a @ a.T)))
    if gains.max(initial=0.0) <= 0.0:
        assert which == -1 and worst == 0.0
    else:
        best = int(np.argmax(gains))
        held = len(space.held)
        assert worst == pytest.approx(gains[best], rel=1e-7)
        assert which == (space.held[best] if best < held else n + best - held)


def test_an_equality_is_never_the_one_to_release():
    space = ActiveSet(2, [[1, 1]])
    space.hold_row(0, EQUAL)
    for sign in (1.0, -1.0):
        space.vector[G] = [sign, sign]
        space.call(polytopes.multipliers, space.count)
        assert space.call(polytopes.worst_multiplier, space.count) == (0.0, -1)
