"""VRM: which node is which bone of a human, in version 0 and in version 1."""

from __future__ import annotations

from manikin.formats.gltf.container import Document

#: The bones without which a VRM is none.
REQUIRED = (
    "hips",
    "spine",
    "head",
    *(
        f"{side}{part}"
        for side in ("left", "right")
        for part in ("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot")
    ),
)
_FINGERS = {"index": "Index", "middle": "Middle", "ring": "Ring", "little": "Little"}
_LIMBS = {
    "clavicle": "Shoulder",
    "upper_arm": "UpperArm",
    "forearm": "LowerArm",
    "hand": "Hand",
    "thigh": "UpperLeg",
    "shank": "LowerLeg",
    "foot": "Foot",
    "toes": "Toes",
    "eye": "Eye",
    "thumb_metacarpal": "ThumbMetacarpal",
    "thumb_proximal": "ThumbProximal",
    "thumb_distal": "ThumbDistal",
    **{
        f"{finger}_{part}": f"{vrm}{'Intermediate' if part == 'middle' else part.title()}"
        for finger, vrm in _FINGERS.items()
        for part in ("proximal", "middle", "distal")
    },
}
#: The segments of `human()`.
HUMAN = {
    "hips": "pelvis",
    "spine": "l3",
    "chest": "t9",
    "upperChest": "t4",
    "neck": "c7",
    "head": "head",
    **{f"{side}{vrm}": f"{side}_{part}" for side in ("left", "right") for part, vrm in _LIMBS.items()},
}


def humanoid_nodes(doc: Document, count: int) -> tuple[dict[str, int], bool]:
    """The node of each bone, and whether the figure faces backwards, as in version 0."""
    extensions = doc.mapping(doc.json.get("extensions"), "extensions")
    if "VRMC_vrm" in extensions:
        humanoid = doc.mapping(
            doc.mapping(extensions["VRMC_vrm"], "VRMC_vrm").get("humanoid"), "VRMC_vrm: humanoid"
        )
        bones = doc.mapping(humanoid.get("humanBones"), "VRMC_vrm: humanBones")
        return {
            bone: doc.index(doc.mapping(entry, f"bone {bone!r}").get("node"), count, f"bone {bone!r}")
            for bone, entry in bones.items()
            if bone.strip()
        }, False
    if "VRM" in extensions:
        humanoid = doc.mapping(doc.mapping(extensions["VRM"], "VRM").get("humanoid"), "VRM: humanoid")
        found: dict[str, int] = {}
        for entry in doc.sequence(humanoid.get("humanBones"), "VRM: humanBones"):
            bone = doc.mapping(entry, "VRM: humanBones")
            name = doc.text(bone.get("bone"), "")
            if name:
                found[name] = doc.index(bone.get("node"), count, f"bone {name!r}")
        return found, True
    return {}, False
