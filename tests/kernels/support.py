"""Figures of every kind of motion, goals of every kind, and their potentials by another way than the kernels'."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from tests.problems import work_of

import manikin as mk
from manikin.figure import Figure, Follow, Joint, Site, transforms
from manikin.goals import Goal
from manikin.kernels.pose.slope import slope
from manikin.plan.packing import Packed


def placed(x: float, y: float, z: float, *turn: float) -> np.ndarray:
    matrix = transforms.translation([x, y, z])
    matrix[:3, :3] = transforms.exp(turn or (0.0, 0.0, 0.0))
    return matrix


TIP = Site("tip", "b", placed(0.1, 0.02, 0.03, 0.5, -0.1, 0.7))


def _chain(name: str, first: str, second: str, base: str = "fixed", **options: object) -> Figure:
    """Two joints with placements turned on both sides, and a site at the end."""
    joints = [
        Joint("one", "o", "a", first, placed(0.1, 0.2, 0.3, 0.4, -0.2, 0.1), placed(0, 0.05, 0, 0.2, 0, 0)),
        Joint(
            "two",
            "a",
            "b",
            second,
            placed(0.3, 0, 0.1, 0, 0.3, 0.5),
            placed(0.02, 0, 0, 0, 0, 0.3),
            **options,
        ),
    ]
    return Figure(
        name, ["o", "a", "b"], joints, [TIP], base=base, location=placed(0.5, -0.2, 0.1, 0.1, 0.2, 0.3)
    )


def _followers() -> Figure:
    """Axes of several drivers, of all kinds: a turn, a slide, a swing and a twist that have no coordinate."""
    joints = [
        Joint("one", "o", "a", "R(z)*T(x)*R(y)", [0.1, 0, 0.2]),
        Joint("two", "a", "b", "R(1,1,0)", [0.3, 0, 0.1], follow=Follow({"one_z": -1.5, "one_y": 0.7}, 0.2)),
        Joint(
            "three", "b", "c", "T(z)*R(x)", [0.2, 0, 0], follow=(Follow({"one_z": 0.1, "one_x": 1.0}), None)
        ),
        Joint(
            "four",
            "c",
            "d",
            "ball(y)",
            [0.2, 0.1, 0],
            follow=(None, Follow({"three_x": -2.0, "one_y": 1.0}), Follow({"one_z": 0.5}, -0.3)),
        ),
    ]
    return Figure("followers", "oabcd", joints, [Site("tip", "d", TIP.placement)])


@cache
def figures() -> dict[str, Figure]:
    """One figure for each kind of motion; the site is "tip" everywhere."""
    balls = _chain("balls", "ball(x)", "ball(0,1,1)")
    turned = Figure(
        "turned", balls.segments.values(), balls.joints.values(), [Site("tip", "o", TIP.placement)]
    )
    return {
        "rotate": _chain("rotate", "R(z)*R(1,0.2,0)", "R(-y)*R(x)"),
        "slide": _chain("slide", "T(x)*R(z)*T(0,1,1)", "R(y)*T(-z)"),
        "swing_twist": balls,
        "twist_swing": turned.rerooted("b"),
        "free": _chain("free", "R(z)", "T(1,1,0)", base="free"),
        "planar": _chain("planar", "R(y)", "ball", base="planar"),
        "followers": _followers(),
    }


def points(figure: Figure, count: int, seed: int = 0) -> list[np.ndarray]:
    """Random coordinates."""
    rng = np.random.default_rng([seed, figure.n, len(figure.segments)])
    return list(rng.uniform(-1.6, 1.6, (count, figure.n)))


def with_vector(q: np.ndarray, length: float, first: int = 3, seed: int = 0) -> np.ndarray:
    """q with the rotation vector at ``first`` of this length, in a random direction."""
    w = np.random.default_rng(seed).normal(size=3)
    result = q.copy()
    result[first : first + 3] = length / np.linalg.norm(w) * w
    return result


_P = np.array([0.7, -0.4, 0.9])
_G = transforms.exp([0.8, -1.1, 0.5])
_N = np.array([1.0, -2.0, 0.5])

#: A goal of every kind for "tip"; several for those with axes.
GOALS: dict[str, Callable[[], Goal]] = {
    "position": lambda: mk.Position("tip", _P, weight=1.7),
    "orientation": lambda: mk.Orientation("tip", _G),
    "orientation_one_axis": lambda: mk.Orientation(
        "tip", _G, axes=(0, 0, 1), degrees_per_metre=30.0, weight=0.4
    ),
    "orientation_two_axes": lambda: mk.Orientation("tip", _G, axes=(2.0, 0, 0.5)),
    "orientation_three_weights": lambda: mk.Orientation("tip", _G, axes=(0.2, 3.0, 1.0), weight=2.0),
    "placement": lambda: mk.Placement(
        "tip", _P, _G, position_share=0.3, axes=(1, 0.5, 0), degrees_per_metre=90.0
    ),
    "aim_x": lambda: mk.Aim("tip", np.add(_P, [1.5, 1.0, -2.0])),
    "aim_askew": lambda: mk.Aim(
        "tip", _P - [2.0, 1.5, 2.0], axis=(0.3, -1.0, 2.0), weight=3.0, degrees_per_metre=40.0
    ),
    "on_line": lambda: mk.OnLine("tip", _P, _N, weight=0.6),
    "on_plane": lambda: mk.OnPlane("tip", _P, _N, weight=2.5),
}


def potential(goal: Goal, matrix: np.ndarray) -> float:
    """P of a goal by the formula of its docstring, from the site's frame (4×4)."""
    r, v = matrix[:3, 3], matrix[:3, :3]
    if isinstance(goal, mk.Position):
        return goal.weight * _square(r - goal.target)
    if isinstance(goal, mk.OnLine):
        return goal.weight * _square(np.cross(r - goal.point, goal.direction))
    if isinstance(goal, mk.OnPlane):
        return goal.weight * ((r - goal.point) @ goal.normal) ** 2
    c2 = np.rad2deg(1.0 / goal.degrees_per_metre) ** 2
    if isinstance(goal, mk.Orientation):
        return goal.weight * c2 * _axes(goal.axes, v, goal.target)
    if isinstance(goal, mk.Placement):
        s = goal.position_share
        angles = c2 * _axes(goal.axes, v, goal.orientation)
        return goal.weight * (s * _square(r - goal.position) + (1.0 - s) * angles)
    assert isinstance(goal, mk.Aim)
    d = goal.at - r
    return goal.weight * c2 * _square(v @ goal.axis - d / np.linalg.norm(d))


