"""Random mixtures of goals on random figures, and a judge of what is returned that shares no code with the solver."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import manikin as mk
from manikin.figure import kinematics

RANGE, LINEAR, HARD = 1e-9, 1e-9, 1e-8
TOLERANCE = {"m": 1e-4, "rad": 1e-3}
KINDS = [
    "position",
    "orientation",
    "placement",
    "aim",
    "line",
    "plane",
    "inside",
    "outside",
    "range",
    "center",
    "pin",
    "posture",
    "least",
]


def figure(rng: np.random.Generator) -> mk.Figure:
    """A tree of three to eight joints of several kinds, masses on every segment, sometimes a coupling or a cone."""
    count = int(rng.integers(3, 9))
    segments = [mk.Segment("s0", mass=1.0)]
    joints, sites = [], []
    for k in range(count):
        parent = f"s{int(rng.integers(max(0, k - 1), k + 1))}"
        motion = rng.choice(["R(z)", "R(x)", "R(y)", "R(y)*R(x)", "T(z)", "ball", "cone"])
        axes = {"R(y)*R(x)": 2, "ball": 3, "cone": 3}.get(motion, 1)
        placement = np.eye(4)
        placement[:3, :3] = Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix()
        placement[:3, 3] = rng.normal(0.0, 0.25, 3)
        low, high = -rng.uniform(0.2, 2.0, axes), rng.uniform(0.2, 2.0, axes)
        if motion == "T(z)":
            low, high = 0.2 * low, 0.2 * high
        if motion == "cone":
            joints.append(
                mk.Joint.ball(f"j{k}", parent, f"s{k + 1}", cone=rng.uniform(0.4, 1.5), placement=placement)
            )
        else:
            joints.append(
                mk.Joint(
                    f"j{k}", parent, f"s{k + 1}", motion, placement, lower=low.tolist(), upper=high.tolist()
                )
            )
        segments.append(
            mk.Segment(f"s{k + 1}", mass=float(rng.uniform(0.5, 2.0)), center_of_mass=rng.normal(0.0, 0.1, 3))
        )
        sites.append(mk.Site(f"p{k + 1}", f"s{k + 1}", rng.normal(0.0, 0.2, 3)))
    base = str(rng.choice(["fixed", "fixed", "free", "planar"]))
    made = mk.Figure("random", segments, joints, sites, base=base)
    if rng.random() < 0.3 and made.n >= 2:
        pair = rng.choice(made.n, 2, replace=False)
        total = {made.dofs[int(j)]: float(rng.choice([-1.0, 0.5, 1.0])) for j in pair}
        high = float(rng.uniform(0.05, 0.5))
        made = mk.Figure(
            "random", segments, joints, sites, base=base, couplings=[mk.Coupling(total, -high, high)]
        )
    return made


def pose(body: mk.Figure, rng: np.random.Generator) -> mk.Pose:
    """A random pose inside the ranges, cones and couplings, so that goals made from it can be met."""
    low = np.where(np.isfinite(body.lower), body.lower, -0.5)
    high = np.where(np.isfinite(body.upper), body.upper, 0.5)
    share = 1.0
    while True:
        q = body.rest + share * (rng.uniform(low, high) - body.rest)
        linear = all(
            c.lower - 1e-12 <= sum(f * q[body.index(n)] for n, f in c.coefficients.items()) <= c.upper + 1e-12
            for c in body.couplings
        )
        if linear and all(cone.value(q) <= 1.0 for cone in body.cones):
            return body.pose(q)
        share *= 0.9


def goals(body: mk.Figure, start: mk.Pose, there: mk.Pose, rng: np.random.Generator) -> list[mk.Goal]:
    """Two to five goals of any kind, most of them met at ``there``, some hard."""
    found: list[mk.Goal] = []
    for _ in range(int(rng.integers(2, 6))):
        site = f"p{int(rng.integers(1, len(body.sites) + 1))}"
        site = site if site in body.sites else next(iter(body.sites))
        at = there.matrix(site)
        off = np.zeros(3) if rng.random() < 0.75 else rng.normal(0.0, 0.3, 3)
        point = at[:3, 3] + off
        hard = {"hard": bool(rng.random() < 0.3), "weight": float(rng.choice([0.1, 1.0, 1.0, 10.0]))}
        kind = rng.choice(
            [
                "position",
                "orientation",
                "placement",
                "aim",
                "line",
                "plane",
                "inside",
                "outside",
                "range",
                "center",
                "pin",
                "posture",
                "least",
            ]
        )
        if kind == "position":
            found.append(mk.Position(site, point, **hard))
        elif kind == "orientation":
            found.append(mk.Orientation(site, at[:3, :3], **hard))
        elif kind == "placement":
            found.append(mk.Placement(site, point, at, **hard))
        elif kind == "aim":
            found.append(mk.Aim(site, point + 0.5 * at[:3, 0], **hard))
        elif kind == "line":
            found.append(mk.OnLine(site, point, rng.normal(size=3), **hard))
        elif kind == "plane":
            found.append(mk.OnPlane(site, point, rng.normal(size=3), **hard))
        elif kind == "inside":
            found.append(mk.Inside(site, mk.Ball(point, float(rng.uniform(0.02, 0.2))), **hard))
        elif kind == "outside":
            found.append(mk.Outside(site, mk.Ball(point + [0.3, 0.0, 0.0], 0.25), **hard))
        elif kind == "range":
            found.append(
                mk.Range(site, x=(point[0] - 0.05, point[0] + 0.05), z=(None, point[2] + 0.02), **hard)
            )
        elif kind == "center":
            found.append(mk.CenterOfMass(there.center_of_mass(), axes=(1, 1, 0), **hard))
        elif kind == "pin":
            found.append(mk.Pin(site, axes=str(rng.choice(["all", "position", "orientation"])), **hard))
        elif kind == "posture":
            found.append(mk.Posture())
        else:
            found.append(mk.LeastChange())
    return found


def frames(body: mk.Figure, q: np.ndarray) -> dict[str, np.ndarray]:
    """The sites' frames by plain NumPy."""
    tree = body.tree
    segments = kinematics.segment_frames(tree, kinematics.frames(tree, q))
    names = list(body.segments)
    return {n: segments[names.index(s.segment)] @ s.placement for n, s in body.sites.items()}


