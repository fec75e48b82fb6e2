"""`ArmTracker`: a limb that follows a moving target, one sample a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.closed_form import arm_foresight
from manikin.closed_form.arm_ahead import ArmAhead
from manikin.closed_form.arm_target import number, placement, placements, real, values
from manikin.closed_form.joint_region import JointRegion
from manikin.closed_form.limb_track import LimbTrack
from manikin.closed_form.limited_follower import LimitedFollower
from manikin.errors import SolveError
from manikin.kernels.limb import limb, track as limb_track

if TYPE_CHECKING:
    from manikin.closed_form.arm import Arm

#: What `ArmTracker.status` says, by number. 4 more: the target was beyond reach; 8 more: the limb is on its way to a
#: solution that was too far for one sample; 16 more: it waits, since no such way stays within its ranges.
STATUSES = ("followed", "flipped", "position only", "held")
_INTERPOLATING, _WAITING = 8, 16


class ArmTracker:
    """Follows targets from start values; `q` is where the limb is.

    Each step takes, of all solutions with one angle of shoulder or wrist where it was, the nearest, moved along its
    swivel to the least Σ(θ − θ⁰)². `status` tells how the last target was met: ``"followed"``; ``"flipped"``, when no
    angle could stay and the nearest solution of all was taken; ``"position only"``, the wrist unmoved; ``"held"``, when
    even that had no solution; `projected` tells whether the target was beyond reach and its nearest reachable
    point was taken.

    step: the most that any joint may move a sample, radians. At a flip the limb then leaves the solution and goes over
    to it (`interpolating`) in the fewest samples that step, acceleration and ranges allow, until it has caught up. If
    no such way stays within the ranges, the limb comes to rest (`waiting`).
    acceleration: the most that a step may differ from the last, radians; by default an eighth of `step`.
    """

    def __init__(
        self,
        arm: Arm,
        start: np.ndarray | Sequence[float],
        *,
        step: float | None = None,
        acceleration: float | None = None,
    ) -> None:
        if not hasattr(arm, "limb"):
            raise SolveError(f"arm: a tracker follows an Arm, got {arm!r}")
        if step is not None and not number(step, "the greatest step") > 0.0:
            raise SolveError(f"arm: the greatest step must be positive, got {step!r}")
        if acceleration is not None and not number(acceleration, "the greatest acceleration") > 0.0:
            raise SolveError(f"arm: the greatest acceleration must be positive, got {acceleration!r}")
        self.limb = LimbTrack(arm.limb.spec, None if arm.carried is None else arm.carried.rail)
        """The closed form's seven values, and what their next step begins with."""
        self._virtual = int(self.limb.spec[limb.VIRTUAL])
        self._real = {-1: slice(0, 7), 0: slice(1, 7), 6: slice(0, 6)}[self._virtual]
        self._follower: LimitedFollower | None = None
        if step is not None or acceleration is not None:
            most = np.inf if step is None else step
            change = most / 8.0 if acceleration is None else acceleration
            self._region = JointRegion(self.limb.spec)
            self._follower = LimitedFollower(np.zeros(len(arm.joints)), most, change, self._region)
            self._ahead = ArmAhead(self.limb.spec, self._real, self.limb.step_with)
        self._shown = self.limb.out if self._follower is None else np.zeros((1, 7))
        self.q = self._shown[0, self._real]
        """The values now; the next step overwrites them."""
        self._name = f"arm {arm.site!r}"
        self.restart(start)

    def restart(self, start: np.ndarray | Sequence[float]) -> None:
        """Begin again from other values."""
        seven = values(start, self._virtual)
        if self._follower is not None and not self._region.holds(seven[None, self._real]):
            raise SolveError(
                f"{self._name}: with a greatest step or acceleration the start must be within the limits, got {start!r}"
            )
        self.limb.resume(seven)
        self._begin_again()

    def _begin_again(self) -> None:
        self._shown[0] = self.limb.out[0]
        if self._follower is not None:
            self._follower.restart(self.q)
            self._ahead.restart()

    @property
    def interpolating(self) -> bool:
        """Whether the limb is on its way to a solution that was too far for one step."""
        return self._follower is not None and self._follower.passing

    @property
    def waiting(self) -> bool:
        """Whether no way to the solution stays within the ranges, so that the limb comes to rest, or is."""
        return self._follower is not None and self._follower.waiting

    def step(self, target: Any) -> np.ndarray:
        """The next values, for a target 4×4 in the world; the same array every time, nothing is allocated."""
        self._advance(placement(target))
        return self.q

    @property
    def status(self) -> str:
        """How the last target was met."""
        return STATUSES[int(self.limb.statuses[0]) % 4]

    @property
    def projected(self) -> bool:
        """Whether the last target was beyond reach."""
        return bool(self.limb.statuses[0] >= limb_track.PROJECTED)

    def follow(self, targets: Any) -> tuple[np.ndarray, np.ndarray]:
        """The values (T, n) for targets (T, 4, 4), and how each was met (T,), as numbers into `STATUSES`: 4 more if the
        target was beyond reach, 8 more while the limb goes over to a solution that was too far, 16 more if it waits.

        Like `step` over and over: no sample knows of the next; `foresee` does.
        """
        matrices = placements(targets)
        if self._follower is not None:
            rows, statuses = np.empty((len(matrices), 7)), np.zeros(len(matrices), dtype=np.int64)
            for i, matrix in enumerate(matrices):
                self._advance(matrix)
                rows[i] = self._shown[0]
                statuses[i] = (
                    self.limb.statuses[0] + _INTERPOLATING * self.interpolating + _WAITING * self.waiting
                )
        else:
            rows, statuses = self.limb.run(matrices)
        return real(rows, self._virtual), statuses

    def foresee(self, targets: Any) -> tuple[np.ndarray, np.ndarray]:
        """As `follow`, with the whole path known: the motion whose greatest step is least, then with the least Σ step².

        Over each stretch of samples with solutions; `step` of the tracker limits nothing here. A limb that moves what
        carries it is followed sample by sample instead: no greatest step is promised.
        """
        if self.limb.rail is not None:
            return self.follow(targets)
        rows, statuses = arm_foresight.foresee(self.limb, placements(targets))
        if len(rows):
            self.limb.resume(rows[-1])
            self._begin_again()
            self.limb.statuses[0] = statuses[-1]
        return real(rows, self._virtual), statuses

    def _advance(self, matrix: np.ndarray) -> None:
        """One step of the solution, and towards it within step and acceleration."""
        self.limb.step(matrix)
        if self._follower is not None:
            self._ahead.begin(self.limb.spec, self.limb.out[0], matrix)
            self.q[:] = self._follower.step(self.limb.out[0, self._real], self._ahead)
