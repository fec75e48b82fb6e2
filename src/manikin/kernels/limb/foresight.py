"""Following a path with foresight: the motion whose greatest step is least, over a scan of the swivel angle.

A node is a solution: one φ of a grid and one of the eight families. Dynamic programming over the samples finds the way
through the nodes with the least greatest step, then, among those, the one with the least Σ(step)². A node stands for
its whole cell of the grid, so a step counts without what it has along the cell: a slow drift of φ, spread over many
samples, is no step of a whole cell. `limb_tube` then lets φ go between the cells.

A limb with a virtual angle has at most eight solutions a sample, and these are the nodes.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.limb.fixed import at_fixed
from manikin.kernels.limb.lanes import BRANCH, FAMILY, FOUND, JOINT, ODD, PHI, solve_four
from manikin.kernels.limb.limb import (
    MOST,
    ROWS,
    SHOULDER_KIND,
    VIRTUAL,
    WRIST_KIND,
    around,
    hinge_angle,
    to_coordinates,
    wanted,
)
from manikin.kernels.limb.position import brought_within_reach
from manikin.kernels.limb.roots import inside
from manikin.kernels.limb.spherical import SQUARE
from manikin.kernels.limb.swivel import reference_frame
from manikin.kernels.math.arctan import atan2
from manikin.kernels.math.vector import dot
from manikin.kernels.memory.views import view1, view2, view3

GRID = 128
NODES = 8 * GRID
# Of two layers each: rows, cells, costs (infinite: no node).
_ROWS, _CELLS, _COSTS = 0, 2 * NODES * 7, 4 * NODES * 7
_SCRATCH = _COSTS + 2 * NODES
SPACE = _SCRATCH + (2 * MOST + 1) * 7


@kernel
def apart(x, i, y, j, periods):
    """Σ of squared differences between row i of x and row j of y, by whole turns where a period is given."""
    total = 0.0
    for k in range(7):
        d = y[j, k] - x[i, k]
        if periods[k] > 0.0:
            d -= periods[k] * math.floor(d / periods[k] + 0.5)
        total += d * d
    return total


@kernel
def _apart_of_cells(x, i, y, j, cells, size, periods, enough):
    """The same without what the cell of row j, up to its neighbours', has along it; and all of it.

    size: |cell|². Infinity where a part of it all is more than ``enough`` already.
    """
    total = 0.0
    along = 0.0
    for m in range(7):
        # The hinge first: it tells the two signs of the elbow apart.
        k = (m + 3) % 7
        d = y[j, k] - x[i, k]
        if periods[k] > 0.0:
            d -= periods[k] * math.floor(d / periods[k] + 0.5)
        total += d * d
        along += d * cells[j, k]
        if total > enough:
            return math.inf, math.inf
    if size < 1e-18:
        return total, total
    s = min(1.0, max(-1.0, along / size))
    return max(0.0, total - s * (2.0 * along - s * size)), total


@kernel
def _lane_nodes(box, lane, g, rows, costs):
    """The nodes at one φ that a lane of a box holds."""
    for branch in range(2):
        at = FOUND + branch * BRANCH
        if box[at, lane] == 0.0:
            continue
        for family in range(4):
            one = at + 2 + (family // 2) * FAMILY
            other = at + 2 + JOINT + (family % 2) * FAMILY
            if box[one, lane] == 0.0 or box[other, lane] == 0.0:
                continue
            k = 8 * g + 4 * branch + family
            for j in range(3):
                rows[k, j] = box[one + 1 + j, lane]
                rows[k, 4 + j] = box[other + 1 + j, lane]
            rows[k, 3] = box[at + 1, lane]
            costs[k] = 0.0


@kernel
def _own_nodes(spec, p, r, delta, phi, g, rows, costs):
    """The nodes at one φ, one after the other."""
    for branch in range(2):
        ok, t4 = hinge_angle(spec, delta, branch)
        if not ok:
            continue
        frame = reference_frame(spec, p, t4)
        for family in range(4):
            k = 8 * g + 4 * branch + family
            if inside(spec, frame, t4, r, phi, family, rows, k):
                to_coordinates(spec, rows, k)
                costs[k] = 0.0


@kernel
def _layer(spec, targets, i, grid, box, rows, costs, scratch):
    """The nodes of a sample: cost 0 where there is one, else infinity; returns whether there are any."""
    for k in range(8 * grid):
        costs[k] = math.inf
    p, r = wanted(spec, targets, i)
    ok, projected, p, delta = brought_within_reach(spec, p)
    if not ok:
        return False
    virtual = int(spec[VIRTUAL])
    if virtual >= 0:
        count = at_fixed(spec, p, r, virtual, 0.0, scratch, 0)
        for k in range(min(count, 8)):
            to_coordinates(spec, scratch, k)
            costs[k] = 0.0
            for j in range(7):
                rows[k, j] = scratch[k, j]
        return count > 0
    square = spec[SHOULDER_KIND] == SQUARE and spec[WRIST_KIND] == SQUARE and spec[ROWS] == 0.0
    square = square and not projected
    for g in range(grid):
        lane = g % 4
        if square and lane == 0:
            for k in range(12):
                for other in range(4):
                    box[k, other] = targets[i, k // 4, k % 4]
            for other in range(4):
                box[PHI, other] = -math.pi + 2.0 * math.pi * (g + other) / grid
            solve_four(spec, box)
        if square and box[ODD, lane] == 0.0:
            _lane_nodes(box, lane, g, rows, costs)
        else:
            _own_nodes(spec, p, r, delta, -math.pi + 2.0 * math.pi * g / grid, g, rows, costs)
    any_node = False
    for k in range(8 * grid):
        any_node = any_node or costs[k] == 0.0
    return any_node


@kernel
def _measure_cells(grid, rows, costs, cells):
    """The way from one node of a family to the next over φ, 0 where it has no neighbour or leaps."""
    whole = 8 * grid
    for k in range(whole):
        if costs[k] == math.inf:
            continue
        before = (k - 8 + whole) % whole
        after = (k + 8) % whole
        low = before if costs[before] < math.inf else k
        high = after if costs[after] < math.inf else k
        f = 0.5 if low != k and high != k else 1.0
        for j in range(7):
            cells[k, j] = f * (rows[high, j] - rows[low, j])
        for j in range(7):
            if grid < 8 or abs(cells[k, j]) > 0.5:
                for other in range(7):
                    cells[k, other] = 0.0


@kernel
def _reach_node(k, grid, centre, spare, rows, cells, old_rows, old_costs, cheapest, periods, limit, largest):
    """The best way to node k from the nodes of the layer before: its cost, and from where (−1: none).

    A step turns shoulder and wrist each by what φ changes, and hinges turn a joint by at most √3 of their own step:
    |Δφ| ≤ √1.5 |step|, which ends the search over φ, ``spare`` cells granted for the target's own move.
    centre: the cell of the layer before that node k's is the continuation of.
    """
    best = math.inf
    origin = -1
    size = 0.0
    for j in range(7):
        size += cells[k, j] * cells[k, j]
    cell = 2.0 * math.pi / grid / 1.25
    most = limit
    # A step's whole length exceeds what counts of it by a cell at most.
    enough = (math.sqrt(most) + math.sqrt(size)) ** 2
    for away in range(grid // 2 + 1):
        bound = max(0.0, (away - spare) * cell)
        if bound * bound > most or (largest and best <= cheapest):
            break
        for side in range(2 if 0 < away < (grid + 1) // 2 else 1):
            cell_there = (centre + (away if side == 0 else -away) + 2 * grid) % grid
            # With the other sign of the hinge the elbow is on the other side: half a turn of φ.
            own = 8 * cell_there + 4 * (k % 8 // 4)
            other = 8 * ((cell_there + grid // 2) % grid) + 4 - 4 * (k % 8 // 4)
            for m in range(8):
                i = own + m if m < 4 else other + m - 4
                if old_costs[i] >= best:
                    continue
                relaxed, whole = _apart_of_cells(old_rows, i, rows, k, cells, size, periods, enough)
                if relaxed > limit or whole == math.inf:
                    continue
                x = max(old_costs[i], relaxed) if largest else old_costs[i] + whole
                if x < best:
                    best = x
                    origin = i
                    most = min(limit, best if largest else best - cheapest)
                    enough = (math.sqrt(most) + math.sqrt(size)) ** 2
    return best, origin


@kernel
def _continued(spec, targets, i, grid):
    """How far, in cells of φ, û of sample i turns from that of the one before; and how many cells its line moves."""
    if i == 0:
        return 0, 2
    p, _r = wanted(spec, targets, i - 1)
    q, _r = wanted(spec, targets, i)
    n, u, _v = around(spec, p)
    m, x, y = around(spec, q)
    cell = 2.0 * math.pi / grid
    turned = atan2(dot(u, y), dot(u, x))
    moved = 2.0 * math.sqrt(max(0.0, 2.0 - 2.0 * dot(n, m)))
    return int(turned / cell + grid + 0.5) - grid, 2 + int(min(moved / cell, 1.0 * grid))


@kernel(entry="f8[:], f8[:,:,:], i8, f8[:,:], f8[:], i8, f8, b1, f8[:,:], f8[:], i2[:,:], i8[:] -> i8, f8")
def foresee(spec, targets, begin, start, periods, grid, limit, largest, box, space, back, path):
    """Find the best way from sample ``begin`` on, from the coordinates ``start`` (1, 7).

    largest: seek the least greatest step squared; else the least sum, no step squared above ``limit``.
    Returns how many samples have nodes until the first without, and the cost, infinite where no way keeps to the limit;
    the way's nodes are in ``path``. back: whole numbers (T, NODES).
    """
    samples = view3(targets, 0, targets.shape[0], 4, 4)
    scratch = view2(space, _SCRATCH, 2 * MOST + 1, 7)
    first = view2(start, 0, 1, 7)
    total = targets.shape[0] - begin
    done = 0
    for _ in range(total):
        side = done % 2
        rows = view2(space, _ROWS + side * NODES * 7, NODES, 7)
        cells = view2(space, _CELLS + side * NODES * 7, NODES, 7)
        costs = view1(space, _COSTS + side * NODES, NODES)
        if not _layer(spec, samples, begin + done, grid, box, rows, costs, scratch):
            break
        _measure_cells(grid, rows, costs, cells)
        if done == 0:
            for k in range(8 * grid):
                if costs[k] < math.inf:
                    x = apart(first, 0, rows, k, periods)
                    costs[k] = x if x <= limit else math.inf
        else:
            old_rows = view2(space, _ROWS + (1 - side) * NODES * 7, NODES, 7)
            old_costs = view1(space, _COSTS + (1 - side) * NODES, NODES)
            turn, spare = _continued(spec, samples, begin + done, grid)
            _bring_up(
                grid,
                turn,
                spare,
                rows,
                cells,
                costs,
                old_rows,
                old_costs,
                periods,
                limit,
                largest,
                done,
                back,
            )
        done += 1
        if _lost(costs, grid):
            return done, math.inf
    return done, _trace(done, 8 * grid, space, back, path)


@kernel
def _lost(costs, grid):
    """Whether no way leads to any node of a layer."""
    least = math.inf
    for k in range(8 * grid):
        least = min(least, costs[k])
    return least == math.inf


@kernel
def _bring_up(
    grid, turn, spare, rows, cells, costs, old_rows, old_costs, periods, limit, largest, done, back
):
    """The costs of a layer's nodes from those of the one before."""
    cheapest = math.inf
    for k in range(8 * grid):
        cheapest = min(cheapest, old_costs[k])
    for k in range(8 * grid):
        back[done, k] = -1
        if costs[k] == math.inf:
            continue
        costs[k], back[done, k] = _reach_node(
            k,
            grid,
            k // 8 - turn,
            spare,
            rows,
            cells,
            old_rows,
            old_costs,
            cheapest,
            periods,
            limit,
            largest,
        )


@kernel
def _trace(done, whole, space, back, path):
    """Write the best way's nodes, from the last sample back; returns its cost."""
    if done == 0:
        return 0.0
    costs = view1(space, _COSTS + ((done - 1) % 2) * NODES, NODES)
    best = 0
    for k in range(whole):
        if costs[k] < costs[best]:
            best = k
    cost = costs[best]
    for i in range(done - 1, -1, -1):
        path[i] = best
        best = back[i, best]
    return cost


@kernel(entry="f8[:], f8[:,:], f8[:,:] -> i8")
def solutions(spec, target, out):
    """All solutions of a limb with a virtual angle, the target (4, 4) brought within reach, in ``out`` (17, 7)."""
    rows = view2(out, 0, 17, 7)
    p, r = wanted(spec, view3(target, 0, 1, 4, 4), 0)
    ok, _projected, p, _delta = brought_within_reach(spec, p)
    count = at_fixed(spec, p, r, int(spec[VIRTUAL]), 0.0, rows, 0) if ok else 0
    for k in range(count):
        to_coordinates(spec, rows, k)
    return count
