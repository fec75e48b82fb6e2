"""Who can reach what: workspaces, the reach hierarchy, reach maps, studies of populations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manikin.reach.hierarchy import Hierarchy
    from manikin.reach.map import reach_map
    from manikin.reach.orientations import GoalSpace, goal_space
    from manikin.reach.planar import PlanarWorkspace
    from manikin.reach.studies import study
    from manikin.reach.voxels import Workspace, workspace, workspaces

_PLACES = {
    "GoalSpace": "orientations",
    "Hierarchy": "hierarchy",
    "goal_space": "orientations",
    "PlanarWorkspace": "planar",
    "Workspace": "voxels",
    "reach_map": "map",
    "study": "studies",
    "workspace": "voxels",
    "workspaces": "voxels",
}
__all__ = [
    "GoalSpace",
    "Hierarchy",
    "PlanarWorkspace",
    "Workspace",
    "goal_space",
    "reach_map",
    "study",
    "workspace",
    "workspaces",
]


def __getattr__(name: str) -> Any:
    """Each part is imported when it is first asked for."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"manikin.reach.{_PLACES[name]}"), name)
