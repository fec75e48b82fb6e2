"""Intervals of the swivel angle, recognition of limbs, the human's arms."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.arms import draw, iiwa, miss, random_limb

import manikin as mk

KINDS = [(False, False), (True, False), (False, True), (True, True)]


def _inside(stretches: np.ndarray, phi: float, margin: float) -> bool:
    return any(
        low + margin < phi + turn < high - margin
        for low, high in stretches
        for turn in (-2 * np.pi, 0.0, 2 * np.pi)
    )


@pytest.mark.parametrize("ball", KINDS)
def test_intervals_are_where_a_dense_scan_finds_solutions_and_their_ends_bisect(ball):
    rng = np.random.default_rng(10)
    phis = np.linspace(-np.pi, np.pi, 4001)
    ends = 0
    for _ in range(25):
        arm = mk.Arm(random_limb(rng, ball=ball), None, site="tip")
        target = arm.pose(draw(arm, rng)).matrix("tip")
        stretches = arm.swivel_intervals(target)
        _, counts = arm.solve_many(np.repeat(target[None], len(phis), axis=0), phis)
        for phi, count in zip(phis, counts, strict=True):
            if count:
                assert _inside(stretches, phi, -1e-9)
            else:
                assert not _inside(stretches, phi, 1e-9)
        for low, high in stretches:
            if high - low > 2 * np.pi - 1e-9:
                continue
            for end, inwards in ((low, 1.0), (high, -1.0)):
                step = min(1e-3, 0.25 * (high - low))
                good, bad = end + inwards * step, end - inwards * 1e-7
                if len(arm.solve(target, bad)) or not len(arm.solve(target, good)):
                    continue
                for _ in range(60):
                    middle = 0.5 * (good + bad)
                    good, bad = (middle, bad) if len(arm.solve(target, middle)) else (good, middle)
                ends += 1
                assert abs(good - end) < 1e-9
    assert ends > 20


def test_the_choices_of_a_swivel_are_within_the_intervals():
    arm = mk.Arm(iiwa(), ("A1", "A4", "A7"), site="tool")
    rng = np.random.default_rng(11)
    for _ in range(20):
        target = arm.pose(draw(arm, rng)).matrix("tool")
        stretches = arm.swivel_intervals(target)
        for prefer in ("widest", "natural", 0.4):
            found = arm.solve(target, prefer=prefer)
            assert len(found)
            for row in found:
                assert miss(arm, row, target) < 1e-10
                assert _inside(stretches, arm.swivel(row), -1e-9)
    near = [abs(arm.swivel(row) - 0.4) for row in arm.solve(target, prefer=0.4)]
    scan = [phi for phi in np.linspace(-np.pi, np.pi, 2001) if len(arm.solve(target, phi))]
    assert min(near) <= min(abs(phi - 0.4) for phi in scan) + 1e-9


def test_limbs_of_other_kinds_are_refused_with_the_reason():
    def chain(*joints: mk.Joint) -> mk.Figure:
        return mk.Figure("other", [f"s{i}" for i in range(len(joints) + 1)], joints)

    def hinge(i: int, axis: str, place: tuple[float, float, float]) -> mk.Joint:
        return mk.Joint(f"j{i}", f"s{i}", f"s{i + 1}", f"R({axis})", placement=place)

    good = [hinge(i, axis, (0.0, 0.0, 0.1)) for i, axis in enumerate("zyzyzyz")]
    bent = [*good[:5], hinge(5, "y", (0.08, 0.0, 0.1)), good[6]]
    slide = [*good[:6], mk.Joint("j6", "s6", "s7", "T(z)")]
    parallel = [good[0], hinge(1, "z", (0.0, 0.0, 0.1)), *good[2:]]
    assert mk.Arm(chain(*good), None, site="s7").joints == tuple(f"j{i}" for i in range(7))
    for joints, reason in (
        (bent, "miss one another by"),
        (slide, "'j6' is not a hinge or a ball joint"),
        (parallel, "parallel axes"),
        (good[:5], "it has 5 angles, not 7; and with six angles, it has 5 angles, not 6"),
    ):
        with pytest.raises(mk.FigureError, match=reason):
            mk.Arm(chain(*joints), None, site=f"s{len(joints)}")
    with pytest.raises(mk.FigureError, match="bends with 'j3', not with joint 'j4'"):
        mk.Arm(chain(*good), ("j0", "j4", "j6"))
    with pytest.raises(mk.FigureError, match="unknown joint"):
        mk.Arm(chain(*good), ("j0", "j3", "elbow"))
    with pytest.raises(
        mk.FigureError, match="'right_toe' is not a spherical joint, a hinge and a spherical joint"
    ):
        mk.Arm(mk.human(), None, site="right_toe")


def test_couplings_among_the_angles_are_limits():
    figure = iiwa().with_couplings("A1 + A3 <= 0.5", "A5 - A7 >= -1")
    arm = mk.Arm(figure, ("A1", "A4", "A7"), site="tool")
    rng = np.random.default_rng(12)
    for _ in range(30):
        target = arm.pose(draw(arm, rng)).matrix("tool")
        for row in arm.solve(target, prefer="widest"):
            assert row[0] + row[2] <= 0.5 + 1e-9 and row[4] - row[6] >= -1 - 1e-9
            assert miss(arm, row, target) < 1e-10


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_humans_arm_without_rhythm_reaches_its_targets(side):
    arm = mk.Arm(mk.human(girdle=False), side)
    assert arm.joints[3] == f"{side}_elbow" and arm.site == f"{side}_hand"
    rng = np.random.default_rng(13)
    for _ in range(40):
        q = draw(arm, rng)
        target = arm.pose(q).matrix(arm.site)
        values = arm.pose(q).values()
        if not all(c.lower <= c.value(values) <= c.upper for c in arm.figure.couplings):
            continue
        found = arm.solve(target, arm.swivel(q))
        assert np.abs(found - q).max(axis=1).min() < 1e-7
        assert max(miss(arm, row, target) for row in found) < 1e-10


def test_the_humans_girdle_is_held_then_polished():
    values = {"right_shoulder_flexion": 0.8, "right_shoulder_abduction": 0.2, "right_elbow": 1.2}
    start = mk.human().pose(values)
    arm = mk.Arm(start, "right")
    held = arm.solve(start.matrix("right_hand"), prefer="natural")
    assert len(held)
    target = start.matrix("right_hand")
    target[:3, 3] += [0.04, -0.03, 0.05]
    polished = [arm.polish(target, row) for row in arm.solve(target, prefer="natural")]
    assert any(len(row) for row in polished)
    for row in polished:
        assert len(row) == 0 or miss(arm, row, target) < 1e-10


def test_the_natural_elbow_is_mirrored_and_out_to_the_side():
    swivels = {}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arm = mk.Arm(mk.human(girdle=False), side)
        target = np.eye(4)
        target[:3, 3] = arm.pose(np.zeros(7)).position(f"{side}_shoulder")
        target[:3, 3] += [0.35, 0.05 * sign, 0.0]
        swivels[side] = arm.natural_swivel(target)
        assert arm.natural_swivel(target, "accurate") != swivels[side]
    assert abs(swivels["left"] + swivels["right"]) < 1e-9
    assert 0.0 < abs(swivels["right"]) < 1.2
