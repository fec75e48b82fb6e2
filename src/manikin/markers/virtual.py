"""Points made of markers: middles, points of a segment's frame, centres of joints.

Every function takes Markers and returns Markers with more points; where a marker it needs is not seen, neither is the
point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from manikin.errors import PoseError
from manikin.figure import checks
from manikin.markers.markers import Markers
from manikin.markers.rigid import fit_rigid


def middle(markers: Markers, label: str, of: Sequence[str]) -> Markers:
    """The mean of two or more markers, such as the ankle's centre between its malleoli."""
    if len(of) < 2:
        raise PoseError(f"virtual marker {label!r}: two markers or more have a middle, got {len(of)}")
    return markers.with_marker(label, np.mean([markers[name] for name in of], axis=0))


def on_frame(markers: Markers, label: str, of: Mapping[str, Any], point: Any) -> Markers:
    """A point fixed to three or more markers: `of` and `point` are their places, metres, in one frame at rest."""
    places = np.array([checks.vector(place, (3,), f"virtual marker {label!r}") for place in of.values()])
    point = checks.vector(point, (3,), f"virtual marker {label!r}: point")
    if len(places) < 3 or np.linalg.matrix_rank(places - places.mean(axis=0), tol=1e-6) < 2:
        raise PoseError(f"virtual marker {label!r}: three markers that are not on a line are needed")
    seen = np.stack([markers[name] for name in of], axis=1)
    found = np.full((len(markers), 3), np.nan)
    for f in np.flatnonzero(~np.isnan(seen).any(axis=(1, 2))):
        turn, shift = fit_rigid(places, seen[f])
        found[f] = turn @ point + shift
    return markers.with_marker(label, found)


def hip_centers(
    markers: Markers,
    left_asis: str,
    right_asis: str,
    *psis: str,
    labels: tuple[str, str] = ("LHJC", "RHJC"),
) -> Markers:
    """The hips' centres by Harrington's regression (2007): from both front spines of the pelvis and both, or the
    middle, of the back ones.

    With the pelvis's width PW between the front spines and depth PD from their middle to that of the back ones, from
    the
    middle of the front spines, in metres: x = −0.24 PD − 0.0099 forward, y = −0.30 PW − 0.0109 up, z = ±(0.33 PW +
    0.0073) to the side.
    """
    if len(psis) not in (1, 2):
        raise PoseError(
            f"hip centres: one or two markers at the back of the pelvis are needed, got {len(psis)}"
        )
    left, right = markers[left_asis], markers[right_asis]
    back = np.mean([markers[name] for name in psis], axis=0)
    origin = 0.5 * (left + right)
    side = right - left
    width = np.linalg.norm(side, axis=1, keepdims=True)
    z = side / width
    forward = origin - back
    forward = forward - (forward * z).sum(axis=1, keepdims=True) * z
    depth = np.linalg.norm(origin - back, axis=1, keepdims=True)
    x = forward / np.linalg.norm(forward, axis=1, keepdims=True)
    y = np.cross(z, x)
    base = origin - (0.24 * depth + 0.0099) * x - (0.30 * width + 0.0109) * y
    out = (0.33 * width + 0.0073) * z
    return markers.with_marker(labels[0], base - out).with_marker(labels[1], base + out)
