"""How figures, poses, solutions and motions show themselves in notebooks, and as a page of their own.

>>> import manikin as mk
>>> from manikin.notebook import page
>>> page(mk.human(), "human.html")                                     # doctest: +SKIP

The page is one file without any other: the shapes, the frames and a small viewer in WebGL that turns with the mouse and
plays motions. Nothing is fetched. In a notebook it stands in a frame of its own; where scripts are not run, as on a
code-hosting site, the picture of the extra ``pictures`` is seen instead.
"""

from manikin.notebook.page import page
from manikin.notebook.show import html, png

__all__ = ["html", "page", "png"]
