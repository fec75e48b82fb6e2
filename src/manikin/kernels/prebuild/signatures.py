"""What every entry takes: the types that `kernels.warmup` calls it with, found without compiling anything."""

from __future__ import annotations

import importlib
from typing import Any

from numba import typeof
from numba.core import types

from manikin.kernels import by_numba
from manikin.kernels.prebuild.catalogue import entries
from manikin.kernels.prebuild.names import ARRAYS
from manikin.kernels.stamps import ROOM, key
from manikin.kernels.warmup import calls

_NUMBERS = {types.int64: "i", types.float64: "f", types.boolean: "b", types.none: ""}


def letters(given: Any) -> str:
    """The letters (`names.Signature`) of a type, or of several; none for None."""
    if isinstance(given, types.BaseTuple):
        given = tuple(given.types)
    if isinstance(given, tuple):
        return "".join(map(letters, given))
    try:
        if isinstance(given, types.Array):
            return f"{ARRAYS[str(given.dtype)]}{given.ndim}"
        return _NUMBERS[types.unliteral(given)]
    except KeyError:
        raise TypeError(f"no entry can take or give {given}; `letters` says what it can") from None


def signatures() -> dict[str, tuple]:
    """The types of every entry's arguments, by its key."""
    places = []
    for path in sorted(set(entries().values())):
        name = ".".join(path.relative_to(ROOM).with_suffix("").parts)
        module = importlib.import_module(f"manikin.kernels.{name}")
        places += [(module, name, value) for name, value in vars(module).items() if _is_entry(value)]
    found: dict[str, tuple] = {}

    def recorder(entry: Any) -> Any:
        def record(*args: Any) -> int:
            found[key(entry)] = by_numba.one_signature(entry.__name__, tuple(map(typeof, args)))
            return 0

        record.__name__ = entry.__name__
        return record

    try:
        for module, name, entry in places:
            setattr(module, name, recorder(entry))
        for call in calls().values():
            call()
    finally:
        for module, name, entry in places:
            setattr(module, name, entry)
    lacking = sorted(entries().keys() - found.keys())
    if lacking:
        raise TypeError(
            f"no call in kernels/warmup.py says what {', '.join(lacking)} takes: add one for each"
        )
    return found


def _is_entry(value: Any) -> bool:
    return any(value is entry for entry in by_numba.ENTRIES.values())