def _axes(weights: np.ndarray, v: np.ndarray, g: np.ndarray) -> float:
    return 0.5 * float(np.asarray(weights) @ ((v - g) ** 2).sum(axis=0))


def _square(x: np.ndarray) -> float:
    return float(x @ x)


def packed(figure: Figure, *goals: Goal) -> Packed:
    """The problem as the kernels see it."""
    return work_of(mk.Problem(figure, goals)).packed


def drives(problem: Packed, n: int) -> np.ndarray:
    """Slope of the problem's axis values by all n coordinates, dense."""
    tree = problem.sections.tree
    matrix = np.zeros((len(tree.offset), n))
    np.add.at(matrix, (tree.drive_axis, tree.drive_dof), tree.drive_coefficient)
    return matrix


def value_and_gradient(problem: Packed, q: np.ndarray) -> tuple[float, np.ndarray]:
    """The compiled potential and its gradient by all coordinates (zero for those the problem left out)."""
    by_variable = np.full(len(problem.variables), np.nan)
    value = slope(problem.structure, problem.parameters, problem.workspace, q, by_variable)
    gradient = np.zeros(len(q))
    gradient[problem.variables] = by_variable
    return value, gradient


def site_matrix(problem: Packed, site: str) -> np.ndarray:
    """A site's frame (4×4) from the frames that the kernels left in the workspace."""
    row, placement = problem.frames[site]
    return transforms.unpack(problem.sections.sweep.frames[row]) @ placement


def differences(function: Callable[[np.ndarray], object], q: np.ndarray, step: float = 1e-3) -> np.ndarray:
    """Derivatives by differences of fourth order, the last axis the coordinate's."""
    columns = []
    for k in range(len(q)):
        move = np.zeros(len(q))
        move[k] = step
        near = np.subtract(function(q + move), function(q - move))
        far = np.subtract(function(q + 2.0 * move), function(q - 2.0 * move))
        columns.append((8.0 * near - far) / (12.0 * step))
    return np.stack(columns, axis=-1)
