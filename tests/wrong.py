"""Arguments that are wrong, and every public name called with them: what is let out, and from where.

`VALID` has a call of each name that is right; each of its arguments in turn, and each that it leaves out, is replaced
by each of `WRONG`. What is neither an answer nor a `ManikinError` is a finding.
"""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

import manikin as mk
from manikin.errors import ManikinError

#: Names that cannot be called so: errors, what only others derive from, and a window that opens.
LEFT_OUT = {
    "studio": "it serves until it is stopped",
    "Goal": "what goals are made from",
    "Objective": "what objectives are made from",
    "Region": "what regions are made from",
}


def wrong() -> dict[str, Any]:
    """Values that are wrong nearly everywhere, by what they are."""
    return {
        "text": "no such thing",
        "empty text": "",
        "None": None,
        "NaN": math.nan,
        "infinite": math.inf,
        "negative": -3,
        "a half": 0.5,
        "huge": 10**30,
        "true": True,
        "complex": 1j,
        "bytes": b"x",
        "nothing listed": [],
        "two numbers": [1.0, 2.0],
        "three NaN": np.full(3, math.nan),
        "texts": ["a", "b"],
        "ragged": [[1.0], [1.0, 2.0]],
        "a table": np.zeros((2, 5)),
        "a scalar array": np.array(1.0),
        "objects": np.array([object(), None]),
        "a dictionary": {"a": "b"},
        "numbers for names": {1: 2.0},
        "an object": object(),
        "a class": int,
        "a function": len,
        "a figure": body(),
        "a goal": mk.Position("tip", [0.1, 0.0, 0.4]),
        "Nones": [None, None, None],
        "itself": _itself(),
    }


def _itself() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


@cache
def body() -> mk.Figure:
    """An arm with mass, a shape, a ball joint and a velocity limit."""
    joints = [
        mk.Joint("j1", "base", "upper", "R(z)", [0.0, 0.0, 0.3], lower=-2.0, upper=2.0, velocity=1.0),
        mk.Joint("j2", "upper", "fore", "R(y)", [0.0, 0.0, 0.3], lower=-2.0, upper=2.0, velocity=1.0),
        mk.Joint.ball("j3", "fore", "hand", placement=[0.0, 0.0, 0.25], cone=1.0, twist=(-1.0, 1.0)),
    ]
    segments = [
        mk.Segment("base", 5.0),
        mk.Segment("upper", 2.0, [0.0, 0.0, 0.1], shapes=[mk.Shape("capsule", [0.03, 0.2])]),
        mk.Segment("fore", 1.0, shapes=[mk.Shape("sphere", [0.02])]),
        mk.Segment("hand", 0.5),
    ]
    sites = [mk.Site("tip", "hand", [0.0, 0.0, 0.1]), mk.Site("elbow", "fore"), mk.Site("shoulder", "upper")]
    return mk.Figure("arm", segments, joints, sites)


@cache
def person() -> mk.Figure:
    """A human without fingers, with a free base."""
    return mk.human(fingers=False)


@cache
def standing() -> mk.Motion:
    """One that stands for two frames."""
    return mk.Motion(person(), [0.0, 0.1], [person().rest] * 2)


