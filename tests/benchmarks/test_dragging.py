"""The dragged hand: its oracle finds what is wrong, its paths close, and drift is what it says."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.drag_cases import BALANCE, PINS, SOFT, Case, human_cases, loop_path
from benchmarks.drag_oracle import (
    HARD,
    Seen,
    angle_between,
    beyond_limits,
    clearance,
    flaws,
    inside_support,
)
from benchmarks.drag_stationary import from_optimum
from benchmarks.dragging import drag, requirements
from benchmarks.drift import BOX, Rounds, ellipse, go_round, swing
from scipy.optimize import minimize

import manikin as mk

FEET = ("left_foot", "right_foot")


@pytest.fixture(scope="module")
def body():
    return mk.human(stature=1.75, fingers=False)


def test_the_oracle_sees_sites_and_masses_where_the_compiled_pose_has_them(body):
    q = np.random.default_rng(0).uniform(-0.3, 0.3, body.n)
    seen, pose = Seen(body, q), body.pose(q)
    for site in ("right_hand", "left_foot", "eyes"):
        np.testing.assert_allclose(seen.site(site), pose.matrix(site), atol=1e-12)
    np.testing.assert_allclose(seen.center_of_mass(), pose.center_of_mass(), atol=1e-12)


def test_a_figure_that_stands_as_it_began_has_no_flaws(body):
    rest = np.array(body.pose().q)
    hand = body.pose().position("right_hand")
    goals = [mk.Position("right_hand", hand), *(mk.Pin(foot) for foot in FEET), mk.Balance(hard=True)]
    assert flaws(body, goals, [hand, None, None, None], rest, rest) == []


def test_a_hand_is_missed_beyond_a_tenth_of_a_millimetre(body):
    rest, goal = np.array(body.pose().q), mk.Position("right_hand", np.zeros(3))
    hand = body.pose().position("right_hand")
    assert flaws(body, [goal], [hand + [0.9e-4, 0.0, 0.0]], rest, rest) == []
    assert flaws(body, [goal], [hand + [1.1e-4, 0.0, 0.0]], rest, rest) == [goal.label()]
    hard = mk.Position("right_hand", np.zeros(3), hard=True)
    assert flaws(body, [hard], [hand + [2.0 * HARD, 0.0, 0.0]], rest, rest) == [hard.label()]


def test_a_pin_means_the_start_and_holds_to_1e_8_where_it_is_hard(body):
    start = np.array(body.pose().q)
    moved = start.copy()
    moved[body.index("root_x")] += 1e-6
    hard, soft = mk.Pin("left_foot"), mk.Pin("left_foot", hard=False)
    assert flaws(body, [hard], [None], start, moved) == [hard.label()]
    assert flaws(body, [soft], [None], start, moved) == flaws(body, [hard], [None], moved, moved) == []


def test_a_soft_foot_is_missed_when_it_is_rotated(body):
    start = np.array(body.pose().q)
    foot = mk.Placement("left_foot", body.pose().position("left_foot"), body.pose().matrix("left_foot"))
    assert flaws(body, [foot], [None], start, start) == []
    c, s = np.cos(2e-3), np.sin(2e-3)
    target = body.pose().matrix("left_foot").copy()
    target[:3, :3] = target[:3, :3] @ [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
    assert angle_between(target, body.pose().matrix("left_foot")) == pytest.approx(2e-3)
    assert flaws(body, [foot], [target], start, start) == [foot.label()]


def test_a_person_who_leans_too_far_is_out_of_balance(body):
    rest = np.array(body.pose().q)
    assert inside_support(Seen(body, rest), FEET) > 0.02
    leaning = rest.copy()
    leaning[body.index("root_ry")] = 0.3
    assert inside_support(Seen(body, leaning), FEET) < 0.0
    goal = mk.Balance(hard=True)
    assert goal.label() in flaws(body, [goal], [None], leaning, leaning)


def test_clearance_is_the_distance_to_the_nearest_part_of_the_body(body):
    seen = Seen(body, np.array(body.pose().q))
    far = mk.Ball([0.0, 0.0, 3.0], 0.1)
    top = seen.site("vertex")[2, 3]
    assert clearance(seen, "*", far) == pytest.approx(3.0 - 0.1 - top, abs=0.02)
    goal = mk.Outside("*", mk.Ball(seen.site("right_hand")[:3, 3], 0.05))
    assert flaws(body, [goal], [None], seen.q, seen.q) == [goal.label()]


def test_limits_are_ranges_couplings_and_cones():
    body = mk.human(stature=1.75, fingers=False, swings="cones")
    rest = np.array(body.pose().q)
    assert beyond_limits(body, rest) <= 1e-12
    out = rest.copy()
    knee = body.index("left_knee")
    out[knee] = body.upper[knee] + 1e-3
    assert beyond_limits(body, out) == pytest.approx(1e-3)
    cone = body.cones[0]
    swung = rest.copy()
    swung[cone.first] = cone.center_1 + 0.9 * cone.radius_1
    swung[cone.second] = cone.center_2 + 0.9 * cone.radius_2
    assert beyond_limits(body, swung) >= cone.distance(swung) > 0.1
    assert "limits" in flaws(body, [], [], swung, swung)


def test_an_open_loop_is_a_flaw(body):
    tied = body.with_loop("left_hand", "right_hand", "position")
    rest = np.array(tied.pose().q)
    assert flaws(tied, [], [], rest, rest) == ["loops"]


def test_a_goal_that_the_oracle_does_not_know_is_refused(body):
    rest = np.array(body.pose().q)
    with pytest.raises(TypeError, match="the oracle knows no such goal"):
        flaws(body, [mk.Aim("eyes", at=[1.0, 0.0, 1.5])], [None], rest, rest)


def test_the_path_of_the_hand_is_closed():
    path = loop_path((0.1, 0.2, 0.3), 0.15, 200)
    steps = np.linalg.norm(np.diff(np.vstack([path, path[:1]]), axis=0), axis=1)
    assert steps.max() < 0.01 and steps.min() > 0.001
    assert np.linalg.norm(path - [0.1, 0.2, 0.3], axis=1).max() < 0.2


def test_the_gaze_follows_the_hand_and_the_feet_do_not():
    case = next(case for case in human_cases() if case.follow)
    point = np.ones(3)
    moved = case.targets(len(case.problem().goals), point)
    assert [target is point for target in moved] == [True, False, False, True]


def test_every_case_is_compared_with_one_of_the_same_figure():
    cases = {case.name: case for case in human_cases()}
    assert all(case.without in cases for case in cases.values())
    assert {SOFT, PINS, BALANCE} < cases.keys()


def test_a_dragged_arm_is_timed_and_checked_at_every_target():
    arm = mk.human(stature=1.75, fingers=False).pose()
    goals = [mk.Position("right_hand", arm.position("right_hand"))]
    found = drag([Case("human", "position", arm, goals)], 8, 1)["position"]
    assert found.met == 100.0 and not found.wrong
    assert np.isfinite(found.seconds).all() and (found.seconds > 0.0).all()


def test_what_must_hold_is_compared_with_the_case_that_it_names():
    def dragged(case, seconds):
        return SimpleNamespace(case=case, median=seconds, met=100.0, wrong=Counter())

    times = {"hard pins": 20e-6, "soft feet": 10e-6, BALANCE: 45e-6, "hard pins, posture": 40e-6}
    all_ = {case.name: dragged(case, times.get(case.name, 1e-5)) for case in human_cases()}
    lines = {line.what: line for line in requirements(all_)}
    assert lines[f"human: {BALANCE}, over soft feet"].value == pytest.approx(4.5)
    assert lines[f"human: {BALANCE}, over soft feet"].met is False
    assert lines[f"human: {BALANCE}, median µs"].met is True
    assert lines["human: hard pins, posture, over hard pins"].value == pytest.approx(2.0)
    assert lines["human: soft feet, one obstacle, over soft feet"].met is True


def test_drift_is_from_the_end_of_the_first_round_and_along_later_ones_from_the_second():
    q = np.zeros((4, 3, 2))
    q[0, 0, 0] = 9.0  # the first round begins elsewhere
    q[2, -1, 0], q[3, 1, 1] = 0.5, -2.0
    both, first = np.array([True, True]), np.array([True, False])
    rounds = Rounds(q, 0)
    assert rounds.ends(both) == 0.5 and rounds.anywhere(both) == 2.0 and rounds.anywhere(first) == 0.5
    assert rounds.ends(np.array([False, False])) == 0.0


def test_an_arm_without_freedom_to_spare_does_not_drift():
    joints = [
        mk.Joint.revolute("a", "base", "upper", "z", lower=-3.0, upper=3.0),
        mk.Joint.revolute("b", "upper", "lower", "z", placement=(0.4, 0, 0), lower=0.1, upper=3.0),
        mk.Joint.prismatic("c", "lower", "hand", "z", placement=(0.4, 0, 0), lower=-1.0, upper=1.0),
    ]
    figure = mk.Figure("arm", ["base", "upper", "lower", "hand"], joints)
    start = figure.pose([0.2, 1.2, 0.0])
    targets = swing(start, "hand", np.random.default_rng(1), 20)
    np.testing.assert_allclose(targets[-1], start.matrix("hand"), atol=1e-12)
    assert np.linalg.norm(np.diff(targets[:, :3, 3], axis=0), axis=1).max() < 0.1
    problem = mk.Problem(start, [mk.Position("hand", start.position("hand"))])
    found = go_round(problem, targets[:, :3, 3], 3)
    assert found.missed == 0 and found.q.shape == (3, 20, 3)
    assert found.ends(np.ones(3, bool)) < 1e-3


def test_the_paths_of_a_persons_hand_are_closed_ellipses_about_points_of_the_box():
    for seed in range(5):
        path = ellipse(np.random.default_rng(seed), 60)
        middle = path.mean(axis=0)
        assert (middle >= BOX[0]).all() and (middle <= BOX[1]).all()
        away = np.linalg.norm(path - middle, axis=1)
        assert away.min() >= 0.05 - 1e-12 and away.max() <= 0.12 + 1e-12
        assert np.linalg.norm(path[0] - path[-1]) < 0.02


def test_the_distance_from_an_optimum_vanishes_where_scipy_finds_it_and_is_about_right_beside_it():
    joints = [
        mk.Joint.revolute(f"j{i}", f"s{i}", f"s{i + 1}", "z", placement=(0.3, 0, 0), lower=-2.0, upper=upper)
        for i, upper in enumerate((2.0, 0.4, 2.0, 2.0))
    ]
    figure = mk.Figure("arm", [f"s{i}" for i in range(5)], joints)
    target, rest = figure.pose([0.5, 0.35, 0.6, 0.9]).position("s4"), np.zeros(4)
    goals = [mk.Position("s4", target), mk.Posture()]
    found = minimize(
        lambda q: float(q @ q),
        [0.5, 0.35, 0.6, 0.9],
        method="SLSQP",
        bounds=[(-2.0, joint.upper) for joint in (SimpleNamespace(upper=u) for u in (2.0, 0.4, 2.0, 2.0))],
        constraints={"type": "eq", "fun": lambda q: (figure.pose(q).position("s4") - target)[:2]},
        options={"ftol": 1e-15, "maxiter": 500},
    )
    assert from_optimum(figure, goals, rest, found.x) < 1e-4
    other = np.array([0.5, 0.35, 0.6, 0.9])
    assert 0.5 < from_optimum(figure, goals, rest, other) / np.abs(other - found.x).max() < 2.0
    assert from_optimum(figure, goals[:1], rest, found.x) is None


def test_a_limit_balances_a_gradient_that_pushes_against_it_and_not_one_that_leaves_it():
    joint = mk.Joint.revolute("j", "a", "b", "z", lower=-1.0, upper=1.0)
    held = mk.Figure("hinge", ["a", "b"], [joint]).with_couplings("j >= 0.5", "j <= 0.9")
    start = np.array([0.7])
    assert from_optimum(held, [mk.Posture()], start, np.array([0.5])) == pytest.approx(0.0, abs=1e-12)
    assert from_optimum(held, [mk.Posture()], start, np.array([0.9])) == pytest.approx(0.9)
    assert from_optimum(held, [mk.LeastChange()], start, np.array([0.7])) == 0.0


def test_an_objective_with_values_of_its_own_is_refused():
    figure = mk.Figure("hinge", ["a", "b"], [mk.Joint.revolute("j", "a", "b", "z", lower=-1.0, upper=1.0)])
    with pytest.raises(TypeError, match="its weights are not known here"):
        from_optimum(figure, [mk.Posture({"j": 0.2})], np.zeros(1), np.zeros(1))
