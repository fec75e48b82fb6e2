"""Compiled kinematics over arrays against the plain NumPy path, differences and Pinocchio."""

from __future__ import annotations

import pickle
import threading
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.errors import FigureError, PoseError
from manikin.figure import Figure, Joint, Segment, kinematics, transforms
from manikin.figure.human import human
from manikin.formats import load

from .samples import branching, differences, random_figure

ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "icub": "icub_description/robots/icub.urdf",
}


def values(figure: Figure, *shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, figure.n]).uniform(-1.8, 1.8, (*shape, figure.n))


@pytest.mark.parametrize("seed", range(60))
def test_random_trees_agree_with_the_plain_path(seed):
    figure = random_figure(seed)
    tree = figure.tree
    for q in values(figure, 3, seed=seed):
        pose = figure.pose(q)
        assert np.abs(pose.motion_frames - kinematics.frames(tree, q)).max(initial=0.0) < 1e-12
        for k, site in enumerate(figure.sites):
            expected = kinematics.site_matrix(figure, q, site)
            assert np.abs(pose.matrix(site) - expected).max() < 1e-12
            assert np.abs(figure.forward(q)[k] - expected).max() < 1e-12
            assert np.abs(figure.forward(q, site) - expected).max() < 1e-12
            by_dof = kinematics.site_jacobian(figure, q, site)
            assert np.abs(figure.jacobian(q, site) - by_dof).max(initial=0.0) < 1e-12
        assert np.abs(pose.center_of_mass() - kinematics.center_of_mass(tree, q)).max() < 1e-12
        by_dof = kinematics.center_of_mass_jacobian(tree, q)
        assert np.abs(figure.center_of_mass_jacobian(q) - by_dof).max(initial=0.0) < 1e-12


def test_the_random_trees_have_every_kind_of_motion_and_followers():
    kinds = {int(kind) for seed in range(60) for kind in random_figure(seed).tree.kind}
    assert kinds == {0, 1, 2, 3, 4}
    assert sum(bool(random_figure(seed).followers) for seed in range(60)) > 20


@pytest.mark.parametrize("length", [0.0, 1e-12, 1e-4, 0.0999, 0.1001, np.pi, 3 * np.pi, 1e3])
def test_rotation_vectors_of_any_length_agree_with_the_plain_path(length):
    figure = branching("free")
    q = values(figure)
    q[3:6] = length * np.array([0.6, 0.0, 0.8])
    assert np.abs(figure.pose(q).matrix("tip") - kinematics.site_matrix(figure, q, "tip")).max() < 1e-11
    assert np.abs(figure.jacobian(q, "tip") - kinematics.site_jacobian(figure, q, "tip")).max() < 1e-11


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (0,), (2, 0, 3), (2, 1, 2)])
def test_batch_axes_come_first_and_hold_the_single_results(shape):
    figure = branching()
    q = values(figure, *shape)
    frames, jacobians = figure.forward(q, ["tip", "leg"]), figure.jacobian(q, "tip")
    centers, motions = figure.center_of_mass(q), figure.center_of_mass_jacobian(q)
    assert frames.shape == (*shape, 2, 4, 4) and jacobians.shape == (*shape, 6, figure.n)
    assert centers.shape == (*shape, 3) and motions.shape == (*shape, 3, figure.n)
    assert figure.forward(q).shape == (*shape, len(figure.sites), 4, 4)
    assert figure.forward(q, "tip").shape == (*shape, 1, 4, 4)
    assert figure.forward(q, []).shape == (*shape, 0, 4, 4)
    for at in np.ndindex(shape):
        assert (frames[at] == figure.forward(q[at], ["tip", "leg"])).all()
        assert (jacobians[at] == figure.jacobian(q[at], "tip")).all()
        assert (jacobians[at] == figure.pose(q[at]).jacobian("tip")).all()
        assert (centers[at] == figure.pose(q[at]).center_of_mass()).all()
        assert (motions[at] == figure.pose(q[at]).center_of_mass_jacobian()).all()


def test_lists_integers_and_strided_arrays_are_values_too():
    figure = Figure("f", "abc", [Joint("i", "a", "b", "R(z)"), Joint("j", "b", "c", "T(x)", [1, 0, 0])])
    wide = np.arange(12.0).reshape(2, 6)
    before = wide.copy()
    assert (figure.forward(wide[:, ::3], "c") == figure.forward([[0, 3], [6, 9]], "c")).all()
    assert (figure.forward(wide.astype(np.float32)[:, :2], "c") == figure.forward(wide[:, :2], "c")).all()
    assert (wide == before).all() and wide.flags.writeable


