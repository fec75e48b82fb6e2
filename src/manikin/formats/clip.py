"""A motion as files hold it: a figure, times, and a value for each degree of freedom at each time."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.errors import PoseError
from manikin.figure import Figure
from manikin.figure.checks import frozen


class Motion:
    """Poses of a figure at times, (T,) seconds, strictly increasing; values (T, n), rad or m."""

    def __init__(self, figure: Figure, times: Any, values: Any, *, name: str = "") -> None:
        self.figure, self.name = figure, name
        self.times, self.q = frozen(times), frozen(values)
        if self.times.ndim != 1 or self.q.shape != (len(self.times), figure.n) or not len(self.times):
            raise PoseError(
                f"motion {name!r}: expected values ({self.times.shape}, {figure.n}), got {self.q.shape}"
            )
        if not np.isfinite(self.times).all() or not np.isfinite(self.q).all():
            raise PoseError(f"motion {name!r}: times and values must be finite")
        if not (np.diff(self.times) > 0.0).all():
            raise PoseError(f"motion {name!r}: times must be strictly increasing")
