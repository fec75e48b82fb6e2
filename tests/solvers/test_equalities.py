"""Equalities among coordinates: kept to rounding, named where they hold a goal back."""

from __future__ import annotations

import numpy as np
import pytest
from tests.problems import moved

import manikin as mk

from .samples import chain, check, potential, random_pose, random_rotation
from .test_constraints import TORSO

TIES = [
    "right_collar_x = 0.2 * right_shoulder_x",
    "bend2 = 0.5 * bend1 + 0.1 * lean1",
    "twist1 = twist2",
    "left_elbow - 0.3 * left_wrist_x = -0.5",
]


def hands(rng: np.random.Generator) -> list[mk.Goal]:
    pose = random_pose(TORSO, rng)
    return [
        mk.Position("left_palm", pose.position("left_palm") * rng.choice([1.0, 1.0, 3.0])),
        mk.Placement("right_palm", pose.position("right_palm"), random_rotation(rng)),
    ]


def by_hand(rows: list[str], q: np.ndarray) -> float:
    values = dict(zip(TORSO.dofs, q, strict=True))
    return max(abs(c.value(values) - c.lower) for c in map(mk.Coupling.parse, rows))


def test_equalities_hold_to_rounding():
    rng = np.random.default_rng(1)
    for _ in range(40):
        problem = mk.Problem(random_pose(TORSO, rng), hands(rng), constraints=TIES)
        solution = check(problem.solve(), TIES)
        assert by_hand(TIES, solution.q) < 1e-14
        assert solution.cost == pytest.approx(potential(solution.goals, solution.pose), rel=1e-9, abs=1e-15)


def test_the_range_of_a_coupled_coordinate_holds_and_is_named_with_its_multiplier():
    figure = chain([0.5, 0.5], ["R(y)", "R(y)"], lower=[-1.0, -3.0], upper=[0.2, 3.0])
    goals = [mk.Position("tip", figure.pose([1.0, 2.0]).position("tip"))]
    problem = mk.Problem(figure, goals, constraints=["j1 = 0.5 * j2"])
    lowest = check(problem.solve(), ["j1 = 0.5 * j2"])
    solution = check(problem.solve(restarts=0), ["j1 = 0.5 * j2"])
    assert solution.status == "stationary" and lowest.cost < solution.cost
    assert solution.q == pytest.approx([0.2, 0.4], abs=1e-9)
    assert [(limit.name, limit.side) for limit in solution.active_constraints()][:1] == [("j1", "upper")]
    # The multiplier is what a little more range would buy: dP = −multiplier · d(range).
    wider = chain([0.5, 0.5], ["R(y)", "R(y)"], lower=[-1.0, -3.0], upper=[0.2 + 1e-6, 3.0])
    a_little_more = mk.solve(wider, goals, constraints=["j1 = 0.5 * j2"], restarts=0)
    gained = solution.cost - a_little_more.cost
    assert gained / 1e-6 == pytest.approx(solution.active_constraints()[0].multiplier, rel=1e-3)
    assert "j1 is at its limit" in solution.explain()


def test_an_equality_that_holds_a_goal_is_still_named():
    figure = chain([0.5, 0.5], ["R(y)", "R(y)"], lower=[-3.0] * 2, upper=[3.0] * 2)
    solution = mk.solve(
        figure.pose([0.1, 0.1]), [mk.Position("tip", [0.2, 0.0, 0.5])], constraints=["j1 = j2"]
    )
    assert [limit.side for limit in solution.active_constraints()] == ["equal"]
    assert "j1 - j2 = 0°" in solution.explain()


def test_what_is_not_free_counts_where_it_stands():
    start = TORSO.pose({"right_collar_x": 0.1, "bend1": 0.2, "bend2": 0.1})
    rows = ["bend2 = 0.5 * bend1", "right_collar_x = 0.2 * right_shoulder_x"]
    free = [name for name in TORSO.dofs if name not in ("bend2", "right_shoulder_x")]
    problem = mk.Problem(start, [mk.Position("right_palm", [0.4, -0.2, 0.4])], free=free, constraints=rows)
    solution = check(problem.solve(), rows)
    assert solution.q[TORSO.index("bend2")] == 0.1
    assert solution.pose.values()["bend1"] == pytest.approx(0.2, abs=1e-12)
    assert solution.pose.values()["right_collar_x"] == pytest.approx(
        0.2 * solution.pose.values()["right_shoulder_x"], abs=1e-12
    )


@pytest.mark.parametrize(
    "rows",
    [
        ["bend1 = bend2", "2 * bend1 = 2 * bend2"],
        ["bend1 = bend2", "bend1 = 1.0000001 * bend2"],
        [" + ".join(TORSO.dofs[:12]) + " = 0"],
    ],
)
def test_dependent_and_dense_equalities_are_kept(rows):
    problem = mk.Problem(TORSO, [mk.Position("right_palm", [0.4, -0.2, 0.4])], constraints=rows)
    check(problem.solve(), rows)


