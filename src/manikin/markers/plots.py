"""How well a figure follows its markers, drawn: root mean square over time, and each marker's; needs matplotlib."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import MissingExtraError
from manikin.files import whole_file

if TYPE_CHECKING:
    from manikin.markers.tracked import Tracked


def plot_misses(tracked: Tracked, path: str | os.PathLike[str] | None = None) -> Any:
    """Above, the root mean square, the worst marker and the frames with gaps over time; below, every marker's."""
    try:
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise MissingExtraError(
            "a plot needs the package 'matplotlib': pip install 'manikin[plots]'"
        ) from None
    seen = np.isfinite(tracked.marker_errors)
    present = np.flatnonzero(seen.any(axis=0))
    canvas = Canvas(figsize=(8.0, 5.6), layout="constrained")
    above, below = canvas.subplots(2, 1)
    worst = np.where(seen, tracked.marker_errors, 0.0).max(axis=1) if len(present) else np.zeros(len(tracked))
    above.plot(tracked.times, 1e3 * tracked.rms, color="#2a6f97", label="root mean square")
    above.plot(tracked.times, 1e3 * worst, color="#d1495b", linewidth=0.8, label="worst marker")
    gaps = ~seen[:, present].all(axis=1) if len(present) else np.zeros(len(tracked), bool)
    if gaps.any():
        above.plot(
            tracked.times[gaps], np.zeros(int(gaps.sum())), "|", color="0.5", label="a marker is not seen"
        )
    above.set(xlabel="time (s)", ylabel="miss (mm)", ylim=(0.0, None))
    above.legend(frameon=False, fontsize=8)
    summary = {entry["label"]: entry for entry in tracked.summary()["markers"]}
    names = sorted(summary, key=lambda name: -summary[name]["rms"])
    places = np.arange(len(names))
    below.bar(places, [1e3 * summary[name]["greatest"] for name in names], color="#edc9c9", label="greatest")
    below.bar(
        places, [1e3 * summary[name]["rms"] for name in names], color="#2a6f97", label="root mean square"
    )
    below.set_xticks(places, names, rotation=90, fontsize=6)
    below.set_ylabel("miss (mm)")
    below.legend(frameon=False, fontsize=8)
    if path is not None:
        with whole_file(path) as beside:
            canvas.savefig(beside, dpi=120)
    return canvas
