"""Tables that were made before: in memory, shared by equal chains, and on disk.

A table is known by a digest of all that it depends on: the motions from its block to the site, their ranges and rules,
and how it was made. Chains that end alike share the tables of that end.
"""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from pathlib import Path
from threading import Lock

import numpy as np

from manikin.archive import Archive
from manikin.errors import FormatError
from manikin.files import whole_file
from manikin.reach.hierarchy.blocks import Block
from manikin.reach.hierarchy.serial import VECTOR, Serial
from manikin.reach.hierarchy.sweep import swept
from manikin.reach.hierarchy.table import Distance, Grid, Point, Table

_FORMAT = "manikin reach table 1"
#: Bytes of tables that are kept in memory besides those in use.
MEMORY = 200_000_000
# Nodes of all fine tables of a chain together: a chain of many joints has coarser ones.
_MOST_NODES = 36_000_000

_kept: OrderedDict[str, Distance] = OrderedDict()
_lock = Lock()


def sets_of(
    chain: Serial, blocks: list[Block], nodes: int, folder: str | os.PathLike[str] | None
) -> list[Distance]:
    """W[1] … W[n + 1]. W[1] is not stored; the site, W[n + 1], stands in its place."""
    nodes = min(nodes, _MOST_NODES // max(len(blocks) - 2, 1))
    inner: Distance = Point(chain.tip)
    found, digest = [inner], _digest(_FORMAT, nodes, chain.tip)
    for i in range(len(blocks) - 1, 0, -1):
        digest = _digest(digest, *_parts(chain, blocks[i]))
        inner = _one(digest, chain, blocks[i:], inner, nodes, folder)
        found.insert(0, inner)
    return [Point(chain.tip), *found]


def forget() -> None:
    """Let go of all tables that are kept in memory besides those in use."""
    with _lock:
        _kept.clear()


def _parts(chain: Serial, block: Block) -> list[object]:
    """All that a block's set depends on besides the next one's."""
    own, rules = block.coordinates, chain.rules
    found: list[object] = [block.kind, block.low, block.high, rules.lower[own], rules.upper[own]]
    for k in range(block.first, block.last):
        step = chain.steps[k]
        found += [step.kind, step.offset, step.drive[:, own]]
        if k + 1 < len(chain.steps):
            found += [chain.steps[k + 1].turn, chain.steps[k + 1].shift]
    if block.kind == VECTOR:  # what couplings leave possible depends on the other coordinates' ranges too
        found += [rules.A, rules.low, rules.high, rules.lower, rules.upper, own, rules.cones]
    return found


def _digest(*parts: object) -> str:
    whole = hashlib.sha256()
    for part in parts:
        array = part if isinstance(part, np.ndarray) else None
        whole.update(array.tobytes() if array is not None else repr(part).encode())
        whole.update(b";" + repr(array.shape if array is not None else ()).encode())
    return whole.hexdigest()


def _one(
    digest: str,
    chain: Serial,
    blocks: list[Block],
    inner: Distance,
    nodes: int,
    folder: str | os.PathLike[str] | None,
) -> Distance:
    """One set: from memory, from disk, or made."""
    with _lock:
        if digest in _kept:
            _kept.move_to_end(digest)
            return _kept[digest]
    path = None if folder is None else Path(folder) / f"{digest}.npz"
    made: Distance
    if path is not None and path.exists():
        made = load(path, digest)
    else:
        made = swept(chain, blocks, inner, nodes)
        if path is not None and isinstance(made, Table):
            path.parent.mkdir(parents=True, exist_ok=True)
            save(made, path, digest)
    with _lock:
        _kept[digest] = made
        while len(_kept) > 1 and sum(getattr(one, "nbytes", 0) for one in _kept.values()) > MEMORY:
            _kept.popitem(last=False)
    return made


def save(table: Table, path: Path, digest: str) -> None:
    """A table to a file, whole or not at all."""
    arrays: dict[str, np.ndarray] = {"about": np.array([_FORMAT, digest])}
    for name, one in (("near", table), ("far", table.far)):
        if one is None:
            continue
        grid = one.grid
        arrays[f"{name}_grid"] = np.array([grid.round, *grid.counts, *grid.origin, *grid.spacing])
        arrays[f"{name}_squared"] = one.squared
    with whole_file(path) as beside, beside.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def load(path: Path, digest: str) -> Table:
    """A table of `save`; a FormatError where the file is not that table, whole."""
    try:
        archive = Archive(path, "reach table")
        about = archive.array("about", (2,)).tolist()
        if about != [_FORMAT, digest]:
            raise ValueError(f"it is of {about}")
        found = None
        for name in ("far", "near") if "far_grid" in archive.names else ("near",):
            numbers = archive.array(f"{name}_grid", (10,)).astype(float)
            if not np.isfinite(numbers).all():
                raise ValueError(f"its {name} grid is broken")
            a, b, c = (int(count) for count in numbers[1:4])
            grid = Grid(bool(numbers[0]), (a, b, c), numbers[4:7], numbers[7:10])
            squared = archive.array(f"{name}_squared", (int(np.prod(grid.stored)),))
            if squared.dtype != np.float32 or not (np.isfinite(squared).all() and (squared >= 0.0).all()):
                raise ValueError(f"its {name} table has values that are no distances")
            found = Table(grid, squared, found)
    except (FormatError, ValueError, TypeError, OverflowError) as problem:
        raise FormatError(
            f"{path}: not a reach table of Manikin: {problem}; remove it, and it is made again"
        ) from problem
    assert found is not None
    return found
