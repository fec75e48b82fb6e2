"""From the human's rest, where elbow and more stand on their limits: what the arm can reach is found."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk

from ..samples import check

BODY = mk.human(stature=1.75)
FREE = ["right_shoulder_*", "right_elbow", "right_forearm_pronation", "right_wrist_*"]
#: The least disturbance of the rest among the poses that meet each target: SLSQP's best from 30 starts.
LEAST = (1.4866, 3.0636, 2.1434, 3.1662, 2.5148, 3.5105, 3.1777, 2.6157, 0.9491, 4.7942, 0.9129, 2.8066)


def targets() -> list[np.ndarray]:
    """Twelve places of the right hand, of random legal poses of the arm."""
    rng, found = np.random.default_rng(0), []
    names = [name for name in BODY.dofs if any(name.startswith(p.rstrip("*")) for p in FREE)]
    places = [BODY.index(name) for name in names]
    while len(found) < 12:
        q = BODY.rest.copy()
        for j in places:
            q[j] = rng.uniform(max(BODY.lower[j], -3.2), min(BODY.upper[j], 3.2))
        values = dict(zip(BODY.dofs, q, strict=True))
        if all(c.lower - 1e-12 <= c.value(values) <= c.upper + 1e-12 for c in BODY.couplings):
            found.append(BODY.pose(q).position("right_hand"))
    return found


@pytest.mark.parametrize("method", ["projection", "bounded", "penalty", "slack", "lagrange", "lbfgsb"])
def test_every_method_that_knows_limits_finds_all_twelve(method):
    for target in targets():
        goal = mk.Position("right_hand", target)
        assert check(mk.solve(BODY, [goal], method=method, free=FREE, natural=False)).reached


def test_lagrange_finds_the_least_disturbance_of_the_rest():
    for target, least in zip(targets(), LEAST, strict=True):
        goal = mk.Position("right_hand", target)
        found = check(mk.solve(BODY, [goal], method="lagrange", free=FREE))
        assert found.details["objective"] == pytest.approx(least, abs=1e-4)
        change = found.q - BODY.rest
        assert 0.5 * float(change @ change) == pytest.approx(least, abs=1e-4)


def test_methods_that_know_no_limits_begin_at_the_start_alone():
    for method in ("pseudoinverse", "damped", "newton"):
        found = mk.solve(BODY, [mk.Position("right_hand", targets()[0])], method=method, free=FREE)
        assert not found.details["began_inside"]
