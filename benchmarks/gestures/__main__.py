"""The gestures in Chromium, with a page of pictures: `python -m benchmarks.gestures --out FOLDER`."""

from __future__ import annotations

import argparse
import html
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.gestures import figures
from benchmarks.gestures.in_browser import HIGH, WIDE, Hand
from benchmarks.gestures.table import GESTURES
from benchmarks.studio import FLAGS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the page and its pictures")
    parser.add_argument("--characters", type=Path, nargs=3, help="three files of glTF or VRM")
    parser.add_argument("--only", default="", help="part of the titles of those that are made")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MANIKIN_STATE"] = folder
        from playwright.sync_api import sync_playwright

        from manikin.studio import open_studio

        found = given.characters or figures.characters(Path(folder))
        paths = {"human": None, "robot": figures.robot()}
        paths.update({f"character {k}": path for k, path in enumerate(found, start=1)})
        documents = {who: figures.document(path) for who, path in paths.items()}
        studio = open_studio(port=0, browser=False, folder=folder, shadows=False)
        rows, good, count = [], 0, 0
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            page = browser.new_context(viewport={"width": WIDE, "height": HIGH}).new_page()
            errors: list[str] = []
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.goto(f"{studio.url}?fixedDpr=1")
            page.get_by_role("button", name="Start").click(timeout=120_000)
            page.wait_for_timeout(2000)
            hand = Hand(studio, page)
            studio.worker.latencies.clear()
            for number, gesture in enumerate(GESTURES, start=1):
                if given.only not in f"{number:02d} {gesture.title}":
                    continue
                picture = given.out / f"{number:02d}.jpg"
                seen, more = hand.make(gesture, documents[gesture.who], picture)
                answers = [*gesture.check(seen), *more, (f"{len(seen.way)} events", True)]
                met = all(answer for _, answer in answers)
                good, count = good + met, count + 1
                print(f"{number:2d} {'yes' if met else 'NO '} {gesture.title}", flush=True)
                for words, answer in answers:
                    if not answer:
                        print(f"       not: {words}", flush=True)
                rows.append(_row(number, gesture.title, gesture.expect, picture.name, answers, met))
            browser.close()
        times, busy = 1e3 * np.array(studio.worker.latencies).T
        median, most = np.percentile(times, (50, 95))
        own, own_most = np.percentile(busy, (50, 95))
        said = (
            f"{good} of {count} as expected. Event to pose: median {median:.1f} ms, 95 % {most:.1f} ms; of processor "
            f"time {own:.1f} and {own_most:.1f} ms ({len(times)} events, load {os.getloadavg()[0]:.1f} on "
            f"{os.cpu_count()} processors). Errors of the page: {len(errors)}."
        )
        print(said, *errors, sep="\n")
        (given.out / "index.html").write_text(
            f"<meta charset=utf-8><title>Gestures</title><h1>Gestures</h1><p>{said}</p>{''.join(rows)}",
            encoding="utf-8",
        )
        studio.close()
    return 0 if good == count else 1


def _row(number: int, title: str, expect: str, picture: str, answers: list, met: bool) -> str:
    listed = "".join(
        f"<li>{'' if ok else '<b>not as expected:</b> '}{html.escape(words)}</li>" for words, ok in answers
    )
    return (
        f"<h2>{number}. {html.escape(title)} {'✓' if met else '✗'}</h2><p>Expected: {html.escape(expect)}</p>"
        f'<img src="{picture}" width="900"><ul>{listed}</ul>'
    )


if __name__ == "__main__":
    raise SystemExit(main())
