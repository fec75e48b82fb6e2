"""Reads a joint's motion: ``"R(z)*T(0,1,1)"``, ``"ball"``, ``"free"``, ``"planar"``, ``"fixed"``.

A motion is a product of steps. Each step is of one of the kinds in `joints` (about or along z), carried to its axis by
a rotation Q: step(a) = Q · kind(a) · Qᵀ, with Q z the axis. For the axes ±x, ±y, ±z the matrix Q only
permutes coordinates, so nothing is rounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from manikin.errors import FigureError
from manikin.figure import transforms
from manikin.figure.joints import KINDS, JointKind, kind_named

_LETTERS = {"x": 0, "y": 1, "z": 2}
_STEP = re.compile(r"\s*([A-Za-z_]\w*)\s*\(([^()]*)\)\s*")
_GRAMMAR = "write 'fixed', 'ball', 'ball(x)', 'free', 'planar' or a product such as 'R(z)*R(-x)*T(0,1,1)'"


@dataclass(frozen=True, eq=False)
class Step:
    """One motion of the tree: kind, the rotation Q with Q z its axis, a label and unit a value."""

    kind: JointKind
    turn: np.ndarray
    labels: tuple[str, ...]
    units: tuple[str, ...]

    @property
    def inverse(self) -> tuple[JointKind, np.ndarray, float]:
        """The kind, Q and the factor on the values that undo this step.

        A one-axis step is undone by the same value about the opposite axis. For the others the values change
        sign: (exp(s)·Rz(t))⁻¹ = Rz(−t)·exp(−s), and exp(w)⁻¹ = exp(−w).
        """
        name, opposite, factor = self.kind.inverse
        turn = self.turn @ np.diag([1.0, -1.0, -1.0]) if opposite else self.turn
        return kind_named(name), turn, factor


def parse_motion(text: str, where: str) -> tuple[Step, ...]:
    """The steps of a motion, in order; none for ``"fixed"``."""
    if not isinstance(text, str):
        raise FigureError(f"{where}: the motion must be a string, got {text!r}; {_GRAMMAR}")
    steps = _KNOWN.get(text)
    if steps is None:
        steps = _steps(text.strip(), where)
        if len(_KNOWN) < _MOST_KNOWN:
            _KNOWN[text] = steps
    return steps


# Motions read before: figures have few kinds, many times.
_KNOWN: dict[str, tuple[Step, ...]] = {}
_MOST_KNOWN = 1024


def _steps(word: str, where: str) -> tuple[Step, ...]:
    if word == "fixed":
        return ()
    if word == "free":
        slides = [_step("T", axis, where) for axis in "xyz"]
        return (*slides, _around(kind_named("rotation_vector"), "z", where))
    if word == "planar":
        yaw = _step("R", "z", where)
        slides = [_step("T", axis, where) for axis in "xy"]
        return (*slides, Step(yaw.kind, yaw.turn, ("yaw",), yaw.units))
    if word in _words():
        return (_step(word, "z", where),)
    return _product(word, where)


def _words() -> dict[str, JointKind]:
    """The kinds that have a word, by it."""
    return {kind.word: kind for kind in KINDS.values() if kind.word}


def _product(word: str, where: str) -> tuple[Step, ...]:
    parts = word.split("*")
    steps = []
    for part in parts:
        match = _STEP.fullmatch(part)
        if match is None or match[1] not in _words():
            raise FigureError(f"{where}: cannot read {part.strip()!r} in the motion {word!r}; {_GRAMMAR}")
        step = _step(match[1], match[2], where)
        if step.kind.size > 1:
            if len(parts) > 1:
                raise FigureError(
                    f"{where}: a {step.kind.word} cannot be a factor of the product {word!r}; {_GRAMMAR}"
                )
            return (step,)
        steps.append(step)
    return _distinct(steps)


def parse_axis(text: str, where: str) -> np.ndarray:
    """The unit vector of ``"x"``, ``"-z"`` or ``"0, 1, 1"``."""
    word = text.replace(" ", "")
    sign = -1.0 if word.startswith("-") else 1.0
    letter = word.lstrip("+-")
    if letter in _LETTERS and len(word) <= 2:
        return sign * np.eye(3)[_LETTERS[letter]]
    try:
        axis = np.array([float(entry) for entry in word.split(",")])
    except ValueError:
        raise FigureError(f"{where}: cannot read the axis {text!r}; write x, -y or three numbers") from None
    return unit(axis, where)


def unit(axis: np.ndarray, where: str) -> np.ndarray:
    """`axis` at length one; an axis of no length or of NaN is an error."""
    if axis.shape != (3,):
        raise FigureError(f"{where}: an axis has three numbers, got {axis.tolist()}")
    largest = np.abs(axis).max()
    if not np.isfinite(largest):
        raise FigureError(f"{where}: the axis must be finite, got {axis.tolist()}")
    if largest == 0.0:
        raise FigureError(f"{where}: the axis is zero; it has no direction")
    scaled = axis / largest
    return scaled / np.linalg.norm(scaled)


def align(axis: np.ndarray) -> tuple[np.ndarray, tuple[str, str, str]]:
    """Q with Q z = axis, and its columns' names: letters for the axes ±x, ±y, ±z, otherwise empty.

    The columns before an aligned axis are the two other coordinate axes, in right-handed order.
    """
    k = int(np.argmax(np.abs(axis)))
    if abs(axis[k]) < 1.0 or np.count_nonzero(axis) > 1:
        return transforms.basis(axis), ("", "", "")
    first, second = (k + 1) % 3, (k + 2) % 3
    if axis[k] < 0.0:
        first, second = second, first
    eye = np.eye(3)
    return np.column_stack([eye[first], eye[second], axis]), ("xyz"[first], "xyz"[second], "xyz"[k])


def _step(word: str, axis: str, where: str) -> Step:
    return _around(_words()[word], axis, where)


def _around(kind: JointKind, axis: str, where: str) -> Step:
    """A motion of a kind about an axis."""
    turn, letters = align(parse_axis(axis, where))
    return Step(kind, turn, kind.labels(letters), kind.units)


def _distinct(steps: list[Step]) -> tuple[Step, ...]:
    """Distinct labels: a slide that shares a turn's letter gets a t, repeats and odd axes a number."""
    turns = {step.labels[0] for step in steps if step.kind.turns}
    labels = []
    for position, step in enumerate(steps, start=1):
        label = step.labels[0]
        if not label:
            label = str(position)
        elif step.kind.slides and label in turns:
            label = "t" + label
        labels.append(label)
    result = []
    for position, (step, label) in enumerate(zip(steps, labels, strict=True)):
        if labels.count(label) > 1:
            label = f"{label}{labels[: position + 1].count(label)}"
        result.append(Step(step.kind, step.turn, (label,), step.units))
    return tuple(result)
