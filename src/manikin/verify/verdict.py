"""What the judge found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that must hold and does not; of a motion where it is worst.

    kind: ``"range"``, ``"constraint"`` (a coupling), ``"cone"``, ``"loop"``, ``"hard goal"``; of motions also
    ``"velocity"``, ``"acceleration"`` and ``"jerk"``. name: of the degree of freedom, coupling, joint, loop or goal.
    amount: beyond what is allowed, in `unit`; of a cone, of the square of the swing as a share of its radius. time:
    seconds, of a motion.
    """

    kind: str
    name: str
    amount: float
    unit: str
    time: float | None = None

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        when = "" if self.time is None else f" at {self.time:.3f} s"
        return f"{self.kind} of {self.name!r} by {self.amount:.3g}{unit}{when}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What does not hold: promises of the figure's, goals that are missed, and those whose hard part is, by index.

    by: the goals whose hard part is missed, and how far.
    """

    broken: tuple[Violation, ...] = ()
    missed: tuple[int, ...] = ()
    hard: tuple[int, ...] = ()
    by: tuple[Violation, ...] = ()

    @property
    def met(self) -> bool:
        """Whether everything holds."""
        return not self.broken and not self.missed

    @property
    def feasible(self) -> bool:
        """Whether the figure's own promises and everything hard hold."""
        return not self.broken and not self.hard

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What must hold and does not."""
        return (*self.broken, *self.by)


#: Everything holds.
KEPT = Verdict()
