"""How far joints go at an age: mean ranges of people of 20 to 44 and of 45 to 69 years, and what lies between.

Degrees, of the normative study of Soucie and others (Haemophilia 17, 2011; 674 people), men and women apart. The ranges
that a figure has (`ranges`) are taken for those of the younger group; at other ages each is as much narrower as the
study's, linearly from the middle of the one group to the middle of the other and on as far as `AGES`. Movements that
the study has not keep their ranges.
"""

from __future__ import annotations

from dataclasses import replace

from manikin.errors import FigureError
from manikin.figure import checks
from manikin.figure.figure import Figure
from manikin.figure.joint import Joint

#: Movement: which end of its range, and the means of both groups, men then women.
STUDY: dict[str, tuple[str, tuple[float, float], tuple[float, float]]] = {
    "hip_extension": ("lower", (17.4, 13.5), (18.1, 16.7)),
    "hip_flexion": ("upper", (130.4, 127.2), (133.8, 130.8)),
    "knee": ("upper", (137.7, 132.9), (141.9, 137.8)),
    "ankle_dorsiflexion": ("upper", (12.7, 11.9), (13.8, 11.6)),
    "ankle_plantarflexion": ("lower", (54.6, 49.4), (62.1, 56.5)),
    "shoulder_flexion": ("upper", (168.8, 164.0), (172.0, 168.1)),
    "elbow": ("upper", (144.6, 143.5), (150.0, 148.3)),
    "forearm_pronation": ("upper", (76.9, 77.7), (82.0, 80.8)),
    "forearm_supination": ("lower", (85.0, 82.4), (90.6, 87.2)),
}
#: Where one name of ours is two of theirs.
_OURS = {
    "hip_extension": "hip_flexion",
    "ankle_dorsiflexion": "ankle_flexion",
    "ankle_plantarflexion": "ankle_flexion",
    "forearm_supination": "forearm_pronation",
}
#: The middles of the groups, and the ages that the line is followed to.
_YOUNGER, _OLDER = 32.0, 57.0
AGES = (20.0, 80.0)


def share_at(movement: str, sex: str, age: float) -> float:
    """What an end of a movement's range is at an age, over what it is at 32."""
    _, men, women = STUDY[movement]
    younger, older = men if sex == "male" else women
    return 1.0 + (older / younger - 1.0) * (age - _YOUNGER) / (_OLDER - _YOUNGER)


def aged(figure: Figure, age: float, sex: str) -> Figure:
    """A `human` figure with the ranges of motion of an age in years."""
    age = checks.number(age, "human: age")
    if not AGES[0] <= age <= AGES[1]:
        raise FigureError(
            f"human: ranges of motion are known from {AGES[0]:g} to {AGES[1]:g} years, got {age:g}"
        )
    factors: dict[str, list[float]] = {}
    for movement, (end, _, _) in STUDY.items():
        own = factors.setdefault(_OURS.get(movement, movement), [1.0, 1.0])
        own[end == "upper"] = share_at(movement, sex, age)
    joints = [_narrowed(joint, factors) for joint in figure.given.joints.values()]
    older = figure.replace(joints=joints)
    if "_human_size" in figure.__dict__:
        older.__dict__["_human_size"] = figure.__dict__["_human_size"]
    return older


def _narrowed(joint: Joint, factors: dict[str, list[float]]) -> Joint:
    """The joint with the ends of its ranges moved; one without a known movement is itself."""
    shares = [factors.get(axis.name.split("_", 1)[-1], [1.0, 1.0]) for axis in joint.axes]
    if all(share == [1.0, 1.0] for share in shares) or joint.swing is not None:
        return joint
    return replace(
        joint,
        lower=[axis.lower * share[0] for axis, share in zip(joint.axes, shares, strict=True)],
        upper=[axis.upper * share[1] for axis, share in zip(joint.axes, shares, strict=True)],
    )
