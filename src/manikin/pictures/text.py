"""Captions and titles."""

from __future__ import annotations

from typing import Any

from manikin.pictures.color import INK
from manikin.pictures.extra import need


def letter_size(size: tuple[int, int], share: float) -> int:
    """The height of letters in pixels, readable in small pictures and modest in large ones."""
    return max(11, round(share * min(size[0], 1.5 * size[1])))


def write(image: Any, text: str, middle: float, top: float, width: float, height: int) -> None:
    """Write a line into the image about a middle, made smaller until it fits the width."""
    font_module = need("PIL.ImageFont", "a caption")
    draw = need("PIL.ImageDraw", "a caption").Draw(image)
    font = font_module.load_default(height)
    while height > 7 and draw.textlength(text, font=font) > width:
        height -= 1
        font = font_module.load_default(height)
    draw.text((middle, top), text, fill=INK, font=font, anchor="ma")