def center(body: mk.Figure, q: np.ndarray) -> np.ndarray:
    """The centre of mass by plain NumPy."""
    tree = body.tree
    segments = kinematics.segment_frames(tree, kinematics.frames(tree, q))
    points = np.array(
        [frame[:3, :3] @ c + frame[:3, 3] for frame, c in zip(segments, tree.segment_com, strict=True)]
    )
    return tree.segment_mass @ points / tree.segment_mass.sum()


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(Rotation.from_matrix(a.T @ b).as_rotvec()))


def _between(u: np.ndarray, v: np.ndarray) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v))


def misses(goal: mk.Goal, body: mk.Figure, q: np.ndarray, start: np.ndarray) -> list[tuple[float, str]]:
    """How far a goal is from met, in metres and radians, by its definition."""
    if isinstance(goal, mk.Objective):
        return []
    if isinstance(goal, mk.CenterOfMass):
        off = (center(body, q) - goal.target) * (np.array(goal.axes) > 0)
        return [(float(np.linalg.norm(off)), "m")]
    at = frames(body, q)[goal.site]
    r, axes = at[:3, 3], at[:3, :3]
    if isinstance(goal, mk.Position):
        return [(float(np.linalg.norm(r - goal.target)), "m")]
    if isinstance(goal, mk.Orientation):
        return [(_angle(goal.target, axes), "rad")]
    if isinstance(goal, mk.Placement):
        return [(float(np.linalg.norm(r - goal.position)), "m"), (_angle(goal.orientation, axes), "rad")]
    if isinstance(goal, mk.Aim):
        return [(_between(axes @ goal.axis, goal.at - r), "rad")]
    if isinstance(goal, mk.OnLine):
        return [(float(np.linalg.norm(np.cross(r - goal.point, goal.direction))), "m")]
    if isinstance(goal, mk.OnPlane):
        return [(abs(float((r - goal.point) @ goal.normal)), "m")]
    if isinstance(goal, mk.Inside):
        return [(max(0.0, float(np.linalg.norm(r - goal.region.center)) - goal.region.radius), "m")]
    if isinstance(goal, mk.Outside):
        return [(max(0.0, goal.region.radius - float(np.linalg.norm(r - goal.region.center))), "m")]
    if isinstance(goal, mk.Range):
        (a, b), (_, c) = goal.x, goal.z
        over = np.array([max(0.0, a - r[0], r[0] - b), max(0.0, r[2] - c)])
        return [(float(np.linalg.norm(over)), "m")]
    assert isinstance(goal, mk.Pin)
    was = frames(body, start)[goal.site]
    held = goal.coordinates()
    found = []
    if "x" in held:
        found.append((float(np.linalg.norm(r - was[:3, 3])), "m"))
    if "turn_x" in held:
        found.append((_angle(was[:3, :3], axes), "rad"))
    return found


def broken(solution: mk.Solution, start: np.ndarray) -> list[str]:
    """The promises that a solution breaks, in words; none where it keeps them all."""
    body, q = solution.figure, np.array(solution.q)
    found = []
    if not np.isfinite(q).all():
        return ["not finite"]
    begun = np.clip(start, body.lower, body.upper)
    if (q < body.lower - RANGE).any() or (q > body.upper + RANGE).any():
        found.append("a range is left")
    for coupling in body.couplings:
        value = sum(f * q[body.index(name)] for name, f in coupling.coefficients.items())
        if (
            solution.status != "infeasible"
            and not coupling.lower - LINEAR <= value <= coupling.upper + LINEAR
        ):
            found.append(f"the coupling {coupling} is left")
    for cone in body.cones:
        if solution.status != "infeasible" and cone.value(q) > 1.0 + 1e-9:
            found.append("a cone is left")
    met = True
    for goal in solution.goals:
        for amount, unit in misses(goal, body, q, begun):
            hard = getattr(goal, "hard", False)
            if hard and solution.status != "infeasible" and amount > HARD * (1.0 + 1e-6):
                found.append(
                    f"{goal.label()} is hard and missed by {amount:.2e} with status {solution.status}"
                )
            met = met and amount <= (HARD if hard else TOLERANCE[unit]) * (1.0 + 1e-6)
    if solution.reached and not met:
        found.append("reached is said of a goal that is missed")
    return found
