"""Values that browsers send, checked against their controls before any of them is stored.

viser stores what a browser sends and passes it on to all others, who come later too. One that it cannot send, such as
a whole number of more than 64 bits, would keep every later browser out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from manikin.studio.extra import need

#: Characters that a text may have.
LONGEST = 10_000
#: The greatest number that a control without ends takes.
GREATEST = 1e9
# What a control's own steps may round by.
_ROUNDING = 1e-9


def bound_values(server: Any, refused: Callable[[int, str], None]) -> None:
    """Refuse values that a control cannot have, and show the browser again the one that it has.

    refused: called with the client's number and a message.
    """
    messages = need("viser._messages")
    gui, inner = server.gui, server._websock_server

    async def update(client: int, message: Any) -> None:
        handle = gui._gui_input_handle_from_uuid.get(message.uuid)
        if handle is None or handle._impl.removed:
            return
        problem = amiss(handle, message.updates)
        if problem is None:
            await gui._handle_gui_updates(client, message)
            return
        asking = server.get_clients().get(client)
        if asking is not None:
            answer = messages.GuiUpdateMessage(message.uuid, {"value": handle._impl.value})
            asking._websock_connection.queue_message(answer)
        refused(client, problem)

    inner.unregister_handler(messages.GuiUpdateMessage)
    inner.register_handler(messages.GuiUpdateMessage, update)


def amiss(handle: Any, updates: Any) -> str | None:
    """What is wrong with new properties of a control, in words, or None."""
    label = getattr(handle, "label", None) or "the control"
    if not isinstance(updates, dict) or set(updates) != {"value"}:
        return f"{label}: only its value can be changed"
    value, now = updates["value"], handle._impl.value
    if handle._impl.is_button or isinstance(now, bool):
        return None if isinstance(value, bool) else f"{label}: it is switched on or off"
    options = getattr(handle, "options", None)
    if options is not None and value not in options:
        return f"{label}: it has no such entry"
    if isinstance(now, str):
        fine = isinstance(value, str) and len(value) <= LONGEST
        return None if fine else f"{label}: it takes a text of {LONGEST} characters at most"
    if isinstance(now, (int, float)):
        return _number_amiss(label, value, getattr(handle, "min", None), getattr(handle, "max", None))
    if isinstance(now, tuple):
        if not isinstance(value, (list, tuple)) or len(value) != len(now):
            return f"{label}: it takes {len(now)} numbers"
        ends = [getattr(handle, word, None) or (None,) * len(now) for word in ("min", "max")]
        found = (_number_amiss(label, *each) for each in zip(value, *ends, strict=True))
        return next((problem for problem in found if problem), None)
    return f"{label}: it cannot be changed"


def _number_amiss(label: str, value: Any, low: float | None, high: float | None) -> str | None:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or value != value:
        return f"{label}: it takes a number"
    low, high = (-GREATEST if low is None else low), (GREATEST if high is None else high)
    slack = _ROUNDING * max(1.0, abs(low), abs(high))
    if not low - slack <= value <= high + slack:
        return f"{label}: it takes a number from {low:g} to {high:g}"
    return None
