"""Arguments that look alike in two places mean the same in both; what would mean something else is an error."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.markers import Markers, Tracker, marker_set
from manikin.reach import study

BALL = mk.Ball([0.3, 0.0, 0.4], 0.1)


def test_what_follows_the_region_goes_by_name():
    """The third of `Inside` was a weight, that of `Outside` a margin."""
    for goal in (mk.Inside, mk.Outside):
        with pytest.raises(TypeError, match="positional"):
            goal("hand", BALL, 0.02)


def test_the_third_argument_of_solve_many_is_the_targets():
    """Starts in their place were answered with "5 of 5 reached", all at the goal's own target."""
    joints = [
        mk.Joint(f"j{k}", f"s{k}", f"s{k + 1}", f"R({axis})", [0.0, 0.0, 0.3]) for k, axis in enumerate("zyy")
    ]
    figure = mk.Figure("arm", [f"s{k}" for k in range(4)], joints, [mk.Site("tip", "s3", [0.3, 0.0, 0.0])])
    points = np.random.default_rng(0).uniform([0.1, -0.1, 0.4], [0.2, 0.1, 0.6], (5, 3))
    found = mk.solve_many(figure, [mk.Position("tip", [0.2, 0.0, 0.5])], points)
    assert found.reached.all()
    for k, point in enumerate(points):
        assert np.linalg.norm(found.pose(k).position("tip") - point) < 1e-4


def test_a_capture_of_few_of_a_sets_markers_is_refused():
    """One shared label of fifty-one was followed exactly, and the rest not mentioned."""
    body = mk.human(fingers=False)
    places = marker_set(body, "plug_in_gait")
    label = next(iter(places))
    trial = Markers([label, "unknown"], [0.0, 0.1], np.zeros((2, 2, 3)) + [[0.0, 0.0, 1.0], [0.1, 0.0, 1.0]])
    with pytest.raises(mk.ManikinError, match=r"(marker|label)"):
        Tracker(body, places).track(trial)


def test_obstacles_are_hard_wherever_they_are_stated(tmp_path):
    from manikin.formats.scene import read_scene

    (tmp_path / "scene.toml").write_text(
        'figure = "human"\n[[obstacle]]\nregion = { ball = { center = [0.4, 0.0, 1.0], radius = 0.05 } }\n',
        encoding="utf-8",
    )
    read = read_scene(tmp_path / "scene.toml").goals[0]
    assert isinstance(read, mk.Outside)
    assert read.hard and mk.Outside("hand", BALL).hard and mk.SelfClearance().hard
    assert not mk.Outside("hand", BALL, hard=False).hard


@pytest.mark.parametrize("tolerance", [1e-3, [1e-3], "1e-3"])
def test_a_tolerance_is_metres_and_radians_in_every_call(tolerance):
    body = mk.human(fingers=False)
    with pytest.raises(mk.SolveError, match="metres and radians"):
        mk.solve(body, [mk.Position("head", [0, 0, 1.6])], tolerance=tolerance)
    with pytest.raises(mk.SolveError, match="metres and radians"):
        study(mk.population(2, seed=1, fingers=False), [[0.4, -0.2, 1.0]], tolerance=tolerance)


def test_errors_are_metres_and_radians_apart():
    """A Placement's rotation was hidden behind its position; metres and radians were compared."""
    joints = [mk.Joint.revolute("j", "base", "arm", [0.0, 0.0, 1.0])]
    figure = mk.Figure("wheel", ["base", "arm"], joints)
    upside_down = np.diag([1.0, -1.0, -1.0])
    found = mk.solve(figure, [mk.Placement("arm", [0.0, 0.0, 0.001], upside_down), mk.Pin("base")])
    assert not found.reached
    assert found.position_errors[0] == pytest.approx(0.001, abs=1e-6)
    assert found.orientation_errors[0] == pytest.approx(np.pi, abs=1e-3)
    assert "rad of placement" in repr(found) and "of its tolerance" in repr(found)
    report = found.goal_reports[0]
    assert (report.position_error, report.orientation_error) == (
        found.position_errors[0],
        found.orientation_errors[0],
    )
    many = mk.solve_many(figure, [mk.Placement("arm", np.eye(4))], [np.eye(4)])
    assert many.position_errors.shape == many.orientation_errors.shape == (1, 1)


def test_a_trackers_cost_is_no_distance():
    """`errors` of a followed capture were sums of squares, those of a tracked motion distances."""
    body = mk.human(fingers=False)
    places = marker_set(body, "plug_in_gait")
    from manikin.markers.places import marker_places

    seen = Markers(list(places), [0.0], marker_places(body, body.rest[None], places))
    found = Tracker(body, places).track(seen)
    assert not hasattr(found, "errors") and found.cost.shape == (1,)
    assert found.marker_errors.shape == (1, len(places)) and found.cost[0] < 1e-9
