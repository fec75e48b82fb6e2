"""A file as a document: its figure, and its clip as key frames."""

from __future__ import annotations

import numpy as np

from manikin.studio.model.document import Document, Key, fresh
from manikin.studio.model.source import Source

#: A clip becomes so many key frames at most, evenly spread.
MOST_KEYS = 60


def opened(source: Source) -> Document:
    """A new document of a source; of a file with clips the first one is laid on the strip, and the figure stands as it
    begins."""
    document = fresh(source)
    if source.is_file:
        for clip in source.contents().clips:
            if len(clip.times) > 1:
                return with_clip(document, np.asarray(clip.times), np.asarray(clip.q))
    return document


def with_clip(document: Document, times: np.ndarray, q: np.ndarray) -> Document:
    """The document with a motion as its key frames, from 0 seconds on, values brought into their ranges."""
    figure = document.figure
    chosen = np.unique(np.linspace(0, len(times) - 1, min(len(times), MOST_KEYS)).round().astype(int))
    values = np.clip(q[chosen], figure.lower, figure.upper)
    values.flags.writeable = False
    keys = tuple(Key(float(time - times[0]), each) for time, each in zip(times[chosen], values, strict=True))
    return document.changed(q=values[0], keys=keys)
