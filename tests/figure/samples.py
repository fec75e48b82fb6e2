"""Figures that the tests share, and derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manikin.figure import Figure, Follow, Joint, Segment, Site, transforms


def placed(x: float, y: float, z: float, *turn: float) -> np.ndarray:
    matrix = transforms.translation([x, y, z])
    matrix[:3, :3] = transforms.exp(turn or (0.0, 0.0, 0.0))
    return matrix


def branching(base: str = "free") -> Figure:
    """Every kind of motion, two branches, a follower in each, placements turned on both sides."""
    segments = [
        Segment("trunk", 10.0, (0.0, 0.01, 0.2)),
        Segment("upper", 2.0, (0.1, 0.0, 0.0)),
        Segment("lower", 1.0, (0.1, 0.0, 0.02)),
        Segment("hand", 0.5),
        "shield",
        Segment("leg", 4.0, (0.0, 0.0, -0.3)),
        "wheel",
    ]
    joints = [
        Joint("shoulder", "trunk", "upper", "ball(x)", placed(0, 0.2, 0.4, 0.1, 0.2, 0.3), [0.02, 0, 0]),
        Joint("elbow", "upper", "lower", "R(z)*R(1,0.2,0)", [0.3, 0, 0], lower=[0, -1], upper=[2.5, 1]),
        Joint("wrist", "lower", "hand", "R(z)*R(x)*R(-z)", [0.25, 0, 0], placed(0, 0, 0.01, 0.3, 0, 0)),
        Joint("plate", "hand", "shield", "free", [0.1, 0, 0]),
        Joint("hip", "trunk", "leg", "T(y)*R(y)", [0, 0.1, 0], follow=(Follow({"elbow_z": 0.1}, 0.02), None)),
        Joint(
            "roll",
            "leg",
            "wheel",
            "ball",
            [0, 0, -0.8],
            follow=(None, Follow({"hip_y": -2, "wrist_x": 1}), None),
        ),
    ]
    sites = [Site("tip", "hand", placed(0.1, 0.02, 0.03, 0.5, 0.1, 0))]
    return Figure("branching", segments, joints, sites, base=base, location=placed(1, 2, 3, 0, 0, 0.5))


def four_bar(kind: str = "position") -> Figure:
    """A four-bar in the x–y plane, closed at rest: ground 0.4, crank 0.1, coupler 0.35, follower 0.25 m.

    The chain is cut where the follower meets the ground.
    """
    ground, crank, coupler, follower = 0.4, 0.1, 0.35, 0.25
    # At crank angle 0 the crank's end is at (0.1, 0): two circles give the joint of coupler and follower.
    far = ground - crank
    x = (coupler**2 - follower**2 + far**2) / (2.0 * far)
    first = np.arctan2(np.sqrt(coupler**2 - x**2), x)
    second = np.arctan2(-coupler * np.sin(first), far - coupler * np.cos(first)) - first
    joints = [
        Joint.revolute("crank_turn", "ground", "crank", lower=-7.0, upper=7.0),
        Joint.revolute("coupler_turn", "crank", "coupler", placement=[crank, 0, 0], rest=first),
        Joint.revolute("follower_turn", "coupler", "follower", placement=[coupler, 0, 0], rest=second),
    ]
    sites = [Site("follower_end", "follower", [follower, 0, 0]), Site("pivot", "ground", [ground, 0, 0])]
    chain = Figure("four-bar", ["ground", "crank", "coupler", "follower"], joints, sites)
    return chain.with_loop("follower_end", "pivot", kind)


def differences(
    function: Callable[[np.ndarray], np.ndarray], q: np.ndarray, step: float = 1e-5
) -> np.ndarray:
    """Central differences, one column a coordinate."""
    columns = []
    for k in range(len(q)):
        move = np.zeros(len(q))
        move[k] = step
        columns.append((function(q + move) - function(q - move)) / (2.0 * step))
    return np.array(columns).T


_MOTIONS = (
    "fixed",
    "R(z)",
    "R(-x)*R(1,2,0)",
    "T(y)",
    "R(x)*T(0,1,1)*R(z)",
    "ball",
    "ball(x)",
    "ball(-y)",
    "free",
    "planar",
)


def random_figure(seed: int) -> Figure:
    """A tree drawn at random: joints of every kind, frames anywhere, followers, masses, any base, any root."""
    rng = np.random.default_rng(seed)

    def somewhere() -> np.ndarray:
        return placed(*rng.normal(scale=0.4, size=3), *rng.normal(size=3))

    count = int(rng.integers(1, 14))
    names = [f"s{k}" for k in range(count)]
    segments = [
        Segment(name, float(rng.choice([0.0, 1.0])) * rng.uniform(), rng.normal(size=3)) for name in names
    ]
    segments[-1] = Segment(names[-1], 0.7, (0.1, 0.2, 0.3))
    joints: list[Joint] = []
    drivers: list[str] = []
    for k in range(1, count):
        place, after, parent = somewhere(), somewhere(), names[int(rng.integers(k))]
        joint = Joint(f"j{k}", parent, names[k], str(rng.choice(_MOTIONS)), place, after)
        follow = []
        for axis in joint.axes:
            chosen = rng.choice(drivers, min(2, len(drivers)), replace=False) if drivers else []
            following = len(chosen) and rng.uniform() < 0.3
            follow.append(
                Follow({str(name): float(rng.normal()) for name in chosen}, float(rng.normal()))
                if following
                else None
            )
            if not following:
                drivers.append(axis.name)
        joints.append(Joint(joint.name, parent, names[k], joint.motion, place, after, follow=follow))
    sites = [Site(f"site{k}", str(rng.choice(names)), somewhere()) for k in range(3)]
    base = str(rng.choice(["fixed", "free", "planar"]))
    figure = Figure(f"random {seed}", segments, joints, sites, base=base, location=somewhere())
    return figure.rerooted(str(rng.choice(names)))
