"""The natural start in one compiled call, beside the same said goal by goal in NumPy (`goals.asked`)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.problems import work_of

import manikin as mk
from manikin.kernels.memory.path import ANCHORED, CONTINUES, FRESH
from manikin.kernels.memory.targets import NUMBERS

SIDES = ("left", "right")


@pytest.fixture(scope="module")
def body() -> mk.Figure:
    return mk.human(stature=1.7, fingers=False)


def turned(rng: np.random.Generator) -> np.ndarray:
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def drawn_goals(rng: np.random.Generator) -> list[mk.Goal]:
    """Places, whole or not, pins and a gaze on some parts of a body."""
    sites = ["right_hand", "left_fingertip", "left_foot", "right_heel", "head", "pelvis", "eyes"]
    goals: list[mk.Goal] = []
    for site in rng.permutation(sites)[: rng.integers(1, 5)]:
        point = rng.uniform([-0.3, -0.4, 0.0], [0.6, 0.4, 1.6])
        if site == "eyes":
            goals.append(mk.Aim("eyes", at=point + [1.0, 0.0, 0.0]))
        elif rng.uniform() < 0.4:
            goals.append(mk.Placement(str(site), point, turned(rng)))
        elif site.endswith(("foot", "heel")) and rng.uniform() < 0.5:
            goals.append(mk.Pin(str(site)))
        else:
            goals.append(mk.Position(str(site), point))
    if not any(isinstance(goal, (mk.Position, mk.Placement, mk.Pin)) for goal in goals):
        goals.append(mk.Position("right_hand", rng.uniform([0.2, -0.3, 0.8], [0.5, 0.2, 1.4])))
    return goals


def drawn_start(body: mk.Figure, rng: np.random.Generator) -> np.ndarray:
    q = np.clip(body.rest + rng.normal(0.0, 0.3, body.n), body.lower, body.upper)
    q[rng.uniform(size=body.n) < 0.3] = 0.0
    return np.clip(q, body.lower, body.upper)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_posture_that_the_goals_one_by_one_ask_for(body, seed):
    rng = np.random.default_rng(seed)
    goals = drawn_goals(rng)
    free = None if seed % 3 else ["spine_*", "neck_*", "left_*", "right_*"]
    work = work_of(mk.Problem(body, goals, free=free))
    plan, start = work.posture, work.prior
    for _ in range(4):
        q = drawn_start(body, rng)
        stays = plan.begin(None, q, FRESH) == plan.AT_START
        wanted = start.preferred(goals, q)
        assert plan.q == pytest.approx(wanted.q, abs=2e-6)
        assert stays == start.is_near(goals, q)


def test_targets_of_the_call_count_as_the_goals_own_do(body):
    rng = np.random.default_rng(5)
    rest = body.pose()
    goals = [mk.Placement(f"{s}_foot", rest.position(f"{s}_foot"), np.eye(3)) for s in SIDES]
    hand = mk.Position("right_hand", [0.3, -0.3, 0.4])
    work = work_of(mk.Problem(body, [*goals, mk.Position("right_hand", [0.4, -0.2, 1.0])]))
    own = work_of(mk.Problem(body, [*goals, hand]))
    q = drawn_start(body, rng)
    work.solve(q, [None, None, np.array([0.3, -0.3, 0.4])])
    own.posture.begin(None, q, FRESH)
    assert work.posture.q == pytest.approx(own.posture.q, abs=1e-12)
    fewer = work_of(mk.Problem(body, [goals[1], hand]))
    fewer.posture.begin(None, q, FRESH)
    assert fewer.posture.q == pytest.approx(fewer.prior.preferred([goals[1], hand], q).q, abs=2e-6)
    assert np.abs(fewer.posture.q - work.posture.q).max() > 1e-3


@pytest.mark.parametrize("held", ["nothing", "soft feet", "pins"])
def test_every_joint_is_back_where_its_first_round_ended(body, held):
    rest = body.pose()
    feet = {
        "nothing": [],
        "soft feet": [
            mk.Placement(f"{s}_foot", rest.position(f"{s}_foot"), rest.matrix(f"{s}_foot")) for s in SIDES
        ],
        "pins": [mk.Pin(f"{s}_foot") for s in SIDES],
    }[held]
    session = mk.Problem(body, [mk.Position("right_hand", rest.position("right_hand")), *feet]).session()
    more = [None] * len(feet)
    u = np.linspace(0.0, 2.0 * np.pi, 61)[1:]
    path = np.array([0.38, -0.2, 1.15]) + 0.09 * np.column_stack([np.cos(u), np.sin(u), np.sin(2.0 * u)])
    q, ends = session.solve([path[-1], *more]).q, []
    for _ in range(4):
        for target in path:
            found = session.solve([target, *more])
            assert found.reached
            assert np.abs(found.q - q).max() < np.radians(8.0)
            q = found.q
        ends.append(q)
    assert np.degrees(np.abs(np.array(ends[1:]) - ends[0]).max()) < 1.0


def test_a_target_that_is_no_number_leaves_the_pull_as_it_was(body):
    work = work_of(mk.Problem(body, [mk.Position("right_hand", [0.4, -0.2, 1.0])]))
    first = work.solve(None, [np.array([0.42, -0.2, 1.0])]).q
    before = [array.copy() for array in work.engine.pulled_to]
    with pytest.raises(mk.GoalError):
        work.solve(first, [np.array([np.nan, 0.0, 1.0])])
    for array, kept in zip(work.engine.pulled_to, before, strict=True):
        assert (array == kept).all()
    assert (work.solve(None, [np.array([0.42, -0.2, 1.0])]).q == first).all()


def held_feet(body: mk.Figure, held: str) -> list[mk.Goal]:
    rest = body.pose()
    feet = [f"{s}_foot" for s in SIDES]
    return {
        "nothing": [],
        "soft feet": [mk.Placement(f, rest.position(f), rest.matrix(f)) for f in feet],
        "pins and balance": [*(mk.Pin(f) for f in feet), mk.Balance()],
        "a posture that is asked for": [*(mk.Pin(f) for f in feet), mk.Natural()],
    }[held]


def closed_path(count: int) -> np.ndarray:
    u = np.linspace(0.0, 2.0 * np.pi, count + 1)[1:]
    return np.array([0.38, -0.2, 1.15]) + 0.09 * np.column_stack([np.cos(u), np.sin(u), np.sin(2.0 * u)])


@pytest.mark.parametrize("held", ["nothing", "soft feet", "pins and balance", "a posture that is asked for"])
def test_a_path_has_the_poses_of_call_by_call(body, held, monkeypatch):
    goals = [mk.Position("right_hand", [0.4, -0.2, 1.1]), *held_feet(body, held)]
    path, more = closed_path(25), [None] * (len(goals) - 1)
    one, other = mk.Problem(body, goals).session(), mk.Problem(body, goals).session()
    for session in (one, other):
        session.solve([path[-1], *more])
    answers = [one.solve([target, *more]) for target in path]

    def one_by_one(*_arguments, **_options):
        raise AssertionError("a sample was solved by a call of its own")

    monkeypatch.setattr(other._work, "solve", one_by_one)
    whole = other.path([path, *more])
    assert whole.reached.all()
    assert np.abs(whole.q - [answer.q for answer in answers]).max() < 1e-12
    assert whole.position_errors[:, 0] == pytest.approx(
        [answer.position_errors[0] for answer in answers], abs=1e-12
    )
    assert whole.iterations.tolist() == [answer.iterations for answer in answers]


def test_a_path_goes_on_behind_a_sample_that_is_out_of_reach(body):
    goals = [mk.Position("right_hand", [0.4, -0.2, 1.1]), *held_feet(body, "pins and balance")]
    path = closed_path(6)
    path[2] = [3.0, 0.0, 1.0]
    found = mk.Problem(body, goals).solve_path([path, None, None, None])
    assert found.reached.tolist() == [True, True, False, True, True, True]
    hand = [found.pose(k).position("right_hand") for k in (0, 1, 3, 4, 5)]
    assert np.abs(hand - path[[0, 1, 3, 4, 5]]).max() < 1e-4


def test_a_call_that_is_refused_does_not_change_where_the_pins_are(body):
    goals = [mk.Position("right_hand", [0.4, -0.2, 1.1]), mk.Pin("left_foot"), mk.Pin("right_foot")]
    session = mk.Problem(body, goals).session()
    more = [None, None]
    end = session.solve([np.array([0.4, -0.2, 1.1]), *more]).q
    elsewhere = end.copy()
    elsewhere[0] += 1.0  # a metre further on
    with pytest.raises(mk.ManikinError):
        session.solve([np.array([np.nan, 0.0, 1.0]), *more], start=elsewhere)
    assert (session.q == end).all()
    found = session.solve([np.array([0.42, -0.2, 1.1]), *more])
    for foot in ("left_foot", "right_foot"):
        assert found.pose.position(foot) == pytest.approx(body.pose(end).position(foot), abs=1e-6)
    with pytest.raises(mk.PoseError):
        session.solve([np.array([0.42, -0.2, 1.1]), *more], start=np.full(body.n, np.inf))
    again = session.solve([np.array([0.44, -0.2, 1.1]), *more])
    for foot in ("left_foot", "right_foot"):
        assert again.pose.position(foot) == pytest.approx(body.pose(end).position(foot), abs=1e-6)


def test_feet_that_nothing_holds_stay_while_the_hand_is_led_round_and_follow_it_when_it_goes_away(body):
    session = mk.Problem(body, [mk.Position("right_hand", [0.38, -0.2, 1.15])]).session()
    feet = body.forward(session.solve().q, [f"{s}_foot" for s in SIDES])[:, :3, 3]
    for target in np.tile(closed_path(40), (5, 1)):
        q = session.solve([target]).q
    after = body.forward(q, [f"{s}_foot" for s in SIDES])[:, :3, 3]
    assert np.abs(after - feet).max() < 0.05
    for x in np.linspace(0.4, 2.4, 100):
        found = session.solve([np.array([x, -0.2, 1.15])])
        assert found.reached
        q = found.q
    hand, feet = body.pose(q).position("right_hand"), body.forward(q, [f"{s}_foot" for s in SIDES])[:, :3, 3]
    assert np.linalg.norm(hand[:2] - feet[:, :2].mean(axis=0)) < 1.0


def test_what_is_kept_from_call_to_call_changes_no_bit_of_a_posture(body):
    problem = mk.Problem(body, [mk.Position("right_hand", [0.4, -0.2, 1.1]), *held_feet(body, "soft feet")])
    session, more = problem.session(), [None, None]
    q = session.solve([closed_path(20)[-1], *more]).q
    plan = session._work.posture
    for target in closed_path(20):
        numbers = np.zeros(3 * NUMBERS)
        numbers[:3] = target
        plan.begin(numbers, q.copy(), ANCHORED)
        first = plan.q.copy()
        plan.query.asked_style[0] = 0.0
        plan.begin(numbers, q.copy(), ANCHORED)
        assert (plan.q == first).all()
        q = session.solve([target, *more]).q


@pytest.mark.parametrize("whole", [False, True])
def test_where_a_drag_goes_on_near_is_what_the_frames_say(body, whole):
    rng = np.random.default_rng(8)
    point = np.array([0.4, -0.2, 1.1])
    first = mk.solve(body, [mk.Position("right_hand", point)]).pose.matrix("right_hand")
    goal = mk.Placement("right_hand", first) if whole else mk.Position("right_hand", point)
    session, near = mk.Problem(body, [goal]).session(), []
    q = session.solve([first if whole else first[:3, 3]]).q
    plan = session._work.posture
    for _ in range(60):
        frame = first.copy()
        frame[:3, 3] += rng.normal(0.0, 0.018, 3)
        if whole:
            frame[:3, :3] = Rotation.from_rotvec(rng.normal(0.0, 0.06, 3)).as_matrix() @ frame[:3, :3]
        said, trusted = [], plan.before(CONTINUES).met[0]
        for met in (1.0, 0.0):  # by the last target, and by the frames
            plan.before(CONTINUES).met[0] = met
            said.append(plan.begin((frame if whole else frame[:3, 3]).ravel(), q.copy(), CONTINUES))
            plan.query.last[0] = np.resize(first if whole else first[:3, 3], NUMBERS)
        plan.before(CONTINUES).met[0] = trusted
        assert said[0] == said[1]
        near.append(said[0] == plan.AT_START)
    assert 10 < sum(near) < 50


def test_a_start_from_which_the_last_search_failed_is_judged_by_where_it_is(body):
    free = ["spine_*", "neck_*", "left_*", "right_*"]
    session = mk.Problem(body, [mk.Position("right_hand", [0.4, -0.2, 1.1])], free=free).session()
    plan, start = session._work.posture, session._work.prior
    there, away = np.array([0.42, -0.2, 1.1]), np.array([0.4, -0.2, 9.0])
    q = session.solve([there]).q
    assert not session.solve([away]).reached
    for target in (away + [0.01, 0.0, 0.0], there + [0.01, 0.0, 0.0], there + [0.1, 0.0, 0.0]):
        for run in (FRESH, CONTINUES):
            stays = plan.begin(np.resize(target, NUMBERS), q.copy(), run) == plan.AT_START
            assert stays == start.is_near([mk.Position("right_hand", target)], q)


def test_a_coarse_tolerance_leaves_it_to_the_frames_what_is_near(body):
    goals = [mk.Position("right_hand", [0.4, -0.2, 1.1])]
    for tolerance, trusts in (((1e-4, 1e-3), True), ((0.02, 1e-3), False)):
        work = work_of(mk.Problem(body, goals, tolerance=tolerance))
        assert bool(work.posture.query.trusts_targets) == trusts
