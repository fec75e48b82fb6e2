"""Kernels for graphics cards compiled ahead, by numba-cuda, to PTX: ``python -m manikin.kernels.gpu.build``.

PTX is NVIDIA's portable assembly; the driver of a card compiles it to that card's own code when it is first loaded,
and keeps that. No card is needed here, and nothing but the driver there.

Needs the extra: ``pip install "manikin[cuda]"``.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import DeviceError, MissingExtraError
from manikin.files import whole_file
from manikin.kernels.gpu import sources
from manikin.toolchain.digest import KERNELS, digest

#: The oldest cards that the PTX is for, and its version of the language: nothing newer is used, so that older
#: drivers take it.
CAPABILITY = (8, 0)
VERSION = "8.0"


@cache
def stamp() -> str:
    """Digest of what the PTX is made from; its first line has it."""
    return digest(sources.files(), KERNELS)[:32]


def file_of(name: str, folder: Path | None = None) -> Path:
    """Where the PTX of a kernel lies."""
    return (folder or Path(__file__).parent) / f"{name}.ptx.gz"


@contextmanager
def _row_stack() -> Iterator[None]:
    """numba-cuda up to 0.30 names ``numpy.row_stack``, which NumPy took away after 2.4; here it is again meanwhile."""
    missing = not hasattr(np, "row_stack")
    if missing:
        vars(np)["row_stack"] = np.vstack
    try:
        yield
    finally:
        if missing:
            del vars(np)["row_stack"]


def compile_kernel(name: str) -> str:
    """The PTX of a kernel, its entry called by the kernel's name."""
    ptx: Any
    with _row_stack():
        try:
            from numba import cuda, types
        except ImportError:
            raise MissingExtraError(
                'kernels for graphics cards are compiled by numba-cuda here: pip install "manikin[cuda]"'
            ) from None
        function, _ = sources.source(name, {"cuda": cuda})
        of = {"f8": types.float64[::1], "f4": types.float32[::1], "i4": types.int32[::1]}
        scalars = sum(sources.spread(name).values())
        signature = (*(of[kind] for kind in sources.arrays(name).values()), *(types.float32,) * scalars)
        ptx, _ = cuda.compile_ptx(function, signature, cc=CAPABILITY, fastmath=True)
    entry = re.search(r"\.entry (\w+)", ptx)
    if entry is None:
        raise DeviceError(f"{name}: numba-cuda gave no kernel")
    ptx = ptx.replace(entry.group(1), name)
    return f"// {stamp()}\n" + re.sub(r"^\.version .*$", f".version {VERSION}", ptx, count=1, flags=re.M)


def build(names: list[str], folder: Path) -> list[Path]:
    """Compile kernels into a folder; one that fits its source already is left alone."""
    made = []
    for name in names:
        path = file_of(name, folder)
        if read(path) is None:
            packed = gzip.compress(compile_kernel(name).encode(), mtime=0)
            with whole_file(path) as temporary:
                temporary.write_bytes(packed)
        made.append(path)
    return made


def read(path: Path) -> str | None:
    """The PTX in a file, None where there is none or it was made from other sources."""
    try:
        ptx = gzip.decompress(path.read_bytes()).decode()
    except (OSError, EOFError, UnicodeDecodeError):
        return None
    return ptx if ptx.startswith(f"// {stamp()}\n") else None


def main() -> None:
    """Compile all of them, or those named."""
    told = argparse.ArgumentParser(description=__doc__)
    told.add_argument("names", nargs="*", help=f"of {', '.join(sources.names())}; all by default")
    told.add_argument("--into", type=Path, default=Path(__file__).parent)
    asked = told.parse_args()
    for path in build(asked.names or sources.names(), asked.into):
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
