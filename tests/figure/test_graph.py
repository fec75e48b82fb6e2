from __future__ import annotations

import pytest

from manikin.errors import FigureError
from manikin.figure import Joint, graph


def hinges(*pairs: str) -> dict[str, Joint]:
    return {f"{a}-{b}": Joint(f"{a}-{b}", a, b, "R(z)") for a, b in (pair.split() for pair in pairs)}


def test_the_root_is_nobodys_child():
    assert graph.natural_root("f", ["b", "a", "c"], hinges("a b", "b c")) == "a"
    assert graph.natural_root("f", ["only"], {}) == "only"


def test_the_walk_is_depth_first_in_the_order_of_the_joints():
    joints = hinges("a c", "a b", "c d", "b e")
    assert [joint.name for joint, _ in graph.walk("a", joints)] == ["a-c", "c-d", "a-b", "b-e"]


def test_the_walk_from_within_meets_the_joints_above_backwards():
    joints = hinges("a c", "a b", "c d", "b e")
    assert [(joint.name, back) for joint, back in graph.walk("c", joints)] == [
        ("c-d", False),
        ("a-c", True),
        ("a-b", False),
        ("b-e", False),
    ]


def test_a_long_chain_does_not_exhaust_the_stack():
    count = 5000
    joints = hinges(*(f"{k} {k + 1}" for k in range(count)))
    assert graph.natural_root("f", [str(k) for k in range(count + 1)], joints) == "0"
    assert sum(back for _, back in graph.walk(str(count), joints)) == count


@pytest.mark.parametrize(
    ("segments", "pairs", "words"),
    [
        ("a b", ["a b", "q b"], "joint 'q-b': unknown parent segment 'q'"),
        ("arm leg", ["arm lge"], "joint 'arm-lge': unknown child segment 'lge'; did you mean 'leg'"),
        ("a b c", ["a c", "b c"], "segment 'c' has two parents: 'a' by joint 'a-c' and 'b' by joint 'b-c'"),
        ("a b", ["a b", "b a"], "joints '[ab]-[ab]', '[ab]-[ab]' make a cycle"),
        ("a", ["a a"], "joints 'a-a' make a cycle"),
        ("r a b", ["a b", "b a"], "make a cycle"),
        ("a b c", ["a b"], "not connected: 'a', 'c' are nobody's child"),
    ],
)
def test_what_is_not_a_tree_is_refused_by_name(segments, pairs, words):
    with pytest.raises(FigureError, match=f"figure 'f': .*{words}"):
        graph.natural_root("f", segments.split(), hinges(*pairs))
