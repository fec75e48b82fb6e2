"""What a search ends with, and the scalars that it goes on with: of one start, or of four in lanes."""

from __future__ import annotations

#: What a search ends with besides DONE: steps that cut P by too little; no slope, or no step that helps; no more
#: budget; no step taken, the start being far from the goals.
SLOW, FLAT, SPENT, FAR = 11, 12, 13, 14

#: P; whether everything is met; λ, and by what it grows; slow steps running; steps and evaluations; whether the last
#: step was taken, and its longest entry; the largest slope; whether derivatives are still to be found at x; how many
#: steps with a weak pull count as taken; the squares of hard rows; the sum of the weights.
(
    POTENTIAL,
    MET,
    DAMPING,
    GROWTH,
    SLOW_STEPS,
    STEPS,
    EVALUATIONS,
    TAKEN,
    LONGEST,
    LARGEST,
    FRESH,
    PULLS,
    HARD,
    WEIGHT,
) = range(14)
#: Of one start among rows: whether the pull has arrived; whether the last step followed one, its length, and how long
#: the way was that it wanted; the length of the step before it; the longest entry of the last whole step, whether that
#: settled, how many strips its system had, and rows were listed; the chords that may follow; how many steps may be
#: extrapolated from; how long a step may be; the mean of J² over the
#: rows asked for; whether X is where the last search ended; below which P, of the sum of weights, λ
#: begins with its square.
(
    ARRIVED,
    PULLED,
    LENGTH,
    WAY,
    BEFORE,
    REACH,
    SETTLED,
    SIZE,
    COUNT,
    CHORDS,
    KNOWN,
    RADIUS,
    SCALE,
    GOES_ON,
    NEAR,
) = range(14, 29)
#: Of a lane: whether it is searched; which start or problem it is; the potential of a point that is looked at. Of a
#: batch: which start its problem is at, the lowest potential so far, steps of all starts before this one, how many ends
#: agree on the lowest.
LIVE, INDEX, LOOKED_AT, ATTEMPT, BEST, TOTAL, SAME = range(14, 21)
STATE = 29
