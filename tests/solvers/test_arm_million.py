"""One million random arms, limits and targets, checked by forward kinematics over arrays in plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.arms import draw, random_limb

import manikin as mk
from manikin.figure import transforms


def _turns_z(angle: np.ndarray) -> np.ndarray:
    c, s, zero, one = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    rows = [c, -s, zero, s, c, zero, zero, zero, one]
    return np.stack(rows, axis=-1).reshape(*angle.shape, 3, 3)


def _swings(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    angle = np.hypot(x, y)
    a, b = np.sinc(angle / np.pi), 0.5 * np.sinc(angle / (2 * np.pi)) ** 2
    k = np.zeros((*x.shape, 3, 3))
    k[..., 0, 2], k[..., 2, 0], k[..., 1, 2], k[..., 2, 1] = y, -y, -x, x
    return np.eye(3) + a[..., None, None] * k + b[..., None, None] * (k @ k)


def placements(arm: mk.Arm, q: np.ndarray) -> np.ndarray:
    """The site's frame for values (N, 7) of a limb that is the whole figure."""
    tree = arm.figure.tree
    turn, origin = np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3))
    for i, kind in enumerate(tree.kinds):
        place, first = transforms.unpack(tree.placement[i]), int(tree.axis[i])
        origin = origin + turn @ place[:3, 3]
        turn = turn @ place[:3, :3]
        if kind.turns:
            turn = turn @ _turns_z(q[:, first])
        else:
            turn = turn @ _swings(q[:, first], q[:, first + 1]) @ _turns_z(q[:, first + 2])
    site = arm.figure.site(arm.site)
    segment = list(arm.figure.segments).index(site.segment)
    end = transforms.unpack(tree.segment_placement[segment]) @ site.placement
    result = np.zeros((len(q), 4, 4))
    result[:, :3, :3] = turn @ end[:3, :3]
    result[:, :3, 3] = origin + turn @ end[:3, 3]
    result[:, 3, 3] = 1.0
    return result


def check(limbs: int, each: int, seed: int) -> tuple[int, float]:
    """How many solutions random limbs have at random swivels, and the greatest miss of any."""
    rng = np.random.default_rng(seed)
    solutions, worst = 0, 0.0
    for i in range(limbs):
        arm = mk.Arm(random_limb(rng, ball=(i % 4 == 1, i % 5 == 2)), None, site="tip")
        q = np.array([draw(arm, rng) for _ in range(each)])
        # A tenth at singular places: middle angles at zero or a little beside, the wrist's too.
        odd = slice(0, each // 10)
        for place in (1, 5):
            if arm.lower[place] < -1e-3 and arm.upper[place] > 1e-3:
                q[odd, place] = rng.choice([0.0, 1e-14, 1e-9, 1e-6], each // 10)
        targets = placements(arm, q)
        rows, counts = arm.solve_many(targets, rng.uniform(-np.pi, np.pi, each))
        which, k = np.nonzero(np.arange(8) < counts[:, None])
        found = rows[which, k]
        assert np.isfinite(found).all()
        assert ((found >= arm.lower) & (found <= arm.upper)).all()
        solutions += len(found)
        if len(found):
            worst = max(worst, float(np.abs(placements(arm, found) - targets[which]).max()))
    return solutions, worst


def test_forward_kinematics_over_arrays_is_that_of_poses():
    rng = np.random.default_rng(30)
    for ball in ((False, False), (True, True)):
        arm = mk.Arm(random_limb(rng, ball=ball), None, site="tip")
        q = np.array([draw(arm, rng) for _ in range(5)])
        one = np.array([arm.pose(row).matrix("tip") for row in q])
        assert np.abs(placements(arm, q) - one).max() < 1e-14


def test_twenty_thousand_arms_come_back_within_1e_10():
    solutions, worst = check(40, 500, 31)
    assert solutions > 4000 and worst < 1e-10


@pytest.mark.long
def test_a_million_arms_come_back_within_1e_10():
    solutions, worst = check(2000, 500, 32)
    print(f"{solutions} solutions, worst {worst:.2e}")
    assert solutions > 200_000 and worst < 1e-10
