from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from manikin.errors import FigureError
from manikin.figure import Loop

from .samples import branching, four_bar, placed


def test_a_loop_is_a_record_of_two_sites():
    linkage = four_bar()
    assert linkage.loops == (Loop("follower_end", "pivot", "position"),)
    assert linkage.loops[0].name == "follower_end to pivot"
    assert branching().loops == ()


def test_the_four_bar_is_closed_at_rest_and_open_elsewhere():
    linkage = four_bar()
    (loop,) = linkage.loops
    assert loop.gap(linkage.pose())[0] < 1e-15
    assert loop.gap(linkage.pose({"crank_turn": 0.5}))[0] > 0.01


def test_the_gap_is_in_metres_and_radians_of_what_the_kind_minds():
    figure = branching("fixed").with_site("grip", "leg", placed(0.1, 0.2, 0.3, 0.0, 0.0, 0.7))
    pose = figure.pose(np.random.default_rng(1).uniform(-1.0, 1.0, figure.n))
    between = np.linalg.inv(pose.matrix("grip")) @ pose.matrix("tip")
    distance = np.linalg.norm(between[:3, 3])
    angle = np.arccos(0.5 * (np.trace(between[:3, :3]) - 1.0))
    lean = np.arccos(between[2, 2])
    expected = {
        "placement": (distance, angle),
        "position": (distance, 0.0),
        "hinge": (distance, lean),
        "orientation": (0.0, angle),
    }
    for kind, gap in expected.items():
        assert Loop("tip", "grip", kind).gap(pose) == pytest.approx(gap, abs=1e-12)


def test_loops_stay_through_pickle_rerooting_sites_couplings_and_held_things():
    linkage = four_bar("hinge")
    for other in (
        pickle.loads(pickle.dumps(linkage)),
        linkage.rerooted("coupler"),
        linkage.with_site("mark", "coupler", [0.1, 0, 0]),
        linkage.with_held("box", at="follower_end", mass=1.0),
        linkage.with_couplings("crank_turn <= 6"),
    ):
        assert other.loops == linkage.loops
        assert max(other.loops[0].gap(other.pose())) < 1e-15


def test_a_description_tells_of_loops():
    (loop,) = json.loads(json.dumps(four_bar().describe()))["loops"]
    assert loop == {
        "name": "follower_end to pivot",
        "site": "follower_end",
        "other": "pivot",
        "kind": "position",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tip", "nowhere"), "loop 'tip to nowhere': unknown site 'nowhere'"),
        (("tip", "tip"), "two different sites"),
        (("tip", "hand"), "both its sites are on one segment"),
        (("tip", "leg", "glue"), "unknown kind 'glue'; expected one of: placement, position"),
        (("tip", 3), "loop: other: a name must be a string"),
    ],
)
def test_a_loop_that_cannot_be_is_refused_with_its_name(arguments, message):
    with pytest.raises(FigureError, match=message):
        branching().with_loop(*arguments)
    with pytest.raises(FigureError, match="expected a Loop"):
        branching().replace(loops=["tip"])
