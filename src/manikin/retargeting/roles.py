"""Which part of a figure is its left knee: roles guessed from names and geometry, shown, and overridable.

A name is cut into words (``LeftUpLeg``, ``left_hip_roll_link``, ``L_Thigh``) and compared with the words that files of
many makes use for each part. Of several that fit, as the links of a robot's hip, the tree decides. What no name tells
is looked for in the rest pose: the lowest ends on both sides are feet, the widest hands, the highest end is the head,
and knees and elbows are where the limb between is about half.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from manikin.errors import FigureError
from manikin.figure import Figure

SIDED = ("hip", "knee", "ankle", "toe", "shoulder", "elbow", "wrist")
ROLES = ("pelvis", "chest", "head", *(f"{side}_{part}" for side in ("left", "right") for part in SIDED))
#: What nothing can be retargeted without.
NEEDED = ("pelvis", *(f"{side}_{part}" for side in ("left", "right") for part in ("hip", "knee", "ankle")))

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
#: Words of each part, the surest first; one entry is several words that must all be there.
_NAMES: dict[str, tuple[str, ...]] = {
    "pelvis": ("pelvis", "hips", "hip", "root", "base", "waist", "body"),
    "chest": ("chest", "thorax", "upper chest", "torso", "spine 3", "spine 2", "spine 1", "spine", "trunk"),
    "head": ("head",),
    "hip": ("hip", "up leg", "upleg", "upper leg", "thigh", "femur"),
    "knee": ("knee", "shin", "calf", "lower leg", "low leg", "tibia", "leg"),
    "ankle": ("ankle", "foot"),
    "toe": ("toe", "toes", "toe base", "ball", "foot end"),
    "shoulder": ("upper arm", "up arm", "arm", "humerus", "shoulder", "shldr"),
    "elbow": ("elbow", "fore arm", "forearm", "lower arm", "low arm", "ulna"),
    "wrist": ("wrist", "hand", "palm"),
}
#: Words that say it is another part, or none.
_NOT = {
    "hip": ("contour", "joint"),
    "knee": ("up", "upper", "upleg"),
    "shoulder": ("fore", "forearm", "lower", "low", "hand", "acromion"),
    "wrist": ("index", "thumb", "middle", "ring", "little", "pinky", "finger"),
    "ankle": ("end", "nub"),
    "head": ("end", "nub"),
    "chest": ("imu",),
    "pelvis": ("imu", "contour"),
}
#: Words that say nothing of which part it is.
_NOTHING = ("left", "right", "l", "r", "link", "joint", "site")
#: Of several on one limb: the first, one in the middle, or the last from the root.
_WHICH = {"hip": 0.5, "shoulder": 0.5, "ankle": 1.0, "wrist": 1.0, "chest": 1.0, "toe": 0.0}


@dataclass(frozen=True, eq=False)
class Roles:
    """The site of each role, and how each was found: ``"name"``, ``"geometry"`` or ``"given"``."""

    figure: Figure
    sites: Mapping[str, str]
    found: Mapping[str, str]

    def __getitem__(self, role: str) -> str:
        return self.sites[role]

    def __contains__(self, role: object) -> bool:
        return role in self.sites

    def __str__(self) -> str:
        width = max(len(role) for role in ROLES)
        lines = [f"{self.figure.name}:"]
        for role in ROLES:
            what = f"{self.sites[role]} ({self.found[role]})" if role in self.sites else "–"
            lines.append(f"  {role:<{width}}  {what}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, dict[str, str]]:
        """As JSON can hold it."""
        return {role: {"site": self.sites[role], "by": self.found[role]} for role in self.sites}


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: ``LeftUpLeg`` is left, up, leg."""
    return tuple(word.lower() for word in _WORD.findall(name))


@lru_cache(maxsize=4096)
def side_of(parts: tuple[str, ...]) -> str:
    """``"left"``, ``"right"`` or nothing, from the words of a name."""
    for side in ("left", "right"):
        if side in parts or (side[0] in parts and len(parts) > 1):
            return side
    for side, letter in (("left", "l"), ("right", "r")):
        if (
            parts
            and parts[0][:1] == letter
            and parts[0][1:] in ("hip", "foot", "hand", "knee", "thigh", "thumb")
        ):
            return side
    return ""


def guess(figure: Figure, given: Mapping[str, str] | None = None) -> Roles:
    """The roles of a figure's sites; `given` overrides some, None for a role that it has not."""
    given = dict(given or {})
    for role, site in given.items():
        if role not in ROLES:
            raise FigureError(
                f"roles of {figure.name!r}: unknown role {role!r}; expected one of: {', '.join(ROLES)}"
            )
        if site is not None:
            figure.site(site)
    depth = _depths(figure)
    sites: dict[str, str] = {}
    found: dict[str, str] = {}
    for role in ROLES:
        if role in given:
            if given[role] is not None:
                sites[role], found[role] = given[role], "given"
            continue
        name = _by_name(figure, role, depth)
        if name is not None:
            sites[role], found[role] = name, "name"
    _forget_whole_limbs(figure, sites, found)
    for role, name in _by_geometry(figure, sites, depth).items():
        if role not in given and role not in sites:
            sites[role], found[role] = name, "geometry"
    _check_head(figure, sites, found)
    return Roles(figure, sites, found)


def _forget_whole_limbs(figure: Figure, sites: dict[str, str], found: dict[str, str]) -> None:
    """``leg`` is a shank beside a thigh, and ``arm`` an upper arm beside a forearm; alone they name the whole limb."""
    for side in ("left", "right"):
        for role, word, other in (("knee", "leg", "hip"), ("shoulder", "arm", "elbow")):
            name = sites.get(f"{side}_{role}", "")
            plain = tuple(part for part in words(name) if part not in _NOTHING and not part.isdigit()) == (
                word,
            )
            if plain and found[f"{side}_{role}"] == "name" and f"{side}_{other}" not in sites:
                del sites[f"{side}_{role}"], found[f"{side}_{role}"]


