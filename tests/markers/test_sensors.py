"""Inertial sensors: orientations alone, with markers, from files."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manikin as mk
from manikin.errors import FormatError, PoseError
from manikin.markers import SUIT, Markers, Sensor, Sensors, Tracker, calibrate
from manikin.markers.places import marker_places, segment_frames

from .samples import arm, human, pose, spots


def clip(figure, frames=200):
    """Every joint swings, but the eyes and toes, which no sensor is on; at 100 frames a second."""
    rng = np.random.default_rng(0)
    times = np.arange(frames) / 100.0
    swing = np.where(np.isfinite(figure.upper - figure.lower), 0.15 * (figure.upper - figure.lower), 0.1)
    q = pose(figure, 0, 0.2) + swing * np.sin(2 * np.pi * (times[:, None] + rng.uniform(0, 1, figure.n)))
    q[:, [name.startswith("eyes") or name.endswith("toes") for name in figure.dofs]] = 0.0
    return times, np.clip(q, figure.lower, figure.upper)


def angle(rotations):
    return Rotation.from_matrix(rotations.reshape(-1, 3, 3)).magnitude().reshape(rotations.shape[:-2])


def worn(figure, q, times, noise, seed=1):
    """A suit on the figure, its sensors turned anyhow, with noise of so many degrees."""
    mounts = Rotation.random(len(SUIT), random_state=seed).as_matrix()
    frames = segment_frames(figure, q, list(SUIT.values()))[..., :3, :3]
    rng = np.random.default_rng(seed)
    shape = (*frames.shape[:2], 3, 3)
    spread = np.radians(noise) / np.sqrt(3)
    noisy = Rotation.from_rotvec(rng.normal(0, spread, (shape[0] * shape[1], 3))).as_matrix().reshape(shape)
    placed = {name: Sensor(segment, mounts[k]) for k, (name, segment) in enumerate(SUIT.items())}
    return Sensors(SUIT, times, noisy @ frames @ mounts), placed


def test_a_suit_of_17_gives_every_joint_within_three_degrees():
    figure, _ = human()
    assert len(SUIT) == 17
    times, q = clip(figure)
    sensors, placed = worn(figure, q, times, 2.0)
    tracked = Tracker(figure, sensors=placed).track(sensors=sensors.filtered(8.0))
    assert tracked.converged.all()
    names = list(figure.segments)
    both = [segment_frames(figure, values, names)[..., :3, :3] for values in (q, tracked.q)]
    for joint in figure.joints.values():
        if joint.parent not in names:
            continue
        a, b = (
            np.swapaxes(frames[:, names.index(joint.parent)], -1, -2) @ frames[:, names.index(joint.child)]
            for frames in both
        )
        assert np.degrees(np.median(angle(np.swapaxes(a, -1, -2) @ b))) < 3.0, joint.name


def test_without_noise_the_angles_come_back_and_the_root_stays():
    figure, _ = human()
    times, q = clip(figure, 20)
    sensors, placed = worn(figure, q, times, 0.0)
    tracked = Tracker(figure, sensors=placed).track(sensors=sensors, start=q[0])
    assert tracked.sensor_errors == pytest.approx(np.zeros_like(tracked.sensor_errors), abs=1e-5)
    assert tracked.q[:, :3] == pytest.approx(np.tile(q[0, :3], (20, 1)), abs=1e-12)


def test_markers_and_sensors_share_one_problem():
    figure = arm()
    markers = spots(figure).only(["trunk_0", "trunk_1", "trunk_2", "hand_0"])
    times, q = clip(figure, 30)
    frames = segment_frames(figure, q, ["fore"])[..., :3, :3]
    tracker = Tracker(figure, markers, sensors={"imu": Sensor("fore", np.eye(3), 0.05)})
    capture = Markers(markers, times, marker_places(figure, q, markers))
    tracked = tracker.track(capture, Sensors(["imu"], times, frames), start=q[0])
    assert np.nanmax(tracked.marker_errors) < 1e-4 and np.nanmax(tracked.sensor_errors) < 1e-3


def test_calibration_by_a_known_pose_finds_how_sensors_sit():
    figure, _ = human()
    times, q = clip(figure, 5)
    sensors, placed = worn(figure, q, times, 0.0)
    found = calibrate(figure, sensors, SUIT, q[2], frame=2)
    for name, sensor in placed.items():
        assert found[name].rotation == pytest.approx(sensor.rotation, abs=1e-12)
    with pytest.raises(PoseError, match="no segment"):
        calibrate(figure, sensors, {"pelvis": "tail"})


def test_opensenses_files_are_read(tmp_path):
    file = tmp_path / "x.sto"
    turns = Rotation.random(3, random_state=0)
    rows = [f"{k / 50}\t" + ",".join(f"{x:.12g}" for x in np.roll(turns[k].as_quat(), 1)) for k in range(3)]
    file.write_text(
        "DataRate=50\nDataType=Quaternion\nendheader\ntime\tpelvis_imu\n" + "\n".join(rows) + "\n"
    )
    sensors = Sensors.load(file)
    assert sensors["pelvis_imu"] == pytest.approx(turns.as_matrix(), abs=1e-9)
    upright = Sensors.load(file, up="y")["pelvis_imu"]
    assert upright[0][2] == pytest.approx(turns.as_matrix()[0][1], abs=1e-9)
    file.write_text("endheader\ntime\ta\n0\t1\n")
    with pytest.raises(FormatError, match="quaternions"):
        Sensors.load(file)


def test_quaternions_go_back_and_forth():
    turns = Rotation.random(12, random_state=0).as_matrix().reshape(6, 2, 3, 3)
    sensors = Sensors(["a", "b"], np.arange(6), turns)
    again = Sensors.from_quaternions(["a", "b"], np.arange(6), sensors.quaternions())
    assert again.rotations == pytest.approx(turns, abs=1e-12)
    with pytest.raises(PoseError, match="no rotation"):
        Sensors(["a"], [0.0], 2.0 * np.eye(3)[None, None])


def test_the_suit_fits_the_human():
    assert set(SUIT.values()) <= set(mk.human().segments)


@pytest.mark.parametrize("size", [0.0, 1e-170, 1e170, 1e300])
def test_quaternions_without_a_direction_are_refused(size):
    """Those beyond all size were read as no rotation at all."""
    with pytest.raises(PoseError, match="no rotation"):
        Sensors.from_quaternions(["a"], [0.0], size * np.array([[[0.5, 0.5, 0.5, 0.5]]]))
