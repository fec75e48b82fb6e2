"""Files as they should not be give errors in words, in bounded time and memory, and read nothing else; files are
written whole or not at all; caches and folders may be missing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.fuzz.files import HOSTILE_TOML, HOSTILE_URDF, URDF, write
from tests.fuzz.run import fuzz

import manikin as mk

REPOSITORY = Path(__file__).resolve().parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY / "src"), str(REPOSITORY)])}
# Reads every hostile file with no more memory than this; says what came of each.
MEMORY = 3 << 30
HOSTILE = """
import json, pathlib, resource, sys, time
from tests.fuzz import files, run
from manikin.errors import ManikinError
import manikin, lxml.etree
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
kind, folder = sys.argv[1], pathlib.Path(sys.argv[2])
for name, make in (files.HOSTILE_URDF if kind == "urdf" else files.HOSTILE_TOML).items():
    path = files.write(folder, f"hostile.{{kind}}", make())
    begin = time.process_time()
    try:
        run.read(kind, path)
        said = "read"
    except ManikinError as error:
        said = f"{{type(error).__name__}}: {{str(error)[:200]}}"
    except BaseException as error:
        said = f"!{{type(error).__name__}}: {{str(error)[:200]}}"
    print(json.dumps([name, said, time.process_time() - begin]), flush=True)
"""


@pytest.mark.parametrize("kind", ["urdf", "toml"])
def test_mutated_files_give_nothing_but_errors_in_words(kind, tmp_path):
    assert fuzz(kind, 0, {"urdf": 600, "toml": 120}[kind], tmp_path)["findings"] == []


@pytest.mark.long
@pytest.mark.parametrize("kind", ["urdf", "toml"])
def test_many_mutated_files_give_nothing_but_errors_in_words(kind, tmp_path):
    assert fuzz(kind, 1_000_000, {"urdf": 100_000, "toml": 10_000}[kind], tmp_path)["findings"] == []


@pytest.mark.parametrize("kind", ["urdf", "toml"])
def test_files_made_to_hurt_are_refused_or_read_without_harm(kind, tmp_path):
    """Entity bombs, deep nesting, great size: in a child with 3 GB of memory and not much of the processor."""
    child = subprocess.run(
        [sys.executable, "-c", HOSTILE.format(memory=MEMORY), kind, str(tmp_path)],
        env=ENVIRONMENT,
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    told = [json.loads(line) for line in child.stdout.splitlines()]
    assert child.returncode == 0, child.stderr[-2000:]
    assert [name for name, _, _ in told] == list(HOSTILE_URDF if kind == "urdf" else HOSTILE_TOML)
    for name, said, seconds in told:
        assert not said.startswith("!"), (name, said)
        assert "root:" not in said, name  # nothing of /etc/passwd
        assert seconds < 60.0, (name, seconds)


@pytest.mark.parametrize(
    "mesh",
    [
        "../secret.stl",
        "meshes/../../secret.stl",
        "{secret}",
        "file://{secret}",
        "package://../secret.stl",
        "package:///secret.stl",
        "package://lamps/../secret.stl",
        "model://lamps/../../secret.stl",
        "link.stl",
    ],
)
def test_a_mesh_path_that_climbs_out_finds_nothing(mesh, tmp_path):
    secret = write(tmp_path, "secret.stl", b"solid")
    folder = tmp_path / "robot" / "urdf"
    (tmp_path / "robot" / "lamps").mkdir(parents=True)
    folder.mkdir()
    (folder / "link.stl").symlink_to(secret)
    named = mesh.format(secret=secret)
    path = write(folder, "lamp.urdf", URDF.replace("package://lamps/meshes/arm.stl", named).encode())
    figure = mk.load(path, packages={"lamps": tmp_path / "robot" / "lamps"})
    found = figure.segments["arm"].shapes[1].mesh
    assert found is not None and ("://" in found or not Path(found).exists())
    with pytest.raises(mk.errors.ManikinError, match="mesh"):
        figure.clearance_pairs()


def test_a_mesh_beside_the_file_and_in_the_packages_given_is_found(tmp_path):
    folder, package = tmp_path / "robot", tmp_path / "elsewhere"
    (folder / "meshes").mkdir(parents=True)
    package.mkdir()
    inside, outside = write(folder / "meshes", "a.stl", b""), write(package, "a.stl", b"")
    for written, found in (
        ("meshes/a.stl", inside),
        ("../elsewhere/a.stl", outside),
        (str(outside), outside),
    ):
        path = write(folder, "lamp.urdf", URDF.replace("package://lamps/meshes/arm.stl", written).encode())
        mesh = mk.load(path, packages={"any": package}).segments["arm"].shapes[1].mesh
        assert mesh is not None and Path(mesh).resolve() == found.resolve()


def test_a_killed_writer_leaves_the_old_file_or_the_new_one_whole(tmp_path):
    code = """
import sys
from manikin.files import whole_file
for k in range(1_000_000):
    with whole_file(sys.argv[1]) as beside, open(beside, "w") as file:
        for _ in range(200):
            file.write(str(k % 10) * 1000)
    print(k, flush=True)
"""
    target = tmp_path / "pose.json"
    for _ in range(4):
        child = subprocess.Popen(
            [sys.executable, "-c", code, str(target)], env=ENVIRONMENT, stdout=subprocess.PIPE
        )
        assert child.stdout is not None
        for _ in range(3):
            child.stdout.readline()
        time.sleep(0.003)
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        text = target.read_text()
        assert len(text) == 200_000 and len(set(text)) == 1


def test_a_pose_is_found_without_a_home_or_a_cache_to_write_to():
    code = "import manikin as mk; print(mk.human(fingers=False).pose().position('head')[2] > 1.0)"
    bare = {key: value for key, value in ENVIRONMENT.items() if key in ("PATH", "PYTHONPATH")}
    bare["NUMBA_CACHE_DIR"] = "/dev/null/nowhere"
    run = subprocess.run([sys.executable, "-c", code], env=bare, capture_output=True, text=True)
    assert run.stdout.strip() == "True", run.stderr[-2000:]


@pytest.mark.long
def test_two_processes_that_compile_at_once_into_one_cache_both_answer(tmp_path):
    code = "import manikin as mk; print(mk.human(fingers=False).pose().position('head').tolist())"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            env={**ENVIRONMENT, "NUMBA_CACHE_DIR": str(tmp_path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [child.communicate()[0] for child in both]
    assert said[0] == said[1] and said[0].startswith("[")
