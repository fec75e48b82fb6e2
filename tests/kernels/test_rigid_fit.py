"""The free root that fits the goals best: against SciPy's alignment of vectors, and by no smaller potential nearby."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import manikin as mk
from manikin.kernels.memory.layout import view_parts, view_space, view_sweep, view_tree
from manikin.kernels.search import layout
from manikin.kernels.search.damped import enter, place_variables
from manikin.kernels.search.layout import N_ROOT, N_ROOT_MOTION, view_places, view_ties
from manikin.kernels.search.rigid_fit import best_rotation, fit_root

from .support import compiled, placed
from .trees import branched


@compiled
def quaternion(m, q):
    q[0], q[1], q[2], q[3] = best_rotation(m)


def rotation(m: np.ndarray) -> np.ndarray:
    q = np.empty(4)
    quaternion(np.ascontiguousarray(m), q)
    return Rotation.from_quat(q[[1, 2, 3, 0]]).as_matrix()


@pytest.mark.parametrize("count", [2, 3, 4, 9])
def test_the_rotation_is_the_one_that_scipy_aligns_by(count):
    rng = np.random.default_rng(1)
    for _ in range(50):
        x, w = rng.normal(size=(count, 3)), rng.uniform(0.1, 2.0, count)
        p = x @ Rotation.random(rng=rng).as_matrix().T + 0.3 * rng.normal(size=(count, 3))
        expected, _ = Rotation.align_vectors(p, x, w)
        m = (w[:, None] * p).T @ x
        values = np.linalg.svd(m, compute_uv=False)
        gap = values[1] + np.sign(np.linalg.det(m)) * values[2]  # of the two best rotations' traces, halved
        found = rotation(m)
        trace = np.trace(found.T @ m)
        assert trace >= np.trace(expected.as_matrix().T @ m) - 1e-3 * values.sum()
        if gap > 0.1 * values.sum():
            assert np.abs(found - expected.as_matrix()).max() < 1e-6


def test_where_nothing_says_how_to_turn_it_turns_as_little_as_it_can():
    assert np.array_equal(rotation(np.zeros((3, 3))), np.eye(3))
    rng = np.random.default_rng(2)
    for _ in range(20):
        a, b = rng.normal(size=3), rng.normal(size=3)
        a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
        found = rotation(np.outer(b, a))
        assert np.abs(found @ a - b).max() < 1e-6
        assert Rotation.from_matrix(found).magnitude() == pytest.approx(np.arccos(a @ b), abs=1e-6)


@pytest.mark.parametrize("axis", np.eye(3).tolist() + [[0.6, 0.0, 0.8], [0.1, 0.7, -0.3]])
def test_a_half_turn_is_found(axis):
    half = Rotation.from_rotvec(np.pi * np.array(axis) / np.linalg.norm(axis)).as_matrix()
    assert np.abs(rotation(half) - half).max() < 1e-6


@compiled
def fit(S, R, W, N, V, q, x):
    tree, parts, sweep, ties = view_tree(S, R), view_parts(S, R), view_sweep(S, W), view_ties(N, V)
    places = view_places(N, V, sweep)
    enter(tree, view_space(S, R), sweep, ties, q)
    place_variables(tree, ties, places, x)
    fit_root(tree, parts, places.frames, N[N_ROOT_MOTION], N[N_ROOT], x)


def fitted(problem: mk.Problem, start: np.ndarray) -> np.ndarray:
    """The coordinates after the fit of the root at this start."""
    packed, fast = problem._packed, problem._fast
    q = start.copy()
    x = q[packed.variables]
    fit(packed.structure, packed.parameters, packed.workspace, fast.ints, fast.reals, q, x)
    q[packed.variables] = x
    return q


def potential(figure: mk.Figure, goals: list[mk.Goal], q: np.ndarray) -> float:
    """That of positions and orientations, by the figure's own forward kinematics."""
    pose, total = figure.pose(q), 0.0
    for goal in goals:
        frame = pose.matrix(goal.site)
        own, share = goal.arguments(), 1.0
        c = 180.0 / (np.pi * own.get("degrees_per_metre", 57.3))
        if isinstance(goal, (mk.Position, mk.Placement)):
            place = isinstance(goal, mk.Placement)
            share = goal.position_share if place else 1.0
            target = goal.position if place else goal.target
            total += goal.weight * share * ((frame[:3, 3] - target) ** 2).sum()
        if isinstance(goal, (mk.Orientation, mk.Placement)):
            place = isinstance(goal, mk.Placement)
            target = goal.orientation if place else goal.target
            away = ((frame[:3, :3] - target) ** 2).sum(axis=0)
            weight = goal.weight * (1.0 - share if place else 1.0) * c * c
            total += weight * 0.5 * (np.array(goal.axes) * away).sum()
    return float(total)


