"""The papers' examples run, say what they should and draw their pictures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "examples" / "papers"
SAYS = {
    "three_links": "degree of redundancy 1",
    "branched_chain": "degree of redundancy 1",
    "damping": "adaptive",
    "limited_joint": "θ6 up to 0.00: reached",
    "planar_chain": "perfectly constrained",
    "swivel": "right_wrist_deviation fixed: 2 solutions",
}


@pytest.mark.parametrize("name", SAYS)
def test_an_example_of_the_papers_runs_and_draws(name, tmp_path):
    pytest.importorskip("embreex")
    image = pytest.importorskip("PIL.Image")
    script = FOLDER / f"{name}.py"
    assert len(script.read_text(encoding="utf-8").splitlines()) < 60
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert SAYS[name] in done.stdout
    (drawn,) = tmp_path.glob("*.png")
    with image.open(drawn) as picture:
        assert len(picture.convert("RGB").getcolors(1 << 24)) > 100


def test_every_example_is_tested():
    assert {path.stem for path in FOLDER.glob("*.py")} == {*SAYS, "draw"}
