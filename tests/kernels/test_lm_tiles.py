"""Damped normal equations in tiles: against dense matrices."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from manikin.kernels.search.layout import Search
from manikin.kernels.search.system import solve


def _solve(group, tiles, damping, right, factor, x):
    strips, work = SimpleNamespace(begin=group), SimpleNamespace(tiles=tiles, factor=factor)
    s = Search(None, None, None, None, strips, None, None, work, len(group), 0)
    solve(s, len(group), damping, None, right, x)


def solved(matrix: np.ndarray, group: list[int], damping: float, right: np.ndarray) -> np.ndarray:
    """x by tiles; whatever lies outside the lower triangles of the groups is not a number."""
    strips = len(group)
    tiles = matrix.reshape(strips, 3, strips, 3).transpose(0, 2, 1, 3).reshape(strips, strips, 9).copy()
    for a in range(strips):
        tiles[a, : group[a]] = np.nan
        tiles[a, a + 1 :] = np.nan
        tiles[a, a, [1, 2, 5]] = np.nan
    x = np.full(3 * strips, np.nan)
    _solve(np.array(group), tiles, damping, right, np.full_like(tiles, np.nan), x)
    return x


def block_diagonal(rng: np.random.Generator, group: list[int], columns: int) -> np.ndarray:
    rows = rng.normal(size=(3 * len(group), columns))
    same = np.repeat(np.equal.outer(group, group), 3, axis=0).repeat(3, axis=1)
    return rows @ rows.T * same


@pytest.mark.parametrize("group", [[0], [0, 0], [0, 1], [0, 0, 0, 0], [0, 0, 2, 2, 2, 5], [0, 1, 2, 2]])
@pytest.mark.parametrize("size", [1.0, 1e-7, 1e6])
def test_damped_equations_are_solved_group_by_group(group, size):
    rng = np.random.default_rng(len(group))
    matrix = size * block_diagonal(rng, group, 20)
    right = rng.normal(size=len(matrix))
    x = solved(matrix, group, 0.01 * size, right)
    expected = np.linalg.solve(matrix + 0.01 * size * np.eye(len(matrix)), right)
    assert np.abs(x - expected).max() < 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("damping", [1e-3, 1e-6, 1e-9])
def test_rank_deficient_rows_leave_small_residuals(damping):
    rng = np.random.default_rng(3)
    matrix = block_diagonal(rng, [0, 0, 0], 4)
    right = matrix @ rng.normal(size=9)
    x = solved(matrix, [0, 0, 0], damping, right)
    damped = matrix + damping * np.eye(9)
    assert np.abs(damped @ x - right).max() < 1e-12 * np.abs(damped).max() * np.abs(x).max()


def test_rows_of_zeros_without_damping_are_left_at_zero():
    rng = np.random.default_rng(4)
    matrix = block_diagonal(rng, [0, 0], 9)
    for dead in ([1], [1, 2], [0, 4], [3, 4, 5]):
        alive = np.setdiff1d(np.arange(6), dead)
        lame = matrix.copy()
        lame[dead] = lame[:, dead] = 0.0
        right = rng.normal(size=6)
        x = solved(lame, [0, 0], 0.0, right)
        assert (x[dead] == 0.0).all()
        expected = np.linalg.solve(matrix[np.ix_(alive, alive)], right[alive])
        assert np.abs(x[alive] - expected).max() < 1e-9 * np.abs(expected).max()
