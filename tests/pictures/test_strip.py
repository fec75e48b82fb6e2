"""A clip in one picture, and the ghosts of its other frames."""

import numpy as np
import pytest
from tests.motion.samples import planar_arm

import manikin as mk
from manikin.pictures import Camera, animate, picture, strip

pytest.importorskip("embreex")


def clip():
    figure = planar_arm()
    return mk.interpolate([figure.pose(), figure.pose([1.0, 0.5, 0.5, 0.3])], [0.0, 1.0])


def test_a_strip_has_one_panel_a_frame(tmp_path):
    image = strip(clip(), tmp_path / "strip.png", count=4, size=(60, 80), quality="draft")
    assert image.size == (240, 80) and (tmp_path / "strip.png").exists()
    panels = [np.asarray(image)[:60, 60 * k : 60 * k + 60] for k in range(4)]
    assert all(np.abs(panels[0].astype(int) - other).max() > 20 for other in panels[1:])
    with pytest.raises(mk.PoseError, match="motion"):
        strip([1, 2])


def test_ghosts_are_seen_through_where_nothing_else_is():
    motion = clip()
    eye = Camera([0.3, 0.3, 4.0], [0.3, 0.3, 0.0])
    options = {"size": (120, 120), "quality": "draft", "camera": eye, "ground": False}
    now, ghost = motion.sample(1.0), motion.sample(0.0)
    without = np.asarray(picture(now, **options)).astype(int)
    with_it = np.asarray(picture(now, ghosts=[ghost], **options)).astype(int)
    solid = np.asarray(picture(ghost, **options)).astype(int)
    changed = np.abs(with_it - without).max(axis=2) > 8
    paper = np.abs(solid - without).max(axis=2) > 8
    assert changed.sum() > 100 and (changed & paper).sum() > 0.8 * changed.sum()
    # One sees through it: it is fainter than the figure itself would be.
    assert np.abs(with_it - without)[changed].mean() < np.abs(solid - without)[changed].mean()


def test_an_animation_may_have_ghosts(tmp_path):
    from PIL import Image

    path = animate(clip(), tmp_path / "clip.gif", rate=4, size=(60, 60), ghosts=3)
    with Image.open(path) as found:
        assert found.n_frames == 5
    with pytest.raises(mk.PoseError, match="ghosts"):
        animate(clip(), tmp_path / "clip.gif", ghosts=-1)
