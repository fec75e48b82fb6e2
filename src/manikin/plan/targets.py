"""Targets of a prepared problem that change with every call: where each goal's own lies in the packed arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import GoalError, SolveError
from manikin.goals import Goal
from manikin.goals.target import shape_of, target_of, with_target
from manikin.kernels.memory import targets as kernel
from manikin.kernels.memory.path import T_SAMPLES, T_TARGETS
from manikin.kernels.residuals.errors import TARGET, TARGET_AXES
from manikin.kernels.residuals.kinds import KINDS

if TYPE_CHECKING:
    from manikin.engines.lean import Lean
    from manikin.engines.packed_levels import Levels
    from manikin.plan.packing import Packed
    from manikin.residuals import Block


class Handed:
    """Targets that travelled with a call: which goals had some, and how they lie before its block (`kernels.calls`)."""

    __slots__ = ("_places", "first", "shapes", "which")

    def __init__(self, shapes: Sequence[tuple[int, ...] | None], which: tuple[int, ...]) -> None:
        self.shapes, self.which, self.first = shapes, which, kernel.NUMBERS * len(shapes)
        self._places = [
            (k, slice(kernel.NUMBERS * k, kernel.NUMBERS * k + prod(shape)), shape)
            for k in which
            if (shape := shapes[k]) is not None
        ]

    def read(self, whole: np.ndarray) -> dict[int, np.ndarray]:
        """The targets by the index of their goal, from what the call laid out."""
        return {k: whole[place].reshape(shape) for k, place, shape in self._places}


class Targets:
    """The slots that every goal's target is written to.

    shapes: of each goal's target; None where it cannot be handed over. ``where`` holds what the addresses point into,
    so that it lives as long.
    """

    def __init__(
        self, goals: Sequence[Goal], slots: Sequence[tuple[int, int, int]], where: np.ndarray
    ) -> None:
        self.where = where
        self.given = np.zeros(len(goals), np.int64)
        known = {goal for goal, _, _ in slots}
        self.shapes = [shape_of(goal) if k in known else None for k, goal in enumerate(goals)]
        width = [1 if shape is None or len(shape) == 1 else shape[-1] for shape in self.shapes]
        address = where.ctypes.data
        self.width = width
        self.slots = np.array(
            [(goal, form, width[goal], address + 8 * index) for goal, form, index in slots], np.int64
        ).reshape(-1, kernel.SLOT)
        self.table = np.array(
            [self.slots.ctypes.data, len(self.slots), len(goals), self.given.ctypes.data], np.int64
        )
        self.handed = Handed(self.shapes, ())

    def also(self, slots: Sequence[tuple[int, int, int]], where: np.ndarray, index: Sequence[int]) -> None:
        """Write the targets to other arrays as well, whose goal k is number ``index[k]`` here."""
        self.where_also = where
        address = where.ctypes.data
        more = [(index[k], form, self.width[index[k]], address + 8 * at) for k, form, at in slots]
        self.slots = np.concatenate([self.slots, np.array(more, np.int64).reshape(-1, kernel.SLOT)])
        self.table[:2] = self.slots.ctypes.data, len(self.slots)

    def in_call(self, table: np.ndarray) -> np.ndarray:
        """A search's table with targets for it to take, so that one call does both (`memory.path`)."""
        own = table.copy()
        own[T_TARGETS], own[T_SAMPLES] = self.table.ctypes.data, 1
        return own

    def mark(self, marks: Sequence[bool]) -> None:
        """Let the search take the targets of these goals."""
        self.given[:] = marks
        self.handed = Handed(self.shapes, tuple(k for k, mark in enumerate(marks) if mark))

    def usual(self, goals: Sequence[Goal], targets: Any) -> list[np.ndarray | None]:
        """The targets as a search takes them with its call, those goals marked; an error names the goal."""
        if len(targets) != len(self.shapes):
            raise SolveError(
                f"targets: one for each of the {len(self.shapes)} goals is wanted, got {len(targets)}"
            )
        found = [
            None if target is None else self._numbers(goals, k, target) for k, target in enumerate(targets)
        ]
        marks = [target is not None for target in found]
        if marks != self.given.astype(bool).tolist():
            self.mark(marks)
        return found

    def numbers(self, moved: Mapping[int, np.ndarray]) -> np.ndarray:
        """Targets by the index of their goal as they travel with a call, 16 numbers a goal."""
        found = np.zeros((len(self.shapes), kernel.NUMBERS))
        for k, target in moved.items():
            found[k, : target.size] = target.ravel()
        return found.ravel()

    def take(self, goals: Sequence[Goal], targets: Any) -> dict[int, np.ndarray]:
        """Write the targets, one a goal, None leaving one as it is, and return copies; an error names the goal."""
        if len(targets) != len(self.shapes):
            raise SolveError(
                f"targets: one for each of the {len(self.shapes)} goals is wanted, got {len(targets)}"
            )
        taken = {}
        for k, target in enumerate(targets):
            if target is None:
                continue
            taken[k] = self.write(goals, k, target)
        return taken

    def _numbers(self, goals: Sequence[Goal], k: int, target: Any) -> np.ndarray:
        """One target as a new array of the shape that its goal takes; an error names the goal."""
        if type(target) is not np.ndarray and hasattr(target, "as_matrix"):
            target = target.as_matrix()
        try:
            copy = np.array(target, np.float64).view(np.float64)  # what was pickled has a dtype of its own
        except (TypeError, ValueError):
            raise GoalError(f"{goals[k].label()}: its target must be numbers, got {target!r}") from None
        if copy.shape != self.shapes[k]:
            if self.shapes[k] is None:
                raise GoalError(f"{goals[k].label()}: a goal of this kind takes no target in a call; use set")
            raise GoalError(
                f"{goals[k].label()}: its target must have shape {self.shapes[k]}, got {copy.shape}"
            )
        return copy

    def write(self, goals: Sequence[Goal], k: int, target: Any) -> np.ndarray:
        """Write one target and return a copy of it."""
        copy = self._numbers(goals, k, target)
        if not kernel.take_target(self.table, k, copy.ravel()):
            with_target(goals[k], copy)  # raises what the goal itself has to say
            raise GoalError(f"{goals[k].label()}: its rotation is not one to 1e-6: {copy.tolist()}")
        return copy

    def restore(self, goals: Sequence[Goal], which: Sequence[int]) -> None:
        """Write the goals' own targets."""
        for k in which:
            self.write(goals, k, target_of(goals[k]))


