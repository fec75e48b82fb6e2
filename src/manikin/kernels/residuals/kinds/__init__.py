"""The kinds of residuals: each file here is one, named as blocks name it, and says in `KIND` what searches know of it.

Nothing else lists them or compares one with another: compiled code branches in `residuals.dispatch`, which is written
from this registry, and on what the packing wrote of a kind (`residuals.layout`).
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from manikin.kernels.residuals.kind import Kind

#: Every kind by its name; its place is its number in compiled code.
KINDS: dict[str, Kind] = {
    name: import_module(f"{__name__}.{name}").KIND
    for name in sorted(module.name for module in iter_modules(__path__))
}
