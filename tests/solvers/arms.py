"""Limbs to solve: robots, people, and random ones of every kind the closed form knows."""

from __future__ import annotations

import numpy as np

import manikin as mk


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


def random_limb(rng: np.random.Generator, *, ball: tuple[bool, bool] = (False, False)) -> mk.Figure:
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
    """Seven values within the limits."""
    low, high = np.maximum(arm.lower, -3.1), np.minimum(arm.upper, 3.1)
    return rng.uniform(low, high)


def miss(arm: mk.Arm, q: np.ndarray, target: np.ndarray) -> float:
    """How far forward kinematics, in plain NumPy, is from the target."""
    return float(np.abs(arm.pose(q).matrix(arm.site) - target).max())
