from __future__ import annotations

from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from manikin.figure import Figure, Joint, Segment, transforms
from manikin.figure.human import human
from manikin.formats import load

from .samples import branching, placed

ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
}


def heavy(figure: Figure) -> Figure:
    """The figure with an inertia, none of them along the axes, on every segment that has mass."""
    rng = np.random.default_rng(4)
    segments = []
    for segment in figure.segments.values():
        root = 0.1 * rng.normal(size=(3, 3))
        inertia = root @ root.T if segment.mass > 0.0 else None
        segments.append(Segment(segment.name, segment.mass, segment.center_of_mass, inertia))
    return figure.replace(segments=segments)


def kinetic_energy(figure: Figure, q: np.ndarray, speed: np.ndarray, step: float = 1e-5) -> float:
    """½ Σ m v² + ω·I ω, velocities by central differences of the segments' frames."""
    before, here, after = (figure.pose(q + h * speed).matrices() for h in (-step, 0.0, step))
    total = 0.0
    for name, segment in figure.segments.items():
        center = np.append(segment.center_of_mass, 1.0)
        v = ((after[name] - before[name]) @ center)[:3] / (2.0 * step)
        turn = after[name][:3, :3] @ before[name][:3, :3].T
        omega = here[name][:3, :3].T @ transforms.log(turn) / (2.0 * step)
        total += 0.5 * segment.mass * v @ v
        if segment.inertia is not None:
            total += 0.5 * omega @ segment.inertia @ omega
    return float(total)


@pytest.mark.parametrize("base", ["fixed", "free", "planar"])
@pytest.mark.parametrize("root", ["trunk", "hand"])
def test_half_the_square_of_the_speed_in_the_mass_matrix_is_the_kinetic_energy(base, root):
    figure = heavy(branching(base)).rerooted(root)
    rng = np.random.default_rng(6)
    for _ in range(5):
        q, speed = rng.uniform(-1.5, 1.5, figure.n), rng.normal(size=figure.n)
        expected = kinetic_energy(figure, q, speed)
        assert 0.5 * speed @ figure.pose(q).mass_matrix() @ speed == pytest.approx(expected, rel=1e-7)


def test_it_is_the_sum_of_the_segments_by_their_jacobians_on_the_human():
    body = human(fingers=False)
    pose = body.pose(np.random.default_rng(2).uniform(-0.4, 0.4, body.n))
    expected = np.zeros((body.n, body.n))
    for name, segment in body.segments.items():
        if segment.mass == 0.0:
            continue
        marked = body.with_site("middle", name, segment.center_of_mass)
        jacobian = marked.pose(pose.q).jacobian("middle")
        turn = pose.matrices()[name][:3, :3]  # a site may bear the segment's name
        inertia = np.zeros((3, 3)) if segment.inertia is None else turn @ segment.inertia @ turn.T
        expected += segment.mass * jacobian[:3].T @ jacobian[:3] + jacobian[3:].T @ inertia @ jacobian[3:]
    assert np.abs(pose.mass_matrix() - expected).max() < 1e-11
    assert np.allclose(pose.mass_matrix()[:3, :3], body.mass * np.eye(3), atol=1e-10)


def test_it_is_symmetric_and_what_has_no_mass_costs_nothing():
    figure = heavy(branching())
    matrix = figure.pose().mass_matrix()
    assert (matrix == matrix.T).all()
    assert np.linalg.eigvalsh(matrix).min() > -1e-12
    bare = Figure("f", "ab", [Joint("j", "a", "b", "R(z)")])
    assert bare.pose().mass_matrix().tolist() == [[0.0]]
    alone = Figure("f", [Segment("a", 3.0)], [])
    assert alone.pose().mass_matrix().shape == (0, 0)


def test_far_from_the_origin_no_digits_are_lost():
    near = heavy(branching())
    far = near.replace(location=placed(3e4, -2e4, 1e4))
    at = near.replace(location=placed(0.0, 0.0, 0.0))
    q = np.random.default_rng(3).uniform(-1.0, 1.0, near.n)
    assert np.abs(far.pose(q).mass_matrix() - at.pose(q).mass_matrix()).max() < 1e-8


@pytest.mark.parametrize("name", ROBOTS)
def test_it_agrees_with_pinocchio(name):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    try:
        data_files = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    robots = Path(str(data_files.locate_file("cmeel.prefix/share/example-robot-data/robots")))
    figure = load(robots / ROBOTS[name])
    model = pin.buildModelFromUrdf(str(robots / ROBOTS[name]), mimic=False)
    data = model.createData()
    pose = figure.pose(np.random.default_rng(9).uniform(-1.5, 1.5, figure.n))
    q, drives = pin.neutral(model), np.zeros((model.nv, figure.n))
    for index in range(1, model.njoints):
        joint, follow = model.joints[index], figure.followers.get(model.names[index])
        coefficients = follow.coefficients if follow else {model.names[index]: 1.0}
        value = (follow.offset if follow else 0.0) + sum(
            c * pose.values()[k] for k, c in coefficients.items()
        )
        q[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
        for key, c in coefficients.items():
            drives[joint.idx_v, figure.index(key)] = c
    upper = np.triu(pin.crba(model, data, q))
    expected = drives.T @ (upper + np.triu(upper, 1).T) @ drives
    assert np.abs(pose.mass_matrix() - expected).max() < 1e-10 * np.abs(expected).max()
