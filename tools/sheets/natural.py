"""Forty-eight tasks as people would go about them."""

from __future__ import annotations

from pathlib import Path

import manikin as mk
from manikin.pictures import picture
from tools.sheets import paper
from tools.sheets.tasks import tasks


def draw(out: Path, *, natural: bool = True, size: tuple[int, int] = (150, 195)) -> None:
    """Solve all and draw them, eight a row; ``natural=False``: by the goals alone, for comparison."""
    body = mk.human(stature=1.75)
    shown, captions = [], []
    for name, goals in tasks():
        result = mk.solve(body, goals, natural=natural)
        shown.append(result)
        captions.append(name if result.reached else f"{name} (missed)")
    sheet = picture(
        shown,
        captions=captions,
        columns=8,
        size=size,
        view=(55.0, 10.0),
        quality="good",
        together=False,
    )
    paper.save(sheet, out)
