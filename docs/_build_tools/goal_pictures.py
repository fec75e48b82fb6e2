"""The pictures of the pages on goals: each page's own script, and the solution that it ends with."""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
SIZE, QUALITY = (520, 520), "good"


def script_of(page: Path) -> str:
    """The blocks of Python of a page, one after the other."""
    return "\n".join(BLOCK.findall(page.read_text(encoding="utf-8")))


def run_page(page: Path) -> dict[str, Any]:
    """Run a page's script; its names. What it prints is not shown."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(script_of(page), str(page), "exec"), names)
    return names


def draw_goals(pages: Path, folder: Path) -> None:
    """A picture of ``result`` for every page, where there is none yet of the script as it is."""
    from manikin.pictures import picture

    folder.mkdir(exist_ok=True)
    for page in sorted(pages.glob("*.md")):
        script = script_of(page)
        if not script:
            continue
        path, mark = folder / f"{page.stem}.png", folder / f"{page.stem}.sha"
        digest = hashlib.sha256(f"{SIZE} {QUALITY} {script}".encode()).hexdigest()
        if path.exists() and mark.exists() and mark.read_text() == digest:
            continue
        picture(run_page(page)["result"], path, size=SIZE, quality=QUALITY)
        mark.write_text(digest)
