"""Reach maps against solves one by one, samples and exact outlines."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reach.samples import X, Y, Z, chain

import manikin as mk
from manikin.pictures.zone import picture_zone
from manikin.reach import PlanarWorkspace, reach_map
from manikin.reach.drawing import map_surface, plot_map

xarray = pytest.importorskip("xarray")
ARM = chain([Z, Y, Y, X], [0.1, 0.4, 0.3, 0.1], [(-1.2, 1.2), (-1.0, 1.0), (0.1, 2.4), (-1, 1)])
BOX = ((-0.5, -0.6, -0.8), (1.0, 0.6, 0.8))


@pytest.fixture(scope="module")
def found():
    return reach_map(ARM, "tip", (*BOX, 0.1))


def test_it_agrees_with_solving_every_point(found):
    index = np.arange(found["reachable"].size)
    from manikin.reach.drawing import map_grid

    places = map_grid(found).places(index)
    single = mk.solve_many(ARM, [mk.Position("tip", [0, 0, 0])], targets=places, multistart=False)
    assert np.array_equal(single.reached, found["reachable"].values.ravel())


def test_a_miss_is_never_less_than_the_true_one_and_small_where_reached(found):
    from manikin.reach.drawing import map_grid

    index = np.arange(0, found["reachable"].size, 25)
    single = mk.solve_many(ARM, [mk.Position("tip", [0, 0, 0])], targets=map_grid(found).places(index))
    miss = found["miss"].values.ravel()[index]
    assert (miss >= single.position_errors[:, 0] - 2e-4).all()
    assert miss[found["reachable"].values.ravel()[index]].max() <= 1e-4


def test_measures_have_units_and_only_reached_points_have_them(found):
    assert found["miss"].attrs["units"] == "m" and found["x"].attrs["units"] == "m"
    reached = found["reachable"].values
    for name in ("discomfort", "manipulability"):
        assert np.isfinite(found[name].values[reached]).all()
        assert np.isnan(found[name].values[~reached]).all()
    held = found["limit"].values[found["limit"].values >= 0]
    assert len(held) and held.max() < len(found["dof"])


def test_a_plane_map_has_the_exact_outline():
    plane = chain([Z, Z], [0.5, 0.3], [(-1.0, 1.2), (0.2, 2.0)])
    made = reach_map(plane, "tip", ((-0.9, -0.9, 0.0), (0.9, 0.9, 0.0), 0.04))
    exact = PlanarWorkspace([(0.5, 0), (0.3, 0)], [(-1.0, 1.2), (0.2, 2.0)])
    points = np.stack(np.meshgrid(made["x"], made["y"], indexing="ij"), axis=-1)
    assert np.array_equal(made["reachable"].values[:, :, 0], exact.contains(points))


def test_feet_stay_pinned_and_inferring_the_inside_differs_only_at_the_edge():
    body = mk.human(fingers=False, spine="bend")
    goals = [mk.Pin("left_foot"), mk.Pin("right_foot"), mk.Balance()]
    box = ((0.1, -0.7, 0.9), (0.7, 0.1, 1.5), 0.1)
    solved = reach_map(body, "right_hand", box, goals, measures=("limits",))
    inferred = reach_map(body, "right_hand", box, goals, measures=(), interior="infer")
    assert solved["reachable"].mean() > 0.9
    assert (solved["reachable"] != inferred["reachable"]).mean() < 0.1
    assert "Pin" in solved.attrs["goals"] or "pin" in solved.attrs["goals"]


def test_it_is_the_same_on_any_number_of_threads():
    one = reach_map(ARM, "tip", (*BOX, 0.15), threads=1)
    three = reach_map(ARM, "tip", (*BOX, 0.15), threads=3)
    assert one.drop_attrs().identical(three.drop_attrs()) or one["miss"].equals(three["miss"])


def test_it_is_written_as_zarr_and_as_mesh_and_as_pictures(found, tmp_path):
    made = reach_map(ARM, "tip", (*BOX, 0.2), path=tmp_path / "map.zarr")
    read = xarray.open_zarr(tmp_path / "map.zarr", consolidated=False)
    assert np.array_equal(read["reachable"].values, made["reachable"].values) and read.attrs["complete"] == 1
    map_surface(found).save(tmp_path / "zone.stl")
    plot_map(found, tmp_path / "section.png")
    plot_map(found, tmp_path / "section.svg", axis="y", value="discomfort")
    image = picture_zone(ARM, map_surface(found), tmp_path / "zone.png", size=(120, 120), quality="draft")
    assert image.size == (120, 120)
    assert all(
        (tmp_path / name).stat().st_size > 500
        for name in ("zone.stl", "section.png", "section.svg", "zone.png")
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"measures": ("beauty",)}, "unknown measure"),
        ({"interior": "guess"}, "interior"),
        ({"grid": ((1, 1, 1), (0, 0, 0), 0.1)}, "corners"),
        ({"grid": (*BOX, -1.0)}, "pitch"),
        ({"site": "nose"}, "nose"),
    ],
)
def test_what_cannot_be_is_refused(change, words):
    arguments = {"figure": ARM, "site": "tip", "grid": (*BOX, 0.2), **change}
    with pytest.raises(mk.ManikinError, match=words):
        reach_map(**arguments)
