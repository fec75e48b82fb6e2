"""What a picture is of: what casts shadows, what only marks, and the ground."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manikin.pictures.layer import Layer
from manikin.pictures.surface import Surface, bounds


class Scene:
    """Layers for rays, and where the ground is.

    solid: the figures; they cast shadows and stand in each other's light.
    marks: surfaces that are seen, faintly even behind the figures, and cast no shadow.
    clear: the same, but one sees through them.
    ground: the height of the ground, or None for none.
    size: metres; how far light reaches, how wide the ground is, how wide its grid.
    framed: whether shadows fade towards the sides of the picture, so that pictures can stand side by side.
    """

    def __init__(
        self,
        solid: Sequence[Surface],
        marks: Sequence[Surface] = (),
        clear: Sequence[Surface] = (),
        *,
        ground: float | None,
        size: float,
        framed: bool = False,
    ) -> None:
        self.solid = Layer(solid)
        self.marks = Layer(marks)
        self.clear = Layer(clear)
        self.ground = ground
        self.size = size
        self.framed = framed
        points = self.solid.corners.reshape(-1, 3)
        self.center: np.ndarray = np.zeros(3, np.float32)
        if len(points):
            low, high = bounds(points)
            self.center = (low + high) / np.float32(2.0)
        self.spacing = grid_spacing(size)
        # Rays start this far off the surface, so that float32 does not find the surface itself.
        self.lift = np.float32(2e-4 * size)


def grid_spacing(size: float) -> float:
    """1, 2 or 5 times a power of ten: about a sixth of the size."""
    wanted = max(size, 1e-6) / 5.0
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(max(step * power for step in (1.0, 2.0, 5.0) if step * power <= wanted * 1.0001))
