from __future__ import annotations

import sys

import pytest

from manikin.cli.robot import arm
from manikin.errors import MissingExtraError
from manikin.pictures import animate, picture


def without(monkeypatch, package: str) -> None:
    for name in [name for name in sys.modules if name == package or name.startswith(package + ".")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)


@pytest.mark.parametrize("package", ["PIL", "embreex"])
def test_a_missing_package_is_named_with_the_command(monkeypatch, package):
    without(monkeypatch, package)
    with pytest.raises(MissingExtraError, match=rf"{package}.*pip install \"manikin\[pictures\]\""):
        picture(arm(), size=(32, 32))


@pytest.mark.parametrize("package", ["imageio", "imageio_ffmpeg"])
def test_an_mp4_names_what_it_needs(monkeypatch, tmp_path, package):
    without(monkeypatch, package)
    shown = package.replace("_", "-")
    with pytest.raises(MissingExtraError, match=rf"'{shown}': pip install \"manikin\[pictures\]\""):
        animate([arm()], tmp_path / "arm.mp4")
    assert not list(tmp_path.iterdir())
