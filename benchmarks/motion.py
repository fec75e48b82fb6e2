"""Motion: a tool along paths beside other programs, recordings on other figures, clips smoothed as a whole."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import numpy as np

import manikin as mk
from benchmarks import panda_path, recordings
from benchmarks.peers.robots import ROBOTS, published
from benchmarks.tables import Requirement, Section, Table
from manikin.markers import marker_set
from manikin.motion.refine import jerk_of
from manikin.retargeting.contacts import spans

PATHS = ("path", "program", "samples a CPU second", "worst miss, mm", "of its speed", "of its acceleration")
CLIPS = (
    "clip",
    "to",
    "frames",
    "frames a CPU second",
    "standing feet slide, mm",
    "hands in contact off, mm",
    "fastest joint, rad/s",
    "of its speed",
    "beyond ranges, rad",
)
SMOOTHED = ("clip", "allowed, %", "jerk, of before", "misses, of before", "misses of the truth, of before")
ROUNDS = 3


def run(quick: bool) -> Section:
    """All of it; recordings only where the shared data is."""
    tables, needs = [], []
    for part in (_paths, _retargeted, _smoothed):
        table, required = part(quick)
        tables.append(table)
        needs += required
    about = (
        "Processor time, one core. PlaCo and Pink solve one quadratic program a sample, with limits on speed, Pink's "
        "also on acceleration; shares of speed and acceleration are the greatest of any joint."
    )
    return Section("motion", about, tables, needs)


def _paths(quick: bool) -> tuple[Table, list[Requirement]]:
    table = Table("A Panda's tool at 1 kHz, placement held", PATHS)
    rows = panda_path.rows_of(quick)
    for (path, program), row in rows.items():
        table.add(
            path, program, *(row[key] for key in ("samples_per_second", "worst_mm", "speed", "acceleration"))
        )
    ours = [row for (_, program), row in rows.items() if program == "Manikin, track"]
    slowest = None if quick else min(row["samples_per_second"] for row in ours)
    return table, [
        Requirement("paths: worst miss, mm", max(row["worst_mm"] for row in ours), 0.1),
        Requirement("paths: greatest share of a speed limit", max(row["speed"] for row in ours), 1.0),
        Requirement(
            "paths: greatest share of an acceleration limit", max(row["acceleration"] for row in ours), 1.0
        ),
        Requirement("paths: samples a second", slowest, 200_000.0, at_least=True),
    ]


def _retargeted(quick: bool) -> tuple[Table, list[Requirement]]:
    table = Table("Recorded people on other figures", CLIPS)
    figures: dict[str, tuple[mk.Figure, dict[str, float]]] = {
        "human, 20 % smaller": (mk.human(stature=0.8 * 1.756), {})
    }
    if published(ROBOTS["g1"]).is_file():
        figures["Unitree G1"] = mk.load(published(ROBOTS["g1"]), base="free"), {"sole": 0.03}
    rates, slides, beyond, hands, hurries = [], [], [], [0.0], []
    for name, source in recordings.clips(quick).items():
        for target, (figure, options) in figures.items():
            motion, seconds = _least(
                lambda s=source, f=figure, o=options: mk.retarget(s, f, **o), 1 if quick else ROUNDS
            )
            slide = max(_slide(motion, role) for role in ("left_ankle", "right_ankle"))
            out = float(np.maximum(figure.lower - motion.q, motion.q - figure.upper).max())
            touches = [1e3 * float(missed.max()) for missed in motion.touch_misses(source).values()]
            fastest = float((np.abs(np.diff(motion.q[:, 6:], axis=0)) / np.diff(source.times)[:, None]).max())
            row = (1e3 * slide, max(touches) if touches else "none", fastest, motion.hurry, max(out, 0.0))
            table.add(name, target, len(source), len(source) / seconds, *row)
            hands += touches
            hurries.append(motion.hurry)
            rates.append(len(source) / seconds)
            slides.append(1e3 * slide)
            beyond.append(out)
    if not rates:
        return table, []
    return table, [
        Requirement(
            "retargeted: frames a second, the slowest", None if quick else min(rates), 500.0, at_least=True
        ),
        Requirement("retargeted: standing feet slide, mm", max(slides), 1.0),
        Requirement("retargeted: hands in contact off, mm", max(hands), 1.0),
        Requirement("retargeted: greatest share of a speed limit", max(hurries), 1.0),
        Requirement("retargeted: beyond ranges, rad", max(beyond), 1e-12),
    ]


def _slide(motion: mk.Motion, role: str) -> float:
    at = motion.forward(motion.roles[role])[:, 0, :3, 3]  # type: ignore[attr-defined]
    found = [at[low:high] for low, high in spans(motion.contacts[role])]  # type: ignore[attr-defined]
    return max((float(np.linalg.norm(part - part[0], axis=1).max()) for part in found), default=0.0)


def _smoothed(quick: bool) -> tuple[Table, list[Requirement]]:
    table = Table("Noisy clips (5 mm) refined as a whole", SMOOTHED)
    arm, times = _marked_arm(), np.arange(0.0, 1.5, 1 / 60)
    keys = [arm.pose([0.3] * 4), arm.pose([0.6, -0.4, 0.9, 0.1]), arm.pose([0.1] * 4)]
    truth = mk.interpolate(keys, [0.0, 0.7, 1.5]).values(times)
    halves = _refined(
        table, "arm, 4 coordinates, 48 numbers a frame", arm, list(arm.sites)[-24:], times, truth, 0.01
    )
    if not quick:
        body, times = mk.human(fingers=False, spine="bend"), np.arange(0.0, 2.0, 1 / 60)
        bent = {"right_shoulder_flexion": 1.2, "right_elbow": 1.0, "left_knee": 0.6, "left_hip_flexion": 0.5}
        keys = [body.pose(), body.pose(bent | {"spine_flexion": 0.3}), body.pose()]
        truth = mk.interpolate(keys, [0.0, 1.0, 2.0]).values(times)
        parts = ("shoulder", "elbow", "wrist", "hand", "hip", "knee", "ankle", "foot")
        sites = ["head", "pelvis", *(f"{side}_{part}" for side in ("left", "right") for part in parts)]
        known = [site for site in sites if site in body.sites]
        name = f"human, {body.n} coordinates, {3 * len(known)} numbers a frame"
        _refined(table, name, body, known, times, truth, 0.05)
        for label, marker in marker_set(body, "plug_in_gait").items():
            body = body.with_site(f"marker_{label}", marker.segment, marker.position)
        known = [site for site in body.sites if site.startswith("marker_")]
        name = f"human, {body.n} coordinates, {3 * len(known)} numbers a frame (Plug-in Gait)"
        halves = max(halves, _refined(table, name, body, known, times, truth, 0.01))
    return table, [Requirement("refined: jerk at misses within 1 %, of before", halves, 0.5)]


def _refined(
    table: Table,
    name: str,
    figure: mk.Figure,
    sites: list[str],
    times: np.ndarray,
    truth: np.ndarray,
    allow: float,
) -> float:
    marks = figure.forward(truth, sites)[:, :, :3, 3]
    flat = np.ptp(marks[:, :, 2]) < 1e-9
    noise = np.random.default_rng(5).normal(0.0, 0.005, marks.shape) * ([1, 1, 0] if flat else 1.0)
    goals = [
        mk.Along(mk.Position(site, marks[0, k]), marks[:, k] + noise[:, k]) for k, site in enumerate(sites)
    ]
    raw = mk.track(figure.pose(truth[0]), goals, times, velocity=False)
    smooth = mk.refined(raw, goals, allow=allow)

    def misses(motion: mk.Motion, points: np.ndarray) -> float:
        return float(np.sqrt(np.mean((motion.forward(sites)[:, :, :3, 3] - points) ** 2)))

    jerk = jerk_of(times, smooth.q) / jerk_of(times, raw.q)
    seen = misses(smooth, marks + noise) / misses(raw, marks + noise)
    table.add(name, 100.0 * allow, jerk, seen, misses(smooth, marks) / misses(raw, marks))
    return jerk if seen <= 1.0 + allow else np.inf


def _marked_arm() -> mk.Figure:
    names = [f"link{k}" for k in range(5)]
    joints = [
        mk.Joint.revolute(
            f"j{k}", names[k], names[k + 1], placement=(0.3 if k else 0, 0, 0), lower=-2.6, upper=2.6
        )
        for k in range(4)
    ]
    sites = [
        mk.Site(f"marker{k}_{i}", names[k + 1], (0.05 + 0.05 * i, 0.03 * (-1) ** i, 0))
        for k in range(4)
        for i in range(6)
    ]
    return mk.Figure("marked", names, joints, sites)


def _least(work: Callable[[], mk.Motion], rounds: int) -> tuple[mk.Motion, float]:
    """What it gives, and the least time of several; before them once, for what is loaded or kept at first."""
    found, least = work(), np.inf
    for _ in range(rounds):
        begin = process_time()
        found = work()
        least = min(least, process_time() - begin)
    return found, least
