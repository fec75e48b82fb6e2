"""A joint of a Peabody file, with what its extension says, as a joint of a figure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from manikin.errors import FigureError
from manikin.figure import Joint, checks
from manikin.formats import record
from manikin.formats.contents import Names, Notes
from manikin.formats.peabody.factors import default_names, factors, values_of
from manikin.formats.peabody.grammar import Grammar, JointText

#: What a value of the file and one of the extension may differ by and still be the same.
_SAME = 1e-9


class JointReader:
    """Makes the joints of one figure; `values` has the displacements of their axes by name."""

    def __init__(self, joints: Iterable[JointText], grammar: Grammar, notes: Notes, base: str) -> None:
        self.grammar, self.notes = grammar, notes
        self.values: dict[str, float] = {}
        self._names = Names(["root"] if base != "fixed" else [])
        given = [axis.get("name") for joint in joints for axis in joint.extension.get("axes", ())]
        self._dof_names = Names(name for name in given if name is not None)

    def joint(
        self,
        text: JointText,
        segments: tuple[str, str],
        placements: tuple[np.ndarray, np.ndarray],
        backwards: bool,
    ) -> Joint:
        """The joint between two segments, parent and child, at these frames in them.

        backwards: the child is what the file connects first. Rows become columns: the factors come in the other order;
            backwards they come in theirs, about opposite axes.
        """
        name = self._names.unique(str(text.extension.get("name", text.name)))
        columns = {word: self._column(text, word) for word in ("llimit", "ulimit", "displacement")}
        if backwards and text.extension.keys() - {"name"}:
            self._refuse(text, "the joint points the other way")
        elif text.extension.get("motion") is None:
            return self._product(text, name, segments, placements, columns, text.extension)
        elif _has_type(text, text.extension["motion"]):
            return self._special(text, name, segments, placements, columns)
        else:
            self._refuse(text, "the type of the joint is another one")
        return self._product(text, name, segments, placements, columns, {}, backwards)

    def _product(
        self,
        text: JointText,
        name: str,
        segments: tuple[str, str],
        placements: tuple[np.ndarray, np.ndarray],
        columns: dict[str, list[float | None]],
        extension: dict[str, Any],
        backwards: bool = False,
    ) -> Joint:
        """A joint whose motion is the product of its factors."""
        count = len(text.factors)
        if not count:
            return Joint(name, *segments, "fixed", *placements)
        order = list(range(count)) if backwards else list(range(count))[::-1]
        steps = []
        for k in order:
            letter, direction = text.factors[k]
            if backwards:
                direction = ",".join(repr(0.0 - float(entry)) for entry in direction.split(","))
            steps.append(f"{letter}({direction})")
        product = "*".join(f"{letter}({axis})" for letter, axis in text.factors)
        names = [default_names(text.name, product)[k] for k in order]
        lower, upper, displacement = ([column[k] for k in order] for column in columns.values())
        axes = self._axes(text, extension, count)
        rest: list[float | None] = []
        for axis, value, low, high in zip(axes, displacement, lower, upper, strict=True):
            wanted = axis.get("rest", value)
            inside = (
                wanted is not None and (low is None or low <= wanted) and (high is None or wanted <= high)
            )
            rest.append(wanted if inside else None)
            if "rest" in axis and not inside:
                self.notes.left_out(f"joint {text.name!r}", f"its rest {wanted:g} is outside its range")
        options = self._options(axes, names, rest)
        made = Joint(name, *segments, "*".join(steps), *placements, lower=lower, upper=upper, **options)
        self._note_values(made, displacement)
        return made

    def _special(
        self,
        text: JointText,
        name: str,
        segments: tuple[str, str],
        placements: tuple[np.ndarray, np.ndarray],
        columns: dict[str, list[float | None]],
    ) -> Joint:
        """A joint with a motion that the language has no word for."""
        motion = text.extension["motion"]
        bare = Joint(text.name, *segments, motion)
        axes = self._axes(text, text.extension, len(bare.axes))
        values = [checks.number(axis.get("value", 0.0), f"joint {text.name!r}: value") for axis in axes]
        for value in values:
            if abs(value) > checks.GREATEST:
                raise FigureError(f"joint {text.name!r}: a value of its extension {checks.amiss(value)}")
        found = factors(bare, values)
        for k, factor in enumerate(found):
            ends = {"lower": columns["llimit"][k], "upper": columns["ulimit"][k]}
            if factor.axis is not None:
                axes[bare.axes.index(factor.axis)].update(ends)
            elif ends["lower"] is not None or ends["upper"] is not None:
                self.notes.left_out(
                    f"joint {text.name!r}", f"limits of Euler angles; its motion is {motion!r}"
                )
        made = Joint(
            name,
            *segments,
            motion,
            *placements,
            lower=[axis.get("lower") for axis in axes],
            upper=[axis.get("upper") for axis in axes],
            swing=record.swing_from(text.extension.get("swing")),
            **self._options(axes, [axis.name for axis in bare.axes], [axis.get("rest") for axis in axes]),
        )
        at = [0.0 if value is None else value for value in columns["displacement"]]
        if max(abs(factor.value - value) for factor, value in zip(found, at, strict=True)) > _SAME:
            values = values_of(made, at, values)
        self._note_values(made, values)
        return made

    def _refuse(self, text: JointText, why: str) -> None:
        self.notes.left_out(f"joint {text.name!r}", f"its extension: {why}")

    def _axes(self, text: JointText, extension: dict[str, Any], count: int) -> list[dict[str, Any]]:
        axes = extension.get("axes") or [{}] * count
        if len(axes) != count:
            raise FigureError(
                f"joint {text.name!r} (line {text.line}): its extension has {len(axes)} axes for {count} degrees of "
                "freedom"
            )
        return [dict(axis) for axis in axes]

    def _options(self, axes: list[dict[str, Any]], names: list[str], rest: list[Any]) -> dict[str, Any]:
        """The arguments of Joint that the language has no word for."""
        follow = [record.follow_from(axis.get("follow")) for axis in axes]
        return {
            "dofs": [
                axis.get("name") or self._dof_names.unique(name)
                for axis, name in zip(axes, names, strict=True)
            ],
            "rest": [None if found else value for found, value in zip(follow, rest, strict=True)],
            "stiffness": [axis.get("stiffness") for axis in axes],
            "velocity": [axis.get("velocity") for axis in axes],
            "effort": [axis.get("effort") for axis in axes],
            "follow": follow,
            "descriptions": [axis.get("description") for axis in axes],
        }

    def _note_values(self, joint: Joint, values: Iterable[float | None]) -> None:
        for axis, value in zip(joint.axes, values, strict=True):
            if value is not None:
                self.values[axis.name] = value

    def _column(self, joint: JointText, word: str) -> list[float | None]:
        """The values of one statement, in the file's order; None for each where there is no such statement."""
        found = joint.values.get(word)
        if found is None:
            return [None] * len(joint.factors)
        if len(found) != len(joint.factors):
            raise FigureError(
                f"joint {joint.name!r} (line {joint.line}): {word} has {len(found)} values for "
                f"{len(joint.factors)} degrees of freedom"
            )
        result: list[float | None] = []
        for (value, what), (letter, _) in zip(found, joint.factors, strict=True):
            wanted = "angle" if letter == "R" else "length"
            if value is not None and what not in ("", wanted):
                raise FigureError(f"joint {joint.name!r} (line {joint.line}): {word} is no {wanted}")
            result.append(None if value is None else self.grammar.measured(value, what, wanted))
        return result


def _has_type(text: JointText, motion: str) -> bool:
    """Whether the type of a joint is the product that is written for this motion."""
    bare = Joint(text.name, "near", "far", motion)
    expected = factors(bare, [0.0] * len(bare.axes))
    written = [(letter, [float(entry) for entry in axis.split(",")]) for letter, axis in text.factors]
    return [factor.letter for factor in expected] == [letter for letter, _ in written] and all(
        np.abs(np.array(factor.direction) - axis).max() <= _SAME
        for factor, (_, axis) in zip(expected, written, strict=True)
    )
