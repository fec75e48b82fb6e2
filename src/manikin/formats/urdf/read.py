"""URDF, the Unified Robot Description Format, from a file or from text, as ROS has it in /robot_description.

The XML is checked first, with file and line in every message. No mesh is opened and nothing is executed.

Joints are revolute and prismatic (which must have a <limit>), continuous, fixed, floating (a free joint, six
degrees of freedom) and planar (in the plane normal to its axis); a mimic follows another. The name of a
one-axis joint is its degree of freedom's. A shape has the colour of its material. Left out are transmissions,
dynamics, calibration, safety controllers and textures; limits of 1e9 and more are none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FigureError, FormatError
from manikin.figure import Figure, Follow, Joint, Segment, Shape
from manikin.figure.checks import near
from manikin.figure.motions import align, unit
from manikin.files import is_file, read_bytes
from manikin.formats.contents import Contents, Notes
from manikin.formats.source import is_text, refuse_options
from manikin.formats.xml import parsed
from manikin.references import OUTSIDE, References, inside

#: A robot's file is no larger: the largest that are known have some MB.
MOST_BYTES = 64 << 20
_AXES = {"revolute": "R", "continuous": "R", "prismatic": "T"}
_TYPES = (*_AXES, "fixed", "floating", "planar")
_INERTIAS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
#: How messages call a robot that came as text.
_TEXT = "robot_description"
#: Numbers in each attribute that we read, by tag; those of <limit> may be infinite.
_NUMBERS: dict[str, dict[str, int]] = {
    "origin": {"xyz": 3, "rpy": 3},
    "axis": {"xyz": 3},
    "limit": {"lower": 1, "upper": 1, "velocity": 1, "effort": 1},
    "mimic": {"multiplier": 1, "offset": 1},
    "mass": {"value": 1},
    "inertia": dict.fromkeys(_INERTIAS, 1),
    "box": {"size": 3},
    "sphere": {"radius": 1},
    "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1},
}


def load_urdf(
    path: str | os.PathLike[str],
    *,
    base: str = "fixed",
    location: Any = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    shapes: str = "visual",
    within: References | Iterable[str | os.PathLike[str]] | None = None,
    notes: Notes | None = None,
) -> Figure:
    """The figure in a URDF file, or in text that begins with ``<``.

    packages: folders of ROS packages by name, for meshes; ROS_PACKAGE_PATH and the package that the file lies in
        are searched too. A mesh of a package that is not found keeps the path as written. A mesh outside the file's
        own folder and the packages becomes ``outside://…`` and is never opened. Text has no folder: its meshes are
        found in packages only.
    within: further folders that meshes may lie in; if given, even none, ROS_PACKAGE_PATH and the file's own package
        are not searched.
    shapes: ``"visual"`` or ``"collision"``, which geometry the segments get; a link that has none of it gets
        the other.
    notes: where to note what the file has and a figure has not.
    """
    if shapes not in ("visual", "collision"):
        raise FormatError(f"{path}: shapes must be 'visual' or 'collision', got {shapes!r}")
    text = path if isinstance(path, str) and is_text(path) else None
    file = Path(_TEXT if text is not None else path)
    xml = _parse(file, read_bytes(file, "URDF", MOST_BYTES) if text is None else _encoded(text))
    _check(file, xml)
    notes = Notes() if notes is None else notes
    path_of = None if text is not None else file
    meshes = _Meshes(path_of, packages or {}, References(path_of, within))
    colors = _colors(file, xml)
    _tell(xml, notes)
    types = {element.get("name"): element.get("type") for element in xml.findall("joint")}
    try:
        segments = [
            _segment(link, _shapes(file, link, shapes, meshes, colors)) for link in xml.findall("link")
        ]
        contrary = _contrary_mimics(xml, notes)
        joints = [_joint(joint, types, contrary) for joint in xml.findall("joint")]
        return Figure(xml.get("name"), segments, joints, base=base, location=location)
    except FigureError as error:
        raise FormatError(f"{file}: {error}") from error


def read(
    path: str | os.PathLike[str],
    *,
    within: References | Iterable[str | os.PathLike[str]] | None = None,
    **options: Any,
) -> Contents:
    """The contents of a URDF file: its figure; the options are those of `load_urdf`."""
    refuse_options(load_urdf, options, "URDF" if is_text(str(path)) else path, own=("notes",))
    notes = Notes()
    figure = load_urdf(path, within=within, notes=notes, **options)
    for segment in figure.segments.values():
        for shape in segment.shapes:
            if shape.mesh is not None and shape.mesh.startswith(OUTSIDE):
                notes.left_out(
                    f"segment {segment.name!r}",
                    f"the mesh {shape.mesh.removeprefix(OUTSIDE)!r} is not in the file's folder; see within=",
                )
    return Contents(figure, notes=tuple(notes))


def _tell(xml: Any, notes: Notes) -> None:
    """What the file has and a figure has not."""
    for tag in ("transmission", "gazebo", "ros2_control"):
        count = len(xml.findall(tag))
        if count:
            notes.left_out(f"<{tag}>", f"{count} of them")
    if xml.find("link/visual") is not None and xml.find("link/collision") is not None:
        notes.left_out("shapes", "a link has one kind of shape, visual or collision (shapes=)")
    for tag in ("dynamics", "calibration", "safety_controller"):
        if xml.find(f"joint/{tag}") is not None:
            notes.left_out(f"<{tag}>", "of joints")
    if xml.find(".//material/texture") is not None:
        notes.left_out("<texture>", "shapes have plain colours")


def _contrary_mimics(xml: Any, notes: Notes) -> set[str]:
    """Mimics whose own range leaves their driver, which has a range, no value or one.

    ROS does not look at a mimic's range: it is the driver's that moves both. Fingers that close the other way, with
    multiplier −1, often have the range of those that close this way.
    """
    found = set()
    joints = {joint.get("name"): joint for joint in xml.findall("joint")}
    for name, joint in joints.items():
        driver = None if joint.find("mimic") is None else joints[joint.find("mimic").get("joint")]
        bounded = ("revolute", "prismatic")
        if driver is None or joint.get("type") not in bounded or driver.get("type") not in bounded:
            continue
        given = _number(joint.find("mimic"), "multiplier")
        factor, offset = 1.0 if given is None else given, _number(joint.find("mimic"), "offset") or 0.0
        (low, high), (least, most) = _ends(joint), _ends(driver)
        if factor == 0.0 or not least < most:
            continue
        ends = sorted(((low - offset) / factor, (high - offset) / factor))
        if not max(ends[0], least) < min(ends[1], most):
            found.add(name)
            notes.left_out(
                f"joint {name!r}",
                f"its range {low:g} to {high:g}: as {factor:g} times {driver.get('name')!r}, of {least:g} to {most:g}, "
                "it could not move",
            )
    return found


def _ends(joint: Any) -> tuple[float, float]:
    """A joint's lower and upper limit, 0 where it has none, which is the format's own default."""
    limit = joint.find("limit")
    return _number(limit, "lower") or 0.0, _number(limit, "upper") or 0.0


def _parse(file: Path, data: bytes) -> Any:
    """The <robot> element."""
    if len(data) > MOST_BYTES:
        raise FormatError(f"{file}: too large to be URDF: over {MOST_BYTES >> 20} MB")
    try:
        root = parsed(data, file, "URDF")
    except FormatError as error:
        if b"<xacro:" in data:  # whose prefix is not declared
            raise FormatError(f"{error}; it is xacro: expand it first by the xacro command") from None
        raise
    _refuse_xacro(file, root)
    if root.tag != "robot":
        raise FormatError(
            f"{file}:{root.sourceline}: expected <robot> as the outermost element, found <{root.tag}>"
        )
    return root


def _refuse_xacro(file: Path, root: Any) -> None:
    """A FormatError for what the xacro command has not yet expanded: its elements, and ${…} in attributes."""
    for element in root.iter():
        own = (
            isinstance(element.tag, str)
            and element.tag.startswith("{")
            and "xacro" in element.tag.split("}")[0]
        )
        words = [text for text in element.attrib.values() if "${" in text or "$(" in text]
        if own or words:
            shown = f"<xacro:{element.tag.split('}')[1]}>" if own else repr(words[0][:60])
            raise FormatError(
                f"{file}:{element.sourceline}: {shown}: this is xacro; expand it first: xacro {file.stem}.xacro > "
                f"{file.stem}.urdf"
            )


def _encoded(text: str) -> bytes:
    """Text in UTF-8, whatever encoding its declaration speaks of; lines keep their numbers."""
    bare = re.sub(r"\A[\ufeff\s]*(<\?xml[^>]*\?>)?", lambda found: "\n" * found[0].count("\n"), text)
    return bare.encode(errors="xmlcharrefreplace")


def _check(file: Path, xml: Any) -> None:
    """Everything that a figure needs is there and can be read as what it should be."""
    if not (xml.get("name") or "").strip():
        xml.set("name", file.stem)  # some robots in the wild leave it out; the file's name says as much
    if xml.find("link") is None:
        raise FormatError(f"{file}: robot {xml.get('name')!r} has no links")
    for element in (*xml.findall("link"), *xml.findall("joint")):
        where = f"{file}:{element.sourceline}: {element.tag}"
        if not (element.get("name") or "").strip():
            raise FormatError(f"{where}: it has no name")
        _check_numbers(f"{where} {element.get('name')!r}", element)
    names = [element.get("name") for element in xml.findall("link")]
    joints = {element.get("name"): element for element in xml.findall("joint")}
    for element in xml.findall("joint"):
        _check_joint(f"{file}:{element.sourceline}: joint {element.get('name')!r}", element, names, joints)


def _check_numbers(where: str, element: Any) -> None:
    for part in element.iter():
        missing = [key for key in _INERTIAS if part.tag == "inertia" and part.get(key) is None]
        if missing:
            raise FormatError(f"{where}: <inertia> has no {', '.join(missing)}")
        for attribute, count in _NUMBERS.get(part.tag, {}).items():
            text = part.get(attribute)
            if text is None:
                continue
            try:
                values = np.array(text.replace(",", " ").split(), dtype=np.float64)
            except ValueError:
                raise FormatError(
                    f"{where}: <{part.tag}> has {attribute}={text!r}, which is not a number"
                ) from None
            if values.size != count:
                raise FormatError(f"{where}: <{part.tag}> has {attribute}={text!r}; expected {count} numbers")
            sizes = np.abs(values)
            if np.isnan(values).any() or (part.tag != "limit" and not (sizes < 1e100).all()):
                raise FormatError(
                    f"{where}: <{part.tag}> has {attribute}={text!r}, which is not a finite number"
                )


def _check_joint(where: str, element: Any, links: list[str], joints: Mapping[str, Any]) -> None:
    kind = element.get("type")
    if kind not in _TYPES:
        raise FormatError(f"{where}: unknown type {kind!r}; URDF has {', '.join(_TYPES)}")
    for role in ("parent", "child"):
        part = element.find(role)
        link = None if part is None else part.get("link")
        if link is None:
            raise FormatError(f"{where}: it has no <{role} link=…>")
        if link not in links:
            raise FormatError(f"{where}: unknown {role} link {link!r}; {near(link, links)}")
    if kind in ("revolute", "prismatic") and element.find("limit") is None:
        raise FormatError(
            f"{where}: a {kind} joint needs a <limit>; a hinge without limits is of type continuous"
        )
    axis = element.find("axis")
    if kind not in ("fixed", "floating") and axis is not None and axis.get("xyz") is not None:
        _checked_axis(where, axis.get("xyz"))
    mimic = element.find("mimic")
    if mimic is not None:
        _check_mimic(where, kind, mimic.get("joint"), joints)


def _checked_axis(where: str, text: str) -> None:
    try:
        unit(np.array(text.replace(",", " ").split(), dtype=np.float64), where)
    except FigureError as error:
        raise FormatError(str(error)) from None


def _check_mimic(where: str, kind: str, driver: str | None, joints: Mapping[str, Any]) -> None:
    if driver is None or driver not in joints:
        raise FormatError(f"{where}: it mimics the unknown joint {driver!r}; {near(driver or '', joints)}")
    for name, what in ((where, kind), (f"{where}, mimic of {driver!r}", joints[driver].get("type"))):
        if what in ("floating", "planar"):
            raise FormatError(f"{name}: a {what} joint has several values and cannot take part in a mimic")


def _segment(link: Any, shapes: tuple[Shape, ...]) -> Segment:
    """A link's inertia is about its own origin's axes; turned here into the link's: R I Rᵀ."""
    name, inertial = link.get("name"), link.find("inertial")
    if inertial is None:
        return Segment(name, shapes=shapes)
    origin = _origin(inertial.find("origin"))
    written, inertia = inertial.find("inertia"), None
    if written is not None:
        xx, xy, xz, yy, yz, zz = (_number(written, key) or 0.0 for key in _INERTIAS)
        inertia = origin[:3, :3] @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ origin[:3, :3].T
        inertia = 0.5 * (inertia + inertia.T)
    mass = _number(inertial.find("mass"), "value")
    return Segment(name, mass or 0.0, origin[:3, 3], inertia, shapes)


