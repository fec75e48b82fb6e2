"""URDF, the Unified Robot Description Format."""

from manikin.formats.urdf.read import load_urdf, read

__all__ = ["load_urdf", "read"]
