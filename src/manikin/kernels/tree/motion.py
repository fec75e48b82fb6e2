"""A kind of motion, how compiled code moves by it: a file of `joints`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion of the tree by one axis value, or by a block of three.

    Kernels see the frame i where the motion has brought it, and the axis values from number k on.

    size: how many axis values it has, 1 or 3.
    place: kernel (values, k, frames, spins, i): frame i, which is where the values are 0, to where they bring it; into
        ``spins``, nine numbers a motion, what `twist` reads of that. None for a turn about z and a slide along it,
        which the walk does by itself. It also runs in lanes, so it branches on no data.
    twist: kernel (frames, spins, i, c): what value c does, six numbers: the velocity of the frame's origin and the
        angular velocity, in the world. None where it is a turn about the axis that is in ``spins`` from 3 c on.
    curvature: kernel (values, k, force, moment, hessian): how the twists change with the motion's own values, adds
        (force · ∂vₐ + moment · ∂ωₐ) / ∂value_b to hessian[k + a, k + b], force and moment about the frame's origin as
        the frame sees them, beyond that a value carries those after it. None where there is no more.
    last_first: whether the last of three values carries the others, in place of the first.
    """

    size: int
    place: Any = None
    twist: Any = None
    curvature: Any = None
    last_first: bool = False
