from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import manikin as mk
from manikin.cli.robot import arm
from manikin.errors import FormatError, PoseError
from manikin.pictures import animate

from .support import pixels


def swing(count: int) -> list[mk.Pose]:
    figure = arm()
    return [figure.pose({"waist": angle}) for angle in np.linspace(-1.0, 1.0, count)]


class Motion:
    """As much of a motion as an animation needs."""

    def __init__(self) -> None:
        self.times = np.array([2.0, 3.0])
        self.asked: list[float] = []
        self._figure = arm()

    def sample(self, time: float) -> mk.Pose:
        self.asked.append(time)
        return self._figure.pose({"waist": time - 2.0})


def test_a_gif_has_a_frame_a_pose_and_the_right_time(tmp_path):
    calls = []
    path = animate(
        swing(4), tmp_path / "swing.gif", rate=20, size=(90, 70), progress=lambda *call: calls.append(call)
    )
    with Image.open(path) as image:
        assert (image.format, image.size, image.n_frames) == ("GIF", (90, 70), 4)
        assert image.info["duration"] == 50
        assert image.info["loop"] == 0
        first = pixels(image.convert("RGB"))
        image.seek(3)
        assert np.abs(first - pixels(image.convert("RGB"))).max() > 0.3
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert [entry.name for entry in tmp_path.iterdir()] == ["swing.gif"]


def test_what_stands_still_does_not_flicker(tmp_path):
    path = animate(swing(3), tmp_path / "swing.gif", size=(90, 90))
    frames = []
    with Image.open(path) as image:
        for k in range(3):
            image.seek(k)
            frames.append(pixels(image.convert("RGB"))[:8])
    assert np.ptp(frames, axis=0).max() == 0.0


def test_the_camera_holds_all_frames(tmp_path):
    path = animate(swing(5), tmp_path / "swing.gif", size=(120, 120), ground=False)
    with Image.open(path) as image:
        for k in range(5):
            image.seek(k)
            array = pixels(image.convert("RGB"))
            assert np.abs(array[:, -3:] - array[:, :3]).max() < 0.05


def test_a_motion_is_sampled_in_time(tmp_path):
    motion = Motion()
    with Image.open(animate(motion, tmp_path / "motion.gif", rate=5, size=(40, 40))) as image:
        assert image.n_frames == 6
    assert motion.asked == pytest.approx([2.0, 2.2, 2.4, 2.6, 2.8, 3.0])


def test_an_mp4_can_be_read_back(tmp_path):
    imageio = pytest.importorskip("imageio.v2")
    pytest.importorskip("imageio_ffmpeg")
    path = animate(swing(5), tmp_path / "swing.mp4", rate=10, size=(95, 64))
    with imageio.get_reader(path) as reader:
        frames = [frame for frame in reader]
        assert reader.get_meta_data()["fps"] == pytest.approx(10)
    assert len(frames) == 5
    assert frames[0].shape == (64, 96, 3)
    assert [entry.name for entry in tmp_path.iterdir()] == ["swing.mp4"]


def test_an_unknown_extension_is_an_error(tmp_path):
    with pytest.raises(FormatError, match=r"'\.avi'.*\.gif, \.mp4"):
        animate(swing(2), tmp_path / "swing.avi")


def test_a_failure_on_the_way_leaves_nothing(tmp_path):
    def stop(done: int, count: int) -> None:
        raise KeyboardInterrupt

    for name in ("swing.gif", "swing.mp4"):
        if name.endswith("mp4"):
            pytest.importorskip("imageio_ffmpeg")
        with pytest.raises(KeyboardInterrupt):
            animate(swing(2), tmp_path / name, size=(40, 40), progress=stop)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("poses", "options"), [([], {}), (3, {}), (swing(1), {"rate": 0})])
def test_wrong_arguments_are_named(tmp_path, poses, options):
    with pytest.raises(PoseError, match="animate"):
        animate(poses, tmp_path / "swing.gif", **options)


def test_things_stand_in_every_frame_and_goals_may_come_from_a_generator(tmp_path):
    ball = mk.Ball(swing(1)[0].position("tool") + [0.0, 0.0, 0.15], 0.08)
    goals = (goal for goal in [mk.Position("tool", ball.center)])
    path = animate(swing(2), tmp_path / "s.gif", size=(80, 80), goals=goals, things=[(ball, "#cc2222")])
    with Image.open(path) as image:
        for frame in range(2):
            image.seek(frame)
            shown = pixels(image.convert("RGB"))
            assert ((shown[..., 0] > 2.0 * shown[..., 1]) & (shown[..., 0] > 0.3)).sum() > 10
