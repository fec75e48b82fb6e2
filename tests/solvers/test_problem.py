from __future__ import annotations

import numpy as np
import pytest
from tests.problems import moved

import manikin as mk
from manikin.cli.robot import arm
from manikin.errors import GoalError, PoseError, SolveError
from manikin.figure import Figure, Joint, Site

from .samples import chain, check, random_pose, random_rotation

ARM = arm()
NEAR, FAR = [0.45, 0.15, 0.35], [0.30, -0.25, 0.60]


def two_goals() -> tuple[mk.Problem, mk.Goal, mk.Goal]:
    position = mk.Position("tool", NEAR)
    aim = mk.Aim("tool", at=[0.8, 0.1, 0.0], axis=(0, 0, 1))
    return mk.Problem(ARM, [position, aim]), position, aim


def tree() -> Figure:
    """A trunk with a waist, two arms and a tail that no goal minds."""
    joints = [
        Joint.revolute("waist", "base", "trunk", "z"),
        Joint("left", "trunk", "left_hand", "R(y)*R(x)", (0, 0.2, 0.5)),
        Joint("right", "trunk", "right_hand", "R(y)*R(x)", (0, -0.2, 0.5)),
        Joint.revolute("tail", "base", "tip", "z"),
    ]
    sites = [Site(f"{side}_palm", f"{side}_hand", (0, 0, -0.5)) for side in ("left", "right")]
    return Figure("tree", ["base", "trunk", "left_hand", "right_hand", "tip"], joints, sites)


def test_another_target_makes_another_problem_and_leaves_the_first_as_it_was():
    problem, position, aim = two_goals()
    before = problem.solve()
    other = moved(problem, position, target=FAR)
    assert np.array_equal(other.goals[0].target, FAR) and problem.goals == (position, aim)
    fresh = check(mk.solve(ARM, [mk.Position("tool", FAR), aim]))
    assert check(other.solve()).q.tobytes() == fresh.q.tobytes()
    assert problem.solve().q.tobytes() == before.q.tobytes()


def test_weights_and_fewer_goals_change_the_answer_as_new_goals_would():
    problem, position, aim = two_goals()
    out = mk.Position("tool", [1.5, 0.0, 0.5])
    weak = moved(problem, position, target=out.target, weight=0.01)
    light = check(weak.solve())
    assert light.q.tobytes() == mk.solve(ARM, [mk.Position("tool", out.target, weight=0.01), aim]).q.tobytes()
    off = check(weak.replace(goals=[aim]).solve())
    assert off.reached and not light.reached
    assert check(weak.solve()).q.tobytes() == light.q.tobytes()


def test_a_weight_of_zero_is_a_goal_that_is_not_minded():
    problem, position, _ = two_goals()
    problem = moved(problem, position, target=[9.0, 0, 0], weight=0.0)
    assert check(problem.solve()).reached


def test_every_argument_of_a_goal_can_be_changed():
    turn = random_rotation(np.random.default_rng(1))
    goals = {
        mk.Orientation("tool", np.eye(3)): {"target": turn, "axes": (0, 0, 1), "degrees_per_metre": 20.0},
        mk.Placement("tool", NEAR, np.eye(3)): {
            "position": FAR,
            "orientation": turn,
            "position_share": 0.9,
        },
        mk.Aim("tool", NEAR): {"at": [1, 0, 0], "axis": (0, 1, 0), "degrees_per_metre": 20.0},
        mk.OnLine("tool", NEAR, (1, 0, 0)): {"point": FAR, "direction": (0, 1, 1)},
        mk.OnPlane("tool", NEAR, (1, 0, 0)): {"point": FAR, "normal": (0, 1, 1)},
    }
    for goal, changes in goals.items():
        problem = mk.Problem(ARM, [goal])
        problem = moved(problem, goal, **changes)
        arguments = {**goal.arguments(), **changes}
        fresh = mk.solve(ARM, [type(goal)(**arguments)])
        assert check(problem.solve()).q.tobytes() == check(fresh).q.tobytes()


