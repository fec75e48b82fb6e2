"""Pictures a second in a browser without a GPU while a hand is dragged, in viser's own page and in the studio's.

The system's Chromium draws by software (SwiftShader) on the same processors. Pages are taken in turns, one open at a
time; of each scene the median of its rounds. Processor time is that of the browser's processes together.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.studio import COUNT, FLAGS, drag
from benchmarks.tables import Requirement, Section, Table

RATE = 60.0
SIZE, SMALL = (1280, 800), (640, 400)


@dataclass
class Scene:
    """What is drawn, in viser's own page or in the studio's, and what was measured of it."""

    name: str
    size: tuple[int, int] = SIZE
    own: bool = False
    empty: bool = False
    found: list[dict[str, float]] = field(default_factory=list)

    def median(self, what: str) -> float:
        """Of the rounds."""
        return float(np.median([each[what] for each in self.found]))


SCENES = (
    Scene("the figure", own=True),
    Scene("the same"),
    Scene("an empty scene, one box that moves", own=True, empty=True),
    Scene("the same", empty=True),
    Scene("the figure in a small window", SMALL, own=True),
    Scene("the same", SMALL),
)


def descendants(parent: int) -> set[int]:
    """The processes that a process started, and those that they did."""
    above: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                above[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    found, size = {parent}, 0
    while len(found) != size:
        size = len(found)
        found |= {child for child, other in above.items() if other in found}
    return found - {parent}


def busy() -> float:
    """Seconds of processor time of the browser's processes, so far."""
    total = 0
    for number in descendants(os.getpid()):
        with contextlib.suppress(OSError):
            after = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            total += int(after[11]) + int(after[12])
    return total / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def _box(folder: str) -> Iterator[tuple[str, Callable[[float], object]]]:
    """viser with a box in plain light, and what moves it for so many seconds."""
    from manikin.studio.server.start import start

    served = start(port=0)
    scene = served.viser.scene
    scene.configure_environment_map(None)
    scene.configure_default_lights(cast_shadow=False)
    box = scene.add_box("/box")

    def move(seconds: float) -> None:
        begin = time.perf_counter()
        while (t := time.perf_counter() - begin) < seconds:
            box.position = (float(np.sin(t)), 0.0, 0.0)
            time.sleep(1.0 / RATE)

    yield served.url, move
    served.stop()


@contextlib.contextmanager
def _figure(folder: str) -> Iterator[tuple[str, Callable[[float], object]]]:
    """The studio, and what drags its hand for so many seconds and puts it back."""
    from manikin.studio import open_studio

    studio = open_studio(port=0, browser=False, folder=folder)

    def move(seconds: float) -> None:
        drag(studio, seconds, RATE)
        studio.ask(studio.undo)
        studio.worker.drain()

    yield studio.url, move
    studio.close()


@contextlib.contextmanager
def _plain() -> Iterator[None]:
    """While this lasts the page is viser's own, with an empty script."""
    from manikin.studio.server import page

    scripts = page._SCRIPTS
    try:
        page._SCRIPTS = ()
        page._script.cache_clear()
        page._served.cache_clear()
        yield
    finally:
        page._SCRIPTS = scripts
        page._script.cache_clear()
        page._served.cache_clear()


def measure(scene: Scene, browser: Any, seconds: float) -> None:
    """One round."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        os.environ["MANIKIN_STATE"] = folder
        made = _box(folder) if scene.empty else _figure(folder)
        url, move = stack.enter_context(made)
        page = browser.new_page(viewport={"width": scene.size[0], "height": scene.size[1]})
        stack.callback(page.close)
        page.add_init_script(COUNT)
        if scene.own:
            stack.enter_context(_plain())
        page.goto(url, timeout=120_000)
        if scene.empty:
            page.wait_for_function("window.seen.pictures > 0", timeout=120_000)
        else:
            page.get_by_role("button", name="Start").click(timeout=120_000)
        # The first drag finds out how much can be drawn, then it rests and meshes of fewer triangles are made.
        move(2.0)
        page.wait_for_timeout(1200)
        page.wait_for_function("!(window.__manikinPace?.waiting > 0)", timeout=120_000)
        move(1.0)
        old, before, begin = page.evaluate("({...window.seen})"), busy(), time.perf_counter()
        mover = threading.Thread(target=move, args=(seconds,))
        mover.start()
        mover.join(0.6 * seconds)
        wide, high = page.evaluate("(({width, height}) => [width, height])(window.__viserMutable.canvas)")
        mover.join()
        new, after, end = page.evaluate("({...window.seen})"), busy(), time.perf_counter()
        pictures = max(new["pictures"] - old["pictures"], 1)
        scene.found.append(
            {
                "rate": pictures / (end - begin),
                "ms": 1e3 * (after - before) / pictures,
                "calls": (new["calls"] - old["calls"]) / pictures,
                "triangles": (new["triangles"] - old["triangles"]) / pictures,
                "wide": wide,
                "high": high,
            }
        )


def run(*, quick: bool = False, rounds: int = 1) -> Section:
    """Measure; quick: short rounds of the figure alone."""
    from playwright.sync_api import sync_playwright

    chosen = SCENES[:2] if quick else SCENES
    scenes = [Scene(s.name, s.size, s.own, s.empty) for s in chosen]
    loads = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for _ in range(rounds):
            for scene in scenes:
                measure(scene, browser, 2.0 if quick else 4.0)
                loads.append(os.getloadavg()[0])
                latest = scene.found[-1]
                print(
                    f"{'viser' if scene.own else 'studio'} {scene.name} {scene.size}: "
                    f"{latest['rate']:.1f} a second, {latest['ms']:.0f} ms, load {loads[-1]:.1f}",
                    file=sys.stderr,
                    flush=True,
                )
        browser.close()
    table = Table(
        "Pictures while something moves",
        (
            "scene",
            "page",
            "window",
            "drawn",
            "pictures a second",
            "ms of processor time each",
            "draw calls",
            "triangles",
        ),
    )
    for scene in scenes:
        table.add(
            scene.name,
            "viser's" if scene.own else "the studio's",
            "{} × {}".format(*scene.size),
            f"{scene.median('wide'):.0f} × {scene.median('high'):.0f}",
            scene.median("rate"),
            scene.median("ms"),
            round(scene.median("calls")),
            round(scene.median("triangles")),
        )
    asked = next(s for s in scenes if not (s.own or s.empty) and s.size == SIZE)
    return Section(
        "pictures",
        "A hand of the full human dragged, 60 events a second; Chromium without a GPU, drawn by SwiftShader on the "
        f"same {os.cpu_count()} processors, load {min(loads):.1f} to {max(loads):.1f}.",
        [table],
        [
            Requirement(
                "pictures a second while dragging, 1280 × 800", asked.median("rate"), 30.0, at_least=True
            )
        ],
    )
