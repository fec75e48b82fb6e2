"""Mutated files: bytes changed, parts cut, doubled, moved and put in from elsewhere, numbers made extreme; and, of
XML and JSON, elements and values that are others, in a file that still parses.

``python tests/formats/fuzzing.py SUFFIX COUNT SEED FILES…`` reads that many mutations of the files and prints what
came of them; it runs apart from the tests so that its memory can be told.
"""

from __future__ import annotations

import copy
import io
import json
import random
import re
import resource
import shutil
import signal
import struct
import sys
import tempfile
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.opened import foreign, opened

from manikin.errors import ManikinError

NUMBER = re.compile(rb"-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
WORD = re.compile(rb"[A-Za-z_]{2,}")
STRANGE = (
    [
        b"nan",
        b"inf",
        b"-inf",
        b"1e400",
        b"-1e308",
        b"1e-320",
        b"0",
        b"-1",
        b"99999999999999999999",
        b"2147483648",
    ]
    + [
        b"4294967295",
        b"1e9",
        b"0x10",
        b"",
        b"null",
        b"true",
        b"[]",
        b"{}",
        b'""',
        b"'",
        b'"',
        b"<",
        b">",
        b"&x;",
    ]
    + [
        b"\0",
        b"\xff\xfe",
        "é".encode(),
        b"((((",
        b"}}}}",
        b"{{{{",
        b"[[[[",
        b"*" * 50,
        b";",
        b",",
        b"\r",
        b"1 " * 60,
    ]
)
#: Seconds of processor time after which a file counts as one that hangs; most take milliseconds.
HANGS = 20.0
MOST_MEMORY = 200 * 2**20


#: What stands in the place of some value of a JSON file, or some attribute of an XML file.
VALUES: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 2, 3, 7, 10**6, 2**31, 2**63, 10**400, -0.5, 1e-320, 1e30, 1e308),
    *(
        float("nan"),
        float("inf"),
        "",
        "nan",
        "1e999",
        "é",
        "0 0",
        "0 0 0",
        "1 2 3 4",
        "a" * 300,
        "MAT4",
        "SCALAR",
    ),
    *([], {}, [0], [1, 2], [0, 0, 0], [0, 0, 0, 0], [1e300] * 3, [None] * 4, [[]], {"node": 0}),
)


