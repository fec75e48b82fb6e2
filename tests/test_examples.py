"""Every example runs, says what it promises and draws its picture; every block of Python in the documents runs."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted(ROOT.glob("examples/[0-9]*.py"))
# The reference is made from docstrings; the pages on goals run together in `test_site`.
DOCUMENTS = [
    *ROOT.glob("README.md"),
    *(path for path in sorted(ROOT.glob("docs/**/*.md")) if path.parent.name not in ("reference", "goals")),
]
LONGEST_EXAMPLE = 49

SAYS = {
    "01_first_pose": ["right_hand reaches its target", "eyes reaches its aim", "right shoulder flexion"],
    "02_robot_from_urdf": ["5 degrees of freedom", "tip reaches its target", "tip reaches its orientation"],
    "03_why_not": [
        "stationary",
        "right_hip_flexion is at its limit",
        "one more degree would gain",
        "multiplier",
        "The whole body on one foot: reached",
    ],
    "04_linear_constraints": [
        "any way: reached",
        "by the rules: reached",
        "infeasible",
        "left_knee - right_knee",
    ],
    "05_dragging": ["degrees of freedom are solved for", "400 places", "µs a solve"],
    "06_own_potential": ["left_hand reaches its potential", "right_hand is", "from the surface"],
    "07_scene_file": ["shade reaches its aim", "shade reaches its plane"],
    "08_rerooted": [
        "right_toe reaches its target",
        "The left foot moved 0 m",
        "every segment is where it was",
    ],
    "09_ball_joints_and_followers": [
        "extend, mirror follow",
        "load reaches its target",
        "wrist reaches its aim",
    ],
    "10_seat_belt": [
        "the near switch: reached",
        "the far switch: stationary",
        "right_fingertip misses its target by",
        "pelvis stays where it is (",
        "chest stays where it is in position (",
        "the lap belt alone: reached",
    ],
    "11_full_cup": ["step 4: reached", "from level", "cup is within its ranges", "the figure is in balance"],
    "12_over_the_shoulder": ["eyes reaches its aim", "left_foot stays where it is (", "°  chest"],
    "13_both_hands_on_a_wheel": [
        "turned by -30°: reached",
        "turned by 30°: reached",
        "left_hand is on its circle",
        "left_hand is where it should be from right_hand",
    ],
    "14_around_a_pillar": [
        "As if it were not there: reached",
        "Around it: reached",
        "clear of the capsule",
        "all of right_index_* keeps",
    ],
    "15_on_one_foot": ["In balance: reached", "1.5 cm inside its support", "right_foot is within its ranges"],
    "16_the_nearer_handle": [
        "the left hand takes the left handle",
        "the right hand takes the right handle",
        "right_hand took the fourth of 4 alternatives",
    ],
    "17_circle_and_box": [
        "right_fingertip is on its circle",
        "right_fingertip is inside its box",
        "degrees of freedom are left over",
    ],
    "18_drawing_an_eight": [
        "10000 samples, 100% followed exactly",
        "A3 is at its limit in",
        "with foresight: greatest step",
    ],
}

BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"^>>> ", re.MULTILINE)


def run(script: Path, arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script where it can write, with this source tree first on the path."""
    path = os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, str(script), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
    )


def test_every_example_is_expected_here():
    assert {path.stem for path in EXAMPLES} == set(SAYS)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_says_first_what_it_shows(example):
    source = example.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= LONGEST_EXAMPLE
    assert ast.get_docstring(ast.parse(source))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_draws_its_picture(example, tmp_path):
    image_module = pytest.importorskip("PIL.Image")
    pytest.importorskip("embreex")
    done = run(example, [str(tmp_path / "pictures")], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    for words in SAYS[example.stem]:
        assert words in done.stdout
    with image_module.open(tmp_path / "pictures" / f"{example.stem}.png") as image:
        image.load()
        assert min(image.size) >= 600
        low, high = image.convert("L").getextrema()
        assert high - low > 100  # something is drawn on the background


def test_without_the_extra_an_example_says_how_to_get_it(tmp_path):
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "PIL.py").write_text("raise ImportError('hidden')\n")
    script = tmp_path / "run.py"
    example = next(path for path in EXAMPLES if path.stem == "02_robot_from_urdf")
    script.write_text(
        f"import runpy, sys\nsys.path[:0] = [{str(hidden)!r}, {str(example.parent)!r}]\n"
        f"sys.argv = [{str(example)!r}]\nrunpy.run_path({str(example)!r}, run_name='__main__')\n",
        encoding="utf-8",
    )
    done = run(script, [], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "tip reaches its target" in done.stdout
    assert 'pip install "manikin[pictures]"' in done.stdout
    assert not list(tmp_path.rglob("*.png"))


def blocks_of(document: Path) -> list[tuple[int, str]]:
    """The blocks of Python in a document, each with the line it starts on."""
    text = document.read_text(encoding="utf-8")
    return [(text[: match.start(1)].count("\n"), match.group(1)) for match in BLOCK.finditer(text)]


@pytest.mark.parametrize(
    "document",
    [path for path in DOCUMENTS if blocks_of(path)],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_the_python_in_a_document_runs_from_top_to_bottom(document, tmp_path):
    """All blocks of one document run in one namespace, in an empty folder."""
    blocks = blocks_of(document)
    lines: list[str] = []
    for first, block in blocks:
        assert not PROMPT.search(block), f"{document.name}:{first + 1}: a prompt in a block of Python"
        lines += [""] * (first - len(lines)) + block.splitlines()
    script = tmp_path / f"{document.stem}.py"
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    work = tmp_path / "work"
    work.mkdir()
    done = run(script, [], work)
    assert done.returncode == 0, f"{document.name} (the lines are the document's own):\n{done.stderr}"
