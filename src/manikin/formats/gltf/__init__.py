"""glTF 2.0 and GLB, and VRM, the characters built on it: skeleton, skin and clips.

y is up, z is forward, metres and seconds; a figure's location turns that into the world's axes. Joints are ball
joints, whose values are 0 where the file's nodes stand; nodes that also move from their place are free joints.
"""

from manikin.formats.gltf.read import read
from manikin.formats.gltf.write import write

__all__ = ["read", "write"]
