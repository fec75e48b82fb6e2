"""Bodies by their circumferences: stout or slim where they are, and with child.

A circumference is that of an ellipse of the breadth and depth there (Ramanujan's formula), which both grow alike, or of
a limb. What is given is kept whatever the mass says; what is not follows the mass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import pi, sqrt
from typing import Any

from manikin.errors import FigureError
from manikin.figure import checks
from manikin.figure.human.proportions import Proportions

#: Circumference: the breadth and depth, or the one girth, that it is of.
KNOWN: dict[str, tuple[str, ...]] = {
    "neck": ("neck_girth",),
    "chest": ("chest_breadth", "chest_depth"),
    "waist": ("waist_breadth", "waist_depth"),
    "hip": ("hip_breadth", "buttock_depth"),
    "upper_arm": ("upper_arm_girth",),
    "forearm": ("forearm_girth",),
    "wrist": ("wrist_girth",),
    "thigh": ("thigh_girth",),
    "lower_thigh": ("lower_thigh_girth",),
    "calf": ("calf_girth",),
    "ankle": ("ankle_girth",),
}
#: How far from the mean a circumference may be: from this to that many times.
RANGE = (0.5, 2.5)
#: Kilograms gained at 40 weeks (Institute of Medicine 2009, the middle of what it recommends), and how far the belly
#: then comes forward, metres (abdominal depth 20 to 33 cm; Culver and Viano 1990, Hum. Factors 32:675). Both grow with
#: the square of the weeks, little before the twelfth: approximate.
WEEKS, GAIN, FORWARD = 40.0, 13.0, 0.13


def around(breadth: float, depth: float) -> float:
    """The circumference of an ellipse by its two diameters."""
    a, b = 0.5 * breadth, 0.5 * depth
    return pi * (3.0 * (a + b) - sqrt((3.0 * a + b) * (a + 3.0 * b)))


def girded(own: Proportions, given: Mapping[str, Any], girth: float) -> Proportions:
    """Proportions with circumferences in metres; girth: what the body's mass makes of its lengths besides."""
    if not isinstance(given, Mapping):
        raise FigureError(f"human: circumferences map names to metres, got {given!r}")
    changes: dict[str, float] = {}
    for name, value in given.items():
        if name not in KNOWN:
            raise FigureError(f"human: unknown circumference {name!r}; {checks.near(str(name), KNOWN)}")
        metres = checks.number(value, f"human: circumference of the {name}")
        parts = KNOWN[name]
        fractions = [getattr(own, part) for part in parts]
        mean = (around(*fractions) if len(parts) == 2 else fractions[0]) * own.stature
        if not RANGE[0] * mean <= metres <= RANGE[1] * mean:
            raise FigureError(
                f"human: a {name} of {metres:g} m around is not that of a person of {own.stature:g} m; "
                f"{RANGE[0] * mean:.2f} to {RANGE[1] * mean:.2f} m are"
            )
        for part, fraction in zip(parts, fractions, strict=True):
            changes[part] = fraction * metres / mean / girth
    return replace(own, **changes)


def with_child(own: Proportions, weeks: Any) -> Proportions:
    """Proportions of a pregnant woman, her mass with what she has gained."""
    time = checks.number(weeks, "human: pregnancy")
    if not 0.0 <= time <= 42.0:
        raise FigureError(f"human: a pregnancy is 0 to 42 weeks long, got {time:g}")
    share = (time / WEEKS) ** 2
    return replace(own, mass=own.mass + GAIN * share, belly=FORWARD * share / own.stature)
