"""Motions made from motions."""

import pickle

import numpy as np
import pytest
from tests.motion.samples import HUMAN, ball_arm, excess, planar_arm, random_keys

import manikin as mk


def walk(figure=HUMAN, seed=2, count=6):
    keys = random_keys(figure, np.random.default_rng(seed), count)
    return mk.Motion(figure, np.linspace(0.0, 2.0, count), keys, name="walk")


def test_retiming_keeps_the_poses_and_scales_the_velocities():
    motion = walk()
    slow = motion.retime(factor=2.0)
    assert np.allclose(slow.values(2.0), motion.values(1.0)) and slow.duration == 4.0
    assert np.allclose(slow.velocity(2.0), 0.5 * motion.velocity(1.0), atol=1e-9)
    assert motion.retime(duration=1.0).duration == pytest.approx(1.0)
    with pytest.raises(mk.PoseError, match="one of"):
        motion.retime()


def test_trimming_and_resampling_stay_on_the_curve():
    motion = walk()
    part = motion.trim(0.3, 1.1)
    assert part.times[0] == 0.3 and part.times[-1] == 1.1
    assert np.allclose(part.q, motion.values(part.times))
    fine = motion.resample(50.0)
    assert len(fine) == 101 and np.allclose(fine.q, motion.values(fine.times))
    with pytest.raises(mk.PoseError, match="nothing is left"):
        motion.trim(1.0, 0.5)


def test_joining_blends_from_one_into_the_other_inside_the_limits():
    one, two = walk(seed=2), walk(seed=3)
    both = one.join(two, blend=0.5)
    assert both.duration == pytest.approx(3.5)
    assert np.allclose(both.values(1.0), one.values(1.0), atol=0.2)
    assert np.allclose(both.q[0], one.q[0]) and np.allclose(both.q[-1], two.q[-1])
    assert excess(HUMAN, both.values(np.linspace(0.0, 3.5, 701))) < 1e-12


def test_an_aligned_join_goes_on_where_the_first_ends():
    turned = {"root_x": 1.0, "root_y": 2.0, "root_rz": 1.2}
    one = mk.Motion.of([HUMAN.pose(), HUMAN.pose(turned)], [0.0, 1.0])
    two = mk.Motion.of([HUMAN.pose(), HUMAN.pose({"root_x": 0.5})], [0.0, 1.0])
    both = one.join(two, align=True)
    way = both[-1].position("pelvis") - both[1].position("pelvis")
    assert np.allclose(way, [0.5 * np.cos(1.2), 0.5 * np.sin(1.2), 0.0], atol=1e-9)


def test_a_loop_comes_round_and_keeps_its_travel():
    t = np.linspace(0.0, 2.0, 21)
    values = np.tile(HUMAN.rest, (21, 1))
    values[:, HUMAN.index("root_x")] = 1.3 * t
    values[:, HUMAN.index("left_knee")] = 0.5 + 0.4 * np.sin(2 * np.pi * t / 1.5)
    motion = mk.Motion(HUMAN, t, values)
    loop = motion.loop(blend=0.5)
    assert loop.ends == "periodic" and loop.duration == pytest.approx(1.5)
    x = HUMAN.index("root_x")
    assert loop.values(1.6)[x] - loop.values(0.1)[x] == pytest.approx(1.3 * 1.5, abs=1e-9)
    for order in (1, 2):
        assert np.allclose(loop.values(1e-12, order), loop.values(1.5 - 1e-12, order), atol=1e-6)


def test_the_mirror_image_of_a_motion_is_that_of_its_poses():
    motion = walk()
    mirrored = motion.mirror()
    for k in range(len(motion)):
        assert np.allclose(mirrored[k].q, motion[k].mirrored().q)
    assert np.allclose(mirrored.mirror().q, motion.q)


def test_measured_keys_are_brought_inside():
    rng = np.random.default_rng(5)
    motion = mk.Motion(HUMAN, np.arange(8.0), rng.normal(0.0, 1.0, (8, HUMAN.n)))
    assert excess(HUMAN, motion.q) > 0.1
    assert excess(HUMAN, motion.inside().q) < 1e-12
    already = walk()
    assert np.allclose(already.inside().q, already.q, atol=1e-12)


def test_a_motion_survives_pickle_npz_and_pandas(tmp_path):
    motion = walk(ball_arm(), count=4).changed(spline="quintic", ends="clamped")
    again = pickle.loads(pickle.dumps(motion))
    assert np.array_equal(again.q, motion.q) and again.spline == "quintic" and again.name == "walk"
    path = motion.save(tmp_path / "walk.npz")
    read = mk.Motion.load(motion.figure, path)
    assert np.array_equal(read.q, motion.q) and read.ends == "clamped"
    pytest.importorskip("pandas")
    frame = motion.to_frame()
    assert list(frame.columns) == list(motion.figure.dofs) and frame.index.name == "time"
    back = mk.Motion.from_frame(motion.figure, frame[frame.columns[::-1]])
    assert np.array_equal(back.q, motion.q) and np.array_equal(back.times, motion.times)


