"""BVH, Biovision's hierarchy: a skeleton and one clip, as text.

A joint is an OFFSET from its parent and CHANNELS, rotations in degrees about its own axes in the order written,
which is the order of the product: ``Zrotation Xrotation Yrotation`` is Rz·Rx·Ry. Position channels take the
place of the offset, axis by axis, on any joint. At zero all joints have the axes of the file.

The file says neither its unit nor which way is up: by default one unit is a centimetre and y is up, facing z.
"""

from manikin.formats.bvh.read import read
from manikin.formats.bvh.write import write

__all__ = ["read", "write"]
