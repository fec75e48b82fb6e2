"""Shapes and colours of an artist's manikin: tapered limbs, darker balls at the joints, all given at rest."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from manikin.figure import transforms
from manikin.figure.human.parts import Point
from manikin.figure.segment import Shape

WOOD = (0.851, 0.714, 0.533)
PALE_WOOD = (0.886, 0.765, 0.604)
DARK_WOOD = (0.659, 0.498, 0.333)
EYE = (0.165, 0.141, 0.125)


def limb(start: Point, end: Point, first: float, last: float, color: Any = WOOD) -> Shape:
    """A tapered capsule from point to point, its balls centred on them."""
    a = np.asarray(start, dtype=float)
    along = np.asarray(end, dtype=float) - a
    length = sqrt(along.dot(along))
    place = transforms.translation(a)
    place[:3, :3] = transforms.basis(along / length)
    return Shape("tapered_capsule", (first, last, length), place, color=color)


def ball(center: Point, radius: float, color: Any = DARK_WOOD) -> Shape:
    """A ball, as at a joint."""
    return Shape("sphere", radius, center, color=color)


def egg(center: Point, radii: Point, color: Any = WOOD) -> Shape:
    """An ellipsoid along the axes of the world."""
    return Shape("ellipsoid", radii, center, color=color)


def lowest(shape: Shape, frame: np.ndarray) -> float:
    """The height of a round shape's lowest point, its segment's frame being `frame`."""
    place = frame @ shape.placement
    up, height = place[2, :3], float(place[2, 3])
    if shape.kind == "sphere":
        return height - float(shape.size[0])
    if shape.kind == "ellipsoid":
        return height - sqrt(float(np.sum((up * shape.size) ** 2)))
    first, last, length = (float(value) for value in shape.size)
    return min(height - first, height + length * float(up[2]) - last)