def plain_targets(
    packed: Packed, goals: Sequence[Goal], parts: Sequence[Sequence[Block]], first_part: Sequence[int]
) -> Targets:
    """Where the targets of goals of known kinds lie among the numbers of their parts."""
    rows = packed.part_parameters
    begin = (rows.ctypes.data - packed.parameters.ctypes.data) // 8 if len(rows) else 0
    slots = []
    for k, goal in enumerate(goals):
        if goal.takes is None:
            continue
        for number, part in enumerate(parts[k], start=first_part[k]):
            at = begin + number * rows.shape[1]
            if part.target == "point":
                slots.append((k, kernel.POINT, at + TARGET))
            else:
                slots.append((k, kernel.COLUMNS, at + TARGET_AXES))
    return Targets(goals, slots, packed.parameters)


def level_targets(levels: Levels, lean: Lean | None = None) -> Targets:
    """The same among the parameters of measures, for goals without alternatives; and of those without objectives."""
    slots = _level_slots(levels)
    own = Targets(levels.goals, slots, levels.measuring.mr)
    if lean is not None:
        own.also(_level_slots(lean.levels), lean.levels.measuring.mr, lean.index)
    return own


def _level_slots(levels: Levels) -> list[tuple[int, int, int]]:
    """(goal, form, index) of every target among the measures' parameters."""
    m, mr = levels.measuring.sections, levels.measuring.mr
    begin = (m.parameters.ctypes.data - mr.ctypes.data) // 8
    slots: list[tuple[int, int, int]] = []
    for k, goal in enumerate(levels.goals):
        if goal.takes is None or len(levels.choices[k]) != 1:
            continue
        found = [_part_slot(levels, number, begin + int(m.offset[number])) for number in levels.choices[k][0]]
        if all(slot is not None for slot in found):
            slots += [(k, *slot) for slot in found if slot is not None]
    return slots


def _part_slot(levels: Levels, number: int, at: int) -> tuple[int, int] | None:
    """Form and index of a part's target; None where it cannot be written so."""
    part = levels.parts[number]
    where = KINDS[part.kind].targets.get(part.target)
    if where is None:
        return None
    if part.target == "point":
        return kernel.POINT, at + where
    return kernel.FIRST_COLUMN + part.components[0] if part.components else kernel.ROWS, at + where
