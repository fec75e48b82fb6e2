"""The packages of the extras ``reach`` and ``study``, imported when they are first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from manikin.errors import MissingExtraError

COMMAND = 'pip install "manikin[reach]"'
#: Those of other extras.
_OTHERS = {"distributed": 'pip install "manikin[study]"', "trimesh": 'pip install "manikin[pictures]"'}


def need(module: str, what: str) -> Any:
    """The module, or an error that says what cannot be done without it and how to get it."""
    try:
        return import_module(module)
    except ImportError as problem:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"{what} needs the package {package!r}: {_OTHERS.get(package, COMMAND)}"
        ) from problem
