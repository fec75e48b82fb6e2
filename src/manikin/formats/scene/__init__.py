"""Scene files: a figure, where it starts and what it should do, as TOML that a person writes.

    figure = "arm.urdf"                     # relative to the scene file; or "human"

    [options]                               # how to load it; of the human its arguments, as stature = 1.75
    base = "fixed"

    [[site]]                                # a point to steer by that the figure's file lacks
    name = "pen"
    segment = "hand"
    offset = [0.0, 0.0, 0.12]
    rpy = [0, 90, 0]                        # or wxyz, or matrix; none: as the segment

    [start]                                 # the other degrees of freedom start at rest, or as a human's
    # preset = "sit"
    elbow = 45

    [[goal]]
    kind = "placement"                      # the goal's class in snake case, then its arguments
    site = "pen"
    position = [0.4, 0.1, 0.3]
    orientation = { rpy = [0, 90, 0] }
    level = 1                               # 1 is the most important, and the default

    [[obstacle]]                            # what the figure stays out of; regions and all goals: `scene.goals`
    region = { ball = { center = [0.5, 0, 0.2], radius = 0.1 } }

    [[constraint]]
    text = "elbow = 0.5*shoulder + 10"      # or coefficients = { elbow = 1, shoulder = -0.5 }, lower, upper

    [[held]]                                # an object in the hand: a box, welded to a site
    name = "parcel"
    at = "hand"
    size = [0.3, 0.2, 0.2]
    mass = 2.0
    offset = [0, 0, 0.1]

    [limits]                                # other ranges of degrees of freedom
    elbow = [0, 120]

    [solve]
    free = ["shoulder", "elbow"]            # or fixed = ["root_*"]
    tolerance = { position = 1e-4, orientation_degrees = 0.05 }

    [studio]                                # what only the studio reads: furniture, key frames

Lengths are metres and angles are degrees: the start values of degrees of freedom that turn, every ``rpy``,
the second number of ``tolerance``. The constants of a constraint (in its text, or ``lower`` and ``upper``)
are degrees when all its degrees of freedom turn and metres when all slide. One that mixes both has no one
unit: it is in radians and metres throughout, as in Python.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import FormatError
from manikin.files import shown_path
from manikin.formats.scene.goals import read_goals
from manikin.formats.tables import Table, read_toml, shown
from manikin.references import References

if TYPE_CHECKING:
    from manikin.figure import Coupling, Figure, Pose
    from manikin.goals import Goal
    from manikin.result import Solution

SECTIONS = (
    "figure",
    "options",
    "site",
    "held",
    "limits",
    "start",
    "goal",
    "obstacle",
    "constraint",
    "solve",
    "studio",
)

HUMAN_OPTIONS: dict[str, Callable[[Table, str], object]] = {
    "stature": Table.number,
    "mass": Table.number,
    "sex": Table.text,
    "percentile": Table.number,
    "fingers": Table.flag,
    "spine": Table.text,
    "girdle": Table.flag,
    "swings": Table.text,
    "base": Table.text,
}
"""How the options of ``figure = "human"`` are read from a file."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A scene as read: everything a solve needs, in radians and metres."""

    path: Path
    figure: Figure
    start: Pose
    goals: list[Goal] | list[list[Goal]]
    """The goals in the file's order; where the file gives different levels, one list a level."""
    constraints: tuple[Coupling, ...]
    options: dict[str, Any]
    """The keyword arguments of `solve`."""

    def solve(self) -> Solution:
        """Solve the scene from its start pose."""
        from manikin.problem import solve

        with Table(str(self.path), {}).blamed():
            return solve(self.start, self.goals, constraints=self.constraints, **self.options)


def read_scene(
    path: str | Path, *, within: References | Iterable[str | os.PathLike[str]] | None = None
) -> Scene:
    """Read a scene file; every mistake in it is a `FormatError` that names the file and the place.

    within: further folders that the figure's file, and what it refers to, may lie in, besides the scene's own.
    """
    path = Path(path)
    scene = read_toml(path)
    try:
        return _read(scene, path, References(path, within))
    except RecursionError:
        raise FormatError(f"{path}: nested too deeply to be a scene") from None


def _read(scene: Table, path: Path, references: References) -> Scene:
    scene.only(SECTIONS)
    return scene_from(scene, path, _figure(scene, references))


def figure_file(scene: Table, references: References) -> Path:
    """The path of the file that the scene's figure is read from."""
    name = scene.text("figure")
    file = references.find(name, f"{scene.place}: figure")
    if file is None:
        there = shown_path(references.folder / name if references.folder else name, quoted=False)
        raise scene.error(f'figure {shown_path(name)} is neither "human" nor a file: there is no {there}')
    return file


def scene_from(scene: Table, path: Path, figure: Figure) -> Scene:
    """The scene of a table that was read, about this figure."""
    start = _start(scene.table("start"), figure)
    return Scene(
        path=path,
        figure=figure,
        start=start,
        goals=read_goals(scene.tables("goal"), scene.tables("obstacle"), start),
        constraints=tuple(_constraint(table, figure) for table in scene.tables("constraint")),
        options=_options(scene.table("solve"), figure),
    )


