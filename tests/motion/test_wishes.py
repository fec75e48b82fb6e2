"""What goals ask of whole clips: residuals by their definition, derivatives by differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.motion.samples import planar_arm

import manikin as mk
from manikin.motion.wishes import Wish, linearised, residuals

FIGURE = mk.Figure(
    "three",
    ["s0", "s1", "s2"],
    [
        mk.Joint("j1", "s0", "s1", "R(z)*R(y)", (0.1, 0.2, 0.3)),
        mk.Joint("j2", "s1", "s2", "ball", (0.3, 0, 0.1)),
    ],
    [mk.Site("eye", "s2", (0.1, -0.2, 0.1))],
)


def _wish(kind: str, rng: np.random.Generator, count: int) -> Wish:
    place, turn = rng.normal(size=(count, 3)), Rotation.random(count, random_state=3).as_matrix()
    frame = np.tile(np.eye(4), (count, 1, 1))
    frame[:, :3, :3], frame[:, :3, 3] = turn, place
    goal, targets = {
        "position": (mk.Position("eye", [0, 0, 0]), place),
        "orientation": (mk.Orientation("eye", np.eye(3)), turn),
        "placement": (mk.Placement("eye", np.eye(4)), frame),
        "aim": (mk.Aim("eye", [1, 0, 0], axis=[0.3, -1.0, 0.5]), place),
    }[kind]
    return Wish(goal, targets, np.ones(count))


@pytest.mark.parametrize("kind", ["position", "aim"])
def test_derivatives_are_those_of_the_residuals_however_far_off(kind):
    rng = np.random.default_rng(4)
    q, step = rng.normal(size=(200, FIGURE.n)), 1e-6
    wish = _wish(kind, rng, len(q))
    _, slope = linearised(FIGURE, q, [wish])[0]
    for j in range(FIGURE.n):
        move = step * np.eye(FIGURE.n)[j]
        ahead, behind = residuals(FIGURE, q + move, [wish])[0], residuals(FIGURE, q - move, [wish])[0]
        assert np.abs((ahead - behind) / (2 * step) - slope[:, :, j]).max() < 1e-5


def test_an_aim_is_as_wrong_as_its_angle_is_wide_backwards_too():
    rng = np.random.default_rng(5)
    q = rng.normal(size=(500, FIGURE.n))
    wish = _wish("aim", rng, len(q))
    frames = FIGURE.forward(q, "eye")[:, 0]
    ahead = frames[:, :3, :3] @ wish.goal.axis
    to = wish.targets - frames[:, :3, 3]
    cosine = (ahead * to).sum(axis=1) / np.linalg.norm(to, axis=1)
    angle = np.arccos(np.clip(cosine, -1, 1))
    assert (angle > 2.0).any()
    assert np.abs(np.linalg.norm(residuals(FIGURE, q, [wish])[0], axis=1) - angle).max() < 1e-7


def test_a_tracked_aim_that_points_backwards_says_so():
    """Errors were folded at a right angle: one that points straight back was told as met."""
    whole = planar_arm()
    pose = whole.pose([0.4, 0.5, 0.4, 0.3])
    figure = whole.with_limits({name: (v - 0.01, v + 0.01) for name, v in pose.values().items()})
    pose = figure.pose(pose.q)
    behind = pose.position("tool") - 2.0 * pose.matrix("tool")[:3, 0]
    clip = mk.track(
        pose, mk.Along(mk.Aim("tool", behind), np.tile(behind, (5, 1))), np.arange(5) * 0.01, velocity=0.1
    )
    for k, q in enumerate(clip.q):
        frame = figure.pose(q).matrix("tool")
        to = behind - frame[:3, 3]
        assert clip.orientation_errors[k, 0] == pytest.approx(
            np.arccos(frame[:3, 0] @ to / np.linalg.norm(to)), abs=1e-6
        )
    assert clip.orientation_errors[0, 0] > 3.0 and not clip.reached.any()


def test_an_orientation_that_minds_one_axis_is_measured_by_that_one():
    """The whole rotation was told as its miss."""
    figure = planar_arm()
    pose = figure.pose([0.4, 0.5, 0.4, 0.3])
    upright = mk.Orientation("tool", np.eye(3), axes=(0, 0, 1))
    path = pose.position("tool") + np.linspace(0, 0.1, 20)[:, None] * [1.0, 0.0, 0.0]
    clip = mk.track(pose, [mk.Along(mk.Position("tool", path[0]), path), upright], 0.05 * np.arange(20))
    assert clip.orientation_errors[:, 1].max() < 1e-6 and clip.reached.all()
    with pytest.raises(mk.SolveError, match="all axes alike"):
        mk.refined(clip, [upright])
