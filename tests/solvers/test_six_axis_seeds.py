"""Which sites hang on six free hinges that have a closed form, and where those then are."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.samples import robot, robot_file

import manikin as mk
from manikin.engines.starts.six_axis_seeds import six_hinges


def _mask(figure: mk.Figure, *names: str) -> np.ndarray:
    mask = np.zeros(figure.n, dtype=bool)
    mask[figure.select(list(names))] = True
    return mask


def _check(figure, site, free, rng, rounds=50) -> None:
    """Random values of the free hinges: the site comes back exactly, and from near them to the values it came from."""
    q = figure.rest.copy()
    for _ in range(rounds):
        hinges = six_hinges(figure, site, free, q)
        assert hinges is not None and len(hinges.places) == 6
        there = q.copy()
        there[hinges.places] = rng.uniform(np.maximum(hinges.lower, -3.0), np.minimum(hinges.upper, 3.0))
        target = mk.Pose(figure, there).matrix(site)
        near = there.copy()
        near[hinges.places] = np.clip(near[hinges.places] + 1e-3, hinges.lower, hinges.upper)
        for start in (q, near):
            found = hinges.nearest(target, start)
            assert found is not None
            assert np.abs(mk.Pose(figure, found).matrix(site) - target).max() < 1e-10
            assert (found[hinges.places] >= hinges.lower).all() and (
                found[hinges.places] <= hinges.upper
            ).all()
            assert (np.delete(found, hinges.places) == np.delete(start, hinges.places)).all()
        assert np.abs((found - near)[hinges.places]).max() <= np.abs(there - near).max() + 1e-12


def test_an_arm_of_six_hinges_is_known_and_remembered():
    figure = robot("ur5")
    _check(figure, "tool0", None, np.random.default_rng(1))
    one = six_hinges(figure, "tool0", None, figure.rest)
    assert six_hinges(figure, "tool0", np.ones(figure.n, bool), figure.rest + 0.1) is one
    assert six_hinges(figure, "wrist_1_link", None, figure.rest) is None


def test_legs_of_a_humanoid_are_six_hinges_also_with_other_joints_free():
    figure = robot_file("talos_data/robots/talos_reduced.urdf")
    _check(figure, "left_sole_link", None, np.random.default_rng(2), 20)
    assert six_hinges(figure, "gripper_left_base_link", None, figure.rest) is None


def test_a_free_base_counts_unless_it_is_held():
    figure = robot("talos")
    assert six_hinges(figure, "left_sole_link", None, figure.rest) is None
    rng = np.random.default_rng(3)
    mask = _mask(figure, "leg_left_*")
    q = figure.rest.copy()
    for _ in range(5):
        q[:6] = rng.uniform(-1.0, 1.0, 6)
        hinges = six_hinges(figure, "left_sole_link", mask, q)
        assert hinges is not None
        there = q.copy()
        there[hinges.places] = rng.uniform(hinges.lower, hinges.upper)
        target = mk.Pose(figure, there).matrix("left_sole_link")
        found = hinges.nearest(target, there)
        assert found is not None and np.abs(found - there).max() < 1e-6


def _seven(**options) -> mk.Figure:
    """Six hinges with a spherical wrist, and a seventh, the elbow's twist, between them."""
    heights = (0.3, 0.1, 0.2, 0.2, 0.3, 0.0, 0.0)
    joints = [
        mk.Joint(f"j{i}", f"s{i}", f"s{i + 1}", f"R({a})", (0.05 if i == 1 else 0, 0, h), lower=-3, upper=3)
        for i, (a, h) in enumerate(zip("zyzyxyz", heights, strict=True))
    ]
    return mk.Figure(
        "seven", [f"s{i}" for i in range(8)], joints, [mk.Site("tip", "s7", (0, 0.1, 0))], **options
    )


def test_a_joint_between_them_that_is_held_is_part_of_the_chain_as_it_is_held():
    figure = _seven()
    assert six_hinges(figure, "tip", None, figure.rest) is None
    mask = np.arange(7) != 2
    rng = np.random.default_rng(4)
    for twist in (0.0, 0.3, -2.0):
        q = figure.rest.copy()
        q[2] = twist
        hinges = six_hinges(figure, "tip", mask, q)
        assert hinges is not None and hinges.places.tolist() == [0, 1, 3, 4, 5, 6]
        q[mask] = rng.uniform(-2.5, 2.5, 6)
        found = hinges.nearest(mk.Pose(figure, q).matrix("tip"), q)
        assert found is not None and np.abs(found - q).max() < 1e-6


def test_couplings_among_the_hinges_and_shared_coordinates_leave_it_to_the_search():
    mask = np.arange(7) != 2
    figure = _seven().with_couplings("j0 + j1 <= 1")
    assert six_hinges(figure, "tip", mask, figure.rest) is None
    joints = list(_seven().joints.values())
    joints[2] = mk.Joint("j2", "s2", "s3", "R(z)", (0, 0, 0.2), follow=mk.Follow({"j0": 0.5}))
    shared = mk.Figure("shared", [f"s{i}" for i in range(8)], joints)
    assert six_hinges(shared, "s7", None, shared.rest) is None


@pytest.mark.parametrize("twist", [0.0, 1.0])
def test_what_is_out_of_reach_or_of_the_limits_gives_none(twist):
    figure = _seven()
    q = figure.rest.copy()
    q[2] = twist
    hinges = six_hinges(figure, "tip", np.arange(7) != 2, q)
    assert hinges is not None
    target = mk.Pose(figure, q).matrix("tip")
    target[0, 3] += 3.0
    assert hinges.nearest(target, q) is None
