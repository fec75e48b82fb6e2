"""Motions to and from NumPy archives and pandas frames."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.archive import Archive
from manikin.errors import FormatError, MissingExtraError, PoseError
from manikin.figure.checks import near
from manikin.figure.figure import Figure
from manikin.files import whole_file

#: The arrays of a motion's file that are read.
_ARRAYS = ("times", "values", "dofs", "name", "spline", "ends", "limits")

if TYPE_CHECKING:
    from manikin.motion.motion import Motion


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise MissingExtraError(
            "a data frame needs the package 'pandas': pip install 'manikin[plots]'"
        ) from None
    return pandas


def to_frame(motion: Motion) -> Any:
    """`Motion.to_frame`."""
    pandas = _pandas()
    index = pandas.Index(np.array(motion.times), name="time")
    return pandas.DataFrame(np.array(motion.q), index=index, columns=list(motion.figure.dofs))


def from_frame(figure: Figure, frame: Any, **options: Any) -> Motion:
    """`Motion.from_frame`: the times are the index, or a column ``time``.

    Times are seconds as numbers, or pandas' own durations, or dates, which are counted from the first.
    """
    from manikin.motion.motion import Motion

    if not hasattr(frame, "columns") or not hasattr(frame, "index"):
        raise PoseError(f"motion: expected a pandas data frame, got {frame!r}")
    if "time" in frame.columns:
        frame = frame.set_index("time")
    names = [str(name) for name in frame.columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise PoseError(f"motion: the frame has two columns {twice[0]!r}")
    values = np.tile(figure.rest, (len(frame), 1))
    for column, name in enumerate(names):
        values[:, figure.index(name)] = _numbers(frame.iloc[:, column], f"column {name!r}")
    return Motion(figure, _seconds(np.asarray(frame.index)), values, **options)


def _seconds(times: np.ndarray) -> np.ndarray:
    """Times as numbers of seconds."""
    if times.dtype.kind == "M":
        times = times - times[:1]
    if times.dtype.kind == "m":
        gaps = np.isnat(times)
        return np.where(gaps, np.nan, times.astype("timedelta64[ns]").astype(np.int64) / 1e9)
    return _numbers(times, "the index, which is the time,")


def _numbers(column: Any, what: str) -> np.ndarray:
    try:
        found = np.asarray(column)
        if found.dtype.kind in "mMc":
            raise TypeError(f"it holds {found.dtype}")
        return found.astype(np.float64)
    except (TypeError, ValueError) as problem:
        raise PoseError(f"motion: {what} of the frame must hold numbers: {problem}") from None


def save(motion: Motion, path: str | os.PathLike[str]) -> Path:
    """`Motion.save`."""
    if Path(path).suffix.lower() != ".npz":
        raise FormatError(f"{path}: a motion is saved as .npz; other formats are written by manikin.save")
    with whole_file(path) as beside, open(beside, "wb") as out:
        np.savez_compressed(
            out,
            times=motion.times,
            values=motion.q,
            dofs=np.array(motion.figure.dofs, dtype=np.str_),
            figure=np.array(motion.figure.name),
            name=np.array(motion.name),
            spline=np.array(motion.spline),
            ends=np.array(motion.ends),
            limits=np.array(motion.limits),
        )
    return Path(path)


def load(figure: Figure, path: str | os.PathLike[str]) -> Motion:
    """`Motion.load`."""
    from manikin.motion.motion import Motion

    archive = Archive(path, "motion")
    missing = [name for name in _ARRAYS if name not in archive.names]
    if missing:
        raise FormatError(f"{path}: not a motion: it has no array {missing[0]!r}")
    names = [str(name) for name in archive.array("dofs", (None,))]
    missing_dofs = [name for name in figure.dofs if name not in names]
    unknown = [name for name in names if name not in figure.dofs]
    if unknown:
        raise FormatError(
            f"{path}: figure {figure.name!r} has no degree of freedom {unknown[0]!r}; {near(unknown[0], figure.dofs)}"
        )
    if missing_dofs:
        raise FormatError(f"{path}: it has no values for {', '.join(map(repr, missing_dofs[:5]))}")
    if len(names) != figure.n:
        raise FormatError(f"{path}: it has a degree of freedom twice")
    times = archive.array("times", (None,))
    if not (np.diff(times) > 0.0).all():  # before the values are unpacked
        raise FormatError(f"{path}: times must be strictly increasing")
    values = archive.array("values", (len(times), len(names)))
    order = [names.index(name) for name in figure.dofs]
    try:
        return Motion(
            figure,
            times,
            values[:, order],
            name=archive.text("name"),
            spline=archive.text("spline"),
            ends=archive.text("ends"),
            limits=bool(archive.array("limits", ())),
        )
    except PoseError as problem:
        raise FormatError(f"{path}: {problem}") from None
