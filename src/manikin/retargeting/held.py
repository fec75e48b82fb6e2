"""Contacts made exact: the clip nearest to another whose standing parts stand and whose hands are where they touch.

Frame by frame, with q⁰ the clip given, r the rows of the contacts and W their weights,

    minimise  ‖q − q⁰‖² + rᵀ W r   inside the ranges,

by Gauss and Newton in its dual form, d = e − Aᵀ(1 + A Aᵀ)⁻¹(b + A e) with A = √W J, b = √W r and e = q⁰ − q: one system
as large as the contacts have rows, all frames at once. A coordinate that would leave its range is set on its end, and
the others solved again. A touch is a row between two sites, hand less part less the way between them, so neither is led
after the other. Weights that grow before a contact and fade after it keep what follows as smooth as q⁰.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from manikin.figure import Figure
from manikin.goals import Position
from manikin.motion.edit import brought_in
from manikin.motion.wishes import Wish, linearised, residuals, scales
from manikin.retargeting.contacts import spans

#: Steps at most, the longest in any coordinate, and the change below which they end.
_STEPS, _LONGEST, _SMALL = 12, 0.3, 1e-7
#: Metres by which a touch may be missed without being given up, and what weighs then, beside 1 of a coordinate.
_FAR, _WISHED = 5e-3, 100.0
#: How often a step is solved again with more coordinates on the ends of their ranges.
_ROUNDS = 6


@dataclass(frozen=True, eq=False)
class Touch:
    """A site that is to be a way, (T, 3), from another site, with weights, (T,)."""

    hand: str
    part: str
    way: np.ndarray
    weights: np.ndarray


class Contacts:
    """What stands and what touches in every frame of a clip; `held` makes it so.

    stands: positions and orientations with their weights, 0 where a part does not stand. directions: gives `basis`,
    when it is first needed.
    """

    def __init__(
        self,
        figure: Figure,
        stands: Sequence[Wish],
        touches: Sequence[Touch],
        directions: Callable[[], np.ndarray],
    ) -> None:
        self.figure, self._directions = figure, directions
        self.stands, self.touches = list(stands), list(touches)

    @cached_property
    def basis(self) -> np.ndarray:
        """Directions (n, m) along which coordinates move."""
        return self._directions()

    def touching(self, count: int) -> np.ndarray:
        """(T,): where some hand touches something, or nearly does."""
        found = np.zeros(count, bool)
        for touch in self.touches:
            found |= touch.weights > 0.0
        return found

    def like(self, q: np.ndarray) -> Contacts:
        """The contacts as a clip q (T, n) has them, in place of what they should be: q itself keeps all of them."""
        frames = self.figure.forward(q, [w.site for w in self.stands]) if self.stands else None
        stands = []
        for k, wish in enumerate(self.stands):
            assert frames is not None
            targets = frames[:, k, :3, 3] if isinstance(wish.goal, Position) else frames[:, k, :3, :3]
            stands.append(Wish(wish.goal, targets, wish.weights))
        touches = [Touch(t.hand, t.part, t.way + self._open(t, q), t.weights) for t in self.touches]
        return Contacts(self.figure, stands, touches, lambda: self.basis)

    def reachable(self, q: np.ndarray) -> Contacts | None:
        """The contacts with touches that q (T, n), made to hold them, misses by more than `_FAR` only wished for.

        None where it misses none so far. Arms that are too short would bend the whole body for nothing.
        """
        touches, changed = [], False
        for touch in self.touches:
            off, weights = np.linalg.norm(self._open(touch, q), axis=1), touch.weights.copy()
            for low, high in spans(weights > 0.0):
                firm = weights[low:high] >= touch.weights.max()
                if (off[low:high][firm] > _FAR).any():
                    weights[low:high] *= _WISHED / touch.weights.max()
                    changed = True
            touches.append(Touch(touch.hand, touch.part, touch.way, weights))
        return Contacts(self.figure, self.stands, touches, lambda: self.basis) if changed else None

    def held(self, q: np.ndarray, frames: np.ndarray) -> np.ndarray:
        """The clip q (T, n) with the contacts of the frames named, (T,) of bool, as they should be."""
        chosen = np.flatnonzero(frames)
        result = q.copy()
        if len(chosen):
            result[chosen] = self._nearest(q[chosen], chosen)
            some = chosen[self.touching(len(q))[chosen]]
            if len(some):
                # Where hands cannot have all that they want, feet stand all the same.
                stand = Contacts(self.figure, self.stands, [], lambda: self.basis)
                result[some] = stand._nearest(result[some], some)
        return result

    def _nearest(self, given: np.ndarray, frames: np.ndarray) -> np.ndarray:
        some = self._at(frames)
        if not some.stands and not some.touches:
            return given
        figure, basis = self.figure, self.basis
        q = brought_in(figure, given)
        best, least = q, some.cost(given, q)
        left = np.arange(len(q))
        for _ in range(_STEPS):
            here = some._at(left)
            e = (given[left] - q[left]) @ basis
            A, b = here._rows(q[left])
            d = _inside(A, b, e, *_room(figure, q[left], basis))
            d *= np.minimum(1.0, _LONGEST / np.maximum(np.abs(d).max(axis=1, keepdims=True), 1e-12))
            new = brought_in(figure, q[left] + d @ basis.T)
            moved = np.abs(new - q[left]).max(axis=1)
            q = q.copy()
            q[left] = new
            cost = here.cost(given[left], new)
            better = cost < least[left]
            best = best.copy()
            best[left[better]], least[left[better]] = new[better], cost[better]
            left = left[moved > _SMALL]
            if len(left) == 0:
                break
        return best

    def _at(self, frames: np.ndarray) -> Contacts:
        """The contacts of some frames."""
        stands = [Wish(w.goal, w.targets[frames], w.weights[frames]) for w in self.stands]
        touches = [Touch(t.hand, t.part, t.way[frames], t.weights[frames]) for t in self.touches]
        return Contacts(
            self.figure,
            [w for w in stands if w.weights.any()],
            [t for t in touches if t.weights.any()],
            lambda: self.basis,
        )

    def cost(self, given: np.ndarray, q: np.ndarray) -> np.ndarray:
        """What is minimised, (T,)."""
        total = ((q - given) ** 2).sum(axis=1)
        for wish, r in zip(self.stands, residuals(self.figure, q, self.stands), strict=True):
            total += wish.weights * ((r * scales(wish.goal)) ** 2).sum(axis=1)
        for touch in self.touches:
            total += touch.weights * (self._open(touch, q) ** 2).sum(axis=1)
        return total

    def _open(self, touch: Touch, q: np.ndarray) -> np.ndarray:
        at = self.figure.forward(q, [touch.hand, touch.part])[:, :, :3, 3]
        found: np.ndarray = at[:, 0] - at[:, 1] - touch.way
        return found

    def _rows(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A (T, rows, m) and b (T, rows)."""
        slopes, misses = [], []
        for wish, (r, jacobian) in zip(self.stands, linearised(self.figure, q, self.stands), strict=True):
            s = scales(wish.goal) * np.sqrt(wish.weights)[:, None]
            slopes.append(jacobian * s[:, :, None])
            misses.append(r * s)
        for touch in self.touches:
            s = np.sqrt(touch.weights)[:, None]
            both = self.figure.jacobian(q, touch.hand)[:, :3] - self.figure.jacobian(q, touch.part)[:, :3]
            slopes.append(both * s[:, :, None])
            misses.append(self._open(touch, q) * s)
        return np.concatenate(slopes, axis=1) @ self.basis, np.concatenate(misses, axis=1)


