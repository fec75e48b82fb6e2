"""What the papers' methods take from SciPy, which is the extra ``papers``; nothing else of Manikin's core needs it.

Each is imported when it is first called: most methods need none, and SciPy's optimisers take longer to import than a
solve.
"""

from __future__ import annotations

from typing import Any

from manikin.extras import need


def _scipy(module: str) -> Any:
    return need(f"scipy.{module}", "a method of the papers", "papers")


def linprog(*arguments: Any, **options: Any) -> Any:
    """`scipy.optimize.linprog`."""
    return _scipy("optimize").linprog(*arguments, **options)


def lsq_linear(*arguments: Any, **options: Any) -> Any:
    """`scipy.optimize.lsq_linear`."""
    return _scipy("optimize").lsq_linear(*arguments, **options)


def minimize(*arguments: Any, **options: Any) -> Any:
    """`scipy.optimize.minimize`."""
    return _scipy("optimize").minimize(*arguments, **options)


def qr(*arguments: Any, **options: Any) -> Any:
    """`scipy.linalg.qr`."""
    return _scipy("linalg").qr(*arguments, **options)
