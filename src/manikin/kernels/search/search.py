"""The damped search for goals of every kind, soft and hard, among ranges and rows: its loop.

Each step solves what is asked, linearised: what is missed softly is damped by λ, hard goals and rows about to be left
hold the step without any damping (`step`); among ranges alone, `bounded`. λ begins in proportion to P (far away a
small damping slams into the ranges and sticks there) and follows the ratio of the fall of P to the predicted one. Near
the end the last factor serves again (`chord`). The search means to meet everything at once: where it does, levels make
no difference, and all of it was possible. Where it is slow it gives up, for other starts, or for the descent
(`levels.descent`), which never leaves what is held and says why.

What is preferred among equals is the *pull* of the step (`pull`). By default it is weak and leads on the way towards
rest; a posture that is asked for leads to its end.

Where there are no rows, g is None, and nothing of them is in the compiled code.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import OPTION_GRADIENT
from manikin.kernels.memory.state import DONE
from manikin.kernels.pose.place import LONGEST_VECTOR, recharted
from manikin.kernels.search.among_rows import judge_proposal, propose
from manikin.kernels.search.bounded import bounded_step, longest_entry, slope_and_free
from manikin.kernels.search.damping import first_damping
from manikin.kernels.search.evaluate import CLOSE_ENOUGH, ENOUGH, START, evaluate, place_at
from manikin.kernels.search.judge import NEAR_BELOW, judge, mean_square
from manikin.kernels.search.pull import PULL, PULL_STEPS, longest_pulled, pull_towards, pulls_taken
from manikin.kernels.search.ranges import wrap
from manikin.kernels.search.residuals import derivatives
from manikin.kernels.search.rows import wanted_weight
from manikin.kernels.search.state import (
    ARRIVED,
    BEFORE,
    CHORDS,
    DAMPING,
    EVALUATIONS,
    FAR,
    FLAT,
    FRESH,
    GROWTH,
    HARD,
    KNOWN,
    MET,
    NEAR,
    POTENTIAL,
    PULLS,
    RADIUS,
    REACH,
    SLOW,
    SLOW_STEPS,
    SPENT,
    STEPS,
    TAKEN,
    WEIGHT,
)

# Among rows of goals steps are no longer than the first, radians or metres; where a pull leads to an end than the
# second. (Of plain goals a longer one is as good: one of the Panda's among linear rows is then not stuck.)
_LONGEST, _STRONG_LONGEST = 1.0, 0.5
# A step shorter than this is none, and λ beyond this times the weights leaves none.
_NO_STEP, _DAMPED_OUT = 1e-13, 1e12


@kernel
def _begin(s, g, weight, arrived):
    """The state of a search that begins at X."""
    st = s.work.state
    st[POTENTIAL], st[HARD], st[MET] = evaluate(s, g, s.work.x, s.work.e, START)
    st[DAMPING] = -1.0
    st[GROWTH] = 2.0
    st[SLOW_STEPS] = 0.0
    st[STEPS] = 0.0
    st[EVALUATIONS] = 1.0
    st[TAKEN] = 1.0
    st[FRESH] = 1.0
    st[WEIGHT] = weight
    plain = weight > 0.0
    if g is not None:  # noqa: SIM102  (left out of the compiled code)
        if not plain:
            st[WEIGHT] = wanted_weight(g)
    st[PULLS] = pulls_taken(st[POTENTIAL], st[WEIGHT])
    st[ARRIVED] = arrived
    if g is not None:
        st[BEFORE] = 0.0
        st[REACH] = 0.0
        st[CHORDS] = 0.0
        st[KNOWN] = 0.0
        st[NEAR] = NEAR_BELOW if plain else 0.0
        st[RADIUS] = math.inf if plain else _LONGEST if arrived > 0.5 else _STRONG_LONGEST


@kernel
def _leaning_step(s):
    """A step that leans towards rest, as far as it is then no longer than it may be: what it leaves."""
    st = s.work.state
    share = PULL
    most = longest_pulled(math.sqrt(st[POTENTIAL] / st[WEIGHT]))
    left = 0.0
    for attempt in range(2):
        pull_towards(s, share)
        left = bounded_step(s, st[DAMPING], 1.0, s.work.pull)
        longest = 0.0
        for i in range(s.work.x.shape[0]):
            longest = max(longest, abs(s.work.x_new[i] - s.work.x[i]))
        if attempt == 1 or longest <= most:
            break
        share *= most / longest
        slope_and_free(s)
    return left


@kernel
def _step_in_ranges(s):
    """A step among ranges alone: FLAT where there is no slope, or no step that helps; else −1."""
    work = s.work
    st = work.state
    if st[FRESH] > 0.5:
        derivatives(s.strips, s.residuals, s.chains, s.place, work.e, work.jacobian, None)
        st[FRESH] = 0.0
    n = work.x.shape[0]
    largest = slope_and_free(s)
    if 2.0 * largest <= s.space.option[OPTION_GRADIENT] * (st[WEIGHT] + st[POTENTIAL]):
        return FLAT
    if st[DAMPING] < 0.0:
        st[DAMPING] = first_damping(mean_square(s), st[POTENTIAL] / st[WEIGHT], NEAR_BELOW)
    leans = st[PULLS] < PULL_STEPS and s.rows < n
    left = _leaning_step(s) if leans else bounded_step(s, st[DAMPING], 1.0, None)
    st[PULLS] += 1.0
    st[STEPS] += 1.0
    longest = longest_entry(s)
    wrap(s.bounds, work.x_new)
    enough = ENOUGH if s.rows < n else CLOSE_ENOUGH
    new, _, met = evaluate(s, None, work.x_new, work.e_new, enough)
    st[EVALUATIONS] += 1.0
    if judge(s, left, new, met, 1.0, None):
        st[FRESH] = 1.0
        if s.space.charts.shape[0] > 0 and recharted(s.space, work.x, LONGEST_VECTOR):
            st[POTENTIAL], st[HARD], st[MET] = evaluate(s, None, work.x, work.e, enough)
            st[EVALUATIONS] += 1.0
    elif longest < _NO_STEP or st[DAMPING] > _DAMPED_OUT * (st[WEIGHT] + 1.0):
        return FLAT
    return -1


@kernel
def search(s, g, weight, budget, patience, far, arrived):
    """Steps from X until every row is met (and the pull is where it leads to), P has fallen slowly ``patience`` times
    running, or nothing helps: DONE, SLOW, FLAT, SPENT; FAR, without a step, where P is above ``far`` times ``weight``.

    weight: the sum of the weights of plain goals; 0: that of the rows that want something. arrived: 0 where a pull
    leads to an end. Chords are no steps of their own: where one does not do, a whole step follows.
    """
    st = s.work.state
    _begin(s, g, weight, arrived)
    if st[POTENTIAL] > far * st[WEIGHT] and st[MET] < 0.5:
        return FAR
    while True:
        if st[MET] > 0.5 and st[ARRIVED] > 0.5:
            task = DONE
            break
        if st[STEPS] >= budget:
            task = SPENT
            break
        if st[SLOW_STEPS] >= patience:
            task = SLOW
            break
        if g is None:
            task = _step_in_ranges(s)
        if g is not None:
            chord, predicted = propose(s, g)
            task = SLOW if chord < 0 else judge_proposal(s, g, chord > 0, predicted)
        if task >= 0:
            break
    if st[TAKEN] < 0.5:
        if g is None:
            place_at(s, s.work.x, None)
        if g is not None:
            st[POTENTIAL], st[HARD], st[MET] = evaluate(s, g, s.work.x, s.work.e, ENOUGH)
        st[EVALUATIONS] += 1.0
    return task
