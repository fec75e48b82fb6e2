"""Reading typed values out of TOML tables, with errors that name the file and the place.

A `Table` is a mapping that knows where in which file it stands. Its methods each read one key as one kind of
value and raise a `FormatError` such as ``scene.toml: goal 2 (position): target has 2 numbers, not 3``.
"""

from __future__ import annotations

import math
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from manikin.errors import FormatError, ManikinError
from manikin.figure.checks import near
from manikin.figure.rotations import from_euler, from_quaternions
from manikin.files import read_text

ROUNDING = 1e-3
"""How far a rotation in a file may be from orthonormal, as numbers typed with few digits are."""

MOST_BYTES = 16 << 20
"""A file that people write is no larger; reading TOML takes a hundred times its size and more."""


@dataclass(frozen=True)
class Table:
    """The values of one TOML table and its place, such as ``scene.toml: goal 2 (position)``."""

    place: str
    values: Mapping[str, object]

    def error(self, message: str) -> FormatError:
        """The error to raise: the message after the place."""
        return FormatError(f"{self.place}: {message}")

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Put this place in front of the errors that building something from the table's values raises."""
        try:
            yield
        except FormatError as problem:
            raise problem if str(problem).startswith(self.place) else self.error(str(problem)) from problem
        except ManikinError as problem:
            raise self.error(str(problem)) from problem

    def only(self, known: Iterable[str]) -> None:
        """Refuse every key that is not among `known`."""
        known = list(known)
        for key in self.values:
            if key not in known:
                raise self.error(f"unknown key {key!r}; {near(key, known)}")

    def need(self, key: str) -> object:
        """The value of a key that must be there."""
        if key not in self.values:
            raise self.error(f"{key!r} is missing")
        return self.values[key]

    def text(self, key: str) -> str:
        """A string that is not empty."""
        value = self.need(key)
        if not isinstance(value, str):
            raise self.error(f"{key} must be a string, not {shown(value)}")
        if not value.strip():
            raise self.error(f"{key} is empty")
        return value

    def flag(self, key: str) -> bool:
        """True or false."""
        value = self.need(key)
        if not isinstance(value, bool):
            raise self.error(f"{key} must be true or false, not {shown(value)}")
        return value

    def whole(self, key: str) -> int:
        """A whole number."""
        value = self.need(key)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(f"{key} must be a whole number, not {shown(value)}")
        return value

    def number(self, key: str) -> float:
        """A finite number."""
        return self._finite(self.need(key), key)

    def bound(self, key: str) -> float:
        """A number or an infinity, for the end of a range."""
        value = self.need(key)
        if isinstance(value, float) and math.isinf(value):
            return value
        return self._finite(value, key)

    def vector(self, key: str, size: int = 3) -> np.ndarray:
        """An array of `size` finite numbers."""
        return np.array(self._numbers(self.need(key), key, size))

    def names(self, key: str) -> list[str]:
        """A list of strings."""
        value = self.need(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(f"{key} must be a list of strings, not {shown(value)}")
        return value

    def table(self, key: str) -> Table:
        """The table under a key, an empty one where there is none."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self.error(f"{key} must be a table, not {shown(value)}")
        return Table(f"{self.place}: {key}", value)

    def tables(self, key: str) -> list[Table]:
        """The list of tables under a key, each placed by its number from 1: ``goal 2``."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.error(
                f"{key} must be a list of tables: write [[{key}]] above each, in double brackets"
            )
        return [Table(f"{self.place}: {key} {i}", item) for i, item in enumerate(value, start=1)]

    def tolerance(self, key: str) -> tuple[float, float]:
        """Metres and radians, from ``{ position = 1e-4, orientation_degrees = 0.05 }``; either has a default."""
        if not isinstance(self.need(key), dict):
            raise self.error(
                f"{key} must be a table with units, {{ position = 1e-4, orientation_degrees = 0.05 }}, "
                f"not {shown(self.values[key])}"
            )
        table = self.table(key)
        table.only(("position", "orientation_degrees"))
        found = [
            table.number(name) if name in table.values else usual
            for name, usual in (("position", 1e-4), ("orientation_degrees", math.degrees(1e-3)))
        ]
        if min(found) <= 0.0:
            raise self.error(f"{key} must have positive numbers, not {shown(self.values[key])}")
        return found[0], math.radians(found[1])

    def rotation(self, key: str) -> np.ndarray:
        """A 3×3 rotation, from a table with one of ``rpy``, ``wxyz`` and ``matrix``.

        ``rpy = [roll, pitch, yaw]`` are degrees about the fixed x, y and z axes, in this order, as in URDF:
        R = Rz(yaw) Ry(pitch) Rx(roll). ``wxyz`` is a unit quaternion, its real part first. Both it and
        ``matrix`` (a list of rows) may be off by rounding; the nearest rotation is taken.
        """
        value = self.need(key)
        if not isinstance(value, dict):
            raise self.error(f"{key} must be a table such as {{ rpy = [0, 90, 0] }}, not {shown(value)}")
        return Table(f"{self.place}: {key}", value).one_rotation()

    def one_rotation(self) -> np.ndarray:
        """The rotation that this table itself is; see `rotation`."""
        forms = ("rpy", "wxyz", "matrix")
        self.only(forms)
        given = [form for form in forms if form in self.values]
        if len(given) != 1:
            got = " and ".join(given) or "none"
            raise self.error(f"give exactly one of rpy, wxyz and matrix, not {got}")
        if given == ["rpy"]:
            roll, pitch, yaw = np.radians(self.vector("rpy"))
            turned: np.ndarray = from_euler("zyx", np.array([[yaw, pitch, roll]]))[0]
            return turned
        if given == ["wxyz"]:
            return self._quaternion(self.vector("wxyz", 4))
        return self._matrix(self.values["matrix"])

    def _quaternion(self, wxyz: np.ndarray) -> np.ndarray:
        length = float(np.linalg.norm(wxyz))
        if abs(length - 1.0) > ROUNDING:
            raise self.error(f"wxyz must have length 1, not {length:.6g}")
        return from_quaternions(np.roll(wxyz, -1))

    def _matrix(self, rows: object) -> np.ndarray:
        if not isinstance(rows, list) or len(rows) != 3:
            raise self.error(f"matrix must be 3 rows of 3 numbers, not {shown(rows)}")
        matrix = np.array([self._numbers(row, f"matrix row {i}", 3) for i, row in enumerate(rows, start=1)])
        if np.abs(matrix @ matrix.T - np.eye(3)).max() > ROUNDING or np.linalg.det(matrix) < 0.0:
            raise self.error("matrix is not a rotation: its rows must be a right-handed set of unit vectors")
        u, _, vt = np.linalg.svd(matrix)
        return u @ vt

    def _numbers(self, value: object, what: str, size: int) -> list[float]:
        if not isinstance(value, list):
            raise self.error(f"{what} must be a list of {size} numbers, not {shown(value)}")
        if len(value) != size:
            raise self.error(f"{what} has {len(value)} numbers, not {size}")
        return [self._finite(item, f"{what}[{i}]") for i, item in enumerate(value)]

    def _finite(self, value: object, what: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(f"{what} must be a number, not {shown(value)}")
        if not abs(value) <= sys.float_info.max:
            raise self.error(f"{what} must be a finite number, not {shown(value)}")
        return float(value)


def read_toml(path: Path) -> Table:
    """The whole file as one table, placed by the file's path."""
    return parse_toml(path, read_text(path, "TOML", MOST_BYTES, empty=True))


def parse_toml(path: Path, text: str) -> Table:
    """A text as one table, placed by the path that it was read from."""
    try:
        return Table(str(path), tomllib.loads(text))
    except ValueError as problem:  # of TOML, or a number with too many digits
        raise FormatError(f"{path}: not valid TOML: {problem}") from problem
    except RecursionError:
        raise FormatError(f"{path}: nested too deeply to be a scene") from None


def shown(value: object) -> str:
    """A value as an error quotes it, shortened to a line."""
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
