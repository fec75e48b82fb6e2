"""An MJCF file made ready for MuJoCo: includes put in, and nothing left in but what makes a figure.

Textures, actuators, sensors and their kin are taken out, as they would need files that may not be there. A mesh
becomes a small ball in its place, whose name tells which it was; only where the mass of a body depends on it
the mesh itself is read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from manikin.errors import FormatError
from manikin.formats.contents import Notes
from manikin.formats.references import OUTSIDE, References
from manikin.formats.source import read_bytes
from manikin.formats.xml import parsed

_SECTIONS = ("compiler", "default", "asset", "worldbody", "equality", "tendon", "keyframe")
_BODY_PARTS = ("body", "inertial", "joint", "freejoint", "geom", "site", "frame", "replicate")
_DEFAULTS = ("default", "joint", "geom", "site", "equality", "tendon", "mesh")
_EQUALITIES = ("connect", "weld", "joint", "tendon")
#: Attributes of <compiler> that say how the file is to be read; the others say what to do with it.
_COMPILER = (
    "angle",
    "eulerseq",
    "autolimits",
    "inertiafromgeom",
    "inertiagrouprange",
    "balanceinertia",
    "settotalmass",
    "coordinate",
    "alignfree",
)
#: A model's XML is no larger; meshes are in files of their own.
MOST_BYTES = 64 << 20
_MOST_INCLUDES = 64
_MOST_COPIES = 1000
MESH_PREFIX = "manikin mesh "


@dataclass
class Source:
    """The XML for MuJoCo, its name, and the files and scales of the meshes by number."""

    xml: bytes
    name: str
    meshes: list[tuple[str, tuple[float, float, float]]] = field(default_factory=list)


def prepared(file: Path, notes: Notes, references: References | None = None) -> Source:
    """What is handed to MuJoCo."""
    return _Preparation(file, notes, references or References(file)).source()


class _Preparation:
    def __init__(self, file: Path, notes: Notes, references: References) -> None:
        self.file, self.notes, self.references = file, notes, references
        self.included = 0
        self.root = parsed(read_bytes(file, "MJCF", MOST_BYTES), file, "MJCF")
        if self.root.tag != "mujoco":
            raise FormatError(
                f"{file}:{self.root.sourceline}: expected <mujoco> as the outermost element, found <{self.root.tag}>"
                f"{'; a URDF file ends in .urdf' if self.root.tag == 'robot' else ''}"
            )
        self._include(self.root, file.parent)
        self.meshes: list[tuple[str, tuple[float, float, float]]] = []
        self.meshdir = Path()

    def source(self) -> Source:
        """The XML, cleaned."""
        from lxml import etree

        name = (self.root.get("model") or "").strip() or self.file.stem or "figure"
        root = etree.Element("mujoco")
        compiler = etree.SubElement(root, "compiler")
        for section in self.root:
            if section.tag == "compiler":
                self._compiler(section, compiler)
        # Bodies without mass are no reason to refuse a figure; what is bound to this is read as none.
        compiler.set("boundmass", "1e-9")
        compiler.set("boundinertia", "1e-9")
        materials, meshes = self._assets()
        for section in self.root:
            if section.tag not in _SECTIONS:
                if section.tag not in ("size", "option", "statistic", "visual"):
                    self.notes.left_out(f"<{section.tag}>", "a figure has none")
                continue
            if section.tag in ("compiler", "asset"):
                continue
            self._clean(section, materials, meshes)
            root.append(section)
        asset = etree.SubElement(root, "asset")
        for material, color in materials.items():
            if color is not None:
                etree.SubElement(asset, "material", name=material, rgba=color)
        return Source(etree.tostring(root), name, self.meshes)

    def _include(self, element: Any, folder: Path, source: Path | None = None) -> None:
        """Put the children of included files in the place of <include>, whose paths are relative to the main file."""
        for part in list(element.iter("include")):
            self.included += 1
            if self.included > _MOST_INCLUDES:
                raise FormatError(f"{self.file}: more than {_MOST_INCLUDES} files are included")
            name = part.get("file") or ""
            parent = part.getparent()
            if parent is None:
                raise FormatError(f"{self.file}: <include> is not within <mujoco>")
            where = f"{self.file if source is None else source}:{part.sourceline}: <include>"
            path = self.references.find(name, where, folder) if name else None
            if path is None:
                self.notes.left_out(f"<include file={name[:80]!r}>", "the file is not there")
                parent.remove(part)
                continue
            found = parsed(read_bytes(path, "MJCF", MOST_BYTES), path, "MJCF")
            self._include(found, folder, path)
            place = parent.index(part)
            parent.remove(part)
            for k, child in enumerate(list(found)):
                parent.insert(place + k, child)

    def _compiler(self, section: Any, compiler: Any) -> None:
        for key in _COMPILER:
            if section.get(key) is not None:
                compiler.set(key, section.get(key))
        self.meshdir = Path(section.get("meshdir") or section.get("assetdir") or self.meshdir)

    def _assets(self) -> tuple[dict[str, str | None], dict[str, tuple[str, tuple[float, float, float]]]]:
        """Colours of materials, and files and scales of meshes, by name."""
        materials: dict[str, str | None] = {}
        meshes: dict[str, tuple[str, tuple[float, float, float]]] = {}
        for section in self.root.findall("asset"):
            for part in section:
                name = part.get("name") or Path(part.get("file") or "").stem
                if part.tag == "material" and name:
                    materials[name] = part.get("rgba")
                elif part.tag == "mesh" and name and part.get("file"):
                    path = self.references.mesh(str(self.meshdir / part.get("file")))
                    meshes[name] = path, _scale(part.get("scale"))
                    if path.startswith(OUTSIDE):
                        self.notes.left_out(
                            f"mesh {name!r}", f"{part.get('file')!r} is not in the file's folder; see within="
                        )
                    if part.get("refpos") or part.get("refquat"):
                        self.notes.left_out(f"mesh {name!r}", "its refpos and refquat")
                elif part.tag not in ("texture", "material"):
                    self.notes.left_out(f"<{part.tag}> {name!r}", "a figure has none")
        return materials, meshes

    def _clean(
        self,
        section: Any,
        materials: dict[str, str | None],
        meshes: dict[str, tuple[str, tuple[float, float, float]]],
    ) -> None:
        allowed = {
            "worldbody": _BODY_PARTS,
            "default": _DEFAULTS,
            "equality": _EQUALITIES,
            "tendon": ("fixed",),
            "keyframe": ("key",),
        }[section.tag]
        for part in list(section.iter()):
            if part is section:
                continue
            within = part.getparent()
            if within is None or (within is not section and within.getparent() is None):
                continue  # within something that has been taken out
            good = part.tag in allowed or (
                section.tag == "tendon" and within.tag == "fixed" and part.tag == "joint"
            )
            if not good:
                if part.tag not in ("light", "camera") and section.tag != "default":
                    self.notes.left_out(f"<{part.tag}>", f"in <{section.tag}>, line {part.sourceline}")
                within.remove(part)
                continue
            for key in ("material", "user"):
                if part.get(key) is not None and (key == "user" or materials.get(part.get(key)) is None):
                    del part.attrib[key]
            # MuJoCo 4.0 takes an empty attribute as none; but after an empty anchor it hangs in the next file.
            if part.tag == "connect" and not part.get("anchor", "0").strip():
                del part.attrib["anchor"]
            if part.tag == "replicate":
                self._copies(part)
            if part.tag == "joint" and section.tag == "worldbody":
                part.set("armature", "1")  # MuJoCo warns of what has no inertia, which a figure does not mind
            if part.tag == "geom":
                self._geom(part, meshes, section.tag == "default")
            if section.tag == "keyframe":
                for key in ("qvel", "act", "ctrl", "mpos", "mquat"):
                    part.attrib.pop(key, None)

    def _copies(self, part: Any) -> None:
        text = part.get("count") or ""
        if not text.isdecimal() or int(text[:9]) > _MOST_COPIES:
            raise FormatError(
                f"{self.file}:{part.sourceline}: <replicate count={text[:40]!r}>: expected at most {_MOST_COPIES}"
            )
        depth = 0
        above = part.getparent()
        while above is not None:
            depth += above.tag == "replicate"
            above = above.getparent()
        if depth:
            raise FormatError(f"{self.file}:{part.sourceline}: a <replicate> within another is not read")

    def _geom(
        self, part: Any, meshes: dict[str, tuple[str, tuple[float, float, float]]], default: bool
    ) -> None:
        kind = part.get("type")
        for key in (
            "fluidshape",
            "fluidcoef",
            "shellinertia",
            "solmix",
            "solref",
            "solimp",
            "priority",
            "margin",
        ):
            part.attrib.pop(key, None)
        if default:
            if kind in ("mesh", "hfield", "sdf"):
                part.set("type", "sphere")
                part.set("size", "0.001")
                part.set("mass", "0")
            part.attrib.pop("mesh", None)
            part.attrib.pop("hfield", None)
            return
        if part.get("mesh") is None and kind not in ("mesh", "hfield", "sdf"):
            return
        name = part.attrib.pop("mesh", None)
        part.attrib.pop("hfield", None)
        for key in ("fromto", "density", "fitscale"):
            part.attrib.pop(key, None)
        part.set("type", "sphere")
        part.set("size", "0.001")
        part.set("mass", "0")
        if name in meshes:
            part.set("name", f"{MESH_PREFIX}{len(self.meshes)}")
            self.meshes.append(meshes[name])
        else:
            part.set("name", f"{MESH_PREFIX}none {part.sourceline} {id(part)}")
            self.notes.left_out(f"geom, line {part.sourceline}", f"its {kind or 'mesh'} is not read")
        body = part.getparent()
        if body.find("inertial") is None:
            self.notes.left_out(
                f"body {body.get('name')!r}", "the mass of its mesh; give it an <inertial> where mass matters"
            )


def _scale(text: str | None) -> tuple[float, float, float]:
    try:
        values = [float(word) for word in (text or "1 1 1").split()]
    except ValueError:
        values = []
    if len(values) != 3 or not all(abs(value) < 1e9 for value in values):
        return 1.0, 1.0, 1.0
    return values[0], values[1], values[2]
