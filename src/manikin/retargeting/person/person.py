"""A figure as a person."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from manikin.errors import FigureError
from manikin.figure import Figure, Joint, Site, transforms
from manikin.figure.human.stiffness import BASES
from manikin.figure.skin import Skin
from manikin.retargeting.person.fingertips import Tip, fingertip_of
from manikin.retargeting.person.joints import Made, joints
from manikin.retargeting.person.masses import weighed
from manikin.retargeting.person.neutral import neutral
from manikin.retargeting.person.skeleton import SIDES, Skeleton, skeleton
from manikin.retargeting.person.soles import Sole, sole_of

#: Of the legs' length: what is between hips and seat, head and eyes (forward, up),
#: wrist and the middle of the hand, head and crown, knee and the hollow behind it.
SEAT, EYES, PALM, CROWN, POPLITEAL = 0.11, (0.10, 0.07), 0.10, 0.25, 0.04


@dataclass(frozen=True, eq=False)
class Person:
    """A figure as a person.

    figure: the person. source: the figure that it was made of. made: its joints, none where they are those of
    the source.
    """

    figure: Figure
    source: Figure
    made: tuple[Made, ...] = ()

    def values(self, q: np.ndarray) -> np.ndarray:
        """The values (T, n) of the person for values (T, m) of the source: bones turned alike, inside all ranges."""
        from manikin.retargeting.person.clips import values

        return values(self, np.atleast_2d(q))


def person(
    figure: Figure,
    *,
    roles: Mapping[str, str] | None = None,
    skins: Sequence[Skin] = (),
    rest: np.ndarray | None = None,
) -> Person:
    """A figure with the joints, ranges, masses and sites of a person.

    roles: sites of roles that are not found by name and geometry, as for `retarget`. skins: which show where its soles
        are. rest: values at which it stands upright, where it does not at rest, as in some recordings.

    Joints of legs that have ranges of their own, as robots' have, stay as they are, with all others; the base becomes
    free. Other rigs get the coordinates of the human figure by the same names, 0 standing upright, arms hanging.
    """
    bones = skeleton(figure, roles, rest)
    soles = {side: sole_of(bones, side, skins) for side in SIDES}
    low = min(float(one.heel[2]) for one in soles.values())
    ground = np.array([*bones.middle[:2], low])
    tips = {side: fingertip_of(bones, side, skins) for side in SIDES if f"{side}_wrist" in bones.bones}
    if _has_ranges(bones):
        return Person(_robot(bones, soles, tips, ground), figure)
    upright = neutral(bones)
    made = joints(bones, upright)
    return Person(_rig(bones, upright, made, soles, tips, low), figure, tuple(made))


def _has_ranges(bones: Skeleton) -> bool:
    """Whether joints between hips and ankles turn within ranges."""
    figure = bones.figure
    for side in SIDES:
        for name in bones.path(bones.bones[f"{side}_ankle"], bones.root):
            for joint in figure.joints.values():
                turns = [axis for axis in joint.axes if axis.unit == "rad"] if joint.child == name else []
                if any(np.isfinite([axis.lower, axis.upper]).all() for axis in turns):
                    return True
    return False


def _robot(bones: Skeleton, soles: Mapping[str, Sole], tips: Mapping[str, Tip], ground: np.ndarray) -> Figure:
    """The same joints, a free base, soles on the ground, and a person's sites."""
    figure = bones.figure
    given = figure.given.arguments()
    location = transforms.rotation(bones.body.T)
    location[:3, 3] = -bones.body.T @ ground
    frames = {name: frame[:3, :3].T @ bones.body for name, frame in bones.frames.items()}
    root = figure.root
    given["location"] = location @ bones.frames[root]
    given["mount"] = None
    given["base"] = "free"
    own = {site.name: site for site in given["sites"]}
    own.update({site.name: site for site in _sites(bones, frames, soles, tips)})
    given["sites"] = list(own.values())
    return Figure(**given)


def _rig(
    bones: Skeleton,
    upright: Mapping[str, np.ndarray],
    made: Sequence[Made],
    soles: Mapping[str, Sole],
    tips: Mapping[str, Tip],
    low: float,
) -> Figure:
    given = bones.figure.given.arguments()
    frames = {name: turn.T for name, turn in upright.items()}
    sites = {site.name: site for site in given["sites"]}
    sites.update({site.name: site for site in _sites(bones, frames, soles, tips)})
    mount = transforms.rotation(upright[bones.root])
    mount[:3, 3] = bones.body.T @ (bones.frames[bones.root][:3, 3] - bones.middle)
    given.update(
        segments=weighed(bones).values(),
        joints=_named(made),
        sites=list(sites.values()),
        root=bones.root,
        base="free",
        location=transforms.translation([0.0, 0.0, float(bones.middle[2]) - low]),
        mount=mount,
        base_stiffness=BASES["free"],
        couplings=(),
        loops=(),
        touching=(),
    )
    raised = Figure(**given)
    given["location"] = transforms.translation([0.0, 0.0, float(given["location"][2, 3]) - _lowest(raised)])
    return Figure(**given)


