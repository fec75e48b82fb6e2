"""Pictures and animations of figures without a screen; they need the extra ``pictures``.

>>> from manikin.pictures import picture
>>> picture(solution, "result.png")                          # doctest: +SKIP
>>> picture([start, solution], "both.png", captions=["start", "found"])  # doctest: +SKIP
"""

from manikin.pictures.animation import animate
from manikin.pictures.camera import VIEWS, Camera
from manikin.pictures.picture import picture, side_by_side
from manikin.pictures.strip import strip

__all__ = ["VIEWS", "Camera", "animate", "picture", "side_by_side", "strip"]
