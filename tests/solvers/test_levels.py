"""Hard goals and levels: what is above holds, what is below gets as good as it can."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.problems import moved

import manikin as mk

HUMAN = mk.human()
REST = HUMAN.pose()
FEET = ("left_foot", "right_foot")


def chain(n: int = 7, seed: int = 0) -> mk.Figure:
    """A chain of n hinges with limits, a site at the middle and at the tip."""
    rng = np.random.default_rng(seed)
    axes = ["z", "y", "x", "y", "z", "y", "x"]
    joints = [
        mk.Joint.revolute(
            f"j{k}",
            f"s{k}",
            f"s{k + 1}",
            axes[k % 7],
            placement=[0.0 if k == 0 else 0.25, 0.0, 0.0],
            lower=-rng.uniform(0.8, 1.6),
            upper=rng.uniform(0.8, 1.6),
        )
        for k in range(n)
    ]
    sites = [mk.Site("tip", f"s{n}", [0.25, 0.0, 0.0]), mk.Site("middle", f"s{n // 2 + 1}", [0.1, 0.0, 0.0])]
    return mk.Figure("chain", [f"s{k}" for k in range(n + 1)], joints, sites)


def potential(figure: mk.Figure, site: str, target: np.ndarray, q: np.ndarray) -> float:
    return float(np.sum((figure.pose(q).position(site) - target) ** 2))


@pytest.mark.parametrize("seed", range(4))
def test_pinned_feet_stay_while_a_hand_is_pulled_out_of_reach(seed):
    rng = np.random.default_rng(seed)
    problem = mk.Problem(HUMAN, [mk.Position("right_hand", [0, 0, 0]), *(mk.Pin(foot) for foot in FEET)])
    for _ in range(5):
        way = rng.normal(size=3)
        problem = moved(problem, 0, target=REST.position("right_hand") + 3.0 * way / np.linalg.norm(way))
        found = problem.solve(method="lm")
        assert found.status == "stationary"
        for foot in FEET:
            assert np.abs(found.pose.matrix(foot) - REST.matrix(foot)).max() < 1e-8
        assert (found.q >= HUMAN.lower - 1e-9).all() and (found.q <= HUMAN.upper + 1e-9).all()


@pytest.mark.long
def test_pinned_feet_stay_in_200_directions():
    rng = np.random.default_rng(7)
    problem = mk.Problem(HUMAN, [mk.Position("right_hand", [0, 0, 0]), *(mk.Pin(foot) for foot in FEET)])
    for _ in range(200):
        way = rng.normal(size=3)
        problem = moved(problem, 0, target=REST.position("right_hand") + 3.0 * way / np.linalg.norm(way))
        found = problem.solve(method="lm")
        assert max(np.abs(found.pose.matrix(foot) - REST.matrix(foot)).max() for foot in FEET) < 1e-8


def _conflict(rng):
    """A chain, and targets for its tip and its middle that cannot both be met, one often not even alone."""
    figure = chain(7, int(rng.integers(1 << 30)))
    far = rng.normal(size=3)
    tip = far / np.linalg.norm(far) * rng.uniform(0.5, 2.0)
    middle = rng.normal(size=3) * 0.7
    return figure, tip, middle


def _judge_conflicts(seeds):
    """Share of conflicts in which limits are active, and in which the lower level is within 1 % of SLSQP's."""
    active = good = count = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        figure, tip, middle = _conflict(rng)
        start = figure.pose()
        first, second = mk.Position("tip", tip), mk.Position("middle", middle)
        alone = mk.solve(start, [[first], [mk.Position("middle", middle, weight=0.0)]], method="lm")
        found = mk.solve(start, [[first], [second]], method="lm")
        assert abs(found.position_errors[0] - alone.position_errors[0]) < 1e-6
        assert (found.q >= figure.lower - 1e-9).all() and (found.q <= figure.upper + 1e-9).all()
        active += bool(found.active_constraints()) or bool(alone.active_constraints())
        below = potential(figure, "middle", middle, found.q)
        assert below <= potential(figure, "middle", middle, alone.q) + 1e-9
        least = potential(figure, "tip", tip, alone.q)
        best = minimize(
            lambda q, f=figure, m=middle: potential(f, "middle", m, q),
            alone.q,
            method="SLSQP",
            bounds=list(zip(figure.lower, figure.upper, strict=True)),
            constraints={
                "type": "ineq",
                "fun": lambda q, f=figure, t=tip, p=least: p + 1e-9 - potential(f, "tip", t, q),
            },
            options={"maxiter": 300, "ftol": 1e-12},
        )
        other = best.fun if least + 2e-9 >= potential(figure, "tip", tip, best.x) else np.inf
        good += below <= 1.01 * other + 1e-8
        count += 1
    return active / count, good / count


def test_lower_level_gets_as_low_as_slsqp_with_the_higher_one_held():
    active, good = _judge_conflicts(range(25))
    assert active >= 0.5
    assert good >= 0.9


@pytest.mark.long
def test_500_conflicts_of_levels():
    active, good = _judge_conflicts(range(1000, 1500))
    assert active >= 0.5
    assert good >= 0.9


