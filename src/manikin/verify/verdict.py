"""What the judge found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Broken:
    """A promise of the figure's own that a pose does not keep.

    what: ``"range"``, ``"constraint"``, ``"cone"`` or ``"loop"``. name: of the degree of freedom, the constraint, the
    ball joint or the loop. amount: by how much, in ``unit``; of a cone, the square of the swing as a share of its
    radius, less 1.
    """

    what: str
    name: str
    amount: float
    unit: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What does not hold: promises of the figure's, goals that are missed, and those whose hard part is, by index."""

    broken: tuple[Broken, ...] = ()
    missed: tuple[int, ...] = ()
    hard: tuple[int, ...] = ()

    @property
    def met(self) -> bool:
        """Whether everything holds."""
        return not self.broken and not self.missed

    @property
    def kept(self) -> bool:
        """Whether the figure's own promises and everything hard hold."""
        return not self.broken and not self.hard


#: Everything holds.
KEPT = Verdict()
