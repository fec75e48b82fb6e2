"""What the method says and remembers: its tasks, statuses and phases, and the scalars in ``Work.state``."""

from __future__ import annotations

DONE, EVALUATE, CURVE, NEXT, PROPOSE = range(5)
STATIONARY, MET, STOPPED = range(3)
START, SEARCH, ESCAPE = range(3)

# Scalars kept in Work.state.
(
    PHASE,
    STATUS,
    POTENTIAL,
    SLOPE,
    ALPHA,
    LEFT,
    LEFT_P,
    LEFT_SLOPE,
    RIGHT,
    RIGHT_P,
    RIGHT_SLOPE,
    LONGEST,
    WHICH,
    AT,
    ITERATIONS,
    EVALUATIONS,
    BUDGET,
    FRESH,
    SMALL,
    STALLED,
    ACTIVE_ROWS,
    GAMMA,
    TRIALS,
    KINK,
    GRADIENT_TOLERANCE,
    TASK,
    WEAK_START,
    UNIT,
    DAMPING,
    GROWTH,
    SLOW_STEPS,
    DELTA_1,
    DELTA_2,
    UPDATE,
) = range(34)
