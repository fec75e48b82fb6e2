"""The room: furniture, and what is held."""

from __future__ import annotations

from typing import Any

from manikin.studio.model.session import FIGURE, FURNITURE, SELECTION, THINGS
from manikin.studio.view.panels.panel import Panel, put, shown

NONE = "none"
ROLES = {"obstacle": "stay out of it", "support": "rest on it", "off": "only look at it"}


class RoomPanel(Panel):
    """Add, move, resize and delete things; hold and drop objects."""

    title = "Room"
    about = frozenset((THINGS, SELECTION, FIGURE))

    def build(self) -> None:
        """Make the controls."""
        gui = self.gui
        self._kind = gui.add_dropdown("New thing", tuple(FURNITURE), initial_value="table")
        self.clicks(gui.add_button("Add thing"), lambda e: self.session.add_thing(self._kind.value))
        self._chosen = self.changes(
            gui.add_dropdown("Chosen", (NONE,), initial_value=NONE, hint="Its gizmo moves and turns it."),
            lambda e: self.session.select(self._labels().get(e.target.value)),
        )
        self._role = self.changes(
            gui.add_dropdown("The figure may", tuple(ROLES.values()), initial_value=ROLES["obstacle"]),
            self._set_role,
        )
        self._size = self.changes(
            gui.add_vector3("Edges (m)", (0.3, 0.3, 0.3), min=(0.01, 0.01, 0.01), step=0.01),
            self._set_size,
            latest=True,
        )
        self._delete = self.clicks(gui.add_button("Delete thing"), lambda e: self._remove())
        with gui.add_folder("In the hand", expand_by_default=False):
            self._name = gui.add_text("Object", "parcel")
            self._hand = gui.add_dropdown("Held by", self._hands(), initial_value=self._hands()[0])
            self._edges = gui.add_vector3("Edges (m)", (0.2, 0.15, 0.15), min=(0.01, 0.01, 0.01), step=0.01)
            self._mass = gui.add_number("Mass (kg)", 1.0, min=0.0, max=200.0, step=0.1)
            self.clicks(gui.add_button("Hold it"), self._hold)
            self.clicks(gui.add_button("Drop it"), lambda e: self.session.drop(self._name.value))

    def _hands(self) -> tuple[str, ...]:
        sites = tuple(self.document.figure.sites)
        hands = tuple(name for name in sites if name.endswith("hand"))
        return hands or sites

    def _labels(self) -> dict[str, int]:
        return {f"{k}. {thing.name}": thing.key for k, thing in enumerate(self.document.things, start=1)}

    def _thing(self) -> int | None:
        chosen = self.session.selected
        return chosen if any(thing.key == chosen for thing in self.document.things) else None

    def _set_role(self, event: Any) -> None:
        role = next(role for role, words in ROLES.items() if words == event.target.value)
        key = self._thing()
        if key is not None:
            self.session.change_thing(key, role=role)

    def _set_size(self, event: Any) -> None:
        key = self._thing()
        if key is not None:
            x, y, z = (float(edge) for edge in event.target.value)
            self.session.change_thing(key, gesture=("size", key, event.client_id), size=(x, y, z))

    def _remove(self) -> None:
        key = self._thing()
        if key is not None:
            self.session.delete(key)

    def _hold(self, event: Any) -> None:
        self.session.hold(self._name.value, self._hand.value, self._edges.value, self._mass.value)

    def refresh(self, what: frozenset[str]) -> None:
        """The list and the chosen thing."""
        labels = self._labels()
        options = (NONE, *labels)
        if tuple(self._chosen.options) != options:
            self._chosen.options = options
        key = self._thing()
        put(self._chosen, next((label for label, each in labels.items() if each == key), NONE))
        for handle in (self._role, self._size, self._delete):
            shown(handle, visible=key is not None)
        if key is not None:
            thing = self.document.thing(key)
            put(self._role, ROLES[thing.role])
            put(self._size, thing.size)
        if FIGURE in what and tuple(self._hand.options) != self._hands():
            self._hand.options = self._hands()
