"""The human figure: `human` builds it, `preset` poses it, `grip` closes its hands, `measurements` measures it;
`population` is many of them.
"""

from typing import TYPE_CHECKING, Any

from manikin.figure.human.build import human
from manikin.figure.human.hands.grip import GRIPS, Grip, grip
from manikin.figure.human.measure import measurements
from manikin.figure.human.presets import PRESETS, preset
from manikin.figure.human.speeds import joint_speeds

if TYPE_CHECKING:
    from manikin.figure.human.crowd import Population, boundary, people, percentiles, population

__all__ = [
    "GRIPS",
    "PRESETS",
    "Grip",
    "Population",
    "boundary",
    "grip",
    "human",
    "joint_speeds",
    "measurements",
    "people",
    "percentiles",
    "population",
    "preset",
]


def __getattr__(name: str) -> Any:
    """Populations come with their statistics, so they are imported when first asked for."""
    if name in ("Population", "boundary", "people", "percentiles", "population"):
        from importlib import import_module

        module = import_module("manikin.figure.human.crowd")
        found = {
            key: getattr(module, key)
            for key in ("Population", "boundary", "people", "percentiles", "population")
        }
        globals().update(found)
        return found[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
