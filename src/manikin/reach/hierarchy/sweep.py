"""W[i] from W[i+1]: the table of a block, filled by sweeping.

    d(p, W[i]) = min over q[i] of d(p seen with q[i] undone, W[i+1])

Every motion is rigid, so this is exact for distances. A hinge's grid lies along its circles, a slide's along its lines:
W[i+1] is met along the whole orbit once, and the sweep over q[i] is the least in a sliding window, a Minkowski sum with
the joint's range. A block of several motions is swept by samples of its legal values; what lies between samples is paid
for, so the bound stays proved.
"""

from __future__ import annotations

import itertools

import numpy as np

from manikin.errors import FigureError
from manikin.reach.hierarchy.blocks import Block
from manikin.reach.hierarchy.serial import SHIFT, TURN, VECTOR, Serial
from manikin.reach.hierarchy.table import AFAR, ROUNDING, Arc, Ball, Distance, Grid, Point, Stretch, Table

# Looks at W[i+1] for each node along an orbit: a second look halves what the way between looks costs.
_LOOKS = 2
# Points that are looked up together: the arrays stay in the processor's cache.
_TOGETHER = 40_000
# Nodes and looks of the sweep of a block of several motions: some seconds. Without windows each node looks at all.
_SAMPLED_NODES, _SAMPLED_LOOKS = 20_000, 4_000_000
# Nodes of the wide table beside each fine one, and its margin in spacings: about as wide as the set on every side.
_FAR_NODES, _FAR_MARGIN = 100_000, 20.0


def swept(chain: Serial, blocks: list[Block], inner: Distance, nodes: int) -> Distance:
    """The set of the first of these blocks, the last ones of the chain, given that of the next one.

    nodes: of a table, about.
    """
    block = blocks[0]
    if isinstance(inner, Point) and block.kind in (TURN, SHIFT):
        kind = Arc if block.kind == TURN else Stretch
        return kind(inner.place, block.low, block.high) if block.last == len(chain.steps) else inner
    low, high = _extent(chain, blocks)
    if block.kind == VECTOR:  # so few nodes that their margin is wide anyway
        found = _table(chain, block, inner, low, high, min(nodes, _SAMPLED_NODES), AFAR[-1], None)
        return Ball(longest(chain, block)) if found is None else found
    far = _table(chain, block, inner, low, high, min(nodes, _FAR_NODES), _FAR_MARGIN, None)
    found = _table(chain, block, inner, low, high, nodes, AFAR[-1], far)
    if found is None:
        raise FigureError("hierarchy: a workspace is not proved to lie inside its table; try more nodes")
    return found


def longest(chain: Serial, block: Block) -> float:
    """The farthest that the site can be from the block's frame: all that follows in one line."""
    lower, upper = chain.rules.finite
    length = float(np.linalg.norm(chain.tip))
    for k in range(block.first, len(chain.steps)):
        step = chain.steps[k]
        length += float(np.linalg.norm(step.shift)) if k > block.first else 0.0
        if step.kind == SHIFT:
            ends = np.maximum(np.abs(lower), np.abs(upper))
            length += float(np.abs(step.offset[0]) + np.abs(step.drive[0]) @ ends)
    return length * (1.0 + ROUNDING)


def _table(
    chain: Serial,
    block: Block,
    inner: Distance,
    low: np.ndarray,
    high: np.ndarray,
    nodes: int,
    margin: float,
    far: Table | None,
) -> Table | None:
    """A table of about so many nodes with a margin of so many spacings, or more; None where it never holds the set."""
    for more in (1.0,) if block.kind == VECTOR else (1.0, 2.0, 4.0):
        grid = _laid(block, low, high, nodes, more * margin)
        fill = _by_windows if block.kind in (TURN, SHIFT) else _by_samples
        squared = np.maximum(fill(chain, block, inner, grid), 0.0) ** 2 * (1.0 - ROUNDING)
        if _closed(grid, squared):
            if grid.round:
                squared = np.concatenate([squared, squared[:, :, :1]], axis=2)
            return Table(grid, np.ascontiguousarray(squared, np.float32).ravel(), far)
    return None


