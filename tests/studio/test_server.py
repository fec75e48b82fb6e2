"""Who may connect."""

from __future__ import annotations

import asyncio
import gzip
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


def test_a_foreign_name_that_leads_here_is_refused(local):
    assert ask(local, Host=f"rebound.example:{local.port}")[0] == 403
    assert ask(local, Host=f"localhost:{local.port}")[0] == 200


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
    class Headers(dict):
        def get_all(self, name):
            return [self[name]] if name in self else []

    gate = Gate(token=TOKEN)
    for headers in (
        {},
        {"Host": "["},
        {"Host": "localhost:99999999"},
        {"Host": "localhost", "Cookie": ';;=";'},
    ):
        assert gate.judge("/", Headers(headers), 8090) is not None


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
