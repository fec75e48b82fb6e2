"""What studies and maps say of points that a first search misses: reached after all, proved out of reach, not found."""

import numpy as np
import pytest
from tests.reach.samples import X, Y, Z, chain

import manikin as mk
from manikin.reach import reach_map, study
from manikin.reach.again import Again
from manikin.reach.grid import MISSED, PROVED, REACHED
from manikin.reach.outcome import Study, wilson
from manikin.reach.task import Task
from manikin.reach.too_far import TooFar

TABLE = mk.Box(center=[0.55, 0.0, 0.88], size=[0.6, 1.4, 0.04])
FEET = [mk.Pin("left_foot"), mk.Pin("right_foot"), mk.Balance(margin=0.01)]


def crowd():
    return mk.population(4, sex="both", seed=3, fingers=False, spine="bend")


def test_a_study_reaches_what_single_solves_reach_with_a_table_in_the_way():
    """Of sixty people a study gave 5 % at a point that each of them reaches, with a confidence interval."""
    point = np.array([[0.4, -0.4, 0.6]])
    goals = [*FEET, mk.Outside("*", TABLE)]
    people = crowd()
    single = [
        mk.solve(people.build(k), [mk.Position("right_hand", point[0]), *goals]).reached for k in range(4)
    ]
    found = study(people, point, goals=goals)
    assert all(single) and found.share.tolist() == [1.0] and found.open.tolist() == [0.0]


def test_what_is_said_of_a_point_does_not_depend_on_the_others():
    points = np.array(
        [[0.4, -0.4, 0.6], [0.5, -0.3, 1.1], [1.2, -0.3, 1.0], [3.0, 0.0, 1.0], [0.5, 0.0, 0.7]]
    )
    goals = [*FEET, mk.Outside("*", TABLE)]
    together = study(crowd(), points, goals=goals)
    for k in (4, 2, 3):
        alone = study(crowd(), points[[k]], goals=goals)
        assert np.array_equal(alone.state[:, 0], together.state[:, k])
        assert np.array_equal(alone.miss[:, 0], together.miss[:, k])
    assert (together.state[:, 3] == PROVED).all() and together.unreachable[:, 3].all()
    assert together.rows()[3]["open"] == 0.0 and "not found" in repr(together)


def test_the_interval_holds_both_what_is_found_and_what_is_not_disproved():
    task = Task(crowd(), np.zeros((1, 3)), "right_hand")
    state = np.array([[REACHED], [PROVED], [MISSED], [MISSED]], np.uint8)
    found = Study(task, state, np.zeros((4, 1)), 0.0, np.ones(1))
    low, high = found.interval
    assert found.share[0] == 0.25 and found.open[0] == 0.5
    assert low[0] == wilson(np.array([1]), 4)[0][0] and high[0] == wilson(np.array([3]), 4)[1][0]


def test_a_map_reaches_what_a_solve_reaches_and_denies_hardly_anything_wrongly():
    """It denied (0.9, 0.7, 0.1), and 58 of the 91 points that it denied here were reached by solves."""
    pytest.importorskip("xarray")
    body = mk.human()
    box = ((0.3, -0.6, 0.1), (1.1, 0.8, 1.1), 0.2)
    quick = reach_map(body, "right_hand", box, FEET, measures=(), multistart=False)
    found = reach_map(body, "right_hand", box, FEET, measures=())
    assert found["reachable"].values.sum() > quick["reachable"].values.sum()
    assert (found["reachable"].values | ~quick["reachable"].values).all()
    assert np.array_equal(found["outcome"].values == REACHED, found["reachable"].values)
    problem = mk.Problem(body, [mk.Position("right_hand", [0, 0, 0]), *FEET])
    denied = np.argwhere(~found["reachable"].values)
    points = np.stack([found[axis].values[denied[:, k]] for k, axis in enumerate("xyz")], axis=1)
    wrongly = sum(problem.solve(targets=[point, None, None, None], restarts=4).reached for point in points)
    assert wrongly <= 0.2 * len(points)
    corner = reach_map(body, "right_hand", ((0.8, 0.6, 0.1), (1.0, 0.8, 0.3), 0.1), FEET, measures=())
    assert bool(corner["reachable"].sel(x=0.9, y=0.7, z=0.1, method="nearest"))


