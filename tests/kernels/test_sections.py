"""Sections of flat arrays: compiled code sees the numbers that Python put there, and no two sections meet."""

from __future__ import annotations

import numpy as np
import pytest

from manikin.kernels.levels import layout as levels
from manikin.kernels.memory import layout as problem
from manikin.kernels.memory.sections import Layout
from manikin.kernels.residuals import layout as rows
from manikin.kernels.tree import layout as tree

_LAYOUT = Layout("I A B", "n m")
Inner, _ = _LAYOUT.tuple_of("Inner", I="where (m)", B="cube (2, n, m)")
Outer, view_outer = _LAYOUT.tuple_of(
    "Outer", I="kind (n + 1)", A="one two (n)  table (n, m * 2)", inner=Inner
)
Apart, view_apart = _LAYOUT.tuple_of("Apart", B="scalar (1)")


def total(ints, a, b):
    """Every item that the views see, times a number that tells where it was seen."""
    outer = view_outer(ints, a, b)
    s = 0.0
    for k in range(outer.kind.shape[0]):
        s += (k + 1) * outer.kind[k]
    for i in range(outer.table.shape[0]):
        s += 10.0 * outer.one[i] + 100.0 * outer.two[i]
        for j in range(outer.table.shape[1]):
            s += (1000.0 + i + 7 * j) * outer.table[i, j]
    for j in range(outer.inner.where.shape[0]):
        s += (0.5 + j) * outer.inner.where[j]
        for i in range(outer.inner.cube.shape[1]):
            s += (3.0 + i + 0.1 * j) * (outer.inner.cube[0, i, j] - 2.0 * outer.inner.cube[1, i, j])
    return s + 0.25 * view_apart(ints, b).scalar[0]


@pytest.mark.parametrize(("n", "m"), [(0, 0), (1, 1), (3, 2), (5, 4)])
def test_compiled_views_see_what_numpy_views_hold(n, m):
    arrays = _LAYOUT.allocate({0: n, 1: m})
    outer, apart = (_LAYOUT.sections(made, *arrays) for made in (Outer, Apart))
    rng = np.random.default_rng(n)
    for section in (outer.kind, outer.one, outer.two, outer.table, *outer.inner, apart.scalar):
        section[...] = rng.integers(-9, 10, section.shape)
    place = np.arange(m)[None, :]
    expected = (
        outer.kind @ (1.0 + np.arange(n + 1))
        + 10.0 * outer.one.sum()
        + 100.0 * outer.two.sum()
        + ((1000.0 + np.arange(n)[:, None] + 7 * np.arange(2 * m)) * outer.table).sum()
        + outer.inner.where @ (0.5 + np.arange(m))
        + (
            (3.0 + np.arange(n)[:, None] + 0.1 * place) * (outer.inner.cube[0] - 2.0 * outer.inner.cube[1])
        ).sum()
        + 0.25 * apart.scalar[0]
    )
    assert total(*arrays) == pytest.approx(expected, abs=1e-9)


def _flat(made):
    for field in made:
        if isinstance(field, np.ndarray):
            yield field
        elif field is not None:
            yield from _flat(field)


@pytest.mark.parametrize(
    ("layout", "tuples"),
    [
        (problem._LAYOUT, (problem.Tree, problem.Space, problem.Parts, problem.Sweep, problem.Work)),
        (rows._LAYOUT, (rows.Measures,)),
        (levels._LAYOUT, (levels.Descent,)),
        (tree._LAYOUT, (tree.Model, tree.Masses, tree.Work)),
    ],
    ids=["problem", "rows", "levels", "tree"],
)
def test_sections_fill_the_arrays_of_every_room_once(layout, tuples):
    """Each number of each array, but the head, belongs to one section."""
    arrays = layout.allocate({index: 2 + index for index in range(len(layout.counts))})
    head = len(layout.counts) + len(layout._sections)
    before = arrays[0][:head].copy()
    for array in arrays[1:]:
        array[:] = 0.0
    arrays[0][head:] = 0
    for made in tuples:
        for section in _flat(layout.sections(made, *arrays)):
            section += 1
    assert (arrays[0][:head] == before).all()
    assert (arrays[0][head:] == 1).all()
    assert all((array == 1.0).all() for array in arrays[1:])


def test_a_list_that_is_none_is_refused():
    with pytest.raises(ValueError, match="lists no sections of I A"):
        Layout("I A", "n").tuple_of("Wrong", A="one two")
    with pytest.raises(ValueError, match="lists no sections of I A"):
        Layout("I A", "n").tuple_of("Wrong", B="one (n)")


_LANES = Layout("I L", "n m", "L")
Four, view_four = _LANES.tuple_of("Four", L="one (n)  table (n, m)")
Numbers, view_numbers = _LANES.by_number("Numbers", Four, "one table")


def test_sections_in_lanes_are_seen_as_lanes_and_number_by_number():
    n, m = 3, 2
    ints, lanes = _LANES.allocate({0: n, 1: m})
    lanes[:] = np.arange(len(lanes))
    four, numbers = view_four(ints, lanes), view_numbers(ints, lanes)
    assert lanes.ctypes.data % 32 == 0 and len(lanes) == 4 * (n + n * m)
    for i in range(n):
        assert np.array_equal(four.one[i], numbers.one[i])
        for j in range(m):
            assert np.array_equal(four.table[i, j], numbers.table[m * i + j])
    seen = np.concatenate([np.ravel(numbers.one), np.ravel(numbers.table)])
    assert np.array_equal(seen, lanes)
