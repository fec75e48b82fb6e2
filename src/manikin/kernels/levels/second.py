"""Second derivatives of the Lagrangian, Σ fᵣ ∂²gᵣ over the measures, in one sweep.

A force f at a point r of a motion asks for sums over subtrees alone (`residuals.curvature`, D = Σ r fᵀ). Any other
measure sees the frames of a few motions, its *links*: with the force f at a link's origin p and the moment m about it,

    D += p fᵀ − ½ [m]ₓ,   and   Σ (∂ξₐ/∂i)ᵀ H (∂ξ_b/∂j)   over pairs of links,

ξ the velocity of p and the rotation. H, 6 × 6 for each pair, is how forces and moments change with the links: from
differences of the part's own wrenches, twelve values of one part for each link, and made symmetric, since the other
half of it is in the moment's share of D. Coordinates have second derivatives in cones alone.

The centre of mass has the force on it at every mass. An edge of the support turns with its corners A and B: its
distance g(c, A, B) has second derivatives by six numbers.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.levels.layout import X
from manikin.kernels.math.vector import cross, vector
from manikin.kernels.memory.stack import stack1, stack2
from manikin.kernels.residuals.curvature import (
    add_carried,
    add_tensor,
    axis_vector,
    block_curvature,
    fill_columns,
)
from manikin.kernels.residuals.errors import world_point
from manikin.kernels.residuals.layout import ON_COORDINATES, ON_MOTIONS
from manikin.kernels.residuals.mass import BALANCE, CENTER, edge_of_row, edge_slopes, find_columns
from manikin.kernels.residuals.measures import measure_part
from manikin.kernels.residuals.pose import COORDINATES, SITE_PLACE
from manikin.kernels.residuals.shapes import find_balls
from manikin.kernels.residuals.values import CONE, cone_curvature
from manikin.kernels.tree.sweep import SLIDE
from manikin.kernels.tree.variables import reduce_hessian

# Metres and radians.
_DIFFERENCE = 1e-5
# Links of a part at most, and numbers of their wrenches.
_LINKS, _NUMBERS = 4, 24


@kernel
def _add_force(tensors, i, r, f):
    """The force f at r on motion i."""
    for c in range(3):
        tensors[i, c] += f[c]
    add_tensor(tensors, i, r, f)


@kernel
def _add_moment(tensors, i, m):
    """The moment m on motion i: −½ [m]ₓ."""
    tensors[i, 4] += 0.5 * m[2]
    tensors[i, 5] -= 0.5 * m[1]
    tensors[i, 6] -= 0.5 * m[2]
    tensors[i, 8] += 0.5 * m[0]
    tensors[i, 9] += 0.5 * m[1]
    tensors[i, 10] -= 0.5 * m[0]


@kernel
def _turn_frame(frames, i, axis, angle):
    """Turn motion i about the world's axis through its origin, to third order; the inverse has the negative angle."""
    u = (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
    for c in range(3):
        v = (frames[i, c], frames[i, 3 + c], frames[i, 6 + c])
        m = cross(u, v)
        n = cross(u, m)
        for k in range(3):
            turned = angle * (1.0 - angle * angle / 6.0) * m[k] + 0.5 * angle * angle * n[k]
            frames[i, 3 * k + c] = v[k] + turned


@kernel
def _links_of(M, t, links):
    """The motions whose frames part t sees, into ``links``; returns how many."""
    if M.attach[t] == ON_MOTIONS:
        links[0] = M.motion[t]
        links[1] = M.base[t]
        return 2 if M.base[t] != 0 else 1
    count = 0
    for s in range(M.links[t]):
        i = M.index[M.link[t] + s]
        known = False
        for k in range(count):
            known = known or int(links[k]) == i
        if not known:
            links[count] = i
            count += 1
    return count


@kernel
def _wrenches(M, frames, t, force, links, count, out):
    """Force and moment about its origin that part t has on each link, six numbers each."""
    for k in range(6 * count):
        out[k] = 0.0
    extra = M.more[t]
    for r in range(M.first[t], M.first[t] + M.count[t]):
        if force[r] == 0.0:
            continue
        for k in range(count):
            for c in range(6):
                if extra < 0:
                    w = M.wrench[r, c]
                    out[6 * k + c] += force[r] * (w if k == 0 else -w)
                    continue
                slots = M.extra[extra + r - M.first[t]]
                for s in range(slots.shape[0]):
                    if int(slots[s, 0]) == int(links[k]):
                        out[6 * k + c] += force[r] * slots[s, 1 + c]
    for k in range(count):
        i = int(links[k])
        f = (out[6 * k], out[6 * k + 1], out[6 * k + 2])
        arm = cross((frames[i, 9], frames[i, 10], frames[i, 11]), f)
        for c in range(3):
            out[6 * k + 3 + c] -= arm[c]


@kernel
def _measure(M, sweep, t):
    if M.ball[t] >= 0:
        find_balls(M, sweep.frames)
    measure_part(M, sweep, t)


@kernel
def _by_differences(M, sweep, t, force, links, count, H):
    """How the wrenches of part t change with its links, made symmetric, into H."""
    frames = sweep.frames
    wrench = stack1(_NUMBERS)
    saved = stack1(12)
    for k in range(count):
        i = int(links[k])
        for c in range(12):
            saved[c] = frames[i, c]
        for a in range(6):
            for side in range(2):
                h = _DIFFERENCE if side == 0 else -_DIFFERENCE
                if a < 3:
                    frames[i, 9 + a] = saved[9 + a] + h
                else:
                    _turn_frame(frames, i, a - 3, h)
                _measure(M, sweep, t)
                _wrenches(M, frames, t, force, links, count, wrench)
                for b in range(6 * count):
                    before = 0.0 if side == 0 else H[b, 6 * k + a]
                    H[b, 6 * k + a] = before + wrench[b] * (0.5 / h)
                for c in range(12):
                    frames[i, c] = saved[c]
    _measure(M, sweep, t)
    for a in range(6 * count):
        for b in range(a):
            mean = 0.5 * (H[a, b] + H[b, a])
            H[a, b] = mean
            H[b, a] = mean


@kernel
def _velocity(tree, sweep, i, j, c):
    """The velocity of the origin of motion i, and its rotation, by coordinate c of motion j, which carries it."""
    frames = sweep.frames
    u = axis_vector(tree.kind, frames, sweep.spins, j, c)
    if tree.kind[j] == SLIDE:
        return u, (0.0, 0.0, 0.0)
    arm = (frames[i, 9] - frames[j, 9], frames[i, 10] - frames[j, 10], frames[i, 11] - frames[j, 11])
    return cross(u, arm), u


@kernel
def _velocities(tree, sweep, i, columns):
    """`_velocity` of motion i by every value on the way to the root: how many there are."""
    count = 0
    j = i
    while j > 0:
        for c in range(1 if tree.kind[j] <= SLIDE else 3):
            v, turn = _velocity(tree, sweep, i, j, c)
            column = columns[count]
            column[0] = tree.axis[j] + c
            for k in range(3):
                column[1 + k] = v[k]
                column[4 + k] = turn[k]
            count += 1
        j = tree.parent[j]
    return count


@kernel
def _add_links(tree, M, sweep, t, force, by_value):
    """Part t, which sees the frames of some links."""
    links = stack1(_LINKS)
    wrench = stack1(_NUMBERS)
    H = stack2(_NUMBERS, _NUMBERS)
    frames = sweep.frames
    count = _links_of(M, t, links)
    _wrenches(M, frames, t, force, links, count, wrench)
    for k in range(count):
        i = int(links[k])
        f = (wrench[6 * k], wrench[6 * k + 1], wrench[6 * k + 2])
        _add_force(sweep.tensors, i, (frames[i, 9], frames[i, 10], frames[i, 11]), f)
        _add_moment(sweep.tensors, i, (wrench[6 * k + 3], wrench[6 * k + 4], wrench[6 * k + 5]))
    _by_differences(M, sweep, t, force, links, count, H)
    row = stack1(6)
    for k in range(count):
        columns = _velocities(tree, sweep, int(links[k]), sweep.columns)
        for other in range(count):
            i = int(links[other])
            j = i
            while j > 0:
                for c in range(1 if tree.kind[j] <= SLIDE else 3):
                    v, turn = _velocity(tree, sweep, i, j, c)
                    for a in range(6):
                        s = 0.0
                        for b in range(3):
                            s += H[6 * k + a, 6 * other + b] * v[b]
                            s += H[6 * k + a, 6 * other + 3 + b] * turn[b]
                        row[a] = s
                    own = by_value[tree.axis[j] + c]
                    for n in range(columns):
                        column = sweep.columns[n]
                        s = 0.0
                        for a in range(6):
                            s += column[1 + a] * row[a]
                        own[int(column[0])] += s
                j = tree.parent[j]


@kernel
def _add_center(M, sweep, f):
    """The force f on the centre of mass."""
    for k in range(M.mass_motion.shape[0]):
        i = M.mass_motion[k]
        mu = M.mass[k, 0]
        x = world_point(sweep.frames, i, vector(M.mass[k], 1))
        _add_force(sweep.tensors, i, x, (mu * f[0], mu * f[1], mu * f[2]))


@kernel
def _spread(tree, M, sweep, i, x, row, by_value, sign):
    """Add sign · (row · ∂x/∂k) to by_value, for the point x of motion i seen from above: see `_add_edge`."""
    count = fill_columns(tree, sweep.frames, sweep.spins, i, x, (0.0, 0.0, 0.0), sweep.columns)
    for n in range(count):
        column = sweep.columns[n]
        by_value[int(column[0])] += sign * (row[0] * column[1] + row[1] * column[2])


@kernel
def _add_edge(tree, M, sweep, t, r, y, slopes, by_value):
    """A row of the support: the forces on centre and corners, and how they change with these.

    slopes: (6, values), room.
    """
    frames = sweep.frames
    a, b, turned = edge_of_row(M, frames, t, r - M.first[t])
    if a < 0:
        return
    link = M.link[t]
    i = M.index[link + a]
    j = M.index[link + b]
    p = world_point(frames, i, vector(M.parameters, M.offset[t] + 3 * a))
    q = world_point(frames, j, vector(M.parameters, M.offset[t] + 3 * b))
    at = stack1(6)
    for c in range(2):
        at[c] = M.center[c]
        at[2 + c] = p[c]
        at[4 + c] = q[c]
    side = r - M.first[t]
    g = edge_slopes(at, side, turned)
    _add_center(M, sweep, (y * g[1], y * g[2], 0.0))
    _add_force(sweep.tensors, i, p, (y * g[3], y * g[4], 0.0))
    _add_force(sweep.tensors, j, q, (y * g[5], y * g[6], 0.0))
    H = stack2(6, 6)
    for c in range(6):
        old = at[c]
        at[c] = old + _DIFFERENCE
        high = edge_slopes(at, side, turned)
        at[c] = old - _DIFFERENCE
        low = edge_slopes(at, side, turned)
        at[c] = old
        H[0, c] = y * (high[1] - low[1]) * 0.5 / _DIFFERENCE
        H[1, c] = y * (high[2] - low[2]) * 0.5 / _DIFFERENCE
        H[2, c] = y * (high[3] - low[3]) * 0.5 / _DIFFERENCE
        H[3, c] = y * (high[4] - low[4]) * 0.5 / _DIFFERENCE
        H[4, c] = y * (high[5] - low[5]) * 0.5 / _DIFFERENCE
        H[5, c] = y * (high[6] - low[6]) * 0.5 / _DIFFERENCE
    for c in range(6):
        for k in range(by_value.shape[0]):
            slopes[c, k] = 0.0
    one = stack1(2)
    for c in range(2):
        one[0] = 1.0 if c == 0 else 0.0
        one[1] = 1.0 - one[0]
        for k in range(by_value.shape[0]):
            slopes[c, k] = M.columns[k, c]
        _spread(tree, M, sweep, i, p, one, slopes[2 + c], 1.0)
        _spread(tree, M, sweep, j, q, one, slopes[4 + c], 1.0)
    for k in range(by_value.shape[0]):
        row = by_value[k]
        for c in range(6):
            s = 0.0
            for d in range(6):
                s += 0.5 * (H[c, d] + H[d, c]) * slopes[d, k]
            if s != 0.0:
                for n in range(by_value.shape[0]):
                    row[n] += s * slopes[c, n]


@kernel
def _asks(M, t, force):
    """Whether some row of part t has a force."""
    asked = False
    for r in range(M.first[t], M.first[t] + M.count[t]):
        asked = asked or force[r] != 0.0
    return asked


@kernel
def _add_part(tree, M, sweep, t, force, slopes, by_value):
    """Part t into the tensors, and what does not fit there into ``by_value``."""
    kind = M.kind[t]
    first = M.first[t]
    if kind == BALANCE:
        for r in range(first, first + M.count[t]):
            if force[r] != 0.0 and M.near[r] != 0.0:
                _add_edge(tree, M, sweep, t, r, force[r], slopes, by_value)
        return
    if kind != CENTER and not (kind == COORDINATES and M.base[t] == 0):
        _add_links(tree, M, sweep, t, force, by_value)
        return
    f0 = 0.0
    f1 = 0.0
    f2 = 0.0
    for r in range(first, first + M.count[t]):
        f0 += force[r] * M.wrench[r, 0]
        f1 += force[r] * M.wrench[r, 1]
        f2 += force[r] * M.wrench[r, 2]
    if kind == CENTER:
        _add_center(M, sweep, (f0, f1, f2))
        return
    i = M.motion[t]
    x = world_point(sweep.frames, i, vector(M.parameters, M.offset[t] + SITE_PLACE))
    _add_force(sweep.tensors, i, x, (f0, f1, f2))


@kernel
def second_derivatives(is_identity, tree, space, M, sweep, w, level, by_value, slopes):
    """Σ f ∂²g over the measures (forces of the held ones in ``force``) and cones, into ``second``, at X, where they are
    measured. ``by_value``, (values, values), and ``slopes``, (6, values), are room.
    """
    v = w.vector
    for r in range(M.value.shape[0]):
        if w.asked[r] != 0.0:
            w.force[r] = w.asked[r] * w.residual[r]
        elif M.level[r] > level or M.weight[r] <= 0.0:
            w.force[r] = 0.0
    tensors = sweep.tensors
    for k in range(by_value.shape[0]):
        for n in range(by_value.shape[0]):
            by_value[k, n] = 0.0
    for i in range(tensors.shape[0]):
        for c in range(12):
            tensors[i, c] = 0.0
    if M.mass_motion.shape[0] > 0:
        find_columns(tree, M, sweep)
    for t in range(M.kind.shape[0]):
        if M.attach[t] != ON_COORDINATES and _asks(M, t, w.force):
            _add_part(tree, M, sweep, t, w.force, slopes, by_value)
    for j in range(tree.parent.shape[0] - 1, 0, -1):
        add_carried(tree, sweep.frames, sweep.spins, tensors, j, by_value)
        if tree.kind[j] > SLIDE:
            block_curvature(tree, sweep.values, sweep.frames, tensors, j, by_value)
        i = tree.parent[j]
        for c in range(12):
            tensors[i, c] += tensors[j, c]
    reduce_hessian(tree, space.variable, is_identity, by_value, sweep.by_dof, w.second)
    for t in range(M.kind.shape[0]):
        if M.kind[t] == CONE:
            p = M.parameters
            o = M.offset[t]
            j = int(w.variable_of[int(p[o])])
            k = int(w.variable_of[int(p[o + 1])])
            force = w.force[M.first[t]]
            s1 = v[X, j] if j >= 0 else sweep.q[int(p[o])]
            s2 = v[X, k] if k >= 0 else sweep.q[int(p[o + 1])]
            first, mixed, last = cone_curvature(p, o, s1, s2)
            if j >= 0:
                w.second[j, j] += force * first
            if k >= 0:
                w.second[k, k] += force * last
            if j >= 0 and k >= 0:
                w.second[j, k] += force * mixed
                w.second[k, j] += force * mixed
