"""The parts that a person is posed by: hips, chest, head, elbows, knees, hands and feet, each with its handle."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from manikin.figure import Figure

SIDES = ("left", "right")
LIMBS = ("elbow", "hand", "knee", "foot")
#: The sites without which a figure is no person here.
NEEDED = ("pelvis", "chest", *(f"{side}_{part}" for side in SIDES for part in ("knee", "foot")))
#: The sites that the trunk ends at.
TOPS = ("chest", "head")
FLOOR = 0.0
# A foot that is no higher above the floor stands on it, metres.
STANDS = 0.01


@dataclass(frozen=True)
class Part:
    """A part with a handle.

    kind: ``"hips"``, ``"chest"``, ``"head"``, ``"elbow"``, ``"hand"``, ``"knee"`` or ``"foot"``. site: where its handle
    is, and what a pin on it keeps. side: ``"left"``, ``"right"`` or nothing.
    """

    name: str
    kind: str
    site: str
    side: str = ""


def is_person(figure: Figure) -> bool:
    """Whether a figure moves about and has the sites of a person's parts."""
    return figure.base == "free" and all(name in figure.sites for name in NEEDED)


def parts(figure: Figure) -> dict[str, Part]:
    """The parts of a person by name; none of other figures."""
    kept = figure.__dict__.get("_studio_parts")
    if kept is None:
        kept = figure.__dict__["_studio_parts"] = _parts(figure)
    found: dict[str, Part] = kept
    return found


def _parts(figure: Figure) -> dict[str, Part]:
    if not is_person(figure):
        return {}
    listed = [Part("hips", "hips", "pelvis"), Part("chest", "chest", "chest")]
    if "head" in figure.sites:
        listed.append(Part("head", "head", "head"))
    for side in SIDES:
        for kind in LIMBS:
            site = f"{side}_{kind}"
            if site in figure.sites:
                listed.append(Part(f"{side} {kind}", kind, site, side))
    return {part.name: part for part in listed}


def limb_of(figure: Figure, part: Part) -> tuple[str, ...]:
    """The degrees of freedom of the limb that an elbow, a hand, a knee or a foot belongs to."""
    start, end = ("chest", "hand") if part.kind in ("elbow", "hand") else ("pelvis", "foot")
    tip = f"{part.side}_{end}" if f"{part.side}_{end}" in figure.sites else part.site
    trunk = {name for top in TOPS if top in figure.sites for name in figure.chain("pelvis", top)}
    return tuple(name for name in figure.chain(start, tip) if name not in trunk)


def part_at(figure: Figure, segment: str) -> Part | None:
    """The part that a segment belongs to: of an arm or a leg between its ends none, of a finger the hand, of a vertebra
    chest, head or hips."""
    kept: dict[str, str] = figure.__dict__.setdefault("_studio_part_at", {})
    known = parts(figure)
    if segment not in kept:
        kept[segment] = _part_at(figure, segment) if known else ""
    return known.get(kept[segment])


def _part_at(figure: Figure, segment: str) -> str:
    above = {joint.child: joint.parent for joint in figure.joints.values()}

    def up(name: str) -> list[str]:
        found = [name]
        while above.get(found[-1], "world") != "world":
            found.append(above[found[-1]])
        return found

    of = {part.name: figure.sites[part.site].segment for part in parts(figure).values()}
    way = up(segment)
    for side in SIDES:
        for end in ("hand", "foot"):
            if of.get(f"{side} {end}") in way:
                return f"{side} {end}"
    if of.get("head") in way:
        return "head"
    trunk = up(of.get("head", of["chest"]))
    if segment not in trunk:
        return ""
    low, high = trunk.index(of["hips"]), trunk.index(of["chest"])
    place = trunk.index(segment)
    if place >= low - (low - high) // 2:  # the lower half of the way from hips to chest goes with the hips
        return "hips"
    neck = high // 2
    return "chest" if place >= neck else "head"


def limb_at(figure: Figure, segment: str) -> tuple[str, ...]:
    """The degrees of freedom of the limb that a segment between trunk and hand, or hips and foot, is of."""
    for part in parts(figure).values():
        if part.kind in ("hand", "foot"):
            names = limb_of(figure, part)
            joints = {figure.dof(name).joint for name in names}
            if segment in {figure.joints[name].child for name in joints if name in figure.joints}:
                return names
    return ()


def soles(figure: Figure, side: str) -> tuple[str, ...]:
    """What a foot stands on, as `Balance` takes it: names of its segments with shapes, or sites of its sole."""
    kept: dict[str, tuple[str, ...]] = figure.__dict__.setdefault("_studio_soles", {})
    if side not in kept:
        corners = [name for name in figure.sites if re.fullmatch(rf"{side}_sole_\d+", name)]
        feet = (f"{side}_foot", f"{side}_toes")
        kept[side] = tuple(
            corners or (name for name in feet if name in figure.segments and figure.segments[name].shapes)
        )
    return kept[side]


def fingertips(figure: Figure) -> list[str]:
    """The sites at the ends of the hands, where a figure has them."""
    return [name for name in (f"{side}_fingertip" for side in SIDES) if name in figure.sites]


def heights(figure: Figure, q: np.ndarray) -> dict[str, float]:
    """How high the lowest of each foot's heel, ball and toe is above the floor, by side."""
    low: dict[str, list[str]] | None = figure.__dict__.get("_studio_low")
    if low is None:
        pattern = r"(foot|heel|toe|sole_\d+)"
        named = {
            side: [name for name in figure.sites if re.fullmatch(f"{side}_{pattern}", name)] for side in SIDES
        }
        low = figure.__dict__["_studio_low"] = {side: names for side, names in named.items() if names}
    return {side: float(figure.forward(q, names)[..., 2, 3].min()) - FLOOR for side, names in low.items()}


def standing(figure: Figure, q: np.ndarray) -> tuple[str, ...]:
    """The sides whose feet are on the floor."""
    return tuple(side for side, height in heights(figure, q).items() if height < STANDS)
