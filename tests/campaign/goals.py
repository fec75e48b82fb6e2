"""Random goals of every kind, most of them met at a pose that exists, hard and soft, in one list or in levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.campaign.figures import rotation, scale_of
from tests.campaign.misses import swivelled
from tests.campaign.poses import Poses

import manikin as mk

KINDS = (
    "position",
    "orientation",
    "placement",
    "aim",
    "line",
    "plane",
    "inside",
    "inside_union",
    "inside_whole",
    "outside",
    "outside_whole",
    "clear",
    "range",
    "turn_range",
    "center",
    "balance",
    "pin",
    "relative",
    "any",
    "swivel",
    "posture",
    "least",
    "discomfort",
    "spring",
    "energy",
    "effort",
    "time",
)


def goals(body: mk.Figure, there: mk.Pose, rng: np.random.Generator) -> list[mk.Goal]:
    """None to five of them."""
    found = []
    for _ in range(int(rng.integers(0, 6))):
        kind = str(rng.choice(KINDS))
        made = _goal(kind, body, there, rng)
        if made is not None:
            found.append(made)
    return found


PLAIN = ("position", "orientation", "placement", "aim", "line", "plane")


def plain_goals(body: mk.Figure, there: mk.Pose, rng: np.random.Generator) -> list[mk.Goal]:
    """One to three of those that most solves are made of, soft, and met at a pose that exists."""
    found = [_goal(str(rng.choice(PLAIN)), body, there, rng) for _ in range(int(rng.integers(1, 4)))]
    return [goal.changed(hard=False) for goal in found if goal is not None]


#: What comes up more often among goals that are met, since a solve of it costs more or few figures have a place for it.
RARE = (
    *("potential",) * 4,
    "pin",
    "pin",
    "relative",
    "any",
    "balance",
    "balance",
    "plane",
    "line",
    "center",
    "center",
)


def met_goals(body: mk.Figure, there: mk.Pose, rng: np.random.Generator) -> list[mk.Goal]:
    """One to three of any kind, potentials in Python too, half of them hard, all met at a pose that exists."""
    found = []
    for _ in range(int(rng.integers(1, 4))):
        kind = str(rng.choice((*KINDS, *RARE)))
        made = bowl(body, there, rng) if kind == "potential" else _goal(kind, body, there, rng, met=True)
        if made is not None:
            found.append(made)
    return found


@dataclass(frozen=True)
class Bowl:
    """P = ‖r − p‖²/s² + ½ Σ ‖vₖ − gₖ‖², with its gradient, or one that is wrong by a factor."""

    place: np.ndarray
    axes: np.ndarray
    scale: float
    turns: float
    factor: float = 1.0

    def values(self, r: np.ndarray, axes: np.ndarray) -> np.ndarray:
        """P of frames (N, 3), (N, 3, 3)."""
        away = (((r - self.place) / self.scale) ** 2).sum(axis=-1)
        return away + 0.5 * self.turns * ((axes - self.axes) ** 2).sum(axis=(-1, -2))

    def __call__(self, r: np.ndarray, axes: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        off = 2.0 * self.factor * (r - self.place) / self.scale**2
        return float(self.values(r, axes)), off, self.turns * (axes - self.axes)


def bowl(body: mk.Figure, there: mk.Pose, rng: np.random.Generator) -> mk.Potential:
    """A potential in Python that a pose has at 0; now and then one whose gradient is wrong."""
    site = str(rng.choice(list(body.sites)))
    at = there.matrix(site)
    turns = float(rng.choice([0.0, 0.3]))
    factor = 1.5 if rng.random() < 0.03 else 1.0
    made = Bowl(at[:3, 3].copy(), at[:3, :3].copy(), scale_of(body), turns, factor)
    return mk.Potential(site, made, tolerance=1e-6)


def _region(point: np.ndarray, scale: float, rng: np.random.Generator, *, around: bool) -> mk.Region:
    """A region that holds the point, or that it is outside of, not far away."""
    size = scale * float(rng.uniform(0.02, 0.2))
    middle = point + 0.4 * size * rng.normal(size=3) / 3.0 if around else point + 2.5 * size * _unit(rng)
    kind = rng.choice(["ball", "box", "capsule", "half"])
    if kind == "ball":
        return mk.Ball(middle, size)
    if kind == "box":
        return mk.Box(middle, 2.0 * size * rng.uniform(0.7, 1.3, 3), rotation(rng))
    if kind == "capsule":
        return mk.Capsule(middle - 0.5 * size * _unit(rng), middle + 0.5 * size * _unit(rng), size)
    normal = _unit(rng)
    return mk.HalfSpace(point + (1.0 if around else -1.0) * 0.5 * size * normal, normal)


def _unit(rng: np.random.Generator) -> np.ndarray:
    found = rng.normal(size=3)
    return found / np.linalg.norm(found)


def _goal(
    kind: str, body: mk.Figure, there: mk.Pose, rng: np.random.Generator, *, met: bool = False
) -> mk.Goal | None:
    """One of a kind, None where the figure has nothing for it. met: at ``there``, and hard as often as not."""
    scale = scale_of(body)
    names = list(body.sites)
    site = str(rng.choice(names))
    at = there.matrix(site)
    far = rng.random()
    off = 0.0 if far < 0.7 else 0.3 if far < 0.95 else 100.0
    point = at[:3, 3] + off * scale * rng.normal(size=3)
    turn = at[:3, :3] if rng.random() < 0.7 else rotation(rng)
    how: dict[str, Any] = {
        "hard": bool(rng.random() < 0.3),
        "weight": float(rng.choice([1e-6, 0.1, 1.0, 1.0, 1.0, 10.0, 1e6])),
    }
    if met:
        point, turn = at[:3, 3], at[:3, :3]
        how = {"hard": bool(rng.random() < 0.5), "weight": float(rng.choice([0.1, 1.0, 1.0, 10.0]))}
    axes = tuple(rng.choice([0.0, 0.5, 1.0], 3)) if rng.random() < 0.2 else (1.0, 1.0, 1.0)
    axes = axes if max(axes) > 0.0 else (0.0, 0.0, 1.0)
    shaped = [name for name, segment in body.segments.items() if segment.shapes]
    if kind == "position":
        return mk.Position(site, point, **how)
    if kind == "orientation":
        return mk.Orientation(site, turn, axes=axes, **how)
    if kind == "placement":
        return mk.Placement(site, point, turn, axes=axes, **how)
    if kind == "aim":
        away = float(rng.choice([0.0, 1e-9, 0.5, 0.5, 50.0])) * scale
        return mk.Aim(
            site, point + away * at[:3, 0], axis=_unit(rng) if rng.random() < 0.3 else (1, 0, 0), **how
        )
    if kind == "line":
        return mk.OnLine(site, point, rng.normal(size=3), **how)
    if kind == "plane":
        return mk.OnPlane(site, point, rng.normal(size=3), **how)
    if kind == "inside":
        if rng.random() < 0.2:
            return mk.Inside(site, mk.Circle(point, _unit(rng), 0.1 * scale), **how)
        return mk.Inside(site, _region(point, scale, rng, around=True), **how)
    if kind == "inside_union":
        one, two = (_region(point, scale, rng, around=bool(rng.random() < 0.7)) for _ in range(2))
        return mk.Inside(site, one | two if rng.random() < 0.5 else one & two, **how)
    if kind == "inside_whole" and shaped:
        name = str(rng.choice(shaped))
        region = mk.Box(there.matrices()[name][:3, 3], scale * rng.uniform(0.3, 1.5, 3), rotation(rng))
        return mk.Inside(name, region, whole=True, **how)
    if kind == "outside":
        return mk.Outside(
            site, _region(point, scale, rng, around=False), margin=0.01 * scale, whole=False, **how
        )
    if kind == "outside_whole" and shaped:
        name = str(rng.choice(shaped)) if rng.random() < 0.7 else "s*"
        return mk.Outside(name, _region(point, scale, rng, around=False), margin=0.01 * scale, **how)
    if kind == "clear" and len(shaped) > 1:
        return mk.SelfClearance(margin=0.005 * scale, **how)
    if kind == "range":
        width = 0.05 * scale * rng.uniform(0.0, 1.0, 3)
        frame = np.eye(4)
        frame[:3, :3] = rotation(rng)
        inside = frame[:3, :3].T @ point
        return mk.Range(
            site,
            x=(inside[0] - width[0], inside[0] + width[0]),
            z=(None, inside[2] + width[2]),
            frame=frame,
            **how,
        )
    if kind == "turn_range":
        vector = mk.figure.transforms.log(at[:3, :3])
        return mk.Range(site, turn_x=(vector[0] - 0.1, vector[0] + 0.1), turn_z=float(vector[2]), **how)
    if kind == "center" and body.mass > 0.0:
        return mk.CenterOfMass(there.center_of_mass(), axes=tuple(rng.choice([0.0, 1.0], 2)) + (1.0,), **how)
    if kind == "balance":
        support = [
            str(name) for name in rng.choice(names, min(len(names), int(rng.integers(1, 5))), replace=False)
        ]
        return mk.Balance(support, margin=float(rng.choice([0.0, 0.01])) * scale, **how)
    if kind == "pin":
        some = str(rng.choice(["all", "position", "orientation", "x", "turn_z", "some"]))
        return mk.Pin(site, axes=("x", "z", "turn_y") if some == "some" else some, **how)
    if kind == "relative":
        return _relative(site, names, there, rng, how)
    if kind == "any":
        choices = [
            _goal(str(rng.choice(KINDS[:8])), body, there, rng, met=met)
            for _ in range(int(rng.integers(1, 4)))
        ]
        choices = [choice for choice in choices if choice is not None]
        return mk.AnyOf(choices, **how) if choices else None
    if kind == "swivel" and len(names) >= 3:
        limb = [str(name) for name in rng.choice(names, 3, replace=False)]
        angle = _swivel(limb, there) if met else float(rng.uniform(-3.0, 3.0))
        return mk.Swivel(limb, angle if rng.random() < 0.5 else (angle - 0.3, angle + 0.3), **how)
    objectives = {
        "posture": mk.Posture,
        "least": mk.LeastChange,
        "discomfort": mk.Discomfort,
        "energy": mk.KineticEnergy,
        "effort": mk.Effort,
        "time": mk.LeastTime,
    }
    if kind == "time" and not np.isfinite(body.velocity).any():
        return None
    if kind in objectives:
        return objectives[kind]()
    roomy = [name for name in body.dofs if 0.25 < body.dof(name).upper - body.dof(name).lower < np.inf]
    return mk.LimitSpring(str(rng.choice(roomy)), margin=0.1) if kind == "spring" and roomy else None


def _swivel(limb: list[str], there: mk.Pose) -> float:
    """The angle about its line that a limb has."""
    return float(swivelled(Poses(there.figure, there.q[None]), limb)[0][0])


def _relative(site, names, there, rng, how) -> mk.Goal | None:
    others = [name for name in names if name != site]
    if not others:
        return None
    other = str(rng.choice(others))
    seen = np.linalg.inv(there.matrix(other)) @ there.matrix(site)
    kind = rng.choice(["position", "placement", "region", "start"])
    inner: Any = None
    if kind == "position":
        inner = seen[:3, 3]
    elif kind == "placement":
        inner = mk.Placement(site, seen[:3, 3], there.matrix(other)[:3, :3].T @ there.matrix(site)[:3, :3])
    elif kind == "region":
        inner = mk.Ball(seen[:3, 3], 0.1 * scale_of(there.figure))
    return mk.Relative(site, other, inner, **how)


def moved(goal: mk.Goal, there: mk.Pose, rng: np.random.Generator) -> mk.Goal:
    """The same goal with another target, where it has one; else itself."""
    if isinstance(goal, mk.Position | mk.CenterOfMass):
        return goal.changed(target=np.asarray(goal.target) + 0.1 * rng.normal(size=3))
    if isinstance(goal, mk.Orientation):
        return goal.changed(target=rotation(rng))
    if isinstance(goal, mk.Placement):
        return goal.changed(
            position=np.asarray(goal.position) + 0.1 * rng.normal(size=3), orientation=rotation(rng)
        )
    if isinstance(goal, mk.Aim):
        return goal.changed(at=np.asarray(goal.at) + rng.normal(size=3))
    if isinstance(goal, mk.OnLine | mk.OnPlane):
        return goal.changed(point=np.asarray(goal.point) + 0.1 * rng.normal(size=3))
    return goal
