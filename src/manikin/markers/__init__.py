"""Captured motion: markers, sensors, and the figures that follow them."""

from manikin.markers.marker_set import Marker, MarkerSet

__all__ = ["Marker", "MarkerSet"]
