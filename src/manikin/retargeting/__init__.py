"""Motions taken over from one figure to another: roles, where parts should be, contacts, and the clip that follows.

`retarget` does all of it, `roles_of` shows which site of a figure is taken for which part.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manikin.retargeting.retargeted import Retargeted, retarget, roles_of
    from manikin.retargeting.roles import Roles

_HOMES = {"Retargeted": "retargeted", "Roles": "roles", "retarget": "retargeted", "roles_of": "retargeted"}

__all__ = ["Retargeted", "Roles", "retarget", "roles_of"]


def __getattr__(name: str) -> Any:
    """What needs the kernels is imported when first asked for."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"manikin.retargeting.{home}"), name)