def test_what_cannot_be_changed_is_refused_by_name():
    problem, position, aim = two_goals()
    before = problem.solve()
    with pytest.raises(GoalError, match=r"cannot set colour; it has site, target, weight, hard"):
        moved(problem, position, colour="red")
    with pytest.raises(GoalError, match="figure 'arm' has no site 'elbw'"):
        moved(problem, position, site="elbw")
    with pytest.raises(GoalError, match="target must be finite"):
        moved(problem, position, target=[np.nan, 0, 0])
    with pytest.raises(GoalError, match="weight must not be negative"):
        moved(problem, position, weight=-1.0)
    with pytest.raises(SolveError, match="goal 1 is not a goal but 'tool'"):
        problem.replace(goals=[position, "tool"])
    with pytest.raises(PoseError, match=r"nothing matches.*'elbw'"):
        problem.replace(free=["elbw"])
    with pytest.raises(SolveError, match="tolerance must be two positive numbers"):
        problem.replace(tolerance=(0.0, 1e-3))
    with pytest.raises(SolveError, match="natural must be true or false"):
        problem.replace(natural="yes")
    with pytest.raises(SolveError, match="a constraint must be a Coupling or text"):
        problem.replace(constraints=[3])
    with pytest.raises(PoseError, match="expected 7 values"):
        problem.replace(q0=np.zeros(6))
    assert problem.goals == (position, aim)
    assert problem.solve().q.tobytes() == before.q.tobytes()


def test_a_problem_cannot_be_written_to():
    problem, *_ = two_goals()
    for array in (problem.q0, problem.free):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_replaced_arguments_make_the_problem_that_they_would_have_made():
    problem, position, aim = two_goals()
    q0 = random_pose(ARM, np.random.default_rng(4))
    for changes in (
        {"goals": [mk.Position("tool", FAR)]},
        {"goals": [[aim], [position]]},
        {"free": ["shoulder*", "elbow*"]},
        {"fixed": ["elbow"]},
        {"constraints": ["elbow = 2*wrist"]},
        {"tolerance": (1e-3, 1e-2)},
        {"natural": False},
        {"q0": q0},
    ):
        other = problem.replace(**changes)
        begin = q0 if "q0" in changes else ARM
        own = {name: value for name, value in changes.items() if name not in ("goals", "q0")}
        fresh = mk.Problem(begin, changes.get("goals", [position, aim]), **own)
        assert other.variables == fresh.variables and other.tolerance == fresh.tolerance
        assert other.ranks == fresh.ranks and np.array_equal(other.free, fresh.free)
        assert other.solve().q.tobytes() == fresh.solve().q.tobytes()
        again = other.replace(goals=[position, aim])  # the rest stays as it was replaced
        assert np.array_equal(again.free, fresh.free) and again.constraints == other.constraints


def test_a_solution_handed_out_before_keeps_its_own_targets():
    problem = mk.Problem(ARM, [mk.Position("tool", [2.0, 0.0, 0.5])])
    first = problem.solve()
    reference = mk.solve(ARM, [mk.Position("tool", [2.0, 0.0, 0.5])])
    second = check(moved(problem, 0, target=NEAR).solve())
    assert second.reached and not first.reached
    assert first.explain() == reference.explain()
    assert first.active_constraints() == reference.active_constraints()
    assert np.array_equal(first.goals[0].target, [2.0, 0.0, 0.5])
    check(first)


def test_a_start_may_be_a_pose_numbers_or_values_by_name():
    problem, *_ = two_goals()
    pose = random_pose(ARM, np.random.default_rng(2))
    answers = [problem.solve(start).q for start in (pose, pose.q, pose.q.tolist(), pose.values())]
    assert all(np.array_equal(answers[0], other) for other in answers)
    named = problem.solve({"elbow": 1.0})
    assert np.array_equal(named.q, problem.solve(ARM.pose({"elbow": 1.0})).q)
    assert np.array_equal(mk.solve(pose, problem.goals).q, answers[0])


def test_the_start_is_not_written_to():
    problem, *_ = two_goals()
    start = np.array(ARM.rest)
    solution = problem.solve(start)
    assert np.array_equal(start, ARM.rest) and solution.q is not start
    assert np.array_equal(problem.q0, ARM.rest)


