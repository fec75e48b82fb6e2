"""Robots of six hinges through EAIK and ssik."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import numpy as np
import pytest
from tests.solvers.samples import robot

import manikin as mk

INSTALLED = [
    pytest.param(name, marks=pytest.mark.skipif(find_spec(name) is None, reason=f"{name} is not installed"))
    for name in ("eaik", "ssik")
]
NEEDS_ONE = pytest.mark.skipif(
    find_spec("eaik") is None and find_spec("ssik") is None, reason="neither EAIK nor ssik is installed"
)


def _six(limit: float = 3.0, axes: str = "zyyzyz", offset: float = 0.05) -> mk.Figure:
    """Six hinges, the last three through a point; the shoulder's do not meet."""
    heights = [0.3, 0.1, 0.4, 0.2, 0.25, 0.0]
    joints = [
        mk.Joint(
            f"j{i}",
            f"s{i}",
            f"s{i + 1}",
            f"R({a})",
            placement=(offset if i == 1 else 0.0, 0.0, h),
            lower=-limit,
            upper=limit,
        )
        for i, (a, h) in enumerate(zip(axes, heights, strict=True))
    ]
    return mk.Figure("six", [f"s{i}" for i in range(7)], joints, [mk.Site("tip", "s6", (0.02, 0.01, 0.1))])


def _miss(arm: mk.SixAxis, row: np.ndarray, target: np.ndarray) -> float:
    return float(np.abs(arm.pose(row).matrix(arm.site) - target).max())


@pytest.mark.parametrize("backend", INSTALLED)
def test_all_solutions_reach_the_target_and_hold_the_pose_it_came_from(backend):
    arm = mk.SixAxis(_six(), "tip", backend=backend)
    rng = np.random.default_rng(80)
    counts = []
    for _ in range(30):
        q = rng.uniform(-2.9, 2.9, 6)
        target = arm.pose(q).matrix("tip")
        found = arm.solve(target)
        counts.append(len(found))
        assert np.abs(found - q).max(axis=1).min() < 1e-6
        assert ((found >= arm.lower) & (found <= arm.upper)).all()
        assert max(_miss(arm, row, target) for row in found) < 1e-9
    assert max(counts) >= 4


@pytest.mark.skipif(
    find_spec("eaik") is None or find_spec("ssik") is None, reason="EAIK and ssik are not both here"
)
def test_both_packages_find_the_same_solutions():
    ways = [mk.SixAxis(_six(), "tip", backend=name) for name in ("eaik", "ssik")]
    rng = np.random.default_rng(81)
    for _ in range(10):
        target = ways[0].pose(rng.uniform(-2.9, 2.9, 6)).matrix("tip")
        one, two = (way.solve(target) for way in ways)
        assert len(one) == len(two)
        for row in one:
            assert np.abs(two - row).max(axis=1).min() < 1e-6


@NEEDS_ONE
def test_a_ur5_has_all_whole_turns_within_its_limits():
    arm = mk.SixAxis(robot("ur5"), robot("ur5").joints["ee_fixed_joint"].child)
    rng = np.random.default_rng(82)
    for _ in range(3):
        q = rng.uniform(-2.0, 2.0, 6)
        target = arm.pose(q).matrix(arm.site)
        found = arm.solve(target)
        assert ((found >= arm.lower) & (found <= arm.upper)).all()
        assert max(_miss(arm, row, target) for row in found) < 1e-9
        # Each angle that has room for a whole turn more is there both ways.
        base = found[np.abs(found - q).max(axis=1).argmin()]
        assert np.abs(base - q).max() < 1e-6
        for j in range(6):
            for turn in (-2 * np.pi, 2 * np.pi):
                other = base + turn * np.eye(6)[j]
                inside = arm.lower[j] <= other[j] <= arm.upper[j]
                assert (np.abs(found - other).max(axis=1).min() < 1e-6) == inside


@NEEDS_ONE
def test_limits_couplings_and_reach_leave_fewer_and_none():
    wide, narrow = mk.SixAxis(_six(), "tip"), mk.SixAxis(_six(1.0), "tip")
    coupled = mk.SixAxis(_six().with_couplings("j0 + j5 <= 0.1"), "tip")
    rng = np.random.default_rng(83)
    for _ in range(10):
        q = rng.uniform(-0.9, 0.9, 6)
        target = wide.pose(q).matrix("tip")
        many, few, some = wide.solve(target), narrow.solve(target), coupled.solve(target)
        assert len(few) == ((np.abs(many) <= 1.0).all(axis=1)).sum() >= 1
        assert len(some) == (many[:, 0] + many[:, 5] <= 0.1).sum()
    target[:3, 3] += 5.0
    assert wide.solve(target).shape == (0, 6)


@pytest.mark.parametrize("backend", INSTALLED[:1])
def test_robots_without_a_closed_form_are_refused_with_the_reason(backend):
    joints = [
        mk.Joint(f"j{i}", f"s{i}", f"s{i + 1}", f"R({a})", placement=p)
        for i, (a, p) in enumerate(
            zip(
                ("z", "0.6,0.8,0", "y", "0,0.6,0.8", "x", "0.48,0.6,0.64"),
                [(0, 0, 0.1), (0.1, 0.03, 0), (0.2, 0, 0.1), (0, 0.1, 0.2), (0.1, 0, 0.1), (0.05, 0.06, 0)],
                strict=True,
            )
        )
    ]
    figure = mk.Figure("general", [f"s{i}" for i in range(7)], joints)
    with pytest.raises(mk.FigureError, match="no closed form for the six hinges above 's6'"):
        mk.SixAxis(figure, "s6", backend=backend)
    with pytest.raises(mk.FigureError, match="does not end six hinges: it has 5 angles"):
        mk.SixAxis(figure, "s5", backend=backend)
    with pytest.raises(mk.FigureError, match="a ball joint"):
        mk.SixAxis(mk.human(), "right_foot", backend=backend)


def test_a_missing_package_is_named_with_the_command(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] in ("eaik", "ssik")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("eaik", "ssik"):
        monkeypatch.setitem(sys.modules, name, None)
    for backend, package in ((None, "EAIK or ssik"), ("eaik", "EAIK"), ("ssik", "ssik")):
        with pytest.raises(mk.MissingExtraError, match=rf"{package}: pip install \"manikin\[analytic\]\""):
            mk.SixAxis(_six(), "tip", backend=backend)
    with pytest.raises(mk.SolveError, match="unknown backend 'magic'"):
        mk.SixAxis(_six(), "tip", backend="magic")
