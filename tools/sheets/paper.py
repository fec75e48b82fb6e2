"""Panels put together on one sheet, and written small."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from manikin.files import whole_file

if TYPE_CHECKING:
    from PIL.Image import Image

#: Colours of a written sheet: light on matt bodies needs no more, and the file is a third as large.
COLORS = 128


def grid(panels: Sequence[Image], columns: int, gap: int = 0) -> Image:
    """Panels of one size in rows; ``gap``: white pixels between them."""
    from PIL import Image as images

    width, height = panels[0].size
    rows = -(-len(panels) // columns)
    size = (columns * width + (columns - 1) * gap, rows * height + (rows - 1) * gap)
    sheet = images.new("RGB", size, "white")
    for k, panel in enumerate(panels):
        row, column = divmod(k, columns)
        sheet.paste(panel, (column * (width + gap), row * (height + gap)))
    return sheet


def save(sheet: Image, path: Path) -> None:
    """Write the sheet, in a palette of its own colours, whole or not at all."""
    from PIL import Image as images

    small = sheet.quantize(COLORS, method=images.Quantize.MEDIANCUT, dither=images.Dither.NONE)
    with whole_file(path) as beside:
        small.save(beside, format="PNG", optimize=True)
    print(f"{path}: {sheet.size[0]} by {sheet.size[1]}, {path.stat().st_size / 1e3:.0f} kB", flush=True)
