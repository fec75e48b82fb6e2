from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numba", "scipy", "trimesh", "typer", "rich")


def loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(name.partition('.')[0] for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "statement",
    [
        "import manikin",
        "import manikin as mk; mk.Figure('f', ['a', 'b'], [mk.Joint('j', 'a', 'b', 'ball')]).pose().values()",
        "import manikin as mk; body = mk.human(); body.pose({'left_elbow': 1.0}).to_json(); body.tree, body.describe()",
        "import manikin as mk; mk.Position('hand', [0, 0, 0]); mk.Orientation('hand', [[1,0,0],[0,1,0],[0,0,1]])",
    ],
)
def test_what_computes_no_frame_imports_nothing_heavy(statement):
    modules = loaded_by(statement)
    assert "manikin" in modules
    assert modules.isdisjoint(HEAVY)


def test_every_public_name_is_there():
    import manikin

    assert all(hasattr(manikin, name) for name in manikin.__all__)
    assert len(set(manikin.__all__)) == len(manikin.__all__)
