from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from manikin.studio.model.document import fresh
from manikin.studio.model.session import Session
from manikin.studio.model.source import Source


@pytest.fixture
def session() -> Session:
    """A person who stands at ease, feet pinned, in balance."""
    return Session(fresh(Source()))


@pytest.fixture
def studio(tmp_path, monkeypatch):
    """A studio that runs, without a browser and with a state of its own."""
    from manikin.studio import open_studio

    monkeypatch.setenv("MANIKIN_STATE", str(tmp_path / "state"))
    running = open_studio(port=0, browser=False, folder=tmp_path, shadows=False)
    yield running
    running.close()


@pytest.fixture
def arm_file(tmp_path: Path) -> Path:
    """A robot of two hinges."""
    path = tmp_path / "arm.urdf"
    path.write_text(
        """<robot name="arm"><link name="base"/><link name="upper"/><link name="lower"/>
        <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
        <origin xyz="0 0 0.1"/><limit lower="-2" upper="2" velocity="1" effort="1"/></joint>
        <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
        <origin xyz="0 0 0.4"/><limit lower="0" upper="2.5" velocity="1" effort="1"/></joint></robot>""",
        encoding="utf-8",
    )
    return path


def chromium() -> str | None:
    """A browser of the system's packages."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    return None
