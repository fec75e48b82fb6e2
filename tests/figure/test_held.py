from __future__ import annotations

import pickle

import numpy as np
import pytest
from tests.figure.samples import placed

import manikin as mk


@pytest.fixture(scope="module")
def carrier() -> mk.Figure:
    return mk.human().with_held(
        "box",
        at="right_hand",
        size=(0.3, 0.2, 0.1),
        mass=2.0,
        placement=[0.05, 0.0, -0.06],
        sites={"box_top": [0.0, 0.0, 0.05]},
    )


def test_the_object_hangs_at_the_site_in_every_pose(carrier: mk.Figure) -> None:
    rng = np.random.default_rng(0)
    for _ in range(3):
        pose = carrier.pose(rng.uniform(-0.5, 0.5, carrier.n))
        hand = pose.matrix("right_hand")
        assert np.allclose(pose.matrix("box"), hand @ placed(0.05, 0.0, -0.06), atol=1e-12)
        assert np.allclose(pose.position("box_top"), (hand @ [0.05, 0.0, -0.01, 1.0])[:3], atol=1e-12)


def test_it_adds_mass_and_no_degree_of_freedom(carrier: mk.Figure) -> None:
    bare = mk.human()
    assert carrier.dofs == bare.dofs
    assert carrier.mass == pytest.approx(bare.mass + 2.0)
    assert carrier.couplings == bare.couplings
    box = carrier.pose().position("box")
    expected = (bare.mass * bare.pose().center_of_mass() + 2.0 * box) / (bare.mass + 2.0)
    assert np.allclose(carrier.pose().center_of_mass(), expected, atol=1e-12)
    assert np.allclose(np.diag(carrier.segments["box"].inertia), 2.0 / 12.0 * np.array([0.05, 0.10, 0.13]))


def test_its_sites_take_goals(carrier: mk.Figure) -> None:
    target = carrier.pose().position("box_top") + np.array([0.2, 0.0, 0.3])
    result = mk.solve(carrier, [mk.Position("box_top", target)], free=["right_*"])
    assert result.reached
    assert np.allclose(result.pose.position("box_top"), target, atol=1e-4)


def test_any_shape_on_any_figure_and_a_second_object(carrier: mk.Figure) -> None:
    stick = mk.Shape("capsule", (0.01, 0.5), [0.2, 0.0, 0.0])
    both = carrier.with_held("stick", "left_hand", shape=stick, mass=0.3)
    assert both.segments["stick"].shapes == (stick,)
    assert np.allclose(both.segments["stick"].center_of_mass, [0.2, 0.0, 0.0])
    assert "box" in both.segments
    assert pickle.loads(pickle.dumps(both)).mass == pytest.approx(carrier.mass + 0.3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": "box", "at": "nowhere"}, "unknown site 'nowhere'"),
        ({"name": "head", "at": "left_hand"}, "already has a segment or site"),
        ({"name": "a", "at": "left_hand", "sites": {"head": [0, 0, 0]}}, "already has a site 'head'"),
        ({"name": "a", "at": "left_hand", "size": (1, 1, 1), "shape": mk.Shape("sphere", 1)}, "not both"),
        ({"name": "a", "at": "left_hand", "mass": -1.0}, "must not be negative"),
        ({"name": "", "at": "left_hand"}, "not empty"),
    ],
)
def test_what_cannot_be_held_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(mk.FigureError, match=words):
        mk.human().with_held(**options)  # type: ignore[arg-type]
