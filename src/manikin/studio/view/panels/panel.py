"""What all tabs share: how their controls reach the session, and how they are kept up to date without an echo."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manikin.studio.app import Studio
    from manikin.studio.model.document import Document
    from manikin.studio.model.session import Session

Use = Callable[[Any], object]


class Panel:
    """A tab.

    title: on the tab. about: what of a session it shows, by the names of `model.session`.
    """

    title = ""
    about: frozenset[str] = frozenset()

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.gui = studio.viser.gui
        self.build()

    @property
    def session(self) -> Session:
        """The session."""
        return self.studio.session

    @property
    def document(self) -> Document:
        """The document as it is now."""
        return self.studio.session.document

    def build(self) -> None:
        """Make the controls; called once, inside the tab."""

    def refresh(self, what: frozenset[str]) -> None:
        """Show what the session says; called where something of `about` changed."""

    def clicks(self, handle: Any, use: Use) -> Any:
        """Call back in the session's thread when a button is clicked, with viser's event."""
        handle.on_click(self._sent(use, None))
        return handle

    def changes(self, handle: Any, use: Use, *, latest: bool = False) -> Any:
        """The same when a person changes a value; ``latest``: of many in a row only the last matters."""
        handle.on_update(self._sent(use, handle if latest else None))
        return handle

    def _sent(self, use: Use, key: object) -> Callable[[Any], Any]:
        async def sent(event: Any) -> None:
            if event.client_id is None:  # the value was set by us
                return
            self.studio.ask(lambda: use(event), event.client, key=None if key is None else id(key))

        return sent


def put(handle: Any, value: Any) -> None:
    """Show a value where it is not shown already; a number beyond the control's ends is shown as the nearer end."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        low, high = getattr(handle, "min", None), getattr(handle, "max", None)
        value = value if low is None else max(value, low)
        value = value if high is None else min(value, high)
    if handle.value != value:
        handle.value = value


def shown(handle: Any, **properties: Any) -> None:
    """Set properties that differ."""
    for name, value in properties.items():
        if getattr(handle, name) != value:
            setattr(handle, name, value)


def text(words: str) -> str:
    """Words as HTML that means them literally."""
    return html.escape(words)


def box(content: str) -> str:
    """A piece of HTML in the panel's own margins."""
    return f'<div style="padding:0.2em 0.9em 0.4em;font-size:0.82em;line-height:1.45">{content}</div>'
