"""Flat arrays cut into named sections: each is said once, and seen from Python and from compiled code.

    LAYOUT = Layout("S R", "motions drives")
    Tree, view_tree = LAYOUT.tuple_of(
        "Tree",
        S="parent kind (motions + 1)  drive_axis (drives)",
        R="placement (motions + 1, 12)",
    )

A section has a name, a shape in terms of the counts, and an array that it lies in, behind those that were said before.
Of shape ``()`` it is a number, which compiled code has by value; named as a count, it is that count.
The first array is of int64 and begins with the counts, then where each section of any array begins; the others are of
float64. ``view_tree(S, R)`` is the kernel that gives the tuple as views (`memory.views`): it takes the first array and
those that its sections lie in. It is written out from the list when the file is imported, once, as a named tuple is:
compiled code sees nothing but loads from the head of the first array. Arrays named in ``lanes`` have four numbers an
item, one for each lane (`memory.lanes`), at an aligned address.
"""

from __future__ import annotations

import math
import re
from collections import namedtuple
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.memory import lane_tools, views
from manikin.kernels.memory.lanes import WIDTH

_LISTED = re.compile(r"\s*(\w[\w\s]*?)\s*\(([^()]*)\)")


class Layout:
    """What lies where in a few flat arrays; see above."""

    def __init__(self, arrays: str, counts: str, lanes: str = "") -> None:
        self.arrays = arrays.split()
        self.lanes = lanes.split()
        self.counts = counts.split()
        #: Of each section, in the order that they were said: its array, and the expressions of its axes.
        self._sections: list[tuple[str, list[str]]] = []
        #: Of each tuple its fields: numbers of sections, or other tuples.
        self._fields: dict[Any, list[Any]] = {}
        self._shapes: Callable[..., tuple[tuple[int, ...], ...]] | None = None

    def tuple_of(self, name: str, **listed: Any) -> tuple[Any, Any]:
        """A tuple of sections, by their arrays, and of other such tuples, by their names here; and the kernel that
        makes it of views.
        """
        names: list[str] = []
        fields: list[Any] = []
        for array, text in listed.items():
            if text in self._fields:
                names.append(array)
                fields.append(text)
                continue
            if array not in self.arrays or not re.fullmatch(rf"(?:{_LISTED.pattern})*\s*", text):
                raise ValueError(f"{name}: {array}={text!r} lists no sections of {' '.join(self.arrays)}")
            for words, shape in _LISTED.findall(text):
                axes = [axis.strip() for axis in shape.split(",") if axis]
                for word in words.split():
                    names.append(word)
                    if not axes and word in self.counts:
                        fields.append(word)
                        continue
                    fields.append(len(self._sections))
                    self._sections.append((array, axes))
        made: Any = namedtuple(name, names)  # type: ignore[misc]
        self._fields[made] = fields
        self._shapes = None
        return made, self._view(made)

    def by_number(self, name: str, of: Any, fields: str) -> tuple[Any, Any]:
        """A tuple of some sections in lanes once more, (items, lanes) number by number; and its kernel."""
        words = fields.split()
        made: Any = namedtuple(name, words)  # type: ignore[misc]
        listed = dict(zip(of._fields, self._fields[of], strict=True))
        seen, used = [], {self.arrays[0]}
        for word in words:
            array, axes = self._sections[listed[word]]
            used.add(array)
            begin = f"{WIDTH} * {self.arrays[0]}[{len(self.counts) + listed[word]}]"
            size = " * ".join(f"({axis})" for axis in axes)
            seen.append(f"view2({array}, {begin}, {size}, {WIDTH})")
        return made, self._kernel(made, used, f"{name}({', '.join(seen)})", {name: made})

    def _view(self, made: Any) -> Any:
        """The kernel that gives a tuple as views."""
        head, known = self.arrays[0], len(self.counts)
        used, tuples = {head}, {}

        def said(made: Any) -> str:
            tuples[made.__name__] = made
            parts = []
            for field in self._fields[made]:
                if field in self._fields:
                    parts.append(said(field))
                    continue
                if field in self.counts:
                    parts.append(field)
                    continue
                array, axes = self._sections[field]
                used.add(array)
                begin = f"{head}[{known + field}]"
                if array in self.lanes:
                    parts.append(f"lane_view{len(axes)}({array}, {WIDTH} * {begin}, {', '.join(axes)})")
                elif axes:
                    parts.append(f"view{len(axes)}({array}, {begin}, {', '.join(axes)})")
                else:
                    parts.append(f"{array}[{begin}]")
            return f"{made.__name__}({', '.join(parts)})"

        result = said(made)
        return self._kernel(made, used, result, tuples)

    def _kernel(self, made: Any, used: set[str], result: str, tuples: Mapping[str, Any]) -> Any:
        """The kernel that gives this result, an expression in the counts and arrays."""
        head = self.arrays[0]
        counts = [f"{count} = {head}[{index}]" for index, count in enumerate(self.counts)]
        arguments = [array for array in self.arrays if array in used]
        names = {**vars(views), **vars(lane_tools), **tuples}
        return kernel(written(f"view_{made.__name__.lower()}", arguments, counts, result, names))

    def _all_shapes(self, counts: list[int]) -> tuple[tuple[int, ...], ...]:
        """The shape of every section."""
        if self._shapes is None:
            shapes = "".join(f"({', '.join([*axes, ''])}), " for _, axes in self._sections)
            self._shapes = written("shapes", self.counts, [], f"({shapes})", {})
        return self._shapes(*counts)

    def _head(self, counts: list[int]) -> tuple[list[int], list[int]]:
        """Where each section begins, and how long each array is."""
        shapes = self._all_shapes(counts)
        begins, ends = [0] * len(shapes), []
        for array in self.arrays:
            own = [number for number, (lies_in, _) in enumerate(self._sections) if lies_in == array]
            start = len(self.counts) + len(shapes) if array == self.arrays[0] else 0
            *offsets, end = accumulate((math.prod(shapes[number]) for number in own), initial=start)
            ends.append(end)
            for number, offset in zip(own, offsets, strict=True):
                begins[number] = offset
        return begins, ends

    def allocate(self, counts: Mapping[int, int]) -> list[np.ndarray]:
        """The arrays for these counts, by their places at the head (those left out are 0): the head written, else 0."""
        return self.allocate_some(counts, len(self.arrays))[0]

    def allocate_some(self, counts: Mapping[int, int], some: int) -> tuple[list[np.ndarray], list[int]]:
        """As many of the arrays, and the lengths of the others: workspaces that each call makes for itself."""
        numbers = [int(counts.get(index, 0)) for index in range(len(self.counts))]
        begins, ends = self._head(numbers)
        made = [
            lane_tools.aligned_zeros(WIDTH * end)
            if array in self.lanes
            else np.zeros(end, np.float64 if place else np.int64)
            for place, (array, end) in enumerate(zip(self.arrays, ends[:some], strict=False))
        ]
        made[0][: len(numbers) + len(begins)] = [*numbers, *begins]
        return made, ends[some:]

    def sections(self, made: Any, *arrays: np.ndarray) -> Any:
        """The tuple as NumPy views on the same memory; None where an array was left out at the end."""
        known = len(self.counts)
        begins = arrays[0][known : known + len(self._sections)].tolist()
        shapes = self._all_shapes(arrays[0][:known].tolist())
        given = dict(zip(self.arrays, arrays, strict=False))
        return self._seen(made, given, begins, shapes)

    def _seen(
        self,
        made: Any,
        given: Mapping[str, np.ndarray],
        begins: list[int],
        shapes: tuple[tuple[int, ...], ...],
    ) -> Any:
        # A method: a function inside `sections` that calls itself would be garbage in a cycle, and its arrays with it.
        found = []
        for field in self._fields[made]:
            if field in self._fields:
                found.append(self._seen(field, given, begins, shapes))
                continue
            if field in self.counts:
                found.append(int(given[self.arrays[0]][self.counts.index(field)]))
                continue
            array, begin, shape = given.get(self._sections[field][0]), begins[field], shapes[field]
            found.append(None if array is None else array[begin : begin + math.prod(shape)].reshape(shape))
        return made(*found)


def written(name: str, arguments: list[str], lines: list[str], result: str, names: dict[str, Any]) -> Any:
    """A function of these lines that sees these names, made as `namedtuple` makes its own."""
    source = "\n    ".join([f"def {name}({', '.join(arguments)}):", *lines, f"return {result}"])
    made: dict[str, Any] = dict(names)
    exec(compile(source, f"<{name}>", "exec"), made)
    function = made[name]
    function.__module__ = __name__
    return function
