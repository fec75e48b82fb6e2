"""What a shared library asks of the machine it is loaded on: read from its ELF tables (64 bits, little-endian)."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

_MACHINES = {62: "x86_64", 183: "aarch64"}
_WEAK = 2


class Needed(NamedTuple):
    """A symbol that someone else has to bring, and its version (empty where it has none)."""

    name: str
    version: str
    weak: bool


class Library(NamedTuple):
    """What matters of a shared library: its machine, the symbols it needs and those it shows."""

    machine: str
    needed: list[Needed]
    shown: list[str]


def read(path: Path) -> Library:
    """The tables of this file. A ValueError where it is no such library."""
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path}: not a 64-bit little-endian ELF file")
    machine = struct.unpack_from("<H", data, 18)[0]
    sections = _sections(data)
    strings = sections[".dynstr"]
    versions = _versions(sections.get(".gnu.version_r", b""), strings)
    marks = sections.get(".gnu.version", b"")
    needed, shown = [], []
    for index in range(1, len(sections[".dynsym"]) // 24):
        name_at, info, _other, section = struct.unpack_from("<IBBH", sections[".dynsym"], 24 * index)
        name = _text(strings, name_at)
        if section and name:
            shown.append(name)
        elif name:
            mark = struct.unpack_from("<H", marks, 2 * index)[0] & 0x7FFF if marks else 0
            needed.append(Needed(name, versions.get(mark, ""), info >> 4 == _WEAK))
    return Library(_MACHINES.get(machine, str(machine)), needed, shown)


def _sections(data: bytes) -> dict[str, bytes]:
    """Contents by name."""
    table_at = struct.unpack_from("<Q", data, 40)[0]
    size, count, names_index = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, table_at + size * k) for k in range(count)]
    names = data[headers[names_index][4] : headers[names_index][4] + headers[names_index][5]]
    return {_text(names, name): data[at : at + length] for name, _, _, _, at, length in headers}


def _versions(table: bytes, strings: bytes) -> dict[int, str]:
    """Names of versions by their mark."""
    found, at = {}, 0
    while table:
        _, count, _, first, step = struct.unpack_from("<HHIII", table, at)
        inner = at + first
        for _ in range(count):
            _, _, mark, name, further = struct.unpack_from("<IHHII", table, inner)
            found[mark] = _text(strings, name)
            inner += further
        if not step:
            break
        at += step
    return found


def _text(strings: bytes, at: int) -> str:
    return strings[at : strings.index(b"\0", at)].decode()
