"""The kinds of motion: each file here is one and says in `MOTION` how compiled code moves by it.

Compiled code branches over them in `tree.dispatch`, which is written from this registry. `figure.joints` has the same
kinds for Python and `verify.joints` those of the verifier, each by code of its own.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from manikin.kernels.tree.motion import Motion

#: Every kind by its name; its place is its number in the tree.
MOTIONS: dict[str, Motion] = {
    name: import_module(f"{__name__}.{name}").MOTION
    for name in sorted(module.name for module in iter_modules(__path__))
}
