"""The prototypes that came before Manikin, in Numba and in C++: its yardsticks.

They are looked for in ``MANIKIN_SPIKES``, or in ``shared/spikes`` beside the checkout. The C++ one is built into
a temporary folder. What is missing is left out, and `Prototypes.reasons` says why.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.figures import Body

_NAMES = {"arm7": "arm7", "tree16": "tree16", "torso31": "fig31", "human120": "fig120"}
_FLAGS = ["-march=x86-64-v3", "-ffast-math"]


@dataclass
class Prototypes:
    """The modules that could be had, None for the others, and the reasons."""

    figures: ModuleType | None = None
    compiled: ModuleType | None = None
    native: ModuleType | None = None
    reasons: list[str] = field(default_factory=list)

    def twin(self, body: Body) -> Any | None:
        """The prototype's figure of the same shape."""
        if self.figures is None:
            return None
        if body.name.startswith("chain"):
            return self.figures.chain(body.n)
        return getattr(self.figures, _NAMES[body.name])()

    def native_solver(self, twin: Any | None) -> Any | None:
        """The C++ solver of a twin."""
        if self.native is None or twin is None:
            return None
        return self.native.Solver(twin.parent, twin.X, twin.lo, twin.hi, twin.gi, twin.gs, twin.m)


def folder() -> Path:
    """Where the prototypes should be."""
    given = os.environ.get("MANIKIN_SPIKES")
    return Path(given) if given else Path(__file__).parents[2] / "shared" / "spikes"


def twin_targets(body: Body, targets: np.ndarray) -> np.ndarray:
    """Target frames as the prototypes take them: position and two axes, the first one a plane's normal."""
    rows = []
    for wish, target in zip(body.wishes, targets, strict=True):
        first = target[:3, 2] if wish.kind == "plane" else target[:3, 0]
        rows.append(np.concatenate([target[:3, 3], first, target[:3, 1]]))
    return np.array(rows)


def worst_difference(body: Body, twin: Any, figures: ModuleType) -> float:
    """The largest difference of a site's position between our forward kinematics and the prototype's."""
    rng = np.random.default_rng(0)
    worst = 0.0
    for _ in range(5):
        q = rng.uniform(body.figure.lower, body.figure.upper)
        worst = max(worst, np.abs(body.frames(q)[:, :3, 3] - figures.targets(twin, q)[:, :3]).max())
    return float(worst)


@contextmanager
def _importing_from(path: Path):
    """Import from this folder, leaving no files in it."""
    kept = sys.dont_write_bytecode
    sys.path.insert(0, str(path))
    sys.dont_write_bytecode = True
    os.environ["IK_CACHE"] = "0"
    try:
        yield
    finally:
        sys.path.remove(str(path))
        sys.dont_write_bytecode = kept


@cache
def prototype_figures() -> Prototypes:
    """The figures only: nothing is compiled."""
    where = folder()
    if not (where / "figs.py").is_file():
        return Prototypes(
            reasons=["The prototypes are not beside this checkout (set MANIKIN_SPIKES): left out."]
        )
    with _importing_from(where):
        return Prototypes(figures=importlib.import_module("figs"))


@cache
def prototypes() -> Prototypes:
    """Everything that can be had here."""
    found = Prototypes(prototype_figures().figures, reasons=list(prototype_figures().reasons))
    if found.figures is None:
        return found
    with _importing_from(folder()):
        found.compiled = importlib.import_module("ikn")
    try:
        found.native = _built()
    except RuntimeError as error:
        found.reasons.append(f"The C++ prototype is left out: {error}.")
    return found


def _built() -> ModuleType:
    """Build the C++ prototype and import it."""
    if shutil.which("g++") is None:
        raise RuntimeError("there is no g++")
    try:
        import nanobind
    except ImportError:
        raise RuntimeError("nanobind is not installed") from None
    include = Path(nanobind.include_dir())
    includes = [include, include.parent / "ext/robin_map/include", Path(sysconfig.get_path("include"))]
    common = ["-fPIC", "-std=c++17", "-fvisibility=hidden", "-DNDEBUG", *(f"-I{path}" for path in includes)]
    out = Path(tempfile.mkdtemp(prefix="manikin-benchmarks-"))
    core, module = out / "core.o", out / "ikc.so"
    source = Path(nanobind.source_dir()) / "nb_combined.cpp"
    _compile(["g++", "-O2", *common, "-c", str(source), "-o", str(core)])
    options = [*_FLAGS, "-shared", "-fno-strict-aliasing", "-DMODNAME=ikc", "-fopenmp"]
    _compile(["g++", "-O3", *options, *common, str(folder() / "cpp/mod.cpp"), str(core), "-o", str(module)])
    try:
        with _importing_from(out):
            return importlib.import_module("ikc")
    except ImportError as error:
        raise RuntimeError(f"it does not load ({error})") from None
    finally:
        shutil.rmtree(out, ignore_errors=True)


def _compile(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        first = next((line for line in done.stderr.splitlines() if "error" in line), "no message")
        raise RuntimeError(f"it does not compile ({first})")
