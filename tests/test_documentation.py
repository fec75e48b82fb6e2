"""What is public is documented, the commands have help, and the files are fit to be published."""

from __future__ import annotations

import importlib
import inspect
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
import typer
from tests.wrong import parameters

import manikin as mk

ROOT = Path(__file__).parent.parent
MODULES = (
    "manikin",
    "manikin.errors",
    "manikin.figure",
    "manikin.figure.human",
    "manikin.formats",
    "manikin.formats.contents",
    "manikin.formats.skin",
    "manikin.formats.opensim",
    "manikin.formats.opensim.scale",
    "manikin.formats.opensim.setup",
    "manikin.formats.opensim.storage",
    "manikin.formats.scene",
    "manikin.formats.bvh",
    "manikin.formats.gltf",
    "manikin.formats.mjcf",
    "manikin.formats.npz",
    "manikin.formats.peabody",
    "manikin.formats.urdf",
    "manikin.goals",
    "manikin.markers",
    "manikin.markers.files",
    "manikin.markers.files.storage",
    "manikin.notebook",
    "manikin.pictures",
    "manikin.problem",
    "manikin.result",
    "manikin.studio",
)
# Spelled in halves, so that this file does not hold what it looks for.
HOSTS = (
    "py" + "pi.org",
    "python" + "hosted.org",
    "conda" + ".anaconda",
    "npm" + "js.org",
    "artifact" + "ory",
)
WORDS = ("TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK")
FOLDERS_LEFT_OUT = {".git", ".venv", "__pycache__", "build", "dist", "manikin-demo", "node_modules"}


def public_names(module: ModuleType) -> list[str]:
    """What ``__all__`` says, or else what the module itself defines without an underscore."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]


def documented_things() -> dict[str, Any]:
    """Public functions and classes, and the public methods and properties of those classes, by their full name."""
    found: dict[str, Any] = {}
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        for name in public_names(module):
            value = getattr(module, name)
            if not inspect.isclass(value) and not isinstance(value, FunctionType):
                continue
            full = f"{value.__module__}.{value.__qualname__}"
            found[full] = value
            if inspect.isclass(value):
                found |= {f"{full}.{key}": member for key, member in members(value)}
    return found


def members(owner: type) -> list[tuple[str, Any]]:
    """The public methods and properties that a class itself defines; a slot has no place for a docstring."""
    kinds = (FunctionType, property, classmethod, staticmethod)
    return [
        (name, member)
        for name, member in vars(owner).items()
        if not name.startswith("_") and (isinstance(member, kinds) or hasattr(member, "func"))
    ]


THINGS = documented_things()


def test_the_walk_finds_what_is_public():
    assert "manikin.problem.solve.solve" in THINGS
    assert "manikin.figure.pose.Pose.matrix" in THINGS
    assert "manikin.result.solution.Solution.active_constraints" in THINGS
    assert "manikin.figure.joint.Joint.revolute" in THINGS
    assert len(THINGS) > 100


@pytest.mark.parametrize("name", THINGS)
def test_everything_public_says_what_it_is(name):
    thing = THINGS[name]
    given = thing.__doc__ or ""
    if inspect.isclass(thing):  # a dataclass without a docstring gets its signature for one
        assert not given.startswith(f"{thing.__name__}("), f"{name} has only its signature for a docstring"
    assert len(given.split()) >= 2, f"{name} has no docstring"


@pytest.mark.parametrize("module", MODULES)
def test_every_public_module_says_what_it_is(module):
    assert (importlib.import_module(module).__doc__ or "").strip()


@pytest.mark.parametrize("name", ["solve", "human", "load", "Problem", "Figure"])
def test_the_docstring_of_a_main_entry_names_its_arguments(name):
    thing = getattr(mk, name)
    callable_ = thing.__init__ if inspect.isclass(thing) else thing
    arguments = set(parameters(callable_)) - {"self", "name", "path"}
    missing = [argument for argument in arguments if not re.search(rf"\b{argument}\b", thing.__doc__)]
    assert missing == []


def test_every_command_and_every_option_has_help():
    from manikin.cli.main import app

    commands = typer.main.get_command(app).commands
    assert {"convert", "demo", "info", "solve", "warmup"} <= set(commands)
    assert {"demo", "info", "markers", "solve", "warmup"} <= set(commands)
    assert {"demo", "info", "solve", "studio", "warmup"} <= set(commands)
    silent = []
    for name, command in commands.items():
        if not (command.help or "").strip():
            silent.append(name)
        silent += [f"{name} {p.name}" for p in command.params if not (getattr(p, "help", None) or "").strip()]
    assert silent == []


def test_the_version_is_stated_once_and_the_changelog_is_kept_by_the_book():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", project["version"]) and "dynamic" not in project
    assert f"\nversion: {project['version']}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.match(r"\d+(\.\d+)+|0\+unknown", mk.__version__)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", changes, re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", heading) for heading in headings[1:])
    kinds = set(re.findall(r"^### (.*)$", changes, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_citation_and_the_security_policy_are_there():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for key in ("cff-version:", "title:", "authors:", "license: Apache-2.0"):
        assert re.search(rf"^{re.escape(key)}", citation, re.MULTILINE)
    assert "## Reporting" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_every_file_that_a_document_links_to_is_there():
    missing = []
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]:
        text = re.sub(
            r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
        )
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "/_pictures/" in target:  # drawn when the site is built
                continue
            if not re.match(r"[a-z]+:", target) and not (document.parent / target).exists():
                missing.append(f"{document.relative_to(ROOT)}: {target}")
    assert missing == []


def text_files() -> list[Path]:
    """The files that git keeps or would keep; without git, all but what is built."""
    if shutil.which("git") and (ROOT / ".git").exists():
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
        files = [ROOT / name for name in listed.split("\0") if name]
    else:
        files = [path for path in ROOT.rglob("*") if not FOLDERS_LEFT_OUT & set(path.parts)]
    return [path for path in files if path.is_file() and b"\0" not in path.read_bytes()[:8192]]


def test_no_file_names_a_package_registry_or_leaves_work_for_later():
    found = []
    words = re.compile(rf"\b({'|'.join(WORDS)})\b")
    hosts = re.compile("|".join(map(re.escape, HOSTS)), re.IGNORECASE)
    files = text_files()
    assert len(files) > 100
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for match in (words.search(line), hosts.search(line)):
                if match:
                    found.append(f"{path.relative_to(ROOT)}:{number}: {match.group()}")
    assert found == []
