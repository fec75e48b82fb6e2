"""`manikin warmup`: compile everything now, so that no solve waits for it."""

from __future__ import annotations

from time import perf_counter

import typer

from manikin.cli.output import AsJson, duration, errors_in_a_line, print_json


def warmup(json: AsJson = False) -> None:
    """Compile all kernels. Does nothing if a compiled library is installed."""
    with errors_in_a_line():
        from manikin.kernels import jit
        from manikin.toolchain.catalogue import entries
        from manikin.toolchain.prepare import compile_all

        library = jit.PREBUILT
        begin = perf_counter()
        if library is None:
            compile_all(as_library=not jit.ASKED_FOR)
        seconds = perf_counter() - begin
        if json:
            level = None if library is None else library.LEVEL
            print_json({"prebuilt": level, "kernels": len(entries()), "seconds": seconds})
        elif library is None:
            typer.echo(f"the kernels are compiled, {duration(seconds)}")
        else:
            typer.echo(
                f"nothing to do: {len(library.ENTRIES)} kernels were compiled ahead (level {library.LEVEL})"
            )
