"""A specification's goals as rows in levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.packed_levels import Levels
from manikin.figure import Pose
from manikin.plan.natural import natural_start

if TYPE_CHECKING:
    from manikin.goals import Goal
    from manikin.plan.natural import NaturalStart
    from manikin.plan.specification import Specification


def levels_for(
    spec: Specification, goals: Sequence[Goal], start: np.ndarray, prior: NaturalStart | None = None
) -> Levels:
    """These goals in the places of the specification's; what means the start means this one."""
    goals = tuple(goals)
    if prior is None:
        prior = natural_start(spec, goals)
    if prior is not None and prior.wish is not None:
        wish = goals[prior.wish].preferring(prior.preferred(goals, start))  # type: ignore[attr-defined]
        goals = (*goals[: prior.wish], wish, *goals[prior.wish + 1 :])
    return Levels(spec, Pose(spec.figure, start), goals, spec.ranks)
