"""Compile everything ahead: each entry into compiled code, by using it."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

Progress = Callable[[str, float], None]


def warmup(progress: Progress | None = None) -> dict[str, float]:
    """Load or compile all kernels; ``progress(name, seconds)`` is called after each. Returns seconds by name."""
    from manikin.kernels import by_hand, derivatives, layout, solve

    structure, parameters, workspace = layout.empty()
    arrays = structure, parameters, workspace
    nothing, table, out = np.zeros(0), np.zeros((0, 0)), np.zeros(solve.OUT_ERRORS)
    steps: dict[str, Callable[[], object]] = {
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
    taken = {}
    for name, step in steps.items():
        begin = perf_counter()
        step()
        taken[name] = perf_counter() - begin
        if progress is not None:
            progress(name, taken[name])
    return taken
