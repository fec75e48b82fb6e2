"""How the verifier moves by one kind of motion: a file of `joints`, sharing no code with those that searches use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Joint:
    """A motion by the axis values from W[k] on, of a pose or of four in lanes.

    move: kernel (W, k, a, s, c, s2, c2, turn, place): the frame, rotation by rows and position, where the motion
        has brought it from ``turn`` and ``place``; a: its first angle; then sine and cosine of that and of the second.
    angles: kernel (W, k): the two angles whose sines and cosines it takes, 0 for one that it does not have; None where
        it takes that of its value.
    twists: whether it takes those of the second.
    """

    move: Any
    angles: Any = None
    twists: bool = False
