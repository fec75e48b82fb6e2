"""Names of nodes that were never used before.

A node that is made under the name of one that was just taken away can keep its old place in browsers: a turn that is
none is not sent, as new nodes have none.
"""

from __future__ import annotations

from itertools import count

_numbers = count(1)


def unused(name: str) -> str:
    """The name with a number that no other has."""
    return f"{name} {next(_numbers)}"
