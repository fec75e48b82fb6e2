"""Finds the zone of a site beside everything else, and keeps what is shown of it true."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manikin.studio.beside import Beside
from manikin.studio.model.document import Document
from manikin.studio.model.reaching import Zone, zones
from manikin.studio.view.panels.reach import ReachPanel

if TYPE_CHECKING:
    from manikin.studio.app import Studio


class Zones(Beside):
    """The zone of a studio: one at a time is looked for, and one is shown."""

    def __init__(self, studio: Studio) -> None:
        super().__init__("zone", self._shown_progress, lambda words: studio.tell("Reach", words))
        self._studio = studio
        self._of: Document | None = None

    def show(self, site: str, pitch: float) -> None:
        """Find the zone of a site and show it: first coarse, then fine."""
        document = self._studio.session.document

        def job() -> None:
            for zone in zones(document, site, pitch, self.done):
                self._studio.ask(lambda zone=zone: self._take(zone, document))  # type: ignore[misc]

        self.run(job)

    def _take(self, zone: Zone, document: Document) -> None:
        self._of = document
        picture = self._studio.picture
        first = picture.zone.zone is None
        picture.zone.show(zone)
        if first:
            picture.look_at_zone()
        self.look()

    def remove(self) -> None:
        """Take the zone away."""
        self._studio.picture.zone.remove()
        self.look()

    def look(self) -> None:
        """Show whether the zone is still of what is asked for: the figure, its goals, the things. The pose does not
        count: it only says where the search began."""
        of, now, mark = self._of, self._studio.session.document, self._studio.picture.zone
        same = of is not None and all(
            getattr(of, name) is getattr(now, name) for name in ("figure", "goals", "things", "locked")
        )
        mark.fade(fresh=same)
        self._panel.say(mark.zone, fresh=same)

    @property
    def _panel(self) -> ReachPanel:
        return self._studio.panel(ReachPanel)

    def _shown_progress(self, share: float | None) -> None:
        self._panel.progress(share)
