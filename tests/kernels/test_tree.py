"""Compiled frames and Jacobians against the NumPy path, and against Pinocchio."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.figure import kinematics

from .support import figures, packed, points, rows, site_matrix, value_and_gradient, with_vector

ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "icub": "icub_description/robots/icub.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
}


def frame_goals(sites):
    """Goals whose rows are the sites' positions and axes (times √½)."""
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


def jacobian(figure, q):
    """(6, n) of the tip, from the rows of its two goals: ω = ½ Σ vₖ × ∂vₖ."""
    residual, by_dof = rows(packed(figure, *frame_goals(["tip"])), q)
    axes = np.sqrt(2.0) * residual[3:].reshape(3, 3) + np.eye(3)
    by_axes = np.sqrt(2.0) * by_dof[3:].reshape(3, 3, -1)
    turn = 0.5 * np.cross(axes[:, None, :], by_axes.transpose(0, 2, 1)).sum(axis=0).T
    return np.vstack([by_dof[:3], turn])


@pytest.mark.parametrize("motion", figures())
def test_jacobians_equal_the_numpy_path(motion):
    figure = figures()[motion]
    for q in points(figure, 5, seed=4):
        assert np.abs(jacobian(figure, q) - kinematics.site_jacobian(figure, q, "tip")).max() < 1e-13


@pytest.mark.parametrize("length", [0.0, 1e-9, 1e-3, 0.06, 0.0999, 0.1001, np.pi, 1.4 * np.pi])
def test_jacobians_equal_the_numpy_path_for_rotation_vectors_of_any_length(length):
    figure = figures()["free"]
    for seed in range(5):
        q = with_vector(points(figure, 1, seed)[0], length, seed=seed)
        assert np.abs(jacobian(figure, q) - kinematics.site_jacobian(figure, q, "tip")).max() < 2e-13


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
        residual, by_dof = rows(problem, q)
        for place, frame in enumerate(frames):
            placement = data.oMf[frame].homogeneous
            assert np.abs(site_matrix(problem, segments[place]) - placement).max() < 1e-12
            expected = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED) @ slopes
            position, axes = by_dof[12 * place : 12 * place + 3], by_dof[12 * place + 3 : 12 * place + 12]
            assert np.abs(position - expected[:3]).max() < 1e-12
            turned = (
                np.cross(expected[3:].T[:, None, :], placement[:3, :3].T).transpose(1, 2, 0).reshape(9, -1)
            )
            assert np.abs(np.sqrt(2.0) * axes - turned).max() < 1e-12
        assert np.abs(residual[0::12] - [data.oMf[f].translation[0] for f in frames]).max() < 1e-12
