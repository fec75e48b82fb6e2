from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from manikin.figure import Figure, Follow, Joint, kinematics, transforms

from .samples import branching, differences, placed

MOTIONS = {
    "R(z)": lambda q: turned(2, q[0]),
    "R(-y)": lambda q: turned(1, -q[0]),
    "T(x)": lambda q: transforms.translation([q[0], 0, 0]),
    "R(x)*T(y)*R(z)": lambda q: turned(0, q[0]) @ transforms.translation([0, q[1], 0]) @ turned(2, q[2]),
    "ball": lambda q: vector(q[0], q[1], 0) @ turned(2, q[2]),
    "ball(x)": lambda q: vector(0, q[0], q[1]) @ turned(0, q[2]),
    "ball(-y)": lambda q: vector(q[0], 0, q[1]) @ turned(1, -q[2]),
    "free": lambda q: transforms.translation(q[:3]) @ vector(*q[3:]),
    "planar": lambda q: transforms.translation([q[0], q[1], 0]) @ turned(2, q[2]),
}


def turned(axis: int, angle: float) -> np.ndarray:
    return vector(*(angle * np.eye(3)[axis]))


def vector(*w: float) -> np.ndarray:
    return transforms.rotation(Rotation.from_rotvec(w).as_matrix())


@pytest.mark.parametrize("motion", MOTIONS)
def test_the_child_sits_at_placement_motion_and_inverse_child_placement(motion):
    before, after = placed(0.1, 0.2, 0.3, 0.4, 0.5, 0.6), placed(0.3, 0.1, 0.2, -0.6, 0.2, 0.1)
    figure = Figure("f", "ab", [Joint("j", "a", "b", motion, before, after)])
    rng = np.random.default_rng(1)
    for _ in range(5):
        q = rng.uniform(-2, 2, figure.n)
        expected = before @ MOTIONS[motion](q) @ np.linalg.inv(after)
        assert np.abs(figure.pose(q).matrix("b") - expected).max() < 1e-14


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("root", ["a", "b"])
def test_hung_from_the_child_the_same_values_undo_the_motion(motion, root):
    before, after = placed(0.1, 0.2, 0.3, 0.4, 0.5, 0.6), placed(0.3, 0.1, 0.2, -0.6, 0.2, 0.1)
    figure = Figure("f", "ab", [Joint("j", "a", "b", motion, before, after)])
    q = np.random.default_rng(2).uniform(-2, 2, figure.n)
    pose = figure.rerooted(root).pose(q)
    relative = np.linalg.inv(pose.matrix("a")) @ pose.matrix("b")
    assert np.abs(relative - before @ MOTIONS[motion](q) @ np.linalg.inv(after)).max() < 1e-14


def site_motion(figure: Figure, site: str, q: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Position, and the rotation vector from the orientation at q."""
    here, there = figure.pose(q).matrix(site), figure.pose(at).matrix(site)
    return np.concatenate([there[:3, 3], transforms.log(there[:3, :3] @ here[:3, :3].T)])


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("root", ["a", "c"])
@pytest.mark.parametrize("small", [False, True])
def test_jacobians_of_every_motion_agree_with_differences(motion, root, small):
    joints = [
        Joint(
            "j", "a", "b", motion, placed(0.1, 0.2, 0.3, 0.4, 0.5, 0.6), placed(0.3, 0.1, 0.2, -0.6, 0.2, 0.1)
        ),
        Joint("k", "b", "c", "R(x)", [0.2, 0.1, 0.3]),
    ]
    figure = (
        Figure("f", "abc", joints)
        .rerooted(root)
        .with_site("tip", "c" if root == "a" else "a", [0.1, 0.2, 0.3])
    )
    q = np.random.default_rng(3).uniform(-2, 2, figure.n) * (1e-9 if small else 1.0)
    expected = differences(lambda at: site_motion(figure, "tip", q, at), q)
    assert np.abs(figure.pose(q).jacobian("tip") - expected).max() < 1e-9


@pytest.mark.parametrize("root", list(branching().segments))
@pytest.mark.parametrize("base", ["fixed", "free", "planar"])
def test_jacobians_with_followers_and_branches_agree_with_differences(root, base):
    figure = branching(base).rerooted(root)
    q = np.random.default_rng(4).normal(size=figure.n)
    for site in ("tip", "wheel", "trunk"):
        expected = differences(lambda at, site=site: site_motion(figure, site, q, at), q)
        assert np.abs(figure.pose(q).jacobian(site) - expected).max() < 2e-9


def test_axis_values_add_offsets_and_every_driver():
    joints = [
        Joint("a", "0", "1", "R(z)"),
        Joint("b", "1", "2", "T(z)"),
        Joint("c", "2", "3", "R(z)", follow=Follow({"a": 2.0, "b": -1.0}, 0.5)),
    ]
    tree = Figure("f", "0123", joints).tree
    assert kinematics.axis_values(tree, np.array([0.1, 0.2])).tolist() == [0.1, 0.2, 0.5 + 0.2 - 0.2]
