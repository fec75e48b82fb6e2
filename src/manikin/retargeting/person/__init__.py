"""Characters and robots as people: the figure of a file with a person's joints, ranges, masses, soles and sites.

A rig's joints turn without limits and its bones weigh nothing. Its roles tell which of them are hips, knees and
shoulders; these become joints with the human figure's coordinates and ranges, so that whatever is known of people, the
posture they take above all, is known of the rig. A robot keeps its own joints and gets sites and a free base.
"""

from manikin.retargeting.person.ease import at_ease
from manikin.retargeting.person.person import Person, person

__all__ = ["Person", "at_ease", "person"]
