"""Compiled frames and Jacobians against the NumPy path, and against Pinocchio."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.figure import kinematics

from .support import figures, packed, points, site_matrix, value_and_gradient, with_vector

ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "icub": "icub_description/robots/icub.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
}


def frame_goals(sites):
    """Goals that look at the sites' positions and axes."""
    one = np.rad2deg(1.0)
    return [
        goal
        for site in sites
        for goal in (mk.Position(site, [0, 0, 0]), mk.Orientation(site, np.eye(3), degrees_per_metre=one))
    ]


def check_frames(figure, q):
    problem = packed(figure, *frame_goals(figure.sites))
    value_and_gradient(problem, q)
    for site in figure.sites:
        expected = kinematics.site_matrix(figure, q, site)
        assert np.abs(site_matrix(problem, site) - expected).max() < 1e-13, site


@pytest.mark.parametrize("motion", figures())
def test_frames_equal_the_numpy_path(motion):
    for q in points(figures()[motion], 20, seed=3):
        check_frames(figures()[motion], q)


@pytest.mark.parametrize(
    "length", [0.0, 1e-12, 1e-5, 0.0999, 0.1001, 1.0, np.pi - 1e-9, np.pi, np.pi + 1e-9, 1.4 * np.pi]
)
def test_frames_equal_the_numpy_path_for_rotation_vectors_of_any_length(length):
    figure = figures()["free"]
    for seed in range(5):
        check_frames(figure, with_vector(points(figure, 1, seed)[0], length, seed=seed))


@pytest.mark.parametrize("motion", ["swing_twist", "twist_swing"])
@pytest.mark.parametrize("swing", [0.0, 1e-12, 0.0999, 0.1001, np.pi, 1.4 * np.pi])
def test_frames_equal_the_numpy_path_for_swings_of_any_size(motion, swing):
    for q in points(figures()[motion], 5):
        q[0:2] = 0.6 * swing, -0.8 * swing
        check_frames(figures()[motion], q)


def test_the_figures_between_them_have_every_kind_of_motion():
    kinds = set().union(*(figure.tree.kind.tolist() for figure in figures().values()))
    assert kinds == {0, 1, 2, 3, 4}
    followers = figures()["followers"].tree
    assert np.bincount(followers.drive_axis).max() >= 2 and followers.axis_offset.any()


@pytest.mark.parametrize("motion", figures())
def test_jacobians_equal_the_numpy_path(motion):
    figure = figures()[motion]
    for q in points(figure, 5, seed=4):
        assert np.abs(figure.jacobian(q, "tip") - kinematics.site_jacobian(figure, q, "tip")).max() < 1e-13


@pytest.mark.parametrize("length", [0.0, 1e-9, 1e-3, 0.06, 0.0999, 0.1001, np.pi, 1.4 * np.pi])
def test_jacobians_equal_the_numpy_path_for_rotation_vectors_of_any_length(length):
    figure = figures()["free"]
    for seed in range(5):
        q = with_vector(points(figure, 1, seed)[0], length, seed=seed)
        assert np.abs(figure.jacobian(q, "tip") - kinematics.site_jacobian(figure, q, "tip")).max() < 2e-13


@pytest.fixture(params=ROBOTS)
def robot(request):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    try:
        data = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    path = Path(str(data.locate_file("cmeel.prefix/share/example-robot-data/robots"))) / ROBOTS[request.param]
    # Without mimic, so that every joint has its value, followers too.
    return mk.load(path), pin.buildModelFromUrdf(str(path), mimic=False), pin


def configuration(figure, model, pin, q):
    """Pinocchio's q, and the slope of its velocities by our coordinates."""
    values = figure.pose(q).values()
    result = pin.neutral(model)
    slopes = np.zeros((model.nv, figure.n))
    for index in range(1, model.njoints):
        name, joint = model.names[index], model.joints[index]
        follow = figure.followers.get(name)
        value = values[name] if follow is None else follow.offset
        for driver, c in ({name: 1.0} if follow is None else follow.coefficients).items():
            slopes[joint.idx_v, figure.index(driver)] = c
            value += 0.0 if follow is None else c * values[driver]
        # A continuous joint's angle is its cosine and sine there.
        result[joint.idx_q : joint.idx_q + joint.nq] = (
            [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
        )
    return result, slopes


def test_frames_and_jacobians_equal_pinocchios(robot):
    figure, model, pin = robot
    data = model.createData()
    segments = list(figure.segments)
    problem = packed(figure, *frame_goals(segments))
    frames = [model.getFrameId(segment, pin.FrameType.BODY) for segment in segments]
    for q in np.random.default_rng(5).uniform(-3.0, 3.0, (20, figure.n)):
        theirs, slopes = configuration(figure, model, pin, q)
        pin.computeJointJacobians(model, data, theirs)
        pin.updateFramePlacements(model, data)
        value_and_gradient(problem, q)
        for segment, frame in zip(segments, frames, strict=True):
            placement = data.oMf[frame].homogeneous
            assert np.abs(site_matrix(problem, segment) - placement).max() < 1e-12
            assert np.abs(figure.forward(q, segment) - placement).max() < 1e-12
            expected = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED) @ slopes
            assert np.abs(figure.jacobian(q, segment) - expected).max() < 1e-12
