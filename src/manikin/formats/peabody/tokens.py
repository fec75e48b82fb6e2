"""The words, numbers and signs of a Peabody text, each with its line, and the comments that extend it.

Comments are ``/* … */``, ``// …`` and ``# …``. One of the form ``/* manikin {…} */``, with JSON in it, is an extension:
it says of the figure, segment or joint around it what the language has no word for, and other readers pass over it.
"""

from __future__ import annotations

import json
import re
from typing import Any

from manikin.errors import FormatError
from manikin.formats.source import line_of

_SKIPPED = re.compile(r"\s+|/\*.*?\*/|//[^\n]*|#[^\n]*", re.DOTALL)
_TOKEN = re.compile(
    r"(?P<extension>/\*\s*manikin\s*\{.*?\*/)"
    r"|(?P<text>\"[^\"\n]*\")"
    r"|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<word>[^\W\d][\w'-]*(?<!-))"
    r"|(?P<sign>->|[{}()=;*,.+-])",
    re.DOTALL,
)


def extension_text(entries: dict[str, Any]) -> str:
    r"""The comment that holds these entries. JSON may write / as \/, so that no text in it ends the comment."""
    text = json.dumps(entries, allow_nan=False).replace("*/", r"*\/")
    return f"/* manikin {text} */"


class Tokens:
    """The tokens of a text, taken one by one."""

    def __init__(self, text: str, where: str) -> None:
        self.text, self.where = text, where
        self._tokens: list[tuple[str, str, int]] = []
        self._next = 0
        place = 0
        while place < len(text):
            match = _TOKEN.match(text, place) if text[place : place + 2] == "/*" else None
            skipped = None if match else _SKIPPED.match(text, place)
            if skipped:
                place = skipped.end()
                continue
            match = match or _TOKEN.match(text, place)
            if match is None:
                line = line_of(text, place)
                raise FormatError(f"{where}:{line}: cannot read {text[place : place + 20]!r}")
            self._tokens.append((match.lastgroup or "", match.group(), place))
            place = match.end()

    @property
    def at_end(self) -> bool:
        """Whether all have been taken."""
        return self._next >= len(self._tokens)

    @property
    def line(self) -> int:
        """The line of the token that was taken last."""
        place = max(0, min(self._next - 1, len(self._tokens) - 1))
        return line_of(self.text, self._tokens[place][2] if self._tokens else 0)

    def error(self, what: str) -> FormatError:
        """A FormatError at the token that was taken last."""
        return FormatError(f"{self.where}:{self.line}: {what}")

    def peek(self) -> str:
        """The next token, or nothing at the end."""
        return "" if self.at_end else self._tokens[self._next][1]

    def kind(self) -> str:
        """The kind of the next token."""
        return "" if self.at_end else self._tokens[self._next][0]

    def take(self, hint: str = "more") -> str:
        """The next token; `hint` says what was expected if the file ends."""
        if self.at_end:
            raise self.error(f"the file ends where {hint} was expected")
        self._next += 1
        return self._tokens[self._next - 1][1]

    def expect(self, wanted: str) -> None:
        """Over the next token, which must be this one."""
        found = self.take(repr(wanted))
        if found != wanted:
            raise self.error(f"expected {wanted!r}, found {found[:40]!r}")

    def name(self, what: str) -> str:
        """A name: a word, or anything between quotes."""
        kind = self.kind()
        found = self.take()
        if kind not in ("word", "text") or not found.strip('" '):
            raise self.error(f"expected the name of {what}, found {found[:40]!r}")
        return found.strip('"') if kind == "text" else found

    def extension(self) -> dict[str, Any]:
        """The entries of an extension, which is the next token."""
        text = self.take()
        try:
            found = json.loads(text[text.index("{") : -2])
        except (ValueError, RecursionError) as error:
            raise self.error(f"the extension is not JSON: {error}") from None
        return dict(found)
