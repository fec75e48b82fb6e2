"""The palette of the studio, red, green and blue from 0 to 255."""

from __future__ import annotations

Color = tuple[int, int, int]

REACHED: Color = (47, 158, 98)
MISSED: Color = (238, 125, 34)
OFF: Color = (154, 162, 173)
LIMIT: Color = (214, 52, 52)
CHOSEN: Color = (63, 111, 181)
THING: Color = (188, 195, 204)
SUPPORT: Color = (170, 190, 176)
HANDLE: Color = (72, 149, 163)
PINNED: Color = (142, 68, 173)
FREE: Color = (205, 210, 216)
BRAND: Color = (166, 124, 82)


def css(color: Color) -> str:
    """As style sheets write it."""
    return "#{:02x}{:02x}{:02x}".format(*color)


def met(amount: float, unit: str, reached: bool) -> Color:
    """Green where a goal is met, from amber to red the farther it is missed: 5 cm, or 15°, is red."""
    if reached:
        return REACHED
    far = min(amount / (0.25 if unit == "rad" else 0.05), 1.0)
    return (238, round(150 - 98 * far), round(34 + 10 * far))