def _joint(joint: Any, types: Mapping[str, str], contrary: Container[str]) -> Joint:
    name, kind = joint.get("name"), joint.get("type")
    parent, child = joint.find("parent").get("link"), joint.find("child").get("link")
    placement = None if joint.find("origin") is None else _origin(joint.find("origin"))
    options: dict[str, Any] = {"placement": placement}
    limit, mimic = joint.find("limit"), joint.find("mimic")
    if limit is not None and kind != "fixed":
        options["velocity"] = _limit(_number(limit, "velocity"))
        if kind in _AXES:
            options["effort"] = _limit(_number(limit, "effort"))
    if kind in ("revolute", "prismatic") and name not in contrary:
        lower, upper = _ends(joint)
        options.update(lower=_limit(lower), upper=_limit(upper))
    if kind in _AXES:
        axis = ",".join(repr(entry) for entry in _axis(joint).tolist())
        if mimic is not None:
            options["follow"] = _follow(mimic, types)
        return Joint(name, parent, child, f"{_AXES[kind]}({axis})", **options)
    if kind == "planar":
        turn = np.eye(4)
        turn[:3, :3] = align(unit(_axis(joint), f"joint {name!r}"))[0]
        options.update(placement=turn if placement is None else placement @ turn, child_placement=turn)
    return Joint(name, parent, child, {"floating": "free"}.get(kind, kind), **options)


