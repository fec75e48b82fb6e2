"""Where a document's figure comes from: people by their measures, files, or a figure made in Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manikin.errors import FigureError, ManikinError
from manikin.figure import Figure
from manikin.figure.human import human
from manikin.references import References, inside
from manikin.studio.model.state import uploads_folder

if TYPE_CHECKING:
    from manikin.formats.contents import Contents

GIVEN = "given"


@dataclass(frozen=True, eq=False)
class Held:
    """An object in the hand: a box welded to a site."""

    name: str
    at: str
    size: tuple[float, float, float]
    mass: float = 0.0
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Source:
    """How a figure is made.

    kind: ``"human"``, the path of a file, or ``"given"`` for a figure that was made in Python.
    options: of `human`, or of `load`.
    sites: added ones: (name, segment, 4×4 in its frame).
    limits: other ranges of degrees of freedom, rad or m.
    within: what the file may refer to, by default as of `load`; nothing but itself if it was uploaded.
    """

    kind: str = "human"
    options: Mapping[str, Any] = field(default_factory=dict)
    sites: tuple[tuple[str, str, Any], ...] = ()
    held: tuple[Held, ...] = ()
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    given: Figure | None = None
    within: References | None = None

    @classmethod
    def of_file(cls, path: Path, within: References | None = None) -> Source:
        """The source of a figure's file: a person where it is of one, otherwise as it is."""
        plain = cls(str(path), within=within)
        try:
            person = plain.changed(options={"person": True})
            person.contents()
        except FigureError:
            return plain
        return person

    @property
    def is_human(self) -> bool:
        """Whether it is made by `human`, so that it can be resized."""
        return self.kind == "human"

    @property
    def is_file(self) -> bool:
        """Whether it is read from a file."""
        return self.kind not in ("human", GIVEN)

    def contents(self) -> Contents:
        """All that is in its file; read once for as long as the file stays as it is."""
        path = Path(self.kind)
        try:
            stamp = path.stat().st_mtime_ns
        except OSError:
            stamp = 0  # reading says what is wrong
        uploaded = inside(path, uploads_folder())
        within = References(path.resolve(), ()) if uploaded else self.within
        return _contents(self.kind, tuple(sorted(self.options.items())), within, stamp)

    def changed(self, **changes: Any) -> Source:
        """The same with some fields changed."""
        return replace(self, **changes)

    def build(self) -> Figure:
        """The figure."""
        figure = self._bare()
        for name, segment, offset in self.sites:
            figure = figure.with_site(name, segment, offset)
        for held in self.held:
            figure = figure.with_held(
                held.name, held.at, size=held.size, mass=held.mass, placement=held.offset
            )
        return figure.with_limits(self.limits) if self.limits else figure

    def _bare(self) -> Figure:
        if self.kind == "human":
            return human(**self.options)
        if self.kind == GIVEN:
            if self.given is None:
                raise ManikinError(
                    "this scene is of a figure that was made in Python; open it with it: mk.studio(figure, scene=…)"
                )
            return self.given
        return self.contents().figure


@lru_cache(maxsize=4)
def _contents(
    path: str, options: tuple[tuple[str, Any], ...], within: References | None, stamp: int
) -> Contents:
    from manikin.formats import read

    return read(Path(path), within=within, **dict(options))
