"""NPZ, Manikin's own: figure, clips and skins, exact to the last bit, in NumPy's archive.

``meta`` is JSON, the figure and the names of the rest; ``clip_0_times``, ``clip_0_values`` and so on are plain
arrays, so that anything that reads NumPy's files reads the clips. Nothing in it is pickled, and nothing is
unpickled.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from manikin.archive import Archive
from manikin.errors import FigureError, FormatError, PoseError
from manikin.figure import Figure
from manikin.files import whole_file
from manikin.formats.contents import Contents, Note
from manikin.formats.record import figure_from, figure_record
from manikin.formats.skin import Skin
from manikin.motion.motion import Motion
from manikin.references import References

VERSION = 2
_SKIN_ARRAYS = ("vertices", "triangles", "bind", "joints", "weights")


def write(contents: Contents, path: str | os.PathLike[str]) -> list[Note]:
    """Write everything."""
    meta = {
        "manikin": VERSION,
        "figure": figure_record(contents.figure),
        "clips": [
            {"name": clip.name, "spline": clip.spline, "ends": clip.ends, "limits": clip.limits}
            for clip in contents.clips
        ],
        "skins": [
            {"name": skin.name, "segments": list(skin.segments), "color": skin.color}
            for skin in contents.skins
        ],
        "humanoid": dict(contents.humanoid),
    }
    arrays: dict[str, Any] = {"meta": np.array(json.dumps(meta))}
    for k, clip in enumerate(contents.clips):
        arrays[f"clip_{k}_times"], arrays[f"clip_{k}_values"] = clip.times, clip.q
    for k, skin in enumerate(contents.skins):
        for key in _SKIN_ARRAYS:
            arrays[f"skin_{k}_{key}"] = getattr(skin, key)
    with whole_file(path) as beside, Path(beside).open("wb") as stream:
        np.savez_compressed(stream, **arrays)
    return []


def read(
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    within: References | Iterable[str | os.PathLike[str]] | None = None,
) -> Contents:
    """Everything that `write` wrote.

    base: refused unless it is the figure's own: the file says what holds the root.
    within: further folders that meshes may lie in; one that is in none of them, nor in the file's own folder,
        becomes ``outside://…``.
    """
    file = Path(path)
    archive = Archive(file)
    if "meta" not in archive.names and "values" in archive.names:
        raise FormatError(
            f"{file}: this is a motion without its figure; read it with Motion.load(figure, path)"
        )
    try:
        meta = json.loads(archive.text("meta"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{file}: meta is not JSON: {error}") from None
    if not isinstance(meta, dict) or meta.get("manikin") != VERSION:
        raise FormatError(f"{file}: this is not a figure's file of version {VERSION}")
    try:
        figure = figure_from(meta.get("figure"), References(file, within).mesh)
        if base is not None and base != figure.base:
            raise FormatError(f"{file}: the figure has a {figure.base} base, not a {base} one")
        clips = [_clip(archive, k, entry, figure) for k, entry in enumerate(_list(meta, "clips"))]
        skins = [_skin(archive, k, entry, figure.segments) for k, entry in enumerate(_list(meta, "skins"))]
        humanoid = {str(bone): str(name) for bone, name in dict(meta.get("humanoid") or {}).items()}
    except FormatError:
        raise
    except (FigureError, PoseError) as error:
        raise FormatError(f"{file}: {error}") from error
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        raise FormatError(f"{file}: it cannot be read: {error!r}") from None
    return Contents(figure, tuple(clips), tuple(skins), humanoid)


def _list(meta: dict[str, Any], key: str) -> list[Any]:
    found = meta.get(key, [])
    if not isinstance(found, list):
        raise FigureError(f"{key} must be a list")
    return found


def _clip(archive: Archive, k: int, entry: dict[str, Any], figure: Figure) -> Motion:
    options = {key: entry[key] for key in ("name", "spline", "ends", "limits")}
    times = archive.array(f"clip_{k}_times", (None,))
    if not (np.diff(times) > 0.0).all():  # before the values are unpacked
        raise PoseError(f"clip {k}: times must be strictly increasing")
    return Motion(figure, times, archive.array(f"clip_{k}_values", (len(times), figure.n)), **options)


def _skin(archive: Archive, k: int, entry: dict[str, Any], known: Any) -> Skin:
    names = [str(name) for name in entry["segments"]]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise FigureError(f"skin {k}: unknown segment {unknown[0]!r}")
    color = None if entry["color"] is None else tuple(float(part) for part in entry["color"])
    if color is not None and len(color) != 3:
        raise FigureError(f"skin {k}: a colour has three numbers")
    arrays = {key: archive.array(f"skin_{k}_{key}") for key in _SKIN_ARRAYS}
    return Skin(str(entry["name"]), segments=names, color=color, **arrays)