def _room(figure: Figure, q: np.ndarray, basis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far each direction may go down and up, (T, m), before some coordinate leaves its range."""
    low = np.full((len(q), basis.shape[1]), -np.inf)
    high = np.full_like(low, np.inf)
    for row, column in zip(*np.nonzero(basis), strict=True):
        size = basis[row, column]
        one, two = (figure.lower[row] - q[:, row]) / size, (figure.upper[row] - q[:, row]) / size
        low[:, column] = np.maximum(low[:, column], np.minimum(one, two))
        high[:, column] = np.minimum(high[:, column], np.maximum(one, two))
    return np.minimum(low, 0.0), np.maximum(high, 0.0)


def _inside(A: np.ndarray, b: np.ndarray, e: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The step (T, m), with directions that would leave their ranges on the ends of them."""
    at, free = np.zeros_like(e), np.ones_like(e)
    eye = np.eye(A.shape[1])
    d = at
    for _ in range(_ROUNDS):
        open_ = A * free[:, None, :]
        known = b + np.einsum("trm,tm->tr", A, at * (1.0 - free)) + np.einsum("trm,tm->tr", open_, e)
        y = np.linalg.solve(eye + open_ @ np.swapaxes(open_, 1, 2), known[..., None])[..., 0]
        d = np.where(free > 0.0, e - np.einsum("trm,tr->tm", open_, y), at)
        out = (free > 0.0) & ((d < low - 1e-12) | (d > high + 1e-12))
        if not out.any():
            break
        at = np.where(out, np.clip(d, low, high), at)
        free = np.where(out, 0.0, free)
    return np.clip(d, low, high)
