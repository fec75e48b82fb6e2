"""`manikin warmup`: compile everything now, so that no solve waits for it."""

from __future__ import annotations

from time import perf_counter

import typer

from manikin.cli.output import AsJson, duration, errors_in_a_line, print_json


def warmup(json: AsJson = False) -> None:
    """Compile all kernels and keep them on disk; says so where nothing is to do."""
    with errors_in_a_line():
        from manikin.kernels import jit, prepare

        if prepare.is_ready():
            taken = prepare.call_all()
            if json:
                print_json({"prebuilt": jit.PREBUILT.LEVEL, "kernels": taken, "seconds": sum(taken.values())})
            else:
                typer.echo(
                    f"nothing to do: {len(taken)} kernels were compiled ahead (level {jit.PREBUILT.LEVEL})"
                )
            return
        begin = perf_counter()
        if not jit.ASKED_FOR and prepare.build_library():
            seconds = perf_counter() - begin
            if json:
                print_json({"built": True, "seconds": seconds})
            else:
                typer.echo(f"the kernels are compiled, {duration(seconds)}")
            return
        _by_numba(json)


def _by_numba(json: bool) -> None:
    """Each entry as Numba compiles it, or as its cache has it."""
    from manikin.kernels import prepare

    def progress(name: str, seconds: float) -> None:
        if not json:
            typer.echo(f"{name:<40} {duration(seconds):>10}")

    taken = prepare.call_all(progress)
    total = sum(taken.values())
    if json:
        print_json({"kernels": taken, "seconds": total})
    else:
        typer.echo(f"{len(taken)} kernels ready, {duration(total)}")
