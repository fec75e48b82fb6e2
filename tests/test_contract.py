"""What every solve promises, whatever figure and goals it is given."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import manikin as mk
from manikin.errors import FigureError
from manikin.figure import Figure, Follow, Joint, Pose, Site, transforms

EXACT = 1e-9
TOLERANCE = {"m": 1e-4, "rad": 1e-3}

MOTIONS = {
    "R(z)": 1,
    "R(1,2,-1)": 1,
    "T(x)": 1,
    "R(y)*R(x)": 2,
    "R(z)*T(y)": 2,
    "ball": 3,
    "ball(x)": 3,
    "free": 6,
    "planar": 3,
    "fixed": 0,
}

numbers = st.floats(-3.0, 3.0, allow_nan=False)
lengths = st.sampled_from([0.0, 1e-9, 1e-4, 0.05, 0.3, 1.0, 50.0])
coordinates = st.one_of(st.floats(-2.0, 2.0), st.sampled_from([0.0, 1.0, -1e-7, 100.0, 1e6, -1e6]))
weights = st.sampled_from([1e-6, 1e-3, 0.5, 1.0, 1.0, 1.0, 20.0, 1e3, 1e6])


@st.composite
def directions(draw):
    v = np.array([draw(numbers) for _ in range(3)])
    size = np.linalg.norm(v)
    return v / size if size > 1e-3 else np.array([0.0, 0.0, 1.0])


@st.composite
def rotations(draw):
    kind = draw(st.sampled_from(["any", "none", "half"]))
    if kind == "none":
        return np.eye(3)
    axis = draw(directions())
    if kind == "half":
        return 2.0 * np.outer(axis, axis) - np.eye(3)
    return transforms.exp(draw(numbers) * axis)


def limits(draw, count):
    """Lower and upper, one an axis: none, a range, a range on one side, or no room at all."""
    lower, upper = [], []
    for _ in range(count):
        a, b = sorted((draw(numbers), draw(numbers)))
        kind = draw(st.sampled_from(["none", "both", "both", "lower", "upper", "zero"]))
        lower.append(-np.inf if kind in ("none", "upper") else a)
        upper.append({"none": np.inf, "lower": np.inf, "zero": a}.get(kind, b))
    return lower, upper


@st.composite
def figures(draw):
    """A tree of up to seven joints of all kinds, some axes following others, some couplings."""
    count = draw(st.integers(1, 7))
    joints, names, sites = [], [], []
    for k in range(count):
        motion = draw(st.sampled_from(sorted(MOTIONS)))
        axes = MOTIONS[motion]
        lower, upper = limits(draw, axes)
        parent = f"s{draw(st.integers(max(0, k - 2), k))}"
        follow = [None] * axes
        if names and axes and draw(st.integers(0, 3)) == 0:
            drivers = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
            follow[0] = Follow(
                {name: draw(st.sampled_from([-2.0, 0.5, 1.0])) for name in drivers}, draw(numbers)
            )
            if draw(st.booleans()):
                lower[0], upper[0] = -np.inf, np.inf
        placement = np.eye(4)
        placement[:3, :3] = draw(rotations())
        placement[:3, 3] = draw(lengths) * draw(directions())
        joint = Joint(
            f"j{k}",
            parent,
            f"s{k + 1}",
            motion,
            placement,
            lower=lower or None,
            upper=upper or None,
            stiffness=[draw(st.sampled_from([0.01, 1.0, 1.0, 50.0])) for _ in range(axes)] or None,
            follow=follow or None,
        )
        names += [axis.name for axis in joint.axes if axis.follow is None]
        joints.append(joint)
        sites.append(Site(f"p{k + 1}", f"s{k + 1}", draw(lengths) * draw(directions())))
    base = draw(st.sampled_from(["fixed", "fixed", "free", "planar"]))
    couplings = []
    if len(names) >= 2 and draw(st.booleans()):
        pair = draw(st.lists(st.sampled_from(names), min_size=2, max_size=3, unique=True))
        total = {name: draw(st.sampled_from([-1.0, 0.2, 1.0, 3.0])) for name in pair}
        end = draw(numbers)
        couplings.append(mk.Coupling(total, -np.inf if draw(st.booleans()) else end, end))
    segments = [f"s{k}" for k in range(count + 1)]
    for kept in (couplings, []):
        try:
            return Figure("random", segments, joints, sites, base=base, couplings=kept)
        except FigureError:
            continue
    bare = [Joint(j.name, j.parent, j.child, j.motion, j.placement) for j in joints]
    return Figure("random", segments, bare, sites, base=base)


@st.composite
def problems(draw):
    figure = draw(figures())
    start = np.array([draw(st.floats(-4.0, 4.0)) for _ in range(figure.n)])
    elsewhere = figure.pose(np.clip(start + draw(st.floats(-1.0, 1.0)), figure.lower, figure.upper))
    goals = []
    for _ in range(draw(st.integers(1, 4))):
        site = draw(st.sampled_from(sorted(figure.sites)))
        frame = elsewhere.matrix(site)
        within = draw(st.booleans())
        point = frame[:3, 3] if within else np.array([draw(coordinates) for _ in range(3)])
        turn = frame[:3, :3] if within else draw(rotations())
        w = {"weight": draw(weights)}
        kind = draw(st.sampled_from(["position", "orientation", "placement", "aim", "line", "plane"]))
        match kind:
            case "position":
                goal = mk.Position(site, point, **w)
            case "orientation":
                axes = draw(st.sampled_from([(1, 1, 1), (0, 0, 1), (1, 0.5, 0)]))
                goal = mk.Orientation(site, turn, axes=axes, **w)
            case "placement":
                goal = mk.Placement(
                    site, point, turn, position_share=draw(st.sampled_from([0.01, 0.5, 0.99])), **w
                )
            case "aim":
                goal = mk.Aim(site, at=point, axis=draw(directions()), **w)
            case "line":
                goal = mk.OnLine(site, point, draw(directions()), **w)
            case _:
                goal = mk.OnPlane(site, point, draw(directions()), **w)
        goals.append(goal)
    return figure.pose(start), goals


def angle(u, v):
    return float(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v))


def measured(goal, pose: Pose) -> tuple[list[tuple[float, str]], float]:
    """The misses and the potential of a goal, by its definition."""
    frame = pose.matrix(goal.site)
    r, axes = frame[:3, 3], frame[:3, :3]
    if isinstance(goal, mk.Position):
        amounts = [(np.linalg.norm(r - goal.target), "m")]
    elif isinstance(goal, mk.OnLine):
        e = r - goal.point
        amounts = [(np.linalg.norm(e - (e @ goal.direction) * goal.direction), "m")]
    elif isinstance(goal, mk.OnPlane):
        amounts = [(abs((r - goal.point) @ goal.normal), "m")]
    elif isinstance(goal, mk.Aim):
        d = goal.at - r
        amounts = [(angle(axes @ goal.axis, d) if np.linalg.norm(d) >= 1e-7 else np.pi / 2, "rad")]
        return amounts, goal.weight * (np.degrees(1) / 57.3 * 2.0 * np.sin(0.5 * amounts[0][0])) ** 2
    else:
        target = goal.target if isinstance(goal, mk.Orientation) else goal.orientation
        minded = [k for k in range(3) if goal.axes[k] > 0.0]
        if len(minded) == 1:
            turned = angle(axes[:, minded[0]], target[:, minded[0]])
        else:
            turned = np.linalg.norm(transforms.log(axes.T @ target))
        square = (
            (np.degrees(1) / 57.3) ** 2
            * 0.5
            * (np.array(goal.axes) * ((axes - target) ** 2).sum(axis=0)).sum()
        )
        if isinstance(goal, mk.Orientation):
            return [(turned, "rad")], goal.weight * square
        s, miss = goal.position_share, np.linalg.norm(r - goal.position)
        return [(miss, "m"), (turned, "rad")], goal.weight * (s * miss**2 + (1 - s) * square)
    return amounts, goal.weight * amounts[0][0] ** 2


def size_of(figure: Figure, q: np.ndarray) -> float:
    """A length that everything in the problem is small against, for what rounding may do."""
    placements = [np.abs(joint.placement[:3, 3]).max() for joint in figure.joints.values()]
    return 1.0 + float(np.abs(q).max(initial=0.0)) + float(sum(placements))


def on_its_point(goal, pose: Pose) -> bool:
    """Whether an aim's site sits so near to what it aims at that rounding decides if it has a direction."""
    if not isinstance(goal, mk.Aim):
        return False
    distance = np.linalg.norm(goal.at - pose.position(goal.site))
    return bool(abs(distance - 1e-7) < 1e-12 * size_of(pose.figure, pose.q))


