"""One hand of a human figure: its digits' coordinates and bones, in the frame of the palm's site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from manikin.errors import PoseError
from manikin.figure.figure import Figure
from manikin.figure.segment import Shape

FINGERS = ("index", "middle", "ring", "little")
DIGITS = ("thumb", *FINGERS)
#: What closes a digit, from the palm outwards; the bone that each carries.
FINGER_JOINTS = ("mcp_flexion", "pip", "dip")
FINGER_BONES = ("proximal", "middle", "distal")
THUMB_JOINTS = ("cmc_flexion", "mcp", "ip")
THUMB_BONES = ("metacarpal", "proximal", "distal")


@dataclass(frozen=True)
class Hand:
    """The hand of one side of a figure made by `human`."""

    figure: Figure
    side: str

    def __post_init__(self) -> None:
        if self.side not in ("left", "right"):
            raise PoseError(f"grip: side must be 'left' or 'right', got {self.side!r}")
        if f"{self.side}_index_pip" not in self.figure.dofs:
            raise PoseError(
                f"figure {self.figure.name!r}: it has no fingers; grips are for figures made by human(fingers=True)"
            )

    def joints(self, digit: str) -> tuple[str, ...]:
        """The coordinates that close a digit, from the palm outwards."""
        return tuple(
            f"{self.side}_{digit}_{j}" for j in (THUMB_JOINTS if digit == "thumb" else FINGER_JOINTS)
        )

    def bones(self, digit: str) -> tuple[str, ...]:
        """The digit's segments, from the palm outwards."""
        return tuple(f"{self.side}_{digit}_{b}" for b in (THUMB_BONES if digit == "thumb" else FINGER_BONES))

    @cached_property
    def dofs(self) -> tuple[str, ...]:
        """All coordinates of the digits."""
        return tuple(
            name
            for name in self.figure.dofs
            if any(name.startswith(f"{self.side}_{digit}_") for digit in DIGITS)
        )

    def range(self, dof: str) -> tuple[float, float]:
        """The range of a coordinate, radians."""
        index = self.figure.index(dof)
        return float(self.figure.lower[index]), float(self.figure.upper[index])

    @cached_property
    def _capsules(self) -> dict[str, np.ndarray]:
        """Each bone's own capsule, and the palm's, in their segments' frames."""
        found = {}
        for digit in DIGITS:
            for bone in self.bones(digit):
                found[bone] = _longest(self.figure.segments[bone].shapes)
        return found

    @cached_property
    def _palm(self) -> np.ndarray:
        shapes = self.figure.segments[f"{self.side}_hand"].shapes
        return np.array([_capsule(shape) for shape in shapes if shape.kind == "tapered_capsule"])

    @cached_property
    def _to_site(self) -> np.ndarray:
        """The frame of the hand's segment in that of the palm's site."""
        return np.linalg.inv(self.figure.site(f"{self.side}_hand").placement)

    @cached_property
    def palm(self) -> np.ndarray:
        """The palm's capsules, in the site's frame."""
        return moved(self._palm, self._to_site)

    @cached_property
    def length(self) -> float:
        """From the wrist to the tip of the middle finger, metres."""
        rest = self.figure.pose()
        return float(
            np.linalg.norm(rest.position(f"{self.side}_dactylion") - rest.position(f"{self.side}_wrist"))
        )

    @cached_property
    def _bends(self) -> dict[str, np.ndarray]:
        """The direction that each digit's pad faces, in the frame of its last bone: where flexion takes the tip."""
        found = {}
        for digit in DIGITS:
            bone, joint = self.bones(digit)[-1], self.joints(digit)[-1]
            frames = self.frames({joint: np.array([0.0, 1e-6])}, (bone,))[:, 0]
            tip = self._capsules[bone][3:6]
            moved_tip = frames[0, :3, :3].T @ (frames[1, :3, :3] @ tip - frames[0, :3, :3] @ tip)
            found[digit] = moved_tip / np.linalg.norm(moved_tip)
        return found

    def palmar(self, digit: str) -> np.ndarray:
        """The direction that a digit's pad faces, in the frame of its last bone."""
        return self._bends[digit]

    def frames(self, values: Mapping[str, np.ndarray | float], segments: tuple[str, ...]) -> np.ndarray:
        """The segments' frames in the site's, (…, segments, 4, 4); values broadcast against each other."""
        arrays = np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in values.values()))
        shape = arrays[0].shape if arrays else ()
        q = np.broadcast_to(self.figure.pose().q, (*shape, self.figure.n)).copy()
        for name, array in zip(values, arrays, strict=True):
            q[..., self.figure.index(name)] = array
        found = self.figure.forward(q, [f"{self.side}_hand", *segments])
        return np.linalg.inv(found[..., :1, :, :]) @ found[..., 1:, :, :]

    def capsules(self, digit: str, values: Mapping[str, np.ndarray | float]) -> np.ndarray:
        """The digit's bones at the values, (…, bones, 8), in the site's frame."""
        names = self.bones(digit)
        frames = self.frames(values, names)
        own = np.array([self._capsules[name] for name in names])
        result = np.empty((*frames.shape[:-2], 8))
        for part in (slice(0, 3), slice(3, 6)):
            result[..., part] = (
                np.einsum("...kij,kj->...ki", frames[..., :3, :3], own[:, part]) + frames[..., :3, 3]
            )
        result[..., 6:] = own[:, 6:]
        return result


def _capsule(shape: Shape) -> np.ndarray:
    first, last, length = (float(number) for number in shape.size)
    place = shape.placement
    return np.concatenate([place[:3, 3], place[:3, 3] + length * place[:3, 2], [first, last]])


def _longest(shapes: tuple[Shape, ...]) -> np.ndarray:
    """The capsule of a bone: of its shapes the tapered one."""
    found = [_capsule(shape) for shape in shapes if shape.kind == "tapered_capsule"]
    return max(found, key=lambda row: float(np.linalg.norm(row[3:6] - row[:3])))


def moved(capsules: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """Capsules (k, 8) carried by a rigid transform."""
    result = capsules.copy()
    for part in (slice(0, 3), slice(3, 6)):
        result[:, part] = capsules[:, part] @ frame[:3, :3].T + frame[:3, 3]
    return result
