"""Nothing is missing: every solution that a search finds is listed, and every stretch of φ that a fine scan finds."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.arms import draw, random_limb
from tests.solvers.test_arm_million import _swings, _turns_z

import manikin as mk
from manikin.figure import transforms
from manikin.kernels.limb.limb import HIGHER, LOWER

KINDS = {
    "hinges": ((False, False), False),
    "a ball shoulder": ((True, False), False),
    "a ball wrist": ((False, True), False),
    "ball joints": ((True, True), False),
    "cones": ((True, True), False),
    "couplings": ((False, False), True),
    "a ball shoulder and couplings": ((True, False), True),
}


def _seen(arm: mk.Arm, q: np.ndarray, elbow: bool) -> np.ndarray:
    """The site's frame (N, 12), and where wished the hinge's place (N, 15), for values (N, 7) of the whole figure."""
    tree = arm.figure.tree
    turn, origin = np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3))
    hinge = origin
    for i, kind in enumerate(tree.kinds):
        place, first = transforms.unpack(tree.placement[i]), int(tree.axis[i])
        origin = origin + turn @ place[:3, 3]
        turn = turn @ place[:3, :3]
        if first == 3:
            hinge = origin
        if kind.turns:
            turn = turn @ _turns_z(q[:, first])
        else:
            turn = turn @ _swings(q[:, first], q[:, first + 1]) @ _turns_z(q[:, first + 2])
    site = arm.figure.site(arm.site)
    end = (
        transforms.unpack(tree.segment_placement[list(arm.figure.segments).index(site.segment)])
        @ site.placement
    )
    seen = [(turn @ end[:3, :3]).reshape(-1, 9), origin + turn @ end[:3, 3]]
    return np.hstack([*seen, hinge] if elbow else seen)


def _search(
    arm: mk.Arm, q: np.ndarray, fixed: int | None, starts: int, rng: np.random.Generator
) -> np.ndarray:
    """Values within the limits that put site, and elbow or fixed angle, where q has them: Gauss–Newton, many starts."""
    wish = _seen(arm, q[None], fixed is None)
    free = [j for j in range(7) if j != fixed]
    x = np.array([draw(arm, rng) for _ in range(starts)])
    if fixed is not None:
        x[:, fixed] = q[fixed]
    h = 1e-6
    for _ in range(30):
        now = _seen(arm, x, fixed is None)
        columns = []
        for j in free:
            beside = x.copy()
            beside[:, j] += h
            columns.append((_seen(arm, beside, fixed is None) - now) / h)
        jacobian = np.stack(columns, axis=-1)
        square = np.swapaxes(jacobian, 1, 2) @ jacobian + 1e-10 * np.eye(len(free))
        step = np.linalg.solve(square, np.swapaxes(jacobian, 1, 2) @ (wish - now)[..., None])[..., 0]
        step *= np.minimum(1.0, 0.5 / np.maximum(np.abs(step).max(axis=1), 1e-12))[:, None]
        x[:, free] += step
    middle = 0.5 * (arm.lower + arm.upper)
    x -= 2 * np.pi * np.round((x - middle) / (2 * np.pi))
    good = np.abs(_seen(arm, x, fixed is None) - wish).max(axis=1) < 1e-9
    return x[good & ((x > arm.lower + 1e-6) & (x < arm.upper - 1e-6)).all(axis=1)]


def _polished(arm: mk.Arm, q: np.ndarray, fixed: int | None, x: np.ndarray) -> np.ndarray:
    """A find of the search to its last digit: near a singular wrist 1e-9 of a frame is far more of an angle."""
    wish = _seen(arm, q[None], fixed is None)
    free = [j for j in range(7) if j != fixed]
    h = 1e-6
    for _ in range(20):
        columns = []
        for j in free:
            beside = np.stack([x, x])
            beside[:, j] += h, -h
            ahead, behind = _seen(arm, beside, fixed is None)
            columns.append((ahead - behind) / (2 * h))
        miss = (wish - _seen(arm, x[None], fixed is None))[0]
        x = x.copy()
        x[free] += np.linalg.lstsq(np.stack(columns, axis=-1), miss, rcond=1e-13)[0]
    return x


def _check_lists(arms: int, starts: int, seed: int) -> int:
    rng = np.random.default_rng(seed)
    checked = 0
    for k in range(arms):
        arm = mk.Arm(random_limb(rng), None, site="tip")
        q = draw(arm, rng)
        target = arm.pose(q).matrix("tip")
        phi = arm.swivel(q)
        fixed = (0, 1, 2, 4, 5, 6)[k % 6]
        for place, listed in (
            (None, arm.solve(target, phi)),
            (fixed, arm.solve_fixed(target, fixed, q[fixed])),
        ):
            for x in _search(arm, q, place, starts, rng):
                if place is None and abs(np.sin(0.5 * (arm.swivel(x) - phi))) > 1e-7:
                    continue
                checked += 1
                if np.abs(listed - x).max(axis=1).min() >= 1e-5:
                    x = _polished(arm, q, place, x)
                assert np.abs(listed - x).max(axis=1).min() < 1e-5
    return checked


def test_every_solution_that_a_dense_search_finds_on_twenty_arms_is_in_the_list():
    assert _check_lists(20, 40, 100) > 20 * 10


@pytest.mark.long
def test_every_solution_that_a_dense_search_finds_on_a_thousand_arms_is_in_the_list():
    assert _check_lists(1000, 120, 101) > 1000 * 20


def _check_stretches(kind: str, arms: int, seed: int) -> None:
    """The intervals against a scan with steps of 1e-4 rad, and their ends against bisection."""
    ball, coupled = KINDS[kind]
    rng = np.random.default_rng(seed)
    phis = np.linspace(-np.pi, np.pi, 62_833)
    ends = 0
    for _ in range(arms):
        figure = random_limb(rng, ball=ball, cones=kind == "cones")
        q = draw(mk.Arm(figure, None, site="tip"), rng)
        if coupled:
            a, b, c, _, d, e, f = mk.Arm(figure, None, site="tip").joints
            x = rng.uniform(0.01, 0.8, 3)
            figure = figure.with_couplings(
                f"{a} + {c} <= {q[0] + q[2] + x[0]}",
                f"{b} - {e} <= {q[1] - q[5] + x[1]}",
                f"{d} + 0.5*{f} >= {q[4] + 0.5 * q[6] - x[2]}",
            )
        arm = mk.Arm(figure, None, site="tip")
        target = arm.pose(q).matrix("tip")
        stretches = arm.swivel_intervals(target)
        _, counts = arm.solve_many(np.repeat(target[None], len(phis), axis=0), phis)
        near, well = np.zeros(len(phis), bool), np.zeros(len(phis), bool)
        for low, high in stretches:
            for turn in (-2 * np.pi, 0.0, 2 * np.pi):
                near |= (phis + turn >= low - 1e-9) & (phis + turn <= high + 1e-9)
                well |= (phis + turn > low + 1e-9) & (phis + turn < high - 1e-9)
        assert near[counts > 0].all() and (counts[well] > 0).all()
        ends += _check_ends(arm, target, stretches)
    assert ends > arms // 2


def _allowed(arm: mk.Arm):
    """Whether a swivel angle leaves some solution inside the limits to the last digit.

    `Arm.solve` brings in what is outside by less than 2e-11, which is more than 1e-9 of a swivel angle where an angle
    hardly moves along it; so an arm with wider limits solves, and its angles are compared with the true ones.
    """
    if arm.figure.cones or arm.figure.couplings:
        return lambda target, phi: len(arm.solve(target, phi)) > 0
    wide = mk.Arm(arm.figure, None, site="tip")
    wide._spec[LOWER : LOWER + 7] -= 1e-3
    wide._spec[HIGHER : HIGHER + 7] += 1e-3

    def allowed(target, phi):
        rows = wide.solve(target, phi)
        return bool(((rows >= arm.lower) & (rows <= arm.upper)).all(axis=1).any())

    return allowed


def _check_ends(arm: mk.Arm, target: np.ndarray, stretches: np.ndarray) -> int:
    ends = 0
    allowed = _allowed(arm)
    for low, high in stretches:
        if high - low > 2 * np.pi - 1e-9:
            continue
        for end, inwards in ((low, 1.0), (high, -1.0)):
            good, bad = end + inwards * min(1e-3, 0.25 * (high - low)), end - inwards * 1e-7
            if allowed(target, bad) or not allowed(target, good):
                continue
            for _ in range(60):
                middle = 0.5 * (good + bad)
                good, bad = (middle, bad) if allowed(target, middle) else (good, middle)
            assert abs(good - end) < 1e-9
            ends += 1
    return ends


@pytest.mark.parametrize("kind", KINDS)
def test_no_stretch_of_swivel_angles_is_missed_and_ends_are_those_of_bisection(kind):
    _check_stretches(kind, 12, 102)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_no_stretch_of_swivel_angles_is_missed_on_many_arms(kind):
    _check_stretches(kind, 400, 103)
