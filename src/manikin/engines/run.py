"""What a solve goes on with: nothing, or what the solves before it in a run have left."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from manikin.kernels.memory.path import ANCHORED, CONTINUES, FRESH, ON_PATH


@dataclass(frozen=True, eq=False)
class Run:
    """Where a run of solves stands; it never changes, so whoever prepares something for it can tell.

    search: what the next search goes on with (`kernels.memory.path`); posture: the same of the natural posture, which
        reads its stance off the first start of a run.
    anchor: the pose that `Pin` and its kin mean, and a base that no goal places; None: the start of each solve.
    on_path: whether objectives that mean the start mean the anchor too; follows: whether the search goes on along one.
    objectives: the pose that they mean where several solves answer one call.
    """

    search: int = FRESH
    posture: int = FRESH
    anchor: np.ndarray | None = None
    on_path: bool = False
    follows: bool = False
    objectives: np.ndarray | None = None

    def went_on(self, quickly: bool) -> Run:
        """After a solve, by the quick search alone or not; the next begins where it ended."""
        if self.anchor is None:
            return self
        search = self.search
        if search != FRESH:
            search = ON_PATH if self.on_path else CONTINUES if quickly else ANCHORED
        return self._with(search, CONTINUES if quickly else ANCHORED)

    def cooled(self, posture: int | None = None) -> Run:
        """The next search may begin anywhere: only the anchor goes on; posture: with this stance."""
        search = min(self.search, ANCHORED)
        if self.follows and search == ANCHORED:
            search = ON_PATH
        return self._with(search, min(self.posture if posture is None else posture, ANCHORED))

    def _with(self, search: int, posture: int) -> Run:
        same = (search, posture) == (self.search, self.posture)
        return self if same else replace(self, search=search, posture=posture)

    def meaning(self, begun: np.ndarray) -> np.ndarray:
        """The pose that what is kept means in a solve from ``begun``."""
        return begun if self.anchor is None else self.anchor

    def objectives_start(self, begun: np.ndarray) -> np.ndarray:
        """The pose that objectives mean which mean the start: on a path that of the path."""
        if self.objectives is not None:
            return self.objectives
        return self.meaning(begun) if self.on_path else begun
