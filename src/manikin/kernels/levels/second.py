"""Second derivatives of the Lagrangian, Σ fᵣ ∂²gᵣ over the measures, in one sweep.

A force f at a point r of a motion asks for sums over subtrees alone (`residuals.curvature`, D = Σ r fᵀ). Any other
measure sees the frames of a few motions, its *links*: with the force f at a link's origin p and the moment m about it,

    D += p fᵀ − ½ [m]ₓ,   and   Σ (∂ξₐ/∂i)ᵀ H (∂ξ_b/∂j)   over pairs of links,

ξ the velocity of p and the rotation. H, 6 × 6 for each pair, is how forces and moments change with the links: from
differences of the part's own wrenches, twelve values of one part for each link, and made symmetric, since the other
half of it is in the moment's share of D. Kinds that know more than their links have a kernel of their own for it.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import cross
from manikin.kernels.memory.stack import stack1, stack2
from manikin.kernels.residuals.balls import find_balls
from manikin.kernels.residuals.curvature import add_carried, add_force, wrench_of
from manikin.kernels.residuals.dispatch import add_curvature, add_second, measure_part
from manikin.kernels.residuals.layout import ON_COORDINATES, ON_MOTIONS
from manikin.kernels.residuals.mass import find_columns
from manikin.kernels.tree.curves import bend_hessian
from manikin.kernels.tree.twists import along_twist, find_twists
from manikin.kernels.tree.variables import reduce_hessian

# Metres and radians.
_DIFFERENCE = 1e-5
# Links of a part at most, and numbers of their wrenches.
_LINKS, _NUMBERS = 4, 24


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
def _velocity(sweep, i, k):
    """The velocity of the origin of motion i, and its rotation, by axis value k, which carries it."""
    t = sweep.twist[k]
    w = (t[3], t[4], t[5])
    v = cross(w, (sweep.frames[i, 9], sweep.frames[i, 10], sweep.frames[i, 11]))
    return (t[0] + v[0], t[1] + v[1], t[2] + v[2]), w


@kernel
def _velocities(tree, sweep, i, columns):
    """`_velocity` of motion i by every value on the way to the root: how many there are."""
    count = 0
    j = i
    while j > 0:
        for n in range(tree.axis[j], tree.axis[j] + tree.size[j]):
            v, turn = _velocity(sweep, i, n)
            column = columns[count]
            column[0] = n
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
        add_force(sweep.tensors, i, (frames[i, 9], frames[i, 10], frames[i, 11]), f)
        _add_moment(sweep.tensors, i, (wrench[6 * k + 3], wrench[6 * k + 4], wrench[6 * k + 5]))
    _by_differences(M, sweep, t, force, links, count, H)
    row = stack1(6)
    for k in range(count):
        columns = _velocities(tree, sweep, int(links[k]), sweep.columns)
        for other in range(count):
            i = int(links[other])
            j = i
            while j > 0:
                for value in range(tree.axis[j], tree.axis[j] + tree.size[j]):
                    v, turn = _velocity(sweep, i, value)
                    for a in range(6):
                        s = 0.0
                        for b in range(3):
                            s += H[6 * k + a, 6 * other + b] * v[b]
                            s += H[6 * k + a, 6 * other + 3 + b] * turn[b]
                        row[a] = s
                    own = by_value[value]
                    for n in range(columns):
                        column = sweep.columns[n]
                        s = 0.0
                        for a in range(6):
                            s += column[1 + a] * row[a]
                        own[int(column[0])] += s
                j = tree.parent[j]


@kernel
def _asks(M, t, force):
    """Whether some row of part t has a force."""
    asked = False
    for r in range(M.first[t], M.first[t] + M.count[t]):
        asked = asked or force[r] != 0.0
    return asked


@kernel
def second_derivatives(is_identity, tree, space, M, sweep, w, level, by_value, slopes):
    """Σ f ∂²g over the measures (forces of the held ones in ``force``), into ``second``, at X, where they are
    measured. ``by_value``, (values, values), and ``slopes``, (6, values), are room.
    """
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
    find_twists(tree, sweep.frames, sweep.spins, (0.0, 0.0, 0.0), sweep.twist)
    if M.mass_motion.shape[0] > 0:
        find_columns(tree, M, sweep)
    for t in range(M.kind.shape[0]):
        if M.attach[t] != ON_COORDINATES and _asks(M, t, w.force):
            if M.by_links[t] != 0:
                _add_links(tree, M, sweep, t, w.force, by_value)
            else:
                add_second(tree, M, sweep, t, w.force, slopes, by_value)
    for j in range(tree.parent.shape[0] - 1, 0, -1):
        add_carried(tree, sweep, j, by_value)
        wrench = wrench_of(tensors, j)
        for k in range(tree.axis[j], tree.axis[j] + tree.size[j]):
            sweep.slopes[k] = along_twist(sweep.twist, k, wrench)
        i = tree.parent[j]
        for c in range(12):
            tensors[i, c] += tensors[j, c]
    bend_hessian(tree.curves, sweep.slopes, by_value)
    reduce_hessian(tree, space.variable, is_identity, by_value, sweep.by_dof, w.second)
    for t in range(M.kind.shape[0]):
        if M.attach[t] == ON_COORDINATES:
            add_curvature(M, sweep.q, t, w.force, w.variable_of, w.second)
