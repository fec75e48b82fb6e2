"""Kernels on the card, by their names: the PTX that came with the package, or made here where numba-cuda is."""

from __future__ import annotations

from functools import cache

from manikin.errors import DeviceError, MissingExtraError
from manikin.kernels.gpu import build
from manikin.kernels.gpu.driver import Device, Kernel, device


@cache
def kernel(name: str) -> Kernel:
    """A kernel ready to run on the first card, or an error that says what is missing."""
    return device().module(ptx(name)).kernel(name)


def ptx(name: str) -> str:
    """The PTX of a kernel: as it came with the package where it fits the sources, else compiled now."""
    found = build.read(build.file_of(name))
    if found is not None:
        return found
    try:
        found = build.compile_kernel(name)
    except MissingExtraError:
        raise DeviceError(
            'device="cuda": the kernels that came with this package are missing or do not fit its sources. With '
            'pip install "manikin[cuda]" they are compiled where they are used; '
            "`python -m manikin.kernels.gpu.build` does it ahead"
        ) from None
    return found


def card() -> Device:
    """The first card, made current for this thread."""
    found = device()
    found.use()
    return found
