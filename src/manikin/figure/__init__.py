"""Figures: segments, joints, sites, and the poses they take."""

from manikin.figure.coupling import Coupling
from manikin.figure.curve import Curve
from manikin.figure.dofs import Dof
from manikin.figure.figure import Figure
from manikin.figure.joint import Follow, Joint
from manikin.figure.loop import Loop
from manikin.figure.pose import Pose
from manikin.figure.segment import Segment, Shape, Site
from manikin.figure.swing import Cone, Ellipse, Polygon
from manikin.figure.tree import Tree

__all__ = [
    "Cone",
    "Coupling",
    "Curve",
    "Dof",
    "Ellipse",
    "Figure",
    "Follow",
    "Joint",
    "Loop",
    "Polygon",
    "Pose",
    "Segment",
    "Shape",
    "Site",
    "Tree",
]
