"""Who may connect: this machine's own pages only, and from elsewhere only with the token.

A browser lets any page open a websocket to any address and tells the server where the page came from (``Origin``).
A page of somebody else that is open in another tab could so read and move the figure. Three tests, all before the
handshake:

1. ``Host`` is a name that this server is known by: a foreign name that resolves to this machine (DNS rebinding) is not.
2. ``Origin``, where the browser sends one, is the page that this server itself served.
3. Where a token is asked for, it comes with the address (``/?token=…``) or, from then on, in a cookie.
"""

from __future__ import annotations

import hmac
import http
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

from manikin.errors import ManikinError
from manikin.studio.extra import need
from manikin.studio.server.page import paced

LOCAL = ("127.0.0.1", "localhost", "::1")
#: Addresses that mean "all of this machine's".
ALL = ("0.0.0.0", "::", "")


@dataclass
class Gate:
    """Decides about requests.

    hosts: the names that requests may call the server by; None for any, where it listens beyond this machine.
    token: what has to be shown, or None.
    """

    hosts: tuple[str, ...] | None = LOCAL
    token: str | None = None
    refused: int = field(default=0, init=False)

    def judge(self, path: str, headers: Any, port: int) -> tuple[int, str] | None:
        """None where a request may pass; otherwise the status and the reason to answer with."""
        asked = headers.get_all("Host")
        host = _HOST.fullmatch(asked[0]) if len(asked) == 1 else None
        if host is None:
            return 403, f"This studio is not at {', '.join(asked) or 'an address without a name'!r}."
        name, given = _place(host)
        if self.hosts is not None and name not in self.hosts:
            return 403, f"This studio is not called {name!r}; it answers on this machine only."
        if given is None and self.hosts is not None:
            given = _PORTS[
                "http"
            ]  # beyond this machine, whoever passes requests on may listen on another port
        if given not in (None, port):
            return 403, f"This studio is not at {asked[0]!r}."
        for origin in headers.get_all("Origin"):
            if not _same_place(origin, name, _place(host)[1]):
                return 403, f"Pages of {origin!r} may not use this studio."
        if self.token is not None and not self._shown(path, headers, port):
            return (
                401,
                "The token is missing or wrong: open the address that the command printed, with its token.",
            )
        return None

    def _shown(self, path: str, headers: Any, port: int) -> bool:
        assert self.token is not None
        shown = parse_qs(urlsplit(path).query).get("token", [])
        cookies: SimpleCookie = SimpleCookie()
        for line in headers.get_all("Cookie"):
            try:
                cookies.load(line)
            except CookieError:
                continue
        if cookie_name(port) in cookies:
            shown = [*shown, cookies[cookie_name(port)].value]
        return any(hmac.compare_digest(each.encode(), self.token.encode()) for each in shown)

    def answer(self, connection: Any, request: Any) -> Any:
        """What websockets is to answer instead of going on, or None; a token in the address becomes a cookie."""
        websockets_http = need("websockets.http11")
        headers_of = need("websockets.datastructures").Headers
        port = connection.local_address[1]
        no = self.judge(request.path, request.headers, port)
        if no is not None:
            self.refused += 1
            status, reason = no
            body = f"{reason}\n".encode()
            headers = headers_of(
                [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
            )
            headers["Connection"] = "close"
            return websockets_http.Response(status, http.HTTPStatus(status).phrase, headers, body)
        if self.token is None or request.headers.get("Upgrade", "").lower() == "websocket":
            return None
        if "token" not in parse_qs(urlsplit(request.path).query):
            return None
        # On to the plain address, so that the token stays out of bookmarks and of what other pages are told.
        headers = headers_of(
            [
                ("Location", "/"),
                (
                    "Set-Cookie",
                    f"{cookie_name(port)}={self.token}; HttpOnly; SameSite=Strict; Path=/",
                ),
                ("Content-Length", "0"),
            ]
        )
        headers["Connection"] = "close"
        return websockets_http.Response(303, "See Other", headers, b"")


def cookie_name(port: int) -> str:
    """Cookies know no ports: two studios on one machine must not share one."""
    return f"manikin_studio_{port}"


#: A name or address with its port and nothing else: no user, path, query or fragment.
_NAME = r"(?P<name>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
_HOST = re.compile(_NAME, re.ASCII)
_ORIGIN = re.compile(rf"(?P<scheme>https?)://{_NAME}", re.ASCII)
_PORTS = {"http": 80, "https": 443}


def _place(match: re.Match[str]) -> tuple[str, int | None]:
    """Name in lower case, without an IPv6 address's brackets, and port, None if none is written."""
    port = match["port"]
    return match["name"].strip("[]").lower(), None if port is None else int(port)


def _same_place(origin: str, name: str, port: int | None) -> bool:
    """Whether an origin is a page of this name and port; a port that is not written is its scheme's."""
    match = _ORIGIN.fullmatch(origin)
    if match is None:
        return False
    usual = _PORTS[match["scheme"]]
    found, at = _place(match)
    return (found, usual if at is None else at) == (name, usual if port is None else port)


_starting = Lock()


@contextmanager
def guarding(gate: Gate) -> Iterator[None]:
    """While this lasts, a viser server that starts asks the gate first.

    viser has no hook for it: the call that it makes to open its socket gets the gate in front of viser's own handler.
    A server that came up without passing here is an error, so that a later viser cannot leave the door open unnoticed.
    """
    module = need("websockets.asyncio.server")
    serve = module.serve
    passed = False

    def guarded(handler: Any, *args: Any, **options: Any) -> Any:
        nonlocal passed
        passed = True
        pages = options.get("process_request")
        options["process_request"] = _first(gate.answer, None if pages is None else paced(pages))
        return serve(handler, *args, **options)

    with _starting:
        module.serve = guarded
        try:
            yield
        finally:
            module.serve = serve
    if not passed:
        raise ManikinError(
            "the studio's server came up without its guard: this version of viser opens its socket in another way; "
            'install the one that Manikin asks for: pip install "manikin[studio]"'
        )


def _first(one: Callable[..., Any], other: Callable[..., Any] | None) -> Callable[..., Any]:
    def both(connection: Any, request: Any) -> Any:
        found = one(connection, request)
        return other(connection, request) if found is None and other is not None else found

    return both