def keeps_its_promises(problem) -> None:
    start, goals = problem
    figure = start.figure
    solution = mk.solve(start, goals)
    q = solution.q
    assert (
        np.isfinite(q).all()
        and np.isfinite(solution.cost)
        and all(np.isfinite(each.amount) for each in solution.measured)
    )
    again = mk.solve(start, goals)
    assert again.q.tobytes() == q.tobytes() and again.cost == solution.cost
    if solution.status == "infeasible":
        assert figure.couplings and not solution.reached
        return
    assert (q >= figure.lower - EXACT).all() and (q <= figure.upper + EXACT).all()
    values = dict(zip(figure.dofs, q.tolist(), strict=True))
    for coupling in figure.couplings:
        size = np.linalg.norm(list(coupling.coefficients.values())) * size_of(figure, q)
        assert coupling.lower - EXACT * size <= coupling.value(values) <= coupling.upper + EXACT * size
    pose = Pose(figure, q)
    rounding = 1e-12 * size_of(figure, q)
    found = [measured(goal, pose) for goal in goals]
    begun = mk.solve(start, [])  # without goals only the constraints move it
    if any(on_its_point(goal, end) for goal in goals for end in (pose, begun.pose)):
        return
    if solution.reached:
        for amounts, _ in found:
            for amount, unit in amounts:
                assert amount <= TOLERANCE[unit] + max(EXACT, rounding)
    before = sum(measured(goal, begun.pose)[1] for goal in goals)
    after = sum(value for _, value in found)
    slack = sum(goal.weight for goal in goals) * 1e-9 * size_of(figure, q) ** 2 * 1e-3
    assert after <= before * (1.0 + 1e-9) + slack
    assert solution.cost == pytest.approx(after, rel=1e-6, abs=slack)


@settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(problems())
def test_every_solve_keeps_its_promises(problem):
    keeps_its_promises(problem)


@pytest.mark.long
@settings(
    max_examples=5000,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(problems())
def test_every_solve_keeps_its_promises_in_many_more_cases(problem):
    keeps_its_promises(problem)