def test_an_inequality_that_the_equality_decides_is_kept():
    goal = [mk.Position("right_palm", [0.4, -0.2, 0.4])]
    rows = ["bend1 = bend2", "bend1 - bend2 <= 0"]
    problem = mk.Problem(TORSO, goal, constraints=rows)
    check(problem.solve(), rows)
    impossible = mk.solve(TORSO, goal, constraints=["bend1 = bend2", "bend1 - bend2 <= -0.1"])
    assert impossible.status == "infeasible"


def test_a_start_off_an_equality_or_an_inequality_is_brought_to_the_nearest_point():
    rng = np.random.default_rng(4)
    rows = [*TIES, "bend1 + bend3 + twist1 >= 0.3"]
    for _ in range(20):
        start = random_pose(TORSO, rng)
        problem = mk.Problem(start, hands(rng), constraints=rows)
        began = problem.solve(time_limit=1e-9)
        where = np.array(start.q)
        for name, (_, to) in began.corrected_start.items():
            where[TORSO.index(name)] = to
        expected = mk.solve(start, [], constraints=rows).q
        assert np.abs(where - expected).max() < 1e-9
        assert by_hand(TIES, where) < 1e-9


def test_the_same_start_twice_and_moved_goals_give_what_they_gave():
    rng = np.random.default_rng(5)
    goals = hands(rng)
    problem = mk.Problem(TORSO, goals, constraints=TIES)
    first = problem.solve()
    problem = moved(problem, 0, target=[0.1, 0.2, 0.5])
    second = problem.solve(q0=first.q)
    assert second.corrected_start == {}
    problem = moved(problem, 0, target=goals[0].target)
    assert np.array_equal(problem.solve().q, first.q)
    assert {limit.name for limit in first.active_constraints()} == {
        limit.name for limit in problem.solve().active_constraints()
    }


def test_a_potential_in_python_minds_equalities():
    def height(position, axes):
        return float(position[2] ** 2), np.array([0.0, 0.0, 2.0 * position[2]]), np.zeros((3, 3))

    rows = ["bend2 = 0.5 * bend1", "right_shoulder_x = 0.3 * right_elbow + 0.1"]
    goals = [mk.Potential("right_palm", height, tolerance=1e-6)]
    solution = check(mk.solve(TORSO, goals, constraints=rows), rows)
    assert by_hand(rows, solution.q) < 1e-14
    assert solution.cost == pytest.approx(solution.pose.position("right_palm")[2] ** 2, abs=1e-12)
    assert mk.solve(TORSO, goals, constraints=["bend2 = bend1 + 9"]).status == "infeasible"


def test_free_frames_beside_equalities_are_still_recharted():
    joints = [
        mk.Joint("hinge", "base", "arm", "R(z)*R(x)*R(z)", lower=-2.0, upper=2.0),
        mk.Joint("ball", "arm", "hand", "free", [0.3, 0, 0]),
    ]
    figure = mk.Figure("f", ["base", "arm", "hand"], joints).with_couplings("hinge_z1 = 0.5 * hinge_x")
    rng = np.random.default_rng(6)
    for _ in range(20):
        pose = figure.pose(rng.uniform(-2, 2, figure.n))
        goal = mk.Placement("hand", pose.position("hand"), random_rotation(rng))
        solution = check(mk.solve(figure.pose(rng.uniform(-4, 4, figure.n)), [goal]))
        assert solution.reached
        assert np.linalg.norm(solution.q[-3:]) <= np.pi + 1e-9


@pytest.mark.parametrize("method", ["auto", "lm", "projection"])
def test_every_compiled_method_keeps_equalities(method):
    rows = ["right_collar_x = 0.05 * right_shoulder_x", "bend2 = 0.5 * bend1", "twist1 = twist2"]
    rng = np.random.default_rng(7)
    reached = 0
    for case in range(30):
        pose = mk.solve(random_pose(TORSO, rng), [], constraints=rows).pose
        goals = [mk.Position("left_palm", pose.position("left_palm")), mk.Aim("right_palm", [1.0, -0.5, 0.5])]
        # Every third with drivers that stay where they are, every second from a start off the equalities.
        free = (
            None if case % 3 else [name for name in TORSO.dofs if name not in ("bend1", "right_shoulder_x")]
        )
        start = random_pose(TORSO, rng)
        if case % 2 or free:
            start = mk.solve(start, [], constraints=rows).pose
        problem = mk.Problem(start, goals, constraints=rows, free=free)
        found = check(problem.solve(method=method), rows)
        assert by_hand(rows, found.q) < 1e-14
        assert bool(found.corrected_start) == (case % 2 == 0 and free is None)
        reached += found.reached
    assert reached >= 27
