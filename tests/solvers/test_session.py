"""A session: what a run of solves remembers, all of it readable, and nothing else."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from tests.solvers.arms import iiwa
from tests.solvers.test_meaning import off, two_arms

import manikin as mk
from manikin.errors import ManikinError, PoseError

HARD = 1e-8
FEET = ("left_foot", "right_foot")


@pytest.fixture(scope="module")
def body() -> mk.Figure:
    return mk.human(stature=1.75, fingers=False)


def hand(body: mk.Figure, held: str = "pins") -> mk.Problem:
    """A hand that is led, the feet held or not."""
    rest = body.pose()
    feet = {
        "nothing": [],
        "soft feet": [mk.Placement(f, rest.position(f), rest.matrix(f)) for f in FEET],
        "pins": [mk.Pin(f) for f in FEET],
    }[held]
    return mk.Problem(body, [mk.Position("right_hand", [0.4, -0.2, 1.1]), *feet])


def floating_chain() -> mk.Figure:
    """Five segments on a free base that no goal places."""
    joints = [mk.Joint("root", "world", "s0", "free")]
    joints += [
        mk.Joint.revolute(
            f"j{k}", f"s{k}", f"s{k + 1}", "yzx"[k % 3], placement=[0.0, 0.0, 0.3], lower=-2.0, upper=2.0
        )
        for k in range(4)
    ]
    sites = [mk.Site("tip", "s4", [0.0, 0.0, 0.3])]
    return mk.Figure("floating chain", ["world", *(f"s{k}" for k in range(5))], joints, sites)


def targets_of(problem: mk.Problem, path: np.ndarray) -> list[list[np.ndarray | None]]:
    return [[point, *(None for _ in problem.goals[1:])] for point in path]


def round_path(count: int) -> np.ndarray:
    u = np.linspace(0.0, 2.0 * np.pi, count + 1)[1:]
    return np.array([0.38, -0.2, 1.15]) + 0.09 * np.column_stack([np.cos(u), np.sin(u), np.sin(2.0 * u)])


def test_it_begins_where_it_is_told_and_anchors_there():
    figure = two_arms()
    problem = mk.Problem(figure, [mk.Position("hand_a", [0, 0, 0]), mk.Pin("hand_b", axes="position")])
    assert (problem.session().q == problem.q0).all() and (problem.session().anchor.q == problem.q0).all()
    start, other = figure.pose({"j_a0": 0.5}), figure.pose({"j_b0": -0.5})
    for given in (start, start.q, list(start.q), start.values()):
        session = problem.session(given)
        assert (session.q == start.q).all() and (session.anchor.q == start.q).all()
    session = problem.session(start, anchor=other)
    assert (session.q == start.q).all() and (session.anchor.q == other.q).all()
    assert session.problem is problem and session.stance is None
    with pytest.raises(ValueError, match="read-only"):
        session.q[0] = 1.0


def test_the_anchor_can_be_set_and_a_solve_never_moves_it():
    figure = two_arms()
    problem = mk.Problem(
        figure, [mk.Position("hand_a", [0, 0, 0], hard=True), mk.Pin("hand_b", axes="position")]
    )
    start = figure.pose({f"j_{s}{k}": t * 0.5 for s, t in (("a", 1), ("b", -1)) for k in range(3)})
    session = problem.session(start)
    for way in (0.0, 0.1, 9.0):
        found = session.solve([start.position("hand_a") + [way, 0.0, 0.0], None])
        assert (session.q == found.q).all()
        assert (session.anchor.q == start.q).all() and (found.anchor.q == start.q).all()
    assert off(found.pose, start) > 0.1
    session.anchor = found.pose
    there = session.solve([found.pose.position("hand_a") - [0.05, 0.0, 0.0], None])
    assert there.feasible and off(there.pose, found.pose) <= HARD
    session.anchor = start
    back = session.solve([start.position("hand_a"), None])
    assert back.feasible and off(back.pose, start) <= HARD


def test_setting_q_moves_the_figure_and_not_the_anchor(body):
    problem = hand(body)
    session = problem.session()
    session.solve([np.array([0.42, -0.2, 1.1]), None, None])
    session.q = body.pose({"root_x": 0.3})
    assert session.q[body.index("root_x")] == 0.3
    found = session.solve([np.array([0.42, -0.2, 1.1]), None, None])
    assert found.reached
    for foot in FEET:
        assert np.abs(found.pose.matrix(foot) - body.pose().matrix(foot)).max() < HARD


def test_a_solve_from_another_start_leaves_the_anchor(body):
    session = hand(body).session()
    found = session.solve([np.array([0.42, -0.2, 1.1]), None, None], start=body.pose({"root_y": 0.2}))
    assert found.reached and (session.q == found.q).all()
    assert np.abs(found.pose.matrix("left_foot") - body.pose().matrix("left_foot")).max() < HARD


def test_the_stance_is_what_the_first_start_tells_and_comes_along(body):
    session = hand(body, "nothing").session(body.pose({"root_x": 0.5}))
    assert session.stance is None
    session.solve([np.array([0.9, -0.2, 1.1])])
    first = session.stance
    assert first is not None and first.feet.shape == (2, 3) and first.pelvis.shape == (3,)
    ankles = body.forward(body.pose({"root_x": 0.5}).q, ["left_ankle", "right_ankle"])[:, :3, 3]
    assert first.feet == pytest.approx(ankles, abs=1e-9)
    assert np.linalg.norm(first.facing) == pytest.approx(1.0) and first.facing[0] > 0.99
    for point in round_path(10) + [0.5, 0.0, 0.0]:
        session.solve([point])
    stays = session.stance
    assert stays is not None and (stays.feet == first.feet).all()
    for x in np.linspace(0.9, 3.0, 30):
        session.solve([np.array([x, -0.2, 1.1])])
    along = session.stance
    assert along is not None and along.feet[:, 0].min() > first.feet[:, 0].max() + 0.5
    assert hand(body, "nothing").replace(natural=False).session().stance is None


def test_reset_begins_anew(body):
    session, fresh = (
        hand(body, "nothing").session(),
        hand(body, "nothing").session(body.pose({"root_x": 1.0})),
    )
    for point in round_path(6):
        session.solve([point])
    session.reset(body.pose({"root_x": 1.0}))
    assert session.stance is None and session.anchor.values()["root_x"] == 1.0
    for point in round_path(6) + [1.0, 0.0, 0.0]:
        assert (session.solve([point]).q == fresh.solve([point]).q).all()
    session.reset()
    assert (session.q == session.problem.q0).all() and (session.anchor.q == session.problem.q0).all()


@pytest.mark.parametrize("held", ["nothing", "soft feet", "pins"])
@pytest.mark.parametrize(
    "made", [mk.Session.copy, copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))]
)
def test_a_copy_goes_on_alike(body, held, made):
    problem = hand(body, held)
    session, path = problem.session(), round_path(12)
    for targets in targets_of(problem, path[:6]):
        session.solve(targets)
    other = made(session)
    session.cool()  # as copies are
    assert (other.q == session.q).all() and (other.anchor.q == session.anchor.q).all()
    mine, its = session.stance, other.stance
    assert mine is not None and its is not None and (mine.feet == its.feet).all()
    for targets in targets_of(problem, path[6:]):
        one, two = session.solve(targets), other.solve(targets)
        assert one.q.tobytes() == two.q.tobytes() and one.cost == two.cost


@pytest.mark.parametrize("held", ["nothing", "soft feet", "pins"])
def test_two_sessions_of_one_problem_do_not_disturb_each_other(body, held):
    problem = hand(body, held)
    one, two = problem.session(), problem.session(body.pose({"root_x": 0.2}))
    path = round_path(8)
    mixed: list[list[bytes]] = [[], []]
    for here, there in zip(
        targets_of(problem, path), targets_of(problem, path[::-1] + [0.2, 0, 0]), strict=True
    ):
        mixed[0].append(one.solve(here).q.tobytes())
        problem.solve(targets=there)
        mixed[1].append(two.solve(there).q.tobytes())
    one, two = problem.session(), problem.session(body.pose({"root_x": 0.2}))
    assert [one.solve(t).q.tobytes() for t in targets_of(problem, path)] == mixed[0]
    assert [two.solve(t).q.tobytes() for t in targets_of(problem, path[::-1] + [0.2, 0, 0])] == mixed[1]


@pytest.mark.parametrize("held", ["nothing", "soft feet", "pins"])
def test_a_refused_call_changes_nothing(body, held):
    problem = hand(body, held)
    session, same = problem.session(), problem.session()
    more = [None] * (len(problem.goals) - 1)
    path = round_path(8)
    for number, point in enumerate(path):
        stance, q = session.stance, session.q.copy()
        for targets, options in (
            ([np.array([np.nan, 0.0, 1.0]), *more], {}),
            ([point], {}) if more else ([point, point], {}),
            ([point, *more], {"method": "magic"}),
            ([point, *more], {"start": np.full(body.n, np.nan)}),
            ([point, *more], {"restarts": -1}),
        ):
            with pytest.raises(ManikinError):
                session.solve(targets, **options)
        with pytest.raises(ManikinError):
            session.path([np.full((2, 3), np.nan), *more])
        with pytest.raises(PoseError):
            session.q = np.full(body.n, np.inf)
        with pytest.raises(PoseError):
            session.anchor = np.full(body.n, np.nan)
        with pytest.raises(PoseError):
            session.reset(np.zeros(3))
        with pytest.raises(ManikinError):
            session.replace(free=["nothing_*"])
        assert (session.q == q).all() and (session.anchor.q == problem.q0).all()
        if number:
            assert stance is not None and session.stance is not None
            assert (session.stance.feet == stance.feet).all()
        same.cool()  # a refused call may forget what held the last step
        assert (session.solve([point, *more]).q == same.solve([point, *more]).q).all()


def test_replace_keeps_pose_and_anchor(body):
    session = hand(body).session()
    for targets in targets_of(session.problem, round_path(5)):
        session.solve(targets)
    other = session.replace(goals=[mk.Position("left_hand", [0.4, 0.2, 1.2]), *map(mk.Pin, FEET)])
    assert (other.q == session.q).all() and (other.anchor.q == session.anchor.q).all()
    found = other.solve()
    assert found.reached and found.pose.position("left_hand") == pytest.approx([0.4, 0.2, 1.2], abs=1e-4)
    for foot in FEET:
        assert np.abs(found.pose.matrix(foot) - body.pose().matrix(foot)).max() < HARD


@pytest.mark.parametrize(
    "asked", [{"solutions": 3, "restarts": 6}, {"nearest": True, "restarts": 6}, {"restarts": 2}]
)
def test_whatever_is_asked_of_a_solve_the_anchor_stays(asked):
    figure = two_arms()
    problem = mk.Problem(figure, [mk.Position("hand_a", [0, 0, 0]), mk.Pin("hand_b", axes="position")])
    start = figure.pose({f"j_{s}{k}": t * 0.5 for s, t in (("a", 1), ("b", -1)) for k in range(3)})
    session = problem.session(start)
    for way, options in (
        (0.0, {}),
        (9.0, {}),
        (-0.1, asked),
        (9.0, {}),
        (-0.05, asked),
        (9.0, {}),
        (0.0, {}),
    ):
        found = session.solve([start.position("hand_a") + [way, 0.0, 0.0], None], **options)
        assert (found.anchor.q == start.q).all()
        if way < 1.0:
            assert found.feasible and off(found.pose, start) <= HARD


def test_a_path_of_a_session_means_its_anchor_and_the_session_goes_on_from_its_end():
    figure = two_arms()
    problem = mk.Problem(
        figure, [mk.Position("hand_a", [0, 0, 0], hard=True), mk.Pin("hand_b", axes="position")]
    )
    start = figure.pose({f"j_{s}{k}": t * 0.5 for s, t in (("a", 1), ("b", -1)) for k in range(3)})
    session = problem.session(start)
    session.solve([start.position("hand_a") + [9.0, 0.0, 0.0], None])
    path = session.path([start.position("hand_a") + np.array([[0.1, 0, 0], [0.05, 0, 0]]), None])
    assert path.feasible.all() and max(off(path.pose(k), start) for k in range(2)) <= HARD
    assert (session.q == path.q[-1]).all() and (session.anchor.q == start.q).all()
    found = session.solve([start.position("hand_a"), None])
    assert found.feasible and off(found.pose, start) <= HARD
    empty = session.path([np.zeros((0, 3)), None])
    assert len(empty) == 0 and (session.q == found.q).all()


@pytest.mark.parametrize("asked", [{"solutions": 2, "restarts": 6}, {"nearest": True, "restarts": 6}])
def test_least_change_means_the_start_of_a_solve_for_several_too(asked):
    figure = two_arms()
    start = figure.pose({f"j_a{k}": 0.5 for k in range(3)})
    problem = mk.Problem(start, [mk.Position("hand_a", start.position("hand_a")), mk.LeastChange()])
    session = problem.session()
    session.solve([start.position("hand_a") + [-0.4, 0.0, 0.0], None])
    begun, target = session.q.copy(), start.position("hand_a") + [-0.1, 0.0, 0.0]
    found = session.solve([target, None], **asked)
    assert found.q == pytest.approx(problem.solve(begun, [target, None], **asked).q, abs=1e-6)
    session.q = begun
    own = session.replace(goals=[problem.goals[0].changed(target=target), problem.goals[1]])
    assert own.solve(**asked).q == pytest.approx(found.q, abs=1e-6)


def test_least_change_means_the_start_of_each_solve_and_on_a_path_the_anchor():
    figure = two_arms()
    start = figure.pose({f"j_a{k}": 0.5 for k in range(3)})
    goals = [mk.Position("hand_a", start.position("hand_a")), mk.LeastChange()]
    problem = mk.Problem(figure, goals)
    session = problem.session(start)
    for way in (-0.2, -0.4, -0.1):
        begun = session.q.copy()
        target = start.position("hand_a") + [way, 0.0, 0.0]
        found = session.solve([target, None])
        assert found.q == pytest.approx(problem.solve(begun, [target, None]).q, abs=1e-4)
    target = start.position("hand_a") + [-0.1, 0.0, 0.0]
    path = session.path([target[None], None])
    assert path.q[0] == pytest.approx(problem.solve(start, [target, None]).q, abs=2e-3)


@pytest.mark.parametrize("made", [floating_chain, iiwa])
def test_led_round_a_closed_path_every_joint_comes_back(made):
    """The base of a chain that nothing holds, and an arm with joints to spare."""
    figure = made()
    free = made is floating_chain
    values = [0.4, 0.5, 0.3, -0.4] if free else [0.3, 0.6, 0.1, -1.2, 0.2, 0.8, 0.0]
    start = figure.pose([*[0.0] * (figure.n - len(values)), *values])
    site = "tip" if free else "tool"
    session = mk.Problem(start, [mk.Position(site, start.position(site))]).session()
    u = np.linspace(0.0, 2.0 * np.pi, 41)[1:]
    path = start.position(site) + 0.08 * np.column_stack([np.cos(u), np.sin(u), np.sin(2.0 * u)])
    ends = []
    for _ in range(6):
        for point in path:
            assert session.solve([point]).reached
        ends.append(session.q.copy())
    assert np.degrees(np.abs(np.array(ends[1:]) - ends[0]).max()) < 1.0


@pytest.mark.parametrize("held", ["nothing", "soft feet", "pins"])
def test_a_person_s_hand_led_round_a_closed_path_brings_every_joint_back(body, held):
    problem = hand(body, held)
    session, ends = problem.session(), []
    path = targets_of(problem, round_path(60))
    session.solve(path[-1])
    for _ in range(3):
        for targets in path:
            assert session.solve(targets).reached
        ends.append(session.q.copy())
    assert np.degrees(np.abs(np.array(ends[1:]) - ends[0]).max()) < 1.0


def test_targets_with_two_axes_minded_are_solved_with_the_same_anchor():
    """Such a target cannot be written where a search reads it: another problem answers."""
    figure = two_arms()
    start = figure.pose({f"j_{s}{k}": t * 0.5 for s, t in (("a", 1), ("b", -1)) for k in range(3)})
    goals = [mk.Orientation("hand_a", np.eye(3), axes=(1, 0, 1)), mk.Pin("hand_b", axes="position")]
    session = mk.Problem(figure, goals).session(start)
    for turn in (0.2, 0.4, -0.3):
        c, s = np.cos(turn), np.sin(turn)
        found = session.solve([np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]), None])
        assert found.reached and off(found.pose, start) <= HARD


def test_a_pin_with_a_place_minds_no_anchor(body):
    rest = body.pose()
    goals = [mk.Position("right_hand", [0.4, -0.2, 1.1]), *(mk.Pin(f, at=rest.matrix(f)) for f in FEET)]
    problem = mk.Problem(body, goals)
    away = body.pose({"root_x": 0.2, "root_y": 0.1})
    for found in (problem.solve(away), problem.session(away).solve()):
        assert found.reached
        for foot in FEET:
            assert np.abs(found.pose.matrix(foot) - rest.matrix(foot)).max() < HARD
