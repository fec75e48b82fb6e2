"""Stationary points that are not least: straight limbs, frames turned by 180°, aims exactly backwards."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.cli.robot import arm
from manikin.figure import Figure, Joint, Segment, Site, transforms

from .samples import (
    chain,
    check,
    half_turn,
    placed,
    potential,
    random_direction,
    random_pose,
    random_rotation,
)

CASES = 200


def slope_at_the_start(solution: mk.Solution) -> float:
    """The steepest descent that the ranges leave at the start, by differences."""
    figure, q = solution.figure, solution.raw.start
    steepest = 0.0
    for j in range(figure.n):
        for step in (1e-6, -1e-6):
            there = q.copy()
            there[j] += step
            if figure.lower[j] <= there[j] <= figure.upper[j]:
                fall = potential(solution.goals, figure.pose(q)) - potential(
                    solution.goals, figure.pose(there)
                )
                steepest = max(steepest, fall / 1e-6)
    return steepest


def left_behind(cases) -> list[str]:
    """Of (start, goals): those that did not end reached, in words."""
    stuck = []
    for case, (start, goals) in enumerate(cases):
        solution = check(mk.solve(start, goals))
        if not solution.reached:
            stuck.append(f"case {case}: {solution}, from P = {potential(goals, start):.4g}")
    return stuck


def leg(rng: np.random.Generator, hip: str = "ball", ankle: str = "R(y)*R(x)", slack: float = 0.0) -> Figure:
    """Thigh, shank and foot hanging straight down somewhere in space; the knee's lower limit is ``-slack``."""
    thigh, shank, foot = rng.uniform(0.35, 0.5), rng.uniform(0.35, 0.5), rng.uniform(0.05, 0.1)
    return chain(
        [thigh, shank, foot],
        [hip, "R(y)", ankle],
        up=-1.0,
        location=placed(rng.normal(size=3), random_rotation(rng)),
        lower=[-2.0, -slack, -1.0],
        upper=[2.0, 2.6, 1.0],
    )


def up_the_limb(figure: Figure, share: float) -> np.ndarray:
    """A point on the straight limb, ``share`` of its length nearer to where it hangs."""
    pose = figure.pose(np.zeros(figure.n))
    foot = pose.position("tip")
    return foot + share * (pose.position("base") - foot)


def straight_legs(hip: str = "ball", slack: float = 0.0):
    for case in range(CASES):
        rng = np.random.default_rng([41, case])
        figure = leg(rng, hip, slack=slack)
        goals = [mk.Position("tip", up_the_limb(figure, rng.uniform(0.02, 0.4)))]
        yield figure.pose(np.zeros(figure.n)), goals


def test_a_straight_leg_has_no_slope_to_follow():
    start, goals = next(straight_legs())
    assert slope_at_the_start(mk.solve(start, goals)) < 1e-5


@pytest.mark.parametrize("hip", ["ball", "R(y)", "R(x)*R(y)*R(z)"])
def test_a_straight_leg_bends_its_knee(hip):
    assert left_behind(straight_legs(hip)) == []


@pytest.mark.parametrize("slack", [0.3, 0.02, 1e-5, 1e-9, 1e-13])
def test_a_straight_leg_bends_when_the_knee_stands_off_its_limit(slack):
    assert left_behind(straight_legs(slack=slack)) == []


def test_a_straight_leg_on_a_free_body_bends_when_the_body_is_held():
    def cases():
        for case in range(CASES):
            rng = np.random.default_rng([42, case])
            segments = ["pelvis", "thigh", "shank", "foot"]
            joints = [
                Joint.ball("hip", "pelvis", "thigh", "z", placement=(0, 0.1, 0), lower=-2.0, upper=2.0),
                Joint.revolute("knee", "thigh", "shank", "y", placement=(0, 0, -0.42), lower=0.0, upper=2.6),
                Joint("ankle", "shank", "foot", "R(y)*R(x)", (0, 0, -0.4), lower=-1.0, upper=1.0),
            ]
            figure = Figure("half", segments, joints, [Site("sole", "foot", (0, 0, -0.08))], base="free")
            q = np.zeros(figure.n)
            q[:3], q[3:6] = rng.normal(size=3), transforms.log(random_rotation(rng))
            start = figure.pose(q)
            up = start.matrix("pelvis")[:3, 2]
            target = start.position("sole") + rng.uniform(0.02, 0.35) * up
            pelvis = start.matrix("pelvis")
            yield start, [mk.Placement("pelvis", pelvis[:3, 3], pelvis), mk.Position("sole", target)]

    assert left_behind(cases()) == []


