"""Recorded postures as points and frames: 40,657 under 88 numbers, from the channels of their files.

The database has some people twice, under two numbers, with the very same recordings or with others: whoever has the
same bones to a micrometre is one person here, and a posture that was seen before is left out. Otherwise a person left
out of the learning would still be known under the other number.

World: z up, metres, x where the recording's z was, y where its x was. Every frame that leaves here has x forward, y
left and z up in the segment at rest; the recordings' own zero poses are a little off the human's, so pelvis, head and
feet are turned, one constant a person, until their median is level while the person stands upright. How far a foot
rolls to its side the recordings do not tell well: no foot rolls by more than 15°. Nor do they tell well where knees
are: thighs and shanks were made too long, so that people who stand upright have knees bent by 20° at the median. Here
each person's are as much shorter as makes that 5°, hips and ankles staying where they were.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "postures" / "cmu_postures.npz"
UNIT = 0.0254 / 0.45
#: Joints of the hierarchy in the order of their channels, and the row of each in `offsets` (end sites have rows too).
#: Every joint below the root, "parent joint" each.
_TREE = """
Hips LHipJoint, LHipJoint LeftUpLeg, LeftUpLeg LeftLeg, LeftLeg LeftFoot, LeftFoot LeftToeBase, Hips RHipJoint,
RHipJoint RightUpLeg, RightUpLeg RightLeg, RightLeg RightFoot, RightFoot RightToeBase, Hips LowerBack, LowerBack Spine,
Spine Spine1, Spine1 Neck, Neck Neck1, Neck1 Head, Spine1 LeftShoulder, LeftShoulder LeftArm, LeftArm LeftForeArm,
LeftForeArm LeftHand, LeftHand LeftFingerBase, LeftFingerBase LeftHandIndex1, LeftHand LThumb, Spine1 RightShoulder,
RightShoulder RightArm, RightArm RightForeArm, RightForeArm RightHand, RightHand RightFingerBase,
RightFingerBase RightHandIndex1, RightHand RThumb
"""
PARENTS = {"Hips": "None"} | {joint: parent for parent, joint in (pair.split() for pair in _TREE.split(","))}
NAMES = tuple(PARENTS)
_ENDS_AFTER = ("LeftToeBase", "RightToeBase", "Head", "LeftHandIndex1", "LThumb", "RightHandIndex1", "RThumb")
#: The converter lost two lengths: the thorax in units of Spine1's bone, the wrist's in those of the forearm's.
THORAX, WRIST = 1.02, 0.5
#: Recording's axes to the world's: x from z, y from x, z from y.
TO_WORLD = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
SIDES = ("left", "right")
#: The most that a foot rolls, and the median bend of a knee while standing upright, radians.
ROLL, STRAIGHT = np.radians(15.0), np.radians(5.0)
#: Postures upright that a person has to be seen in, for a constant of its own.
_ENOUGH = 10


@dataclass
class Recorded:
    """Postures: points (N, 3) and frames (N, 3, 3) by name, who, and what was done.

    points: hip, knee, ankle, shoulder, elbow, wrist of either side, and head (the top of the neck).
    frames: pelvis, chest, head, foot of either side.
    """

    points: dict[str, np.ndarray]
    frames: dict[str, np.ndarray]
    person: np.ndarray
    clip: np.ndarray
    text: np.ndarray

    @property
    def count(self) -> int:
        """How many postures."""
        return len(self.person)

    def taken(self, which: np.ndarray) -> Recorded:
        """Some of them."""
        return Recorded(
            {name: value[which] for name, value in self.points.items()},
            {name: value[which] for name, value in self.frames.items()},
            self.person[which],
            self.clip[which],
            self.text[which],
        )


def offset_rows() -> dict[str, int]:
    """The row of every joint in `offsets`."""
    rows, row = {}, 0
    for name in NAMES:
        rows[name] = row
        row += 2 if name in _ENDS_AFTER else 1
    return rows


def rotation_about(axis: int, angle: np.ndarray) -> np.ndarray:
    """Rotation matrices about a coordinate axis."""
    c, s = np.cos(angle), np.sin(angle)
    result = np.zeros((*np.shape(angle), 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    result[..., axis, axis] = 1.0
    result[..., i, i], result[..., j, j] = c, c
    result[..., i, j], result[..., j, i] = -s, s
    return result


def load(path: Path = DATA) -> Recorded:
    """All postures of the file."""
    with np.load(path) as data:
        angles = np.radians(data["centidegrees"].astype(np.float64) / 100.0).reshape(-1, len(NAMES), 3)
        root, clip = data["root"].astype(np.float64), data["clip"].astype(int)
        subjects, offsets = data["subjects"], data["offsets"].astype(np.float64)
        number = np.searchsorted(subjects, data["clip_subject"])[clip]
        text = data["clip_text"][clip]
    assert (subjects[np.unique(number)].size == len(subjects)) and np.all(np.diff(subjects) > 0)
    first = np.sort(
        np.unique(np.round(np.c_[root, angles.reshape(len(root), -1)], 6), axis=0, return_index=True)[1]
    )
    person = same_people(offsets)[number[first]]
    bones = offsets[number[first]]
    turns, places = _forward(angles[first], root[first], bones)
    return _anatomical(turns, places, bones, person, clip[first], text[first])


def same_people(offsets: np.ndarray) -> np.ndarray:
    """The number of the person for every row of bones (S, 38, 3): equal bones are one person, counted from 0."""
    long = np.linalg.norm(offsets, axis=2)
    alike = np.abs(long[:, None] - long[None]).max(axis=2) < 1e-3
    return np.unique(alike.argmax(axis=1), return_inverse=True)[1]


def _forward(
    angles: np.ndarray, root: np.ndarray, offsets: np.ndarray
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Rotation and place of every joint in the recording's world, in file units."""
    rows = offset_rows()
    turns: dict[str, np.ndarray] = {}
    places: dict[str, np.ndarray] = {}
    for k, name in enumerate(NAMES):
        z, y, x = angles[:, k].T
        own = rotation_about(2, z) @ rotation_about(1, y) @ rotation_about(0, x)
        parent = PARENTS[name]
        offset = offsets[:, rows[name]].copy()
        if parent == "None":
            turns[name], places[name] = own, root.copy()
            continue
        if name in ("Neck", "LeftShoulder", "RightShoulder"):
            offset = THORAX * offsets[:, rows["Spine1"]]
        elif name in ("LeftFingerBase", "RightFingerBase"):
            offset = WRIST * offsets[:, rows[name.replace("FingerBase", "Hand")]]
        turns[name] = turns[parent] @ own
        places[name] = places[parent] + np.einsum("nij,nj->ni", turns[parent], offset)
    return turns, places


