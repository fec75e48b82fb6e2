"""The natural posture of a figure: the compiled network against NumPy, and what its postures are like."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.figure.human import natural
from manikin.figure.human.natural_posture import DIRECTIONS, POINTS, Given, is_human, natural_posture


def given(rng: np.random.Generator, stature: float, heading: float = 0.0) -> Given:
    """Hands, feet and head somewhere about a person who faces ``heading``."""
    points = np.zeros((len(POINTS), 3))
    points[:2] = rng.uniform([0.0, -0.5, 0.1], [0.6, 0.5, 1.7], (2, 3))
    points[2], points[3] = [0.0, 0.1, 0.07], [0.1, -0.1, 0.07]
    points[4], points[5] = [0.1, 0.0, 1.5], [0.0, 0.0, 0.9]
    directions = np.tile([1.0, 0.0, 0.0], (len(DIRECTIONS), 1))
    directions[[1, 3, 6]] = [0.0, 0.0, 1.0]
    c, s = np.cos(heading), np.sin(heading)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    which = (rng.uniform(size=8) < 0.6).astype(float)
    which[2:4] = 1.0
    return Given(points @ turn.T * stature / 1.75, directions @ turn.T, which)


@pytest.fixture(scope="module")
def body() -> mk.Figure:
    return mk.human(stature=1.75)


def spine_sum(figure: mk.Figure, q: np.ndarray, region: str, movement: str) -> float:
    return sum(q[k] for k, n in enumerate(figure.dofs) if n.startswith(region) and n.endswith(movement))


def test_the_numbers_are_few():
    assert natural.NUMBERS.stat().st_size < 2e6


def test_the_compiled_network_is_the_one_in_numpy(body):
    rng = np.random.default_rng(1)
    posture, network = natural_posture(body), natural.network()
    for _ in range(20):
        asked = given(rng, 1.75)
        origin = 0.5 * (asked.points[2] + asked.points[3])
        points, d = (asked.points - origin) / posture.stature, asked.directions
        features = np.concatenate(
            [
                points[0], points[1], points[2], d[0], d[1], points[3], d[2], d[3], points[4], d[4], points[5], d[5],
                d[6],
            ]
        )  # fmt: skip
        style = int(rng.integers(-1, 5))
        mean, _spread, chances = network(features, asked.which, None if style < 0 else style)
        found = posture.prefer(asked, body.rest, None if style < 0 else style)
        assert found.chances == pytest.approx(chances, abs=1e-5)
        value = dict(zip(natural.COORDINATES, mean, strict=True))
        for name in ("left_elbow", "right_knee", "left_shoulder_flexion", "right_hip_flexion"):
            k = body.index(name)
            expected = np.clip(value[name], body.lower[k], body.upper[k])
            assert found.q[k] == pytest.approx(expected, abs=1e-5)
        pelvis = body.pose(found.q).position("pelvis")
        assert pelvis == pytest.approx(origin + posture.stature * mean[:3], abs=1e-5)


@pytest.mark.parametrize("spine", ["full", "bend"])
def test_postures_are_inside_all_limits(spine):
    figure = mk.human(1.6, sex="female", spine=spine)
    rng = np.random.default_rng(2)
    for _ in range(50):
        found = natural_posture(figure).prefer(given(rng, 1.6, rng.uniform(-3, 3)), figure.rest)
        pose = figure.pose(found.q)
        assert not pose.outside
        values = pose.values()
        for coupling in figure.couplings:
            assert coupling.lower - 1e-9 <= coupling.value(values) <= coupling.upper + 1e-9
        assert (found.weight > 0.0).all() and np.isfinite(found.weight).all()


def test_full_and_driven_spines_bend_alike():
    rng = np.random.default_rng(4)
    full, bend = mk.human(), mk.human(spine="bend")
    for _ in range(5):
        asked = given(rng, 1.75)
        one = natural_posture(full).prefer(asked, full.rest).q
        other = natural_posture(bend).prefer(asked, bend.rest).q
        for region in ("spine", "neck"):
            whole = spine_sum(full, one, region, "flexion")
            assert whole == pytest.approx(other[bend.index(f"{region}_flexion")], abs=1e-5)


def test_turning_everything_turns_the_posture(body):
    for heading in (0.7, 2.0, -2.9):
        asked, turned = (given(np.random.default_rng(5), 1.75, angle) for angle in (0.0, heading))
        first, second = (natural_posture(body).prefer(g, body.rest).q for g in (asked, turned))
        assert second[6:] == pytest.approx(first[6:], abs=1e-5)
        c, s = np.cos(heading), np.sin(heading)
        axes = [body.pose(q).matrix("pelvis")[:3, 0] for q in (first, second)]
        assert axes[1][:2] == pytest.approx(np.array([[c, -s], [s, c]]) @ axes[0][:2], abs=1e-5)


def test_what_was_not_learned_stays(body):
    q = body.pose({"left_index_pip": 0.5, "right_wrist_flexion": -0.3}).q
    found = natural_posture(body).prefer(given(np.random.default_rng(6), 1.75), q).q
    assert found[body.index("left_index_pip")] == 0.5
    assert found[body.index("right_wrist_flexion")] == -0.3


def test_only_humans_are_known(body):
    assert is_human(body) and is_human(mk.human(base="fixed"))
    assert not is_human(mk.human(base="planar"))
    assert not is_human(body.rerooted("left_foot"))