def test_a_frames_durations_and_dates_are_seconds():
    pandas = pytest.importorskip("pandas")
    motion = walk(ball_arm(), count=4)
    frame, seconds = motion.to_frame(), motion.times - motion.times[0]
    since = frame.set_index(pandas.to_timedelta(motion.times, unit="s"))
    assert mk.Motion.from_frame(motion.figure, since).times == pytest.approx(motion.times, abs=1e-9)
    for unit in ("ms", "ns"):
        dates = (pandas.Timestamp("2024-03-01") + pandas.to_timedelta(seconds, unit="s")).as_unit(unit)
        found = mk.Motion.from_frame(motion.figure, frame.set_index(dates)).times
        assert found == pytest.approx(seconds, abs=1e-3 if unit == "ms" else 1e-9)
    column = frame.reset_index()
    assert np.array_equal(mk.Motion.from_frame(motion.figure, column).times, motion.times)


def test_a_frame_that_holds_no_numbers_is_refused_by_its_column():
    pandas = pytest.importorskip("pandas")
    motion = walk(ball_arm(), count=4)
    frame, first = motion.to_frame(), motion.figure.dofs[0]
    with pytest.raises(mk.ManikinError, match=f"column '{first}'.*numbers"):
        mk.Motion.from_frame(motion.figure, frame.assign(**{first: "x"}))
    with pytest.raises(mk.ManikinError, match="numbers"):
        mk.Motion.from_frame(motion.figure, frame.assign(**{first: pandas.Timestamp("2024-03-01")}))
    with pytest.raises(mk.ManikinError, match=r"the time.*numbers"):
        mk.Motion.from_frame(motion.figure, frame.set_index(pandas.Index(list("abcd"))))
    with pytest.raises(mk.ManikinError, match=f"two columns '{first}'"):
        mk.Motion.from_frame(motion.figure, pandas.concat([frame, frame[[first]]], axis=1))
    with pytest.raises(mk.ManikinError, match="finite"):
        mk.Motion.from_frame(motion.figure, frame.set_index(pandas.to_timedelta([0, 1, None, 3], unit="s")))
    with pytest.raises(mk.ManikinError, match="a pandas data frame"):
        mk.Motion.from_frame(motion.figure, motion.q)


def test_a_file_that_is_no_motion_is_refused(tmp_path):
    path = tmp_path / "broken.npz"
    path.write_bytes(b"PK nonsense")
    with pytest.raises(mk.FormatError, match=r"broken\.npz"):
        mk.Motion.load(HUMAN, path)
    np.savez(tmp_path / "other.npz", times=[0.0])
    with pytest.raises(mk.FormatError, match="not a motion"):
        mk.Motion.load(HUMAN, tmp_path / "other.npz")
    walk(planar_arm(), count=3).save(tmp_path / "arm.npz")
    with pytest.raises(mk.FormatError, match="no degree of freedom 'j0'"):
        mk.Motion.load(HUMAN, tmp_path / "arm.npz")


def test_a_plot_shows_curves_and_ranges(tmp_path):
    pytest.importorskip("matplotlib")
    motion = walk(planar_arm(velocity=2.0))
    canvas = motion.plot(tmp_path / "walk.png", dofs=["j0", "j1"])
    panels = [panel for panel in canvas.axes if panel.get_visible()]
    assert [panel.get_title(loc="left") for panel in panels] == ["j0 (°)", "j1 (°)"]
    line = panels[0].lines[0].get_ydata()
    expected = np.degrees(motion.values(np.linspace(0.0, 2.0, 600))[:, 0])
    assert np.allclose(line, expected) and (tmp_path / "walk.png").stat().st_size > 5000
    motion.plot(derivative=1)
    with pytest.raises(mk.PoseError, match="png"):
        motion.plot(tmp_path / "walk.bmp")


def test_a_motion_takes_poses_as_well_as_values():
    poses = [HUMAN.pose(), HUMAN.pose({"right_elbow": 1.0})]
    motion = mk.Motion(HUMAN, [0.0, 1.0], poses)
    assert np.array_equal(motion.q, [pose.q for pose in poses])
    with pytest.raises(mk.PoseError, match="poses must be of the figure"):
        mk.Motion(mk.human(stature=1.6), [0.0, 1.0], poses)
    with pytest.raises(mk.PoseError, match="must be numbers"):
        mk.Motion(HUMAN, [0.0, 1.0], [poses[0], None])