def _lowest(figure: Figure) -> float:
    """The height of the lower sole where all angles are zero: legs that are straightened reach farther down."""
    names = [name for name in figure.sites if re.fullmatch(r"(left|right)_sole_\d", name)]
    return float(figure.forward(np.zeros(figure.n), names)[..., 2, 3].min())


def _named(made: Sequence[Made]) -> list[Joint]:
    """The joints, those that were kept under other names where a person's have them."""
    taken = {one.joint.name for one in made if one.axes is not None}
    found = []
    for one in made:
        joint = one.joint
        if one.axes is None and joint.name in taken:
            name = f"{joint.name}_of_file"
            joint = replace(joint, name=name, dofs=[f"{axis.name}_of_file" for axis in joint.axes] or None)
        found.append(joint)
    return found


def _sites(
    bones: Skeleton,
    frames: Mapping[str, np.ndarray],
    soles: Mapping[str, Sole],
    tips: Mapping[str, Tip],
) -> list[Site]:
    """A person's sites, along the body's axes where all angles are zero.

    frames: the body's axes in each segment's frame there.
    """
    known = bones.bones
    size = bones.legs
    found: list[Site] = []

    def put(name: str, segment: str, point: np.ndarray) -> None:
        frame = bones.frames[segment]
        place = transforms.rotation(frames[segment])
        place[:3, 3] = frame[:3, :3].T @ (np.asarray(point) - frame[:3, 3])
        found.append(Site(name, segment, place))

    forward, up = bones.body[:, 0], bones.body[:, 2]
    put("pelvis", bones.root, bones.middle)
    put("seat", bones.root, bones.middle - SEAT * size * up)
    chest = known.get("chest", bones.root)
    put("chest", chest, _chest(bones))
    head = known.get("head")
    if head is not None:
        place = bones.at("head")
        put("head", head, place + EYES[1] * size * up)
        put("eyes", head, place + EYES[0] * size * forward + EYES[1] * size * up)
        put("vertex", head, place + CROWN * size * up)
    for side in SIDES:
        for part in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist"):
            if f"{side}_{part}" in known:
                put(f"{side}_{part}", known[f"{side}_{part}"], bones.at(f"{side}_{part}"))
        if f"{side}_wrist" in known and f"{side}_elbow" in known:
            wrist = bones.at(f"{side}_wrist")
            way = wrist - bones.at(f"{side}_elbow")
            beyond = PALM * size * way / max(float(np.linalg.norm(way)), 1e-12)
            put(f"{side}_hand", known[f"{side}_wrist"], wrist + beyond)
        if side in tips:
            put(f"{side}_fingertip", *tips[side])
        knee = bones.at(f"{side}_knee")
        put(f"{side}_popliteal", known[f"{side}_knee"], knee - POPLITEAL * size * (forward + up))
        _put_sole(bones, side, soles[side], put)
    return found


def _put_sole(bones: Skeleton, side: str, sole: Sole, put: object) -> None:
    foot = bones.bones[f"{side}_ankle"]
    toes = bones.bones.get(f"{side}_toe", foot)
    ahead = toes if bones.hangs_from(toes, foot) else foot
    put(f"{side}_foot", foot, sole.middle)  # type: ignore[operator]
    put(f"{side}_heel", foot, sole.heel)  # type: ignore[operator]
    put(f"{side}_toe", ahead, sole.toe)  # type: ignore[operator]
    for k, corner in enumerate(sole.corners, start=1):
        put(f"{side}_sole_{k}", foot if k <= 2 else ahead, corner)  # type: ignore[operator]


def _chest(bones: Skeleton) -> np.ndarray:
    """Between the shoulders, or where the chest begins."""
    own = [bones.at(f"{side}_shoulder") for side in SIDES if f"{side}_shoulder" in bones.bones]
    if len(own) == 2:
        between = np.asarray(np.mean(own, axis=0))
        return np.asarray(0.85 * between + 0.15 * bones.middle)
    if "chest" not in bones.bones:
        raise FigureError(f"figure {bones.figure.name!r}: neither chest nor shoulders were found")
    return bones.at("chest")
