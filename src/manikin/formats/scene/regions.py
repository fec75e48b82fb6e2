"""Regions of scene files: ``{ ball = { center = [0, 0, 1], radius = 0.1 } }``, joined by ``any`` and ``all``
of lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from manikin.formats.tables import Table, shown

if TYPE_CHECKING:
    from manikin.goals import Region

Reader = Callable[[Table, str], object]

REGIONS: dict[str, tuple[str, dict[str, Reader]]] = {
    "half_space": ("HalfSpace", {"point": Table.vector, "normal": Table.vector}),
    "box": (
        "Box",
        {
            "center": Table.vector,
            "size": Table.vector,
            "lower": Table.vector,
            "upper": Table.vector,
            "rotation": Table.rotation,
        },
    ),
    "ball": ("Ball", {"center": Table.vector, "radius": Table.number}),
    "capsule": ("Capsule", {"a": Table.vector, "b": Table.vector, "radius": Table.number}),
    "circle": ("Circle", {"center": Table.vector, "normal": Table.vector, "radius": Table.number}),
}
"""The regions by their name in files: class and arguments."""


def read_region(table: Table, key: str) -> Region:
    """A region from a table with one key: a kind of region, ``any`` or ``all``."""
    value = table.need(key)
    if not isinstance(value, dict):
        raise table.error(f"{key} must be a table such as {{ ball = {{ … }} }}, not {shown(value)}")
    return _region(Table(f"{table.place}: {key}", value))


def _region(table: Table) -> Region:
    from manikin import goals

    known = [*REGIONS, "any", "all"]
    table.only(known)
    if len(table.values) != 1:
        raise table.error(f"give exactly one of {', '.join(known)}, not {len(table.values)}")
    (kind,) = table.values
    if kind in ("any", "all"):
        pieces = [
            _region(entry_table(f"{table.place}: {kind} {k}", entry))
            for k, entry in enumerate(entries(table, kind), start=1)
        ]
        joined = pieces[0]
        for piece in pieces[1:]:
            joined = joined | piece if kind == "any" else joined & piece
        return joined
    name, readers = REGIONS[kind]
    inner = table.table(kind)
    inner.only(readers)
    with inner.blamed():
        try:
            return getattr(goals, name)(**{key: readers[key](inner, key) for key in inner.values})
        except TypeError:
            missing = ", ".join(repr(key) for key in readers if key not in inner.values)
            raise inner.error(f"{missing} is missing") from None


def entry_table(place: str, value: object) -> Table:
    """An entry of a list as a table with this place."""
    if not isinstance(value, dict):
        raise Table(place, {}).error(f"must be a table, not {shown(value)}")
    return Table(place, value)


def entries(table: Table, key: str) -> list[Any]:
    """A list that is not empty."""
    value = table.need(key)
    if not isinstance(value, list) or not value:
        raise table.error(f"{key} must be a list that is not empty, not {shown(value)}")
    return value
