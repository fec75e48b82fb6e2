from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.cli.robot import arm
from manikin.figure import Figure, Follow, Joint, Segment, Site, transforms

from .samples import (
    EXACT,
    ROBOTS,
    chain,
    check,
    half_turn,
    placed,
    potential,
    random_direction,
    random_pose,
    random_rotation,
    robot,
)

KINDS = ("position", "orientation", "placement", "aim", "line", "plane")


def goal_met_by(pose: mk.Pose, site: str, kind: str, rng: np.random.Generator) -> mk.Goal:
    """A goal that this pose meets."""
    frame = pose.matrix(site)
    r, d = frame[:3, 3], random_direction(rng)
    match kind:
        case "position":
            return mk.Position(site, r)
        case "orientation":
            return mk.Orientation(site, frame)
        case "placement":
            return mk.Placement(site, r, frame)
        case "aim":
            return mk.Aim(site, at=r + 0.7 * frame[:3, :3] @ d, axis=d)
        case "line":
            return mk.OnLine(site, r + 0.3 * d, d)
    return mk.OnPlane(site, r + 0.3 * np.cross(d, random_direction(rng)), d)


def figure_and_sites(name: str) -> tuple[Figure, tuple[str, ...]]:
    return (arm(), ("tool",)) if name == "arm" else (robot(name), ROBOTS[name][2])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["arm", *ROBOTS])
def test_goals_within_reach_are_reached(name, kind):
    figure, sites = figure_and_sites(name)
    rng = np.random.default_rng(11)
    at_once = 0
    for _ in range(30):
        pose = random_pose(figure, rng)
        goals = [goal_met_by(pose, site, kind, rng) for site in sites]
        solution = check(mk.solve(figure, goals, restarts=60))
        assert solution.reached, solution.explain()
        at_once += mk.solve(figure, goals, method="projection").reached
    assert at_once >= (10 if kind == "placement" else 20)


