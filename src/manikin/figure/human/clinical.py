"""Clinical angles of a pose: what a clinician would write down, read off the segments' frames.

Joint coordinate systems of the ISB (Wu and others 2002, J. Biomech. 35:543, and 2005, 38:981; Grood and Suntay 1983):
with R the rotation of the distal segment in the proximal one (x forward, y left, z up, all one in the anatomical
rest pose), and right sides mirrored to the left,

    R = R_y(a) R_x(b) R_z(c)    hip, knee, ankle, elbow with forearm, trunk on pelvis, head on trunk:
                                a flexes about the proximal segment's lateral axis, b ab- and adducts about the floating
                                one, c turns about the distal segment's long axis;
    R = R_x(a) R_y(b) R_z(c)    wrist, whose flexion axis is x with the arm hanging and the palm inwards;
    R = R_z(p) R_x(e) R_z(r)    shoulder: plane of elevation p, elevation e, axial rotation r (ISB's Y–X–Y).

Flexion and abduction of the shoulder are those of the arm's direction d seen from the side and from the front:
atan2(d_x, −d_z) and atan2(d_y, −d_z), which is how postures are rated (RULA, ISO 11226). Its clinical rotation is the
twist about the upper arm after the shortest way from the hanging arm, so that plain flexion has none; r, which counts
from the plane of elevation, has then ∓90° (``shoulder_axial``).

Where the middle angle of three ends at 90° (at 0 for the elevation of a hanging arm) only the sum of the other two is
known: the first is then given as 0.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import atan2, cos, degrees, hypot, sin, sqrt
from typing import Any

import numpy as np

from manikin.errors import MissingExtraError, PoseError
from manikin.figure.checks import near
from manikin.figure.pose import Pose

_MIRROR = np.diag([1.0, -1.0, 1.0])
# Sine of the middle angle's distance from where the outer two are one.
_LOCKED = 1e-9

#: Reading: the words for its positive and its negative sense, and whose range it has: a degree of freedom, by its name
#: without side, or None.
LIMBS: dict[str, tuple[str, str, str | None]] = {
    "shoulder_flexion": ("flexion", "extension", "shoulder_flexion"),
    "shoulder_abduction": ("abduction", "adduction", "shoulder_abduction"),
    "shoulder_elevation": ("elevation", "elevation", None),
    "shoulder_plane": (
        "plane of elevation before the frontal",
        "plane of elevation behind the frontal",
        None,
    ),
    "shoulder_axial": ("axial rotation, internal", "axial rotation, external", None),
    "shoulder_rotation": ("internal rotation", "external rotation", "shoulder_rotation"),
    "elbow_flexion": ("flexion", "hyperextension", "elbow"),
    "forearm_pronation": ("pronation", "supination", "forearm_pronation"),
    "wrist_flexion": ("flexion", "extension", "wrist_flexion"),
    "wrist_deviation": ("radial deviation", "ulnar deviation", "wrist_deviation"),
    "hip_flexion": ("flexion", "extension", "hip_flexion"),
    "hip_abduction": ("abduction", "adduction", "hip_abduction"),
    "hip_rotation": ("internal rotation", "external rotation", "hip_rotation"),
    "knee_flexion": ("flexion", "hyperextension", "knee"),
    "ankle_flexion": ("dorsiflexion", "plantarflexion", "ankle_flexion"),
    "ankle_inversion": ("inversion", "eversion", "ankle_inversion"),
}
#: The same of the trunk (thorax on pelvis), the neck (head on thorax), and of the trunk and the head in the world.
MIDDLE: dict[str, tuple[str, str, str | None]] = {
    "trunk_flexion": ("flexion", "extension", "spine_flexion"),
    "trunk_side_bend": ("lateral flexion to the left", "lateral flexion to the right", "spine_side_bend"),
    "trunk_twist": ("rotation to the left", "rotation to the right", "spine_twist"),
    "neck_flexion": ("flexion", "extension", "neck_flexion"),
    "neck_side_bend": ("lateral flexion to the left", "lateral flexion to the right", "neck_side_bend"),
    "neck_twist": ("rotation to the left", "rotation to the right", "neck_twist"),
    "trunk_inclination": ("forward inclination", "backward inclination", None),
    "head_inclination": ("forward inclination", "backward inclination", None),
}


@dataclass(frozen=True)
class Reading:
    """One angle in degrees with its range; ``nan`` never occurs, an unknown range is None.

    lower, upper: what the figure allows in this sense, degrees, or None where its joints have no range for it.
    """

    name: str
    value: float
    lower: float | None
    upper: float | None
    positive: str
    negative: str

    @property
    def text(self) -> str:
        """``"32° flexion"``; ``"0°"`` within half a degree of it."""
        if abs(self.value) < 0.5:
            return "0°"
        return f"{abs(self.value):.0f}° {self.positive if self.value >= 0.0 else self.negative}"

    @property
    def inside(self) -> bool:
        """Whether it is within its range, to a thousandth of a degree; true where there is none."""
        return (
            self.lower is None or self.upper is None or self.lower - 1e-3 <= self.value <= self.upper + 1e-3
        )

    @property
    def share(self) -> float | None:
        """How far towards the end of its range, from 0 in the anatomical position to 1; None without a range."""
        if self.lower is None or self.upper is None:
            return None
        end = self.upper if self.value >= 0.0 else self.lower
        return self.value / end if end else (0.0 if abs(self.value) < 1e-9 else float("inf"))


@dataclass(frozen=True)
class Clinical(Mapping[str, Reading]):
    """The readings of a pose by name; it prints as a table."""

    readings: Mapping[str, Reading]

    def __getitem__(self, name: str) -> Reading:
        if name not in self.readings:
            raise PoseError(f"clinical: unknown reading {name!r}; {near(str(name), self.readings)}")
        return self.readings[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.readings)

    def __len__(self) -> int:
        return len(self.readings)

    def degrees(self) -> dict[str, float]:
        """The angles by name."""
        return {name: reading.value for name, reading in self.readings.items()}

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """For JSON: value, range and words of every reading."""
        return {
            name: {
                "value": reading.value,
                "lower": reading.lower,
                "upper": reading.upper,
                "text": reading.text,
                "inside": reading.inside,
            }
            for name, reading in self.readings.items()
        }

    def __str__(self) -> str:
        rows = [f"{'':24}{'degrees':>9}   range"]
        for name, r in self.readings.items():
            room = "" if r.lower is None else f"{r.lower:.0f} … {r.upper:.0f}"
            rows.append(f"{name.replace('_', ' '):24}{round(r.value, 1) + 0.0:9.1f}   {room:12}  {r.text}")
        return "\n".join(rows)

    def plot(self, path: str | os.PathLike[str] | None = None, *, title: str | None = None) -> Any:
        """A plot of every reading that has a range against it, one line each; a matplotlib figure.

        path: written there too, ``.png``, ``.svg`` or ``.pdf``, whole or not at all.
        """
        return _plot(self, path, title)


def clinical(pose: Pose) -> Clinical:
    """The clinical angles of a pose of a figure made by `human`; also as ``pose.clinical()``."""
    figure = pose.figure
    if (
        "left_thigh" not in figure.segments
        or "t1" not in figure.segments
        or "left_radius" not in figure.segments
    ):
        raise PoseError(f"figure {figure.name!r}: clinical angles are for figures made by human()")
    turns = {name: frame[:3, :3] for name, frame in pose.matrices().items()}
    values: dict[str, float] = _middle(turns)
    for side in ("left", "right"):
        values.update({f"{side}_{name}": value for name, value in _limbs(turns, side).items()})
    ends = _ranges(figure)
    readings = {}
    for name in (*MIDDLE, *(f"{side}_{limb}" for side in ("left", "right") for limb in LIMBS)):
        positive, negative, dof = MIDDLE.get(name) or LIMBS[name.split("_", 1)[1]]
        prefix = "" if name in MIDDLE else f"{name.split('_', 1)[0]}_"
        lower, upper = ends.get(f"{prefix}{dof}", (None, None)) if dof else (None, None)
        readings[name] = Reading(name, degrees(values[name]), lower, upper, positive, negative)
    return Clinical(readings)


def _middle(turns: Mapping[str, np.ndarray]) -> dict[str, float]:
    thorax, head = turns["t1"], turns["head"]
    found = {}
    for name, turn in (("trunk", turns["pelvis"].T @ thorax), ("neck", thorax.T @ head)):
        flexion, side, twist = yxz(turn)
        found.update({f"{name}_flexion": flexion, f"{name}_side_bend": -side, f"{name}_twist": twist})
    for name, turn in (("trunk", thorax), ("head", head)):
        front, top = float(turn[2, 0]), float(turn[2, 2])
        length = hypot(float(turn[0, 0]), float(turn[1, 0]))
        # The front looks down as long as one bends forward, beyond the horizontal too, where it faces backward.
        # Lying flat, with the front up or down, the way it faces is not along the ground: its top is.
        forward = -front * abs(top) / length if length > 1e-6 else -front
        found[f"{name}_inclination"] = atan2(forward, top)
    return found


def _limbs(turns: Mapping[str, np.ndarray], side: str) -> dict[str, float]:
    """Of one side, as if it were the left, in radians."""

    def seen(outer: str, inner: str) -> np.ndarray:
        near_, far = (turns[name if name in turns else f"{side}_{name}"] for name in (outer, inner))
        turn = near_.T @ far
        return turn if side == "left" else _MIRROR @ turn @ _MIRROR

    shoulder = seen("t1", "upper_arm")
    direction = -shoulder[:, 2]
    plane, elevation, rotation = zxz(shoulder)
    elbow, _, pronation = yxz(seen("upper_arm", "radius"))
    wrist, deviation, _ = xyz(seen("radius", "hand"))
    hip, abduction, turn = yxz(seen("pelvis", "thigh"))
    knee, _, _ = yxz(seen("thigh", "shank"))
    ankle, inversion, _ = yxz(seen("shank", "foot"))
    return {
        "shoulder_flexion": atan2(float(direction[0]), -float(direction[2])),
        "shoulder_abduction": atan2(float(direction[1]), -float(direction[2])),
        "shoulder_elevation": elevation,
        "shoulder_plane": -plane,
        "shoulder_axial": -rotation,
        "shoulder_rotation": -twist_z(shoulder),
        "elbow_flexion": -elbow,
        "forearm_pronation": -pronation,
        "wrist_flexion": -wrist,
        "wrist_deviation": -deviation,
        "hip_flexion": -hip,
        "hip_abduction": abduction,
        "hip_rotation": -turn,
        "knee_flexion": knee,
        "ankle_flexion": -ankle,
        "ankle_inversion": -inversion,
    }


def twist_z(r: np.ndarray) -> float:
    """The turn about z of R = swing · twist; 0 where the swing is by 180°."""
    across, along = float(r[1, 0] - r[0, 1]), float(r[0, 0] + r[1, 1])
    return atan2(across, along) if across * across + along * along > _LOCKED**2 else 0.0


def yxz(r: np.ndarray) -> tuple[float, float, float]:
    """(a, b, c) of R = R_y(a) R_x(b) R_z(c), |b| ≤ 90°."""
    b = atan2(-float(r[1, 2]), sqrt(float(r[0, 2]) ** 2 + float(r[2, 2]) ** 2))
    if cos(b) < _LOCKED:
        return 0.0, b, atan2(-float(r[0, 1]), float(r[0, 0]))
    return atan2(float(r[0, 2]), float(r[2, 2])), b, atan2(float(r[1, 0]), float(r[1, 1]))


def xyz(r: np.ndarray) -> tuple[float, float, float]:
    """(a, b, c) of R = R_x(a) R_y(b) R_z(c), |b| ≤ 90°."""
    b = atan2(float(r[0, 2]), sqrt(float(r[1, 2]) ** 2 + float(r[2, 2]) ** 2))
    if cos(b) < _LOCKED:
        return 0.0, b, atan2(float(r[1, 0]), float(r[1, 1]))
    return atan2(-float(r[1, 2]), float(r[2, 2])), b, atan2(-float(r[0, 1]), float(r[0, 0]))


def zxz(r: np.ndarray) -> tuple[float, float, float]:
    """(p, e, s) of R = R_z(p) R_x(e) R_z(s), 0 ≤ e ≤ 180°."""
    e = atan2(sqrt(float(r[0, 2]) ** 2 + float(r[1, 2]) ** 2), float(r[2, 2]))
    if sin(e) < _LOCKED:
        return 0.0, e, atan2(float(r[1, 0]), float(r[0, 0]))
    return atan2(float(r[0, 2]), -float(r[1, 2])), e, atan2(float(r[2, 0]), float(r[2, 1]))


def _ranges(figure: Any) -> dict[str, tuple[float, float]]:
    """The ends of the figure's ranges in degrees: of degrees of freedom, and of the sums that couplings bound."""
    found = {
        name: (degrees(low), degrees(high))
        for name, low, high in zip(figure.dofs, figure.lower, figure.upper, strict=True)
        if np.isfinite(low) and np.isfinite(high)
    }
    for coupling in figure.couplings:
        if coupling.name and np.isfinite(coupling.lower) and np.isfinite(coupling.upper):
            found.setdefault(coupling.name, (degrees(coupling.lower), degrees(coupling.upper)))
    return found