def lowest(figure: mk.Figure, goals: list[mk.Goal], q: np.ndarray, rng: np.random.Generator) -> float:
    """The least potential over the root's six coordinates that SciPy finds from many starts."""

    def of_root(root: np.ndarray) -> float:
        return potential(figure, goals, np.concatenate([root, q[6:]]))

    starts = [np.concatenate([q[:3], rng.uniform(-2.0, 2.0, 3)]) for _ in range(6)]
    return min(minimize(of_root, start, method="BFGS").fun for start in starts)


def on_free_root() -> mk.Figure:
    """A branched figure whose root moves in a frame of its own."""
    given = branched("free")
    return mk.Figure(
        "moved",
        list(given.segments.values()),
        [joint for name, joint in given.joints.items() if name != "root"],
        [site for site in given.sites.values() if site.name not in given.segments],
        base="free",
        location=placed(0.4, -0.2, 0.7, 0.5, -0.9, 0.3),
    )


TURN = Rotation.from_rotvec([0.8, -1.1, 0.5]).as_matrix()
GOALS = {
    "positions": [
        mk.Position("tip", [0.7, -0.4, 0.9], weight=1.7),
        mk.Position("foot", [0.2, 0.4, -0.9]),
        mk.Position("right", [-0.5, 0.1, 0.4], weight=0.6),
    ],
    "placements": [
        mk.Placement("tip", [0.7, -0.4, 0.9], TURN),
        mk.Placement("foot", [0.2, 0.1, -0.7], TURN.T),
    ],
    "one placement": [mk.Placement("tip", [0.7, -0.4, 0.9], TURN)],
    "orientations": [mk.Orientation("tip", TURN, axes=(0.2, 3.0, 1.0)), mk.Orientation("foot", TURN.T)],
    "with others": [
        mk.Position("tip", [0.7, -0.4, 0.9]),
        mk.Placement("right", [0.3, 0.3, 0.9], TURN),
        mk.Aim("chest", [2.0, 1.0, 0.5]),
        mk.OnPlane("foot", [0.0, 0.0, 0.1], [0.0, 0.0, 1.0]),
    ],
}


@pytest.mark.parametrize("kind", GOALS)
def test_no_other_place_of_the_root_is_nearer_to_the_goals(kind):
    figure, goals, rng = on_free_root(), GOALS[kind], np.random.default_rng(3)
    problem = mk.Problem(figure, goals)
    assert problem._fast.ints[layout.N_ROOT] == 0
    for _ in range(3):
        start = rng.uniform(-1.2, 1.2, figure.n)
        found = fitted(problem, start)
        assert np.array_equal(found[6:], start[6:])
        best = lowest(figure, goals, start, rng)
        assert potential(figure, goals, found) <= best + 1e-4 * (1.0 + best)


def test_a_single_placement_is_met_by_the_root_alone():
    figure, goals = on_free_root(), GOALS["one placement"]
    start = np.random.default_rng(4).uniform(-1.0, 1.0, figure.n)
    assert potential(figure, goals, fitted(mk.Problem(figure, goals), start)) < 1e-12


def test_one_position_moves_the_root_without_a_turn_and_without_such_a_goal_it_stays():
    figure = on_free_root()
    start = np.random.default_rng(5).uniform(-1.0, 1.0, figure.n)
    goal = mk.Position("tip", [0.7, -0.4, 0.9])
    found = fitted(mk.Problem(figure, [goal]), start)
    assert figure.pose(found).position("tip") == pytest.approx(goal.target, abs=1e-12)
    assert found[3:] == pytest.approx(start[3:], abs=1e-12)
    stays = fitted(mk.Problem(figure, [mk.Aim("chest", [2.0, 1.0, 0.5])]), start)
    assert np.array_equal(stays, start)


@pytest.mark.parametrize("change", ["fixed", "planar", "held", "limited"])
def test_a_root_that_cannot_go_anywhere_is_not_taken_for_free(change):
    if change in ("fixed", "planar"):
        problem = mk.Problem(branched(change), GOALS["placements"])
    elif change == "held":
        problem = mk.Problem(
            branched("free"), GOALS["placements"], free=[n for n in branched("free").dofs if n != "root_y"]
        )
    else:
        joints = [
            mk.Joint("float", "ground", "o", "free", upper=[1.0, *[np.inf] * 5]),
            *(joint for name, joint in branched("fixed").joints.items() if name != "root"),
        ]
        segments = ["ground", *branched("fixed").segments]
        sites = [s for s in branched("fixed").sites.values() if s.name not in segments]
        problem = mk.Problem(
            mk.Figure("limited", segments, joints, [s for s in sites if s.name != "ground"]),
            GOALS["placements"],
        )
    assert problem._fast.ints[layout.N_ROOT] == -1