@pytest.mark.parametrize("name", ["panda", "talos"])
def test_mixtures_of_goals_are_reached_together(name):
    figure, sites = figure_and_sites(name)
    rng = np.random.default_rng(12)
    for _ in range(30):
        pose = random_pose(figure, rng)
        goals = [goal_met_by(pose, site, str(rng.choice(KINDS)), rng) for site in sites]
        middle = list(figure.segments)[len(figure.segments) // 2]
        goals.append(goal_met_by(pose, middle, "plane", rng))
        solution = check(mk.solve(figure, goals, restarts=60))
        assert solution.reached, solution.explain()


def test_the_potential_is_the_goals_own():
    figure, rng = arm(), np.random.default_rng(13)
    for _ in range(20):
        goals = [
            mk.Placement(
                "tool",
                rng.normal(size=3),
                random_rotation(rng),
                position_share=0.3,
                axes=(1, 0.5, 0),
                degrees_per_metre=20.0,
                weight=2.0,
            ),
            mk.Aim(
                "elbow", rng.normal(size=3), axis=random_direction(rng), degrees_per_metre=30.0, weight=0.5
            ),
            mk.OnLine("elbow", rng.normal(size=3), random_direction(rng), weight=0.1),
            mk.OnPlane("tool", rng.normal(size=3), random_direction(rng), weight=3.0),
            mk.Orientation("elbow", random_rotation(rng), axes=(0, 0, 1), weight=0.2),
        ]
        solution = check(mk.solve(figure, goals))
        assert solution.cost == pytest.approx(potential(goals, solution.pose), rel=1e-9)
        assert solution.cost <= potential(goals, figure.pose())


def test_no_neighbouring_pose_is_better_where_it_ends_stationary():
    figure, rng = arm(), np.random.default_rng(14)
    for _ in range(10):
        goals = [mk.Placement("tool", 2.0 * random_direction(rng), random_rotation(rng))]
        solution = check(mk.solve(figure, goals))
        assert solution.status == "stationary"
        for _ in range(50):
            q = np.clip(solution.q + 1e-3 * rng.normal(size=figure.n), figure.lower, figure.upper)
            assert potential(goals, figure.pose(q)) >= solution.cost - 1e-9


def free_body() -> Figure:
    sites = [Site("nose", "body", (0.2, 0.0, 0.1))]
    return Figure("body", [Segment("body")], [], sites, base="free")


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_a_free_body_goes_anywhere_and_its_rotation_vector_stays_within_half_a_turn(turns):
    figure, rng = free_body(), np.random.default_rng(15)
    for _ in range(50):
        q = np.concatenate([rng.normal(size=3), (rng.uniform(0, np.pi) + 2 * np.pi * turns) * np.eye(3)[0]])
        q[3:] = random_rotation(rng) @ q[3:]
        goal = mk.Placement("nose", 3.0 * rng.normal(size=3), random_rotation(rng))
        solution = check(mk.solve(figure.pose(q), [goal]))
        assert solution.reached
        assert np.linalg.norm(solution.q[3:6]) <= np.pi + 1e-12


def ball_arm(**limits) -> Figure:
    return chain([0.3, 0.25, 0.1], ["ball", "R(y)", "ball(x)"], **limits)


def test_ball_joints_are_solved_without_limits_and_inside_them():
    rng = np.random.default_rng(16)
    limited = ball_arm(lower=[(-1.0, -0.4, -0.5), 0.0, -0.7], upper=[(0.8, 1.2, 1.0), 2.5, 0.7])
    for figure in (ball_arm(), limited):
        for _ in range(40):
            pose = random_pose(figure, rng)
            frame = pose.matrix("tip")
            goals = [mk.Placement("tip", frame[:3, 3], frame)]
            solution = check(mk.solve(figure, goals, restarts=30))
            assert solution.reached, solution.explain()


def fingers() -> Figure:
    """Two knuckles follow the first: one by half with an offset, one by −1.5; their limits bind it."""
    joints = [
        Joint.revolute("first", "palm", "a", "y", lower=-3.0, upper=3.0),
        Joint.revolute(
            "second",
            "a",
            "b",
            "y",
            placement=(0, 0, 0.05),
            lower=-0.2,
            upper=0.7,
            follow=Follow({"first": 0.5}, 0.1),
        ),
        Joint.revolute(
            "third",
            "b",
            "c",
            "y",
            placement=(0, 0, 0.04),
            lower=-1.2,
            upper=5.0,
            follow=Follow({"first": -1.5}),
        ),
        Joint.prismatic("slide", "c", "d", "x", lower=-0.01, upper=0.02),
    ]
    return Figure("finger", ["palm", *"abcd"], joints, [Site("tip", "d", (0, 0, 0.03))])


def test_followers_stay_inside_their_own_limits():
    figure, rng = fingers(), np.random.default_rng(17)
    ends = []
    for _ in range(50):
        target = 0.12 * random_direction(rng)
        solution = check(mk.solve(figure, [mk.Position("tip", target)]))
        first, _slide = solution.q
        assert -0.2 - EXACT <= 0.1 + 0.5 * first <= 0.7 + EXACT
        assert -1.2 - EXACT <= -1.5 * first <= 5.0 + EXACT
        ends.append(first)
    assert min(ends) == pytest.approx(-0.6) and max(ends) == pytest.approx(0.8)


def test_a_follower_of_two_axes_stays_inside_its_limits():
    joints = [
        Joint.revolute("a", "s0", "s1", "y"),
        Joint.revolute("b", "s1", "s2", "y", placement=(0, 0, 0.3)),
        Joint.revolute(
            "c",
            "s2",
            "s3",
            "y",
            placement=(0, 0, 0.3),
            lower=-0.5,
            upper=0.4,
            follow=Follow({"a": 1, "b": -2}),
        ),
    ]
    figure = Figure("two drivers", ["s0", "s1", "s2", "s3"], joints, [Site("tip", "s3", (0, 0, 0.3))])
    rng = np.random.default_rng(18)
    held = 0
    for _ in range(50):
        target = rng.uniform(0.2, 1.2) * random_direction(rng) * [1, 0, 1]
        solution = check(mk.solve(figure, [mk.Position("tip", target)]))
        a, b = solution.q
        assert -0.5 - EXACT <= a - 2 * b <= 0.4 + EXACT
        held += not solution.reached and any(limit.row is not None for limit in solution.active_constraints())
    assert held > 5


def test_slides_are_solved_within_their_ranges():
    figure = chain(
        [0.1, 0.1, 0.1], ["T(x)*T(y)", "T(z)", "R(z)"], lower=[-1.0, 0.0, -3.0], upper=[1.0, 0.5, 3.0]
    )
    inside = check(mk.solve(figure, [mk.Position("tip", [0.6, -0.7, 0.65])]))
    assert inside.reached and inside.q[:3] == pytest.approx([0.6, -0.7, 0.35], abs=1e-4)
    outside = check(mk.solve(figure, [mk.Position("tip", [2.0, -0.7, 1.3])]))
    assert outside.q[:3] == pytest.approx([1.0, -0.7, 0.5], abs=1e-6)
    assert {limit.name for limit in outside.active_constraints()} == {"j1_x", "j2"}


@pytest.mark.parametrize("turns", [-3, 0, 1, 4])
def test_turns_without_limits_end_nearest_to_where_they_began(turns):
    figure = chain([0.2, 0.3, 0.2], ["R(z)*R(y)", "R(y)", "R(z)*R(y)"])
    rng = np.random.default_rng(19)
    for _ in range(40):
        start = figure.pose(rng.uniform(-np.pi, np.pi, figure.n) + 2 * np.pi * turns)
        frame = random_pose(figure, rng).matrix("tip")
        solution = check(mk.solve(start, [mk.Placement("tip", frame[:3, 3], frame)]))
        assert np.abs(solution.q - start.q).max() <= np.pi + 1e-9


def test_a_start_of_twenty_radians_is_not_unwound_to_zero():
    figure = chain([0.2, 0.3], ["R(z)", "R(y)"])
    start = figure.pose([20.0, -20.0])
    target = figure.pose([0.3, 0.4]).position("tip")
    solution = check(mk.solve(start, [mk.Position("tip", target)]))
    assert solution.reached
    assert np.abs(solution.q - start.q).max() <= np.pi


def test_a_turn_with_limits_beyond_a_whole_turn_stays_inside_them():
    figure = chain([0.2, 0.3], ["R(z)", "R(y)"], lower=[-9.0, 0.1], upper=[9.0, 2.0])
    rng = np.random.default_rng(20)
    for _ in range(30):
        start = random_pose(figure, rng)
        solution = check(mk.solve(start, [mk.Position("tip", random_pose(figure, rng).position("tip"))]))
        if abs(start.q[0]) < 9.0 - np.pi:
            assert solution.reached
            assert abs(solution.q[0] - start.q[0]) <= np.pi + 1e-9


def test_what_is_not_free_does_not_move_at_all():
    figure, rng = robot("talos"), np.random.default_rng(21)
    for free in (["arm_left_*"], ["torso_*", "arm_left_*"], "root_*"):
        for _ in range(10):
            start, target = random_pose(figure, rng), random_pose(figure, rng)
            goals = [mk.Position("gripper_left_base_link", target.position("gripper_left_base_link"))]
            solution = check(mk.solve(start, goals, free=free))
            frozen = np.setdiff1d(np.arange(figure.n), figure.select(free))
            assert np.array_equal(solution.q[frozen], start.q[frozen])
            assert (solution.q[figure.select(free)] != start.q[figure.select(free)]).any()


def test_what_matters_to_no_goal_stays_but_is_brought_into_range():
    figure, rng = robot("talos"), np.random.default_rng(22)
    start = figure.pose(random_pose(figure, rng).q)
    other = figure.select(["arm_right_*", "leg_*", "head_*"])
    outside = start.q.copy()
    outside[figure.index("leg_left_4_joint")] = 5.0
    goals = [
        mk.Position("gripper_left_base_link", random_pose(figure, rng).position("gripper_left_base_link"))
    ]
    inside = check(mk.solve(start, goals))
    assert np.array_equal(inside.q[other], start.q[other])
    brought = check(mk.solve(figure.pose(outside), goals))
    upper = figure.upper[figure.index("leg_left_4_joint")]
    assert brought.corrected_start == {"leg_left_4_joint": (5.0, upper)}
    assert np.array_equal(brought.q[other], np.minimum(outside, figure.upper)[other])


def test_a_stiffer_joint_moves_less():
    def moved(stiffness: float) -> float:
        rest = [0.3, 0.4, 0.5]  # where it begins, so that nothing pulls it anywhere
        figure = chain([0.3, 0.3, 0.3], ["R(y)"] * 3, stiffness=[1.0, stiffness, 1.0], rest=rest)
        start = figure.pose(rest)
        target = start.position("tip") + np.array([0.08, 0.0, -0.05])
        solution = check(mk.solve(start, [mk.Position("tip", target)]))
        assert solution.reached
        return abs(solution.q[1] - 0.4)

    amounts = [moved(stiffness) for stiffness in (0.1, 1.0, 10.0, 100.0)]
    assert amounts == sorted(amounts, reverse=True)
    assert amounts[-1] < 0.2 * amounts[1]


def test_the_same_question_has_the_same_answer_to_the_last_bit():
    figure, rng = robot("talos"), np.random.default_rng(23)
    for _ in range(10):
        start, target = random_pose(figure, rng), random_pose(figure, rng)
        sites = ROBOTS["talos"][2]
        first, second = (
            mk.solve(
                start,
                [mk.Placement(s, target.position(s), target.matrix(s)) for s in sites],
                restarts=3,
                seed=5,
            )
            for _ in range(2)
        )
        check(first)
        assert first.q.tobytes() == second.q.tobytes()
        assert first.cost == second.cost and first.iterations == second.iterations


def test_a_solve_is_not_disturbed_by_those_before_it():
    figure, rng = arm(), np.random.default_rng(24)
    problem = mk.Problem(figure, [mk.Placement("tool", [0.4, 0.2, 0.4], np.eye(3))])
    starts = [random_pose(figure, rng) for _ in range(20)]
    once = [problem.solve(start).q for start in starts]
    again = [problem.solve(start).q for start in reversed(starts)]
    for q, other in zip(once, reversed(again), strict=True):
        assert q.tobytes() == other.tobytes()


def hard_case() -> tuple[Figure, mk.Goal]:
    """A placement that neither the rest pose nor the middle of the ranges, the first further start, leads to."""
    figure, rng = robot("panda"), np.random.default_rng(25)
    while True:
        frame = random_pose(figure, rng).matrix("panda_hand_tcp")
        goal = mk.Placement("panda_hand_tcp", frame[:3, 3], frame)
        if not mk.solve(figure, [goal], restarts=1).reached:
            return figure, goal


def test_restarts_try_more_starts_until_all_is_reached():
    figure, goal = hard_case()
    single = check(mk.solve(figure, [goal], restarts=0))
    assert single.starts == 1 and not single.reached
    found = check(mk.solve(figure, [goal], restarts=100))
    assert found.reached and 1 < found.starts <= 101
    exhausted = check(mk.solve(figure, [goal], restarts=found.starts - 2))
    assert not exhausted.reached and exhausted.starts == found.starts - 1
    assert exhausted.cost <= single.cost


def test_seeds_choose_the_starts():
    figure, goal = hard_case()
    answers = [mk.solve(figure, [goal], restarts=100, seed=seed).q for seed in (1, 1, 2)]
    assert np.array_equal(answers[0], answers[1]) and not np.array_equal(answers[0], answers[2])


def test_restarts_leave_what_is_not_free_alone():
    figure, goal = hard_case()
    solution = check(mk.solve(figure, [goal], restarts=5, free=["panda_joint[1-6]"]))
    frozen = figure.index("panda_joint7")
    assert solution.q[frozen] == figure.rest[frozen]


def test_out_of_time_it_stops_with_the_best_so_far():
    figure, goal = hard_case()
    start = potential([goal], figure.pose())
    hasty = check(mk.solve(figure, [goal], time_limit=1e-9))
    assert hasty.status in ("time_limit", "stationary")
    assert hasty.cost < start
    leisurely = check(mk.solve(figure, [goal], time_limit=100.0))
    assert leisurely.q.tobytes() == mk.solve(figure, [goal]).q.tobytes()


def test_no_restart_begins_after_the_time_is_out():
    figure, goal = hard_case()
    solution = check(mk.solve(figure, [goal], restarts=10**6, time_limit=1e-9))
    assert solution.starts == 1


@pytest.mark.parametrize("tolerance", [(1e-2, 1e-1), (1e-4, 1e-3), (1e-7, 1e-6)])
def test_what_is_reached_is_reached_within_the_tolerance(tolerance):
    figure, rng = arm(), np.random.default_rng(26)
    for _ in range(30):
        frame = random_pose(figure, rng).matrix("tool")
        goal = mk.Placement("tool", frame[:3, 3], frame)
        solution = check(mk.solve(figure, [goal], restarts=30, tolerance=tolerance), tolerance=tolerance)
        assert solution.reached


def test_a_target_just_out_of_reach_is_reached_by_a_wide_tolerance_only():
    figure = chain([0.5, 0.5], ["R(y)", "R(y)"])
    start = figure.pose([0.2, 0.4])
    goal = mk.Position("tip", [1.0005, 0.0, 0.0])
    narrow = check(mk.solve(start, [goal]))
    assert not narrow.reached and narrow.position_errors[0] == pytest.approx(5e-4, rel=1e-3)
    assert check(mk.solve(start, [goal], tolerance=(1e-3, 1e-3)), tolerance=(1e-3, 1e-3)).reached


def test_no_goals_leave_the_start_where_it_is():
    figure = arm()
    start = random_pose(figure, np.random.default_rng(27))
    solution = check(mk.solve(start, []))
    assert solution.reached and np.array_equal(solution.q, start.q)


def test_a_single_goal_needs_no_list():
    goal = mk.Position("tool", [0.4, 0.1, 0.5])
    assert check(mk.solve(arm(), goal)).goals == (goal,)


def test_a_goal_on_the_fixed_base_has_nothing_to_move():
    solution = check(mk.solve(arm(), [mk.Position("base", [0.0, 0.0, 1.0])]))
    assert solution.status == "stationary" and solution.position_errors[0] == 1.0
    assert np.array_equal(solution.q, arm().rest)


def test_a_figure_of_one_fixed_segment_is_solved_too():
    figure = Figure("stone", ["stone"], [])
    assert check(mk.solve(figure, [mk.Position("stone", [0, 0, 0])])).reached
    assert not check(mk.solve(figure, [mk.Position("stone", [1, 0, 0])])).reached


def test_goals_are_minded_wherever_the_figure_stands():
    turn, rng = random_rotation(np.random.default_rng(1)), np.random.default_rng(28)
    here = chain([0.3, 0.3, 0.2], ["ball", "R(y)", "ball"])
    there = chain([0.3, 0.3, 0.2], ["ball", "R(y)", "ball"], location=placed([1.0, -2.0, 0.5], turn))
    for _ in range(20):
        frame = random_pose(there, rng).matrix("tip")
        local = transforms.inverse(there.location) @ frame
        moved = check(mk.solve(there, [mk.Placement("tip", frame[:3, 3], frame)]))
        still = check(mk.solve(here, [mk.Placement("tip", local[:3, 3], local)]))
        assert moved.reached and still.reached
        assert transforms.inverse(there.location) @ moved.pose.matrix("tip") == pytest.approx(
            still.pose.matrix("tip"), abs=1e-3
        )


def test_weights_decide_between_goals_that_cannot_both_be_met():
    figure = chain([1.0], ["R(y)"])
    goals = [mk.Position("tip", [1.0, 0, 0], weight=3.0), mk.Position("tip", [0, 0, 1.0], weight=1.0)]
    solution = check(mk.solve(figure.pose([0.3]), goals))
    assert solution.q[0] == pytest.approx(np.arctan2(3.0, 1.0), abs=1e-6)


def test_an_axis_that_is_not_minded_is_left_where_it_is():
    figure, rng = free_body(), np.random.default_rng(29)
    for _ in range(20):
        target = random_rotation(rng)
        goals = [mk.Orientation("nose", target, axes=(0, 0, 1))]
        solution = check(mk.solve(figure, goals))
        assert solution.reached
        spun = target @ transforms.exp([0, 0, 1.0])
        assert check(mk.solve(figure, [mk.Orientation("nose", spun, axes=(0, 0, 1))])).q == pytest.approx(
            solution.q, abs=1e-9
        )


def test_a_body_turned_upside_down_turns_back():
    figure = free_body()
    for axis in np.eye(3):
        assert check(mk.solve(figure, [mk.Orientation("nose", half_turn(axis))])).reached