def _axis(joint: Any) -> np.ndarray:
    """The axis in the joint's frame; x where none is given."""
    axis = joint.find("axis")
    text = "1 0 0" if axis is None else axis.get("xyz") or "1 0 0"
    return np.array(text.replace(",", " ").split(), dtype=np.float64)


def _number(element: Any, attribute: str) -> float | None:
    text = None if element is None else element.get(attribute)
    return None if text is None else float(text.replace(",", " "))


def _limit(value: float | None) -> float | None:
    """A limit of a thousand million and more is none: what robots without one are given."""
    return None if value is None or abs(value) >= 1e9 else value


def _follow(mimic: Any, types: Mapping[str, str]) -> Follow:
    """multiplier · q + offset; a driver that is fixed has the value 0."""
    driver, factor = mimic.get("joint"), _number(mimic, "multiplier")
    coefficients = {} if types[driver] == "fixed" else {driver: 1.0 if factor is None else factor}
    return Follow(coefficients, _number(mimic, "offset") or 0.0)


def _shapes(
    file: Path, link: Any, wanted: str, meshes: _Meshes, colors: Mapping[str, tuple[float, ...]]
) -> tuple[Shape, ...]:
    other = "collision" if wanted == "visual" else "visual"
    parts = link.findall(wanted) or link.findall(other)
    shapes = []
    for part in parts:
        where = f"{file}:{part.sourceline}: link {link.get('name')!r}: <{part.tag}>"
        geometry = part.find("geometry")
        if geometry is None or not len(geometry):
            raise FormatError(f"{where}: it has no geometry")
        shapes.append(_shape(where, geometry[0], _origin(part.find("origin")), meshes, _color(part, colors)))
    return tuple(shapes)


