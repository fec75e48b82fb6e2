"""A user's script that names every public name, for `mypy --strict` (`make lint`)."""

from __future__ import annotations

from typing import assert_type

import numpy as np

import manikin as mk


def people() -> mk.Solution:
    body = mk.human(stature=1.75)
    table = mk.Box(center=[0.4, 0.0, 0.72], size=[0.5, 1.2, 0.04])
    regions: list[mk.Region] = [
        table,
        mk.Ball([0.0, 0.0, 1.0], 0.2),
        mk.Capsule([0.0, 0.0, 1.0], [0.0, 0.0, 2.0], 0.2),
        mk.Circle([0.0, 0.0, 1.0], [0.0, 0.0, 1.0], 0.2),
        mk.HalfSpace([0.0, 0.0, 1.0], [0.0, 0.0, 1.0]),
    ]
    goals: list[mk.Goal] = [
        mk.Position("right_hand", [0.45, -0.25, 1.20]),
        mk.Orientation("right_hand", wxyz=[1.0, 0.0, 0.0, 0.0]),
        mk.Placement("left_hand", np.eye(4)),
        mk.Aim("eyes", at=[2.0, 0.0, 1.5]),
        mk.OnLine("pelvis", [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
        mk.OnPlane("pelvis", [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]),
        mk.Pin("left_foot"),
        mk.Balance(margin=0.02),
        mk.CenterOfMass([0.0, 0.0, 1.0]),
        mk.Inside("right_hand", regions[1]),
        mk.Outside("right_*", table),
        mk.Range("pelvis", z=(0.5, 1.0)),
        mk.Relative("left_hand", "right_hand", [0.0, 0.3, 0.0]),
        mk.AnyOf([mk.Pin("left_foot"), mk.Pin("right_foot")]),
        mk.SelfClearance(margin=0.01),
        mk.Swivel("left", 0.1),
        mk.Potential("head", lambda place, turn: (0.0, np.zeros(3), np.zeros(3))),
    ]
    objectives: list[mk.Objective] = [
        mk.Posture(),
        mk.LeastChange(),
        mk.LeastTime(),
        mk.Discomfort(),
        mk.Effort(),
        mk.KineticEnergy(),
        mk.LimitSpring("left_*"),
        mk.Natural(),
    ]
    result = mk.solve(body, [*goals, *objectives], fixed="root_*", time_limit=0.5)
    assert_type(result.reached, bool)
    assert_type(result.explain(), str)
    assert_type(result.pose.values(), dict[str, float])
    reports: list[mk.result.GoalReport] = list(result.goal_reports)
    limits: list[mk.result.ActiveConstraint] = list(result.active_constraints())
    print(reports, limits, result.pose.jacobian("left_hand", frame="left_hand").shape)
    problem = mk.Problem(body, goals, free=body.chain("right_shoulder", "right_hand"))
    problem = problem.replace(fixed="spine_*", goals=[*goals, mk.Pin("pelvis", at=np.eye(4))])
    found = problem.solve(result.pose, targets=None)
    assert_type(found, mk.Solution)
    session: mk.Session = problem.session(result.pose, anchor=body.pose())
    assert_type(session.solve(), mk.Solution)
    session.q, session.anchor = body.rest, result.pose
    assert_type(session.anchor, mk.Pose)
    assert_type(session.copy().replace(natural=False), mk.Session)
    many = mk.solve_many(body, goals[:1], np.zeros((3, 3)))
    assert_type(many, mk.Solutions)
    assert_type(many[0], mk.Solution)
    assert_type(many[1:], mk.Solutions)
    assert_type(many.reached, np.ndarray)
    print(mk.grip(body, "pinch").size, mk.hold(table), mk.held_box(result.pose, table))
    assert_type(mk.preset(body, "sit"), mk.Pose)
    crowd: mk.Population = mk.population(3)
    print(len(crowd))
    return found


def figures() -> mk.Figure:
    segments = [mk.Segment("a", 1.0, shapes=(mk.Shape("sphere", 0.1),)), mk.Segment("b")]
    hinge = mk.Joint("hinge", "a", "b", "R(0,0,1)", lower=-1.0, upper=1.0)
    other = mk.Joint("other", "b", "c", "R(0,0,1)", follow=mk.Follow({"hinge": 2.0}))
    figure = mk.Figure(
        "two",
        [*segments, "c"],
        [hinge, other],
        [mk.Site("tip", "c", [0.1, 0.0, 0.0])],
        loops=[mk.Loop("tip", "a")],
    )
    dof: mk.Dof = figure.dof("hinge")
    pose: mk.Pose = figure.pose({"hinge": 0.3})
    couplings: list[mk.Coupling] = [mk.Coupling({"hinge": 1.0}, upper=0.5)]
    print(dof.unit, couplings, mk.save(pose, "two.npz"))
    return mk.load("two.npz")


def limbs(figure: mk.Figure) -> None:
    arm = mk.Arm(figure, "left")
    tracker = mk.ArmTracker(arm, np.zeros(figure.n), step=0.01)
    six = mk.SixAxis(figure, "tool")
    table = mk.SwivelTable.fit(np.zeros((3, 3)), np.zeros(3))
    print(tracker, six, table.swivel([0.0, 0.0, 0.0]))
    print(mk.two_links(0.3, 0.3, [0.4, 0.1]), mk.three_links([0.3, 0.3, 0.1], [0.4, 0.1], 0.0))


def motions(figure: mk.Figure) -> mk.Motion:
    goal = mk.Position("right_hand", [0.4, 0.0, 1.0])
    times = np.linspace(0.0, 1.0, 5)
    paths = [
        mk.Line([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        mk.Arc([1.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
        mk.Spline([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]),
        mk.Recorded(times, np.zeros((5, 3))),
    ]
    motion = mk.track(figure, [mk.Along(goal, paths[0]), mk.During(mk.Pin("left_foot"))], times)
    pose: mk.Pose = motion.sample(0.5)
    keys: mk.Motion = mk.interpolate([pose, pose], [0.0, 1.0])
    print(mk.approach(figure, [goal]), mk.refined(motion, goal), mk.roles_of(figure))
    stream = mk.Tracker(figure, [goal], rate=60.0)
    print(stream, mk.load_motion("walk.bvh"))
    return mk.retarget(keys, figure)


def errors() -> str:
    family: list[type[mk.ManikinError]] = [
        mk.FigureError,
        mk.FormatError,
        mk.GoalError,
        mk.MissingExtraError,
        mk.PoseError,
        mk.SolveError,
    ]
    try:
        mk.studio(mk.human())
    except mk.ManikinError as error:
        return f"{error} {family}"
    return mk.__version__
