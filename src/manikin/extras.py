"""Packages of optional parts, imported when they are first needed; a missing one says how to get it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from manikin.errors import MissingExtraError


def need(module: str, what: str, extra: str) -> Any:
    """The module, or an error that says what cannot be done without it and the command that installs it."""
    try:
        return import_module(module)
    except ImportError as problem:
        package = module.partition(".")[0]
        raise MissingExtraError(f"{what} needs the package {package!r}: {command(extra)}") from problem


def command(extra: str) -> str:
    """The command that installs an extra."""
    return f'pip install "manikin[{extra}]"'
