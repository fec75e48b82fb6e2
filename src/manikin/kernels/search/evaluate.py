"""From variables to frames, and to what all goals ask there."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.search.residuals import values
from manikin.kernels.search.rows import judge_rows, measure_rows
from manikin.kernels.tree.curves import follow_curves
from manikin.kernels.tree.sweep import place_motions, turn_values

# A search ends with misses of at most half the tolerance, or a tenth where the goals leave no freedom: there what is
# left of a miss shows in the joints, and more so near a singular pose. But a start is left alone only where it is
# nearer than a hundredth, which is 1 here, so that what follows a slow target moves at every sample and not in jerks.
START, ENOUGH, CLOSE_ENOUGH = 1.0, 50.0, 10.0
# The same of hard goals.
_HARD_START, _HARD_ENOUGH = 1e-10, 2e-9


@kernel
def place_at(s, x, curves):
    """The frames at the variables x; curves: None where no goal depends on any."""
    drives = s.drives
    v = s.place.values
    if drives.single != 0:
        for k in range(drives.fixed.shape[0]):
            v[k] = drives.fixed[k] + drives.coefficient[k] * x[drives.which[k]]
    else:
        for k in range(drives.fixed.shape[0]):
            total = drives.fixed[k] + 0.0 * s.place.frames[0, 0]
            for t in range(drives.first[k], drives.first[k + 1]):
                total += drives.coefficient[t] * x[drives.which[t]]
            v[k] = total
    if curves is not None:
        follow_curves(curves, v)
    turn_values(s.place.wide, s.place.wide_trig)
    tree = s.tree
    place_motions(
        tree.parent, tree.kind, tree.axis, tree.placement, v, s.place.trig, s.place.frames, s.place.spins
    )


@kernel
def evaluate(s, g, x, e, share):
    """At the variables x: (P, the squares of the hard rows, 1 where each is near enough, so many times `START`).

    g None: there are residuals alone, and all of them soft.
    """
    if g is None:
        place_at(s, x, None)
        return values(s.strips, s.residuals, s.chains, s.place, e, share * share, None)
    for i in range(x.shape[0]):
        g.sweep.q[s.space.variable[i]] = x[i]
    place_at(s, x, s.tree.curves)
    hard_stop = _HARD_START if share == START else _HARD_ENOUGH
    soft, hard, met = values(s.strips, s.residuals, s.chains, s.place, e, share * share, hard_stop)
    if g.scalars.alone_count[0] > 0.0:
        measure_rows(g, False)
        by_rows, hard_rows, rows_met = judge_rows(g, share, hard_stop)
        soft += by_rows
        hard += hard_rows
        met *= rows_met
    return soft + g.hard_weight * hard, hard, met
