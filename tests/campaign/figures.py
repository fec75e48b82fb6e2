"""Random figures: every kind of joint, followers, couplings, cones, loops, re-rooted, zero lengths, all scales."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial.transform import Rotation

import manikin as mk
from manikin.errors import FigureError
from manikin.figure import Follow, Shape, transforms

MOTIONS = {
    "R(z)": 1,
    "R(y)": 1,
    "R(1,2,-1)": 1,
    "T(x)": 1,
    "R(y)*R(x)": 2,
    "R(z)*T(y)": 2,
    "R(z)*R(x)*R(y)": 3,
    "ball": 3,
    "ball(x)": 3,
    "cone": 3,
    "ellipse": 3,
    "polygon": 3,
    "free": 6,
    "planar": 3,
    "fixed": 0,
}
SCALES = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1e-6, 1e-3, 1e3, 1e6)


def rotation(rng: np.random.Generator) -> np.ndarray:
    """None, a half turn, or any."""
    if rng.random() < 0.2:
        return np.eye(3)
    if rng.random() < 0.1:
        return transforms.exp(math.pi * np.eye(3)[rng.integers(3)])
    return Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix()


def frame(rng: np.random.Generator, scale: float) -> np.ndarray:
    """A placement: anywhere, or of no length."""
    found = np.eye(4)
    found[:3, :3] = rotation(rng)
    found[:3, 3] = rng.choice([0.0, 1e-9, 0.25, 0.25, 0.25, 0.25]) * scale * rng.normal(size=3)
    return found


def _limits(rng: np.random.Generator, count: int) -> tuple[list[float | None], list[float | None]]:
    lower: list[float | None] = []
    upper: list[float | None] = []
    for _ in range(count):
        low, high = -float(rng.uniform(0.0, 2.5)), float(rng.uniform(0.0, 2.5))
        kind = rng.choice(["none", "both", "both", "both", "lower", "upper", "equal", "aside"])
        if kind == "aside":
            low = high + low / 10.0
        lower.append(None if kind in ("none", "upper") else high if kind == "equal" else low)
        upper.append(None if kind in ("none", "lower") else high)
    return lower, upper


def _joint(rng: np.random.Generator, k: int, scale: float, drivers: list[str]) -> mk.Joint:
    parent = f"s{int(rng.integers(max(0, k - 2), k + 1))}"
    motion = str(rng.choice(list(MOTIONS)))
    count = MOTIONS[motion]
    ends = f"j{k}", parent, f"s{k + 1}"
    at = {"placement": frame(rng, scale)}
    if rng.random() < 0.2:
        at["child_placement"] = frame(rng, scale)
    if motion in ("cone", "ellipse", "polygon"):
        center = rng.uniform(-0.8, 0.8, 2) if rng.random() < 0.4 else None
        options = {"twist": (-float(rng.uniform(0.1, 2.0)), float(rng.uniform(0.1, 2.0)))}
        if motion == "polygon":
            turn = np.sort(rng.uniform(0.0, 2.0 * math.pi, 5))
            corners = rng.uniform(0.3, 1.4) * np.column_stack([np.cos(turn), np.sin(turn)])
            return mk.Joint.ball(*ends, polygon=corners, **options, **at)
        limit = {"cone": float(rng.uniform(0.1, 2.5))}
        if motion == "ellipse":
            limit = {"ellipse": rng.uniform(0.1, 2.0, 2).tolist()}
        return mk.Joint.ball(*ends, **limit, center=center, **options, **at)
    lower, upper = _limits(rng, count)
    slides = {"T(x)": [0], "R(z)*T(y)": [1], "free": [0, 1, 2], "planar": [0, 1]}.get(motion, [])
    for axis in slides:
        lower[axis] = None if lower[axis] is None else 0.2 * scale * lower[axis]
        upper[axis] = None if upper[axis] is None else 0.2 * scale * upper[axis]
    follow: list[Follow | None] = [None] * count
    if drivers and count and not slides and rng.random() < 0.2:
        chosen = rng.choice(drivers, size=min(len(drivers), int(rng.integers(1, 3))), replace=False)
        follow[0] = Follow(
            {str(name): float(rng.choice([-2.0, 0.5, 1.0])) for name in chosen}, float(rng.normal())
        )
        if rng.random() < 0.5:
            lower[0] = upper[0] = None
    velocity = [float(rng.uniform(0.5, 3.0)) for _ in range(count)] if rng.random() < 0.3 else []
    stiffness = [float(rng.choice([0.01, 1.0, 1.0, 50.0])) for _ in range(count)]
    return mk.Joint(
        *ends,
        motion,
        **at,
        lower=lower or None,
        upper=upper or None,
        stiffness=stiffness or None,
        velocity=velocity or None,
        follow=follow or None,
    )


def _shapes(rng: np.random.Generator, scale: float) -> tuple[Shape, ...]:
    if rng.random() < 0.5:
        return ()
    size = 0.02 * scale * rng.uniform(0.5, 2.0, 3)
    kind = rng.choice(["sphere", "capsule", "tapered_capsule"])
    given = {
        "sphere": size[:1],
        "capsule": [size[0], 4 * size[1]],
        "tapered_capsule": [*size[:2], 6 * size[2]],
    }
    return (Shape(str(kind), given[str(kind)], frame(rng, 0.2 * scale)),)


def scale_of(figure: mk.Figure) -> float:
    """The length that a figure was made with, from its name; 1 of those that are not from here."""
    return float(figure.name.split()[-1]) if figure.name.startswith(("random ", "warm ")) else 1.0


def figure(rng: np.random.Generator) -> mk.Figure:
    """A tree of one to eight joints, or what of its extras the library does not refuse."""
    scale = float(rng.choice(SCALES))
    count = int(rng.integers(1, 9))
    weightless = rng.random() < 0.05
    segments, joints, sites, drivers = [mk.Segment("s0", mass=0.0 if weightless else 1.0)], [], [], []
    for k in range(count):
        joint = None
        for _ in range(8):
            try:
                joint = _joint(rng, k, scale, drivers)
                break
            except FigureError:  # a range or polygon that is none
                continue
        if joint is None:
            joint = mk.Joint(f"j{k}", f"s{k}", f"s{k + 1}", "R(z)", frame(rng, scale))
        joints.append(joint)
        drivers += [axis.name for axis in joint.axes if axis.follow is None and axis.unit == "rad"]
        mass = 0.0 if weightless or rng.random() < 0.2 else float(rng.uniform(0.1, 3.0))
        segments.append(
            mk.Segment(f"s{k + 1}", mass, 0.1 * scale * rng.normal(size=3), shapes=_shapes(rng, scale))
        )
        sites.append(mk.Site(f"p{k + 1}", f"s{k + 1}", frame(rng, scale)))
    options = {"base": str(rng.choice(["fixed", "fixed", "fixed", "free", "planar"]))}
    name = f"random {scale:g}"
    made = None
    for kept in (True, False):
        try:
            made = mk.Figure(
                name, segments, joints, sites, **options, couplings=_couplings(rng, drivers, kept)
            )
            break
        except FigureError:
            continue
    if made is None:
        bare = [mk.Joint(j.name, j.parent, j.child, "R(y)", j.placement) for j in joints]
        made = mk.Figure(name, segments, bare, sites, **options)
    if rng.random() < 0.2:
        made = _with_loop(made, rng)
    if rng.random() < 0.2:
        made = made.rerooted(str(rng.choice(list(made.segments))))
    return made


#: Of an arm: what a register's lanes take.
_ARM = ("R(z)", "R(y)", "R(1,2,-1)", "T(x)", "R(y)*R(x)", "R(z)*T(y)", "R(z)*R(x)*R(y)", "ball", "ball(x)")


def arm(rng: np.random.Generator) -> mk.Figure:
    """A chain of two to seven joints among ranges alone, with a site at its end: what most solves are made of."""
    scale = float(rng.choice(SCALES))
    joints = []
    for k in range(int(rng.integers(2, 8))):
        motion = str(rng.choice(_ARM))
        lower, upper = _limits(rng, MOTIONS[motion])
        for axis in {"T(x)": [0], "R(z)*T(y)": [1]}.get(motion, []):
            lower[axis] = None if lower[axis] is None else 0.2 * scale * lower[axis]
            upper[axis] = None if upper[axis] is None else 0.2 * scale * upper[axis]
        joints.append(
            mk.Joint(
                f"j{k}",
                f"s{k}",
                f"s{k + 1}",
                motion,
                frame(rng, scale),
                lower=lower,
                upper=upper,
                velocity=1.0,
            )
        )
    end = len(joints)
    segments = [mk.Segment(f"s{k}", mass=1.0) for k in range(end + 1)]
    sites = [mk.Site("tip", f"s{end}", frame(rng, scale)), mk.Site("middle", f"s{(end + 1) // 2}")]
    made = mk.Figure(f"random {scale:g}", segments, joints, sites)
    return made.rerooted(f"s{int(rng.integers(end + 1))}") if rng.random() < 0.2 else made


def _couplings(rng: np.random.Generator, drivers: list[str], kept: bool) -> list[mk.Coupling]:
    found: list[mk.Coupling] = []
    while kept and len(drivers) >= 2 and rng.random() < 0.35 and len(found) < 3:
        pair = rng.choice(drivers, size=int(rng.integers(2, min(4, len(drivers) + 1))), replace=False)
        total = {str(name): float(rng.choice([-1.0, 0.2, 1.0, 3.0])) for name in pair}
        high = float(rng.uniform(0.0, 0.8))
        low = {"equal": high, "below": -math.inf, "range": -high}[
            str(rng.choice(["equal", "below", "range"]))
        ]
        found.append(mk.Coupling(total, low, high))
    return found


def _with_loop(made: mk.Figure, rng: np.random.Generator) -> mk.Figure:
    """Two segments held together as some pose inside the ranges has them."""
    names = list(made.segments)
    if len(names) < 3:
        return made
    one, other = (str(name) for name in rng.choice(names, 2, replace=False))
    frames = pose(made, rng).matrices()
    at = transforms.inverse(frames[other]) @ frames[one]
    kind = str(rng.choice(["placement", "position", "hinge", "orientation"]))
    try:
        return made.with_site("loop_end", other, at).with_loop(one, "loop_end", kind)
    except FigureError:
        return made


def kept(made: mk.Figure, q: np.ndarray) -> bool:
    """Whether a pose is inside all couplings and cones."""
    linear = all(
        c.lower - 1e-12 <= sum(f * q[made.index(n)] for n, f in c.coefficients.items()) <= c.upper + 1e-12
        for c in made.couplings
    )
    return linear and all(cone.value(q) <= 1.0 for cone in made.cones)


def pose(made: mk.Figure, rng: np.random.Generator) -> mk.Pose:
    """A random pose inside the ranges; inside cones and couplings too where one is found between it and rest."""
    scale = scale_of(made)
    reach = np.array([0.5 * (scale if made.dof(name).unit == "m" else 1.0) for name in made.dofs])
    low = np.where(np.isfinite(made.lower), made.lower, np.minimum(-reach, made.upper))
    high = np.where(np.isfinite(made.upper), made.upper, np.maximum(reach, low))
    there = rng.uniform(low, high) if made.n else np.zeros(0)
    for share in 0.8 ** np.arange(25):
        q = np.clip(made.rest + share * (there - made.rest), made.lower, made.upper)
        if kept(made, q):
            return made.pose(q)
    return made.pose(np.clip(made.rest, made.lower, made.upper))


def start(made: mk.Figure, rng: np.random.Generator) -> mk.Pose:
    """Where a solve begins: inside, at rest, or outside of something, a little or far."""
    begun = pose(made, rng)
    kind = rng.random()
    if kind < 0.1:
        return made.pose()
    if kind < 0.8 or made.n == 0:
        return begun
    off = float(rng.choice([1e-12, 1e-10, 1e-9, 1e-7, 1e-3, 0.3, 3.0]))
    return made.pose(begun.q + off * rng.normal(size=made.n))
