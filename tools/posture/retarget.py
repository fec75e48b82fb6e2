"""Recorded people as human figures: each person's own segment lengths, and the coordinates that fit every posture.

The fit is a damped least-squares search for all postures of a person at once (Levenberg and Marquardt), inside ranges
wider than the figure's so that it can be counted how many recorded postures lie inside those. Clavicles are rigid in
the recordings: here they keep still apart from their rhythm, against a weak spring. So are the lengths of the neck,
whose bones do not end where the human's do: the head is fitted by its orientation, and the figure's neck stays as it
is.

    python -m tools.posture.retarget OUT.npz
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import manikin as mk
from manikin.figure.segment import Site
from tools.posture import recorded as rec
from tools.posture.recorded import SIDES, Recorded

#: Ranges of the fit, degrees, where they are wider than the figure's.
WIDE = {
    "ankle_flexion": (-70.0, 50.0),
    "ankle_inversion": (-45.0, 45.0),
    "knee": (0.0, 170.0),
    "hip_flexion": (-50.0, 160.0),
    "hip_rotation": (-90.0, 90.0),
    "hip_abduction": (-60.0, 80.0),
    "spine_flexion": (-60.0, 110.0),
    "spine_side_bend": (-60.0, 60.0),
    "spine_twist": (-70.0, 70.0),
    "neck_flexion": (-80.0, 80.0),
    "neck_side_bend": (-60.0, 60.0),
    "neck_twist": (-90.0, 90.0),
    "shoulder_rotation": (-150.0, 150.0),
}
POINTS = ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")
# Metres that a radian of a frame counts as.
_ARM = {"pelvis": 0.10, "t3": 0.05, "head": 0.10, "left_foot": 0.08, "right_foot": 0.08}
# Springs, metres a radian: what the recordings do not tell stays put.
_SPRING = {
    "clavicle": 0.05,
    "shoulder_rotation": 0.002,
    "pronation": 0.05,
    "wrist_": 0.05,
    "toes": 0.05,
    "eyes": 0.05,
}


@dataclass
class Person:
    """One person's figure, the stature of a human with legs as long, and how many times as long as that human's each
    length is (`lengths`).

    Legs are the unit because they have the least slack: standing straight has to stay straight on another figure, while
    trunk and arms bend a little more or less.
    """

    figure: mk.Figure
    stature: float
    ratio: dict[str, float]


def lengths(recorded: Recorded) -> dict[str, float]:
    """Mean bone lengths of a person's postures, metres."""
    p = recorded.points

    def between(first: str, last: str) -> float:
        sides = [np.linalg.norm(p[f"{s}_{first}"] - p[f"{s}_{last}"], axis=1).mean() for s in SIDES]
        return float(np.mean(sides))

    def across(what: str) -> float:
        return float(np.linalg.norm(p[f"left_{what}"] - p[f"right_{what}"], axis=1).mean())

    trunk = np.linalg.norm(rec.middle(p, "shoulder") - rec.middle(p, "hip"), axis=1)
    return {
        "thigh": between("hip", "knee"),
        "shank": between("knee", "ankle"),
        "upper_arm": between("shoulder", "elbow"),
        "forearm": between("elbow", "wrist"),
        "hips": across("hip"),
        "shoulders": across("shoulder"),
        "trunk": float(np.quantile(trunk, 0.8)),
    }


def person_of(recorded: Recorded) -> Person:
    """The figure with the lengths of a person whose postures these are."""
    own = lengths(recorded)
    usual = figure_lengths(mk.human(1.0, spine="bend", fingers=False))
    stature = sum(own[k] for k in ("thigh", "shank")) / sum(usual[k] for k in ("thigh", "shank"))
    figure = mk.human(stature, spine="bend", fingers=False)
    usual = {name: value * stature for name, value in usual.items()}
    ratio = {name: own[name] / usual[name] for name in own}
    return Person(resized(figure, ratio), stature, ratio)


