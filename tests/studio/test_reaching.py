"""The zone of a site, against the solver asked point by point."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.errors import ManikinError
from manikin.studio.beside import Cancelled
from manikin.studio.model.document import fresh
from manikin.studio.model.reaching import zones
from manikin.studio.model.session import Session
from manikin.studio.model.source import Source

pytest.importorskip("skimage", reason="the extra reach is not installed")
PITCH = 0.15


def inside(zone, points):
    """Which points are inside a closed surface: the winding numbers, from solid angles (Van Oosterom 1983)."""
    corners = zone.vertices[zone.faces].astype(np.float64)[None] - points[:, None, None]
    length = np.linalg.norm(corners, axis=-1)
    a, b, c = corners[:, :, 0], corners[:, :, 1], corners[:, :, 2]
    det = np.einsum("pfi,pfi->pf", a, np.cross(b, c))
    below = (
        length.prod(axis=-1)
        + np.einsum("pfi,pfi->pf", a, b) * length[..., 2]
        + np.einsum("pfi,pfi->pf", b, c) * length[..., 0]
        + np.einsum("pfi,pfi->pf", c, a) * length[..., 1]
    )
    return np.abs(2.0 * np.arctan2(det, below).sum(axis=1)) > 2.0 * np.pi


def standing():
    return Session(fresh(Source(options={"fingers": False, "spine": "bend"})))


def test_the_zone_is_where_the_solver_brings_the_hand_and_nowhere_else():
    document = standing().document
    shares: list[float] = []
    coarse, fine = zones(document, "right_hand", PITCH, shares.append)
    assert coarse.pitch == pytest.approx(2 * PITCH) and fine.pitch == pytest.approx(PITCH)
    assert coarse.volume == pytest.approx(fine.volume, rel=0.25)
    assert shares[0] == 0.0 and 0.5 < max(shares) < 1.0
    points = np.random.default_rng(3).uniform([-1.2, -1.4, 0.1], [1.4, 1.0, 2.4], (60, 3))
    near = np.linalg.norm(points[:, None] - fine.vertices[None], axis=2).min(axis=1) < PITCH
    points = points[~near]
    goals = [entry.goal for entry in document.goals]
    reached = [
        mk.solve(document.pose, [mk.Position("right_hand", point), *goals]).reached for point in points
    ]
    assert 5 < sum(reached) < len(points) - 5
    assert inside(fine, points).tolist() == reached


def test_what_is_held_and_locked_makes_the_zone_smaller():
    session = standing()
    session.add_goal("pin", "pelvis")
    held = next(zones(session.document, "right_hand", 0.1))
    for name in session.document.figure.dofs:
        if name.startswith(("right_elbow", "spine", "neck")):
            session.lock(name, True)
    stiff = next(zones(session.document, "right_hand", 0.1))
    assert 0.0 < stiff.volume < 0.6 * held.volume


def test_a_figure_that_nothing_holds_reaches_from_where_it_stands():
    session = standing()
    session.pin_feet(False)
    session.keep_balance(False)
    *_, zone = zones(session.document, "right_hand", PITCH)
    shoulder = session.document.pose.position("right_shoulder")
    assert np.linalg.norm(zone.vertices - shoulder, axis=1).max() < 1.9


def test_it_can_be_stopped_and_says_what_stands_in_the_way():
    def stop(share: float) -> None:
        raise Cancelled("cancelled")

    session = standing()
    with pytest.raises(Cancelled):
        next(zones(session.document, "right_hand", PITCH, stop))
    with pytest.raises(ManikinError, match="step must be between"):
        next(zones(session.document, "right_hand", 0.001))
    entry = session.add_goal("position", "left_hand")
    far = np.eye(4)
    far[:3, 3] = [3.0, 0.0, 1.0]
    session.move_goal(entry.key, far)
    with pytest.raises(ManikinError, match="reaches nothing but where it is"):
        next(zones(session.document, "right_hand", PITCH))


def test_a_robot_has_a_zone_too(arm_file):
    document = fresh(Source(str(arm_file)))
    *_, zone = zones(document, "lower", 0.05)
    reach = np.linalg.norm(zone.vertices - [0.0, 0.0, 0.1], axis=1)
    assert np.abs(reach - 0.4).max() < 0.06  # the elbow goes round the shoulder
    assert np.abs(zone.vertices[:, 1]).max() < 0.06
