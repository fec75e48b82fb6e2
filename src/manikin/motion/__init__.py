"""Motion: clips as data, interpolation, paths, tracking.

A `Motion` is times and values of a figure, C² between its keys. `interpolate` makes one from key frames, `approach`
from one pose to goals along straight lines, `track` from goals that move (`Along` a `Line`, an `Arc`, a `Spline`, a
`Recorded` path) or hold for a while (`During`); `Tracker` does so as a stream. `refined` smooths a tracked clip as a
whole; `manikin.retargeting` takes one over to another figure.
"""

from typing import TYPE_CHECKING, Any

from manikin.motion.motion import Motion

if TYPE_CHECKING:
    from manikin.motion.clip import refined
    from manikin.motion.keyframes import KeyFrames, approach, interpolate
    from manikin.motion.paths import Arc, Line, Path, Recorded, Spline
    from manikin.motion.stream import Tracker
    from manikin.motion.timed import Along, During
    from manikin.motion.tracking import Tracked, track
    from manikin.verify.verdict import Violation

_HOMES = {
    "Along": "timed",
    "Arc": "paths",
    "During": "timed",
    "KeyFrames": "keyframes",
    "Line": "paths",
    "Path": "paths",
    "Recorded": "paths",
    "Spline": "paths",
    "Tracked": "tracking",
    "Tracker": "stream",
    "Violation": "violations",
    "approach": "keyframes",
    "interpolate": "keyframes",
    "refined": "clip",
    "track": "tracking",
}

__all__ = [
    "Along",
    "Arc",
    "During",
    "KeyFrames",
    "Line",
    "Motion",
    "Path",
    "Recorded",
    "Spline",
    "Tracked",
    "Tracker",
    "Violation",
    "approach",
    "interpolate",
    "refined",
    "track",
]


def __getattr__(name: str) -> Any:
    """What needs the solver is imported when first asked for."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"manikin.motion.{home}"), name)
