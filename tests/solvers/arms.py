"""Limbs to solve: robots, people, and random ones of every kind the closed form knows."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

import manikin as mk
from manikin.closed_form.arm_verdict import shoulder_of
from manikin.figure import Ellipse
from manikin.kernels.limb.limb import TOOL_WRIST


def iiwa(limited: bool = True, **ends: tuple[float, float]) -> mk.Figure:
    """The robot with its own limits, with none, or with some of its joints' limits replaced."""
    heights = (0.1575, 0.2025, 0.2045, 0.2155, 0.1845, 0.2155, 0.081)
    limits = (2.967, 2.094, 2.967, 2.094, 2.967, 2.094, 3.054)
    axes = ("z", "y", "z", "-y", "z", "y", "z")
    joints = [
        mk.Joint(
            f"A{i + 1}",
            f"link{i}",
            f"link{i + 1}",
            f"R({axis})",
            placement=(0, 0, height),
            lower=ends.get(f"A{i + 1}", (-limit if limited else None, None))[0],
            upper=ends.get(f"A{i + 1}", (None, limit if limited else None))[1],
        )
        for i, (height, axis, limit) in enumerate(zip(heights, axes, limits, strict=True))
    ]
    names = [f"link{i}" for i in range(8)]
    return mk.Figure("iiwa", names, joints, [mk.Site("tool", "link7", (0.02, 0.01, 0.1))])


def _turn(rng: np.random.Generator) -> np.ndarray:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


def _placement(turn: np.ndarray, position: np.ndarray) -> np.ndarray:
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = turn, position
    return result


def random_limb(
    rng: np.random.Generator, *, ball: tuple[bool, bool] = (False, False), cones: bool = False
) -> mk.Figure:
    """Any frames, axis orders, limits, offsets of the hinge; hinges of spherical joints at right angles."""
    orders = ("zxz", "zyx", "xyz", "yxy", "zyz", "xzy")
    upper, fore = rng.uniform(0.2, 0.4, 2)
    centre = rng.normal(size=3) * 0.1
    joints: list[mk.Joint] = []

    def limits(count: int) -> dict[str, object]:
        low = rng.uniform(-3.0, 0.5, count)
        return {"lower": list(low), "upper": list(low + rng.uniform(1.0, 4.0, count))}

    def spherical(
        name: str, parent: str, child: str, place: np.ndarray, is_ball: bool, after: np.ndarray
    ) -> None:
        if is_ball:
            motion = "ball"
            ends = {"lower": [-2.0, -1.5, -2.5], "upper": [1.8, 2.0, 2.0]}
            if cones:
                ends["swing"] = Ellipse(rng.uniform(0.6, 2.0, 2), rng.uniform(-0.3, 0.3, 2))
        else:
            order = orders[rng.integers(len(orders))]
            motion, ends = "*".join(f"R({a})" for a in order), limits(3)
        joints.append(mk.Joint(name, parent, child, motion, placement=place, child_placement=after, **ends))

    end = _placement(_turn(rng), np.zeros(3))
    spherical("shoulder", "base", "upper", _placement(_turn(rng), centre), ball[0], end)
    aside = 0.05 * rng.normal(size=3) * rng.integers(2)
    joints.append(
        mk.Joint(
            "elbow",
            "upper",
            "fore",
            "R(y)",
            placement=_placement(_turn(rng), rng.normal(size=3) * upper / 1.7),
            child_placement=_placement(_turn(rng), aside),
            **limits(1),
        )
    )
    spherical("wrist", "fore", "hand", _placement(_turn(rng), rng.normal(size=3) * fore / 1.7), ball[1], end)
    site = mk.Site("tip", "hand", _placement(_turn(rng), rng.normal(size=3) * 0.1))
    return mk.Figure("limb", ["base", "upper", "fore", "hand"], joints, [site])


def draw(arm: mk.Arm, rng: np.random.Generator) -> np.ndarray:
    """Values within the limits, cones among them."""
    low, high = np.maximum(arm.lower, -3.1), np.minimum(arm.upper, 3.1)
    while True:
        q = rng.uniform(low, high)
        whole = arm.pose(q).q if arm.figure.cones else q
        if all(cone.value(whole) <= 1.0 for cone in arm.figure.cones):
            return q


def miss(arm: mk.Arm, q: np.ndarray, target: np.ndarray) -> float:
    """How far forward kinematics, in plain NumPy, is from the target."""
    return float(np.abs(arm.pose(q).matrix(arm.site) - target).max())


def touching_eight(arm: mk.Arm, start: np.ndarray, count: int) -> np.ndarray:
    """A figure of eight that just touches the stretched pose: its size is what the limb's reach allows.

    Its middle is where `start` has the site, orientation and all.
    """

    def targets(size: float) -> np.ndarray:
        u = np.linspace(0.0, 2 * np.pi, count)
        result = np.tile(arm.pose(start).matrix(arm.site), (count, 1, 1))
        result[:, 1, 3] += size * np.sin(u)
        result[:, 2, 3] += 0.5 * size * np.sin(2 * u)
        return result

    hand, shoulder = arm._spec[TOOL_WRIST : TOOL_WRIST + 3], shoulder_of(arm._spec)

    def farthest(size: float) -> float:
        some = targets(size)
        return float(np.linalg.norm(some[:, :3, :3] @ hand + some[:, :3, 3] - shoulder, axis=1).max())

    low, high = 0.0, 2.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if farthest(middle) <= arm.reach[1] else (low, middle)
    return targets(low)


def outlasts(arm: mk.Arm, targets: np.ndarray, start: np.ndarray, step: float, swivels: int) -> bool:
    """Whether any way through a dense scan of the swivel angle has no step longer than `step`."""
    phis = np.linspace(-np.pi, np.pi, swivels, endpoint=False)
    reached = np.asarray(start)[None]
    for target in targets:
        rows, counts = arm.solve_many(np.repeat(target[None], swivels, axis=0), phis)
        nodes = rows[np.arange(rows.shape[1]) < counts[:, None]]
        if len(nodes) == 0:
            return False
        near, _ = cKDTree(reached).query(nodes, distance_upper_bound=step)
        reached = nodes[near <= step]
        if len(reached) == 0:
            return False
    return True
