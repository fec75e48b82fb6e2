"""Several browsers work on one studio for some minutes; it is killed now and then and started again: what is lost?

``python -m benchmarks.killed [--seconds 600] [--browsers 4] [--kills 2]``

Each browser in turn drags what is in the middle of its window, and adds a key frame. One counts as lost where it
was added more than `SPARE` seconds before a kill and is not there after it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.studio import FLAGS

# Of what is kept at most every two seconds, by a thread of its own.
SPARE = 3.0
PATIENCE = 120_000
WIDE, HIGH = 900, 560


def start(state: Path, folder: Path, port: int) -> tuple[subprocess.Popen[str], dict[str, Any]]:
    """A studio in a process of its own, and what it printed."""
    environment = {**os.environ, "MANIKIN_STATE": str(state), "PYTHONUNBUFFERED": "1"}
    code = "from manikin.cli.main import app; app()"
    command = [sys.executable, "-c", code, "studio", "--no-open", "--json", "--port", str(port)]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    text = ""
    assert process.stdout is not None
    for line in process.stdout:
        text += line
        if line.startswith("}"):
            break
    return process, json.loads(text)


def kept(path: Path) -> int:
    """How many key frames are in the file."""
    return path.read_text(encoding="utf-8").count("[[studio.key") if path.exists() else 0


def work(page: Any) -> None:
    """Drag what is in the middle, and back by half, and add a key frame."""
    x, y = WIDE / 2, HIGH / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 13):
        page.mouse.move(x, y + 4 * k if k < 9 else y + 32 - 4 * (k - 8))
        page.wait_for_timeout(20)
    page.mouse.up()
    page.keyboard.press("k")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--browsers", type=int, default=4)
    parser.add_argument("--kills", type=int, default=2)
    given = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        process, said = start(folder / "state", folder, 0)
        port, path = int(said["url"].rstrip("/").rsplit(":", 1)[1]), Path(said["autosave"])
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        pages, errors = [], []
        for _ in range(given.browsers):
            page = browser.new_context(viewport={"width": WIDE, "height": HIGH}).new_page()
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.goto(f"{said['url']}?fixedDpr=0.5")
            page.get_by_role("button", name="Start").click(timeout=PATIENCE)
            page.get_by_role("dialog").wait_for(state="hidden", timeout=PATIENCE)
            pages.append(page)
        begin, killed, lost, done, rounds = time.monotonic(), 0, 0, 0, [0] * len(pages)
        # Of key frames that were there, when: of each count the first time it was kept or shown.
        seen: list[tuple[float, int]] = []
        try:
            while (now := time.monotonic()) - begin < given.seconds:
                turn = done % len(pages)
                work(pages[turn])
                rounds[turn] += 1
                done += 1
                seen.append((time.monotonic(), kept(path)))
                if now - begin > given.seconds * (killed + 1) / (given.kills + 1) and killed < given.kills:
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                    at = time.monotonic()
                    old = max((count for when, count in seen if when < at - SPARE), default=0)
                    process, said = start(folder / "state", folder, port)
                    there = kept(path)
                    lost += max(0, old - there)
                    killed += 1
                    print(
                        f"killed after {at - begin:.0f} s: {old} key frames before, {there} after", flush=True
                    )
                    for page in pages:  # every page acts on the new studio
                        before, end = kept(path), time.monotonic() + 0.001 * PATIENCE
                        while kept(path) <= before and time.monotonic() < end:
                            page.keyboard.press("k")
                            page.wait_for_timeout(3000)
                        if kept(path) <= before:
                            print("a page did not come back", flush=True)
                            lost += 1
            time.sleep(SPARE)
            took = time.monotonic() - begin
            print(
                f"{len(pages)} browsers, {took:.0f} s, killed {killed} times: {done} drags and key frames "
                f"({', '.join(map(str, rounds))}), {kept(path)} key frames kept, {lost} lost; "
                f"errors of the pages: {len(errors)}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
            )
            for words in dict.fromkeys(errors):
                print(words)
        finally:
            process.kill()
            process.wait()
            browser.close()
    return 1 if lost else 0


if __name__ == "__main__":
    raise SystemExit(main())
