"""Moves many nodes at once.

viser's own setters compare each value with the last one by NumPy, and make the key under which a message replaces an
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


class Mover:
    """Nodes to be turned and shifted by their index; those that are not viser's are so by their setters."""

    def __init__(self, nodes: Sequence[Any]) -> None:
        self._nodes = nodes
        states: list[Any] = [getattr(node, "_impl", None) for node in nodes]
        self._plain = any(state is None or not hasattr(state.api, "_queue_scene_message") for state in states)
        self._states = [] if self._plain else states
        if not self._plain:
            messages = need("viser._messages")
            self._turned, self._shifted = messages.SetOrientationMessage, messages.SetPositionMessage
            still, origin = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            self._turn_keys = [self._turned(state.name, still).redundancy_key() for state in states]
            self._shift_keys = [self._shifted(state.name, origin).redundancy_key() for state in states]

    def turn(self, which: Sequence[int], wxyz: np.ndarray) -> None:
        """Turn these nodes to quaternions (…, 4)."""
        if self._plain:
            self._set("wxyz", which, wxyz)
        else:
            self._send("wxyz", self._turned, self._turn_keys, which, wxyz)

    def shift(self, which: Sequence[int], position: np.ndarray) -> None:
        """Put these nodes at positions (…, 3) in their parents' frames."""
        if self._plain:
            self._set("position", which, position)
        else:
            self._send("position", self._shifted, self._shift_keys, which, position)

    def _set(self, name: str, which: Sequence[int], values: np.ndarray) -> None:
        for k, value in zip(which, values, strict=True):
            setattr(self._nodes[k], name, np.array(value))

    def _send(
        self, name: str, make: Any, keys: Sequence[str], which: Sequence[int], values: np.ndarray
    ) -> None:
        for k, value in zip(which, values.tolist(), strict=True):
            state = self._states[k]
            getattr(state, name)[:] = value
            message = make(state.name, tuple(value))
            message.__dict__[_KEY] = keys[k]
            state.api._queue_scene_message(message)
