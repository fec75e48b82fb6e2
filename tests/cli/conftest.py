"""A runner of the command, and a scene to run it on."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

ARM = Path(__file__).parents[1] / "data" / "slider_arm.urdf"

SCENE = """
figure = "arm.urdf"

[[site]]
name = "pen"
segment = "hand"

[[goal]]
kind = "position"
site = "pen"
target = {target}
"""


@pytest.fixture
def manikin() -> Callable:
    """Runs the command with these arguments; an error that is not Manikin's own is raised here."""
    from manikin.cli.main import app

    def run(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)

    return run


@pytest.fixture
def scene(tmp_path: Path) -> Callable[..., Path]:
    """Writes a scene in which the arm's pen is asked to the target."""
    shutil.copy(ARM, tmp_path / "arm.urdf")

    def write(target: list[float]) -> Path:
        path = tmp_path / "scene.toml"
        path.write_text(SCENE.format(target=target), encoding="utf-8")
        return path

    return write