def _colors(file: Path, xml: Any) -> dict[str, tuple[float, ...]]:
    """The colours of the robot's materials by name, wherever they are given one."""
    found: dict[str, tuple[float, ...]] = {}
    for material in (*xml.findall("material"), *xml.findall("link/visual/material")):
        color = material.find("color")
        name = material.get("name") or ""
        text = None if color is None else color.get("rgba")
        if text is None or (name in found and name):
            continue
        try:
            values = np.array(text.replace(",", " ").split(), dtype=np.float64)
        except ValueError:
            values = np.zeros(0)
        if len(values) not in (3, 4) or not np.isfinite(values).all():
            raise FormatError(
                f"{file}:{material.sourceline}: material {name!r} has rgba={text!r}; expected four numbers from 0 to 1"
            )
        found[name] = tuple(np.clip(values[:3], 0.0, 1.0).tolist())
        if not name:
            material.set("name", f" {material.sourceline}")  # of this shape alone
            found[f" {material.sourceline}"] = found.pop("")
    return found


def _color(part: Any, colors: Mapping[str, tuple[float, ...]]) -> tuple[float, ...] | None:
    material = part.find("material")
    return None if material is None else colors.get(material.get("name") or "")


def _shape(
    where: str, element: Any, placement: np.ndarray, meshes: _Meshes, color: tuple[float, ...] | None
) -> Shape:
    if element.tag == "mesh":
        if not element.get("filename"):
            raise FormatError(f"{where}: the mesh has no filename")
        path = meshes.find(element.get("filename"))
        return Shape("mesh", (), placement, path, _scale(where, element), color)
    if element.tag not in ("box", "sphere", "cylinder", "capsule"):
        raise FormatError(f"{where}: unknown geometry <{element.tag}>")
    size: list[float] = []
    for attribute in _NUMBERS[element.tag]:
        if element.get(attribute) is None:
            raise FormatError(f"{where}: <{element.tag}> has no {attribute}")
        size += [float(entry) for entry in element.get(attribute).replace(",", " ").split()]
    return Shape(element.tag, size, placement, color=color)