def _extent(chain: Serial, blocks: list[Block]) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest (ρ, z, φ) or (x, y, z) of W[i] found: the best of many draws, and of steps from these.

    It depends on these blocks alone, so that chains that end alike have the same tables.
    """
    turns, first = blocks[0].kind == TURN, blocks[0].first
    rng = np.random.default_rng(0)
    own = np.concatenate([block.coordinates for block in blocks[::-1]])
    lower, upper = (ends[own, None] for ends in chain.rules.finite)

    def coordinates(values: np.ndarray) -> np.ndarray:
        q = np.zeros((len(chain.dofs), values.shape[1]))
        q[own] = values
        p = chain.tips(q, first)
        return np.stack([np.hypot(p[0], p[1]), p[2], 0.0 * p[0]]) if turns else p

    draws = rng.uniform(lower, upper, (len(own), 5_000))
    places = coordinates(draws)
    low, high = places.min(axis=1), places.max(axis=1)
    for axis, sign in itertools.product(range(2 if turns else 3), (-1.0, 1.0)):
        best = draws[:, np.argsort(-sign * places[axis])[:16]]
        for size in np.geomspace(0.3, 0.01, 12):
            way = size * (upper - lower)[:, :, None] * rng.normal(size=(*best.shape, 6))
            way *= rng.random(way.shape) < 0.4
            tried = np.clip((best[:, :, None] + way).reshape(len(own), -1), lower, upper)
            tried = np.concatenate([best, tried], axis=1)
            best = tried[:, np.argsort(-sign * coordinates(tried)[axis])[:16]]
        found = coordinates(best[:, :1])[axis, 0]
        low[axis], high[axis] = min(low[axis], found), max(high[axis], found)
    if turns:
        low[0], low[2], high[2] = 0.0, 0.0, 1.0
    return low, high


def _laid(block: Block, low: np.ndarray, high: np.ndarray, nodes: int, margin: float) -> Grid:
    """About so many nodes, equally far apart, with a margin of so many spacings around the set."""
    extent = high - low
    # Coordinates are analytic in q: one that does not change over many draws does not change at all.
    flat = extent <= 1e-9 * (1.0 + np.abs(high).max() + np.abs(low).max())
    turns = block.kind == TURN
    side = max(float(extent[:2].max() if turns else extent.max()), 1e-6) / 10.0
    for _ in range(60):
        counts = np.where(flat, 1, np.ceil(extent / side + 2.0 * margin) + 1)
        if turns:
            counts[0] = np.ceil(high[0] / side + margin) + 2
            counts[2] = max(np.ceil(2.0 * np.pi * high[0] / side), 24)
        side *= (counts.prod() / nodes) ** (0.5 / max((counts > 1).sum(), 1))
    spacing = np.where(flat, 1.0, side)
    origin = np.where(flat, low, 0.5 * (low + high) - 0.5 * side * (counts - 1))
    if turns:
        origin[0], origin[2], spacing[0], spacing[2] = 0.0, 0.0, side, 2.0 * np.pi / counts[2]
    a, b, c = counts.astype(int).tolist()
    return Grid(turns, (a, b, c), origin, spacing)


def _closed(grid: Grid, squared: np.ndarray) -> bool:
    """Whether the grid's hull is proved to hold the set: it is connected, begins inside, and the hull's faces miss
    it.
    """
    a, b, c = grid.counts
    faces = [squared[-1]] + ([] if grid.round or a == 1 else [squared[0]])
    faces += [] if b == 1 else [squared[:, 0], squared[:, -1]]
    faces += [] if grid.round or c == 1 else [squared[:, :, 0], squared[:, :, -1]]
    if a == 1:
        faces = faces[1:]
    return all(float(face.min()) > 0.75 * (1.1 * grid.side) ** 2 for face in faces)


def _by_windows(chain: Serial, block: Block, inner: Distance, grid: Grid) -> np.ndarray:
    """Distances at the nodes, orbit by orbit."""
    n0, n1, n2 = grid.counts
    step = grid.spacing[2] / _LOOKS if n2 > 1 else 1e-3
    turns = block.kind == TURN
    if turns:
        size = n2 * _LOOKS
        first = int(np.floor(-block.high / step))
        width = min(int(np.ceil(-block.low / step)) - first + 1, size)
        along = step * np.arange(size)
    else:  # the motion undone takes z to z − q
        first, width = 0, int(np.ceil((block.high - block.low) / step)) + 2
        size = (n2 - 1) * _LOOKS + width + 1
        along = grid.origin[2] - block.high + step * np.arange(size)
    found = np.empty(grid.counts)
    second = grid.origin[1] + grid.spacing[1] * np.arange(n1)
    rows = max(_TOGETHER // size, 1)
    still = np.zeros((len(chain.dofs), 1))
    shift = float(chain.steps[block.first].offset[0])
    pairs = list(itertools.product(range(n0), range(n1)))
    for begin in range(0, len(pairs), rows):
        k0, k1 = np.array(pairs[begin : begin + rows]).T
        r = grid.origin[0] + grid.spacing[0] * k0
        if turns:
            at = along + shift  # a motion at q = 0 undoes its offset
            x, y = np.outer(r, np.cos(at)), np.outer(r, np.sin(at))
            points = np.stack([x, y, np.broadcast_to(second[k1][:, None], x.shape)])
            chord, sag = 2.0 * r * np.sin(0.5 * step), r * (1.0 - np.cos(0.5 * step))
        else:
            x = np.broadcast_to(r[:, None], (len(r), size))
            points = np.stack(
                [x, np.broadcast_to(second[k1][:, None], x.shape), np.broadcast_to(along + shift, x.shape)]
            )
            chord, sag = np.full(len(r), step), np.zeros(len(r))
        seen = chain.undone(points.reshape(3, -1), still, block.first, block.last)
        values = inner.distance(seen).reshape(len(r), size)
        low = _least_of_windows(values, first, width, turns)[:, : (n2 - 1) * _LOOKS + 1 : _LOOKS]
        low = np.sqrt(np.maximum(low**2 - 0.25 * chord[:, None] ** 2, 0.0)) - sag[:, None]
        found[k0, k1] = low
    return found


def _least_of_windows(values: np.ndarray, first: int, width: int, cyclic: bool) -> np.ndarray:
    """found[:, k] = the least of values[:, k + first : k + first + width], by doubling the window."""
    if cyclic:
        values = np.roll(values, -first, axis=1)
        values = np.concatenate([values, values[:, : width - 1]], axis=1)
    span = 1
    while 2 * span <= width:
        values = np.minimum(values[:, :-span], values[:, span:])
        span *= 2
    rest = width - span
    return np.minimum(values[:, : values.shape[1] - rest], values[:, rest:]) if rest else values


def _by_samples(chain: Serial, block: Block, inner: Distance, grid: Grid) -> np.ndarray:
    """Distances at the nodes of a block of several motions, over a grid of its coordinates.

    Within a box of that grid the point is where the corners' mean by shares is, to B/8 (`Serial.undone_with_slopes`).
    Its squared distance is at least the corners' least, less a quarter of the squares of the box's edges.
    """
    axes = [o + s * np.arange(n) for o, s, n in zip(grid.origin, grid.spacing, grid.counts, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij")).reshape(3, -1)
    corners, edge = _corners(chain, block, max(_SAMPLED_LOOKS // points.shape[1], 1))
    best, spread, bend = (
        np.full(points.shape[1], np.inf),
        np.zeros(points.shape[1]),
        np.zeros(points.shape[1]),
    )
    for part in range(0, points.shape[1], _TOGETHER):
        chosen = slice(part, part + _TOGETHER)
        own = points[:, chosen]
        many = np.zeros((len(chain.dofs), own.shape[1]))
        half = np.repeat(edge[:, None], own.shape[1], axis=1)
        for corner in corners.T:
            many[block.coordinates] = corner[:, None]
            V, bent, _ = chain.undone_with_slopes(
                own, many, half, (block.first, block.last), block.coordinates
            )
            edges = np.linalg.norm(V[:, 1:], axis=0) * half + bent
            best[chosen] = np.minimum(best[chosen], inner.distance(V[:, 0]))
            spread[chosen] = np.maximum(spread[chosen], (edges**2).sum(axis=0))
            bend[chosen] = np.maximum(bend[chosen], bent / 8.0)
    return (np.sqrt(np.maximum(best**2 - 0.25 * spread, 0.0)) - bend).reshape(grid.counts)


def _corners(chain: Serial, block: Block, count: int) -> tuple[np.ndarray, np.ndarray]:
    """About so many points of a grid over a block's coordinates, those with no legal box beside left out; the edges."""
    lower, upper = (ends[block.coordinates] for ends in chain.rules.finite)
    wide = np.maximum(upper - lower, 1e-9)
    counts = np.maximum(np.round(wide * (count / wide.prod()) ** (1.0 / len(wide))).astype(int), 1) + 1
    ends = [np.linspace(a, b, n) for a, b, n in zip(lower, upper, counts, strict=True)]
    corners = np.stack(np.meshgrid(*ends, indexing="ij")).reshape(len(wide), -1)
    edge = (upper - lower) / (counts - 1)
    good = chain.rules.possible(
        block.coordinates, corners, np.repeat(edge[:, None], corners.shape[1], axis=1)
    )
    return corners[:, good], edge
