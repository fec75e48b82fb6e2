"""A joint as formats of one-axis joints see it: a frame, one-axis motions, a frame; met from either side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.errors import FigureError
from manikin.figure import Joint
from manikin.figure.joint import Axis
from manikin.figure.transforms import inverse


@dataclass(frozen=True)
class Link:
    """One motion of a joint.

    kind: ``"turn"``, ``"slide"``, ``"ball"`` (its `turn` has the twist's axis as third column) or ``"vector"``.
    axis: of a turn or slide, in the joint's frame. sign: −1 where the values count the other way round.
    """

    kind: str
    axis: np.ndarray
    turn: np.ndarray
    axes: tuple[Axis, ...]
    sign: float = 1.0


_KINDS = {
    "rotate": "turn",
    "slide": "slide",
    "swing_twist": "ball",
    "twist_swing": "ball",
    "rotation_vector": "vector",
}


def links(joint: Joint, backwards: bool) -> tuple[np.ndarray, list[Link], np.ndarray]:
    """The far segment's frame in the near one's is first · motions · last: (first, motions, last).

    Backwards the motions come in the other order, turns and slides along opposite axes.
    """
    found, place = [], 0
    for step in joint.steps:
        axes = joint.axes[place : place + len(step.labels)]
        place += len(step.labels)
        kind = _KINDS.get(step.kind.name, "")
        if not kind:
            raise FigureError(f"joint {joint.name!r}: no file format has its motion {joint.motion!r}")
        axis = step.turn[:, 2].copy()
        single = kind in ("turn", "slide")
        found.append(
            Link(
                kind,
                -axis if backwards and single else axis,
                step.turn,
                axes,
                -1.0 if backwards and not single else 1.0,
            )
        )
    if backwards:
        return joint.child_placement, found[::-1], inverse(joint.placement)
    return joint.placement, found, inverse(joint.child_placement)
