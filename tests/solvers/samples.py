"""Figures that the tests share, and every miss recomputed by the figure's own forward kinematics."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.figure import Figure, Joint, Pose, Segment, Site, transforms
from manikin.goals import Aim, Goal, OnLine, OnPlane, Orientation, Placement, Position
from manikin.result import Solution

# What no returned pose exceeds, in radians, metres, or along the unit normal of a linear constraint.
EXACT = 1e-9

ROBOTS = {
    "panda": ("panda_description/urdf/panda.urdf", "fixed", ("panda_hand_tcp",)),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "fixed", ("tool0",)),
    "talos": (
        "talos_data/robots/talos_reduced.urdf",
        "free",
        ("gripper_left_base_link", "gripper_right_base_link", "left_sole_link", "right_sole_link"),
    ),
}


@cache
def robot(name: str) -> Figure:
    """A robot of the collection example-robot-data, or a skip where it is not installed."""
    file, base, _ = ROBOTS[name]
    return robot_file(file, base)


@cache
def robot_file(file: str, base: str = "fixed") -> Figure:
    """A figure from a file of the collection example-robot-data, or a skip where it is not installed."""
    try:
        data = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    folder = Path(str(data.locate_file("cmeel.prefix/share/example-robot-data/robots")))
    return mk.load(folder / file, base=base)


def chain(
    lengths, motions, *, base: str = "fixed", up: float = 1.0, sites=(), location=None, **options
) -> Figure:
    """A chain along z, a joint and then a length a link; options are those of the joints, one list each."""
    names = ["base", *(f"link{k}" for k in range(1, len(motions) + 1))]
    heights = [0.0, *lengths[:-1]]
    joints = [
        Joint(
            f"j{k + 1}",
            names[k],
            names[k + 1],
            motion,
            (0.0, 0.0, up * heights[k]),
            **{key: values[k] for key, values in options.items()},
        )
        for k, motion in enumerate(motions)
    ]
    tip = Site("tip", names[-1], (0.0, 0.0, up * lengths[-1]))
    return Figure("chain", [Segment(n) for n in names], joints, [tip, *sites], base=base, location=location)


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    q = rng.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def random_direction(rng: np.random.Generator) -> np.ndarray:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def half_turn(axis: np.ndarray) -> np.ndarray:
    """The rotation by exactly 180° about a unit vector."""
    return 2.0 * np.outer(axis, axis) - np.eye(3)


def placed(position, turn=None) -> np.ndarray:
    matrix = transforms.translation(position)
    if turn is not None:
        matrix[:3, :3] = turn
    return matrix


def random_pose(figure: Figure, rng: np.random.Generator, reach: float = 1.0) -> Pose:
    """A pose drawn evenly from the ranges; without limits, turns within π and slides within ``reach``."""
    q = np.empty(figure.n)
    for j, name in enumerate(figure.dofs):
        dof = figure.dof(name)
        width = np.pi if dof.unit == "rad" else reach
        low = dof.lower if np.isfinite(dof.lower) else min(dof.upper, width) - 2 * width
        high = dof.upper if np.isfinite(dof.upper) else max(dof.lower, -width) + 2 * width
        q[j] = rng.uniform(low, high)
    return figure.pose(q)


def angle(u: np.ndarray, v: np.ndarray) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v))


def misses(goal: Goal, pose: Pose) -> list[tuple[float, str]]:
    """How far the pose is from a goal, by the definitions in the goals' own words."""
    frame = pose.matrix(goal.site)
    r, axes = frame[:3, 3], frame[:3, :3]
    if isinstance(goal, Position):
        return [(float(np.linalg.norm(r - goal.target)), "m")]
    if isinstance(goal, OnLine):
        return [(float(np.linalg.norm(np.cross(r - goal.point, goal.direction))), "m")]
    if isinstance(goal, OnPlane):
        return [(float(abs((r - goal.point) @ goal.normal)), "m")]
    if isinstance(goal, Orientation):
        return [(_turned(axes, goal.target, goal.axes), "rad")]
    if isinstance(goal, Placement):
        return [
            (float(np.linalg.norm(r - goal.position)), "m"),
            (_turned(axes, goal.orientation, goal.axes), "rad"),
        ]
    if isinstance(goal, Aim):
        d = goal.at - r
        if np.linalg.norm(d) < 1e-7:
            return [(np.pi / 2, "rad")]
        return [(angle(axes @ goal.axis, d), "rad")]
    raise AssertionError(goal)


def _turned(axes: np.ndarray, target: np.ndarray, weights) -> float:
    minded = [k for k in range(3) if weights[k] > 0.0]
    if len(minded) == 1:
        return angle(axes[:, minded[0]], target[:, minded[0]])
    return float(np.linalg.norm(transforms.log(axes.T @ target)))


def potential(goals, pose: Pose) -> float:
    """P by the definitions of the goals, weights included."""
    total = 0.0
    for goal in goals:
        frame = pose.matrix(goal.site)
        r, axes = frame[:3, 3], frame[:3, :3]
        parts = misses(goal, pose)
        if isinstance(goal, (Position, OnLine, OnPlane)):
            total += goal.weight * parts[0][0] ** 2
            continue
        c = np.degrees(1.0) / goal.degrees_per_metre
        if isinstance(goal, Aim):
            total += goal.weight * c * c * (2.0 * np.sin(0.5 * parts[0][0])) ** 2
            continue
        target = goal.target if isinstance(goal, Orientation) else goal.orientation
        turned = c * c * 0.5 * (np.asarray(goal.axes) * ((axes - target) ** 2).sum(axis=0)).sum()
        if isinstance(goal, Placement):
            s = goal.position_share
            total += goal.weight * (s * ((r - goal.position) ** 2).sum() + (1.0 - s) * turned)
        else:
            total += goal.weight * turned
    return total


def constraint_excess(solution: Solution, constraints=()) -> float:
    """By how much the worst range, coupling or constraint is exceeded, along its unit normal."""
    figure, q = solution.figure, solution.q
    worst = max(0.0, (figure.lower - q).max(initial=0.0), (q - figure.upper).max(initial=0.0))
    values = dict(zip(figure.dofs, q, strict=True))
    for entry in (*figure.couplings, *constraints):
        coupling = mk.Coupling.parse(entry) if isinstance(entry, str) else entry
        size = np.linalg.norm(list(coupling.coefficients.values()))
        value = coupling.value(values)
        worst = max(worst, (coupling.lower - value) / size, (value - coupling.upper) / size)
    return worst


def check(solution: Solution, constraints=(), tolerance=(1e-4, 1e-3)) -> Solution:
    """What holds of every solution: finite, inside all constraints, honest about what it reached."""
    assert np.isfinite(solution.q).all() and np.isfinite(solution.cost)
    if solution.status != "infeasible":
        assert constraint_excess(solution, constraints) <= EXACT
    allowed = dict(zip(("m", "rad"), tolerance, strict=True))
    pose = Pose(solution.figure, solution.q)
    told = iter(solution.measured)
    for goal in solution.goals:
        if isinstance(goal, mk.Potential):
            next(told)
            continue
        for amount, unit in misses(goal, pose):
            miss = next(told)
            assert miss.unit == unit
            assert abs(miss.amount - amount) <= 1e-9 + 1e-9 * amount
            if solution.reached and goal.weight > 0.0:
                assert amount <= allowed[unit] + EXACT
    assert solution.reached == (solution.status == "reached")
    return solution
