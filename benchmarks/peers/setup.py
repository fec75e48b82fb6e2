"""Set the peers up, each in an environment of its own: ``python -m benchmarks.peers.setup [names] [--again]``.

Environments lie in ``.peers/<name>`` at the root of the checkout. What is set up already is left as it is; a run that
was interrupted takes up where it stopped; what cannot be installed leaves its reason in ``.peers/<name>.failed``, which
the benchmark's table quotes, and is tried again by the next run.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / ".peers"

#: What pip installs for each peer; the first is the one whose version is reported.
PACKAGES: dict[str, tuple[str, ...]] = {
    "roboticstoolbox": ("roboticstoolbox-python",),
    "pytracik": ("pytracik",),
    "placo": ("placo",),
    "pink": ("pin-pink", "qpsolvers[daqp,proxqp]"),
    "mink": ("mink", "mujoco", "qpsolvers[daqp]"),
    "drake": ("drake",),
    "eaik": ("EAIK",),
    "ssik": ("ssik[urdf]",),
    "opensim": ("opensim",),
}
#: Those that solve for arms and bodies; OpenSim follows markers (`benchmarks.captures`).
POSING = tuple(name for name in PACKAGES if name != "opensim")


def python_of(name: str) -> Path:
    """The interpreter of a peer's environment."""
    return ROOT / name / "bin" / "python"


def _stamp(name: str) -> Path:
    return ROOT / name / "installed.json"


def _failure(name: str) -> Path:
    return ROOT / f"{name}.failed"


def versions(name: str) -> dict[str, str] | None:
    """The versions of everything in a peer's environment; None when it is not set up."""
    stamp = _stamp(name)
    if not stamp.is_file():
        return None
    stored = json.loads(stamp.read_text(encoding="utf-8"))
    # Another list of packages than this file's: an environment of an earlier checkout.
    return stored["versions"] if stored["packages"] == list(PACKAGES[name]) else None


def version(name: str) -> str | None:
    """The version of the peer itself; None when it is not set up."""
    found = versions(name)
    first = PACKAGES[name][0].partition("[")[0]
    return None if found is None else found.get(_normal(first), "?")


def reason(name: str) -> str:
    """Why a peer is not set up, in one line."""
    failed = _failure(name)
    if failed.is_file():
        return failed.read_text(encoding="utf-8").strip()
    return "not set up: python -m benchmarks.peers.setup"


def _normal(package: str) -> str:
    return package.lower().replace("_", "-")


def _pip(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(python_of(name)), "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["pip said nothing"])[-1]


def install(name: str) -> str | None:
    """Make one environment; None, or why it could not be made."""
    _failure(name).unlink(missing_ok=True)
    if not python_of(name).is_file():
        shutil.rmtree(ROOT / name, ignore_errors=True)
        venv.create(ROOT / name, with_pip=True)
    done = _pip(name, "install", "--quiet", "--only-binary=:all:", *PACKAGES[name])
    if done.returncode:
        # Some have no wheel for this Python or platform; building from source is worth one try.
        done = _pip(name, "install", "--quiet", *PACKAGES[name])
    if done.returncode:
        why = f"pip could not install it: {_last_line(done.stderr or done.stdout)}"
        _failure(name).write_text(why + "\n", encoding="utf-8")
        return why
    listed = json.loads(_pip(name, "list", "--format=json").stdout)
    found = {_normal(entry["name"]): entry["version"] for entry in listed}
    stamp = {"packages": list(PACKAGES[name]), "versions": found}
    _stamp(name).write_text(json.dumps(stamp, indent=1), encoding="utf-8")
    return None


def main(arguments: list[str] | None = None) -> int:
    """Set up those named, or all; 1 when one could not be."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.setup", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"which ones: {', '.join(PACKAGES)}")
    parser.add_argument("--again", action="store_true", help="install anew even what is set up")
    chosen = parser.parse_args(arguments)
    if unknown := [name for name in chosen.names if name not in PACKAGES]:
        parser.error(f"unknown: {', '.join(unknown)}; expected one of: {', '.join(PACKAGES)}")
    ROOT.mkdir(exist_ok=True)
    names, failed = chosen.names or list(PACKAGES), False
    for number, name in enumerate(names, 1):
        print(f"[{number}/{len(names)}] {name}: ", end="", flush=True)
        if chosen.again:
            shutil.rmtree(ROOT / name, ignore_errors=True)
        if version(name) is not None:
            print(f"{version(name)}, set up already")
            continue
        why = install(name)
        failed |= why is not None
        print(why or version(name), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
