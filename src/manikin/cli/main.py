"""The command `manikin` itself: its commands and `--version`."""

from __future__ import annotations

from typing import Annotated

import typer

from manikin.cli.convert import convert
from manikin.cli.demo import demo
from manikin.cli.info import info
from manikin.cli.markers import markers
from manikin.cli.play import play
from manikin.cli.reach import reach
from manikin.cli.retarget import retarget
from manikin.cli.solve import solve
from manikin.cli.studio import studio
from manikin.cli.study import study
from manikin.cli.track import track
from manikin.cli.warmup import warmup

app = typer.Typer(
    name="manikin",
    help="Pose articulated figures, people and robots, by goals.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in (demo, solve, studio, info, convert, track, play, retarget, markers, reach, study, warmup):
    app.command()(command)


def _print_version(asked: bool) -> None:
    if asked:
        import manikin

        typer.echo(f"manikin {manikin.__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Pose articulated figures, people and robots, by goals."""
