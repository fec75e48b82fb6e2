"""Functions in Python among goals in levels: each at the frame where its site was measured last.

A Potential is six rows that are affine in its site's frame (`engines.frame_model`). The compiled descent takes a few
steps with the models of all potentials of the level, everything else exact; then the functions are asked again
(`engines.model_descent`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.frame_model import FrameModel, frame_model
from manikin.kernels.levels.held import KEPT

if TYPE_CHECKING:
    from manikin.engines.packed_levels import Levels
    from manikin.goals import Potential
    from manikin.residuals import Block


def function(levels: Levels, number: int) -> Potential:
    """The goal whose function a part is."""
    goal = levels.parts[number].potential
    assert goal is not None
    return goal


def value(levels: Levels, number: int) -> float:
    """P of a part."""
    return function(levels, number).by_twist(*_frame(levels, number))[0]


def models(levels: Levels, numbers: Sequence[int]) -> dict[int, FrameModel]:
    """Models of these parts."""
    return {number: frame_model(function(levels, number), *_frame(levels, number)) for number in numbers}


def _frame(levels: Levels, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Position and axes of a part's site, in the world or in the frame of its base."""
    part = levels.parts[number]
    position, axes = _site(levels, part.site)
    if not part.base:
        return position, axes
    origin, base = _site(levels, part.base)
    return base.T @ (position - origin), base.T @ axes


def _site(levels: Levels, site: str) -> tuple[np.ndarray, np.ndarray]:
    row, placement = levels.packed.frames[site]
    frame = levels.packed.sections.sweep.frames[row]
    rotation = frame[:9].reshape(3, 3)
    return rotation @ placement[:3, 3] + frame[9:], rotation @ placement[:3, :3]


def switched_on(levels: Levels) -> list[int]:
    """The parts of functions that are switched on and chosen."""
    return [
        number
        for number in levels.functions
        if levels.active[owner := levels.owner[number]]
        and number in levels.choices[owner][levels.chosen[owner]]
        and levels.parts[number].weight[0] > 0.0
    ]


def check_gradients(levels: Levels, q: np.ndarray) -> None:
    """Compare every function's gradient with differences where its site is at q; a GoalError names a wrong one."""
    levels.measure(q)
    for number in switched_on(levels):
        function(levels, number).check_gradient(*_frame(levels, number))


def _plain_rows(levels: Levels) -> np.ndarray:
    """Mask of the rows that count and are no function's."""
    plain = levels.M.weight > 0.0
    for number in levels.functions:
        plain[levels.measuring.rows(number)] = False
    return plain


def keeps(levels: Levels, level: int) -> bool:
    """Whether the rows above a level are held; `ModelDescent` sees to the functions."""
    M, D = levels.M, levels.D
    above = _plain_rows(levels) & (M.level < level) & (D.heavy == 0.0)
    off = np.maximum(M.value - D.held_upper, 0.0) + np.minimum(M.value - D.held_lower, 0.0)
    return bool((np.abs(off[above]) <= KEPT).all())


def total(levels: Levels, level: int, own: Sequence[int]) -> float:
    """The true potential of a level: Σ w ρ² over its rows, and w P of its functions."""
    mine = _plain_rows(levels) & (levels.M.level == level)
    found = float(levels.M.weight[mine] @ levels.measuring.violations()[mine] ** 2)
    return found + sum(float(levels.parts[number].weight[0]) * value(levels, number) for number in own)


def rows_met(levels: Levels, level: int) -> bool:
    """Whether the level's rows that are no function's are near enough to stop."""
    mine = _plain_rows(levels) & (levels.M.level == level)
    return bool((np.abs(levels.measuring.violations()[mine]) <= levels.D.stop[mine]).all())


def write_rows(levels: Levels, number: int, part: Block, level: int | np.ndarray) -> None:
    """Put a model in the place of a part's rows, held at 0 where their levels are above the one being solved."""
    rows = levels.measuring.rows(number)
    levels.measuring.write(number, part, active=True)
    levels.M.level[rows] = level
    levels.D.stop[rows] = -1.0  # a model is never met: it is followed to where it is least
    levels.D.held_lower[rows] = levels.D.held_upper[rows] = 0.0
