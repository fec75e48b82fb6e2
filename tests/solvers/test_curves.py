"""Goals of figures whose axes follow curves: derivatives by differences, minima by SciPy, all ways to solve."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.figure.test_curve import poses, sliding_knee, wavy
from tests.problems import work_of

import manikin as mk
from manikin.engines.batch.cuda import body
from manikin.engines.work import Work
from manikin.errors import SolveError
from manikin.figure import Follow, Joint, Site, kinematics
from manikin.kernels.residuals.entries import jacobian_at, measure_at
from manikin.kernels.residuals.layout import ON_COORDINATES

GOALS = {
    "position": [mk.Position("ankle", [0.2, 0.1, -0.7])],
    "placement": [mk.Placement("tip", [0.1, 0.1, -0.5], np.eye(3))],
    "aim": [mk.Aim("ankle", at=[1.0, 0.4, 0.2])],
    "seen from the other": [mk.Relative("ankle", "tip", mk.Placement("ankle", [0.1, 0.0, 0.0], np.eye(3)))],
    "centre of mass": [mk.CenterOfMass([0.1, 0.0, -0.3])],
    "inside": [mk.Inside("ankle", mk.Ball([0.0, 0.0, 0.0], 0.1))],
}


def crooked(**changes) -> mk.Figure:
    """Two knees in a row, the second's bend following the first's by a curve, and a ball at the end."""
    leg = sliding_knee()
    more = [
        Joint(
            "ankle_joint",
            "shank",
            "foot",
            "R(y)*T(z)",
            [0.0, 0.0, -0.4],
            dofs=["lift", "drop"],
            follow=[Follow({"bend": 0.6, "hip_x": 0.3}, 0.1, wavy()), None],
            lower=[None, -0.1],
            upper=[None, 0.1],
        ),
        Joint.ball("toes", "foot", "toe", placement=[0.1, 0.0, -0.05]),
    ]
    return mk.Figure(
        "crooked",
        [*leg.segments.values(), "foot", "toe"],
        [*leg.joints.values(), *more],
        [*leg.given.sites.values(), Site("end", "toe", [0.08, 0.02, 0.01])],
        **changes,
    )


@pytest.mark.parametrize("case", GOALS)
def test_derivatives_of_rows_are_differences(case):
    figure = sliding_knee(base="free")
    levels = work_of(mk.Problem(figure, GOALS[case], natural=False)).levels or _levels(figure, GOALS[case])
    M, packed, h = levels.M, levels.packed, 1e-6
    q = np.random.default_rng(1).uniform(-0.7, 0.7, figure.n)
    levels.mean_start(q, q)

    def values(at: np.ndarray) -> np.ndarray:
        measure_at(*levels.arrays[:6], at)
        return M.value.copy()

    steps = h * np.eye(figure.n)
    expected = np.array([(values(q + step) - values(q - step)) / (2 * h) for step in steps]).T
    values(q)
    by_value = np.zeros((len(M.value), len(packed.sections.sweep.values)))
    by_coordinate = np.zeros((len(M.value), figure.n))
    jacobian_at(*levels.arrays[:6], by_value, by_coordinate)
    tree = packed.sections.tree
    found = np.where(np.repeat(M.attach == ON_COORDINATES, M.count)[:, None], by_coordinate, 0.0)
    np.add.at(found, (slice(None), tree.drive_dof), tree.drive_coefficient * by_value[:, tree.drive_axis])
    rows = (M.near != 0.0) & (M.weight > 0.0)
    assert rows.any()
    assert np.abs(found[rows] - expected[rows]).max() < 1e-7


def _levels(figure: mk.Figure, goals: list[mk.Goal]):
    from manikin.engines.packing import levels_for

    problem = mk.Problem(figure, goals, natural=False)
    return levels_for(work_of(problem).spec, goals, figure.rest)


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("hard", [False, True])
def test_what_a_pose_has_is_reached_from_others(base, hard):
    figure = crooked(base=base)
    reached = 0
    for k, q in enumerate(np.random.default_rng(2).uniform(-0.6, 0.6, (12, figure.n))):
        q = np.clip(q, figure.lower, figure.upper)
        at = figure.pose(q)
        goals = [
            mk.Position("end", at.position("end"), hard=hard),
            mk.Orientation("ankle", at.matrix("ankle")[:3, :3], axes=(0, 0, 1)),
        ]
        found = mk.solve(figure, goals, seed=k)
        placed = kinematics.site_matrix(figure, found.q, "end")[:3, 3]
        if found.reached:
            assert np.linalg.norm(placed - at.position("end")) < (1e-8 if hard else 1e-4)
            reached += 1
        assert (figure.lower - 1e-9 <= found.q).all() and (found.q <= figure.upper + 1e-9).all()
    assert reached == 12


@pytest.mark.parametrize("target", [[0.6, 0.3, -1.2], [-1.0, 0.1, 0.3], [0.2, -1.4, -0.4]])
def test_what_is_missed_is_as_near_as_scipy_comes(target):
    figure = crooked()

    def cost(q: np.ndarray) -> float:
        return float(np.sum((kinematics.site_matrix(figure, q, "end")[:3, 3] - target) ** 2))

    found = mk.solve(figure, [mk.Position("end", target)])
    bounds = list(zip(figure.lower, figure.upper, strict=True))
    best = min(
        minimize(cost, np.clip(q, figure.lower, figure.upper), method="L-BFGS-B", bounds=bounds).fun
        for q in np.random.default_rng(3).uniform(-1.0, 1.0, (12, figure.n))
    )
    assert not found.reached and found.status == "stationary"
    assert cost(found.q) <= best + 1e-7


def test_a_hard_goal_holds_while_scipy_finds_no_lower_one_beside_it():
    figure = crooked()
    at = figure.pose(np.clip(0.3 * np.ones(figure.n), figure.lower, figure.upper)).position("ankle")
    away = np.array([0.5, 0.4, -1.0])

    def cost(q: np.ndarray) -> float:
        return float(np.sum((kinematics.site_matrix(figure, q, "end")[:3, 3] - away) ** 2))

    def left(q: np.ndarray) -> np.ndarray:
        return kinematics.site_matrix(figure, q, "ankle")[:3, 3] - at

    found = mk.solve(figure, [mk.Position("ankle", at, hard=True), mk.Position("end", away)])
    bounds = list(zip(figure.lower, figure.upper, strict=True))
    other = minimize(
        cost, found.q, method="SLSQP", bounds=bounds, constraints=[{"type": "eq", "fun": left}], tol=1e-12
    )
    assert np.abs(left(found.q)).max() < 1e-8
    assert cost(found.q) <= other.fun + 1e-6


def test_batches_have_the_answers_of_single_solves():
    figure = crooked()
    targets = np.array([figure.pose(q).position("end") for q in poses_of(figure, 10)])
    many = mk.solve_many(figure, [mk.Position("end", [0.0, 0.0, 0.0])], [targets])
    assert many.reached.all()
    for q, target in zip(many.q, targets, strict=True):
        assert np.linalg.norm(kinematics.site_matrix(figure, q, "end")[:3, 3] - target) < 1e-4


def poses_of(figure: mk.Figure, count: int) -> np.ndarray:
    drawn = np.random.default_rng(4).uniform(-0.5, 0.5, (count, figure.n))
    return np.clip(drawn, figure.lower, figure.upper)


def test_a_drag_and_limited_speeds_follow_a_curved_way():
    figure = crooked()
    problem = mk.Problem(figure, [mk.Position("end", figure.pose().position("end"))])
    session = problem.session()
    ends = figure.forward(np.linspace(poses_of(figure, 1)[0], poses_of(figure, 2)[1], 12), "end")[:, 0, :3, 3]
    assert all(session.solve(targets=[end]).reached for end in ends)
    slow = problem.solve(session.q, targets=[ends[0]], dt=1e-3)
    assert slow.reached or slow.status


def test_what_hangs_on_no_curve_is_solved_as_without_any():
    figure = sliding_knee()
    other = mk.Figure("thigh", ["pelvis", "thigh"], [figure.joints["hip"]])
    goal = mk.Aim("thigh", at=[1, 2, 0])
    assert mk.solve(figure, [goal]).q[:2] == pytest.approx(mk.solve(other, [goal]).q, abs=1e-12)


def test_the_papers_methods_and_cards_say_that_they_know_no_curves():
    figure = sliding_knee()
    goal = mk.Position("ankle", figure.pose(poses(figure, 1)[0]).position("ankle"))
    with pytest.raises(SolveError, match="curve"):
        mk.solve(figure, [goal], method="ccd")
    assert not body.suits(Work(mk.Problem(figure, [goal]).spec))
