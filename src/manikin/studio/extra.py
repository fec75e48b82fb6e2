"""The package of the extra ``studio``, imported when it is first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from manikin.errors import MissingExtraError

COMMAND = 'pip install "manikin[studio]"'
# Scene nodes can be grabbed from this version on.
LEAST = (1, 1)


def need(module: str = "viser") -> Any:
    """The module, or an error that says how to get it."""
    try:
        found = import_module(module)
    except ImportError as problem:
        raise MissingExtraError(f"the studio needs the package {module!r}: {COMMAND}") from problem
    if module == "viser":
        version = tuple(int(part) for part in found.__version__.split(".")[:2])
        if version < LEAST:
            raise MissingExtraError(
                f"the studio needs viser 1.1 or newer, {found.__version__} is installed: "
                f"{COMMAND.replace('install', 'install --upgrade')}"
            )
    return found
