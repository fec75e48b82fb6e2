"""Mutations of good files, and files made to hurt: entity bombs, paths that climb out, deep nesting, great size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

URDF = """<?xml version="1.0"?>
<robot name="lamp">
  <link name="foot">
    <inertial><origin xyz="0 0 0.1" rpy="0 0 1.57"/><mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="3"/></inertial>
    <visual><geometry><box size="1 2 3"/></geometry></visual>
    <collision><origin xyz="0 0 1"/><geometry><sphere radius="0.5"/></geometry></collision>
  </link>
  <link name="arm">
    <visual><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><geometry><cylinder radius="0.1" length="2"/></geometry></visual>
    <visual><geometry><mesh filename="package://lamps/meshes/arm.stl" scale="2 2 2"/></geometry></visual>
  </link>
  <link name="head"><collision><geometry><capsule radius="0.1" length="0.2"/></geometry></collision></link>
  <joint name="lift" type="prismatic"><parent link="foot"/><child link="arm"/>
    <origin xyz="0 0 1" rpy="0.3 -0.4 0.5"/><axis xyz="0 0 2"/>
    <limit lower="-0.1" upper="0.2" effort="10" velocity="0.5"/></joint>
  <joint name="tilt" type="revolute"><parent link="arm"/><child link="head"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/><mimic joint="lift" multiplier="4" offset="0.3"/></joint>
</robot>
"""
SCENE = """
figure = "human"

[options]
stature = 1.75
fingers = false

[start]
right_elbow = 40

[[goal]]
kind = "position"
site = "right_hand"
target = [0.45, -0.25, 1.2]
weight = 2.0

[[goal]]
kind = "range"
site = "left_foot"
z = 0
turn_x = [-5, 5]

[[goal]]
kind = "inside"
site = "left_hand"
region = { ball = { center = [0.4, 0, 1.1], radius = 0.1 } }
level = 2

[[goal]]
kind = "any_of"
goals = [{ kind = "position", site = "left_hand", target = [0.5, 0, 1] }, { kind = "pin", site = "left_hand" }]

[[obstacle]]
region = { any = [{ box = { lower = [0.3, -1, 0.7], upper = [1, 1, 0.75] } }] }
margin = 0.01
segments = ["right_hand"]
"""
SMALL_SCENE = """
figure = "lamp.urdf"

[options]
base = "fixed"

[[site]]
name = "pen"
segment = "head"
offset = [0.0, 0.0, 0.12]
rpy = [0, 90, 0]

[start]
lift = 0.1

[[goal]]
kind = "placement"
site = "pen"
position = [0.4, 0.1, 0.3]
orientation = { rpy = [0, 90, 0] }

[[goal]]
kind = "range"
site = "head"
z = 0
turn_x = [-5, 5]
level = 2

[[goal]]
kind = "inside"
site = "pen"
region = { any = [{ ball = { center = [1, 0, 1], radius = 1 } }, { ball = { center = [0, 0, 0], radius = 0.5 } }] }

[[constraint]]
text = "lift <= 0.15"

[limits]
lift = [-0.05, 0.15]

[solve]
tolerance = { position = 1e-4, orientation_degrees = 0.05 }
"""
TOKENS = [
    *"<>\"'&;=/!?[]{}#,.-+ \n\t\0",
    "\x80\xff",
    "é",
    "nan",
    "inf",
    "-inf",
    "1e999",
    "-1e-999",
    "1e308",
    "0x10",
    "true",
    "null",
    "<!--",
    "]]>",
    "<![CDATA[",
    "&amp;",
    "&x;",
    "&#0;",
    "../../../../etc/passwd",
    "package://../../etc/passwd",
    "package:///etc/passwd",
    "file:///etc/passwd",
    "http://localhost:1/x",
    "{",
    "[[goal]]\n",
    '""""',
    "\\u0000",
    "1979-05-27T07:32:00Z",
    "9" * 400,
    "A" * 5000,
]