def _anatomical(turns: dict, places: dict, offsets: np.ndarray, person, clip, text) -> Recorded:
    def place(name: str) -> np.ndarray:
        return UNIT * places[name] @ TO_WORLD.T

    def frame(name: str) -> np.ndarray:
        return TO_WORLD @ turns[name] @ TO_WORLD.T

    points, frames = {"head": place("Head")}, {}
    for side, prefix in (("left", "Left"), ("right", "Right")):
        for ours, theirs in (
            ("hip", "UpLeg"),
            ("knee", "Leg"),
            ("ankle", "Foot"),
            ("shoulder", "Arm"),
            ("elbow", "ForeArm"),
            ("wrist", "FingerBase"),
        ):
            points[f"{side}_{ours}"] = place(prefix + theirs)
        points[f"{side}_ball"] = place(prefix + "ToeBase")
        frames[f"{side}_foot"] = frame(prefix + "Foot")
    frames |= {"pelvis": frame("Hips"), "chest": frame("Spine1"), "head": frame("Head")}
    result = Recorded(points, frames, person, clip, text)
    _level(result)
    _straighten(result)
    return result


def middle(points: dict[str, np.ndarray], what: str) -> np.ndarray:
    """The middle between left and right."""
    return 0.5 * (points[f"left_{what}"] + points[f"right_{what}"])


def bend(points: dict[str, np.ndarray], first: str, joint: str, last: str) -> np.ndarray:
    """The angle between two bones, 0 where they are in line."""
    u, v = points[joint] - points[first], points[last] - points[joint]
    cosine = np.einsum("ni,ni->n", u, v) / (np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1))
    return np.arccos(np.clip(cosine, -1.0, 1.0))


def standing(recorded: Recorded) -> np.ndarray:
    """Upright on nearly straight legs, both feet low."""
    p = recorded.points
    up = middle(p, "shoulder") - middle(p, "hip")
    upright = up[:, 2] / np.linalg.norm(up, axis=1) > np.cos(np.radians(12.0))
    straight = np.ones(recorded.count, bool)
    for side in SIDES:
        straight &= bend(p, f"{side}_hip", f"{side}_knee", f"{side}_ankle") < np.radians(30.0)
    return upright & straight & (np.abs(p["left_ankle"][:, 2] - p["right_ankle"][:, 2]) < 0.05)