def test_an_array_of_other_numbers_is_a_start_too():
    problem, *_ = two_goals()
    as_float32 = np.array([0, 0.5, 0, 1.25, 0, 0.5, 0], np.float32)
    expected = problem.solve(as_float32.astype(float)).q
    assert np.array_equal(problem.solve(as_float32).q, expected)
    wide = np.zeros((7, 2))
    wide[:, 0] = as_float32
    assert np.array_equal(problem.solve(wide[:, 0]).q, expected)


def test_starts_that_do_not_fit_are_refused():
    problem, *_ = two_goals()
    for wrong in (np.zeros(6), [0.0] * 8, np.zeros((7, 1))):
        with pytest.raises(PoseError, match="expected 7 values"):
            problem.solve(wrong)
    for bad in (np.nan, np.inf):
        q = np.array(ARM.rest)
        q[3] = bad
        with pytest.raises(PoseError, match="finite"):
            problem.solve(q)
        with pytest.raises(PoseError, match="finite"):
            problem.solve(q.tolist())
    with pytest.raises(PoseError, match="unknown degree of freedom 'knee'"):
        problem.solve({"knee": 1.0})
    other = chain([0.3], ["R(z)"])
    with pytest.raises(
        SolveError, match="the start is a pose of 'chain', which has other degrees of freedom"
    ):
        problem.solve(other.pose())
    assert check(problem.solve()).reached


@pytest.mark.parametrize("potential", [False, True])
def test_a_start_that_is_not_finite_is_refused_with_and_without_functions(potential):
    goals = [mk.Position("tool", NEAR)]
    if potential:
        goals.append(mk.Potential("tool", lambda r, a: (0.0, np.zeros(3), np.zeros((3, 3)))))
    for time_limit in (None, 1.0):
        with pytest.raises(PoseError, match="finite"):
            mk.Problem(ARM, goals).solve(np.full(7, np.nan), time_limit=time_limit)


def test_a_pose_of_an_equal_figure_is_a_start():
    problem, *_ = two_goals()
    assert np.array_equal(problem.solve(arm().pose()).q, problem.solve().q)


def test_only_what_matters_to_a_goal_is_solved_for():
    figure = tree()
    left = mk.Position("left_palm", [0.2, 0.3, 0.2])
    assert mk.Problem(figure, [left]).variables == ("waist", "left_y", "left_x")
    assert mk.Problem(figure, [left, mk.Position("right_palm", [0, 0, 0])]).variables == figure.dofs[:5]
    assert mk.Problem(figure, [left], free=["left_*", "tail"]).variables == ("left_y", "left_x")
    assert mk.Problem(figure, [left], constraints=["tail = waist"]).variables == (
        "waist",
        "left_y",
        "left_x",
        "tail",
    )
    assert mk.Problem(figure, [mk.Position("base", [0, 0, 0])]).variables == ()


def test_what_is_tied_to_a_moving_joint_moves_along():
    solution = check(
        mk.solve(tree(), [mk.Position("left_palm", [0.3, 0.1, 0.2])], constraints=["tail = waist"]),
        ["tail = waist"],
    )
    values = solution.pose.values()
    assert values["waist"] != 0.0 and values["tail"] == pytest.approx(values["waist"], abs=1e-12)


def test_what_is_not_available_is_refused_in_words():
    hard = mk.Position("tool", NEAR, hard=True)
    with pytest.raises(
        SolveError, match=r"'projection' cannot honour a hard goal \(position of 'tool'\).*'auto'"
    ):
        mk.solve(ARM, [hard], method="projection")
    soft = mk.Position("tool", NEAR)
    with pytest.raises(SolveError, match="'ccd' cannot honour levels of priority"):
        mk.solve(ARM, [[soft], [mk.Position("elbow", FAR)]], method="ccd")
    with pytest.raises(SolveError, match="got both"):
        mk.solve(ARM, [[soft], mk.Position("elbow", FAR)])
    with pytest.raises(SolveError, match="unknown method 'magic'; expected one of: auto, lm, projection"):
        mk.solve(ARM, [soft], method="magic")
    with pytest.raises(SolveError, match="position of 'tool' is in the list twice; make two goals"):
        mk.solve(ARM, [soft, soft])
    with pytest.raises(SolveError, match="goal 1 is not a goal but 'tool'"):
        mk.solve(ARM, [soft, "tool"])