def mutated(text: str, rng: np.random.Generator) -> bytes:
    """A good file with one to six faults: bytes changed, parts cut out, doubled, moved, or replaced."""
    data = bytearray(text.encode())
    for _ in range(int(rng.integers(1, 7))):
        where = int(rng.integers(0, len(data) + 1))
        end = min(len(data), where + int(rng.choice([1, 2, 5, 20, 100])))
        kind = int(rng.integers(0, 6))
        token = str(rng.choice(TOKENS)).encode("utf-8", "surrogateescape")
        if kind == 0:
            data[where:end] = bytes(rng.integers(0, 256, end - where, dtype=np.uint8))
        elif kind == 1:
            del data[where:end]
        elif kind == 2:
            data[where:where] = data[where:end] * int(rng.integers(1, 4))
        elif kind == 3:
            data[where:where] = token
        elif kind == 4:
            data[where:end] = token
        else:
            _number(data, rng, token)
    return bytes(data)


def _number(data: bytearray, rng: np.random.Generator, token: bytes) -> None:
    """Another word in the place of some value between quotes, or after an equals sign."""
    marks = [k for k, byte in enumerate(data) if byte in b'"=']
    if marks:
        where = int(rng.choice(marks)) + 1
        end = where
        while end < len(data) and data[end] not in b'"\n,] ':
            end += 1
        data[where:end] = token


def reshaped(text: str, rng: np.random.Generator) -> bytes:
    """A good file whose lines, attributes or values are others, so that most of it still reads as its format."""
    if text.lstrip().startswith("<"):
        return _other_tree(text, rng)
    lines = text.splitlines()
    for _ in range(int(rng.integers(1, 4))):
        k = int(rng.integers(0, len(lines)))
        kind = int(rng.integers(0, 5))
        if kind == 0 and len(lines) > 2:
            del lines[k]
        elif kind == 1:
            lines.insert(int(rng.integers(0, len(lines))), lines[k])
        elif "=" in lines[k]:
            key, _, value = lines[k].partition("=")
            lines[k] = f"{key}= {value}" if kind == 2 else f"{key}= {rng.choice(VALUES)}"
    return "\n".join(lines).encode()


def _other_tree(text: str, rng: np.random.Generator) -> bytes:
    from lxml import etree

    root = etree.fromstring(text.encode())
    for _ in range(int(rng.integers(1, 5))):
        elements = [element for element in root.iter() if isinstance(element.tag, str)]
        one, other = (elements[int(rng.integers(0, len(elements)))] for _ in range(2))
        kind = int(rng.integers(0, 6))
        if kind == 0 and one is not root:
            one.getparent().remove(one)
        elif kind == 1 and other not in one.iter():
            other.append(one) if rng.random() < 0.5 else other.append(etree.fromstring(etree.tostring(one)))
        elif kind == 2:
            one.tag = str(other.tag)
        elif one.attrib:
            name = list(one.attrib)[int(rng.integers(0, len(one.attrib)))]
            if kind == 3:
                del one.attrib[name]
            elif other.attrib and kind == 4:
                one.set(name, next(iter(other.attrib.values())))
            else:
                one.set(name, str(rng.choice(WORDS)))
    return etree.tostring(root)


WORDS = [
    "",
    " ",
    "0",
    "-1",
    "0 0",
    "0 0 0",
    "1e300 0 0",
    "nan nan nan",
    "inf",
    "1e-320",
    "foot",
    "arm",
    "head",
    "lift",
    "tilt",
    "revolute",
    "floating",
    "planar",
    "fixed",
    "1 2 3 4",
    "../../../etc/passwd",
    "/etc/passwd",
    "file:///etc/passwd",
    "package://etc/passwd",
    "package://lamps/../../../etc/passwd",
    "é",
    "a" * 300,
]
VALUES = [
    "0",
    "-1",
    "nan",
    "inf",
    "-inf",
    "1e300",
    "9" * 30,
    '""',
    '"human"',
    '"right_hand"',
    "true",
    "[]",
    "[1]",
    "[1, 2]",
    "[1, 2, 3]",
    "[nan, 0, 0]",
    "[1e300, 0, 0]",
    "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
    "{}",
    "{ ball = {} }",
    '"pin"',
    '"any_of"',
    '"relative"',
    "{ any = [] }",
    "{ all = [{ ball = { center = [0, 0, 0], radius = -1 } }] }",
    "2000-01-01",
    '{ kind = "pin" }',
    '["*"]',
    '"*"',
]


def _bomb(depth: int = 12) -> bytes:
    lines = ['<!ENTITY a0 "lollollol">']
    lines += [f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, depth)]
    return f'<?xml version="1.0"?><!DOCTYPE robot [{"".join(lines)}]><robot name="&a{depth - 1};"/>'.encode()


