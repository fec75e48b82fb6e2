"""The command itself: its version, its help, how light it is, and what becomes of unexpected errors."""

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

import pytest


def installed_version() -> str | None:
    try:
        return version("manikin")
    except PackageNotFoundError:
        return None


@pytest.mark.skipif(installed_version() is None, reason="the package is not installed")
def test_version_is_the_installed_one(manikin):
    result = manikin("--version")
    assert (result.exit_code, result.stdout) == (0, f"manikin {installed_version()}\n")


def test_help_lists_the_commands(manikin):
    shown = manikin("--help").stdout
    assert all(command in shown for command in ("demo", "solve", "info", "warmup"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_the_commands(shell):
    code = "from manikin.cli.main import app; app(prog_name='manikin')"
    words = {
        "bash": {"COMP_WORDS": "manikin in", "COMP_CWORD": "1"},
        "zsh": {"_TYPER_COMPLETE_ARGS": "manikin in"},
    }
    fish = {"_TYPER_COMPLETE_ARGS": "manikin in", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    asked = {"_MANIKIN_COMPLETE": f"complete_{shell}", **words.get(shell, fish)}
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **asked}
    )
    assert "info" in result.stdout and "demo" not in result.stdout
    script = {**os.environ, "_MANIKIN_COMPLETE": f"source_{shell}"}
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=script)
    assert "manikin" in shown.stdout and "_MANIKIN_COMPLETE" in shown.stdout


def test_the_module_is_the_command():
    result = subprocess.run(
        [sys.executable, "-m", "manikin", "info", "none.urdf"], capture_output=True, text=True
    )
    assert (result.returncode, result.stderr) == (2, "error: none.urdf: there is no such file\n")


def test_importing_the_command_loads_nothing_heavy():
    code = "import sys, manikin.cli.main; print({'numba', 'scipy', 'yourdfpy', 'trimesh'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "set()\n"


def test_an_unexpected_error_is_not_swallowed(manikin, scene, monkeypatch):
    def broken(path, **options):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("manikin.formats.scene.read_scene", broken)
    with pytest.raises(ZeroDivisionError, match="a bug"):
        manikin("solve", scene([0.65, 0.3, 0.35]))
