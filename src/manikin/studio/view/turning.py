"""Turns many nodes at once.

viser's own setter compares each value with the last one by NumPy, and makes the key under which a message replaces an
older one from strings each time: for forty nodes sixty times a second that is most of a drag. Here the comparison was
made for all nodes together already, and the keys are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manikin.studio.extra import need

# Where viser's messages keep their key once it was asked for.
_KEY = "_cached_redundancy_key"


class Turner:
    """The nodes of one figure, to be turned by their index; nodes that are not viser's are turned by their setter."""

    def __init__(self, nodes: Sequence[Any]) -> None:
        self._nodes = nodes
        states: list[Any] = [getattr(node, "_impl", None) for node in nodes]
        self._plain = any(state is None or not hasattr(state.api, "_queue_scene_message") for state in states)
        self._states = [] if self._plain else states
        if not self._plain:
            self._message = need("viser._messages").SetOrientationMessage
            still = (1.0, 0.0, 0.0, 0.0)
            self._keys = [self._message(state.name, still).redundancy_key() for state in states]

    def turn(self, which: Sequence[int], wxyz: np.ndarray) -> None:
        """Turn these nodes to quaternions (…, 4)."""
        values = wxyz.tolist()
        if self._plain:
            for k, value in zip(which, values, strict=True):
                self._nodes[k].wxyz = np.array(value)
            return
        make, states, keys = self._message, self._states, self._keys
        for k, value in zip(which, values, strict=True):
            state = states[k]
            state.wxyz[:] = value
            message = make(state.name, tuple(value))
            message.__dict__[_KEY] = keys[k]
            state.api._queue_scene_message(message)
