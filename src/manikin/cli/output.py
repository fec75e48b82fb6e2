"""What the commands share: results as data or as tables, errors as one line, files written whole."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manikin.errors import ManikinError
from manikin.files import whole_file

if TYPE_CHECKING:
    from rich.table import Table

NOT_REACHED = 1
FAILED = 2

AsJson = Annotated[bool, typer.Option("--json", help="Print the results as JSON, and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing.")]
Within = Annotated[
    list[Path] | None,
    typer.Option(
        help="A folder, besides the file's own, that files it refers to may lie in; may be repeated."
    ),
]


@contextmanager
def errors_in_a_line() -> Iterator[None]:
    """Turn Manikin's own errors into one line on stderr and exit status 2; any other goes through."""
    try:
        yield
    except ManikinError as problem:
        typer.echo(f"error: {problem}", err=True)
        raise typer.Exit(FAILED) from problem


def print_json(data: Any) -> None:
    """Print data as JSON on stdout."""
    typer.echo(json.dumps(data, indent=2, allow_nan=False))


def write_whole(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with whole_file(path) as beside:
        beside.write_text(text, encoding="utf-8")


def quantity(value: float, unit: str) -> str:
    """A length or an angle as a person reads it: 1.25 mm, 0.4 m, 12.5°; what no one can see is <0.001."""
    if unit == "rad":
        number, shown_unit = math.degrees(value), "°"
    else:
        number, shown_unit = (1e3 * value, " mm") if abs(value) < 0.1 else (value, " m")
    return f"{number:.4g}{shown_unit}" if number == 0.0 or abs(number) >= 1e-3 else f"<0.001{shown_unit}"


def errors_of(report: dict[str, Any]) -> str:
    """The errors of a goal (`GoalReport.to_dict`), each with its unit."""
    told = [
        quantity(report[name], unit)
        for name, unit in (("position_error", "m"), ("orientation_error", "rad"))
        if report[name] is not None
    ]
    if report["value"] is not None:
        told.append(f"{report['value']:.4g}")
    return " and ".join(told) or "–"


def duration(seconds: float) -> str:
    """A time as a person reads it: 35 µs, 1.2 ms, 3.4 s."""
    if seconds < 1e-3:
        return f"{1e6 * seconds:.3g} µs"
    return f"{1e3 * seconds:.3g} ms" if seconds < 1.0 else f"{seconds:.3g} s"


def plain_table(*columns: str, numbers: tuple[str, ...] = ()) -> Table:
    """An empty table in the one look of all commands; the columns in `numbers` are set to the right."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, justify="right" if column in numbers else "left", overflow="fold")
    return table
