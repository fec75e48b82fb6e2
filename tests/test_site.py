"""The site: every page on a goal runs and reaches what it asks for, and all pages are built without a warning."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import manikin as mk

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(path for path in (DOCS / "goals").glob("*.md") if path.stem != "index")
sys.path.insert(0, str(DOCS / "_build_tools"))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_on_a_goal_runs_and_ends_with_what_it_asks_for(page):
    from goal_pictures import run_page

    result = run_page(page)["result"]
    assert isinstance(result, mk.Solution) and result.reached


def test_every_goal_has_a_page():
    told = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    kinds = [
        name
        for name in mk.__all__
        if isinstance(getattr(mk, name), type) and issubclass(getattr(mk, name), mk.Goal)
    ]
    missing = [name for name in kinds if name not in told and name not in ("Goal", "Objective")]
    assert not missing


def test_a_docstring_becomes_markdown_that_shows_what_it_says():
    from reference import markdown

    doc = "Two a_b * c.\n\nx: the first,\n    and more.\ny: ``code_*``.\n\nThe end."
    assert markdown(doc) == "Two a\\_b \\* c.\n\n- `x`: the first,\n  and more.\n- `y`: `code_*`.\n\nThe end."


@pytest.mark.skipif(importlib.util.find_spec("myst_parser") is None, reason="the extra docs is not installed")
def test_the_site_is_built_without_a_warning(tmp_path):
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-n",
        "-b",
        "html",
        str(DOCS),
        str(tmp_path),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    for page in ("index", "goals/balance", "reference/solving", "tutorials/robot"):
        assert (tmp_path / f"{page}.html").is_file()
