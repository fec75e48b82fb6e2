"""What a search leaves: potential, status, iterations, evaluations, reached, then the miss of each part."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.state import EVALUATIONS, INFEASIBLE, ITERATIONS, POTENTIAL, STATUS
from manikin.kernels.pose.limits import X
from manikin.kernels.pose.place import recharted, unwound
from manikin.kernels.residuals.potentials import miss_parts

OUT_POTENTIAL, OUT_STATUS, OUT_ITERATIONS, OUT_EVALUATIONS, OUT_REACHED, OUT_ERRORS = range(6)


@kernel(inline=True)
def finish(parts, space, sweep, work, q, out):
    """Write the result to q and out, the misses measured anew."""
    write_end(space, sweep, work, q, out, miss_parts(parts, sweep.frames, sweep.errors))


@kernel(inline=True)
def write_end(space, sweep, work, q, out, reached):
    """Write the result to q and out, the misses as they have been measured, and whether they count as reached."""
    x = work.vector[X]
    recharted(space, x, math.pi)
    unwound(space, x, q)
    for j in range(q.shape[0]):
        q[j] = sweep.q[j]
    for i in range(space.variable.shape[0]):
        q[space.variable[i]] = x[i]
    out[OUT_POTENTIAL] = work.state[POTENTIAL]
    out[OUT_STATUS] = work.state[STATUS]
    out[OUT_ITERATIONS] = work.state[ITERATIONS]
    out[OUT_EVALUATIONS] = work.state[EVALUATIONS]
    out[OUT_REACHED] = 1.0 if reached and work.state[STATUS] != INFEASIBLE else 0.0
    for t in range(sweep.errors.shape[0]):
        out[OUT_ERRORS + t] = sweep.errors[t]