def _scale(where: str, element: Any) -> np.ndarray:
    """One number, or one for each axis."""
    text = element.get("scale") or "1"
    try:
        return np.broadcast_to(np.array(text.replace(",", " ").split(), dtype=np.float64), 3)
    except ValueError:
        raise FormatError(f"{where}: the mesh has scale={text!r}; expected one or three numbers") from None


def _origin(element: Any) -> np.ndarray:
    """The 4×4 of an <origin>: xyz, and Rz(yaw)·Ry(pitch)·Rx(roll)."""
    result = np.eye(4)
    if element is None:
        return result
    numbers = [
        np.array((element.get(key) or "0 0 0").replace(",", " ").split(), dtype=np.float64)
        for key in ("xyz", "rpy")
    ]
    (sr, sp, sy), (cr, cp, cy) = np.sin(numbers[1]), np.cos(numbers[1])
    result[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    result[:3, 3] = numbers[0]
    return result


class _Meshes:
    """Finds mesh files: package://name/rest among the packages, other paths beside the URDF file.

    A mesh is not opened here, but whoever draws the figure opens it: see `References`. Packages are those given, and
    folders given or of ROS_PACKAGE_PATH that bear the package's name or hold a folder of that name. The package that
    the file itself lies in counts too, if it is one: a folder of that name with a package.xml.
    """

    def __init__(
        self, file: Path | None, packages: Mapping[str, str | os.PathLike[str]], references: References
    ) -> None:
        self.references = references
        self.packages = {name: Path(folder) for name, folder in packages.items()}
        self.roots = list(references.folders)
        self.above: tuple[Path, ...] = ()
        if references.environment:
            paths = os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)
            self.roots += [Path(entry) for entry in paths if entry]
            self.above = () if file is None else tuple(file.resolve().parents)

    def find(self, written: str) -> str:
        """The path of an existing file; else what was written, or, of a path beside the file, where it would be."""
        scheme, mark, rest = written.partition("://")
        if not mark or scheme == "file":
            return self.references.mesh(rest if mark else written, *self.packages.values(), *self.roots)
        if scheme not in ("package", "model"):
            return written
        name, _, within = rest.lstrip("/").partition("/")
        for folder in self._folders(name):
            if inside(folder / within, folder) and is_file(folder / within):
                return str(folder / within)
        return written

    def _folders(self, name: str) -> Iterator[Path]:
        if name in self.packages:
            yield self.packages[name]
        if name in ("", ".", "..") or "\0" in name:
            return
        for root in self.roots:
            if inside(root / name, root):
                yield root / name
            if root.name == name:
                yield root
        for above in self.above:
            if above.name == name and is_file(above / "package.xml"):
                yield above
