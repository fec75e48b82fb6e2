"""Where the examples put their pictures: the folder given on the command line, or ``pictures``."""

import sys
from pathlib import Path

import numpy as np

import manikin as mk

COLOURS = ("#1b6ca8", "#d1495b", "#2e8b57", "#edae49", "#6a4c93", "#00798c", "#8d6a4f")


def show(subject, name, **options):
    """Draw a pose, a solution or several of them, and say where the picture is; a hint without the extra."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "pictures")
    try:
        from manikin.pictures import picture

        folder.mkdir(parents=True, exist_ok=True)
        picture(subject, folder / name, **{"size": (640, 800), **options})
    except mk.MissingExtraError as hint:
        print(f"\nNo picture: {hint}")
    else:
        print(f"\nThe picture is in {folder / name}")


def plot(panels, name, size=(900, 320)):
    """Draw curves over samples, one panel a title and an array (T, k), and say where the picture is."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "pictures")
    try:
        from manikin.pictures.extra import need

        image_module, draw_module = need("PIL.Image", "a plot"), need("PIL.ImageDraw", "a plot")
    except mk.MissingExtraError as hint:
        print(f"\nNo picture: {hint}")
        return
    width, height = size
    image = image_module.new("RGB", (width, height * len(panels)), "white")
    draw = draw_module.Draw(image)
    for row, (title, curves) in enumerate(panels):
        low, high = float(curves.min()), float(curves.max())
        top, bottom, left, right = row * height + 30, (row + 1) * height - 15, 60, width - 15
        draw.text((left, top - 22), title, fill="black")
        for value in (low, 0.0, high) if low < 0.0 < high else (low, high):
            y = bottom - (value - low) / (high - low) * (bottom - top)
            draw.line([(left, y), (right, y)], fill=(210, 210, 210))
            draw.text((8, y - 6), f"{value:6.2f}", fill="black")
        for k, curve in enumerate(curves.T):
            xs = left + (right - left) * np.arange(len(curve)) / (len(curve) - 1)
            ys = bottom - (curve - low) / (high - low) * (bottom - top)
            draw.line(list(zip(xs, ys, strict=True)), fill=COLOURS[k % len(COLOURS)], width=2)
    folder.mkdir(parents=True, exist_ok=True)
    image.save(folder / name)
    print(f"\nThe picture is in {folder / name}")
