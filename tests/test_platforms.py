"""Nothing at import asks for what macOS or Windows have not, whatever is called later."""

from __future__ import annotations

import subprocess
import sys

import pytest

ABSENT = {
    "darwin": ((), ("sched_getaffinity", "sched_setaffinity")),
    "win32": (
        ("fcntl", "grp", "pwd", "resource", "termios", "tty", "pty"),
        ("sched_getaffinity", "sched_setaffinity", "uname", "fork", "getuid", "geteuid", "killpg", "getpgid"),
    ),
}
CHILD = """
import importlib, os, pkgutil, signal, sys
import lxml.etree, numpy, rich.console, rich.progress, scipy.optimize, scipy.spatial.transform, typer
import asyncio, concurrent.futures.process, ctypes, multiprocessing, subprocess, tempfile
import manikin
modules, functions = {absent!r}
sys.platform = {platform!r}
for name in modules:
    sys.modules[name] = None
for name in functions:
    if hasattr(os, name):
        delattr(os, name)
if sys.platform == "win32":
    for name in ("SIGKILL", "SIGHUP", "SIGUSR1", "SIGALRM", "setitimer", "alarm"):
        delattr(signal, name)
own = ("figure", "goals", "plan", "engines", "result", "problem", "motion", "markers", "retargeting", "closed_form",
       "papers", "formats", "verify", "residuals", "cli", "reach", "toolchain.build", "toolchain.demand",
       "toolchain.link", "toolchain.check", "kernels.jit", "kernels.calls")
for name in own:
    module = importlib.import_module("manikin." + name)
    for entry in pkgutil.walk_packages(getattr(module, "__path__", ()), module.__name__ + "."):
        try:
            importlib.import_module(entry.name)
        except manikin.MissingExtraError:
            pass
print("imported")
"""


@pytest.mark.parametrize("platform", ABSENT)
def test_the_package_is_imported_where_the_system_is_another(platform):
    code = CHILD.format(absent=ABSENT[platform], platform=platform)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "imported", done.stderr
