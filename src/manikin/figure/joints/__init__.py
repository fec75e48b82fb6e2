"""The kinds of motion that joints are made of: each file here is one and says in `KIND` what Python asks of it.

The rest of the package asks a kind and compares none: what compiled code does is in `kernels.tree.joints`, what the
verifier does in `kernels.verify.joints`, in files of the same names.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from manikin.figure.joints.kind import JointKind

__all__ = ["KINDS", "JointKind", "kind_named", "number_of"]

#: Every kind by its name; its place is its number in the tree.
KINDS: dict[str, JointKind] = {
    name: import_module(f"{__name__}.{name}").KIND
    for name in sorted(module.name for module in iter_modules(__path__))
    if name not in ("kind", "register")
}


def kind_named(name: str) -> JointKind:
    """The kind of this name."""
    return KINDS[name]


def number_of(kind: JointKind) -> int:
    """A kind's number in the tree."""
    return list(KINDS).index(kind.name)
