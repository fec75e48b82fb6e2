"""A dialog about a part that was dragged though it is pinned: it says so, and unpins it at a click."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from manikin.studio.model.dragging import PinnedError

if TYPE_CHECKING:
    from manikin.studio.app import Studio


class Offer:
    """The offers that browsers see, one for each."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._shown: dict[int, Any] = {}

    def unpin(self, client: Any, problem: PinnedError) -> None:
        """Tell one browser what is pinned; without a browser it is an error as any other."""
        if client is None:
            raise problem
        self.withdraw(client)
        plural = problem.what.endswith("s")
        window = client.gui.add_modal(f"The {problem.what} {'are' if plural else 'is'} pinned")
        self._shown[client.client_id] = window
        with window:
            unpin = client.gui.add_button(f"Unpin {problem.what}")
            leave = client.gui.add_button("Leave")

        async def unpinned(event: Any) -> None:
            self._studio.ask(lambda: self._accept(client, problem.entry), client)

        async def left(event: Any) -> None:
            self._studio.ask(lambda: self.withdraw(client), client)

        unpin.on_click(unpinned)
        leave.on_click(left)  # the last one: Escape does the same

    def _accept(self, client: Any, entry: int) -> None:
        self.withdraw(client)
        self._studio.session.unpin(entry)

    def withdraw(self, client: Any) -> None:
        """Take the offer away."""
        window = None if client is None else self._shown.pop(client.client_id, None)
        if window is not None:
            window.close()
