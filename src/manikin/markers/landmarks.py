"""Anatomical landmarks of the human figure, and the marker sets that are named after them.

A landmark is a segment, a site of the figure to count from, and the way from there at rest, forward, outwards and
up, in
thousandths of the stature (millimetres on a person 1 m tall). Those of sets of key points are centres of joints.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np

from manikin.errors import FigureError, ManikinWarning
from manikin.figure import Figure, checks
from manikin.markers.marker_sets import Marker, MarkerSet
from manikin.markers.places import segment_frames

#: segment, site, (forward, outwards, up); {} stands for ``left`` or ``right``.
_SIDED: dict[str, tuple[str, str, tuple[float, float, float]]] = {
    "asis": ("pelvis", "{}_hip", (48, 17, 46)),
    "psis": ("pelvis", "{}_hip", (-62, -26, 58)),
    "iliac_crest": ("pelvis", "{}_hip", (6, 34, 84)),
    "trochanter": ("{}_thigh", "{}_hip", (-6, 44, -6)),
    "thigh": ("{}_thigh", "{}_hip", (8, 42, -120)),
    "knee_lateral": ("{}_thigh", "{}_knee", (0, 32, 0)),
    "knee_medial": ("{}_thigh", "{}_knee", (0, -30, 0)),
    "fibula": ("{}_shank", "{}_knee", (-10, 28, -28)),
    "tuberosity": ("{}_shank", "{}_knee", (26, 4, -34)),
    "shank": ("{}_shank", "{}_knee", (4, 30, -110)),
    "ankle_lateral": ("{}_shank", "{}_ankle", (-4, 22, 0)),
    "ankle_medial": ("{}_shank", "{}_ankle", (2, -20, 4)),
    "heel": ("{}_foot", "{}_heel", (-2, 0, 18)),
    "toe": ("{}_foot", "{}_heel", (108, 2, 26)),
    "toe_medial": ("{}_foot", "{}_heel", (112, -22, 16)),
    "toe_lateral": ("{}_foot", "{}_heel", (92, 28, 12)),
    "big_toe": ("{}_toes", "{}_toe", (-6, -14, 10)),
    "small_toe": ("{}_toes", "{}_toe", (-26, 24, 8)),
    "shoulder": ("{}_scapula", "{}_acromion", (0, 0, 6)),
    "upper_arm": ("{}_upper_arm", "{}_shoulder", (0, 28, -90)),
    "elbow_lateral": ("{}_upper_arm", "{}_elbow", (0, 24, 0)),
    "elbow_medial": ("{}_upper_arm", "{}_elbow", (0, -24, 0)),
    "forearm": ("{}_radius", "{}_wrist", (0, 20, 70)),
    "wrist_radial": ("{}_radius", "{}_wrist", (18, 0, 4)),
    "wrist_ulnar": ("{}_radius", "{}_wrist", (-18, 0, 4)),
    "wrist_back": ("{}_radius", "{}_wrist", (0, 14, 4)),
    "finger": ("{}_hand", "{}_wrist", (2, 14, -46)),
    "head_front": ("head", "head", (48, 34, 28)),
    "head_back": ("head", "head", (-52, 34, 26)),
    "eye": ("head", "head", (46, 18, 10)),
    "ear": ("head", "head", (-4, 44, 4)),
    "hip_center": ("{}_thigh", "{}_hip", (0, 0, 0)),
    "knee_center": ("{}_shank", "{}_knee", (0, 0, 0)),
    "ankle_center": ("{}_shank", "{}_ankle", (0, 0, 0)),
    "shoulder_center": ("{}_upper_arm", "{}_shoulder", (0, 0, 0)),
    "elbow_center": ("{}_forearm", "{}_elbow", (0, 0, 0)),
    "wrist_center": ("{}_radius", "{}_wrist", (0, 0, 0)),
}
_MIDDLE: dict[str, tuple[str, str, tuple[float, float, float]]] = {
    "sacrum": ("pelvis", "pelvis", (-66, 0, 56)),
    "hip_middle": ("pelvis", "pelvis", (0, 0, 0)),
    "c7": ("t1", "c7", (-38, 0, 4)),
    "t10": ("t10", "t10", (-42, 0, 0)),
    "jugular_notch": ("t3", "chest", (-34, 0, 22)),
    "xiphoid": ("t8", "chest", (6, 0, -62)),
    "right_back": ("t8", "t8", (-44, -50, 0)),
    "neck": ("t1", "c7", (6, 0, -6)),
    "nose": ("head", "head", (64, 0, -4)),
    "vertex": ("head", "vertex", (0, 0, 0)),
}


def _both(table: dict[str, str], left: str = "L", right: str = "R") -> dict[str, str]:
    """Labels of both sides, from labels with a * for the side's letter."""
    return {
        label.replace("*", letter): f"{side}_{landmark}"
        for label, landmark in table.items()
        for letter, side in ((left, "left"), (right, "right"))
    }


