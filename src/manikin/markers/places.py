"""Frames of segments over many poses. (A site may have a segment's name and lie elsewhere on it.)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manikin.figure import Figure, forward
from manikin.figure.transforms import pack
from manikin.markers.marker_sets import MarkerSet


def segment_frames(figure: Figure, q: Any, segments: Sequence[str]) -> np.ndarray:
    """The segments' own frames in the world, (…, segments, 4, 4), at q (…, n)."""
    flat, batch = forward.values_of(figure, q, "segment frames")
    names = tuple(segments)
    model = forward.kept_model(
        figure,
        ("segments", names),
        lambda: forward.packed_model(
            figure, [(motion, pack(frame)) for motion, frame in map(figure.carried, names)]
        ),
    )
    count = int(np.prod(batch, dtype=np.int64))
    found = model.run(forward.compiled().site_frames, flat, 16 * len(names), count)
    return found.reshape(*batch, len(names), 4, 4)


def marker_places(figure: Figure, q: Any, markers: MarkerSet) -> np.ndarray:
    """Where the markers are in the world, (…, markers, 3), at q (…, n)."""
    frames = segment_frames(figure, q, [m.segment for m in markers.values()])
    local = np.array([m.position for m in markers.values()]).reshape(-1, 3)
    return np.einsum("...mij,mj->...mi", frames[..., :3, :3], local) + frames[..., :3, 3]
