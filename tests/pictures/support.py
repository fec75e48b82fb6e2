"""What the tests of pictures share: reading pixels, and robots that may not be installed."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.figure import Figure, Joint, Segment, Shape

SIZE = (160, 160)


def pixels(image) -> np.ndarray:
    """(h, w, 3) from 0 to 1."""
    return np.asarray(image, dtype=float) / 255.0


def luminance(array: np.ndarray) -> np.ndarray:
    return array @ np.array([0.2126, 0.7152, 0.0722])


def silhouette(with_figure, without) -> np.ndarray:
    """Which pixels differ clearly between two pictures."""
    return np.abs(pixels(with_figure) - pixels(without)).max(axis=-1) > 0.06


def oranges(array: np.ndarray) -> np.ndarray:
    """Which pixels are of the orange that marks a miss."""
    return (array[..., 0] > 0.75) & (array[..., 2] < 0.34) & (abs(array[..., 1] - 0.52) < 0.13)


def greens(array: np.ndarray) -> np.ndarray:
    """Which pixels are of the green that marks what is reached."""
    return (array[..., 1] > array[..., 0] + 0.15) & (array[..., 1] > array[..., 2] + 0.08)


def block(color=None) -> Figure:
    """A box on a post, with shapes of two kinds."""
    return Figure(
        "block",
        [
            Segment("post", shapes=(Shape("cylinder", (0.08, 0.6), (0, 0, 0.3), color=color),)),
            Segment("top", shapes=(Shape("box", (0.3, 0.3, 0.2), color=color),)),
        ],
        [Joint.revolute("turn", "post", "top", "z", placement=(0, 0, 0.7), lower=-3.0, upper=3.0)],
    )


def robot(path: str) -> Figure:
    """A robot of example-robot-data, or the test is skipped."""
    try:
        data = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    return mk.load(Path(str(data.locate_file("cmeel.prefix/share/example-robot-data/robots"))) / path)
