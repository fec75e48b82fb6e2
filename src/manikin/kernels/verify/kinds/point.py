"""How far a site is outside a region, or inside of it. Own: the number of pieces, the pieces."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.verify.checker import Checker
from manikin.kernels.verify.layout import OWN
from manikin.kernels.verify.regions import from_pieces
from manikin.kernels.verify.seen import beyond, place_seen


@kernel(exact=True)
def _miss(c):
    own = c.o + OWN
    return beyond(from_pieces(c.R, own + 1, int(c.R[own]), place_seen(c, c.w)), c.R[c.low], c.R[c.high])


CHECK = Checker(_miss, lambda part: [len(part.primitives), part.primitives])