@pytest.mark.parametrize(
    "tolerance", [1e-4, (1e-4,), (0.0, 1e-3), (1e-4, -1.0), (np.nan, 1e-3), (np.inf, 1), "ab", None]
)
def test_a_tolerance_that_makes_no_sense_is_refused(tolerance):
    with pytest.raises(SolveError, match="tolerance must be two"):
        mk.solve(ARM, [mk.Position("tool", NEAR)], tolerance=tolerance)


@pytest.mark.parametrize("restarts", [-1, 1.5, True, "many"])
def test_restarts_that_are_no_number_are_refused(restarts):
    for target in (NEAR, [3.0, 0, 0]):
        with pytest.raises(SolveError, match="restarts must be a whole number"):
            mk.solve(ARM, [mk.Position("tool", target)], restarts=restarts)


@pytest.mark.parametrize("time_limit", [0.0, -1.0, np.nan])
def test_a_time_limit_that_is_not_positive_is_refused(time_limit):
    with pytest.raises(SolveError, match="time_limit must be a positive number"):
        mk.solve(ARM, [mk.Position("tool", NEAR)], time_limit=time_limit)


def test_a_time_limit_that_is_no_number_is_refused():
    with pytest.raises(SolveError, match="time_limit must be a positive number"):
        mk.solve(ARM, [mk.Position("tool", NEAR)], time_limit="soon")


def test_two_goals_with_the_same_wish_are_two_wishes():
    twice = check(mk.solve(ARM, [mk.Position("tool", [2, 0, 0]), mk.Position("tool", [2, 0, 0])]))
    once = check(mk.solve(ARM, [mk.Position("tool", [2, 0, 0])]))
    assert twice.cost == pytest.approx(2.0 * once.cost, rel=1e-9)


def test_an_unknown_site_is_refused_with_those_it_may_have_meant():
    with pytest.raises(GoalError, match=r"figure 'arm' has no site 'tol'.*'?tool"):
        mk.solve(ARM, [mk.Position("tol", NEAR)])


def test_unknown_names_in_free_and_constraints_are_refused():
    goals = [mk.Position("tool", NEAR)]
    with pytest.raises(PoseError, match=r"nothing matches.*'elbw'.*elbow"):
        mk.solve(ARM, goals, free=["elbw"])
    with pytest.raises(PoseError, match=r"unknown degree of freedom 'elbw'.*elbow"):
        mk.solve(ARM, goals, constraints=["elbw = wrist"])
    with pytest.raises(SolveError, match=r"a constraint must be a Coupling or text.*got 3"):
        mk.solve(ARM, goals, constraints=[3])


def test_what_is_no_figure_and_what_is_no_goal_are_refused():
    with pytest.raises(SolveError, match="Figure or a Pose, got 'human'"):
        mk.solve("human", [])
    with pytest.raises(SolveError, match="goals must be a list of goals, got 3"):
        mk.Problem(arm(), [mk.Position("tool", [0.4, 0.0, 0.4])]).replace(goals=3)


def test_a_target_beyond_all_measure_is_refused():
    with pytest.raises(GoalError, match="farther than"):
        mk.Position("tool", [1e300, 0.0, 0.0])


def test_a_start_of_many_million_turns_is_refused_by_name():
    figure = chain([0.3], ["R(z)"])
    with pytest.raises(PoseError, match="'j1' is 1000000000000000"):
        mk.solve(figure.pose([1e15]), [mk.Position("tip", [0.0, 0.3, 0.0])])


@pytest.mark.parametrize("change", [{"seed": -1}, {"seed": "a"}, {"constraints": 3}, {"free": 3}])
def test_other_arguments_that_make_no_sense_are_refused(change):
    with pytest.raises(SolveError, match=next(iter(change))):
        mk.solve(arm(), [mk.Position("tool", [9.0, 0.0, 0.4])], restarts=2, **change)
    with pytest.raises(SolveError, match="goals"):
        mk.solve(arm(), None)


def test_reading_a_solution_leaves_the_problems_next_solve_alone():
    problem = mk.Problem(arm(), [mk.Position("tool", [9.0, 0.0, 0.4])])
    first = problem.solve()
    assert first.active_constraints() is not None and first.degree_of_redundancy() >= 0 and first.explain()
    second = problem.solve()
    assert (second.q == first.q).all() and second.cost == first.cost