def _check_head(figure: Figure, sites: dict[str, str], found: dict[str, str]) -> None:
    """A link called head whose frame is not above the shoulders, as some robots have, says nothing of where the head
    is."""
    arms = [sites[role] for role in ("left_shoulder", "right_shoulder") if role in sites]
    if "head" in sites and arms and found["head"] != "given":
        heights = figure.forward(figure.rest, [sites["head"], *arms])[:, 2, 3]
        if heights[0] <= heights[1:].max():
            del sites["head"], found["head"]


def _depths(figure: Figure) -> dict[str, int]:
    """How many joints are between the root and each segment."""
    depth = {figure.root: 0}
    left = [joint for joint in figure.joints.values() if joint.parent in figure.segments]
    while left:
        rest = []
        for joint in left:
            one, two = joint.parent, joint.child
            if one in depth:
                depth.setdefault(two, depth[one] + 1)
            elif two in depth:
                depth.setdefault(one, depth[two] + 1)
            else:
                rest.append(joint)
        if len(rest) == len(left):
            break
        left = rest
    return depth


def _by_name(figure: Figure, role: str, depth: Mapping[str, int]) -> str | None:
    side, _, part = role.rpartition("_")
    best: tuple[int, int] | None = None
    fitting: list[str] = []
    for name in figure.sites:
        parts = words(name)
        if side_of(parts) != side:
            continue
        rest = tuple(word for word in parts if word not in _NOTHING)
        if part != "hip" and any(word in _NOT.get(part, ()) for word in parts):
            continue
        if (
            part == "hip"
            and ("joint" in parts or "contour" in parts)
            and len(rest) == 1
            and "roll" not in parts
        ):
            continue
        rank = _rank(part, rest)
        if rank is None:
            continue
        score = (rank, len(rest) if len(rest) == 1 else 2)
        if best is None or score < best:
            best, fitting = score, [name]
        elif score == best:
            fitting.append(name)
    if not fitting:
        return None
    fitting.sort(key=lambda name: depth.get(figure.site(name).segment, 0))
    return fitting[round(_WHICH.get(part, 0.0) * (len(fitting) - 1))]


@lru_cache(maxsize=16384)
def _rank(part: str, parts: tuple[str, ...]) -> int | None:
    """The place in the list of the words that fit; None where none do."""
    for place, entry in enumerate(_NAMES[part]):
        wanted = entry.split()
        if all(word in parts or (word.isdigit() and word in "".join(parts)) for word in wanted):
            return place
    joined = "".join(parts)
    for place, entry in enumerate(_NAMES[part]):
        if " " in entry and entry.replace(" ", "") in joined:
            return place
    return None


def _by_geometry(figure: Figure, known: Mapping[str, str], depth: Mapping[str, int]) -> dict[str, str]:
    """What names did not tell, from where segments are at rest."""
    names = list(figure.segments)
    at = dict(zip(names, figure.forward(figure.rest, names)[:, :3, 3], strict=True))
    parents = {
        joint.child: joint.parent for joint in figure.joints.values() if joint.parent in figure.segments
    }
    found: dict[str, str] = {}
    if "pelvis" not in known:
        found["pelvis"] = figure.root
    ends = [name for name in names if name not in parents.values() and depth.get(name, 0) > 1]
    low = min((at[name][2] for name in ends), default=0.0)
    high = max((at[name][2] for name in ends), default=1.0)
    middle = at[found.get("pelvis") or figure.site(known["pelvis"]).segment]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        own = [name for name in ends if sign * (at[name][1] - middle[1]) > 1e-3]
        for end, joint, start, foot in (
            ("ankle", "knee", "hip", True),
            ("wrist", "elbow", "shoulder", False),
        ):
            tip = known.get(f"{side}_{end}")
            if tip is None:
                some = [
                    name for name in own if bool(at[name][2] < low + 0.25 * (high - low)) == foot
                ]  # feet are low, hands are not
                if not some:
                    continue
                tip = (
                    max(some, key=lambda name: sign * at[name][1])
                    if not foot
                    else min(some, key=lambda n: at[n][2])
                )
                found[f"{side}_{end}"] = tip
            chain = [figure.site(tip).segment]
            while chain[-1] in parents and sign * (at[parents[chain[-1]]][1] - middle[1]) > 1e-3:
                chain.append(parents[chain[-1]])
            if len(chain) < 3:
                continue
            way = np.cumsum(
                [
                    0.0,
                    *(
                        float(np.linalg.norm(at[a] - at[b]))
                        for a, b in zip(chain[1:], chain[:-1], strict=True)
                    ),
                ]
            )
            half = int(np.argmin(np.abs(way[1:-1] - 0.5 * way[-1]))) + 1
            found.setdefault(f"{side}_{joint}", chain[half])
            found.setdefault(f"{side}_{start}", chain[-1])
    if "head" not in known and ends:
        top = max(ends, key=lambda name: at[name][2])
        if abs(at[top][1] - middle[1]) < 0.05 * max(high - low, 1e-9):
            found["head"] = top
    return found


def needed(roles: Roles) -> None:
    """Refuse a figure whose legs are not known."""
    missing = [role for role in NEEDED if role not in roles]
    if missing:
        raise FigureError(
            f"figure {roles.figure.name!r}: no site found for {', '.join(missing)}; name them, as in "
            f"roles={{{missing[0]!r}: 'site'}}"
        )
