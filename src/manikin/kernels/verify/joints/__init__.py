"""The kinds of motion as the verifier knows them: each file here is one and says it in `JOINT`.

They are those of `tree.joints`, whose numbers they have, by code of their own: rotations are quaternions here.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from manikin.kernels.verify.joint import Joint

#: Every kind by its name; its place is its number in the tree.
JOINTS: dict[str, Joint] = {
    name: import_module(f"{__name__}.{name}").JOINT
    for name in sorted(module.name for module in iter_modules(__path__))
}
