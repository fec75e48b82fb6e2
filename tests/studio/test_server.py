"""Who may connect."""

from __future__ import annotations

import asyncio
import gzip
import socket
import urllib.error
import urllib.request

import pytest

pytest.importorskip("viser", reason="the extra studio is not installed")

from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from manikin.errors import ManikinError
from manikin.studio.server.gate import Gate, cookie_name
from manikin.studio.server.page import scripted
from manikin.studio.server.start import start

TOKEN = "a-token-of-some-length"


@pytest.fixture(scope="module")
def local():
    served = start(port=0)
    yield served
    served.stop()


@pytest.fixture(scope="module")
def guarded():
    served = start(host="0.0.0.0", port=0, token=TOKEN)
    yield served
    served.stop()


def ask(served, path="/", **headers):
    """Status and body of a plain request."""
    request = urllib.request.Request(f"http://127.0.0.1:{served.port}{path}", headers=headers)
    try:
        with urllib.request.build_opener(Still).open(request, timeout=120) as answer:
            return answer.status, answer.read(200)
    except urllib.error.HTTPError as problem:
        return problem.code, problem.read(200)


class Still(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


def knock(served, origin=None, path="/", **headers):
    """Status of a websocket handshake; 101 where it was let in."""

    async def once():
        uri = f"ws://127.0.0.1:{served.port}{path}"
        import viser

        try:
            async with connect(
                uri, origin=origin, additional_headers=headers, subprotocols=[f"viser-v{viser.__version__}"]
            ):
                return 101
        except InvalidStatus as problem:
            return problem.response.status_code

    return asyncio.run(once())


def test_it_listens_on_this_machine_only(local):
    assert local.viser.get_host() == "127.0.0.1"
    assert ask(local)[0] == 200
    assert knock(local) == 101


def test_pages_of_its_own_may_connect_and_foreign_ones_may_not(local):
    assert knock(local, origin=f"http://127.0.0.1:{local.port}") == 101
    for origin in (
        "http://evil.example",
        "https://evil.example",
        f"http://127.0.0.1:{local.port + 1}",
        "null",
    ):
        assert knock(local, origin=origin) == 403
    assert ask(local, Origin="http://evil.example")[0] == 403


#: {port} is the studio's, {other} another one.
HOSTILE_ORIGINS = [
    "null",
    "",
    "http://evil.example:{port}",
    "http://localhost.evil.example:{port}",
    "http://evil.example?localhost:{port}",
    "http://localhost:{port}.evil.example",
    "http://localhost:{port}@evil.example",
    "http://evil.example@localhost:{port}",
    "http://localhost:{port}/",
    "http://localhost:{port}/page",
    "http://localhost:{port}?page",
    "http://localhost:{port}#page",
    "http://localhost?:{port}",
    "http://localhost?.evil.com",
    "http://localhost",
    "http://localhost:",
    "http://localhost:{other}",
    "http://localhost:0{port}0",
    "http://localhost.:{port}",
    "http://127.0.0.1:{port}",
    "https://localhost",
    "chrome-extension://localhost:{port}",
    "chrome-extension://127.0.0.1",
    "moz-extension://localhost:{port}",
    "file://localhost:{port}",
    "ws://localhost:{port}",
    "javascript://localhost:{port}",
    "http:localhost:{port}",
    "//localhost:{port}",
    "localhost:{port}",
    "http://localhost:{port} http://evil.example",
    "http://[::1]:{port}",
    "http://lоcalhost:{port}",  # with a Cyrillic о
]
HOSTILE_HOSTS = [
    "",
    "evil.example",
    "evil.example:{port}",
    "rebound.example:{port}",
    "localhost",
    "localhost:",
    "localhost:{other}",
    "localhost.evil.com:{port}",
    "localhost?.evil.com",
    "localhost?.evil.com:{port}",
    "localhost?:{port}",
    "localhost#.evil.com:{port}",
    "localhost/.evil.com:{port}",
    "evil.com@localhost:{port}",
    "localhost:{port}@evil.com",
    "localhost:{port}/",
    "localhost:{port}?",
    "localhost:{port},evil.com",
    "localhost.:{port}",
    "127.1:{port}",
    "2130706433:{port}",
    "0.0.0.0:{port}",
    "[::1",
    "[::1].evil.com:{port}",
    "[localhost]:{port}",
    "::1",
]


def over_the_socket(served, lines):
    """Status of a request whose header lines are sent as they are."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as wire:
        wire.sendall("\r\n".join(["GET / HTTP/1.1", *lines, "", ""]).encode())
        answer = wire.makefile("rb").readline().split()
    return int(answer[1]) if len(answer) > 1 else 0


UPGRADE = [
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
]


@pytest.mark.parametrize("upgrade", [[], UPGRADE], ids=["http", "websocket"])
def test_hostile_hosts_and_origins_are_refused(local, upgrade):
    import viser

    protocol = [f"Sec-WebSocket-Protocol: viser-v{viser.__version__}"] if upgrade else []
    ports = {"port": local.port, "other": local.port + 1}
    own = f"localhost:{local.port}"
    welcome = 101 if upgrade else 200

    def status(*lines):
        return over_the_socket(local, [*lines, *upgrade, *protocol])

    for host in (own, own.upper(), f"127.0.0.1:{local.port}", f"[::1]:{local.port}"):
        assert status(f"Host: {host}") == welcome
        assert status(f"Host: {host}", f"Origin: http://{host}") == welcome
    for origin in HOSTILE_ORIGINS:
        found = status(f"Host: {own}", f"Origin: {origin.format(**ports)}")
        assert found in (400, 403), origin
    for host in HOSTILE_HOSTS:
        assert status(f"Host: {host.format(**ports)}") in (400, 403), host
        assert status(f"Host: {host.format(**ports)}", f"Origin: http://{host.format(**ports)}") in (400, 403)
    assert status() in (400, 403)
    assert status(f"Host: {own}", "Host: evil.example") in (400, 403)
    assert status(f"Host: {own}", f"Origin: http://{own}", "Origin: http://evil.example") in (400, 403)


def test_a_proxy_that_speaks_https_may_pass_requests_on_to_a_guarded_studio():
    gate = Gate(hosts=None)

    def refused(host, origin):
        return gate.judge("/", Lines({"Host": [host], "Origin": [origin]}), 8090)

    assert refused("studio.example", "https://studio.example") is None
    assert refused("studio.example:8090", "http://studio.example:8090") is None
    for origin in ("https://evil.example", "https://studio.example:8090", "https://studio.example.evil.com"):
        assert refused("studio.example", origin) is not None


class Lines(dict):
    """Headers: a list of values under each name."""

    def get_all(self, name):
        return self.get(name, [])


def test_without_the_token_nothing_is_served(guarded):
    assert ask(guarded)[0] == 401
    assert ask(guarded, path="/?token=wrong-token-of-length")[0] == 401
    assert knock(guarded) == 401
    assert knock(guarded, path="/?token=nope") == 401


def test_the_token_becomes_a_cookie_that_lets_in(guarded):
    status, _ = ask(guarded, path=f"/?token={TOKEN}")
    assert status == 303
    cookie = f"{cookie_name(guarded.port)}={TOKEN}"
    assert ask(guarded, Cookie=cookie)[0] == 200
    assert knock(guarded, Cookie=cookie) == 101
    assert knock(guarded, Cookie=cookie, origin="http://evil.example") == 403
    assert TOKEN in guarded.url


def test_another_address_makes_a_token_of_its_own_and_short_ones_are_refused():
    served = start(host="0.0.0.0", port=0)
    try:
        assert served.gate.token is not None
        assert len(served.gate.token) >= 16
    finally:
        served.stop()
    with pytest.raises(ManikinError, match="too short"):
        start(port=0, token="short")


def test_a_port_that_is_taken_is_an_error(local):
    with pytest.raises(ManikinError, match="cannot listen"):
        start(port=local.port)


def test_no_browser_can_open_a_public_address_for_it(local):
    from viser import _messages

    assert _messages.ShareUrlRequest not in local.viser._websock_server._incoming_handlers


def test_the_gate_does_not_fail_on_odd_headers():
    gate = Gate(token=TOKEN)
    for headers in (
        {},
        {"Host": ["["]},
        {"Host": ["localhost:99999999"]},
        {"Host": ["localhost:8090"], "Cookie": [';;=";']},
    ):
        assert gate.judge("/", Lines(headers), 8090) is not None


def test_the_page_has_its_script_first_whether_it_is_packed_or_not(local):
    for encoding in ("identity", "gzip"):
        request = urllib.request.Request(
            f"http://127.0.0.1:{local.port}/", headers={"Accept-Encoding": encoding}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            body = answer.read()
            assert int(answer.headers["Content-Length"]) == len(body)
            assert answer.headers["Content-Encoding"] == encoding
        page = gzip.decompress(body) if encoding == "gzip" else body
        head = page.index(b"<head>")
        assert page.index(b"__manikinPace") < page.index(b"<script", head + 20)
        assert page.count(b"__manikinPace") == 1 and page.rstrip().endswith(b"</html>")


def test_a_page_without_a_head_is_served_as_it_is():
    assert scripted(b"<p>nothing</p>") == b"<p>nothing</p>"