def test_a_proof_is_right_and_as_near_as_the_bones_are_long():
    arm = chain([Z, Y, Y, X], [0.1, 0.4, 0.3, 0.1], [(-1.2, 1.2), (-1.0, 1.0), (0.1, 2.4), (-1, 1)])
    problem = mk.Problem(arm, [mk.Position("tip", [0, 0, 0])])
    ((middle, inner, outer),) = TooFar(problem, "tip").shells
    rng = np.random.default_rng(1)
    reached = arm.forward(rng.uniform(arm.lower, arm.upper, (20_000, arm.n)), "tip")[:, 0, :3, 3]
    assert np.linalg.norm(reached - middle, axis=1).max() <= outer and inner < 0.0
    path = arm.forward(np.zeros((1, arm.n)))[0, :, :3, 3]
    assert outer <= np.linalg.norm(np.diff(path, axis=0), axis=1).sum() + 1e-3
    points = middle + np.array([[outer + 1e-3, 0, 0], [0, 0, outer - 1e-3]])
    assert TooFar(problem, "tip").proved(points).tolist() == [True, False]
    state, _, miss = Again(problem, "tip", 1).outcome(np.array([points[0], points[1], reached[0]]))
    assert state.tolist() == [PROVED, MISSED, REACHED] and miss[2] <= 1e-4


@pytest.mark.parametrize("how", ["crane", "stuck", "turned round"])
def test_what_some_pose_reaches_is_not_proved_to_be_out_of_reach(how):
    """A long first bone, a first joint of one value, and a chain that is held at its other end: nearly all was."""
    ranges = [(0.4, 0.4) if how == "stuck" else (-2.0, 2.0), (-2.0, 2.0), (-2.0, 2.0)]
    arm = chain([Z, Y, Y], [3.0, 0.8, 0.5] if how == "crane" else [0.5, 0.8, 0.5], ranges)
    arm = arm.rerooted(list(arm.segments)[-1]) if how == "turned round" else arm
    site = "base" if how == "turned round" else "tip"
    problem = mk.Problem(arm, [mk.Position(site, [0, 0, 0])])
    rng = np.random.default_rng(2)
    reached = arm.forward(rng.uniform(arm.lower, arm.upper, (5000, arm.n)), site)[:, 0, :3, 3]
    proof = TooFar(problem, site)
    assert proof.shells and not proof.proved(reached).any()
    away = rng.normal(size=(2000, 3))
    far = 8.0 * away / np.linalg.norm(away, axis=1, keepdims=True)
    assert proof.proved(far).all()


def test_a_pinned_foot_bounds_how_far_a_hand_goes():
    body = mk.human(fingers=False)
    problem = mk.Problem(body.pose(), [mk.Position("right_hand", [0, 0, 0]), *FEET])
    assert len(TooFar(problem, "right_hand").shells) == 2
    rng, hits = np.random.default_rng(2), 0
    for point in rng.uniform([-1.5, -1.5, 0.0], [1.5, 1.5, 2.5], (40, 3)):
        found = problem.solve(targets=[point, None, None, None], restarts=0)
        if found.reached:
            hits += 1
            assert not TooFar(problem, "right_hand").proved(point[None])[0]
    assert hits > 5 and TooFar(problem, "right_hand").proved(np.array([[0.0, 0.0, 4.0]]))[0]
    free = mk.Problem(body.pose(), [mk.Position("right_hand", [0, 0, 0])])
    assert TooFar(free, "right_hand").shells == []
