"""Curves, and axes that follow them: against OpenSim's numbers, plain NumPy and finite differences."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.errors import FigureError
from manikin.figure import Curve, Follow, Joint, Segment, Site, kinematics

CASES = json.loads((Path(__file__).parent / "opensim_curves.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['kind']}-{len(c['x'])}-{c.get('half', '')}")
def test_splines_have_the_values_that_opensim_computes(case):
    more = [case["half"]] if "half" in case else []
    curve = getattr(Curve, case["kind"])(case["x"], case["y"], *more)
    assert curve(case["t"]) == pytest.approx(case["v"], rel=1e-7, abs=1e-8)


def wavy():
    return Curve.simm_spline([-1.0, -0.2, 0.5, 1.5, 2.0], [0.0, 0.3, -0.1, 0.4, 0.2])


def test_derivatives_are_those_of_differences():
    curve, x, h = wavy(), np.linspace(-2.03, 3.01, 97), 1e-6
    for order in (0, 1):
        slope = (curve(x + h, order) - curve(x - h, order)) / (2 * h)
        assert curve(x, order + 1) == pytest.approx(slope, abs=1e-4)


def test_a_curve_after_another_is_the_composition():
    inner = Curve.natural_spline([-2.0, 0.0, 1.0, 2.0, 3.0], [0.1, 1.4, -0.8, 1.0, 0.3])
    x = np.linspace(-4.0, 5.0, 1001)
    assert wavy().after(inner)(x) == pytest.approx(wavy()(inner(x)), abs=1e-12)
    assert wavy().of_linear(-2.0, 0.3)(x) == pytest.approx(wavy()(0.3 - 2.0 * x), abs=1e-12)


def test_a_straight_curve_says_so():
    assert Curve.polynomial([0.5, 2.0]).linear == (2.0, 0.5)
    assert Curve.simm_spline([0.0, 2.0], [1.0, 5.0]).linear == (2.0, 1.0)
    assert wavy().linear is None


@pytest.mark.parametrize("x, y", [([0.0], [1.0]), ([0.0, 0.0], [1.0, 2.0]), ([1.0, 0.0], [1.0, 2.0])])
def test_points_that_make_no_curve_are_refused(x, y):
    with pytest.raises(FigureError, match="curve"):
        Curve.simm_spline(x, y)


def sliding_knee(**changes):
    """A knee that slides and twists as it bends, on a thigh that turns; a patella follows a follower."""
    follow = [
        None,
        Follow({"bend": 1.0}, 0.0, wavy().scaled(0.05)),
        Follow({"bend": 1.0}, 0.2, wavy().scaled(0.3)),
    ]
    joints = [
        Joint("hip", "pelvis", "thigh", "R(y)*R(x)", [0, 0, -0.1], lower=-2, upper=2),
        Joint(
            "knee",
            "thigh",
            "shank",
            "R(y)*T(x)*R(z)",
            [0, 0, -0.4],
            dofs=["bend", "slide", "twist"],
            follow=follow,
            lower=[-1, None, None],
            upper=[2, None, None],
        ),
        Joint(
            "patella", "thigh", "patella", "R(y)", [0.05, 0, -0.4], follow=Follow({"twist": 2.0}, 0.1, wavy())
        ),
    ]
    segments = ["pelvis", Segment("thigh", 5.0), Segment("shank", 3.0, [0, 0, -0.2]), "patella"]
    sites = [Site("ankle", "shank", [0.02, 0.01, -0.4]), Site("tip", "patella", [0.03, 0, 0])]
    return mk.Figure("leg", segments, joints, sites, **changes)


def poses(figure, count=20):
    return np.random.default_rng(0).uniform(figure.lower, figure.upper, (count, figure.n))


def test_compiled_frames_are_those_of_plain_numpy():
    figure = sliding_knee()
    for q in poses(figure):
        for site in ("ankle", "tip"):
            assert figure.forward(q, site)[0] == pytest.approx(
                kinematics.site_matrix(figure, q, site), abs=1e-13
            )


def test_jacobians_and_those_of_the_centre_of_mass_are_differences():
    figure, h = sliding_knee(), 1e-6
    for q in poses(figure, 5):
        steps = q + h * np.eye(figure.n), q - h * np.eye(figure.n)
        for site in ("ankle", "tip"):
            ends = [figure.forward(step, site)[:, 0, :3, 3] for step in steps]
            assert pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-8) == figure.jacobian(q, site)[:3].T
        ends = [figure.center_of_mass(step) for step in steps]
        assert pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-8) == figure.center_of_mass_jacobian(q).T


def test_a_follower_of_a_follower_by_curves_is_their_composition():
    figure = sliding_knee()
    follow = figure.followers["patella"]
    values = {"bend": 0.7}
    inner = figure.followers["twist"].value(values)
    assert follow.value(values) == pytest.approx(float(wavy()(0.1 + 2.0 * inner)), abs=1e-12)


def test_a_rerooted_figure_stands_the_same():
    figure = sliding_knee()
    turned = figure.rerooted("shank")
    for q in poses(figure, 5):
        a = figure.forward(q, ["pelvis", "ankle", "tip"])
        b = turned.forward(q, ["pelvis", "ankle", "tip"])
        for k in (1, 2):
            assert np.linalg.inv(b[0]) @ b[k] == pytest.approx(np.linalg.inv(a[0]) @ a[k], abs=1e-12)


def test_a_pickled_figure_keeps_its_curves():
    figure = sliding_knee()
    again = pickle.loads(pickle.dumps(figure))
    q = poses(figure, 1)[0]
    assert (again.forward(q, "ankle") == figure.forward(q, "ankle")).all()
    assert "curve" in again.describe()["followers"]["slide"]


def test_the_tangent_figure_has_the_same_frames_and_jacobians_there():
    figure = sliding_knee()
    for q in poses(figure, 5):
        tangent = figure.tangent(q)
        assert tangent.tree.curves == ()
        assert tangent.forward(q, ["ankle", "tip"]) == pytest.approx(
            figure.forward(q, ["ankle", "tip"]), abs=1e-12
        )
        assert tangent.jacobian(q, "tip") == pytest.approx(figure.jacobian(q, "tip"), abs=1e-12)


@pytest.mark.parametrize("ends", [(-0.7, 1.2), (0.1, 0.3), (-np.inf, 0.0), (1.0, np.inf), (-np.inf, np.inf)])
@pytest.mark.parametrize("which", ["wavy", "line", "parabola", "constant"])
def test_the_extremes_of_a_curve_are_those_of_many_points(which, ends):
    curve = {
        "wavy": wavy(),
        "line": Curve.polynomial([0.5, -2.0]),
        "parabola": Curve.polynomial([0.0, 1.0, -1.0]),
        "constant": Curve.polynomial([0.3]),
    }[which]
    least, greatest = curve.extremes(*ends)
    values = curve(np.linspace(*np.clip(ends, -1e3, 1e3), 200001))
    assert least <= values.min() + 1e-12 and values.max() - 1e-12 <= greatest
    for end, found in ((least, values.min()), (greatest, values.max())):
        assert end == pytest.approx(found, abs=1e-4) if np.isfinite(end) else abs(found) > 100.0


def test_limits_and_couplings_of_what_follows_a_curve_are_refused():
    follow = Follow({"a": 1.0}, 0.0, wavy())
    joints = [Joint("a", "x", "y", "R(z)"), Joint("b", "y", "z", "R(z)", follow=follow, lower=0.0)]
    with pytest.raises(FigureError, match="curve"):
        mk.Figure("bad", ["x", "y", "z"], joints)
    joints[1] = Joint("b", "y", "z", "R(z)", follow=follow)
    with pytest.raises(FigureError, match="linear"):
        mk.Figure("bad", ["x", "y", "z"], joints, couplings=[mk.Coupling({"a": 1.0, "b": 1.0}, upper=1.0)])
