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


def test_import_alone_loads_not_even_numpy():
    assert loaded_by("import manikin").isdisjoint({*HEAVY, "numpy", "lxml"})


def test_nothing_imports_scipy_by_itself():
    """It is an extra: whoever needs it asks by `need`, which gives the command that installs it."""
    from pathlib import Path

    import manikin

    found = [
        f"{path.name}:{number}"
        for path in Path(manikin.__file__).parent.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if line.strip().startswith(("import scipy", "from scipy", "import yourdfpy", "from yourdfpy"))
    ]
    assert found == []


def test_a_missing_package_is_named_with_what_it_is_for_and_the_command():
    from manikin.errors import MissingExtraError
    from manikin.extras import need

    with pytest.raises(
        MissingExtraError, match=r"a low pass needs the package 'no_such': pip install .manikin\[markers\]"
    ):
        need("no_such.part", "a low pass", "markers")


def test_rooms_may_be_named_without_importing_them():
    code = "import manikin as mk; print(mk.formats.read.__module__, mk.solve is mk.solve)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["manikin.formats", "True"]


def test_what_is_imported_by_its_name_in_a_string_is_below_in_the_layers_too():
    """import-linter does not see these; only the top level may send to any package."""
    import ast
    import tomllib
    from pathlib import Path

    import manikin

    settings = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    listed = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    layer = {name.strip(): k for k, names in enumerate(listed) for name in names.replace(":", "|").split("|")}
    root = Path(manikin.__file__).parent
    found = []
    for path in root.rglob("*/*.py"):
        package = path.relative_to(root).parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and node.args and "import_module" in ast.unparse(node.func)):
                continue
            first = next((part for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)), None)
            root_name, _, rest = str(first.value if first is not None else "").partition(".")
            named = rest.partition(".")[0]
            if root_name == "manikin" and named != package and layer[named] <= layer[package]:
                found.append(f"{path.relative_to(root)}:{node.lineno}: {named}")
    assert found == []
