"""The peers' words for what a result has, for the message about a name that is not there."""

from __future__ import annotations

from typing import Any

from manikin.figure.checks import near

#: Of a solution or of solutions: other programs' names, and what they are here.
WORDS = {
    "success converged is_converged solved": "reached",
    "x joint_angles qpos configuration angles": "q",
    "error errors distance residual residuals miss misses": "position_errors, orientation_errors",
    "message reason report summary": "explain()",
    "limits limits_hit at_limits limiting_joints blocked_by active_set": "active_constraints()",
    "failure why": "diagnose()",
    "redundancy": "degree_of_redundancy()",
    "nit nfev n_iter niter": "iterations",
    "fun potential objective": "cost",
    "kept valid ok": "feasible",
    "broken constraint_violation maxcv": "violations",
    "slowed": "at_velocity_limit",
    "brought_in": "corrected_start",
    "began start x0": "q0",
    "time elapsed runtime": "seconds",
    "poses": "pose",
}
_HERE = {name: here for names, here in WORDS.items() for name in names.split()}


def missing(found: Any, name: str) -> str:
    """What is said of a name that a result does not have."""
    kind = type(found).__name__
    if name in _HERE:
        return f"{kind!r} has no {name!r}; here it is {_HERE[name]!r}"
    if name.startswith("__"):
        return f"{kind!r} object has no attribute {name!r}"
    return f"{kind!r} has no {name!r}; {near(name, [each for each in dir(type(found)) if not each.startswith('_')])}"