def test_hard_goals_that_contradict_each_other_are_named():
    figure = chain()
    there = figure.pose([0.3] * 7).position("tip")
    goals = [
        mk.Position("tip", there, hard=True),
        mk.Position("tip", figure.pose([0.4] * 7).position("tip"), hard=True),
        mk.Position("middle", [0.4, 0.0, 0.1]),
    ]
    found = mk.solve(figure, goals)
    assert found.status == "infeasible" and not found.reached
    words = found.explain()
    assert "No pose was found that meets these hard goals together" in words
    assert words.count("position of 'tip'") == 2 and "middle" not in words


def test_hard_goal_out_of_reach_is_infeasible_and_said_so():
    found = mk.solve(chain(), [mk.Position("tip", [9.0, 0.0, 0.0], hard=True)])
    assert found.status == "infeasible"
    assert "No pose was found that meets this hard goal" in found.explain()


def test_hard_goal_is_met_to_1e_8_and_the_soft_one_as_well_as_it_leaves():
    figure = chain()
    rng = np.random.default_rng(3)
    for _ in range(20):
        target = figure.pose(rng.uniform(figure.lower, figure.upper)).position("tip")
        found = mk.solve(
            figure, [mk.Position("tip", target, hard=True), mk.Position("middle", [0.2, 0.3, 0.2])]
        )
        if found.status == "infeasible":
            continue
        assert np.abs(found.pose.position("tip") - target).max() < 1e-8


def test_straight_arm_pulled_inwards_leaves_its_saddle_under_a_hard_goal():
    arm = mk.Figure(
        "straight",
        ["s0", "s1", "s2", "s3"],
        [
            mk.Joint.revolute(f"j{k}", f"s{k}", f"s{k + 1}", "z", placement=[0.5 * (k > 0), 0, 0])
            for k in range(3)
        ],
        [mk.Site("tip", "s3", [0.5, 0.0, 0.0])],
    )
    start = arm.pose()
    target = start.position("tip") * 0.8
    found = mk.solve(start, [mk.Position("tip", target, hard=True)])
    assert found.reached
    assert np.abs(found.pose.position("tip") - target).max() < 1e-8


def test_goals_that_are_moved_and_weigh_nothing_are_followed():
    problem = mk.Problem(
        HUMAN, [mk.Position("right_hand", [0.3, -0.2, 1.2]), *(mk.Pin(foot) for foot in FEET)]
    )
    first = problem.solve()
    kept = first.q.copy()
    problem = moved(problem, 0, target=[0.4, -0.3, 1.3])
    problem = moved(problem, 1, weight=0.0)
    second = problem.solve()
    assert second.reached and np.abs(second.pose.position("right_hand") - [0.4, -0.3, 1.3]).max() < 1e-4
    assert (first.q == kept).all() and first.goals[0].target.tolist() == [0.3, -0.2, 1.2]


def test_goal_made_hard_later_holds():
    figure = chain()
    target = figure.pose([0.3] * 7).position("tip")
    problem = mk.Problem(figure, [mk.Position("tip", target), mk.Position("middle", [0.0, 0.4, 0.0])])
    assert not problem.solve().reached
    problem = moved(problem, 0, hard=True)
    found = problem.solve()
    assert np.abs(found.pose.position("tip") - target).max() < 1e-8


def test_same_input_gives_the_same_pose():
    goals = [mk.Position("right_hand", [0.4, -0.3, 1.1]), *(mk.Pin(foot) for foot in FEET)]
    assert (mk.solve(HUMAN, goals).q == mk.solve(HUMAN, goals).q).all()


@pytest.mark.parametrize("off", [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 3e-8, 1.1e-8])
@pytest.mark.parametrize("kind", ["position", "inside", "range", "balance"])
def test_a_hard_goal_nearly_met_at_the_start_is_met_without_leaving_the_start(kind, off):
    from manikin.figure.human import preset

    start = preset(mk.human(stature=1.75, fingers=False, spine="bend"), "stand")
    wrist = start.position("right_wrist")
    goal = {
        "position": mk.Position("right_wrist", wrist + [off, 0.0, 0.0], hard=True),
        "inside": mk.Inside("right_wrist", mk.Ball(wrist + [0.05 + off, 0.0, 0.0], 0.05), hard=True),
        "range": mk.Range("right_wrist", x=(wrist[0] + off, None), hard=True),
        "balance": mk.CenterOfMass(start.center_of_mass() + [off, 0.0, 0.0], hard=True),
    }[kind]
    found = mk.solve(start, [goal, mk.Pin("left_foot"), mk.Pin("right_foot")])
    assert found.reached and found.starts == 1
    assert np.abs(found.q - start.q).max() < 30.0 * off


@pytest.mark.parametrize("center", [[2.0, -0.2, 1.2], [1.9, -0.3, 1.3]])
def test_limits_that_hold_a_soft_goal_are_told_beside_hard_ones(center):
    from manikin.figure.human import preset

    start = preset(mk.human(stature=1.75, fingers=False, spine="bend"), "stand")
    pins = [mk.Pin("left_foot"), mk.Pin("right_foot")]
    found = mk.solve(start, [mk.Inside("right_hand", mk.Ball(center, 0.1)), *pins])
    assert found.status == "stationary"
    assert "left_ankle_flexion" in [limit.name for limit in found.active_constraints()]
    assert "is at its limit" in found.explain().splitlines()[0]
