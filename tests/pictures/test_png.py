"""Our PNG files, read by Pillow."""

from __future__ import annotations

import io

import numpy as np
import pytest

from manikin.pictures.png import png_bytes

image_module = pytest.importorskip("PIL.Image", reason="the extra pictures is not installed")


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (9, 1), (24, 31)])
@pytest.mark.parametrize("packed", [1, 6, 9])
def test_pillow_reads_every_pixel_as_it_was(shape, packed):
    pixels = np.random.default_rng(3).integers(0, 256, (*shape, 3), np.uint8)
    with image_module.open(io.BytesIO(png_bytes(pixels, packed))) as image:
        assert image.format == "PNG" and image.mode == "RGB"
        assert np.array_equal(np.asarray(image), pixels)


def test_smooth_shading_is_packed_no_worse_than_by_pillow():
    down, across = np.mgrid[:200, :300].astype(np.float32)
    grain = np.random.default_rng(4).random((200, 300, 1), np.float32)
    pixels = (80 + 0.3 * across[..., None] + 0.2 * down[..., None] + grain + [0, 10, 20]).astype(np.uint8)
    file = io.BytesIO()
    image_module.fromarray(pixels).save(file, format="PNG")
    assert len(png_bytes(pixels)) < 1.05 * len(file.getvalue())
