"""What seeds move: joints that missed goals depend on and met ones do not. All others are as in the start.

A hand that misses its goal is no reason to fling the other about, nor a leg, nor the base that carries them: only the
arm takes other values, and the steps from there move the rest as far as they have to. A goal counts as met where both
the start and the end of its own search meet it. Where every joint of the missed goals moves met ones too, all of these
joints are moved; and where a first round of seeds fails, everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.kernels.rows.errors import TOLERANCE, WEIGHT

if TYPE_CHECKING:
    from manikin.solvers.methods.least_squares import LeastSquares
    from manikin.solvers.pack.packing import Packed


def move_what_misses(
    packed: Packed, fast: LeastSquares, start: np.ndarray, misses: np.ndarray | None
) -> None:
    """Let seeds move what the missed goals alone depend on, or with None everything.

    misses: of each part, where the search from the start ended.
    """
    if fast.one_site:  # which everything moves
        return
    kept = None if misses is None else _kept(packed, fast, start, misses)
    key = b"" if kept is None else kept.tobytes()
    if key == fast.kept:
        return
    fast.kept = key
    if kept is None:
        concerned = np.ones(len(fast.low), bool)
    else:
        concerned = _concerned(fast.moves, kept, packed.part_parameters[:, WEIGHT] > 0.0)
    fast.concerned = None if concerned.all() else concerned
    # About the start, by nothing: where it is.
    fast.bounds.low[:] = np.where(concerned, fast.low, -np.inf)
    fast.bounds.width[:] = np.where(concerned, fast.width, 0.0)


def _kept(packed: Packed, fast: LeastSquares, start: np.ndarray, misses: np.ndarray) -> np.ndarray | None:
    """Whether each part is met or switched off; None where none is: asked often, and told without arrays."""
    parameters = packed.part_parameters
    allowed, weights = parameters[:, TOLERANCE].tolist(), parameters[:, WEIGHT].tolist()
    parts = zip(misses.tolist(), allowed, weights, strict=True)
    if not any(miss <= enough or weight == 0.0 for miss, enough, weight in parts):
        return None
    kept = misses <= parameters[:, TOLERANCE]
    if kept.any():
        kept &= fast.misses(start) <= parameters[:, TOLERANCE]
    kept |= parameters[:, WEIGHT] == 0.0
    return kept if kept.any() else None


def _concerned(moves: np.ndarray, kept: np.ndarray, on: np.ndarray) -> np.ndarray:
    """The variables to move, of those that move each part; all, where no missed part is moved by any."""
    missed = moves[~kept].any(axis=0)
    own = missed & ~moves[kept & on].any(axis=0)
    if own.any():
        return own
    return missed if missed.any() else np.ones_like(missed)


def general_seeds(packed: Packed, fast: LeastSquares, start: np.ndarray) -> np.ndarray:
    """Seeds for any goals, (count, variables): the rest pose, unless that is the start, and the middle of the ranges.

    In the middle joints have room to either side: four poses of a humanoid are found from there in 75 to 90 % of cases,
    from rest in half of them. What has no limits is as in the start, and what misses no goal too.
    """
    varying = start if fast.all_vary else start[packed.variables]
    if fast.concerned is None and fast.limited_all:
        return fast.general if varying.tobytes() != fast.rest_bytes else fast.general[1:]
    made = fast.general.copy()
    made[1, ~fast.limited] = varying[~fast.limited]
    if fast.concerned is not None:
        made[:, ~fast.concerned] = varying[~fast.concerned]
    return made[1:] if np.array_equal(made[0], varying) else made
