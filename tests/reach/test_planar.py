"""Exact workspaces of plane chains against formulas, samples and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reach.samples import Z, chain, plane_points

import manikin as mk
from manikin.reach import PlanarWorkspace


def along(lengths) -> list[tuple[float, float]]:
    return [(length, 0.0) for length in lengths]


def test_two_free_links_reach_an_annulus():
    found = PlanarWorkspace(along([0.5, 0.3]))
    assert found.area == pytest.approx(np.pi * (0.8**2 - 0.2**2), abs=1e-9)
    assert {round(arc.radius, 9) for arc in found.boundary} == {0.8, 0.2}


def test_three_free_links_fill_the_disc_where_none_is_longer_than_the_others_together():
    assert PlanarWorkspace(along([0.5, 0.3, 0.2])).area == pytest.approx(np.pi, abs=1e-9)
    assert PlanarWorkspace(along([0.7, 0.3, 0.2])).area == pytest.approx(np.pi * (1.2**2 - 0.2**2), abs=1e-9)


@pytest.mark.parametrize(
    "limits", [((-1.0, 1.2), (0.2, 2.0)), ((0.0, 3.0), (-2.5, -0.4)), ((-3.0, 3.0), (0.5, 1.0))]
)
def test_two_links_that_bend_one_way_have_the_area_of_their_jacobian(limits):
    (a, b), (c, d) = limits
    found = PlanarWorkspace(along([0.5, 0.3]), limits)
    assert found.area == pytest.approx(0.15 * (b - a) * abs(np.cos(c) - np.cos(d)), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_every_sample_is_inside_and_the_area_is_that_of_random_points(seed):
    rng = np.random.default_rng(seed)
    lengths = rng.uniform(0.2, 0.6, 3)
    low = rng.uniform(-2.0, 0.5, 3)
    limits = [(a, a + w) for a, w in zip(low, rng.uniform(0.3, 2.0, 3), strict=True)]
    found = PlanarWorkspace(along(lengths), limits)
    assert found.contains(plane_points(lengths, limits, 1500, seed)).all()
    size = lengths.sum()
    points = rng.uniform(-size, size, (6000, 2))
    share = found.contains(points).mean()
    assert found.area == pytest.approx(4.0 * size**2 * share, abs=4.0 * size**2 * 3.5 * np.sqrt(0.25 / 6000))


def test_the_boundary_separates_to_a_billionth():
    limits = ((-0.6, 0.9), (0.1, 1.5), (-1.0, 0.7))
    found = PlanarWorkspace(along([0.5, 0.3, 0.2]), limits)
    for arc in found.boundary:
        middle = arc.points(3)[1]
        out = (middle - arc.center) / arc.radius * arc.inside
        assert found.contains((middle - 1e-9 * out)[None])[0]
        assert not found.contains((middle + 1e-9 * out)[None])[0]


def test_the_farthest_sample_is_as_far_as_the_boundary():
    limits = [(-0.4, 0.4), (0.3, 2.0)]
    found = PlanarWorkspace(along([0.5, 0.4]), limits)
    farthest = max(np.linalg.norm(arc.points(), axis=1).max() for arc in found.boundary)
    bend = 0.3  # the elbow is straightest at its lower limit
    assert farthest == pytest.approx(np.sqrt(0.25 + 0.16 + 0.4 * np.cos(bend)), abs=1e-12)


def test_distal_chains_are_nested_workspaces():
    found = PlanarWorkspace(along([0.5, 0.3, 0.2]), ((-1, 1), (0, 2), (0, 2)))
    assert found.distal(2).area == PlanarWorkspace(along([0.3, 0.2]), ((0, 2), (0, 2))).area
    with pytest.raises(mk.FigureError, match=r"W\[4\]"):
        found.distal(4)


def test_a_figure_s_hinges_are_read_with_their_signs_and_plane():
    limits = [(-0.5, 1.0), (0.2, 1.8)]
    figure = chain([(0, -1, 0), (0, 1, 0)], [0.5, 0.3], limits)
    found = PlanarWorkspace.of(figure, "tip")
    q = np.random.default_rng(0).uniform(figure.lower, figure.upper, (400, 2))
    world = figure.forward(q, ["tip"])[:, 0, :3, 3]
    flat = (world - found.frame[:3, 3]) @ found.frame[:3, :3]
    assert np.abs(flat[:, 2]).max() < 1e-12
    assert found.contains(flat[:, :2]).all()


def test_what_is_not_plane_is_refused():
    with pytest.raises(mk.FigureError, match="parallel"):
        PlanarWorkspace.of(chain([(0, 1, 0), Z], [0.5, 0.3], [(-1, 1), (-1, 1)]), "tip")
    with pytest.raises(mk.FigureError, match="hinges"):
        PlanarWorkspace(along([0.1] * 4))
