"""What was read from a file as a person: its figure with a person's joints, its clips and skins on that figure.

A character's joints become those of the human figure, by the same names, 0 standing upright with the arms hanging,
inside the human's ranges; its bones no longer stretch and have masses; it gets soles and a person's sites (`left_hand`,
`pelvis`, `left_foot` …). So natural postures, presets and clinical names go for it. A robot keeps its joints and gets
the sites and a free base. Roles are those of retargeting, of VRM the file's own.
"""

from __future__ import annotations

import numpy as np

from manikin.errors import FigureError
from manikin.formats.contents import Contents, Note
from manikin.motion.motion import Motion
from manikin.retargeting.person import Person, person

#: The bones of VRM's humanoids by role.
_VRM = {
    "pelvis": ("hips",),
    "chest": ("upperChest", "chest", "spine"),
    "head": ("head",),
    **{
        f"{side}_{role}": (f"{side}{bone}",)
        for side in ("left", "right")
        for role, bone in (
            ("hip", "UpperLeg"),
            ("knee", "LowerLeg"),
            ("ankle", "Foot"),
            ("toe", "Toes"),
            ("shoulder", "UpperArm"),
            ("elbow", "LowerArm"),
            ("wrist", "Hand"),
        )
    },
}


def as_person(contents: Contents) -> Contents:
    """The same with a person's figure; FigureError where it is none."""
    who = _person(contents)
    clips = tuple(
        Motion(
            who.figure, clip.times, who.values(clip.q) if who.made else _based(who, clip.q), name=clip.name
        )
        for clip in contents.clips
    )
    note = Note(
        "changed", "figure", "was made a person's: joints, ranges, masses and sites" if who.made else "stands"
    )
    return Contents(who.figure, clips, contents.skins, contents.humanoid, (*contents.notes, note))


def _person(contents: Contents) -> Person:
    roles = {
        role: next((contents.humanoid[bone] for bone in bones if bone in contents.humanoid), None)
        for role, bones in _VRM.items()
    }
    given = {role: name for role, name in roles.items() if name is not None}
    try:
        return person(contents.figure, roles=given, skins=contents.skins)
    except FigureError:
        # Recordings whose rest pose says nothing begin as their person stands.
        begins = [clip.q[0] for clip in contents.clips if len(clip.q)]
        if not begins:
            raise
        return person(contents.figure, roles=given, skins=contents.skins, rest=begins[0])


def _based(who: Person, q: np.ndarray) -> np.ndarray:
    """Values of a figure whose joints stayed: the base, where it was not free, stands."""
    at = {name: k for k, name in enumerate(who.source.dofs)}
    found = np.tile(who.figure.rest, (len(q), 1))
    for k, name in enumerate(who.figure.dofs):
        if name in at and not name.startswith("root_"):
            found[:, k] = q[:, at[name]]
    return found
