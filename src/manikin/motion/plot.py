"""Plots of a motion: values against time, in their ranges; they need the extra ``plots``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import MissingExtraError, PoseError
from manikin.files import whole_file

if TYPE_CHECKING:
    from manikin.motion.motion import Motion

_WORDS = ("", " velocity", " acceleration", " jerk")
_MOST = 24


def plot(motion: Motion, path: Any, dofs: Any, derivative: int, samples: int) -> Any:
    """One panel a degree of freedom: the curve, the keys as points, what is out of its range shaded.

    Angles are in degrees. At most 24 panels unless more are named; those that move most come first.
    """
    try:
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise MissingExtraError(
            "a plot needs the package 'matplotlib': pip install 'manikin[plots]'"
        ) from None
    figure = motion.figure
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 2:
        raise PoseError(f"plot: samples must be a whole number above 1, got {samples!r}")
    chosen = _moving(motion) if dofs is None else figure.select(dofs).tolist()
    times = np.linspace(motion.times[0], motion.times[-1], samples)
    curves, keys = motion.values(times, derivative), motion.values(None, derivative)
    across = 1 if len(chosen) < 4 else 2 if len(chosen) < 12 else 3
    down = -(-len(chosen) // across)
    canvas = Canvas(figsize=(4.6 * across, 1.7 * down + 0.6), layout="constrained")
    panels = canvas.subplots(down, across, squeeze=False, sharex=True)
    for panel in panels.ravel()[len(chosen) :]:
        panel.set_visible(False)
    for k, panel in zip(chosen, panels.ravel(), strict=False):
        dof = figure.dof(figure.dofs[k])
        scale, unit = (np.degrees(1.0), "°") if dof.unit == "rad" else (1.0, dof.unit)
        unit += ("", "/s", "/s²", "/s³")[derivative]
        panel.plot(times, scale * curves[:, k], color="#2f6f8f", linewidth=1.4)
        if len(motion) <= 60:
            panel.plot(motion.times, scale * keys[:, k], "o", color="#d9822b", markersize=3)
        _shade(panel, scale * _ends(motion, k, derivative), scale * curves[:, k])
        panel.set_title(f"{dof.name}{_WORDS[derivative]} ({unit})", fontsize=8, loc="left")
        panel.tick_params(labelsize=7)
        panel.margins(x=0.0)
    for panel in panels[-1]:
        panel.set_xlabel("s", fontsize=8)
    canvas.suptitle(motion.name or figure.name, fontsize=10)
    if path is not None:
        suffix = Path(path).suffix.lower().lstrip(".")
        if suffix not in ("png", "pdf", "svg"):
            raise PoseError(f"plot: {path}: plots are written as .png, .pdf or .svg")
        with whole_file(path) as beside:
            canvas.savefig(beside, format=suffix, dpi=110)
    return canvas


def _moving(motion: Motion) -> list[int]:
    """The degrees of freedom that move, those that move most, for their range, first; at most 24."""
    figure = motion.figure
    way = np.ptp(motion.q, axis=0)
    width = figure.upper - figure.lower
    share = way / np.where(np.isfinite(width) & (width > 0.0), width, 2.0)
    order = np.argsort(-share, kind="stable")
    return sorted(int(k) for k in order[:_MOST] if way[k] > 1e-9) or [0]


def _ends(motion: Motion, k: int, derivative: int) -> np.ndarray:
    figure = motion.figure
    if derivative == 0:
        return np.array([figure.lower[k], figure.upper[k]])
    if derivative == 1:
        return np.array([-figure.velocity[k], figure.velocity[k]])
    return np.array([-np.inf, np.inf])


def _shade(panel: Any, ends: np.ndarray, curve: np.ndarray) -> None:
    """What is outside of the range, as far as it is near enough to be seen."""
    low, high = float(curve.min()), float(curve.max())
    margin = 0.15 * max(high - low, 1e-3)
    near = max(high - low, 1e-3)
    bottom, top = low - margin, high + margin
    if ends[0] > bottom - near:
        bottom = min(bottom, float(ends[0]) - margin)
        panel.axhspan(bottom, float(ends[0]), color="#d9822b", alpha=0.18, linewidth=0)
    if ends[1] < top + near:
        top = max(top, float(ends[1]) + margin)
        panel.axhspan(float(ends[1]), top, color="#d9822b", alpha=0.18, linewidth=0)
    panel.set_ylim(bottom, top)
