"""Colours: sRGB as people write them, linear as light adds up; and the palette."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from manikin.errors import FigureError


def linear(srgb: np.ndarray | Sequence[float]) -> np.ndarray:
    """Linear light of sRGB values from 0 to 1."""
    value = np.asarray(srgb, dtype=float)
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def encoded(light: np.ndarray) -> np.ndarray:
    """sRGB of linear values, both from 0 to 1."""
    value = np.clip(light, 0.0, 1.0)
    return np.where(value <= 0.0031308, 12.92 * value, 1.055 * value ** (1.0 / 2.4) - 0.055)


@lru_cache(maxsize=1)
def _levels() -> np.ndarray:
    """sRGB of 2¹⁶ linear values, float32."""
    return encoded(np.linspace(0.0, 1.0, 65536)).astype(np.float32)


def encoded_quickly(light: np.ndarray) -> np.ndarray:
    """`encoded` of many float32 values by a table: within 1e-4, a fortieth of a level of eight bits."""
    return _levels()[(np.clip(light, 0.0, 1.0) * np.float32(65535.0) + np.float32(0.5)).astype(np.uint16)]


def parse(color: Any, where: str = "color") -> np.ndarray:
    """Linear RGB of ``"#d8b48a"`` or three or four sRGB numbers from 0 to 1 (the fourth, opacity, is not drawn)."""
    if isinstance(color, str):
        digits = color.removeprefix("#")
        if len(digits) == 6 and all(digit in "0123456789abcdefABCDEF" for digit in digits):
            return linear([int(digits[i : i + 2], 16) / 255.0 for i in (0, 2, 4)]).astype(np.float32)
        raise FigureError(f'{where}: expected "#rrggbb" or three numbers from 0 to 1, got {color!r}')
    try:
        values = np.asarray(color, dtype=float)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.shape not in ((3,), (4,)) or not ((values >= 0.0) & (values <= 1.0)).all():
        raise FigureError(f'{where}: expected "#rrggbb" or three numbers from 0 to 1, got {color!r}')
    return linear(values[:3]).astype(np.float32)


WOOD = parse("#dfc19a")
DARK_WOOD = parse("#b08a62")
ROBOT = parse("#c6ced8")
REACHED = parse("#2f9e62")
MISSED = parse("#ee7d22")
SITE = parse("#3f6fb5")
SPARE = parse("#9aa2ad")
THING = parse("#bcc3cc")
AXES = (parse("#d0483f"), parse("#57a345"), parse("#3f74cc"))
SKY = parse("#dbe4ee")
FLOOR = parse("#f4f2ee")
INK = "#3a4048"
