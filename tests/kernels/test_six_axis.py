"""The closed form of six joints: every row by forward kinematics in NumPy, every branch by a search."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kernels.six_axes import (
    KINDS,
    Robot,
    anthropomorphic,
    flat_first,
    frame,
    gantry,
    middle,
    random_robot,
    stanford,
    universal,
    wrapped,
)

from manikin.kernels.six_axis import six_axis as entries
from manikin.kernels.six_axis.solve import nearest_row, six_axis
from manikin.plan.six_axis_spec import NotThisKind

EXACT = 1e-10
ENDLESS = np.full(6, np.inf)


def solve(spec: np.ndarray, target: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
    out = np.full((8, 6), np.nan)
    count = six_axis(spec, np.ascontiguousarray(target), np.zeros(6) if near is None else near, out)
    assert 0 <= count <= entries.MOST and np.isfinite(out[:count]).all()
    return out[:count]


def nearest(spec, target, near, lower=-ENDLESS, upper=ENDLESS) -> np.ndarray | None:
    best = np.full(6, np.nan)
    return best if nearest_row(spec, np.ascontiguousarray(target), near, lower, upper, best) else None


def miss(robot: Robot, rows: np.ndarray, target: np.ndarray) -> float:
    return float(np.abs(robot.ends(rows) - target).max()) if len(rows) else 0.0


def check(kind: str, robots: int, targets: int, seed: int) -> None:
    """Targets made by forward kinematics: every row comes back, among them the one that the target came from."""
    rng = np.random.default_rng(seed)
    odd = 0
    for _ in range(robots):
        robot = random_robot(kind, rng)
        spec = robot.spec()
        made = robot.made(rng, targets)
        for q, target in zip(made, robot.ends(made), strict=True):
            rows = solve(spec, target)
            assert miss(robot, rows, target) < EXACT
            assert robot.away(rows, q).min() < 1e-6
            assert (np.abs(rows[:, ~robot.slides]) <= np.pi + 1e-15).all()
            odd += len(rows) % 2
    # Branches come in pairs, but for places where two become one.
    assert odd <= 1e-3 * robots * targets


@pytest.mark.parametrize("kind", KINDS)
def test_random_robots_come_back_by_every_branch(kind):
    check(kind, 40, 50, 1)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_a_hundred_thousand_targets_come_back(kind):
    check(kind, 100, 100, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_from_many_starts_finds_no_other_solution(kind):
    rng = np.random.default_rng(3)
    for _ in range(3):
        robot = random_robot(kind, rng)
        target = robot.ends(robot.made(rng, 1))[0]
        rows = solve(robot.spec(), target)
        found = robot.search(target, robot.made(rng, 400))
        assert len(found) >= 1
        for row in found:
            assert robot.away(rows, row).min() < 1e-5


@pytest.mark.parametrize("kind", ["parallel", "wrist", "parallel, mirrored", "wrist, mirrored"])
def test_axes_that_nearly_meet_lose_hardly_a_branch(kind):
    rng = np.random.default_rng(4)
    lost = 0
    for offset in (1e-2, 1e-3, 1e-4, 4e-5, 2e-5, 1e-6, 1e-7, 1e-9, 1e-11, 0.0):
        for _ in range(10):
            robot = random_robot(kind, rng, offset)
            spec = robot.spec()
            made = rng.uniform(-np.pi, np.pi, (20, 6))
            for q, target in zip(made, robot.ends(made), strict=True):
                rows = solve(spec, target)
                assert miss(robot, rows, target) < EXACT
                lost += robot.away(rows, q).min() > 1e-6
    # Only where two branches are as near to each other as rounding, or as what is left out, tells apart.
    assert lost <= 4


@pytest.mark.parametrize("kind", ["parallel", "wrist, second and third parallel"])
def test_axes_parallel_only_to_a_few_millionths_are_solved_exactly_when_the_tolerance_allows_it(kind):
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(20):
        robot = random_robot(kind, rng)
        robot.h += 2e-6 * rng.normal(size=(6, 3)) * (np.arange(6) == 2)[:, None]
        robot.h /= np.linalg.norm(robot.h, axis=1)[:, None]
        spec = robot.spec(1e-5)
        made = rng.uniform(-np.pi, np.pi, (20, 6))
        for q, target in zip(made, robot.ends(made), strict=True):
            rows = solve(spec, target)
            assert miss(robot, rows, target) < EXACT
            found += robot.away(rows, q).min() < 1e-6
    # All but those within some millionths of an edge.
    assert found >= 398


def test_what_no_branch_reaches_has_no_row():
    rng = np.random.default_rng(6)
    for kind in KINDS:
        robot = random_robot(kind, rng)
        spec = robot.spec()
        for _ in range(20):
            target = robot.ends(rng.uniform(-np.pi, np.pi, 6))[0]
            target[:3, 3] += 50.0 * rng.normal(size=3)
            # A slide without limits has no end.
            assert robot.slides.any() or len(solve(spec, target)) == 0
            assert robot.slides.any() or nearest(spec, target, np.zeros(6)) is None
        for bad in (np.nan, np.inf, 1e300):
            target[1, 3] = bad
            assert len(solve(spec, target)) == 0
        target[:] = np.nan
        assert len(solve(spec, target)) == 0 and nearest(spec, target, np.zeros(6)) is None


@pytest.mark.parametrize("q5", [0.0, np.pi, 1e-9, 1e-7, -1e-5])
def test_where_two_axes_line_up_the_angle_that_is_free_stays(q5):
    rng = np.random.default_rng(7)
    for robot in (universal(), anthropomorphic(), anthropomorphic(0.1)):
        spec = robot.spec()
        for _ in range(100):
            q = rng.uniform(-np.pi, np.pi, 6)
            q[4] = q5
            target = robot.ends(q)[0]
            rows = solve(spec, target, q)
            assert len(rows) and miss(robot, rows, target) < EXACT
            if abs(np.sin(q5)) < 1e-12:
                there = np.abs(np.sin(rows[:, 4])) < 1e-9
                assert there.any() and (np.abs(wrapped(rows[there, 5] - q[5])) < 1e-9).all()
                assert robot.away(rows, q).min() < 1e-6
            row = nearest(spec, target, q)
            assert row is not None and miss(robot, row, target) < EXACT


def test_a_wrist_over_the_first_axis_leaves_its_angle_where_it_was():
    rng = np.random.default_rng(8)
    robot = anthropomorphic()
    spec = robot.spec()
    for _ in range(200):
        q = rng.uniform(-np.pi, np.pi, 6)
        # Over the first axis the wrist is where 0.4 sin q₂ + 0.35 sin (q₂ + q₃) = 0.
        q[1] = rng.uniform(-1.0, 1.0)
        q[2] = np.arcsin(-0.4 * np.sin(q[1]) / 0.35) - q[1]
        target = robot.ends(q)[0]
        rows = solve(spec, target, q)
        assert len(rows) and miss(robot, rows, target) < EXACT
        assert robot.away(rows, q).min() < 1e-6
        other = rng.uniform(-np.pi, np.pi, 6)
        row = nearest(spec, target, other)
        assert row is not None and miss(robot, row, target) < EXACT
        assert abs(row[0] - other[0]) < 1e-12


def test_arms_stretched_and_folded_are_on_the_edge_not_beyond_it():
    rng = np.random.default_rng(9)
    for robot, straight in (
        (universal(), 0.0),
        (anthropomorphic(0.1), 0.0),
        (anthropomorphic(0.0, 0.4), np.pi),
    ):
        spec = robot.spec()
        for _ in range(200):
            q = rng.uniform(-np.pi, np.pi, 6)
            q[2] = straight
            target = robot.ends(q)[0]
            rows = solve(spec, target, q)
            assert len(rows) and miss(robot, rows, target) < EXACT
            assert robot.away(rows, q).min() < 1e-5


def test_the_nearest_row_is_the_nearest_of_all_whole_turns_inside_the_limits():
    rng = np.random.default_rng(10)
    turns = 2.0 * np.pi * np.arange(-3, 4)
    none = 0
    for kind in KINDS:
        robot = random_robot(kind, rng)
        spec = robot.spec()
        for _ in range(30):
            lower = rng.uniform(-9.0, 0.0, 6)
            upper = lower + rng.uniform(4.0, 12.0, 6)
            near = rng.uniform(lower, upper)
            target = robot.ends(robot.made(rng, 1))[0]
            best, least = None, np.inf
            for row in solve(spec, target):
                ways = row[:, None] + turns
                ways[robot.slides] = row[robot.slides, None]
                ways[(ways < lower[:, None]) | (ways > upper[:, None])] = np.inf
                way = ways[np.arange(6), np.abs(ways - near[:, None]).argmin(axis=1)]
                if np.abs(way - near).max() < least:
                    best, least = way, np.abs(way - near).max()
            row = nearest(spec, target, near, lower, upper)
            assert (row is None) == (best is None)
            none += row is None
            if row is not None and best is not None:
                assert np.abs(row - best).max() < 1e-6
                assert (row >= lower).all() and (row <= upper).all()
    assert 0 < none < 30 * len(KINDS)


def test_coordinates_may_be_shifted_and_scaled():
    rng = np.random.default_rng(11)
    for kind in ("parallel", "wrist, mirrored"):
        robot = random_robot(kind, rng)
        spec = robot.spec()
        shift, factor = rng.normal(size=6), np.array([1.0, -1.0, 0.5, 2.0, -3.0, 1.0])
        spec[entries.SHIFT : entries.SHIFT + 6] = shift
        spec[entries.FACTOR : entries.FACTOR + 6] = factor
        for _ in range(50):
            q = rng.uniform(-np.pi, np.pi, 6)
            target = robot.ends(q)[0]
            row = nearest(spec, target, (q - shift) * factor)
            assert row is not None and np.abs(row / factor + shift - q).max() < 1e-6
            assert miss(robot, solve(spec, target) / factor + shift, target) < EXACT


def test_chains_without_a_closed_form_are_refused_with_the_reasons():
    rng = np.random.default_rng(12)
    robot = random_robot("wrist", rng)
    robot.o[5] += 0.01
    with pytest.raises(NotThisKind, match=r"axes 4, 5 and 6 miss one another by 0\.0\d+ m"):
        robot.spec()
    robot = random_robot("parallel", rng)
    robot.h[4] = robot.h[3]
    with pytest.raises(NotThisKind, match="singular in every pose"):
        robot.spec()
    robot = random_robot("wrist, first two meet", rng)
    robot.o[2], robot.h[2] = robot.o[1], robot.h[1]
    with pytest.raises(NotThisKind, match="singular in every pose"):
        robot.spec()
    robot = random_robot("meet 4", rng)
    robot.slides[[2, 4]] = True
    with pytest.raises(NotThisKind, match="of axes 4, 5 and 6 not all turn"):
        robot.spec()
    robot = random_robot("flat 1", rng)
    robot.o[1] = robot.o[0]
    with pytest.raises(NotThisKind, match="axes 1, 2 and 3 are parallel, and two of them coincide"):
        robot.spec()


@pytest.mark.parametrize("make", [stanford, gantry, flat_first, lambda: middle(2), lambda: middle(3)])
def test_singular_poses_of_arms_with_slides_and_with_axes_that_meet_in_the_middle_come_back(make):
    rng = np.random.default_rng(15)
    robot, lost = make(), 0
    spec = robot.spec()
    ways, angles = [0.0, 0.1, -0.2, 0.3], [0.0, 0.5 * np.pi, np.pi, -0.5 * np.pi, 0.3]
    for _ in range(500):
        q = np.where(robot.slides, rng.choice(ways, 6), rng.choice(angles, 6))
        target = robot.ends(q)[0]
        rows = solve(spec, target, q)
        assert len(rows) and miss(robot, rows, target) < EXACT
        row = nearest(spec, target, q)
        assert row is not None and miss(robot, row, target) < EXACT
        lost += robot.away(rows, q).min() > 1e-6
    # Where a pose is singular in two ways at once, the rounding of one angle is the square root of that of another.
    assert lost <= 2


def test_poses_singular_in_several_ways_at_once_come_back():
    rng = np.random.default_rng(13)
    robots = [universal(), anthropomorphic(), anthropomorphic(0.1), anthropomorphic(0.0, 0.4)]
    special = np.array([0.0, 0.5 * np.pi, np.pi, -0.5 * np.pi, 0.3])
    for robot in robots:
        turned = Robot(robot.h[::-1].copy(), robot.o[::-1].copy(), frame(rng), frame(rng))
        for one in (robot, turned):
            spec = one.spec()
            made = rng.choice(special, (300, 6))
            for q, target in zip(made, one.ends(made), strict=True):
                rows = solve(spec, target, q)
                assert len(rows) and miss(one, rows, target) < EXACT
                row = nearest(spec, target, q)
                assert row is not None and miss(one, row, target) < EXACT
                if one is robot:
                    assert one.away(rows, q).min() < 1e-6 and np.abs(row - q).max() < 1e-6


@pytest.mark.parametrize("scale", [1e-2, 1e3])
def test_units_do_not_matter(scale):
    rng = np.random.default_rng(14)
    for kind in KINDS:
        for _ in range(5):
            robot = random_robot(kind, rng)
            robot.o *= scale
            robot.tip[:3, 3] *= scale
            robot.carrier[:3, 3] *= scale
            spec = robot.spec()
            made = robot.made(rng, 20) * np.where(robot.slides, scale, 1.0)
            for q, target in zip(made, robot.ends(made), strict=True):
                rows = solve(spec, target)
                assert robot.away(rows, q).min() < 1e-6 * max(1.0, scale)
                assert miss(robot, rows, target) < EXACT * max(1.0, 3.0 * scale)