def _plot(found: Clinical, path: str | os.PathLike[str] | None, title: str | None) -> Any:
    try:
        from matplotlib.figure import Figure as Page
    except ImportError:
        raise MissingExtraError("a plot needs matplotlib: pip install 'manikin[plots]'") from None
    rows = [reading for reading in found.values() if reading.lower is not None and reading.upper is not None]
    page = Page(figsize=(7.5, 0.24 * len(rows) + 1.0), layout="constrained")
    axes = page.add_subplot()
    for k, reading in enumerate(reversed(rows)):
        assert reading.lower is not None and reading.upper is not None
        axes.barh(k, reading.upper - reading.lower, left=reading.lower, height=0.62, color="#dfe5ec")
        color = "#2f7d4f" if reading.inside else "#c4631b"
        axes.plot([0.0, reading.value], [k, k], color=color, linewidth=2.0)
        axes.plot(reading.value, k, "o", color=color, markersize=4.5)
    axes.axvline(0.0, color="#8a8f98", linewidth=0.8)
    axes.set_yticks(range(len(rows)), [r.name.replace("_", " ") for r in reversed(rows)], fontsize=7)
    axes.set_xlabel("degrees; bars are ranges, green inside, orange outside", fontsize=8)
    axes.tick_params(axis="x", labelsize=7)
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.use_sticky_edges = False  # a bar that ends at the page's edge looks cut off
    axes.autoscale_view(scaley=False)
    for edge in ("top", "right", "left"):
        axes.spines[edge].set_visible(False)
    if title:
        axes.set_title(title, fontsize=10)
    if path is not None:
        from pathlib import Path

        from manikin.files import whole_file

        kind = Path(path).suffix.lower().removeprefix(".")
        if kind not in ("png", "svg", "pdf"):
            raise PoseError(f"{path}: a plot is written as .png, .svg or .pdf")
        with whole_file(path) as beside:
            page.savefig(beside, format=kind, dpi=110)
    return page
