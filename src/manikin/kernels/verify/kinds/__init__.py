"""How each kind of residuals is checked: a file with the name of the kind, which says it in `CHECK`.

A kind without one is an error when blocks are packed: that nothing checks it has to be written, as `NotChecked`.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from manikin.kernels.verify.checker import Checker, NotChecked

#: Every kind by its name.
CHECKS: dict[str, Checker | NotChecked] = {
    name: import_module(f"{__name__}.{name}").CHECK
    for name in sorted(module.name for module in iter_modules(__path__))
}
