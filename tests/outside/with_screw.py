"""Figures with joints of a kind from outside, run by `test_kinds`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.outside.screw import PITCH
from tests.solvers import test_second_derivatives

import manikin as mk
from manikin.errors import FigureError
from manikin.figure import Joint, Segment, Site, kinematics
from manikin.figure.joints import KINDS
from manikin.figure.joints.register import register

LIMIT = 2.5


def jack(cone: float | None = 1.0, **changes) -> mk.Figure:
    """An arm on a screw, with another screw across it and a ball at its end."""
    joints = [
        Joint("lift", "base", "post", "screw(0,1,3)*R(x)", lower=-LIMIT, upper=LIMIT),
        Joint("bore", "post", "arm", "screw(x)", [0.3, 0.1, 0.2], lower=-LIMIT, upper=LIMIT),
        Joint.ball("wrist", "arm", "hand", "x", cone=cone, placement=[0.3, 0.0, 0.0]),
    ]
    segments = ["base", Segment("post", 2.0, [0.1, 0, 0.1]), Segment("arm", 1.0, [0.2, 0, 0]), "hand"]
    return mk.Figure("jack", segments, joints, [Site("tip", "hand", [0.1, 0.02, 0.0])], **changes)


def drawn(figure: mk.Figure, count: int, seed: int = 0) -> np.ndarray:
    q = np.random.default_rng(seed).uniform(-0.9, 0.9, (count, figure.n))
    return np.clip(q, figure.lower, figure.upper)


def test_a_screw_slides_by_its_pitch():
    figure = mk.Figure("bolt", "ab", [Joint("j", "a", "b", "screw(0,0,-1)")])
    frame = figure.forward([0.7], "b")[0]
    assert frame[:3, 3] == pytest.approx([0.0, 0.0, -0.7 * PITCH], abs=1e-15)
    assert frame[:2, 0] == pytest.approx([np.cos(0.7), -np.sin(0.7)], abs=1e-15)


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_frames_are_those_of_plain_numpy_and_jacobians_differences(base):
    figure, h = jack(base=base), 1e-6
    for q in drawn(figure, 5):
        assert figure.forward(q, "tip")[0] == pytest.approx(
            kinematics.site_matrix(figure, q, "tip"), abs=1e-13
        )
        steps = q + h * np.eye(figure.n), q - h * np.eye(figure.n)
        ends = [figure.forward(step, "tip")[:, 0, :3, 3] for step in steps]
        assert pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-8) == figure.jacobian(q, "tip")[:3].T
        assert figure.jacobian(q, "tip") == pytest.approx(
            kinematics.site_jacobian(figure, q, "tip"), abs=1e-13
        )
        ends = [figure.center_of_mass(step) for step in steps]
        assert pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-8) == figure.center_of_mass_jacobian(q).T


def test_hung_from_its_end_it_stands_the_same():
    figure = jack()
    turned = figure.rerooted("hand")
    for q in drawn(figure, 3):
        a, b = (each.forward(q, ["base", "tip"]) for each in (figure, turned))
        assert np.linalg.inv(b[0]) @ b[1] == pytest.approx(np.linalg.inv(a[0]) @ a[1], abs=1e-12)


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_second_derivatives_are_differences(base):
    figure = jack(cone=None, base=base)
    test_second_derivatives.check(figure, [mk.Position("tip", [0.4, 0.1, 0.3], hard=True)])
    test_second_derivatives.check(figure, [mk.CenterOfMass([0.1, 0.0, 0.3], hard=True)])


@pytest.mark.parametrize("hard", [False, True])
def test_goals_are_reached_and_verified(hard):
    figure = jack()
    for q in drawn(figure, 8, seed=1):
        target = figure.pose(q).matrix("tip")
        found = mk.solve(figure, [mk.Placement("tip", target[:3, 3], target[:3, :3], hard=hard)])
        there = kinematics.site_matrix(figure, found.q, "tip")
        assert found.reached, found
        assert np.linalg.norm(there[:3, 3] - target[:3, 3]) < (1e-8 if hard else 1e-4)
        assert np.abs(there[:3, :3] - target[:3, :3]).max() < (1e-7 if hard else 1e-2)


def test_what_is_missed_is_as_near_as_scipy_comes_and_explained():
    figure, away = jack(), np.array([2.0, 0.4, 0.9])

    def cost(q: np.ndarray) -> float:
        return float(np.sum((kinematics.site_matrix(figure, q, "tip")[:3, 3] - away) ** 2))

    def leans(q: np.ndarray) -> float:
        return 1.0 - q[-3] ** 2 - q[-2] ** 2

    found = mk.solve(figure, [mk.Position("tip", away)])
    best = min(
        minimize(
            cost,
            q,
            method="SLSQP",
            bounds=list(zip(figure.lower, figure.upper, strict=True)),
            constraints=[{"type": "ineq", "fun": leans}],
            tol=1e-12,
        ).fun
        for q in drawn(figure, 8, seed=2)
    )
    assert not found.reached
    assert cost(found.q) <= best + 1e-7
    assert "tip" in found.explain()


def test_batches_sessions_and_speed_limits_know_it():
    figure = jack()
    problem = mk.Problem(figure, [mk.Position("tip", [0.0, 0.0, 0.0])])
    targets = figure.forward(drawn(figure, 9, seed=3), "tip")[:, 0, :3, 3]
    assert mk.solve_many(figure, problem.goals, [targets]).reached.all()
    session = problem.session()
    assert all(session.solve(targets=[target]).reached for target in targets)


def test_a_kind_is_added_once():
    from manikin.kernels.tree.joints import MOTIONS
    from manikin.kernels.verify.joints import JOINTS

    with pytest.raises(FigureError, match="already"):
        register(KINDS["screw"], MOTIONS["screw"], JOINTS["screw"])


def test_files_without_such_joints_refuse_it(tmp_path):
    with pytest.raises(FigureError, match="screw"):
        mk.save(jack(), tmp_path / "jack.urdf")
    mk.save(jack(), tmp_path / "jack.npz")
    assert mk.load(tmp_path / "jack.npz").forward(drawn(jack(), 1)[0], "tip") == pytest.approx(
        jack().forward(drawn(jack(), 1)[0], "tip"), abs=1e-15
    )
