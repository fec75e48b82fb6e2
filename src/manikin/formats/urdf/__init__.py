"""URDF, the Unified Robot Description Format: z up, metres, radians; fixed-axis roll, pitch, yaw, Rz·Ry·Rx."""

from manikin.formats.urdf.read import load_urdf, read
from manikin.formats.urdf.write import write

__all__ = ["load_urdf", "read", "write"]
