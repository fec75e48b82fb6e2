"""The set of swivel angles at which all angles are within their limits, family by family.

Between neighbouring roots (see `limb_roots`) nothing changes sides, so a test in
the middle tells for the whole stretch. A family is 4·(branch of the hinge) + 2·(shoulder's) + (wrist's).
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.limb.limb import SHOULDER_KIND, around, bent, hinge_angle, opening, wanted
from manikin.kernels.limb.roots import ROOTS, WHOLE, hinge_roots, inside, searched_roots
from manikin.kernels.limb.spherical import OBLIQUE
from manikin.kernels.math.vector import dot
from manikin.kernels.memory.views import view1, view2, view3

# Most stretches a family can have.
STRETCHES = 64


@kernel
def _sort(roots, count):
    for i in range(1, count):
        x = roots[i]
        k = i
        while k > 0 and roots[k - 1] > x:
            roots[k] = roots[k - 1]
            k -= 1
        roots[k] = x


@kernel
def family_intervals(spec, frame, t4, r, family, roots, out, found):
    """The stretches of φ of one family, from −π on, the last possibly beyond π; returns how many."""
    count = 0
    for which in range(2):
        if spec[SHOULDER_KIND + which] <= OBLIQUE:
            count = hinge_roots(spec, which, frame, t4, r, roots, count)
    count = searched_roots(spec, frame, t4, r, family, roots, count, out)
    if count == 0:
        if inside(spec, frame, t4, r, 0.1234, family, out, 0):
            found[0, 0] = -math.pi
            found[0, 1] = math.pi
            return 1
        return 0
    _sort(roots, count)
    stretches = 0
    open_end = False
    before = False
    for i in range(count):
        low = roots[i]
        high = roots[i + 1] if i + 1 < count else roots[0] + WHOLE
        if high - low < 1e-13:
            continue
        good = inside(spec, frame, t4, r, 0.5 * (low + high), family, out, 0)
        if i == 0:
            middle = 0.5 * (roots[count - 1] + roots[0] + WHOLE)
            before = inside(spec, frame, t4, r, middle, family, out, 0)
        if not (good or before) and stretches < STRETCHES and inside(spec, frame, t4, r, low, family, out, 0):
            # A single angle, where an angle's two limits are the same or two limits just meet.
            found[stretches, 0] = low
            found[stretches, 1] = low
            stretches += 1
        before = good
        if good and open_end:
            found[stretches - 1, 1] = high
        elif good and stretches < STRETCHES:
            found[stretches, 0] = low
            found[stretches, 1] = high
            stretches += 1
        open_end = good
    if stretches > 0 and open_end and found[0, 0] - roots[0] < 1e-12:
        # The stretch over ±π: the last goes on as the first.
        if stretches == 1:
            whole = found[0, 1] - found[0, 0] > WHOLE - 1e-12
            found[0, 0] = -math.pi if whole else found[0, 0]
            found[0, 1] = math.pi if whole else found[0, 1]
        else:
            found[0, 0] = found[stretches - 1, 0] - WHOLE
            stretches -= 1
    return stretches


@kernel
def reference_frame(spec, p, t4):
    """(n̂, û, v̂, n, b) of a target and an angle of the hinge."""
    n_hat, u_hat, v_hat = around(spec, p)
    _v, n, b = bent(spec, t4)
    return n_hat, u_hat, v_hat, n, b


@kernel(entry="f8[:], f8[:,:], f8[:], f8[:,:,:], i8[:] -> b1")
def intervals(spec, target, space, found, counts):
    """Stretches of every family of one target (4, 4) in ``found`` (8, 64, 2), their numbers in ``counts``.

    Returns whether the wrist can get there at all; ``space`` holds at least 192 + 7 numbers.
    """
    p, r = wanted(spec, view3(target, 0, 1, 4, 4), 0)
    for family in range(8):
        counts[family] = 0
    ok, delta = opening(spec, math.sqrt(dot(p, p)))
    if not ok:
        return False
    roots = view1(space, 0, ROOTS)
    out = view2(space, ROOTS, 1, 7)
    for branch in range(2):
        ok, t4 = hinge_angle(spec, delta, branch)
        if not ok:
            continue
        frame = reference_frame(spec, p, t4)
        for family in range(4 * branch, 4 * branch + 4):
            rows = view2(found, family * STRETCHES * 2, STRETCHES, 2)
            counts[family] = family_intervals(spec, frame, t4, r, family, roots, out, rows)
    return True
