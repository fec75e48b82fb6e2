"""The surfaces of a glTF file: meshes bound to a skeleton, and meshes that stand on one node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from manikin.formats.contents import Notes
from manikin.formats.gltf.container import Document
from manikin.formats.gltf.nodes import Scene
from manikin.formats.skin import Skin

_TRIANGLES = 4


def skin_joints(doc: Document, count: int) -> set[int]:
    """The nodes that are joints of some skin."""
    return {
        doc.index(entry, count, f"skin {k}: joints")
        for k, skin in enumerate(doc.entries("skins"))
        for entry in doc.sequence(skin.get("joints"), f"skin {k}: joints")
    }


def read_skins(
    doc: Document, scene: Scene, carrier: Mapping[int, int], names: Mapping[int, str], notes: Notes
) -> list[Skin]:
    """Every mesh of the scene that moves with the figure, one Skin a primitive.

    carrier: the segment's node that each node stands on. names: the segments', by node.
    """
    found = []
    meshes = doc.entries("meshes")
    for k in scene.order:
        entry = doc.entries("nodes")[k]
        if "mesh" not in entry:
            continue
        number = doc.index(entry["mesh"], len(meshes), f"node {k}: mesh")
        extras = meshes[number].get("extras")
        if isinstance(extras, dict) and extras.get("manikin") == "bones":
            continue  # drawn by our own writer, for figures that have no shape
        if "skin" in entry:
            binding = _skin_binding(doc, entry["skin"], scene, names, f"node {k}")
        else:
            binding = _rigid_binding(scene, k, carrier, names)
        if binding is None:
            continue
        for p, primitive in enumerate(doc.sequence(meshes[number].get("primitives"), f"mesh {number}")):
            where = f"mesh {number}, primitive {p}"
            name = doc.text(meshes[number].get("name"), scene.nodes[k].name)
            skin = _primitive(doc, doc.mapping(primitive, where), name, where, binding, notes)
            if skin is not None:
                found.append(skin)
    return found


def _skin_binding(
    doc: Document, number: Any, scene: Scene, names: Mapping[int, str], where: str
) -> tuple[list[str], np.ndarray, bool] | None:
    skins = doc.entries("skins")
    place = doc.index(number, len(skins), f"{where}: skin")
    entry = skins[place]
    joints = [int(joint) for joint in doc.sequence(entry.get("joints"), f"skin {place}: joints")]
    if not joints or any(joint not in names for joint in joints):
        return None
    if entry.get("inverseBindMatrices") is None:
        inverse = np.broadcast_to(np.eye(4), (len(joints), 4, 4))
    else:
        table = doc.accessor(entry["inverseBindMatrices"], ("MAT4",), f"skin {place}: inverseBindMatrices")
        if len(table) < len(joints):
            raise doc.error(f"skin {place}", f"{len(table)} inverse bind matrices for {len(joints)} joints")
        inverse = np.swapaxes(table[: len(joints)].reshape(-1, 4, 4), 1, 2)
    bind = np.array([scene.stretch(joint) @ inverse[j] for j, joint in enumerate(joints)])
    return [names[joint] for joint in joints], bind, True


def _rigid_binding(
    scene: Scene, k: int, carrier: Mapping[int, int], names: Mapping[int, str]
) -> tuple[list[str], np.ndarray, bool] | None:
    owner = carrier.get(k, -1)
    if owner < 0:
        return None
    bind = scene.frame(k, owner) @ scene.stretch(k)
    return [names[owner]], bind[None], False


def _primitive(
    doc: Document,
    entry: dict[str, Any],
    name: str,
    where: str,
    binding: tuple[list[str], np.ndarray, bool],
    notes: Notes,
) -> Skin | None:
    segments, bind, skinned = binding
    attributes = doc.mapping(entry.get("attributes"), f"{where}: attributes")
    extensions = doc.mapping(entry.get("extensions"), f"{where}: extensions")
    packed = [key for key in extensions if "compression" in key]
    if entry.get("mode", _TRIANGLES) != _TRIANGLES or "POSITION" not in attributes or packed:
        what = f"compressed by {packed[0]}" if packed else "not made of triangles"
        notes.left_out(f"mesh {name!r}", f"{where} is {what}")
        return None
    if entry.get("targets"):
        notes.left_out(f"mesh {name!r}", "its morph targets")
    vertices = doc.accessor(attributes["POSITION"], ("VEC3",), where)
    count = len(vertices)
    if entry.get("indices") is None:
        order = np.arange(count)
    else:
        order = doc.accessor(entry["indices"], ("SCALAR",), f"{where}: indices")[:, 0].astype(np.int64)
    triangles = order[: 3 * (len(order) // 3)].reshape(-1, 3)
    if triangles.size and (triangles.max() >= count or triangles.min() < 0):
        raise doc.error(where, f"an index is {triangles.max()}, of {count} vertices")
    joints, weights = np.zeros((count, 1), np.int64), np.ones((count, 1))
    if skinned:
        joints, weights = _weights(doc, attributes, count, len(segments), where)
    return Skin(name, vertices, triangles, segments, bind, joints, weights, _color(doc, entry, where))


def _weights(
    doc: Document, attributes: dict[str, Any], count: int, joints: int, where: str
) -> tuple[np.ndarray, np.ndarray]:
    """All sets of four, the weights made to sum to one; a vertex without any follows the first joint."""
    places, shares = [], []
    for k in range(8):
        if f"JOINTS_{k}" not in attributes:
            break
        places.append(doc.accessor(attributes[f"JOINTS_{k}"], ("VEC4",), f"{where}: JOINTS_{k}"))
        shares.append(doc.accessor(attributes.get(f"WEIGHTS_{k}"), ("VEC4",), f"{where}: WEIGHTS_{k}"))
        if len(places[-1]) != count or len(shares[-1]) != count:
            raise doc.error(
                where, f"{count} vertices, but {len(places[-1])} joints and {len(shares[-1])} weights"
            )
    if not places:
        return np.zeros((count, 1), np.int64), np.ones((count, 1))
    place, share = np.concatenate(places, axis=1), np.maximum(np.concatenate(shares, axis=1), 0.0)
    place = np.where(share > 0.0, place, 0.0)
    if place.size and (place.max() >= joints or place.min() < 0):
        raise doc.error(where, f"a vertex follows joint {place.max():g}, of {joints}")
    total = share.sum(axis=1, keepdims=True)
    share[total[:, 0] <= 0.0, 0] = 1.0
    return place.astype(np.int64), share / np.where(total > 0.0, total, 1.0)


def _color(doc: Document, entry: dict[str, Any], where: str) -> tuple[float, float, float] | None:
    if entry.get("material") is None:
        return None
    materials = doc.entries("materials")
    material = materials[doc.index(entry["material"], len(materials), f"{where}: material")]
    metal = doc.mapping(material.get("pbrMetallicRoughness"), f"{where}: material")
    factor = doc.numbers(metal.get("baseColorFactor", [1, 1, 1, 1]), 4, f"{where}: baseColorFactor")
    red, green, blue = np.clip(factor[:3], 0.0, 1.0).tolist()
    return red, green, blue
