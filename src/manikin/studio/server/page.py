"""The page that browsers load: viser's, with scripts of our own.

They keep the picture moving where drawing is slow, keys to the dialog in front, handles before the body and outlines
to the part under the mouse; and they load the page again where it has gone blank.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from typing import Any

# The script goes first, so that it is there before viser asks for something to draw on.
_HEAD = b"<head>"
# All tabs in one row, or in two on a narrow screen.
_STYLE = '[role="tablist"] { flex-wrap: wrap !important; } [role="tab"] { padding-inline: 0.5em !important; }'
_SCRIPTS = ("coarse.js", "pace.js", "dialogs.js", "handles.js", "skins.js", "again.js")


@lru_cache(maxsize=1)
def _script() -> bytes:
    folder = files("manikin.studio.server")
    text = "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in _SCRIPTS)
    return f"<script>\n{text}</script>\n<style>{_STYLE}</style>\n".encode()


def scripted(page: bytes) -> bytes:
    """A page with the script in its head; as it was where it has no head."""
    before, head, after = page.partition(_HEAD)
    return before + head + b"\n" + _script() + after if head else page


@lru_cache(maxsize=2)
def _served(body: bytes, encoding: str) -> bytes:
    """The same of a page that is packed."""
    return gzip.compress(scripted(gzip.decompress(body))) if encoding == "gzip" else scripted(body)


def paced(answer: Callable[..., Any]) -> Callable[..., Any]:
    """A server's answers, its page with the script."""

    def answered(connection: Any, request: Any) -> Any:
        response = answer(connection, request)
        if response is None or response.status_code != 200:
            return response
        encoding = response.headers.get("Content-Encoding", "identity")
        html = response.headers.get("Content-Type", "").startswith("text/html")
        if html and encoding in ("gzip", "identity"):
            response.body = _served(bytes(response.body), encoding)
            del response.headers["Content-Length"]
            response.headers["Content-Length"] = str(len(response.body))
        return response

    return answered
