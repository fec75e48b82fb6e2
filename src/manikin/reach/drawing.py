"""Pictures of reach: sections of a map as plots, and the zone on the figure, cut open."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import FormatError, SolveError
from manikin.files import whole_file
from manikin.reach.extra import need
from manikin.reach.grid import Grid
from manikin.reach.surface import Surface, surface_of

if TYPE_CHECKING:
    import xarray

    from manikin.reach.outcome import Study


def map_grid(reached: xarray.Dataset) -> Grid:
    """The grid that a map is over."""
    axes = [np.asarray(reached[axis], dtype=float) for axis in "xyz"]
    return Grid(
        tuple(float(axis[0]) for axis in axes),  # type: ignore[arg-type]
        float(reached.attrs["pitch"]),
        tuple(len(axis) for axis in axes),  # type: ignore[arg-type]
    )


def map_surface(reached: xarray.Dataset, smooth: float = 0.0) -> Surface:
    """The surface of what a map says is reachable; smooth: for the eye, by so many points."""
    return surface_of(map_grid(reached), np.asarray(reached["reachable"]), smooth)


def plot_map(
    reached: xarray.Dataset,
    path: str | os.PathLike[str],
    *,
    axis: str = "z",
    at: float | None = None,
    value: str = "reachable",
) -> None:
    """One section of a map, across an axis at a coordinate, by default the middle of what is reached; a PNG, SVG or
    PDF.
    """
    if value not in reached:
        raise SolveError(
            f"plot_map: the map has no {value!r}; it has {', '.join(map(str, reached.data_vars))}"
        )
    if axis not in ("x", "y", "z"):
        raise SolveError(f"plot_map: the axis is 'x', 'y' or 'z', got {axis!r}")
    if at is None:
        inside = np.asarray(reached["reachable"])
        k = "xyz".index(axis)
        where = np.flatnonzero(inside.any(axis=tuple(c for c in range(3) if c != k)))
        at = float(reached[axis][where[len(where) // 2]]) if len(where) else float(reached[axis].mean())
    section = reached[value].sel({axis: at}, method="nearest")
    figure, axes = _plots()
    first, second = (name for name in "xyz" if name != axis)
    numbers = np.asarray(section.transpose(second, first), dtype=float)
    image = axes.pcolormesh(reached[first], reached[second], numbers, shading="nearest", cmap="viridis")
    figure.colorbar(image, label=f"{value} ({reached[value].attrs.get('units', '')})")
    axes.set_aspect("equal")
    axes.set_xlabel(f"{first} (m)")
    axes.set_ylabel(f"{second} (m)")
    axes.set_title(f"{reached.attrs.get('site', '')} at {axis} = {float(section[axis]):.2f} m")
    _save(figure, path)


def plot_study(found: Study, path: str | os.PathLike[str]) -> None:
    """The points of a study from the side and from above, coloured by the share of people who reach them."""
    figure, (side, above) = _plots(2)
    points = found.points
    for axes, second in ((side, 2), (above, 1)):
        marks = axes.scatter(
            points[:, 0], points[:, second], c=100.0 * found.share, vmin=0, vmax=100, s=18, cmap="viridis"
        )
        axes.set_xlabel("x (m)")
        axes.set_ylabel("xyz"[second] + " (m)")
        axes.set_aspect("equal")
    best = found.best()
    side.plot(points[best, 0], points[best, 2], "r*", ms=12, label="best place")
    side.legend(loc="lower left")
    figure.colorbar(marks, ax=[side, above], label=f"people who reach it with {found.task.site} (%)")
    _save(figure, path)


def _plots(columns: int = 1) -> Any:
    """A figure and its axes, drawn without a screen."""
    need("matplotlib", "a plot")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Page

    page = Page(figsize=(5.5 * columns, 4.6), layout="constrained")
    FigureCanvasAgg(page)
    return page, page.subplots(1, columns)


def _save(figure: Any, path: str | os.PathLike[str]) -> None:
    suffix = Path(path).suffix.lower()
    if suffix not in (".png", ".svg", ".pdf"):
        raise FormatError(f"{path}: a plot is written as .png, .svg or .pdf")
    with whole_file(path) as beside:
        figure.savefig(beside, format=suffix[1:], dpi=110)
