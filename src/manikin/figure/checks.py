"""Checks of what a caller hands in: numbers, vectors, placements.

Every function takes `where`, the words that name the culprit in the message, for instance ``"joint 'elbow':
lower"``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from manikin.errors import FigureError

#: How far a rotation matrix may be from orthonormal: the rounding of numbers printed to six digits.
ROTATION_TOLERANCE = 1e-5


def frozen(array: Any) -> np.ndarray:
    """A float64 copy of `array` that cannot be written to."""
    copy = np.array(array, dtype=np.float64)
    copy.flags.writeable = False
    return copy


def name(value: Any, where: str) -> str:
    """A name: a string that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise FigureError(f"{where}: a name must be a string that is not empty, got {value!r}")
    return value


def listed(value: Any, where: str) -> list[Any]:
    """What is given as several things, as a list; a text is one thing, and so is what cannot be gone through."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return list(value)
    except TypeError:
        raise FigureError(f"{where}: expected a list, got {value!r}") from None


def one_of(value: Any, known: Iterable[str], where: str) -> str:
    """One of some words."""
    if not isinstance(value, str) or value not in known:
        raise FigureError(f"{where} {value!r}; expected one of: {', '.join(known)}")
    return value


def truth(value: Any, where: str) -> bool:
    """True or false, or what has either for its own truth."""
    try:
        return bool(value)
    except (TypeError, ValueError):
        raise FigureError(f"{where} must be true or false, got {value!r}") from None


def coefficients(value: Any, where: str) -> dict[str, float]:
    """Numbers by name."""
    if not isinstance(value, Mapping):
        raise FigureError(f"{where}: its coefficients must be numbers by name, got {value!r}")
    return {name(key, where): number(c, f"{where}: the coefficient of {key!r}") for key, c in value.items()}


def number(value: Any, where: str, *, infinite: bool = False) -> float:
    """One number, finite unless `infinite` allows ±∞; never NaN, nor True or False, which Python takes for 1 and 0."""
    if isinstance(value, (bool, np.bool_)):
        raise FigureError(f"{where}: expected a number, got {value!r}")
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise FigureError(f"{where}: expected a number, got {value!r}") from None
    if result != result or (not infinite and result in (np.inf, -np.inf)):
        raise FigureError(f"{where}: expected a finite number, got {result}")
    return result


def vector(value: Any, shape: tuple[int, ...], where: str) -> np.ndarray:
    """A read-only array of finite numbers of exactly this shape."""
    try:
        array = frozen(value)
    except (TypeError, ValueError):
        raise FigureError(f"{where}: expected numbers of shape {shape}, got {value!r}") from None
    if array.shape != shape:
        raise FigureError(f"{where}: expected shape {shape}, got {array.shape}")
    if not finite(array):
        raise FigureError(f"{where}: expected finite numbers, got {array.tolist()}")
    return array


#: Rad or m; no value of a degree of freedom may be greater: the kernels' sines of such are none.
GREATEST = 1e15


def amiss(value: float) -> str:
    """What is wrong with a value that is NaN, infinite or greater than a degree of freedom may be, in words."""
    return f"must be {f'within ±{GREATEST:g}' if np.isfinite(value) else 'finite'}, got {value}"


def finite(array: np.ndarray) -> bool:
    """Whether no entry is infinite or NaN. For a few numbers this takes a third of the time of ``.all()``."""
    return 0 not in np.isfinite(array).tobytes()


def placement(value: Any, where: str) -> np.ndarray:
    """A read-only 4×4 rigid transform, from a 4×4 matrix or, for no rotation, a 3-vector.

    A rotation off by the rounding of printed numbers is replaced by the nearest one, its polar factor.
    """
    if value is None:
        return _IDENTITY
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise FigureError(f"{where}: expected a 3-vector or a 4×4 matrix, got {value!r}") from None
    if array.shape == (3,):
        matrix = _IDENTITY.copy()
        matrix[:3, 3] = array
    elif array.shape == (4, 4):
        matrix = array
    else:
        raise FigureError(f"{where}: expected a 3-vector or a 4×4 matrix, got shape {array.shape}")
    if not finite(matrix):
        raise FigureError(f"{where}: expected finite numbers, got {array.tolist()}")
    if array.ndim == 2:
        _make_rigid(matrix, where)
    matrix.flags.writeable = False
    return matrix


def _make_rigid(matrix: np.ndarray, where: str) -> None:
    """Replace a rotation by the nearest one, and the last row by 0 0 0 1, where they are off by rounding."""
    (a, b, c, _), (d, e, f, _), (g, h, i, _), last = matrix.tolist()
    miss = max(
        abs(a * a + b * b + c * c - 1.0),
        abs(d * d + e * e + f * f - 1.0),
        abs(g * g + h * h + i * i - 1.0),
        abs(a * d + b * e + c * f),
        abs(a * g + b * h + c * i),
        abs(d * g + e * h + f * i),
    )
    determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    if miss > ROTATION_TOLERANCE or determinant < 0.0:
        raise FigureError(f"{where}: the upper left 3×3 is not a rotation matrix: {matrix[:3, :3].tolist()}")
    if max(abs(last[0]), abs(last[1]), abs(last[2]), abs(last[3] - 1.0)) > ROTATION_TOLERANCE:
        raise FigureError(f"{where}: the last row must be 0 0 0 1, got {last}")
    matrix[3] = _LAST
    if miss > 1e-14:
        u, _, vt = np.linalg.svd(matrix[:3, :3])
        matrix[:3, :3] = u @ vt


_IDENTITY, _LAST = frozen(np.eye(4)), frozen([0.0, 0.0, 0.0, 1.0])


def per_axis(value: Any, count: int, default: Any, where: str) -> tuple[Any, ...]:
    """One entry an axis, from None (the default), one value for all axes, or a sequence of `count`."""
    if value is None:
        return (default,) * count
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)) or (isinstance(value, Sequence) and not isinstance(value, str)):
        if len(value) != count:
            raise FigureError(f"{where}: expected {count} values, one an axis, got {len(value)}")
        return tuple(default if entry is None else entry for entry in value)
    return (value,) * count


def duplicates(names: Iterable[str]) -> list[str]:
    """The names that occur more than once, in order."""
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for entry in names:
        if entry in seen:
            twice[entry] = None
        seen.add(entry)
    return list(twice)


def near(wrong: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the nearest known ones, or all when there are few."""
    known = list(known)
    import difflib

    close = difflib.get_close_matches(wrong, known, n=3, cutoff=0.5)
    if close:
        return "did you mean " + " or ".join(repr(entry) for entry in close) + "?"
    if len(known) <= 12:
        return "expected one of: " + (", ".join(known) or "none")
    return f"expected one of {len(known)}: {', '.join(known[:8])}, …"
