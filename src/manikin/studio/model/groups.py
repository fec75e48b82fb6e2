"""Degrees of freedom in groups that a person finds them by, with the names that clinics use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from manikin.figure import Figure
from manikin.studio.model.parts import SIDES, part_at

Test = Callable[[str], bool]
_FINGERS = ("thumb", "index", "middle", "ring", "little")


def _side(side: str, *words: str) -> Test:
    return lambda name: name.startswith(f"{side}_") and any(word in name for word in words)


_LEG = ("hip", "knee", "ankle", "toes")
_ARM = ("clavicle", "shoulder", "elbow", "forearm", "wrist")
HUMAN: tuple[tuple[str, Test], ...] = (
    ("right arm", _side("right", *_ARM)),
    ("left arm", _side("left", *_ARM)),
    ("right leg", _side("right", *_LEG)),
    ("left leg", _side("left", *_LEG)),
    ("head and neck", lambda name: name.startswith(("neck", "eyes", "head"))),
    ("trunk", lambda name: name.startswith("spine")),
    ("right hand", _side("right", *_FINGERS)),
    ("left hand", _side("left", *_FINGERS)),
    ("whole body", lambda name: name.startswith("root_")),
)
MOST = 24
_HANDS = ("right hand", "left hand")


def groups(figure: Figure) -> dict[str, tuple[str, ...]]:
    """Names of degrees of freedom by group; every one is in exactly one of them. There is always one, if empty."""
    left = list(figure.dofs)
    found: dict[str, tuple[str, ...]] = {}
    if _has_humans_names(figure):
        for title, test in HUMAN:
            own = [name for name in left if test(name)]
            if own:
                found[title] = tuple(own)
                left = [name for name in left if name not in own]
    for first in range(0, len(left), MOST):
        part = left[first : first + MOST]
        title = "joints" if len(left) <= MOST else f"joints {first + 1} to {first + len(part)}"
        found[title] = tuple(part)
    return found or {"joints": ()}


def _has_humans_names(figure: Figure) -> bool:
    """Whether its degrees of freedom have the names of the human figure's."""
    return "left_knee" in figure.dofs and "left_hip_flexion" in figure.dofs


def is_finger(figure: Figure, name: str) -> bool:
    """Whether a degree of freedom is one of a person's fingers."""
    return any(name in groups(figure).get(hand, ()) for hand in _HANDS)


def idle(figure: Figure, sites: Iterable[str]) -> set[str]:
    """Degrees of freedom that a person's gestures leave as they are: fingers, and what is no part of a body, as hair,
    where none of these sites hangs from them; toes under a foot that has a goal."""
    if not _has_humans_names(figure):
        return set()
    known = [site for site in sites if site in figure.sites]
    led = {name for site in set(known) for name in figure.chain(figure.root, site)}
    found = groups(figure)
    others = [names for title, names in found.items() if title in _HANDS or title.startswith("joints")]
    still = {name for names in others if not led.intersection(names) for name in names}
    return still | {
        f"{side}_toes"
        for side in SIDES
        if f"{side}_foot" in known and f"{side}_toes" in figure.dofs and f"{side}_toes" not in led
    }


def clinical(figure: Figure, name: str) -> str:
    """The clinical name of a degree of freedom; its own where it has none."""
    description = figure.dof(name).description
    words = description.split(":", 1)[0] if description else name.replace("_", " ")
    return words[:1].upper() + words[1:]


def group_of(figure: Figure, segment: str) -> str | None:
    """The group of the joint that carries a segment."""
    joint = next((each for each in figure.joints.values() if each.child == segment), None)
    while joint is not None:
        names = [axis.name for axis in joint.axes]
        for title, members in groups(figure).items():
            if any(name in members for name in names):
                return title
        above = joint.parent
        joint = next((each for each in figure.joints.values() if each.child == above), None)
    return None


def spoken(figure: Figure, segment: str) -> str:
    """A segment in everyday speech: of a person's finger the hand, of a vertebra the trunk or the neck."""
    if "left_thigh" in figure.segments and (
        any(f"_{finger}_" in segment for finger in _FINGERS) or re.fullmatch(r"[ctl]\d+", segment)
    ):
        return group_of(figure, segment) or segment.replace("_", " ")
    if _has_humans_names(figure) and "left_thigh" not in figure.segments:
        return group_of(figure, segment) or segment
    return segment.replace("_", " ")


_NAMED = ("hand", "foot", "head", "pelvis")


def site_for(figure: Figure, segment: str) -> str:
    """The site that a click on a segment means: its own, or one that was given on it; of a finger or a vertebra that of
    the next part below that has a name in everyday speech."""
    given = {
        site.segment: name
        for name, site in reversed(list(figure.sites.items()))
        if name not in figure.segments
    }
    if "left_thigh" not in figure.segments:
        part = part_at(figure, segment)
        return segment if part is None else part.site
    above = {joint.child: joint.parent for joint in figure.joints.values()}
    name = segment
    while name not in given and not name.endswith(_NAMED) and above.get(name, "world") != "world":
        name = above[name]
    return name if name.endswith(_NAMED) or name not in given else given[name]