@pytest.mark.parametrize("links", [2, 3, 5, 8])
def test_a_straight_chain_in_a_plane_folds(links):
    def cases():
        for case in range(CASES):
            rng = np.random.default_rng([43, links, case])
            figure = chain(
                rng.uniform(0.2, 0.4, size=links),
                ["R(y)"] * links,
                location=placed(rng.normal(size=3), random_rotation(rng)),
                lower=[-3.0, *(0.0 for _ in range(links - 1))],
                upper=[3.0, *(2.5 for _ in range(links - 1))],
            )
            yield (
                figure.pose(np.zeros(figure.n)),
                [mk.Position("tip", up_the_limb(figure, rng.uniform(0.02, 0.4)))],
            )

    assert left_behind(cases()) == []


def test_a_long_limb_of_ball_joints_folds():
    def cases():
        for case in range(CASES):
            rng = np.random.default_rng([44, case])
            figure = chain(
                rng.uniform(0.1, 0.3, size=6),
                ["ball", "R(x)", "ball", "R(y)", "ball", "R(x)"],
                location=placed(rng.normal(size=3), random_rotation(rng)),
            )
            start = figure.pose(np.zeros(figure.n))
            yield start, [mk.Position("tip", up_the_limb(figure, rng.uniform(0.02, 0.6)))]

    assert left_behind(cases()) == []


def test_a_straight_leg_with_its_foot_kept_level_bends_hip_knee_and_ankle():
    def cases():
        for case in range(CASES):
            rng = np.random.default_rng([45, case])
            figure = leg(rng)
            start = figure.pose(np.zeros(figure.n))
            target = up_the_limb(figure, rng.uniform(0.02, 0.1))
            yield start, [mk.Placement("tip", target, start.matrix("tip"))]

    assert left_behind(cases()) == []


def test_a_straight_limb_that_may_not_bend_stays_and_says_so():
    figure = chain([0.4, 0.4], ["R(y)", "R(y)"], lower=[-1.0, 0.0], upper=[1.0, 0.0])
    goals = [mk.Position("tip", [0, 0, 0.6])]
    solution = check(mk.solve(figure, goals))
    assert solution.status == "stationary" and solution.position_errors[0] == pytest.approx(0.2)


def test_a_knee_with_little_room_bends_as_far_as_it_may():
    for case in range(CASES):
        rng = np.random.default_rng([46, case])
        room = rng.uniform(0.05, 0.3)
        figure = chain([0.4, 0.4], ["ball", "R(y)"], up=-1.0, lower=[-2.0, 0.0], upper=[2.0, room])
        goals = [mk.Position("tip", up_the_limb(figure, 0.3))]
        start = figure.pose(np.zeros(figure.n))
        solution = check(mk.solve(start, goals))
        least = 0.8 * np.cos(0.5 * room) - 0.8 * 0.7
        assert solution.position_errors[0] == pytest.approx(least, rel=1e-6)
        assert solution.cost < potential(goals, start)


def antipodal_bodies(goal):
    figure = Figure("body", [Segment("body")], [], [Site("nose", "body", placed((0.2, 0, 0.1)))], base="free")
    for case in range(CASES):
        rng = np.random.default_rng([47, case])
        q = np.concatenate([rng.normal(size=3), transforms.log(random_rotation(rng))])
        start = figure.pose(q if case % 4 else 0.0 * q)
        frame = start.matrix("nose")
        axis = np.eye(3)[case % 3] if case % 5 == 0 else random_direction(rng)
        yield start, [goal("nose", frame, half_turn(axis) @ frame[:3, :3], rng)]


def turned(site, frame, target, _rng):
    return mk.Orientation(site, target)


def turned_in_place(site, frame, target, _rng):
    return mk.Placement(site, frame[:3, 3], target)


def turned_elsewhere(site, frame, target, rng):
    return mk.Placement(site, frame[:3, 3] + rng.normal(size=3), target)


@pytest.mark.parametrize("goal", [turned, turned_in_place, turned_elsewhere])
def test_a_free_body_turned_by_half_a_turn_turns_back(goal):
    assert left_behind(antipodal_bodies(goal)) == []


@pytest.mark.parametrize("axes", [(1, 1, 0), (0, 0, 1), (2, 1, 0.5)])
def test_a_free_body_turns_back_whatever_axes_are_minded(axes):
    def goal(site, frame, target, _rng):
        return mk.Orientation(site, target, axes=axes)

    assert left_behind(antipodal_bodies(goal)) == []


def test_ball_joints_turned_by_half_a_turn_turn_back():
    def cases():
        for case in range(CASES):
            rng = np.random.default_rng([48, case])
            figure = chain([0.3, 0.2], ["ball", "ball(x)"])
            start = figure.pose(rng.uniform(-1.5, 1.5, figure.n) * (case % 4 != 0))
            frame = start.matrix("tip")
            yield start, [mk.Orientation("tip", half_turn(random_direction(rng)) @ frame[:3, :3])]

    assert left_behind(cases()) == []


def test_a_single_ball_joint_turns_back():
    def cases():
        figure = chain([0.3], ["ball"])
        for case in range(CASES):
            rng = np.random.default_rng([49, case])
            start = figure.pose(rng.uniform(-1.0, 1.0, figure.n) * (case % 4 != 0))
            yield (
                start,
                [mk.Orientation("tip", half_turn(random_direction(rng)) @ start.matrix("tip")[:3, :3])],
            )

    assert left_behind(cases()) == []


