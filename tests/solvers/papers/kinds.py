"""One problem of every kind of goal that the papers know, on the robot's arm, each with a pose that meets it."""

from __future__ import annotations

import numpy as np

import manikin as mk
from manikin.cli.robot import arm
from manikin.papers import Constraint

ARM = arm()


def problems(seed: int) -> dict[str, tuple[mk.Problem, dict]]:
    """Problems and options by kind, from a start near a pose that meets all of them."""
    rng = np.random.default_rng(seed)
    middle, width = 0.5 * (ARM.lower + ARM.upper), ARM.upper - ARM.lower
    start = ARM.pose(np.clip(middle + 0.1 * width * rng.uniform(-1.0, 1.0, ARM.n), ARM.lower, ARM.upper))
    start = start.with_values({"elbow": 1.2, "wrist": 0.6})
    there = mk.Pose(ARM, np.clip(start.q + rng.uniform(-0.25, 0.25, ARM.n), ARM.lower, ARM.upper))
    seen = np.linalg.inv(there.matrix("elbow")) @ there.matrix("tool")
    frame, elbow = there.matrix("tool"), start.position("elbow")
    p, R = frame[:3, 3], frame[:3, :3]
    d = rng.normal(size=3)
    d /= np.linalg.norm(d)
    across = np.cross(d, [0.3, 0.5, -0.2])
    across /= np.linalg.norm(across)
    goals: dict[str, list[mk.Goal]] = {
        "position (8)": [mk.Position("tool", p)],
        "orientation (11)": [mk.Orientation("tool", R)],
        "one axis of an orientation": [mk.Orientation("tool", R, axes=(0.0, 0.0, 1.0))],
        "two axes, weighted": [mk.Orientation("tool", R, axes=(1.0, 2.0, 0.0))],
        "position and orientation (14)": [mk.Placement("tool", p, R)],
        "direction (15)": [mk.Aim("tool", at=p + 0.7 * R[:, 0])],
        "line (18)": [mk.OnLine("tool", p, d)],
        "plane (20)": [mk.OnPlane("tool", p, d)],
        "circle (2)": [mk.Inside("tool", mk.Circle(p - 0.2 * across, d, 0.2))],
        "box (3)": [mk.Inside("tool", mk.Box(center=p + 0.02 * d, size=(0.06, 0.05, 0.04)))],
        "range of a position": [
            mk.Range("tool", x=p[0], y=(p[1] - 0.02, p[1] + 0.05), z=(p[2], None)),
        ],
        "range of a rotation": [mk.Range("tool", turn_x=(0.0, 0.1), turn_y=0.0, frame=frame)],
        "region": [mk.Inside("tool", mk.Capsule(p, p + 0.1 * d, 0.03) & mk.HalfSpace(p, d))],
        "obstacle": [
            mk.Position("tool", p),
            mk.Outside("elbow", mk.Ball(elbow + [0.0, 0.02, 0.0], 0.05), whole=False, hard=False),
        ],
        "relative to another part": [mk.Relative("tool", "elbow", seen)],
        "kept where it is": [
            mk.Aim("tool", at=p + 0.7 * R[:, 0]),
            mk.Pin("elbow", axes="position", hard=False),
        ],
        "alternatives": [mk.AnyOf([mk.Position("tool", p + [2.0, 0.0, 0.0]), mk.Position("tool", p)])],
        "many at once": [mk.Position("tool", p), mk.Position("elbow", there.position("elbow"))],
        "any potential P(r, v)": [
            mk.Potential("tool", lambda r, axes: (float((r - p) @ (r - p)), 2.0 * (r - p), np.zeros((3, 3))))
        ],
    }
    found: dict[str, tuple[mk.Problem, dict]] = {
        name: (mk.Problem(start, own), {}) for name, own in goals.items()
    }
    given = mk.Problem(start, [mk.Position("tool", p)])
    found["any constraint c(q) = 0"] = given, {"constraints": Constraint(_tied(there))}
    return found


def _tied(there: mk.Pose):
    """elbow + wrist² as in a pose, as a constraint."""
    elbow, wrist = ARM.index("elbow"), ARM.index("wrist")
    value = there.q[elbow] + there.q[wrist] ** 2

    def c(q: np.ndarray) -> tuple[float, np.ndarray]:
        slope = np.zeros(len(q))
        slope[elbow], slope[wrist] = 1.0, 2.0 * q[wrist]
        return q[elbow] + q[wrist] ** 2 - value, slope

    return c


KINDS = tuple(problems(0))
