"""The studio under way: from a drag event to the moved figure on the server, memory, and pictures a second in browsers.

``python -m benchmarks.studio [--seconds 60] [--browsers 1] [--rate 60] [--no-shadows]``

A hand is dragged round and round, as a browser would: events come at the rate given, through the same queue. A browser
is the system's Chromium, without a GPU: its pictures are drawn by software (SwiftShader), on the same processors.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import tempfile
import time
from types import SimpleNamespace

import numpy as np

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Counts pictures that something was drawn in, draw calls and triangles.
COUNT = """(() => {
    const seen = window.seen = {pictures: 0, calls: 0, triangles: 0};
    let drawn = false;
    const own = WebGL2RenderingContext.prototype;
    for (const name of ['drawElements', 'drawArrays', 'drawElementsInstanced', 'drawArraysInstanced']) {
        const draw = own[name];
        own[name] = function (...given) {
            const count = name.startsWith('drawE') ? given[1] : given[2];
            const copies = name.endsWith('Instanced') ? given[given.length - 1] : 1;
            seen.calls++; seen.triangles += count * copies / 3; drawn = true;
            return draw.apply(this, given);
        };
    }
    const next = () => { if (drawn) seen.pictures++; drawn = false; requestAnimationFrame(next); };
    requestAnimationFrame(next);
})()"""


def resident() -> float:
    """Memory of this process, MB."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def event(phase: str, start: np.ndarray, end: np.ndarray) -> SimpleNamespace:
    return SimpleNamespace(
        phase=phase, client_id=1, client=None, start_position=tuple(start), end_position=tuple(end)
    )


def heap(page) -> float:
    """Memory of a page's own objects after a collection, MB."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    session.detach()
    return used


def drag(studio, seconds: float, rate: float) -> list[tuple[float, float]]:
    """Drag for so long; (second, MB) now and then."""
    hand = studio.session.document.pose.position("right_hand")
    grabbed = studio.picture._grabbed
    grabbed("right_hand", event("start", hand, hand))
    memory = []
    begin = time.perf_counter()
    k = 0
    while (t := time.perf_counter() - begin) < seconds:
        a = 2.0 * np.pi * t / 4.0
        at = hand + np.array([0.25 - 0.25 * np.cos(a), 0.15 * np.sin(a), 0.35 - 0.35 * np.cos(a)])
        grabbed("right_hand", event("update", hand, at))
        if k % round(rate) == 0:
            memory.append((t, resident()))
        k += 1
        time.sleep(max(0.0, k / rate - (time.perf_counter() - begin)))
    grabbed("right_hand", event("end", hand, at))
    studio.worker.drain()
    return memory


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--browsers", type=int, default=1)
    parser.add_argument("--rate", type=float, default=60.0)
    parser.add_argument("--size", type=int, nargs=2, default=(1280, 800))
    parser.add_argument("--dpr", default="", help="pixels drawn for each of the window's, across and down")
    parser.add_argument("--no-shadows", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        os.environ["MANIKIN_STATE"] = folder
        from manikin.studio import open_studio

        studio = open_studio(port=0, browser=False, folder=folder, shadows=not given.no_shadows)
        stack.callback(studio.close)
        pages = []
        if given.browsers:
            from playwright.sync_api import sync_playwright

            driver = stack.enter_context(sync_playwright())
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            stack.callback(browser.close)
            for _ in range(given.browsers):
                page = browser.new_page(viewport={"width": given.size[0], "height": given.size[1]})
                page.add_init_script(COUNT)
                page.goto(studio.url + (f"?fixedDpr={given.dpr}" if given.dpr else ""))
                page.get_by_role("button", name="Start").click(timeout=120_000)
                pages.append(page)
        drag(studio, 5.0, given.rate)
        studio.worker.latencies.clear()
        studio.worker.dropped = 0
        counted = [page.evaluate("({...window.seen})") for page in pages]
        heaps = [heap(page) for page in pages]
        begin = time.perf_counter()
        memory = drag(studio, given.seconds, given.rate)
        took = time.perf_counter() - begin
        shown = []
        for page, old in zip(pages, counted, strict=True):
            new = page.evaluate("({...window.seen})")
            of = {name: new[name] - old[name] for name in new}
            calls, triangles = (of[name] / max(of["pictures"], 1) for name in ("calls", "triangles"))
            shown.append(
                f"{of['pictures'] / took:.1f} ({calls:.0f} calls, {triangles / 1e3:.0f} k triangles)"
            )
        times, busy = 1e3 * np.array(studio.worker.latencies).T  # of the last 4096 events
        later = [(t, m) for t, m in memory if t > 0.25 * given.seconds]
        slope = np.polyfit(*np.array(later).T, 1)[0] * 60.0 if len(later) > 2 else float("nan")
        print(
            f"{len(times)} events in {took:.0f} s ({studio.worker.dropped} overtaken by later ones), "
            f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n"
            f"event to moved figure: median {np.median(times):.2f} ms, 95 % {np.percentile(times, 95):.2f} ms, "
            f"99 % {np.percentile(times, 99):.2f} ms, most {times.max():.1f} ms\n"
            f"of processor time: median {np.median(busy):.2f} ms, 95 % {np.percentile(busy, 95):.2f} ms, "
            f"99 % {np.percentile(busy, 99):.2f} ms\n"
            f"memory: {memory[0][1]:.0f} MB at first, {memory[-1][1]:.0f} MB at last, {slope:+.2f} MB a minute\n"
            f"pictures a second in {given.browsers} browsers of {given.size[0]} × {given.size[1]}: "
            f"{', '.join(shown) or 'none'}\n"
            f"pages' objects at first and at last, MB: "
            f"{', '.join(f'{old:.1f} {heap(page):.1f}' for page, old in zip(pages, heaps, strict=True)) or 'none'}\n"
            f"memory, second and MB: "
            f"{', '.join(f'{t:.0f} {m:.1f}' for t, m in memory[:: max(len(memory) // 20, 1)])}"
        )


if __name__ == "__main__":
    main()
