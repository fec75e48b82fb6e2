"""Study files: a population, a layout and what is asked, as TOML that a person writes; `EXAMPLE` has every section."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import FormatError
from manikin.formats.scene.goals import read_goals
from manikin.formats.tables import Table, read_toml
from manikin.reach.grid import Grid

if TYPE_CHECKING:
    from manikin.figure.human.crowd import Population

#: A study that runs as it stands, with what else each section takes as remarks.
EXAMPLE = """\
# Who reaches the levers of a desk, seated. Lengths are metres, angles degrees.
site = "right_hand"
posture = "sit"                         # rest, stand, sit, ...
seat = [0.0, 0.0, 0.45]                 # where the seat is put; left out: where the posture has it

[population]
n = 20                                  # drawn; or percentiles = [5, 50, 95], boundary = 0.9, or [[person]]
sex = "both"
seed = 0
age = [20, 60]                          # left out: ranges of motion as in the tables

[figure]                                # options of the human
fingers = false
spine = "bend"

[points]                                # a box and a pitch, or list = [[0.4, -0.2, 1.0], [0.5, 0.0, 1.2]]
low = [0.4, -0.5, 0.6]
high = [0.8, 0.3, 1.4]
pitch = 0.2

[[goal]]                                # as in scene files; pins mean each body's own start
kind = "pin"
site = "pelvis"

[[obstacle]]                            # the body stays out of it
region = { ball = { center = [0.55, 0.25, 0.95], radius = 0.08 } }

[study]
chunk = 10                              # bodies that are done together
tolerance = { position = 0.001, orientation_degrees = 0.6 }
free = ["right_*", "spine_*"]
"""
SECTIONS = (
    "site",
    "posture",
    "seat",
    "population",
    "person",
    "figure",
    "points",
    "goal",
    "obstacle",
    "study",
)
_FIGURE = {
    "fingers": Table.flag,
    "spine": Table.text,
    "girdle": Table.flag,
    "swings": Table.text,
    "base": Table.text,
}
#: Larger studies are begun from Python: a file, which may be anyone's, takes some hundred MB at most.
MOST_PEOPLE, MOST_POINTS = 100_000, 4_000_000
_KINDS = ("n", "percentiles", "boundary")


@dataclass(frozen=True, eq=False)
class StudyFile:
    """A study as read: the arguments of `manikin.reach.study`."""

    path: Path
    people: Population
    points: np.ndarray
    options: dict[str, Any]


def read_study(path: str | Path) -> StudyFile:
    """Read a study file; every mistake in it is a `FormatError` that names the file and the place."""
    path = Path(path)
    told = read_toml(path)
    try:
        return _study(told, path)
    except RecursionError:
        raise FormatError(f"{path}: nested too deeply to be a study") from None


def _study(told: Table, path: Path) -> StudyFile:
    told.only(SECTIONS)
    people = _people(told)
    options: dict[str, Any] = {}
    for key in ("site", "posture"):
        if key in told.values:
            options[key] = told.text(key)
    if "seat" in told.values:
        options["seat"] = told.vector("seat")
    more = told.table("study")
    more.only(("chunk", "tolerance", "free"))
    for key, read in (("chunk", Table.whole), ("tolerance", Table.tolerance), ("free", Table.names)):
        if key in more.values:
            options[key] = read(more, key)
    goals = told.tables("goal")
    obstacles = told.tables("obstacle")
    if goals or obstacles:
        with told.blamed():
            start = people.build(0).pose()
        found = read_goals(goals, obstacles, start)
        if any(isinstance(entry, list) for entry in found):
            raise told.error("a study has no levels: leave 'level' out")
        options["goals"] = found
    return StudyFile(path, people, _points(told.table("points")), options)


def _people(told: Table) -> Population:
    from manikin.figure.human.crowd import boundary, people, percentiles, population

    figure = told.table("figure")
    figure.only(_FIGURE)
    options: dict[str, Any] = {
        key: read(figure, key) for key, read in _FIGURE.items() if key in figure.values
    }
    table = told.table("population")
    table.only((*_KINDS, "sex", "seed", "women", "by", "age", "axes"))
    persons = told.tables("person")
    kinds = [key for key in _KINDS if key in table.values]
    if len(kinds) + bool(persons) != 1:
        raise told.error(
            "one of population.n, population.percentiles, population.boundary and [[person]] is wanted"
        )
    given: dict[str, Any] = {}
    for key, read in (
        ("seed", Table.whole),
        ("women", Table.number),
        ("axes", Table.whole),
        ("sex", Table.text),
    ):
        if key in table.values:
            given[key] = read(table, key)
    if "age" in table.values:
        value = table.values["age"]
        given["age"] = tuple(table.vector("age", 2)) if isinstance(value, list) else table.number("age")
    if "by" in table.values:
        given["by"] = table.names("by") if kinds == ["boundary"] else table.text("by")
    with table.blamed():
        if persons:
            return people([dict(person.values) for person in persons], **given, **options)
        if kinds == ["n"]:
            if table.whole("n") > MOST_PEOPLE:
                raise table.error(
                    f"n: a file asks for {MOST_PEOPLE:,} people at most, got {table.whole('n'):,}"
                )
            return population(table.whole("n"), **given, **options)
        if kinds == ["boundary"]:
            return boundary(table.number("boundary"), **given, **options)
        given_shares = table.values["percentiles"]
        if not isinstance(given_shares, list) or not given_shares:
            raise table.error("percentiles must be a list of numbers")
        shares = table.vector("percentiles", len(given_shares))
        return percentiles(shares.tolist(), **given, **options)


def _points(table: Table) -> np.ndarray:
    table.only(("low", "high", "pitch", "list"))
    if "list" in table.values:
        rows = table.values["list"]
        if not isinstance(rows, list) or not rows:
            raise table.error("list must be points of three numbers each")
        listed = Table(table.place, {f"point {k}": row for k, row in enumerate(rows, start=1)})
        return np.array([listed.vector(key) for key in listed.values])
    with table.blamed():
        grid = Grid.box(table.vector("low"), table.vector("high"), table.number("pitch"))
        if grid.size > MOST_POINTS:
            raise table.error(
                f"a file asks for {MOST_POINTS:,} points at most, got {grid.size:,}; a larger pitch has fewer"
            )
        return grid.places(np.arange(grid.size))
