"""Sphinx settings of the site: ``make docs``. The reference and the pictures of goals are made when it is built."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "src"))
sys.path.insert(0, str(HERE / "_build_tools"))

import manikin  # noqa: E402

project = "Manikin"
author = "The Manikin developers"
copyright = "the Manikin developers, Apache-2.0"
version = release = manikin.__version__

extensions = ["myst_parser", "sphinx_copybutton", "mathml"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "_build_tools", "*.py"]
html_theme = "furo"
html_title = "Manikin"
html_theme_options = {"source_directory": "docs/"}
nitpicky = True


def setup(app):
    """Make what is made from the package itself before pages are read."""
    from goal_pictures import draw_goals
    from reference import write_reference

    app.connect("builder-inited", lambda _: write_reference(HERE / "reference"))
    app.connect("builder-inited", lambda _: draw_goals(HERE / "goals", HERE / "_pictures"))
