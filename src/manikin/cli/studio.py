"""`manikin studio`: pose a figure in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manikin.cli.output import AsJson, Within, errors_in_a_line, print_json


def studio(
    subject: Annotated[
        Path | None,
        typer.Argument(help="A scene (.toml) or a figure's file; the human where there is none."),
    ] = None,
    port: Annotated[int | None, typer.Option(help="The port; by default 8090 or the next free one.")] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    host: Annotated[
        str,
        typer.Option(help="The address to listen on. Any but this machine's own needs the token it prints."),
    ] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(help="The token to ask for, 16 characters at least; made where it is needed."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew instead of going on with what was kept.")
    ] = False,
    within: Within = None,
    json: AsJson = False,
) -> None:
    """Pose a figure in the browser: drag it, give it goals, save scenes, pictures and motions."""
    with errors_in_a_line():
        from manikin.studio import open_studio

        running = open_studio(
            subject, port=port, host=host, token=token, browser=not no_open, fresh=fresh, within=within or ()
        )
    if json:
        print_json({"url": running.url, "port": running.served.port, "autosave": str(running.autosave.path)})
    else:
        typer.echo(f"Manikin studio: {running.url}\nCtrl+C ends it; everything is kept.")
    try:
        running.wait()
    except KeyboardInterrupt:
        running.close()
