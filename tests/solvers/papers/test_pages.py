"""The pages of the papers run as they stand, and name files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted((ROOT / "docs" / "papers").glob("*.md"))
SOURCE = ROOT / "src" / "manikin"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_of_a_page_runs(page, capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks or page.stem == "table"
    for block in blocks:
        exec(compile(block, str(page), "exec"), {"__name__": "page"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_file_that_a_page_names_is_there(page):
    for name in re.findall(
        r"`((?:papers|closed_form|kernels|cli|reach)/[\w/]+\.py)`", page.read_text(encoding="utf-8")
    ):
        assert (SOURCE / name).exists(), name
