"""Regions: what lies in them, how they are joined, what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import manikin as mk
from manikin.errors import GoalError
from manikin.figure import transforms

TURN = transforms.exp([0.3, 0.2, -0.9])
PIECES = {
    "half_space": mk.HalfSpace([0.1, 0, 0.2], [0, 1, 1]),
    "box": mk.Box([0.1, 0.2, 0.3], [0.4, 0.6, 0.8], TURN),
    "ball": mk.Ball([0.3, 0, 0.2], 0.5),
    "capsule": mk.Capsule([-0.3, 0, 0], [0.4, 0.5, 0.1], 0.2),
}
points = st.tuples(*[st.floats(-1.0, 1.0)] * 3).map(np.array)


@given(points)
@settings(max_examples=50, deadline=None)
def test_joined_regions_contain_what_both_or_either_contain(x):
    for a in PIECES.values():
        for b in PIECES.values():
            assert (a & b).contains(x) == (a.contains(x) and b.contains(x))
            assert (a | b).contains(x) == (a.contains(x) or b.contains(x))
            c = PIECES["ball"]
            assert ((a | b) & c).contains(x) == ((a.contains(x) or b.contains(x)) and c.contains(x))


def test_unions_of_intersections_are_alternatives():
    a, b, c = (mk.Ball([k, 0, 0], 1.0) for k in range(3))
    assert len(((a | b) & c).clauses()) == 2 and all(len(x) == 2 for x in ((a | b) & c).clauses())
    assert len(mk.Inside("hand", (a | b) & c).alternatives()) == 2
    assert len(mk.Inside("hand", a & b & c).alternatives()) == 1
    body = mk.human().pose()
    kept = mk.Outside("right_elbow", (a | b) & c, whole=False).settle(body).alternatives()
    assert len(kept) == 1 and len(kept[0]) == 2


@pytest.mark.parametrize("name", PIECES)
def test_distances_are_signed_and_of_slope_one_at_most(name):
    region = PIECES[name]
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-1, 1, (2, 200, 3))
    d = np.array([region.distance(p) for p in x])
    e = np.array([region.distance(p) for p in y])
    assert (np.abs(d - e) <= np.linalg.norm(x - y, axis=1) + 1e-12).all()
    assert ((d <= 0) == [region.contains(p) for p in x]).all()


def test_a_circle_is_a_curve():
    ring = mk.Circle([0, 0, 1], [0, 0, 1], 0.5)
    assert ring.contains([0.5, 0, 1]) and not ring.contains([0.4, 0, 1]) and not ring.contains([0, 0, 1])
    assert ring.distance(np.array([0.5, 0, 1.2])) == pytest.approx(0.2)


def test_a_box_is_given_by_its_middle_or_its_corners():
    one, other = mk.Box([0, 1, 2], [2, 4, 6]), mk.Box(lower=[-1, -1, -1], upper=[1, 3, 5])
    assert one == other and hash(one) == hash(other) and one != mk.Box([0, 1, 2], [2, 4, 7])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mk.Ball([0, 0], 1), "Ball: center"),
        (lambda: mk.Ball([0, 0, np.nan], 1), "Ball: center"),
        (lambda: mk.Ball([0, 0, 0], -1), "Ball: radius"),
        (lambda: mk.Ball([0, 0, 0], "wide"), "Ball: radius"),
        (lambda: mk.HalfSpace([0, 0, 0], [0, 0, 0]), "HalfSpace: normal has no direction"),
        (lambda: mk.Capsule([0, 0, 0], None, 1), "Capsule: b"),
        (lambda: mk.Circle([0, 0, 0], [0, 0, 1], np.inf), "Circle: radius"),
        (lambda: mk.Box([0, 0, 0]), "Box: give center and size, or lower and upper; got center"),
        (lambda: mk.Box([0, 0, 0], [1, -1, 1]), "Box: its edges"),
        (lambda: mk.Box(lower=[0, 0, 0], upper=[1, -1, 1]), "Box: its edges"),
        (lambda: mk.Box([0, 0, 0], [1, 1, 1], np.ones((3, 3))), "Box: rotation"),
        (lambda: mk.Inside("hand", [0, 0, 0]), "inside of 'hand': region"),
        (lambda: mk.Outside("hand", mk.Ball([0, 0, 0], 1), margin=np.nan), "outside of 'hand': margin"),
        (lambda: mk.Outside("hand", mk.Ball([0, 0, 0], 1), whole=1), "outside of 'hand': whole"),
    ],
)
def test_bad_arguments_are_refused_by_name(make, words):
    with pytest.raises(GoalError) as caught:
        make()
    assert str(caught.value).startswith(words)


def test_only_regions_join():
    with pytest.raises(TypeError):
        _ = mk.Ball([0, 0, 0], 1) & 3