#: Files made to hurt, by name; each has to be refused in words, or read without harm.
HOSTILE_URDF: dict[str, Callable[[], bytes]] = {
    "entity bomb": _bomb,
    "one long entity": lambda: (
        b'<!DOCTYPE r [<!ENTITY a "' + b"A" * 100_000 + b'">]><robot name="' + b"&a;" * 2000 + b'"/>'
    ),
    "external entity": lambda: (
        b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="r"><link name="a">&x;</link></robot>'
    ),
    "external entity in a name": lambda: (
        b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"><link name="a"/></robot>'
    ),
    "external grammar": lambda: (
        b'<!DOCTYPE robot SYSTEM "file:///etc/passwd"><robot name="r"><link name="a"/></robot>'
    ),
    "parameter entity": lambda: (
        b'<!DOCTYPE r [<!ENTITY % x SYSTEM "http://localhost:1/x"> %x;]><robot name="r"><link name="a"/></robot>'
    ),
    "inclusion": lambda: (
        b'<robot name="r" xmlns:xi="http://www.w3.org/2001/XInclude">'
        b'<xi:include href="/etc/passwd" parse="text"/><link name="a"/></robot>'
    ),
    "deep nesting": lambda: b"<robot name='r'>" + b"<link name='a'>" * 200_000,
    "deep nesting, closed": lambda: (
        b"<robot name='r'>" + b"<link name='a'>" * 5_000 + b"</link>" * 5_000 + b"</robot>"
    ),
    "many links": lambda: (
        b"<robot name='r'>" + b"".join(b"<link name='l%d'/>" % k for k in range(20_000)) + b"</robot>"
    ),
    "a ring of joints": lambda: (
        b"<robot name='r'><link name='a'/><link name='b'/>"
        b"<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
        b"<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>"
    ),
    "a chain of mimics in a ring": lambda: (
        b"<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
        b"<joint name='j' type='continuous'><parent link='a'/><child link='b'/><mimic joint='k'/></joint>"
        b"<joint name='k' type='continuous'><parent link='b'/><child link='c'/><mimic joint='j'/></joint></robot>"
    ),
    "great numbers": lambda: (
        URDF.replace('lower="-1"', 'lower="-1e308"')
        .replace('size="1 2 3"', 'size="1e308 1e308 1e308"')
        .encode()
    ),
    "only zeros": lambda: b"\0" * 1_000_000,
    "utf-16": lambda: URDF.encode("utf-16"),
    "a wrong encoding": lambda: URDF.replace('1.0"?>', '1.0" encoding="utf-7"?>').encode(),
    "a long line": lambda: b"<robot name='" + b"r" * 20_000_000 + b"'/>",
}
HOSTILE_URDF["100 MB"] = lambda: b"<robot name='r'>" + b"<link name='a'/>" * 6_600_000 + b"</robot>"
HOSTILE_TOML: dict[str, Callable[[], bytes]] = {
    "deep nesting": lambda: b"a = " + b"[" * 100_000,
    "deep nesting, closed": lambda: b"a = " + b"[" * 600 + b"]" * 600,
    "deep tables": lambda: b"[" + b".".join([b"a"] * 20_000) + b"]",
    "deep regions": lambda: (
        "figure = 'human'\n[[obstacle]]\nregion = " + "{ any = [" * 300 + "]}" * 300
    ).encode(),
    "100 MB": lambda: b"a = 1\n" + b"# a comment\n" * 8_400_000,
    "many keys": lambda: b"\n".join(b"k%d = 1" % k for k in range(200_000)),
    "a figure elsewhere": lambda: b'figure = "../../../../etc/passwd"\n',
    "a figure with a name too long for a file": lambda: b'figure = "' + b"A" * 5000 + b'.urdf"\n',
    "a figure by absolute path": lambda: b'figure = "/etc/passwd"\n',
    "only zeros": lambda: b"\0" * 1_000_000,
    "utf-16": lambda: SCENE.encode("utf-16"),
    "a great integer": lambda: b"figure = 'human'\n[options]\nstature = " + b"9" * 10_000,
    "a long line": lambda: b'a = "' + b"x" * 20_000_000 + b'"',
    "very many goals": lambda: (
        SCENE + SCENE[SCENE.index("[[goal]]") : SCENE.index("[[obstacle]]")] * 60
    ).encode(),
}


def write(folder: Path, name: str, data: bytes) -> Path:
    """A file of these bytes."""
    path = folder / name
    path.write_bytes(data)
    return path
