"""XML that is read safely and written plainly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FormatError
from manikin.files import whole_file


def parsed(data: bytes, file: Path, what: str) -> Any:
    """The outermost element; entities are not expanded and nothing is fetched."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        line = getattr(error, "position", None)
        raise FormatError(
            f"{file}:{line[0] if line else 0}: not well-formed XML: {getattr(error, 'msg', error)}"
        ) from None
    doctype = root.getroottree().docinfo.internalDTD
    if doctype is not None and next(doctype.iterentities(), None) is not None:
        raise FormatError(f"{file}: it declares entities, which {what} has no use for; write them out")
    return root


def numbers(values: Any) -> str:
    """Numbers as text that reads back as the same doubles."""
    return " ".join(number(value) for value in np.asarray(values, dtype=np.float64).ravel().tolist())


def number(value: float) -> str:
    """One number, exact, whole ones without a point."""
    return repr(float(value)).removesuffix(".0") if value != 0.0 else "0"


def write_xml(path: Any, root: Any) -> None:
    """Write an element and all in it, whole or not at all."""
    from lxml import etree

    etree.indent(root)
    text = etree.tostring(root, encoding="utf-8", xml_declaration=True, pretty_print=True)
    with whole_file(path) as beside:
        Path(beside).write_bytes(text)


def xml_name(name: str) -> str:
    """A name without the control characters that XML cannot hold."""
    return "".join(c if c >= " " or c in "\t\n" else "_" for c in name)
