"""An MJCF file made ready for MuJoCo: includes put in, and nothing left in but what makes a figure.

Textures, sensors and what of actuators tells no effort are taken out, as they would need files that may not be there. A
mesh becomes a small ball in its place, whose name says which it was. If the mass of a body depends on it, MuJoCo is
given the mesh itself besides. Models that are attached are made ready in the same way.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from manikin.errors import FormatError
from manikin.files import is_file, read_bytes
from manikin.formats.contents import Notes
from manikin.formats.xml import parsed
from manikin.references import OUTSIDE, References

_SECTIONS = ("compiler", "default", "asset", "worldbody", "equality", "tendon", "actuator", "keyframe")
_BODY_PARTS = ("body", "inertial", "joint", "freejoint", "geom", "site", "frame", "replicate", "attach")
_ACTUATORS = ("motor", "position", "velocity", "general")
_DEFAULTS = ("default", "joint", "geom", "site", "equality", "tendon", "mesh", *_ACTUATORS)
#: What of an actuator says how great an effort it gives a joint.
_EFFORT = (
    *("joint", "jointinparent", "class", "gear", "forcerange", "forcelimited", "ctrlrange", "ctrllimited"),
    *("gaintype", "biastype", "gainprm", "biasprm", "kp", "kv"),
)
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
    "fitaabb",
)
#: A model's XML is no larger; meshes are in files of their own.
MOST_BYTES = 64 << 20
_MOST_INCLUDES = 64
#: The attribute that elements of an included file get: its folder.
_FOLDER = "manikin-folder"
_DEEPEST, _MOST_FILES = 8, 2000
_MOST_COPIES = 1000
#: The name of a geom that stands for a mesh, before its number and a semicolon; and of one that has its mass.
MESH_MARK, MASS_MARK = "manikin mesh ", "manikin mass "
#: Files of meshes that MuJoCo reads; none is larger.
_MESHES = (".stl", ".obj", ".msh")
_LARGEST_MESH = 256 << 20
#: What of a geom has nothing to do with its shape and mass.
_CONTACT = (
    *("fluidshape", "fluidcoef", "solmix", "solref", "solimp", "priority", "margin"),
    *("contype", "conaffinity", "condim", "friction", "gap", "name", "material", "user"),
)


@dataclass
class Source:
    """The XML for MuJoCo, its name, the files and scales of the meshes by number, and the files that the XML names."""

    xml: bytes
    name: str
    meshes: list[tuple[str, tuple[float, float, float]]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)


class _Defaults:
    """The classes of <default>, each with the attributes that it gives elements of a kind."""

    def __init__(self, root: Any) -> None:
        self._above: dict[str, str | None] = {}
        self._given: dict[tuple[str, str], dict[str, str]] = {}
        for section in root.findall("default"):
            self._read(section, section.get("class") or "main", None)

    def _read(self, element: Any, name: str, above: str | None) -> None:
        self._above.setdefault(name, above)
        for part in element:
            if part.tag == "default":
                self._read(part, part.get("class") or "", name)
            else:
                self._given.setdefault((name, part.tag), {}).update(part.attrib)

    def get(self, part: Any, key: str) -> str | None:
        """An attribute of an element: its own, or that of its class and of those above."""
        if part.get(key) is not None:
            return str(part.get(key))
        name: str | None = part.get("class")
        for above in part.iterancestors() if name is None else ():
            name = above.get("childclass")
            if name is not None:
                break
        name, seen = name or "main", 0
        while name is not None and seen < 100:
            found = self._given.get((name, part.tag), {}).get(key)
            if found is not None:
                return found
            name, seen = self._above.get(name), seen + 1
        return None


def prepared(file: Path, notes: Notes, references: References | None = None) -> Source:
    """What is handed to MuJoCo."""
    return _Preparation(file, notes, references or References(file)).source()


class _Preparation:
    def __init__(
        self, file: Path, notes: Notes, references: References, above: _Preparation | None = None
    ) -> None:
        self.file, self.notes, self.references = file, notes, references
        self.depth: int = 0 if above is None else above.depth + 1
        self.included = 0
        self.root = parsed(read_bytes(file, "MJCF", MOST_BYTES), file, "MJCF")
        if self.root.tag != "mujoco":
            raise FormatError(
                f"{file}:{self.root.sourceline}: expected <mujoco> as the outermost element, found <{self.root.tag}>"
                f"{'; a URDF file ends in .urdf' if self.root.tag == 'robot' else ''}"
            )
        self._include(self.root, file.parent)
        self.meshes: list[tuple[str, tuple[float, float, float]]] = [] if above is None else above.meshes
        self.files: dict[str, bytes] = {} if above is None else above.files
        self.defaults = _Defaults(self.root)
        self.weighed: dict[str, Any] = {}
        self.meshdir, self.strippath = Path(), False

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
        compiler.set("boundmass", "1e-12")
        compiler.set("boundinertia", "1e-14")
        materials, meshes = self._assets()
        self.assets = {
            part.get("name") or Path(part.get("file") or "").stem: part
            for part in self.root.findall("asset/mesh")
        }
        self.by_geoms = compiler.get("inertiafromgeom", "auto")
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
        for part in (*self.weighed.values(), *self.models):
            asset.append(part)
        return Source(etree.tostring(root), name, self.meshes, self.files)

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
            path = self._found(name, where, folder, source) if name else None
            if path is None:
                self.notes.left_out(f"<include file={name[:80]!r}>", "the file is not there")
                parent.remove(part)
                continue
            found = parsed(read_bytes(path, "MJCF", MOST_BYTES), path, "MJCF")
            self._include(found, folder, path)
            for child in found.iter("mesh", "model"):
                if child.get("file"):
                    child.set(_FOLDER, child.get(_FOLDER) or str(path.parent))
            place = parent.index(part)
            parent.remove(part)
            for k, child in enumerate(list(found)):
                parent.insert(place + k, child)

    def _found(self, name: str, where: str, folder: Path, source: Path | None) -> Path | None:
        """A file by its path relative to the main file, or else, as MuJoCo has it, to the one that names it."""
        beside = None if source is None else source.parent
        main = self.references.allows(folder / name) and is_file(folder / name)
        elsewhere = not main and beside is not None and self.references.allows(beside / name)
        return self.references.find(name, where, beside if elsewhere else folder)

    def _compiler(self, section: Any, compiler: Any) -> None:
        for key in _COMPILER:
            if section.get(key) is not None:
                compiler.set(key, section.get(key))
        self.meshdir = Path(section.get("meshdir") or section.get("assetdir") or self.meshdir)
        self.strippath = section.get("strippath", str(self.strippath)).lower() == "true"

    def _assets(self) -> tuple[dict[str, str | None], dict[str, tuple[str, tuple[float, float, float]]]]:
        """Colours of materials, and files and scales of meshes, by name."""
        materials: dict[str, str | None] = {}
        meshes: dict[str, tuple[str, tuple[float, float, float]]] = {}
        self.models = []
        for section in self.root.findall("asset"):
            for part in section:
                name = part.get("name") or Path(part.get("file") or "").stem
                if part.tag == "material" and name:
                    materials[name] = part.get("rgba")
                elif part.tag == "mesh" and name and part.get("file"):
                    path = self.references.mesh(str(self._mesh_path(part)))
                    meshes[name] = path, _scale(self.defaults.get(part, "scale"))
                    if path.startswith(OUTSIDE):
                        self.notes.left_out(
                            f"mesh {name!r}", f"{part.get('file')!r} is not in the file's folder; see within="
                        )
                    if part.get("refpos") or part.get("refquat"):
                        self.notes.left_out(f"mesh {name!r}", "its refpos and refquat")
                elif part.tag == "model":
                    self.models.append(self._model(part))
                elif part.tag not in ("texture", "material", "mesh"):
                    self.notes.left_out(f"<{part.tag}> {name!r}", "a figure has none")
        return materials, meshes

    def _mesh_path(self, part: Any) -> Path:
        """The path of a mesh, relative to the file's folder; or to that of the included file that names it."""
        file = part.get("file")
        path = self.meshdir / (file.replace("\\", "/").rpartition("/")[2] if self.strippath else file)
        beside = Path(part.get(_FOLDER) or "") / path
        if part.get(_FOLDER) and not is_file(self.file.parent / path) and is_file(beside):
            return beside.absolute()
        return path

    def _model(self, part: Any) -> Any:
        """A model that is attached: made ready, and named as the file that MuJoCo is given."""
        where = f"{self.file}:{part.sourceline}: <model>"
        if self.depth >= _DEEPEST or len(self.files) > _MOST_FILES:
            raise FormatError(
                f"{where}: models in models more than {_DEEPEST} deep, or more than {_MOST_FILES} files"
            )
        given = Path(part.get(_FOLDER) or self.file.parent) / "x"
        path = self._found(part.get("file") or "", where, self.file.parent, given)
        if path is None:
            raise FormatError(f"{where}: {part.get('file')!r} is not there")
        found = _Preparation(path, self.notes, References(path, self.references), self).source()
        copied = copy.copy(part)
        copied.attrib.clear()
        copied.set("name", part.get("name") or path.stem)
        copied.set("file", f"model_{len(self.files)}.xml")
        self.files[copied.get("file")] = found.xml
        return copied

    def _weighed(self, name: str) -> bool:
        """Whether MuJoCo can be given a mesh whose mass is wanted."""
        if name in self.weighed:
            return True
        part = self.assets.get(name)
        if part is None:
            return False
        written = self._mesh_path(part) if part.get("file") else None
        part = copy.deepcopy(part)
        for key in ("material", "plugin", _FOLDER):
            part.attrib.pop(key, None)
        part.set("name", name)
        if written is not None:
            path = Path(self.references.mesh(str(written)))
            if not is_file(path) or path.suffix.lower() not in _MESHES or len(self.files) > _MOST_FILES:
                return False
            number = len(self.files)
            self.files[f"mesh_{number}{path.suffix.lower()}"] = read_bytes(path, "mesh", _LARGEST_MESH)
            part.set("file", f"mesh_{number}{path.suffix.lower()}")
            part.attrib.pop("content_type", None)
        self.weighed[name] = part
        return True

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
            "actuator": _ACTUATORS,
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
            if section.tag == "actuator" and not {"joint", "jointinparent"} & set(part.keys()):
                good = False
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
            if section.tag == "actuator":
                for key in set(part.keys()) - set(_EFFORT):
                    del part.attrib[key]
                self.notes.left_out("<actuator>", "of what drives joints only the greatest effort is kept")
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
        original = copy.deepcopy(part)
        for key in _CONTACT[:7]:
            part.attrib.pop(key, None)
        if default:  # what becomes of it is resolved at each geom
            part.attrib.pop("mesh", None)
            part.attrib.pop("hfield", None)
            return
        kind, name = self.defaults.get(part, "type"), self.defaults.get(part, "mesh")
        if name is None and kind not in ("mesh", "hfield", "sdf"):
            return
        for key in ("mesh", "hfield", "fromto", "density", "fitscale", "shellinertia"):
            part.attrib.pop(key, None)
        part.set("type", "sphere")
        part.set("size", "0.001")
        part.set("mass", "0")
        if name in meshes:
            part.set("name", f"{MESH_MARK}{len(self.meshes)};")
            self.meshes.append(meshes[name])
        else:
            part.set("name", f"{MESH_MARK}none {part.sourceline} {id(part)};")
            self.notes.left_out(f"geom, line {part.sourceline}", f"its {kind or 'mesh'} is not read")
        body = next((above for above in part.iterancestors() if above.tag in ("body", "worldbody")), None)
        if body is None or body.tag == "worldbody" or self.by_geoms == "false":
            return
        if self.by_geoms == "true" or body.find("inertial") is None:
            self._add_mass(part, original, name, body)

    def _add_mass(self, part: Any, original: Any, name: str | None, body: Any) -> None:
        """A second geom that has the mass of the mesh, as the file means it."""
        given = original.get("mass")
        if given is not None and given.strip() in ("0", "0.0"):
            return
        if name is None or not self._weighed(name):
            self.notes.left_out(
                f"body {body.get('name')!r}",
                f"the mass of its mesh {name!r}, whose file is not there or not in the file's folder (see within=)",
            )
            return
        for key in _CONTACT:
            original.attrib.pop(key, None)
        original.set("name", f"{MASS_MARK}{part.sourceline} {len(self.meshes)};")
        original.set("mesh", name)
        original.set("contype", "0")
        original.set("conaffinity", "0")
        part.addnext(original)


def _scale(text: str | None) -> tuple[float, float, float]:
    try:
        values = [float(word) for word in (text or "1 1 1").split()]
    except ValueError:
        values = []
    if len(values) != 3 or not all(abs(value) < 1e9 for value in values):
        return 1.0, 1.0, 1.0
    return values[0], values[1], values[2]
