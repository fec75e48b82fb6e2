"""Starts the web server: on this machine, behind its gate."""

from __future__ import annotations

import contextlib
import io
import secrets
import socket
from dataclasses import dataclass
from typing import Any

from manikin.errors import ManikinError
from manikin.studio.extra import need
from manikin.studio.server.gate import ALL, LOCAL, Gate, guarding

PORT = 8090
TITLE = "Manikin studio"


@dataclass
class Served:
    """A running server and how to reach it."""

    viser: Any
    gate: Gate
    host: str

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.viser.get_port())

    @property
    def url(self) -> str:
        """The address to open, with its token where there is one."""
        name = "localhost" if self.host in (*ALL, *LOCAL) else self.host
        query = "" if self.gate.token is None else f"?token={self.gate.token}"
        return f"http://{name}:{self.port}/{query}"

    def stop(self) -> None:
        """Stop serving."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.viser.stop()


def start(host: str = "127.0.0.1", port: int | None = None, token: str | None = None) -> Served:
    """Start serving.

    host: the address to listen on; any but this machine's own needs a token, and one is made where none is given.
    port: by default 8090, or the next one that is free.
    token: what browsers have to show; none is needed on this machine unless given.
    """
    viser = need()
    local = host in LOCAL
    if token is None and not local:
        token = secrets.token_urlsafe(24)
    if token is not None and len(token) < 16:
        raise ManikinError(
            f"the token is too short to keep anyone out: {len(token)} characters, 16 are the least"
        )
    chosen = _free_port(host, port)
    hosts = LOCAL if local else None if host in ALL else (host.lower(),)
    gate = Gate(hosts, token)
    # viser prints a table of addresses that says nothing of tokens; the command prints its own line.
    with guarding(gate), contextlib.redirect_stdout(io.StringIO()):
        server = viser.ViserServer(host=host, port=chosen, label=TITLE, verbose=False)
    _without_tunnel(server)
    return Served(server, gate, host)


def _free_port(host: str, port: int | None) -> int:
    """The port asked for, or an error; without one the first that is free."""
    for candidate in range(PORT, PORT + 100) if port is None else (port,):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, candidate))
            except (OSError, OverflowError) as problem:
                if port is not None:
                    raise ManikinError(
                        f"cannot listen on {host}, port {port}: {problem}; choose another with --port"
                    ) from problem
                continue
            return int(probe.getsockname()[1])
    raise ManikinError(f"no port between {PORT} and {PORT + 99} is free on {host}; choose one with --port")


def _without_tunnel(server: Any) -> None:
    """Take away what would let any browser open a public address for this server."""
    messages = need("viser._messages")
    inner = server._websock_server
    for kind in (messages.ShareUrlRequest, messages.ShareUrlDisconnect):
        if kind in inner._incoming_handlers:
            inner.unregister_handler(kind)
