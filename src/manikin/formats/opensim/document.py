"""OpenSim's XML documents: read safely, with the file and the line in every complaint."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from manikin.errors import FormatError
from manikin.files import read_bytes
from manikin.formats.xml import parsed

#: A model is no larger: the largest that are known have some MB.
MOST_BYTES = 64 << 20


class Node:
    """An element of a document that knows its file; texts become numbers, names and truths, or a FormatError."""

    def __init__(self, element: Any, file: str) -> None:
        self.element, self.file = element, file

    @property
    def tag(self) -> str:
        """The element's kind."""
        return str(self.element.tag)

    @property
    def name(self) -> str:
        """Its name attribute; empty where it has none."""
        return (self.element.get("name") or "").strip()

    def __iter__(self) -> Iterator[Node]:
        for child in self.element:
            if isinstance(child.tag, str):  # no comments
                yield Node(child, self.file)

    def fail(self, problem: str) -> NoReturn:
        """Refuse this element."""
        label = f"<{self.tag}>" + (f" {self.name!r}" if self.name else "")
        raise FormatError(f"{self.file}:{self.element.sourceline}: {label}: {problem}")

    def child(self, *tags: str) -> Node | None:
        """The first child of one of these kinds."""
        for tag in tags:
            for child in self:
                if child.tag == tag:
                    return child
        return None

    def every(self, tag: str) -> Iterator[Node]:
        """All elements of this kind below."""
        for element in self.element.iter(tag):
            yield Node(element, self.file)

    def objects(self, tag: str) -> list[Node]:
        """What is in the set of this kind: the children of its <objects>."""
        listed = self.child(tag)
        inner = listed.child("objects") if listed is not None else None
        return list(inner) if inner is not None else []

    def text(self, *tags: str, default: str | None = None) -> str:
        """The text of the first child of one of these kinds; the default where there is none."""
        found = self.child(*tags)
        words = (found.element.text or "").strip() if found is not None else ""
        if words:
            return words
        if default is None:
            self.fail(f"it has no <{tags[0]}>")
        return default

    def words(self, *tags: str) -> list[str]:
        """The words of a child's text; none where it is missing."""
        return self.text(*tags, default="").split()

    def numbers(self, *tags: str, count: int | None = None, default: Any = None) -> np.ndarray:
        """The numbers of a child's text."""
        words = self.words(*tags)
        if not words and default is not None:
            return np.asarray(default, dtype=np.float64)
        try:
            found = np.array([float(word) for word in words])
        except ValueError:
            self.fail(f"<{tags[0]}> holds {' '.join(words)!r}; expected numbers")
        if (count is not None and len(found) != count) or not np.isfinite(found).all():
            wanted = "finite numbers" if count is None else f"{count} finite numbers"
            self.fail(f"<{tags[0]}> holds {' '.join(words)!r}; expected {wanted}")
        return found

    def number(self, *tags: str, default: float | None = None) -> float:
        """The number in a child's text."""
        return float(self.numbers(*tags, count=1, default=None if default is None else [default])[0])

    def truth(self, *tags: str, default: bool = False) -> bool:
        """true or false in a child's text."""
        word = self.text(*tags, default=str(default)).lower()
        if word not in ("true", "false"):
            self.fail(f"<{tags[0]}> holds {word!r}; expected true or false")
        return word == "true"


def read_document(path: str | os.PathLike[str]) -> Node:
    """The root of an OpenSim document, whatever it holds; entities are not expanded and nothing is fetched."""
    file = Path(path)
    return Node(parsed(read_bytes(file, "OpenSim", MOST_BYTES), file, "OpenSim"), str(path))


def part_of(path: str | os.PathLike[str], tag: str) -> Node:
    """The element of one kind in an OpenSim document: its root, or a child of <OpenSimDocument>."""
    root = read_document(path)
    found = root if root.tag == tag else root.child(tag)
    if found is None:
        kinds = ", ".join(child.tag for child in root) or "nothing"
        raise FormatError(
            f"{path}: it holds no <{tag}>, but {kinds if root.tag == 'OpenSimDocument' else root.tag}"
        )
    return found
