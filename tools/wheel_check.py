"""Try an installation in a fresh environment, without Numba and extras: `make wheel-check`, `make install-check`.

python tools/wheel_check.py WHAT [--python python3.12] [--json]

WHAT is whatever pip installs: a wheel, a source archive, a folder, or git+file:///….

Installs it, tells the size of everything it brought by package, runs the README's first snippet and the command, and
checks that the kernels came compiled. What is over the bounds is named, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

#: Megabytes that the package and all it needs may take.
MOST = 150
#: What a virtual environment has by itself.
OWN = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "wheel")


def main() -> int:
    """Set up, try, tell."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("what")
    arguments.add_argument("--python", default=sys.executable)
    arguments.add_argument("--readme", type=Path, default=Path(__file__).parents[1] / "README.md")
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="manikin-wheel-") as folder:
        report = tried(given.what, given.python, Path(folder), snippet(given.readme))
    print(json.dumps(report, indent=1) if given.json else told(report))
    return 1 if report["problems"] else 0


def snippet(readme: Path) -> str:
    """The first block of Python in the README."""
    text = readme.read_text(encoding="utf-8")
    return text.partition("```python\n")[2].partition("```")[0]


def tried(what: str, python: str, folder: Path, code: str) -> dict[str, object]:
    """Install it with the given interpreter and run it."""
    path = Path(what)
    given = str(path.resolve()) if path.exists() else what
    subprocess.run([python, "-m", "venv", folder / "env"], check=True)
    own = folder / "env" / "bin" / "python"
    pip = [own, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", given]
    subprocess.run(pip, check=True)
    site = Path(ran(own, "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    sizes = {entry.name: megabytes(entry) for entry in site.iterdir() if not entry.name.startswith(OWN)}
    problems = []
    if sum(sizes.values()) > MOST:
        problems.append(f"{sum(sizes.values()):.0f} MB installed, over {MOST}")
    said = ran(own, code, folder)
    if "True" not in said:
        problems.append(f"the README's first snippet printed {said!r}")
    warm = ran(own, "from manikin.cli.main import app; app(['warmup'])", folder)
    if "nothing to do" not in warm:
        problems.append(f"no compiled kernels fit this machine: {warm.strip()}")
    if ran(own, "import importlib.util as u; print(u.find_spec('numba'), u.find_spec('scipy'))").split() != [
        "None",
        "None",
    ]:
        problems.append("Numba or SciPy came with it")
    version = ran(own, "from manikin.cli.main import app; app(['--version'])", folder).strip()
    return {
        "what": path.name or what,
        "python": ran(own, "import platform; print(platform.python_version())").strip(),
        "version": version,
        "megabytes": round(sum(sizes.values()), 1),
        "packages": {
            name: round(size, 1) for name, size in sorted(sizes.items(), key=lambda e: -e[1]) if size >= 0.5
        },
        "problems": problems,
    }


def ran(python: Path, code: str, folder: Path | None = None) -> str:
    """What a child prints; its errors end in the report."""
    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, cwd=folder, check=False)
    return done.stdout if done.returncode == 0 else done.stdout + done.stderr


def megabytes(path: Path) -> float:
    """Of a file, or of all that is in a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files) / 1e6


def told(report: dict[str, object]) -> str:
    """The report in words."""
    packages = report["packages"]
    assert isinstance(packages, dict)
    lines = [
        f"{report['what']} on Python {report['python']}: {report['version']}, {report['megabytes']} MB installed"
    ]
    lines += [f"  {size:7.1f} MB  {name}" for name, size in packages.items()]
    problems = report["problems"]
    assert isinstance(problems, list)
    return "\n".join(
        [*lines, *(f"problem: {problem}" for problem in problems)] + ([] if problems else ["all is well"])
    )


if __name__ == "__main__":
    sys.exit(main())
