"""The one family of errors Manikin raises.

Each message says what was wrong, where (file, line, joint, goal) and, where it helps, what to do about it.
"""

from __future__ import annotations


class ManikinError(Exception):
    """Base of every error that Manikin raises on purpose."""


class ManikinWarning(UserWarning):
    """What was done, and is likely not what was meant."""


class FigureError(ManikinError, ValueError):
    """A figure that cannot be built: a cycle, an unknown parent, an empty range, a NaN."""


class PoseError(ManikinError, ValueError):
    """Values that do not fit a figure: a wrong length, an unknown degree of freedom, a NaN."""


class GoalError(ManikinError, ValueError):
    """A goal that makes no sense: an unknown site, a NaN target, a negative weight."""


class SolveError(ManikinError, ValueError):
    """A call of the solver with arguments that it cannot honour."""


class FormatError(ManikinError, ValueError):
    """A file that is missing, broken, or not what its name says."""


class MissingExtraError(ManikinError, ImportError):
    """An optional part is not installed; the message gives the pip command."""


class DeviceError(ManikinError, RuntimeError):
    """A graphics card that is not there, or does not do what it is asked; the message says what is missing."""