def _square(x: np.ndarray, axes: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    return float(x @ x), 2.0 * x, np.zeros((3, 3))


@cache
def valid() -> dict[str, dict[str, Any]]:
    """Arguments by name with which each public name can be called."""
    figure = body()
    there = figure.pose({"j2": 0.5})
    goal = mk.Position("tip", there.position("tip"))
    frame = there.matrix("tip")
    return {
        "Aim": {"site": "tip", "at": [1.0, 0.0, 0.0]},
        "Along": {"goal": goal, "path": mk.Line([0.0, 0.0, 0.5], [0.1, 0.0, 0.5])},
        "AnyOf": {"goals": [goal, mk.Position("tip", [0.2, 0.0, 0.5])]},
        "Arc": {"start": [0.2, 0, 0], "center": [0, 0, 0]},
        "Arm": {"figure": person(), "limb": "right"},
        "ArmTracker": {"arm": mk.Arm(person(), "right"), "start": np.zeros(7)},
        "Balance": {"support": ["tip"]},
        "Ball": {"center": [0, 0, 0], "radius": 1.0},
        "Box": {"center": [0, 0, 0], "size": [1, 1, 1]},
        "Capsule": {"a": [0, 0, 0], "b": [0, 0, 1], "radius": 0.1},
        "CenterOfMass": {"target": [0, 0, 0.3]},
        "Circle": {"center": [0, 0, 0], "radius": 0.3, "normal": [0, 0, 1]},
        "Coupling": {"coefficients": {"j1": 1.0, "j2": -1.0}, "lower": 0.0, "upper": 0.5},
        "During": {"goal": goal, "start": 0.0, "end": 1.0},
        "Figure": {"name": "one", "segments": ["a", "b"], "joints": [mk.Joint("j", "a", "b", "R(z)")]},
        "Follow": {"coefficients": {"j1": 1.0}},
        "HalfSpace": {"point": [0, 0, 0], "normal": [0, 0, 1]},
        "Inside": {"site": "tip", "region": mk.Ball([0, 0, 0.5], 0.5)},
        "Joint": {"name": "j", "parent": "a", "child": "b", "motion": "R(z)"},
        "LimitSpring": {"dofs": "j1", "margin": 0.1},
        "Line": {"start": [0, 0, 0], "end": [0, 0, 1]},
        "Loop": {"site": "tip", "other": "elbow"},
        "Motion": {"figure": figure, "times": [0.0, 1.0], "values": [there.q, there.q]},
        "OnLine": {"site": "tip", "point": [0, 0, 0], "direction": [0, 0, 1]},
        "OnPlane": {"site": "tip", "point": [0, 0, 0.5], "normal": [0, 0, 1]},
        "Orientation": {"site": "tip", "target": np.eye(3)},
        "Outside": {"site": "tip", "region": mk.Ball([0, 0, 0.5], 0.1)},
        "Pin": {"site": "tip"},
        "Placement": {"site": "tip", "position": frame},
        "Pose": {"figure": figure, "q": there.q},
        "Position": {"site": "tip", "target": [0.1, 0.0, 0.5]},
        "Potential": {"site": "tip", "function": _square},
        "Problem": {"figure": figure, "goals": [goal]},
        "Range": {"site": "tip", "z": (0.2, 0.4)},
        "Recorded": {"times": [0.0, 1.0], "targets": [[0, 0, 0.5], [0, 0.1, 0.5]]},
        "Relative": {"site": "tip", "other": "shoulder"},
        "Segment": {"name": "a"},
        "SelfClearance": {"margin": 0.01},
        "Session": {"problem": mk.Problem(figure, [goal])},
        "Shape": {"kind": "sphere", "size": [0.1]},
        "Site": {"name": "a", "segment": "b"},
        "Spline": {"points": [[0, 0, 0], [0, 0, 1], [0, 1, 1]]},
        "Swivel": {"limb": ("shoulder", "elbow", "tip"), "angle": 0.3},
        "Tracker": {"figure": figure, "goals": [goal], "rate": 60.0},
        "approach": {"figure": there, "goals": [goal], "steps": 3},
        "grip": {"figure": mk.human(), "name": "fist", "side": "right"},
        "preset": {"figure": mk.human(), "name": "sit"},
        "held_box": {"pose": person().pose(), "box": mk.Box([0.4, 0.0, 1.0], [0.2, 0.2, 0.2])},
        "hold": {"box": mk.Box([0.4, 0.0, 1.0], [0.2, 0.2, 0.2])},
        "interpolate": {"keys": [figure.pose(), there], "times": [0.0, 1.0]},
        "load": {"path": "nowhere.urdf"},
        "load_motion": {"path": "nowhere.bvh"},
        "population": {"n": 2},
        "refined": {"motion": mk.Motion(figure, [0.0, 0.5, 1.0], [there.q] * 3), "goals": [goal]},
        "retarget": {"motion": standing(), "figure": person()},
        "roles_of": {"figure": person()},
        "save": {"what": figure, "path": "/nowhere/at/all.urdf"},
        "solve": {"figure": figure, "goals": [goal]},
        "solve_many": {"figure": figure, "goals": [goal]},
        "three_links": {"lengths": (0.3, 0.3, 0.2), "target": (0.4, 0.2), "heading": 0.1},
        "two_links": {"l1": 0.3, "l2": 0.3, "target": (0.4, 0.2)},
        "track": {"figure": figure, "goals": [goal], "times": [0.0, 0.1, 0.2]},
    }


def names() -> list[str]:
    """The public names that can be called."""
    found = []
    for name in mk.__all__:
        thing = getattr(mk, name)
        is_error = inspect.isclass(thing) and issubclass(thing, Exception)
        if callable(thing) and not is_error and not inspect.isabstract(thing) and name not in LEFT_OUT:
            found.append(name)
    return found


def tried(what: Callable[..., Any], given: dict[str, Any]) -> tuple[str, Any]:
    """What a call lets out that it should not, in words, and what it gives."""
    try:
        return "", what(**given)
    except ManikinError as error:
        return ("an error without words" if not str(error).strip() else ""), None
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:100]}", None


def parameters(what: Callable[..., Any]) -> list[str]:
    """The names of the arguments of a call that can be told by name, those of a dictionary that is unpacked too."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    found = []
    for p in inspect.signature(what).parameters.values():
        unpacked = re.fullmatch(r"Unpack\[(\w+)\]", str(p.annotation))
        if unpacked:
            found += list(getattr(sys.modules[what.__module__], unpacked[1]).__annotations__)
        elif p.kind in kinds:
            found.append(p.name)
    return found


def calls(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of a public name with one argument wrong; where no right one is known, with all that it needs wrong."""
    thing = getattr(mk, name)
    given = valid().get(name, {})
    needed = [
        p.name
        for p in inspect.signature(thing).parameters.values()
        if p.default is p.empty
        and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        and p.name not in given
    ]
    for parameter in parameters(thing):
        for kind, value in wrong().items():
            yield f"{name}({parameter}={kind})", given | dict.fromkeys(needed, value) | {parameter: value}