def _figure(scene: Table, references: References) -> Figure:
    """The figure of the file that the scene names, with the scene's sites added."""
    from manikin.figure.human import human
    from manikin.formats import load

    name = scene.text("figure")
    options = scene.table("options")
    file = None if name == "human" else figure_file(scene, references)
    known = HUMAN_OPTIONS if name == "human" else {"base": Table.text}
    options.only(tuple(known))
    keywords: dict[str, Any] = {key: known[key](options, key) for key in options.values}
    with Table(f"{scene.place}: figure", {}).blamed():
        figure = human(**keywords) if file is None else load(file, within=references, **keywords)
    added: set[str] = set()
    for table in scene.tables("site"):
        figure = _with_site(figure, table, added)
    for table in scene.tables("held"):
        figure = _with_held(figure, table)
    limits = read_limits(scene.table("limits"), figure)
    with scene.table("limits").blamed():
        return figure.with_limits(limits) if limits else figure


def _with_held(figure: Figure, table: Table) -> Figure:
    table.only(("name", "at", "size", "mass", "offset"))
    offset = table.vector("offset") if "offset" in table.values else None
    mass = table.number("mass") if "mass" in table.values else 0.0
    with table.blamed():
        return figure.with_held(
            table.text("name"), table.text("at"), size=table.vector("size"), mass=mass, placement=offset
        )


def read_limits(table: Table, figure: Figure) -> dict[str, tuple[float, float]]:
    """Ranges by the names of degrees of freedom, ``[low, high]`` in degrees where they turn, in radians and metres."""
    found: dict[str, tuple[float, float]] = {}
    for name, value in table.values.items():
        if not isinstance(value, list) or len(value) != 2:
            raise table.error(f"{name} must be a range [low, high], not {shown(value)}")
        with table.blamed():
            unit = _unit([name], figure)
        ends = Table(table.place, {f"{name}[{k}]": end for k, end in enumerate(value)})
        found[name] = (ends.bound(f"{name}[0]") * unit, ends.bound(f"{name}[1]") * unit)
    return found


def _with_site(figure: Figure, table: Table, added: set[str]) -> Figure:
    table.only(("name", "segment", "offset", "rpy", "wxyz", "matrix"))
    name = table.text("name")
    table = Table(f"{table.place} ({name})", table.values)
    if name in added:
        raise table.error("the file has a site of this name already")
    added.add(name)
    offset = np.eye(4)
    if "offset" in table.values:
        offset[:3, 3] = table.vector("offset")
    turn = {key: value for key, value in table.values.items() if key in ("rpy", "wxyz", "matrix")}
    if turn:
        offset[:3, :3] = Table(table.place, turn).one_rotation()
    with table.blamed():
        return figure.with_site(name, table.text("segment"), offset)


def _start(table: Table, figure: Figure) -> Pose:
    with table.blamed():
        begin = figure.pose()
        if "preset" in table.values:
            from manikin.figure.human import preset

            begin = preset(figure, table.text("preset"))
        names = [name for name in table.values if name != "preset"]
        return begin.with_values({name: table.number(name) * _unit([name], figure) for name in names})


def _constraint(table: Table, figure: Figure) -> Coupling:
    table.only(("text", "coefficients", "lower", "upper"))
    with table.blamed():
        coupling = _coupling(table)
        unit = _unit(list(coupling.coefficients), figure)
        return dataclasses.replace(coupling, lower=coupling.lower * unit, upper=coupling.upper * unit)


def _coupling(table: Table) -> Coupling:
    """The coupling with its ends as the file has them."""
    from manikin.figure import Coupling

    if "text" in table.values:
        if len(table.values) > 1:
            raise table.error("give either text, or coefficients with lower and upper, not both")
        return Coupling.parse(table.text("text"))
    ends: dict[str, Any] = {key: table.bound(key) for key in ("lower", "upper") if key in table.values}
    return Coupling(_coefficients(table), **ends)


def _coefficients(table: Table) -> dict[str, float]:
    table.need("coefficients")
    coefficients = table.table("coefficients")
    return {name: coefficients.number(name) for name in coefficients.values}


def _options(table: Table, figure: Figure) -> dict[str, Any]:
    readers: dict[str, Callable[[Table, str], object]] = {
        "method": Table.text,
        "free": Table.names,
        "fixed": Table.names,
        "restarts": Table.whole,
        "seed": Table.whole,
        "tolerance": Table.tolerance,
        "time_limit": Table.number,
    }
    table.only(readers)
    options: dict[str, Any] = {key: readers[key](table, key) for key in table.values}
    with table.blamed():
        for key in ("free", "fixed"):
            figure.select(options.get(key, ()))
    for key in ("restarts", "time_limit"):
        if options.get(key, 0) < 0:
            raise table.error(f"{key} must not be negative, not {options[key]}")
    return options


def _unit(names: Sequence[str], figure: Figure) -> float:
    """What one unit in the file is in radians or metres: a degree where all these degrees of freedom turn."""
    return math.radians(1.0) if all(figure.dof(name).unit == "rad" for name in names) else 1.0
