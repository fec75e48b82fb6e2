"""A scene file as a document."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np

from manikin.errors import FormatError
from manikin.figure import Figure
from manikin.files import shown_path
from manikin.formats.scene import (
    HUMAN_OPTIONS,
    SECTIONS,
    Scene,
    figure_file,
    read_limits,
    scene_from,
)
from manikin.formats.scene.goals import read_entries, read_obstacle
from manikin.formats.scene.regions import read_region
from manikin.formats.tables import Table, parse_toml
from manikin.goals import Box
from manikin.references import References
from manikin.studio.model.document import Document, Entry, Key, Thing
from manikin.studio.model.source import GIVEN, Held, Source

ROLES = ("obstacle", "support", "off")


def document_of(
    text: str,
    place: Path,
    given: Figure | None = None,
    *,
    files: References | Literal["any", "none"] | None = None,
) -> Document:
    """The document of a scene's text.

    place: the path that it was read from: figures' files are looked for beside it.
    given: the figure that a scene of a figure made in Python is about.
    files: where the figure's file may lie, by default in the scene's folder; ``"any"`` is for a scene that the
        studio wrote itself, ``"none"`` for one that was uploaded.
    """
    try:
        return _document(parse_toml(place, text), place, given, References(place) if files is None else files)
    except RecursionError:
        raise FormatError(f"{place}: nested too deeply to be a scene") from None


def _document(
    table: Table, place: Path, given: Figure | None, files: References | Literal["any", "none"]
) -> Document:
    table.only(SECTIONS)
    source = _source(table, place, given, files)
    with Table(f"{table.place}: figure", {}).blamed():
        built = source.build()
    scene = scene_from(table, place, built)
    figure = scene.figure
    goals = [
        Entry(goal, level, active) for level, goal, active in read_entries(table.tables("goal"), scene.start)
    ]
    things = []
    for each in table.tables("obstacle"):
        thing = _as_thing(each)
        if thing is not None:
            things.append(thing)
            continue
        level, kept_out = read_obstacle(each, scene.start)
        goals += [Entry(goal, level) for goal in kept_out]
    studio = table.table("studio")
    studio.only(("thing", "key"))
    things += [_thing(each) for each in studio.tables("thing")]
    q = np.array(scene.start.q)
    q.flags.writeable = False
    return Document(
        source,
        figure,
        q,
        tuple(goals),
        tuple(things),
        _locked(scene, figure),
        tuple(sorted((_key_frame(each, figure) for each in studio.tables("key")), key=lambda key: key.time)),
        scene.constraints,
        scene.options.get("tolerance", (1e-4, 1e-3)),
    )


def _locked(scene: Scene, figure: Figure) -> frozenset[str]:
    free = scene.options.get("free")
    if free is None:
        return frozenset()
    moving = {figure.dofs[k] for k in figure.select(free)}
    return frozenset(name for name in figure.dofs if name not in moving)


def _source(
    table: Table, place: Path, given: Figure | None, files: References | Literal["any", "none"]
) -> Source:
    within = None
    name = table.text("figure")
    options = table.table("options")
    if name == "human":
        options.only(tuple(HUMAN_OPTIONS))
        keywords: dict[str, Any] = {key: HUMAN_OPTIONS[key](options, key) for key in options.values}
        kind = name
    elif name == GIVEN:
        options.only(())
        kind, keywords = GIVEN, {}
    else:
        options.only(("base",))
        keywords = {"base": options.text("base")} if "base" in options.values else {}
        if files == "none":
            raise table.error(
                f"figure {shown_path(name)}: an uploaded scene opens no other file; save it in the studio's folder "
                "and open it there"
            )
        if files == "any":
            file = figure_file(table, References(place, (Path(place.absolute().anchor),)))
        else:
            within, file = files, figure_file(table, files)
        kind = str(file.resolve())
    source = Source(kind, keywords, given=given, within=within)
    with Table(f"{table.place}: figure", {}).blamed():
        bare = source.build()
    sites = []
    for each in table.tables("site"):
        each.only(("name", "segment", "offset", "rpy", "wxyz", "matrix"))
        frame = np.eye(4)
        if "offset" in each.values:
            frame[:3, 3] = each.vector("offset")
        turn = {key: value for key, value in each.values.items() if key in ("rpy", "wxyz", "matrix")}
        if turn:
            frame[:3, :3] = Table(each.place, turn).one_rotation()
        sites.append((each.text("name"), each.text("segment"), frame))
    held = tuple(_held(each) for each in table.tables("held"))
    limits = read_limits(table.table("limits"), bare)
    return source.changed(sites=tuple(sites), held=held, limits=limits)


def _held(table: Table) -> Held:
    table.only(("name", "at", "size", "mass", "offset"))
    offset = table.vector("offset") if "offset" in table.values else np.zeros(3)
    mass = table.number("mass") if "mass" in table.values else 0.0
    return Held(table.text("name"), table.text("at"), _three(table.vector("size")), mass, _three(offset))


def _three(values: np.ndarray) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z


def _as_thing(table: Table) -> Thing | None:
    """A box that all segments stay out of, as furniture; None for other obstacles, which stay goals."""
    if set(table.values) - {"name", "region"}:
        return None
    region = read_region(table, "region")
    if not isinstance(region, Box):
        return None
    name = table.text("name") if "name" in table.values else "box"
    return Thing(name, _three(np.asarray(region.center)), _three(np.asarray(region.size)), region.rotation)


def _thing(table: Table) -> Thing:
    table.only(("name", "role", "region"))
    role = table.text("role")
    if role not in ROLES:
        raise table.error(f"unknown role {role!r}; expected one of {', '.join(ROLES)}")
    region = read_region(table, "region")
    if not isinstance(region, Box):
        raise table.error("things are boxes")
    center, size = _three(np.asarray(region.center)), _three(np.asarray(region.size))
    return Thing(table.text("name"), center, size, region.rotation, role)


def _key_frame(table: Table, figure: Figure) -> Key:
    table.only(("time", "values"))
    values = table.table("values")
    with values.blamed():
        q = figure.pose(
            {
                name: values.number(name) * (math.radians(1.0) if figure.dof(name).unit == "rad" else 1.0)
                for name in values.values
            }
        ).q
    return Key(table.number("time"), q)
