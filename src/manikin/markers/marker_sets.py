"""Where markers sit on a figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from manikin.errors import FigureError
from manikin.figure import Figure, checks
from manikin.figure.segment import Record


@dataclass(frozen=True, eq=False)
class Marker(Record):
    """A point fixed to a segment.

    position: metres, in the segment's frame.
    weight: how much its distance counts beside others'; 0 leaves it out.
    fixed: whether it stays where it is when markers are placed anew, as one on a bone does.
    """

    segment: str
    position: Any
    weight: float = 1.0
    fixed: bool = False

    def __post_init__(self) -> None:
        where = f"marker on {checks.name(self.segment, 'marker: segment')!r}"
        weight = checks.number(self.weight, f"{where}: weight")
        if weight < 0.0:
            raise FigureError(f"{where}: the weight must not be negative, got {weight:g}")
        self._set(position=checks.vector(self.position, (3,), f"{where}: position"), weight=weight)


class MarkerSet(Mapping[str, Marker]):
    """Markers by label. Immutable."""

    def __init__(self, markers: Mapping[str, Marker] | Iterable[tuple[str, Marker]], name: str = "") -> None:
        entries = dict(markers)
        for label, marker in entries.items():
            checks.name(label, "marker set: a label")
            if not isinstance(marker, Marker):
                raise FigureError(f"marker set: {label!r} must be a Marker, got {marker!r}")
        self._markers = MappingProxyType(entries)
        self.name = name

    def __getitem__(self, label: str) -> Marker:
        try:
            return self._markers[label]
        except KeyError:
            raise FigureError(
                f"marker set {self.name!r}: no marker {label!r}; {checks.near(str(label), self._markers)}"
            ) from None

    def __contains__(self, label: object) -> bool:
        return label in self._markers

    def __iter__(self) -> Iterator[str]:
        return iter(self._markers)

    def __len__(self) -> int:
        return len(self._markers)

    def __repr__(self) -> str:
        return f"MarkerSet({self.name!r}, {len(self)} markers)"

    def __reduce__(self) -> tuple[Any, ...]:
        return MarkerSet, (dict(self._markers), self.name)

    def check(self, figure: Figure) -> None:
        """A FigureError where some segment is not the figure's."""
        for label, marker in self._markers.items():
            if marker.segment not in figure.segments:
                raise FigureError(
                    f"marker {label!r}: figure {figure.name!r} has no segment {marker.segment!r}; "
                    f"{checks.near(marker.segment, figure.segments)}"
                )

    def with_weights(self, weights: Mapping[str, float]) -> MarkerSet:
        """The same markers, some with other weights."""
        changed = {label: replace(self[label], weight=weight) for label, weight in weights.items()}
        return MarkerSet({**self._markers, **changed}, self.name)

    def only(self, labels: Iterable[str]) -> MarkerSet:
        """These markers, in the set's order."""
        wanted = set(labels)
        for label in wanted:
            self[label]
        return MarkerSet({k: marker for k, marker in self._markers.items() if k in wanted}, self.name)

    def renamed(self, labels: Mapping[str, str]) -> MarkerSet:
        """With other labels, old to new; the rest keep theirs."""
        for label in labels:
            self[label]
        return MarkerSet({labels.get(k, k): marker for k, marker in self._markers.items()}, self.name)

    def on(self, figure: Figure) -> Figure:
        """The figure with a site for each marker, under its label."""
        self.check(figure)
        from manikin.figure import Site

        sites = {site.name: site for site in figure.given.sites.values()}
        sites |= {
            label: Site(label, marker.segment, marker.position) for label, marker in self._markers.items()
        }
        return figure.replace(sites=sites.values())