def test_results_may_be_written_to_without_touching_the_pose():
    figure = branching()
    pose = figure.pose()
    first = pose.matrix("tip")
    pose.matrix("tip")[:] = 7.0
    figure.forward(pose.q, "tip")[:] = 7.0
    assert (pose.matrix("tip") == first).all()


@pytest.mark.parametrize("base", ["fixed", "free", "planar"])
def test_jacobians_agree_with_differences(base):
    figure = branching(base)
    q = values(figure)
    expected = differences(lambda at: figure.center_of_mass(at), q)
    assert np.abs(figure.center_of_mass_jacobian(q) - expected).max() < 1e-9
    here = figure.forward(q, "tip")[0]

    def moved(at):
        there = figure.forward(at, "tip")[0]
        return np.concatenate([there[:3, 3], transforms.log(there[:3, :3] @ here[:3, :3].T)])

    assert np.abs(figure.jacobian(q, "tip") - differences(moved, q)).max() < 1e-9


def test_the_whole_human_agrees_with_the_plain_path():
    figure = human()
    q = np.random.default_rng(2).uniform(-0.5, 0.5, figure.n)
    frames = figure.forward(q)
    for k, site in enumerate(figure.sites):
        assert np.abs(frames[k] - kinematics.site_matrix(figure, q, site)).max() < 1e-12
    for site in ("right_hand", "eyes", "left_toe"):
        assert np.abs(figure.jacobian(q, site) - kinematics.site_jacobian(figure, q, site)).max() < 1e-12
    assert np.abs(figure.center_of_mass(q) - kinematics.center_of_mass(figure.tree, q)).max() < 1e-12


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_agree_with_pinocchio(name):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    try:
        files = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    path = Path(str(files.locate_file("cmeel.prefix/share/example-robot-data/robots"))) / ROBOTS[name]
    figure = load(path)
    model = pin.buildModelFromUrdf(str(path), mimic=False)
    data = model.createData()
    drives, offset = np.zeros((model.nv, figure.n)), np.zeros(model.nv)
    for index in range(1, model.njoints):
        joint = model.names[index]
        follow = figure.followers.get(joint)
        offset[model.joints[index].idx_v] = follow.offset if follow else 0.0
        for key, c in (follow.coefficients if follow else {joint: 1.0}).items():
            drives[model.joints[index].idx_v, figure.index(key)] = c
    batch = values(figure, 5)
    segments = list(figure.segments)
    frames = figure.forward(batch, segments)
    for k, q in enumerate(batch):
        theirs = pin.integrate(model, pin.neutral(model), drives @ q + offset)
        pin.computeJointJacobians(model, data, theirs)
        pin.updateFramePlacements(model, data)
        for segment, frame in zip(segments, frames[k], strict=True):
            index = model.getFrameId(segment, pin.FrameType.BODY)
            assert np.abs(frame - data.oMf[index].homogeneous).max() < 1e-12
        for segment in segments[:: max(1, len(segments) // 6)]:
            index = model.getFrameId(segment, pin.FrameType.BODY)
            expected = pin.getFrameJacobian(model, data, index, pin.LOCAL_WORLD_ALIGNED) @ drives
            assert np.abs(figure.jacobian(q, segment) - expected).max() < 1e-12


def test_a_site_of_a_segments_name_takes_its_place():
    figure = Figure("f", "ab", [Joint("j", "a", "b", "R(z)")]).with_site("b", "b", [1.0, 0.0, 0.0])
    pose = figure.pose([np.pi / 2])
    assert np.allclose(pose.position("b"), [0.0, 1.0, 0.0], atol=1e-15)
    assert np.allclose(pose.matrices()["b"][:3, 3], 0.0)
    assert (figure.forward(pose.q, ["b"])[0] == pose.matrix("b")).all()


def test_a_figure_without_degrees_of_freedom_has_frames():
    figure = Figure("f", [Segment("a", 2.0, (1, 0, 0))], [], location=[0.0, 0.0, 3.0])
    assert figure.forward([], "a")[0, 2, 3] == 3.0 and figure.jacobian(np.zeros((4, 0)), "a").shape == (
        4,
        6,
        0,
    )
    assert figure.center_of_mass([]).tolist() == [1.0, 0.0, 3.0]


def test_values_that_do_not_fit_are_refused():
    figure = branching()
    n = figure.n
    for call in (
        figure.forward,
        lambda q: figure.jacobian(q, "tip"),
        figure.center_of_mass,
        figure.center_of_mass_jacobian,
    ):
        with pytest.raises(PoseError, match=rf"of 'branching': expected shape \(…, {n}\).* got \(3,\)"):
            call(np.zeros(3))
        with pytest.raises(PoseError, match=r"of 'branching': expected shape .* got \(\)"):
            call(1.0)
        with pytest.raises(PoseError, match=r"of 'branching': expected numbers of shape"):
            call("stand")
        bad = np.zeros((2, 3, n))
        bad[1, 0, 2] = np.nan
        with pytest.raises(PoseError, match=r"'root_z' at \(1, 0\) must be finite, got nan"):
            call(bad)
        with pytest.raises(PoseError, match=r"'root_z' must be finite, got inf"):
            call([0.0, 0.0, np.inf, *[0.0] * (n - 3)])
        with pytest.raises(PoseError, match=r"'root_z' must be within ±1e\+15, got 1e\+20"):
            call([0.0, 0.0, 1e20, *[0.0] * (n - 3)])


def test_unknown_sites_and_figures_without_mass_are_refused():
    figure = branching()
    for call in (
        lambda: figure.forward(figure.rest, "tipp"),
        lambda: figure.forward(figure.rest, ["tip", "tipp"]),
        lambda: figure.jacobian(figure.rest, "tipp"),
        lambda: figure.pose().matrix("tipp"),
    ):
        with pytest.raises(FigureError, match="unknown site 'tipp'; did you mean 'tip'"):
            call()
    light = Figure("f", ["a"], [])
    for call in (light.center_of_mass, light.center_of_mass_jacobian):
        with pytest.raises(PoseError, match="figure 'f': it has no mass"):
            call([])


def test_a_pickled_figure_computes_the_same():
    figure = branching()
    figure.forward(figure.rest)
    back = pickle.loads(pickle.dumps(figure))
    assert (back.forward(figure.rest) == figure.forward(figure.rest)).all()


def test_threads_do_not_disturb_each_other():
    figure = human()
    batch = values(figure, 4, 200)
    alone = [figure.forward(q, "right_hand") for q in batch]
    found: list[list[np.ndarray]] = [[] for _ in batch]

    def work(k):
        found[k] = [np.array([figure.pose(q).matrix("right_hand") for q in batch[k]]) for _ in range(3)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(batch))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, results in enumerate(found):
        assert len(results) == 3 and all(np.abs(r - alone[k][:, 0]).max() < 1e-14 for r in results)


@pytest.mark.parametrize("frame", ["world", "right_hand", "pelvis"])
def test_jacobians_along_a_frames_axes_are_differences_seen_from_it(frame):
    body = mk.human()
    q = np.clip(np.random.default_rng(4).normal(0.0, 0.3, body.n), body.lower, body.upper)
    pose = body.pose(q)
    turn = np.eye(3) if frame == "world" else pose.matrix(frame)[:3, :3]
    found, center = pose.jacobian("left_hand", frame=frame), pose.center_of_mass_jacobian(frame)
    h = 1e-6
    for k in range(0, body.n, 7):
        step = np.eye(body.n)[k] * h
        ahead, behind = body.pose(q + step), body.pose(q - step)
        place = (ahead.position("left_hand") - behind.position("left_hand")) / (2.0 * h)
        mass = (ahead.center_of_mass() - behind.center_of_mass()) / (2.0 * h)
        turned = (ahead.matrix("left_hand") - behind.matrix("left_hand"))[:3, :3] / (2.0 * h)
        spin = turned @ pose.matrix("left_hand")[:3, :3].T
        omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        assert np.abs(found[:3, k] - turn.T @ place).max() < 1e-8
        assert np.abs(found[3:, k] - turn.T @ omega).max() < 1e-8
        assert np.abs(center[:, k] - turn.T @ mass).max() < 1e-8
    many = body.jacobian(np.stack([q, q]), "left_hand", frame)
    assert many.shape == (2, 6, body.n) and np.abs(many[1] - found).max() < 1e-14


def test_a_frame_that_is_not_there_is_named():
    with pytest.raises(mk.ManikinError, match="unknown site 'hnad'"):
        mk.human().pose().jacobian("left_hand", frame="hnad")