def mutated(data: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """One to six changes; half of the time inside the parts of an archive or a GLB, which is then whole around them,
    or of the values of a file that still parses."""
    if chance.random() < 0.5:
        if data.lstrip()[:1] in (b"<", b"{"):
            return _other_tree(data, chance)
        if data[:2] == b"PK":
            return _archive(data, chance)
        if data[:4] == b"glTF" and len(data) > 20:
            return _glb(data, chance)
    return _changed(data, others, chance)


def _archive(data: bytes, chance: random.Random) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(stream, "w") as target:
        names = source.namelist()
        chosen = chance.choice(names)
        for name in names:
            part = source.read(name)
            if name == chosen and name == "meta.npy":  # text of four bytes a letter, behind a header
                text = _changed(part[128:].decode("utf-32-le").encode(), [b"{}"], chance).decode("latin-1")
                part = io.BytesIO()
                np.save(part, np.array(text))
                part = part.getvalue()
            elif name == chosen:
                part = _changed(part, [part], chance)
            target.writestr(name, part)
    return stream.getvalue()


def _glb(data: bytes, chance: random.Random) -> bytes:
    size = struct.unpack_from("<I", data, 12)[0]
    text, rest = data[20 : 20 + size], data[20 + size :]
    text = _other_tree(text, chance) if chance.random() < 0.6 else _changed(text, [text], chance)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + rest
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def _other_tree(data: bytes, chance: random.Random) -> bytes:
    """A file of JSON or XML with one to four values or elements that are others."""
    changes = chance.choice((1, 1, 1, 2, 2, 4))
    if data.lstrip()[:1] == b"{":
        tree = json.loads(data)
        for _ in range(changes):
            _other_value(tree, chance)
        return json.dumps(tree).encode()
    root = ElementTree.fromstring(data)
    for _ in range(changes):
        _other_element(root, chance)
    return ElementTree.tostring(root)


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON tree: what holds it, and its key or index there."""
    found, left = [], [tree]
    while left:
        one = left.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one))
        for key in keys:
            found.append((one, key))
            if isinstance(one[key], dict | list):
                left.append(one[key])
    return found


def _other_value(tree: Any, chance: random.Random) -> None:
    places = _places(tree)
    if not places:
        return
    (holder, key), (other, at) = chance.choice(places), chance.choice(places)
    kind = chance.randrange(6)
    if kind == 0:
        del holder[key]
    elif kind == 1:
        holder[key] = copy.deepcopy(other[at])
    elif kind == 2 and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[key]))
    elif kind == 3 and isinstance(holder[key], int | float):
        holder[key] += chance.choice((-1, 1))
    else:
        holder[key] = copy.deepcopy(chance.choice(VALUES))


def _other_element(root: ElementTree.Element, chance: random.Random) -> None:
    elements = list(root.iter())
    one, other = chance.choice(elements), chance.choice(elements)
    kind = chance.randrange(6)
    if kind == 0 and one is not root:
        next(parent for parent in elements if one in list(parent)).remove(one)
    elif kind == 1:
        other.append(copy.deepcopy(one))
    elif kind == 2:
        one.tag = other.tag
    elif one.attrib:
        name = chance.choice(list(one.attrib))
        if kind == 3:
            del one.attrib[name]
        elif kind == 4 and other.attrib:
            one.set(name, chance.choice(list(other.attrib.values())))
        else:
            one.set(name, chance.choice([str(value) for value in VALUES]))


def _changed(data: bytes, others: list[bytes], chance: random.Random) -> bytes:
    for _ in range(chance.choice((1, 1, 1, 1, 1, 2, 2, 4))):
        data = chance.choice(CHANGES)(data, others, chance)
    return data


def _flip(data, others, chance):
    if not data:
        return data
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _cut(data, others, chance):
    begin = chance.randrange(len(data) + 1)
    size = chance.choice((1, 4, 30, 200, max(len(data) // 2, 1)))
    return data[:begin] + data[begin + size :]


def _end(data, others, chance):
    return data[: chance.randrange(len(data) + 1)]


def _double(data, others, chance):
    begin = chance.randrange(len(data) + 1)
    size = chance.choice((1, 8, 60, 400))
    return (
        data[: begin + size]
        + data[begin : begin + size] * chance.choice((1, 1, 2, 20))
        + data[begin + size :]
    )


def _move(data, others, chance):
    begin, size = chance.randrange(len(data) + 1), chance.choice((8, 60, 400))
    part, rest = data[begin : begin + size], data[:begin] + data[begin + size :]
    place = chance.randrange(len(rest) + 1)
    return rest[:place] + part + rest[place:]


def _splice(data, others, chance):
    other = chance.choice(others)
    begin = chance.randrange(len(other) + 1)
    place = chance.randrange(len(data) + 1)
    return data[:place] + other[begin : begin + chance.choice((8, 60, 400))] + data[place:]


def _strange(data, others, chance):
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.choice(STRANGE) + data[place:]


def _replace(pattern):
    def change(data, others, chance):
        found = list(pattern.finditer(data))
        if not found:
            return data
        match = chance.choice(found)
        if (pattern is WORD and chance.random() < 0.6) or (pattern is NUMBER and chance.random() < 0.4):
            new = chance.choice(found).group()
        elif chance.random() < 0.5:
            new = str(chance.choice((-1, 0, 1, 2, 3, 255, 65535, 10**6, 2**31, 2**63, 1e-9, 1e30))).encode()
        else:
            new = chance.choice(STRANGE)
        return data[: match.start()] + new + data[match.end() :]

    return change


CHANGES = [
    _flip,
    _flip,
    _cut,
    _end,
    _double,
    _move,
    _splice,
    _strange,
    *[_replace(NUMBER)] * 5,
    *[_replace(WORD)] * 2,
]


def read(suffix: str, path: Path) -> None:
    """Read a file as a user would, and look at what comes of it."""
    if suffix in OTHERS:
        for array in OTHERS[suffix](path):
            assert not np.isinf(array).any(), "a number that is not finite"
        return
    from manikin import formats

    contents = formats.read(path)
    assert np.isfinite(contents.figure.forward(contents.figure.rest)).all(), "a frame that is not finite"
    for clip in contents.clips:
        assert len(clip.times) and np.isfinite(clip.q).all() and np.isfinite(clip.times).all()
        assert np.isfinite(contents.figure.forward(clip.q[-1])).all(), "a frame that is not finite"


def _markers(path: Path) -> list[np.ndarray]:
    from manikin.markers import Markers

    found = Markers.load(path)
    assert np.isfinite(found.times).all(), "a time that is not finite"
    return [found.positions]


def _table(path: Path) -> list[np.ndarray]:
    from manikin.markers.files.storage import read_table

    found = read_table(path)
    return [found.times, *found.columns.values()]


def _motion(path: Path) -> list[np.ndarray]:
    import manikin as mk

    return [mk.Motion.load(simple(), path).q]


def _workspace(path: Path) -> list[np.ndarray]:
    from manikin.reach.voxels import Workspace

    found = Workspace.load(path)
    return [*found.grid.axes, found.inside]


def _study(path: Path) -> list[np.ndarray]:
    from manikin.formats.study import read_study

    return [read_study(path).points]


def _scene(path: Path) -> list[np.ndarray]:
    from manikin.formats.scene import read_scene

    return [read_scene(path).start.q]


def _setup(path: Path) -> list[np.ndarray]:
    from manikin.formats.opensim.setup import read_tracking_setup

    found = read_tracking_setup(path)
    if found.marker_file is not None:
        found.references.find(found.marker_file, str(path))
    return []


def _mesh(path: Path) -> list[np.ndarray]:
    import manikin as mk
    from manikin.figure import Shape
    from manikin.figure.shapes import capsules_of, mesh_of

    shape = Shape("mesh", mesh=str(path))
    body = mk.Figure("f", [mk.Segment("a", shapes=[shape])], [])
    found = mesh_of(body.segments["a"], shape, "fuzzed")
    assert found.faces.max() < len(found.vertices) and found.faces.min() >= 0, "a triangle of no corners"
    return [found.vertices, capsules_of(body, "a", "fuzzed")]


def _sensors(path: Path) -> list[np.ndarray]:
    from manikin.markers import Sensors

    return [Sensors.load(path).rotations]


def _marker_set(path: Path) -> list[np.ndarray]:
    from manikin.formats.opensim.read import read_marker_set

    return [np.asarray(marker.location) for marker in read_marker_set(path).values()]


def _scaling(path: Path) -> list[np.ndarray]:
    from manikin.formats.opensim.setup import read_scale_setup

    found = read_scale_setup(path)
    return [np.array(found.mass), *map(np.asarray, found.manual.values())]


def _swivels(path: Path) -> list[np.ndarray]:
    from manikin.closed_form.swivel_table import SwivelTable

    found = SwivelTable.load(path)
    return [found.low, found.high, found.nodes]


def _pose(path: Path) -> list[np.ndarray]:
    import manikin as mk
    from manikin.errors import PoseError

    try:
        return [mk.Pose.from_json(simple(), path.read_text("latin-1")).q]
    except PoseError as problem:  # of a text, which has no name
        raise PoseError(f"{path.name}: {problem}") from None


def _targets(path: Path) -> list[np.ndarray]:
    import manikin as mk
    from manikin.cli.track import _recorded

    times, found = _recorded(path, [mk.Position("tip", [0, 0, 0])])
    return [
        np.nan_to_num(times, posinf=0, neginf=0),
        *(np.nan_to_num(each, posinf=0, neginf=0) for each in found.values()),
    ]


def simple() -> Any:
    """A figure of one degree of freedom, for motions."""
    import manikin as mk

    return mk.Figure("one", ["a", "b"], [mk.Joint.revolute("j", "a", "b", "z", lower=-1, upper=1)])


#: Readers of what is no figure; each gives arrays, in which NaN stands for a gap.
OTHERS: dict[str, Callable[[Path], list[np.ndarray]]] = {
    **dict.fromkeys((".c3d", ".trc", ".csv"), _markers),
    ".mot": _table,
    "-motion.npz": _motion,
    "-workspace.npz": _workspace,
    "-study.toml": _study,
    "-scene.toml": _scene,
    "-setup.xml": _setup,
    "-scaling.xml": _scaling,
    "-markers.xml": _marker_set,
    "-sensors.sto": _sensors,
    "-swivels.json": _swivels,
    "-pose.json": _pose,
    **dict.fromkeys(("-targets.csv", "-targets.npz"), _targets),
    **dict.fromkeys((".stl", ".obj", ".ply", ".off", ".dae", "-mesh.glb"), _mesh),
}
#: What reading may take of memory at all, in a process of its own.
ADDRESS_SPACE = 3 << 30


class Hang(BaseException):
    """The file took longer than any should."""


def _too_long(*_):
    raise Hang


def _outcome(suffix: str, path: Path, folder: Path) -> str:
    """Whether a file is read, or refused by an error that names it; nothing outside the folder may be opened."""
    with opened() as paths:
        try:
            read(suffix, path)
            refused = None
        except ManikinError as problem:
            refused = str(problem)
    elsewhere = foreign(paths, folder)
    assert not elsewhere, f"it opens {elsewhere[0]}"
    assert refused is None or path.name in refused, f"it does not name the file: {refused}"
    return "figure" if refused is None else "error"


def run(
    suffix: str, count: int, seed: int, seeds: list[bytes], folder: Path
) -> tuple[Counter[str], list[str]]:
    """How many mutations gave a figure, and how many an error of ours; what gave anything else, in words."""
    chance = random.Random(seed)
    outcome: Counter[str] = Counter()
    wrong: list[str] = []
    path = folder / f"mutated{suffix}"
    signal.signal(signal.SIGVTALRM, _too_long)
    for number in range(count):
        data = mutated(chance.choice(seeds), seeds, chance)
        path.write_bytes(data)
        signal.setitimer(signal.ITIMER_VIRTUAL, HANGS)
        try:
            outcome[_outcome(suffix, path, folder)] += 1
        except (Exception, Hang) as problem:
            outcome["wrong"] += 1
            last = traceback.extract_tb(problem.__traceback__)[-1]
            wrong.append(f"{number}: {type(problem).__name__}: {problem} at {last.filename}:{last.lineno}")
            (folder / f"wrong_{number}{suffix}").write_bytes(data)
            if len(wrong) > 20:
                break
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return outcome, wrong


def main() -> int:
    suffix, count, seed, *files = sys.argv[1:]
    seeds = [Path(file).read_bytes() for file in files]
    for file in files:
        read(suffix, Path(file))  # what is loaded for the first of them counts for none
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    with tempfile.TemporaryDirectory() as folder:
        for beside in {other for file in files for other in Path(file).parent.glob("*.urdf")}:
            shutil.copy(beside, folder)
        outcome, wrong = run(suffix, int(count), int(seed), seeds, Path(folder))
        more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    print(f"{suffix}: {dict(outcome)}, {more / 2**20:.0f} MB more")
    for line in wrong:
        print(line)
    return 1 if wrong or more > MOST_MEMORY else 0


if __name__ == "__main__":
    sys.exit(main())