#: What pose estimators find of a body in pictures, for both sides.
_KEYPOINTS = {
    "*Eye": "eye",
    "*Ear": "ear",
    "*Shoulder": "shoulder_center",
    "*Elbow": "elbow_center",
    "*Wrist": "wrist_center",
    "*Hip": "hip_center",
    "*Knee": "knee_center",
    "*Ankle": "ankle_center",
    "*BigToe": "big_toe",
    "*SmallToe": "small_toe",
    "*Heel": "heel",
}
#: Marker sets by name: labels to landmarks.
SETS: dict[str, dict[str, str]] = {
    "plug_in_gait": {
        **_both(
            {
                "*FHD": "head_front",
                "*BHD": "head_back",
                "*SHO": "shoulder",
                "*UPA": "upper_arm",
                "*ELB": "elbow_lateral",
                "*FRM": "forearm",
                "*WRA": "wrist_radial",
                "*WRB": "wrist_ulnar",
                "*FIN": "finger",
                "*ASI": "asis",
                "*PSI": "psis",
                "*THI": "thigh",
                "*KNE": "knee_lateral",
                "*TIB": "shank",
                "*ANK": "ankle_lateral",
                "*HEE": "heel",
                "*TOE": "toe",
            }
        ),
        "C7": "c7",
        "T10": "t10",
        "CLAV": "jugular_notch",
        "STRN": "xiphoid",
        "RBAK": "right_back",
        "SACR": "sacrum",
    },
    "cmu": {
        **_both(
            {
                "*FHD": "head_front",
                "*BHD": "head_back",
                "*SHO": "shoulder",
                "*UPA": "upper_arm",
                "*ELB": "elbow_lateral",
                "*FRM": "forearm",
                "*WRA": "wrist_radial",
                "*WRB": "wrist_ulnar",
                "*FIN": "finger",
                "*FWT": "asis",
                "*BWT": "psis",
                "*THI": "thigh",
                "*KNE": "knee_lateral",
                "*SHN": "shank",
                "*ANK": "ankle_lateral",
                "*HEE": "heel",
                "*TOE": "big_toe",
                "*MT5": "toe_lateral",
            }
        ),
        "C7": "c7",
        "T10": "t10",
        "CLAV": "jugular_notch",
        "STRN": "xiphoid",
        "RBAC": "right_back",
    },
    "halpe_26": {
        **_both(_KEYPOINTS),
        "Nose": "nose",
        "Head": "vertex",
        "Neck": "neck",
        "Hip": "hip_middle",
    },
    "body_25": {
        **_both(_KEYPOINTS),
        "Nose": "nose",
        "Neck": "neck",
        "MidHip": "hip_middle",
    },
    "cleveland": _both(
        {
            "*.ASIS": "asis",
            "*.PSIS": "psis",
            "*.Iliac.Crest": "iliac_crest",
            "*.GTR": "trochanter",
            "*.Knee": "knee_lateral",
            "*.Knee.Medial": "knee_medial",
            "*.HF": "fibula",
            "*.TT": "tuberosity",
            "*.Ankle": "ankle_lateral",
            "*.Ankle.Medial": "ankle_medial",
            "*.Heel": "heel",
            "*.MT1": "toe_medial",
            "*.MT2": "toe",
            "*.MT5": "toe_lateral",
        }
    ),
    "helen_hayes": {
        **_both(
            {
                "*SHO": "shoulder",
                "*ELB": "elbow_lateral",
                "*WRI": "wrist_back",
                "*ASI": "asis",
                "*THI": "thigh",
                "*KNE": "knee_lateral",
                "*.Knee.Medial": "knee_medial",
                "*SHA": "shank",
                "*ANK": "ankle_lateral",
                "*.Ankle.Medial": "ankle_medial",
                "*HEE": "heel",
                "*TOE": "toe",
                "*FOO": "toe_medial",
                "*.Foot.Medial": "toe_medial",
                "*.Foot.Lateral": "toe_lateral",
            }
        ),
        "VSAC": "sacrum",
        "C7": "c7",
        "IJ": "jugular_notch",
        "PX": "xiphoid",
    },
}


