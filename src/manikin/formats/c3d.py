"""C3D, the binary format of motion capture, by way of ezc3d."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FormatError, MissingExtraError
from manikin.formats.source import is_file
from manikin.formats.trc import UNITS, _distinct
from manikin.markers.markers import Markers, upright


def read_c3d(path: str | os.PathLike[str], *, up: str | None = None, unit: str | None = None) -> Markers:
    """The markers in a C3D file.

    up: the axis that points up; by default what the file says of its screen (POINT:Y_SCREEN), else ``"z"``.
    unit: where the file says none. A marker with a negative residual, or with all three numbers 0, is a gap.
    """
    try:
        import ezc3d
    except ImportError as problem:
        raise MissingExtraError("C3D files need ezc3d: pip install 'manikin[markers]'") from problem
    if not is_file(path):
        raise FormatError(f"{path}: there is no such file")
    try:
        file = ezc3d.c3d(str(path))
    except Exception as problem:
        raise FormatError(f"{path}: cannot be read as C3D: {problem}") from problem
    point = file["parameters"]["POINT"]
    points = np.asarray(file["data"]["points"], dtype=np.float64)
    labels = [str(name).strip() for key in sorted(_label_keys(point)) for name in point[key]["value"]]
    labels = _distinct(
        _described([name.split(":")[-1] or f"point {k + 1}" for k, name in enumerate(labels)], point)
    )
    count = min(len(labels), points.shape[1])
    positions = points[:3, :count].transpose(2, 1, 0).copy()
    residuals = np.asarray(file["data"]["meta_points"]["residuals"])[0, :count].T
    positions[(residuals < 0.0) | (positions == 0.0).all(axis=2)] = np.nan
    rate = float(_first(point, "RATE", 0.0))
    if rate <= 0.0:
        raise FormatError(f"{path}: it says no rate of frames (POINT:RATE)")
    word = (unit or str(_first(point, "UNITS", ""))).strip().lower()
    if word not in UNITS:
        raise FormatError(
            f"{path}: its unit is {word or 'not given'!r}; give unit= one of {', '.join(UNITS)}"
        )
    start = int(file["header"]["points"]["first_frame"])
    times = (start + np.arange(len(positions))) / rate
    turn = upright(up or _screen(point), str(path))
    return Markers(labels[:count], times, UNITS[word] * positions @ turn.T, Path(path).name)


def _label_keys(point: Any) -> list[str]:
    """LABELS, LABELS2 …: more than 255 markers are in several lists."""
    return [key for key in point if key == "LABELS" or (key.startswith("LABELS") and key[6:].isdigit())]


def _described(labels: list[str], point: Any) -> list[str]:
    """A label that was there before gives way to the marker's description, where that is its own."""
    words = [str(word).strip() for word in point["DESCRIPTIONS"]["value"]] if "DESCRIPTIONS" in point else []
    found: list[str] = []
    for k, label in enumerate(labels):
        word = words[k] if k < len(words) else ""
        own = word and words.count(word) == 1 and word not in labels
        found.append(word if label in found and own else label)
    return found


def _first(point: Any, key: str, default: Any) -> Any:
    values = point[key]["value"] if key in point else []
    return values[0] if len(values) else default


def _screen(point: Any) -> str:
    """The axis that points up on the screen, where it points along the positive axis."""
    word = str(_first(point, "Y_SCREEN", "+Z")).strip().lower()
    return word[-1] if word[-1:] in ("x", "y", "z") else "z"
