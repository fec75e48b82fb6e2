"""MJCF, MuJoCo's models, read through the `mujoco` package: z up, metres.

MuJoCo compiles the file, with its defaults, units and ways of writing a rotation; the figure is built from what
it made. Only what makes a figure is handed to it: no textures, actuators, sensors or plugins.
"""

from manikin.formats.mjcf.read import read
from manikin.formats.mjcf.write import write

__all__ = ["read", "write"]
