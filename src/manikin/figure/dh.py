"""Chains from Denavit–Hartenberg parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from manikin.errors import FigureError
from manikin.figure import checks, transforms
from manikin.figure.figure import Figure
from manikin.figure.joint import Joint
from manikin.figure.segment import Segment, Site


def from_dh(
    rows: Sequence[Sequence[float]],
    *,
    convention: str = "standard",
    name: str = "chain",
    lower: Any = None,
    upper: Any = None,
    prismatic: Sequence[bool] | Sequence[int] = (),
    base: str = "fixed",
    location: Any = None,
) -> Figure:
    """A chain of ``link_0`` … ``link_n``, joints ``joint_1`` … ``joint_n``, the site ``tip`` on the last.

    Each row is (a, α, d, θ), metres and radians. The coordinate is added to θ, or to d for a prismatic joint.
    standard: Aᵢ = Rz(θ)·Tz(d)·Tx(a)·Rx(α);  modified (Craig): Aᵢ = Rx(α)·Tx(a)·Rz(θ)·Tz(d).
    lower, upper: for all joints, or one a joint.
    prismatic: one bool a joint; none means that all are revolute.
    """
    if convention not in ("standard", "modified"):
        raise FigureError(
            f"figure {name!r}: unknown convention {convention!r}; expected one of: standard, modified"
        )
    count = len(rows)
    slides = list(prismatic) or [False] * count
    if count == 0 or len(slides) != count:
        raise FigureError(
            f"figure {name!r}: expected one entry a row in prismatic, got {len(slides)} for {count} rows"
        )
    lowers = checks.per_axis(lower, count, None, f"figure {name!r}: lower")
    uppers = checks.per_axis(upper, count, None, f"figure {name!r}: upper")
    joints = []
    for k, row in enumerate(rows):
        a, alpha, d, theta = checks.vector(row, (4,), f"figure {name!r}: row {k + 1}")
        along_x, along_z = _screw_x(a, alpha), _screw_z(d, theta)
        if convention == "standard":
            placement, child_placement = along_z, transforms.inverse(along_x)
        else:
            placement, child_placement = along_x @ along_z, np.eye(4)
        joints.append(
            Joint(
                f"joint_{k + 1}",
                f"link_{k}",
                f"link_{k + 1}",
                "T(z)" if slides[k] else "R(z)",
                placement,
                child_placement,
                lowers[k],
                uppers[k],
            )
        )
    segments = [Segment(f"link_{k}") for k in range(count + 1)]
    tip = Site("tip", f"link_{count}")
    return Figure(name, segments, joints, [tip], base=base, location=location)


def _screw_x(length: float, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0, length], [0.0, c, -s, 0.0], [0.0, s, c, 0.0], [0.0, 0.0, 0.0, 1.0]])


def _screw_z(length: float, angle: float) -> np.ndarray:
    result = transforms.rotation(transforms.turn_z(angle))
    result[2, 3] = length
    return result
