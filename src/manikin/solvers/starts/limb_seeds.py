"""Where a limb's closed form would begin: starts for methods that search the whole body.

The limb above a site is solved with everything else held as in the current values, and each solution gives a start for
a solver that then moves all joints. Cheap: recognising a limb is remembered for each figure and site.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import local
from weakref import WeakKeyDictionary

import numpy as np

from manikin.closed_form.arm import Arm
from manikin.closed_form.arm_target import placement
from manikin.closed_form.arm_verdict import shoulder_of, wrist_of
from manikin.closed_form.limb import carrier_of, place_carrier
from manikin.errors import FigureError
from manikin.figure.figure import Figure
from manikin.figure.pose import Pose
from manikin.goals import Goal, Placement, Position
from manikin.kernels.limb import limb as entries
from manikin.kernels.limb.solve import swivel_of

# An Arm has work space of its own, so each thread has its own.
_known = local()


def limb_seeds(
    figure: Figure, site: str, target: np.ndarray, q: np.ndarray, most: int = 8
) -> list[np.ndarray]:
    """Values of the whole figure (n,) whose limb brings the site to `target`, a 4×4, nearest to `q` first.

    target: with a NaN in its rotation only its position counts, and the wrist stays as in q.
    Empty where the site ends no limb that has a closed form, or the limb cannot get there from where q carries it; a
    target beyond reach is brought to the limb's reach first. Couplings of the limb with other joints are held as at
    the figure's rest, so a caller that needs them checks.
    """
    arm = _arm(figure, site)
    if arm is None:
        return []
    matrix = np.array(target, dtype=np.float64)
    whole = np.array(q, dtype=np.float64)
    place_carrier(arm._spec, carrier_of(Pose(figure, whole), arm._limb))
    mine = whole[arm._limb.places]
    if np.isnan(matrix[:3, :3]).any():
        row = arm.solve_position(matrix[:3, 3], mine)
        rows = row[None] if len(row) else np.empty((0, len(mine)))
    else:
        rows = _closed_form(arm, mine, matrix)
    order = np.argsort(((rows - mine) ** 2).sum(axis=1), kind="stable")[:most]
    seeds = []
    for row in rows[order]:
        seed = whole.copy()
        seed[arm._limb.places] = row
        seeds.append(seed)
    return seeds


def goal_seeds(figure: Figure, goals: Iterable[Goal], q: np.ndarray, most: int = 4) -> list[np.ndarray]:
    """Values of the whole figure in which each limb that has such a goal brings its site to its place or position.

    One goal after the other: the limb of the first as near to q as it gets, that of the next as near to that.
    """
    found = [q]
    for goal in goals:
        target = np.eye(4)
        if isinstance(goal, Placement):
            target[:3, :3], target[:3, 3] = goal.orientation, goal.position
        elif isinstance(goal, Position):
            target[:3, :3], target[:3, 3] = np.nan, goal.target
        else:
            continue
        ways = [limb_seeds(figure, goal.site, target, start, most) for start in found]
        better = [seed for seeds in ways for seed in seeds][:most]
        found = better or found
    return [] if found[0] is q else found


def has_limb(figure: Figure, goals: Iterable[Goal]) -> bool:
    """Whether some goal's site ends a limb that has a closed form."""
    return any(isinstance(g, (Placement, Position)) and _arm(figure, g.site) is not None for g in goals)


def _arm(figure: Figure, site: str) -> Arm | None:
    """The limb above a site, remembered; None where it has no closed form."""
    if not hasattr(_known, "arms"):
        _known.arms = WeakKeyDictionary()
    arms = _known.arms.setdefault(figure, {})
    if site not in arms:
        try:
            arms[site] = Arm(figure, None, site=site)
        except FigureError:
            arms[site] = None
    return arms[site]


def _closed_form(arm: Arm, mine: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """The limb's solutions, of seven angles those at the swivel angle nearest to that of the current values.

    Without the search that `Arm.solve` falls back on: that search would come here for its own seeds, without end.
    """
    target = _within_reach(arm, placement(matrix))
    if arm._virtual >= 0:
        return arm.solve(target)
    return arm._at_preferred(target, float(swivel_of(arm._spec, mine, matrix)), by_search=False)


def _within_reach(arm: Arm, matrix: np.ndarray) -> np.ndarray:
    """The target, its wrist brought along the line from the shoulder to where the limb can reach."""
    away = wrist_of(arm._spec, matrix) - shoulder_of(arm._spec)
    distance = float(np.linalg.norm(away))
    near, far = float(arm._spec[entries.NEAREST]), float(arm._spec[entries.FARTHEST])
    if distance == 0.0 or near <= distance <= far:
        return matrix
    result = matrix.copy()
    result[:3, 3] += away * (min(max(distance, near), far) / distance - 1.0)
    return result