def _level(recorded: Recorded) -> None:
    """Turn each frame by what its median is off while the person stands; people seen standing too little: by the
    median of all.
    """
    upright = standing(recorded)
    trunk = middle(recorded.points, "shoulder") - middle(recorded.points, "hip")
    people = np.unique(recorded.person)
    for name, frames in recorded.frames.items():
        if name in ("pelvis", "chest"):
            # The line from hips to shoulders in the frame, which is to point along z.
            line = np.einsum("nji,nj->ni", frames, trunk)
            pitch, roll = np.arctan2(line[:, 0], line[:, 2]), np.zeros(recorded.count)
        else:
            forward, left = frames[:, :, 0], frames[:, :, 1]
            pitch = -np.arctan2(-forward[:, 2], np.hypot(forward[:, 0], forward[:, 1]))
            roll = -np.arctan2(left[:, 2], np.hypot(left[:, 0], left[:, 1]))
        whole = np.median(pitch[upright]), np.median(roll[upright])
        for person in people:
            mine = recorded.person == person
            few = mine & upright
            own = (np.median(pitch[few]), np.median(roll[few])) if few.sum() >= _ENOUGH else whole
            frames[mine] = frames[mine] @ rotation_about(1, own[0]) @ rotation_about(0, own[1])
        if name.endswith("foot"):
            frames[:] = rolled(frames, ROLL)


def _straighten(recorded: Recorded) -> None:
    """Move knees, in the plane of their legs, to where thighs and shanks f times as long put them.

    With a, b the lengths and d the median distance of hip and ankle while standing, a knee bends by θ where
    d² = f² (a² + b² + 2 a b cos θ); f is that of θ = 5°, and no more than 1. Legs that are longer than both bones are
    straight.
    """
    p, upright = recorded.points, standing(recorded)
    people = np.unique(recorded.person)
    bones = np.empty((len(people), 2))
    shorter = np.full(len(people), np.nan)
    for k, person in enumerate(people):
        mine = recorded.person == person
        bones[k] = [
            np.mean([np.linalg.norm(p[f"{s}_{a}"][mine] - p[f"{s}_{b}"][mine], axis=1) for s in SIDES])
            for a, b in (("hip", "knee"), ("knee", "ankle"))
        ]
        few = mine & upright
        if few.sum() >= _ENOUGH:
            thigh, shank = bones[k]
            long = np.median(
                [np.linalg.norm(p[f"{s}_hip"][few] - p[f"{s}_ankle"][few], axis=1) for s in SIDES]
            )
            wanted = np.sqrt(thigh**2 + shank**2 + 2.0 * thigh * shank * np.cos(STRAIGHT))
            shorter[k] = min(long / wanted, 1.0)
    shorter[np.isnan(shorter)] = np.nanmedian(shorter)
    bones *= shorter[:, None]
    thigh, shank = bones[np.searchsorted(people, recorded.person)].T
    for s in SIDES:
        p[f"{s}_knee"] = _knee(
            p[f"{s}_hip"], p[f"{s}_knee"], p[f"{s}_ankle"], recorded.frames["pelvis"][:, :, 0], thigh, shank
        )


def _knee(
    hip: np.ndarray,
    knee: np.ndarray,
    ankle: np.ndarray,
    ahead: np.ndarray,
    thigh: np.ndarray,
    shank: np.ndarray,
) -> np.ndarray:
    """Where a knee is with bones of these lengths, on the side where it was; ahead where the leg was straight."""
    way = ankle - hip
    long = np.linalg.norm(way, axis=1)
    along = way / long[:, None]

    def aside(vector: np.ndarray) -> np.ndarray:
        return vector - np.einsum("ni,ni->n", vector, along)[:, None] * along

    side = aside(knee - hip)
    side = np.where(np.linalg.norm(side, axis=1)[:, None] > 1e-3, side, aside(ahead))
    side /= np.linalg.norm(side, axis=1)[:, None]
    down = np.where(
        long < thigh + shank, (thigh**2 - shank**2 + long**2) / (2.0 * long), long * thigh / (thigh + shank)
    )
    out = np.where(long < thigh + shank, np.sqrt(np.maximum(thigh**2 - down**2, 0.0)), 0.0)
    return hip + down[:, None] * along + out[:, None] * side


def rolled(frames: np.ndarray, most: float) -> np.ndarray:
    """Frames turned about their own forward axes until they roll by no more than this, radians.

    A foot that is pitched beyond the vertical (its sole up, as of people who kneel) is level the other way round.
    """
    forward, left = frames[:, :, 0], frames[:, :, 1]
    level = np.stack([-forward[:, 1], forward[:, 0], np.zeros(len(forward))], axis=1)
    level /= np.maximum(np.linalg.norm(level, axis=1), 1e-9)[:, None]
    level *= np.where(np.einsum("ni,ni->n", left, level) < 0.0, -1.0, 1.0)[:, None]
    up = np.cross(forward, level)
    roll = np.arctan2(np.einsum("ni,ni->n", left, up), np.einsum("ni,ni->n", left, level))
    roll = np.clip(roll, -most, most)[:, None]
    left = np.cos(roll) * level + np.sin(roll) * up
    return np.stack([forward, left, np.cross(forward, left)], axis=2)
