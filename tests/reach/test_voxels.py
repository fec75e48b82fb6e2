"""Workspaces in voxels against samples, spheres and their own files."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reach.samples import X, Y, Z, chain

import manikin as mk
from manikin.reach import Workspace, workspace, workspaces

ARM = chain([Z, Y, Y, X], [0.1, 0.4, 0.3, 0.1], [(-3.2, 3.2), (-1.5, 1.5), (-2.4, 2.4), (-1, 1)])


@pytest.fixture(scope="module")
def found() -> Workspace:
    return workspace(ARM, "tip", pitch=0.05, samples=20_000)


def test_no_sample_is_outside_by_more_than_a_voxel(found):
    q = np.random.default_rng(7).uniform(ARM.lower, ARM.upper, (100_000, 4))
    places = ARM.forward(q, ["tip"])[:, 0, :3, 3]
    out = places[~found.contains(places)]
    assert len(out) < 0.05 * len(places)  # in voxels whose middle is out of reach
    reached = found.grid.places(np.flatnonzero(found.inside))
    from scipy.spatial import cKDTree

    away, _ = cKDTree(reached).query(out)
    assert away.max(initial=0.0) <= np.sqrt(3.0) * 0.05


def test_what_is_said_to_be_reached_can_be_solved_for(found):
    rng = np.random.default_rng(1)
    index = rng.choice(np.flatnonzero(found.inside), 200, replace=False)
    answers = mk.solve_many(ARM, [mk.Position("tip", [0, 0, 0])], targets=found.grid.places(index))
    assert answers.position_errors.max() <= np.sqrt(0.75) * 0.05


def test_the_surface_is_closed_and_encloses_the_voxels(found):
    surface = found.surface
    assert surface.closed
    assert surface.volume == pytest.approx(found.inside.sum() * 0.05**3, rel=0.05)
    assert surface.volume >= found.volume


@pytest.mark.parametrize("lengths", [[0.0, 0.5, 0.4], [0.0, 0.4, 0.4], [0.0, 0.3, 0.6]])
def test_the_volume_of_a_shell_is_right_within_one_percent(lengths):
    arm = chain([Z, Y, Y], lengths, [(-3.2, 3.2)] * 3)
    found = workspace(arm, "tip", pitch=0.05, samples=50_000)
    outer, inner = sum(lengths), abs(lengths[1] - lengths[2])
    assert found.volume == pytest.approx(4.0 / 3.0 * np.pi * (outer**3 - inner**3), rel=0.01)


def test_a_ball_of_voxels_has_the_volume_of_a_ball():
    from manikin.reach.grid import Grid
    from manikin.reach.surface import surface_of

    grid = Grid.box([-0.6] * 3, [0.6] * 3, 0.04)
    away = np.linalg.norm(grid.places(np.arange(grid.size)), axis=1).reshape(grid.shape)
    hollow = (away <= 0.5) & (away >= 0.2)
    surface = surface_of(grid, hollow)
    assert surface.closed
    assert surface.volume == pytest.approx(4 / 3 * np.pi * (0.5**3 - 0.2**3), rel=0.03)


def test_it_is_stored_and_loaded(found, tmp_path):
    found.save(tmp_path / "arm.npz")
    again = Workspace.load(tmp_path / "arm.npz")
    assert np.array_equal(again.inside, found.inside) and np.array_equal(again.middles, found.middles)
    assert (again.grid, again.site, again.figure) == (found.grid, found.site, found.figure)
    (tmp_path / "broken.npz").write_bytes(b"no")
    with pytest.raises(mk.FormatError, match="not a workspace"):
        Workspace.load(tmp_path / "broken.npz")


@pytest.mark.parametrize("suffix", [".stl", ".obj", ".glb", ".gltf", ".ply"])
def test_surfaces_are_written_for_cad(found, tmp_path, suffix):
    trimesh = pytest.importorskip("trimesh")
    found.surface.save(tmp_path / f"arm{suffix}")
    read = trimesh.load(tmp_path / f"arm{suffix}", force="mesh")
    assert abs(read.volume) == pytest.approx(found.surface.volume, rel=1e-3)


def test_sections_are_slices_of_it(found):
    x, y, inside = found.section("z", 0.0)
    middle = np.array([[x[i], y[j], 0.0] for i in range(len(x)) for j in range(len(y))])
    assert np.array_equal(inside.ravel(), found.contains(middle))
    with pytest.raises(mk.SolveError, match="axis"):
        found.section("w", 0.0)


def test_each_distal_chain_has_its_own_and_they_shrink():
    sets = workspaces(ARM, "tip", pitch=0.1, samples=5000)
    assert len(sets) == 4
    volumes = [made.volume for made in sets]
    assert volumes == sorted(volumes, reverse=True)


def test_goals_hold_while_it_grows():
    ball = mk.Outside("link3", mk.Ball([0.5, 0.0, 0.0], 0.25))
    without = workspace(ARM, "tip", pitch=0.1, samples=5000)
    corner = [without.grid.axes[c][[0, -1]] for c in range(3)]
    box = tuple(zip(*corner, strict=True))
    held = workspace(ARM, "tip", pitch=0.1, goals=[ball], box=box)
    assert held.volume < without.volume
    with pytest.raises(mk.SolveError, match="box"):
        workspace(ARM, "tip", goals=[ball])
