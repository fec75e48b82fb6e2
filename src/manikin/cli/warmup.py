"""`manikin warmup`: compile everything now, so that the first solve does not wait for it."""

from __future__ import annotations

import typer

from manikin.cli.output import AsJson, duration, errors_in_a_line, print_json


def warmup(json: AsJson = False) -> None:
    """Compile all kernels and keep them on disk; needed once an installation."""
    with errors_in_a_line():
        from manikin.kernels.warmup import warmup as compile_all

        taken: dict[str, float] = {}

        def progress(name: str, seconds: float) -> None:
            taken[name] = seconds
            if not json:
                typer.echo(f"{name:<40} {duration(seconds):>10}")

        compile_all(progress)
    total = sum(taken.values())
    if json:
        print_json({"kernels": taken, "seconds": total})
    else:
        typer.echo(f"{len(taken)} kernels ready, {duration(total)}")
