"""What a benchmark returns: tables, requirements and notes, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


def shown(value: object) -> str:
    """A number as people read it: three digits, no exponent unless it is needed."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if value == 0.0 or 1e-3 <= abs(value) < 1e5:
            return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"
        return f"{value:.1e}"
    return "–" if value is None else str(value)


@dataclass
class Table:
    """A title, the columns' names, and rows of numbers or text; None is a value that could not be measured."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[object, ...]] = field(default_factory=list)

    def add(self, *row: object) -> None:
        """One more row, as wide as the columns."""
        if len(row) != len(self.columns):
            raise ValueError(f"{self.title}: {len(self.columns)} columns, got a row of {len(row)}")
        self.rows.append(row)

    def column(self, name: str) -> list[object]:
        """The values of one column."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def markdown(self) -> str:
        """As a Markdown table under its title."""
        lines = [f"**{self.title}**", "", _row(self.columns), _row(["---"] * len(self.columns))]
        return "\n".join([*lines, *(_row([shown(value) for value in row]) for row in self.rows)])

    def text(self) -> str:
        """As aligned columns under its title."""
        cells = [list(self.columns), *([shown(value) for value in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
        return "\n".join([self.title, *(f"  {line}" for line in lines)])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


@dataclass(frozen=True)
class Requirement:
    """Something that must hold: ``value`` at most, or at least, ``bound``; None when it could not be measured.

    ``but`` says what makes the value worth nothing, such as a time to solve where not all was solved: then it does
    not hold.
    """

    what: str
    value: float | None
    bound: float
    at_least: bool = False
    but: str = ""

    @property
    def met(self) -> bool | None:
        """Whether it holds; None when it could not be measured."""
        if self.value is None:
            return None
        if self.but:
            return False
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def line(self) -> str:
        """In one line: the verdict, what, the value and the bound."""
        verdict = {True: "met", False: "NOT MET", None: "not measured"}[self.met]
        sign = "≥" if self.at_least else "≤"
        but = f", but {self.but}" if self.but else ""
        return f"{verdict}: {self.what}: {shown(self.value)} ({sign} {shown(self.bound)}){but}"


@dataclass
class Section:
    """All that one benchmark found."""

    name: str
    about: str
    tables: list[Table] = field(default_factory=list)
    requirements: list[Requirement] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def markdown(self) -> str:
        """As a section of RESULTS.md, without its heading."""
        parts = [self.about, *(table.markdown() for table in self.tables)]
        if self.requirements:
            parts.append("\n".join(f"- {r.line()}" for r in self.requirements))
        return "\n\n".join([*parts, *self.notes])

    def text(self) -> str:
        """As printed."""
        heading = f"== {self.name} ==\n{self.about}"
        checks = "\n".join(r.line() for r in self.requirements)
        return "\n\n".join(
            part for part in (heading, *(t.text() for t in self.tables), checks, *self.notes) if part
        )
