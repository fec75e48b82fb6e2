"""What a segment stands on: of a mesh the hull of its lowest points, by another path than the library's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from tests.solvers.samples import robot_file

import manikin as mk
from manikin.figure import Segment, Shape, transforms
from manikin.figure.sole import MESH_SLACK, MOST_CORNERS, sole

FEET = {
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", ("left_ankle_roll_link", "right_ankle_roll_link")),
    "talos": ("talos_data/robots/talos_reduced.urdf", ("leg_left_6_link", "leg_right_6_link")),
    "icub": ("icub_description/robots/icub_reduced.urdf", ("l_foot", "r_foot")),
}


def lowest(figure: mk.Figure, name: str) -> np.ndarray:
    """The corners of a segment's meshes within the slack of the lowest, in the world, at rest, (N, 3)."""
    import trimesh

    frame = figure.pose().matrices()[name]
    points = []
    for shape in figure.segments[name].shapes:
        assert shape.kind == "mesh"
        corners = np.asarray(trimesh.load(shape.mesh, force="mesh").vertices) * shape.scale
        points.append(np.column_stack([corners, np.ones(len(corners))]) @ (frame @ shape.placement).T)
    found = np.vstack(points)[:, :3]
    return found[found[:, 2] <= found[:, 2].min() + MESH_SLACK]


@pytest.mark.parametrize("name", FEET)
def test_a_mesh_foot_stands_on_the_hull_of_its_lowest_points(name):
    file, feet = FEET[name]
    figure = robot_file(file, "free")
    for foot in feet:
        frame = figure.pose().matrices()[foot]
        corners = np.array([frame[:3, :3] @ point + frame[:3, 3] for _, point in sole(figure, foot, "test")])
        truth = ConvexHull(lowest(figure, foot)[:, :2])
        ours = ConvexHull(corners[:, :2])
        assert len(corners) <= MOST_CORNERS
        # Nothing supports that is not there, and little is given away.
        assert (truth.equations[:, :2] @ corners[:, :2].T + truth.equations[:, 2:]).max() < 1e-9
        assert ours.volume > 0.98 * truth.volume > 0.004


@pytest.mark.parametrize("name", ["g1", "talos"])
def test_balance_on_mesh_feet_holds_to_the_edge_of_the_soles_and_not_beyond(name):
    """Leaning with the feet pinned: the centre of mass ends inside the hull of the meshes, by SciPy."""
    file, feet = FEET[name]
    figure = robot_file(file, "free")
    pins = [mk.Pin(foot, hard=True) for foot in feet]
    hull = ConvexHull(np.vstack([lowest(figure, foot) for foot in feet])[:, :2])
    for margin in (0.0, 0.02):
        balance = mk.Balance(support=feet, margin=margin, hard=True)
        at = figure.pose().center_of_mass() + [0.3, 0.0, -0.05]
        found = mk.solve(figure, [*pins, balance, mk.CenterOfMass(at)])
        inside = -float(
            (hull.equations[:, :2] @ found.pose.center_of_mass()[:2] + hull.equations[:, 2]).max()
        )
        assert found.status != "infeasible" and not found.reached
        assert inside >= margin - 1e-6
        assert inside < margin + 0.01  # as far as the soles allow, not short of it


def test_which_side_is_under_is_told_by_the_rest_pose():
    foot = Shape("box", (0.2, 0.1, 0.04))
    segments = [Segment("body"), Segment("foot", shapes=(foot,))]
    for turn in np.eye(3):
        placement = np.eye(4)
        placement[:3, :3] = transforms.exp(0.5 * np.pi * turn)
        joint = mk.Joint("ankle", "body", "foot", "R(x)", placement, lower=-1.0, upper=1.0)
        figure = mk.Figure("one", segments, [joint])
        corners = np.array([placement[:3, :3] @ point for _, point in sole(figure, "foot", "test")])
        size = np.abs(placement[:3, :3] @ [0.1, 0.05, 0.02])
        assert np.allclose(corners[:, 2], -size[2])
        assert np.allclose(np.abs(corners[:, :2]), size[:2])