def figure_lengths(figure: mk.Figure) -> dict[str, float]:
    """The same lengths of a figure at rest."""
    rest = figure.pose()
    at = {f"{side}_{point}": rest.position(f"{side}_{point}")[None] for side in SIDES for point in POINTS}
    return lengths(Recorded(at, {}, np.zeros(1, int), np.zeros(1, int), np.array([""])))


def resized(figure: mk.Figure, ratio: dict[str, float]) -> mk.Figure:
    """A figure whose thighs, shanks, … are so many times as long; joints, ranges and names as before."""
    along = {
        "knee": "thigh",
        "ankle": "shank",
        "elbow": "upper_arm",
        "forearm": "forearm",
        "wrist": "forearm",
    }
    joints = []
    for name, joint in figure.joints.items():
        if name == "root":
            continue
        place, side = np.array(joint.placement), name.split("_")[0]
        kind = name.removeprefix("left_").removeprefix("right_")
        factor = np.ones(3)
        if kind in along and side in SIDES:
            factor[:] = ratio[along[kind]]
        elif kind == "hip":
            factor[:] = ratio["hips"]
        elif name.startswith("spine_"):
            factor[:] = ratio["trunk"]
        elif kind in ("clavicle", "scapula"):
            factor[1] = ratio["shoulders"]
        place[:3, 3] *= factor
        joints.append(joint.placed(place, joint.child_placement))
    sites = []
    for site in figure.given.sites.values():
        place = np.array(site.placement)
        if site.name.endswith("_wrist"):
            place[:3, 3] *= ratio["forearm"]
        elif site.name.endswith("_ankle"):
            place[:3, 3] *= ratio["shank"]
        sites.append(Site(site.name, site.segment, place))
    return figure.replace(joints=tuple(joints), sites=tuple(sites))


def bounds(figure: mk.Figure) -> tuple[np.ndarray, np.ndarray]:
    """The ranges of the fit."""
    low, high = figure.lower.copy(), figure.upper.copy()
    for k, name in enumerate(figure.dofs):
        wide = WIDE.get(name.removeprefix("left_").removeprefix("right_"))
        if wide is not None:
            low[k], high[k] = np.radians(wide)
    return low, high


