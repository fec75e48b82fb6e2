"""Captured motion: markers, sensors, and the figures that follow them."""

from typing import TYPE_CHECKING, Any

from manikin.markers.marker_sets import Marker, MarkerSet
from manikin.markers.markers import Markers

if TYPE_CHECKING:
    from manikin.markers.fitting import Fitted, fit
    from manikin.markers.gaps import Gap
    from manikin.markers.landmarks import landmark, marker_set, recognise
    from manikin.markers.packed import Sensor
    from manikin.markers.resize import resized
    from manikin.markers.sensors import SUIT, Sensors, calibrate
    from manikin.markers.tracked import Tracked
    from manikin.markers.tracker import Tracker
    from manikin.markers.virtual import hip_centers, middle, on_frame

__all__ = [
    "SUIT",
    "Fitted",
    "Gap",
    "Marker",
    "MarkerSet",
    "Markers",
    "Sensor",
    "Sensors",
    "Tracked",
    "Tracker",
    "calibrate",
    "fit",
    "hip_centers",
    "landmark",
    "marker_set",
    "middle",
    "on_frame",
    "recognise",
    "resized",
]

_HOMES = {
    "Fitted": "fitting",
    "fit": "fitting",
    "Gap": "gaps",
    "landmark": "landmarks",
    "marker_set": "landmarks",
    "recognise": "landmarks",
    "Sensor": "packed",
    "resized": "resize",
    "SUIT": "sensors",
    "Sensors": "sensors",
    "calibrate": "sensors",
    "Tracked": "tracked",
    "Tracker": "tracker",
    "hip_centers": "virtual",
    "middle": "virtual",
    "on_frame": "virtual",
}


def __getattr__(name: str) -> Any:
    """What comes with the compiled kernels is imported when first asked for."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f"manikin.markers.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