def landmark(figure: Figure, name: str) -> Marker:
    """A landmark of a human figure as a marker: ``"left_knee_lateral"``, ``"c7"``…"""
    side, _, rest = name.partition("_")
    if side in ("left", "right") and rest in _SIDED:
        segment, site, way = _SIDED[rest]
        segment, site, outwards = segment.format(side), site.format(side), 1.0 if side == "left" else -1.0
    elif name in _MIDDLE:
        (segment, site, way), outwards = _MIDDLE[name], 1.0
    else:
        known = [*(f"left_{key}" for key in _SIDED), *_MIDDLE]
        raise FigureError(f"unknown landmark {name!r}; {checks.near(name, known)}")
    missing = [segment] if segment not in figure.segments else [] if site in figure.sites else [site]
    if missing:
        raise FigureError(
            f"figure {figure.name!r} has no {missing[0]!r}, so it is no human figure with the landmark {name!r}"
        )
    zero = np.zeros(figure.n)
    (place,), (frame,) = figure.forward(zero, site), segment_frames(figure, zero, [segment])
    height = _stature(figure)
    world = place[:3, 3] + 1e-3 * height * np.array([way[0], outwards * way[1], way[2]])
    return Marker(segment, frame[:3, :3].T @ (world - frame[:3, 3]))


def _stature(figure: Figure) -> float:
    """From heel to vertex, all values 0."""
    top, heel = figure.forward(np.zeros(figure.n), ["vertex", "left_heel"])
    return float(top[2, 3] - heel[2, 3])


def marker_set(figure: Figure, name: str, labels: Iterable[str] | None = None) -> MarkerSet:
    """A named marker set on a human figure: ``plug_in_gait``, ``cmu``, ``helen_hayes``, ``cleveland``, ``halpe_26`` or
    ``body_25``.

    labels: only these, of those that the set has; a FigureError where these are fewer than three, and a ManikinWarning
    where they are neither half of the labels nor a third of the set's.
    """
    if name not in SETS:
        raise FigureError(f"unknown marker set {name!r}; {checks.near(str(name), SETS)}")
    wanted = None if labels is None else set(labels)
    chosen = {label: place for label, place in SETS[name].items() if wanted is None or label in wanted}
    if wanted is not None:
        said = f"marker set {name!r}: {len(chosen)} of its {len(SETS[name])} labels are among the {len(wanted)} given"
        if len(chosen) < 3:
            raise FigureError(f"{said}; known sets are {', '.join(SETS)}; name another, or make a MarkerSet")
        if 2 * len(chosen) < len(wanted) and 3 * len(chosen) < len(SETS[name]):
            warnings.warn(f"{said}; the others are not followed", ManikinWarning, stacklevel=2)
    return MarkerSet({label: landmark(figure, place) for label, place in chosen.items()}, name)


def recognise(labels: Iterable[str]) -> str:
    """The name of the marker set that has most of these labels.

    A FigureError if there are too few: fewer than three, or neither half of the labels nor a third of the set's.
    """
    wanted = set(labels)
    best = max(SETS, key=lambda name: (len(wanted & set(SETS[name])), -len(SETS[name])))
    count = len(wanted & set(SETS[best]))
    if count < 3 or (2 * count < len(wanted) and 3 * count < len(SETS[best])):
        raise FigureError(
            f"no marker set fits the labels {', '.join(sorted(wanted)[:8])}…: {best!r} has {count} of {len(wanted)}; "
            f"expected one of {', '.join(SETS)}; name one, rename the markers, or make a MarkerSet"
        )
    return best
