"""What the papers' methods take from SciPy, which is the extra ``papers``; nothing else of Manikin's core needs it."""

from __future__ import annotations

from manikin.extras import need

_optimize = need("scipy.optimize", "a method of the papers", "papers")
_linalg = need("scipy.linalg", "a method of the papers", "papers")

linprog = _optimize.linprog
lsq_linear = _optimize.lsq_linear
minimize = _optimize.minimize
qr = _linalg.qr
