"""`manikin studio`: pose a figure in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manikin.cli.output import AsJson, Within, errors_in_a_line, print_json


def studio(
    subject: Annotated[
        Path | None,
        typer.Argument(help="Scene (.toml) or figure file. Default: the human."),
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port. Default: 8090, or the next free one.")] = None,
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
    host: Annotated[
        str,
        typer.Option(help="The address to listen on. Any but this machine's own needs the token it prints."),
    ] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(help="Token to require, at least 16 characters. Default: made if needed."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start a new session instead of resuming the last one.")
    ] = False,
    within: Within = None,
    json: AsJson = False,
) -> None:
    """Pose a figure in the browser: drag it, give it goals, save scenes, pictures and motions."""
    with errors_in_a_line():
        from manikin.studio import open_studio

        running = open_studio(
            subject, port=port, host=host, token=token, browser=browser, fresh=fresh, within=within or ()
        )
    if json:
        print_json({"url": running.url, "port": running.served.port, "autosave": str(running.autosave.path)})
    else:
        typer.echo(f"Manikin studio: {running.url}\nCtrl+C ends it; everything is kept.")
    try:
        running.wait()
    except KeyboardInterrupt:
        running.close()