def unlimited_arm() -> Figure:
    """The seven joints of the demonstration's arm, without their limits."""
    limited = arm()
    joints = [
        Joint(joint.name, joint.parent, joint.child, joint.motion, joint.placement, joint.child_placement)
        for joint in limited.joints.values()
    ]
    return Figure("arm", limited.segments.values(), joints, [limited.sites["tool"]])


def test_an_arm_of_seven_joints_turns_its_tool_by_half_a_turn():
    figure = unlimited_arm()

    def cases():
        for case in range(CASES):
            rng = np.random.default_rng([50, case])
            start = random_pose(figure, rng)
            frame = start.matrix("tool")
            yield start, [mk.Orientation("tool", half_turn(random_direction(rng)) @ frame[:3, :3])]

    assert left_behind(cases()) == []


def test_an_arm_with_limits_gets_well_below_the_half_turn_it_starts_from():
    figure = arm()
    reached = 0
    for case in range(CASES):
        rng = np.random.default_rng([51, case])
        start = random_pose(figure, rng)
        frame = start.matrix("tool")
        target = half_turn(random_direction(rng)) @ frame[:3, :3]
        goals = [mk.Orientation("tool", target)]
        solution = check(mk.solve(start, goals))
        reached += solution.reached
        assert solution.cost < 0.75 * potential(goals, start)
    assert reached >= 0.9 * CASES


def test_an_arm_with_limits_leaves_a_placement_turned_by_half_a_turn():
    figure = arm()
    for case in range(CASES):
        rng = np.random.default_rng([52, case])
        start = random_pose(figure, rng)
        frame = start.matrix("tool")
        goals = [mk.Placement("tool", frame[:3, 3], half_turn(random_direction(rng)) @ frame[:3, :3])]
        solution = check(mk.solve(start, goals))
        assert solution.cost < 0.9 * potential(goals, start)


def test_a_turn_about_the_only_hinge_is_left_by_half_a_turn():
    def cases():
        for case in range(CASES):
            rng = np.random.default_rng([53, case])
            axis = random_direction(rng)
            figure = chain([0.3], [f"R({','.join(map(str, axis))})"])
            start = figure.pose(rng.uniform(-3, 3, size=1))
            yield start, [mk.Orientation("tip", half_turn(axis) @ start.matrix("tip")[:3, :3])]

    assert left_behind(cases()) == []


def backwards(figure: Figure, site: str, spread: float, seed: int):
    for case in range(CASES):
        rng = np.random.default_rng([seed, case])
        start = figure.pose(rng.uniform(-spread, spread, figure.n) * (case % 4 != 0))
        frame, axis = start.matrix(site), random_direction(rng)
        if case % 3 == 0:
            axis = np.eye(3)[case % 9 // 3]
        distance = rng.uniform(0.5, 5.0)
        yield start, [mk.Aim(site, at=frame[:3, 3] - distance * frame[:3, :3] @ axis, axis=axis)]


def test_a_free_body_that_aims_backwards_turns_round():
    figure = Figure("body", [Segment("body")], [], [Site("nose", "body", (0.2, 0.1, 0.3))], base="free")
    assert left_behind(backwards(figure, "nose", 1.5, 54)) == []


def test_ball_joints_that_aim_backwards_turn_round():
    assert left_behind(backwards(chain([0.3, 0.2], ["ball", "ball(x)"]), "tip", 1.2, 55)) == []


def test_an_arm_that_aims_backwards_turns_round():
    assert left_behind(backwards(unlimited_arm(), "tool", 1.5, 56)) == []


def test_eyes_that_aim_backwards_turn_round_inside_limits():
    """A neck and a waist that can turn by 100° each: enough to look behind, by turning one way."""
    figure = chain(
        [0.4, 0.2],
        ["R(z)*R(y)", "R(z)*R(y)"],
        lower=[(-1.75, -0.5), (-1.75, -0.5)],
        upper=[(1.75, 0.5), (1.75, 0.5)],
        sites=[Site("eyes", "link2", (0.08, 0, 0.1))],
    )

    def cases():
        for case in range(CASES):
            rng = np.random.default_rng([57, case])
            yield figure.pose(), [mk.Aim("eyes", at=[-rng.uniform(1.0, 5.0), 0.0, 0.7])]

    assert left_behind(cases()) == []


def test_weights_and_scales_of_angles_do_not_hide_a_saddle():
    def cases():
        for start, (goal,) in antipodal_bodies(turned):
            for weight, scale in ((1e-4, 57.3), (1e4, 57.3), (1.0, 1.0), (1.0, 2000.0)):
                yield start, [mk.Orientation(goal.site, goal.target, degrees_per_metre=scale, weight=weight)]

    assert left_behind(cases()) == []
