"""Every file of the shared data in a format that we read is read, and stands in the world as a figure should."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from manikin import formats
from manikin.formats import bvh

DATA = Path(__file__).parents[2].parent / "shared" / "data"
FILES = sorted(path for folder in ("bvh", "gltf", "mjcf") for path in DATA.glob(f"{folder}/*"))


@pytest.mark.skipif(not FILES, reason="these tests read ../shared/data")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_is_read_and_stands_upright(path):
    if path.suffix == ".xml":
        pytest.importorskip("mujoco")
    contents = formats.read(path)
    figure = contents.figure
    assert len(figure.segments) > 15 and figure.n > 20
    q = contents.clips[0].q[0] if contents.clips else figure.rest
    places = figure.forward(q)[:, :3, 3]
    assert np.isfinite(places).all()
    size = np.ptp(places, axis=0)
    assert size[2] > 0.6 * size.max()  # upright: arms may be stretched out


def test_a_skeleton_without_a_motion_is_read(data_file):
    contents = bvh.read(data_file("postures/hierarchy.bvh.txt"))
    assert len(contents.figure.segments) == 31 and contents.clips == ()
    assert any("no motion" in note.text for note in contents.notes)