def fit(person: Person, recorded: Recorded, rounds: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates (N, n) of all postures, and the mean distance (N,) that joints are left off, metres."""
    figure = person.figure
    n, count = figure.n, recorded.count
    low, high = bounds(figure)
    target_points = {f"{s}_{p}": recorded.points[f"{s}_{p}"] for s in SIDES for p in POINTS}
    target_frames = {("t3" if name == "chest" else name): frame for name, frame in recorded.frames.items()}
    spring = np.zeros(n)
    for k, name in enumerate(figure.dofs):
        spring[k] = next((value for part, value in _SPRING.items() if part in name), 0.001)
    spring[:6] = 0.0
    rest = figure.rest.copy()
    for k, name in enumerate(figure.dofs):
        if name.endswith(("_knee", "_elbow")):
            rest[k] = np.radians(30.0)
    q = np.tile(rest, (count, 1))
    pelvis = rec.middle(recorded.points, "hip")
    q[:, :3] = pelvis - figure.pose().position("pelvis")
    q[:, 3:6] = rotation_vectors(recorded.frames["pelvis"])

    def evaluate(q: np.ndarray, which: np.ndarray, derivative: bool) -> tuple[np.ndarray, np.ndarray | None]:
        residuals, rows = [], []
        for site, at in target_points.items():
            place = figure.forward(q, [site])[:, 0]
            residuals.append(place[:, :3, 3] - at[which])
            if derivative:
                rows.append(figure.jacobian(q, site)[:, :3])
        for site, frame in target_frames.items():
            turn = figure.forward(q, [site])[:, 0, :3, :3]
            residuals.append(_ARM[site] * _turn_from(turn, frame[which]))
            if derivative:
                rows.append(_ARM[site] * figure.jacobian(q, site)[:, 3:])
        residuals.append(spring * (q - figure.rest))
        if derivative:
            rows.append(np.broadcast_to(np.diag(spring), (len(q), n, n)))
        return np.concatenate(residuals, axis=1), np.concatenate(rows, axis=1) if derivative else None

    damping = np.full(count, 1e-2)
    everyone = np.arange(count)
    value = (evaluate(q, everyone, False)[0] ** 2).sum(axis=1)
    active = everyone
    for _ in range(rounds):
        residual, jacobian = evaluate(q[active], active, True)
        gradient = np.einsum("nri,nr->ni", jacobian, residual)
        normal = np.einsum("nri,nrj->nij", jacobian, jacobian)
        x = q[active]
        held = ((x <= low) & (gradient > 0.0)) | ((x >= high) & (gradient < 0.0))
        normal = np.where(held[:, :, None] | held[:, None, :], 0.0, normal)
        diagonal = np.arange(n)
        normal[:, diagonal, diagonal] += damping[active][:, None] * 0.01 + held
        step = -np.linalg.solve(normal, np.where(held, 0.0, gradient)[..., None])[..., 0]
        step *= np.minimum(1.0, 0.6 / np.abs(step[:, 3:]).max(axis=1))[:, None]
        new = np.clip(x + step, low, high)
        now = (evaluate(new, active, False)[0] ** 2).sum(axis=1)
        better = now < value[active]
        q[active[better]] = new[better]
        gained = value[active] - now
        done = better & (gained < 1e-6 * value[active])
        value[active[better]] = now[better]
        damping[active] = np.where(better, damping[active] * 0.3, np.minimum(damping[active] * 5.0, 1e6))
        active = active[~done & (damping[active] < 1e5)]
        if len(active) == 0:
            break
    off = [
        np.linalg.norm(figure.forward(q, [site])[:, 0, :3, 3] - at, axis=1)
        for site, at in target_points.items()
    ]
    return q, np.mean(off, axis=0)


def feet_off(person: Person, recorded: Recorded, q: np.ndarray) -> np.ndarray:
    """The angle (N,) by which the worse foot of a fit is turned from the recorded one, radians: some recorded feet are
    turned as no ankle can be.
    """
    angle = np.zeros(recorded.count)
    for s in SIDES:
        turn = person.figure.forward(q, [f"{s}_foot"])[:, 0, :3, :3]
        trace = np.einsum("nij,nij->n", turn, recorded.frames[f"{s}_foot"])
        angle = np.maximum(angle, np.arccos(np.clip(0.5 * (trace - 1.0), -1.0, 1.0)))
    return angle


def _turn_from(turn: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The rotation from `wanted` to `turn` as a vector in the world, 2 sin(θ/2) long."""
    difference = turn @ wanted.transpose(0, 2, 1)
    vector = 0.5 * np.stack(
        [
            difference[:, 2, 1] - difference[:, 1, 2],
            difference[:, 0, 2] - difference[:, 2, 0],
            difference[:, 1, 0] - difference[:, 0, 1],
        ],
        axis=1,
    )
    half = np.sqrt(np.maximum(0.25 * (1.0 + np.trace(difference, axis1=1, axis2=2)), 0.0))
    return vector / np.maximum(half, 0.3)[:, None]


def rotation_vectors(turns: np.ndarray) -> np.ndarray:
    """Rotation vectors of rotation matrices."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(turns).as_rotvec()


def main(out: Path) -> None:
    """Fit everybody and write coordinates, misses and statures."""
    recorded = rec.load()
    figure = mk.human(1.7, spine="bend", fingers=False)
    q, off, feet = np.zeros((recorded.count, figure.n)), np.zeros(recorded.count), np.zeros(recorded.count)
    people = np.unique(recorded.person)
    statures = np.zeros(len(people))
    for person in people:
        mine = recorded.person == person
        own = recorded.taken(mine)
        who = person_of(own)
        statures[person] = who.stature
        q[mine], off[mine] = fit(who, own)
        feet[mine] = feet_off(who, own, q[mine])
        print(
            f"person {person}: {mine.sum()} postures, stature {who.stature:.2f} m, off {1e3 * off[mine].mean():.1f} mm"
        )
    np.savez_compressed(out, q=q, off=off, feet=feet, statures=statures, dofs=np.array(figure.dofs))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
