"""Compile everything ahead: each entry into compiled code, by using it."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

Progress = Callable[[str, float], None]


def warmup(progress: Progress | None = None) -> dict[str, float]:
    """Load or compile all kernels; ``progress(name, seconds)`` is called after each. Returns seconds by name."""
    from manikin.kernels import (
        by_hand,
        derivatives,
        layout,
        limb,
        limb_fixed,
        limb_position,
        limb_solve,
        limb_swivel,
        limb_track,
        lm,
        lm_lanes,
        lm_layout,
        lm_newton,
        solve,
    )

    structure, parameters, workspace = layout.empty()
    arrays = structure, parameters, workspace
    nothing, table, out = np.zeros(0), np.zeros((0, 0)), np.zeros(solve.OUT_ERRORS)
    lm_arrays = lm_layout.allocate(np.zeros(1, np.int64), np.zeros(0, np.int64), 0, 0, 0)
    lanes, ends = lm_layout.lane_workspace(lm_arrays[0]), np.zeros((0, lm_lanes.END_X))
    steps: dict[str, Callable[[], object]] = {
        "lm": lambda: lm.lm(*arrays, *lm_arrays, nothing, nothing, out, 1, 1),
        "newton": lambda: lm_newton.newton(*arrays, *lm_arrays, nothing, nothing, out, 1),
        "lm_lanes": lambda: lm_lanes.lm_lanes(
            *arrays, *lm_arrays, lanes, nothing, out, ends, 0, ends, 1, 1, False
        ),
        "solve": lambda: solve.solve(*arrays, nothing, out, 10, True),
        "look_around": lambda: solve.look_around(*arrays),
        "depart": lambda: solve.depart(structure, workspace, -1.0),
        "give_up": lambda: solve.give_up(structure, workspace),
        "repair": lambda: solve.repair(*arrays, nothing),
        "slope": lambda: derivatives.slope(*arrays, nothing, nothing),
        "begin_by_hand": lambda: by_hand.begin_by_hand(*arrays, nothing, 10, 0.0),
        "push": lambda: by_hand.push(*arrays, False),
        "gradient_by_hand": lambda: by_hand.gradient_by_hand(*arrays),
        "tell": lambda: by_hand.tell(*arrays, 0.0, True),
        "look_by_hand": lambda: by_hand.look_by_hand(structure, workspace),
        "resume_by_hand": lambda: by_hand.resume_by_hand(structure, workspace),
        "finish_by_hand": lambda: by_hand.finish_by_hand(*arrays, nothing, out, 0.0),
        "jacobian_rows": lambda: derivatives.jacobian_rows(*arrays, nothing, nothing, table),
        "hessian_by_values": lambda: derivatives.hessian_by_values(*arrays, nothing),
    }
    spec, target, none = np.zeros(limb.ROW), np.zeros((4, 4)), np.zeros((0, 4, 4))
    spec[limb.FARTHEST] = -1.0  # Nothing is within its reach, so every answer is "no solution".
    rigid, space, rows, counts = (
        spec.copy(),
        np.zeros(limb_track.SPACE),
        np.zeros((17, 7)),
        np.zeros(8, np.int64),
    )
    found = np.zeros((8, limb_swivel.STRETCHES, 2))
    steps |= {
        "is_placement": lambda: limb.is_placement(target, 0.0),
        "solve_at": lambda: limb_solve.solve_at(spec, target, 0.0, rows),
        "solve_all": lambda: limb_solve.solve_all(spec, none, np.zeros(0), np.zeros((0, 9, 7)), counts),
        "swivel_of": lambda: limb_solve.swivel_of(spec, np.zeros(7), target),
        "swivel_frame": lambda: limb_solve.swivel_frame(spec, target, np.zeros((3, 3))),
        "solve_fixed": lambda: limb_fixed.solve_fixed(spec, target, 0, 0.0, rows),
        "intervals": lambda: limb_swivel.intervals(spec, target, space, found, counts),
        "track": lambda: limb_track.track(spec, rigid, none, space, rows, counts),
        "track_one": lambda: limb_track.track_one(spec, rigid, target, space, rows, counts),
        "place": lambda: limb_position.place(spec, rigid, np.zeros(3), space, rows),
    }
    taken = {}
    for name, step in steps.items():
        begin = perf_counter()
        step()
        taken[name] = perf_counter() - begin
        if progress is not None:
            progress(name, taken[name])
    return taken
