"""What is learned from: everyday postures of the recordings, as goals and coordinates, with what was done and in what
style.

Everything is in units of the person's stature (as told by the legs, `retarget.Person`); places are in the world, so
that the learning may choose its frame by which feet are given.

    python -m tools.posture.dataset RETARGETED.npz OUT.npz
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np

from manikin.figure.human.natural import STYLES
from tools.posture import body, recorded as rec, retarget
from tools.posture.recorded import SIDES, Recorded

#: Not how people go about their day: animals, dances, sports with somersaults, climbing frames, swimming.
_ODD = re.compile(
    r"human subject|danc|flip|cartwheel|handstand|hand ?spring|climb|swing|stroke|free style|monkey|flamingo|quail|"
    r"breakd|bird|roll|summers|moonwalk|acrobat|crawl|salsa|charleston|lindy|sword|upside|slip|fall|t-pose|gorilla|"
    r"stretch|yoga|sun salut|macarena|upright|break|motorcycle|karate|geri|uke|empi|heian|duki|barai|kick|zombie|"
    r"mummy|butterfly|airplane|helicopter|dive|fly|jump|hop|run|jog|punch|teapot|dinosaur|chicken|genie|ghost|genie",
    re.IGNORECASE,
)
#: What was done, by words of the clip's text, for the check; the posture has to fit as well.
CATEGORIES = ("reach", "bend", "squat", "walk", "carry", "sit")


#: Feet that the fit leaves farther off, radians, are recorded as no ankle can turn them.
FEET = np.radians(30.0)


def posture_measures(recorded: Recorded, stature: np.ndarray) -> dict[str, np.ndarray]:
    """Heights over the ankles in statures, angles in degrees."""
    p = recorded.points
    floor = np.minimum(p["left_ankle"][:, 2], p["right_ankle"][:, 2])
    trunk = rec.middle(p, "shoulder") - rec.middle(p, "hip")
    lean = np.degrees(np.arccos(np.clip(trunk[:, 2] / np.linalg.norm(trunk, axis=1), -1.0, 1.0)))
    knees = np.degrees(np.stack([rec.bend(p, f"{s}_hip", f"{s}_knee", f"{s}_ankle") for s in SIDES], axis=1))
    pelvis = (rec.middle(p, "hip")[:, 2] - floor) / stature
    knee_height = np.stack([(p[f"{s}_knee"][:, 2] - floor) / stature for s in SIDES], axis=1)
    facing = recorded.frames["pelvis"][:, :, 0]
    level = facing[:, :2] / np.maximum(np.linalg.norm(facing[:, :2], axis=1), 1e-9)[:, None]
    shoulders = rec.middle(p, "shoulder")
    ahead = np.stack(
        [np.einsum("ni,ni->n", (p[f"{s}_wrist"] - shoulders)[:, :2], level) / stature for s in SIDES], axis=1
    )
    above = np.stack([(p[f"{s}_wrist"] - p[f"{s}_shoulder"])[:, 2] / stature for s in SIDES], axis=1)
    low = np.stack([(p[f"{s}_wrist"][:, 2] - floor) / stature for s in SIDES], axis=1)
    behind = -np.einsum("ni,ni->n", (rec.middle(p, "hip") - rec.middle(p, "ankle"))[:, :2], level) / stature
    apart = np.linalg.norm((p["left_ankle"] - p["right_ankle"])[:, :2], axis=1) / stature
    return {
        "floor": floor,
        "lean": lean,
        "knees": knees,
        "pelvis": pelvis,
        "knee_height": knee_height,
        "ahead": ahead,
        "above": above,
        "low": low,
        "step": np.abs(p["left_ankle"][:, 2] - p["right_ankle"][:, 2]) / stature,
        "apart": apart,
        "behind": behind,
    }


def sitting(m: dict[str, np.ndarray], said: np.ndarray) -> np.ndarray:
    """Upright on a seat: said so, or the pelvis so far behind the feet that nobody could stand."""
    unsupported = (m["behind"] > 0.15) & (m["knee_height"].min(axis=1) > 0.15)
    return (m["pelvis"] < 0.36) & (m["lean"] < 60.0) & (said | unsupported)


def usual(recorded: Recorded) -> np.ndarray:
    """Where the text says nothing odd."""
    return np.array([_ODD.search(str(text)) is None for text in recorded.text])


def grounded(recorded: Recorded, stature: np.ndarray, off: np.ndarray, feet: np.ndarray) -> np.ndarray:
    """Standing, walking, bending, sitting…: feet low and below the pelvis, the fit good (off: metres; feet: radians,
    as of `retarget`).
    """
    m = posture_measures(recorded, stature)
    ground = np.zeros(recorded.count)
    for person in np.unique(recorded.person):
        mine = recorded.person == person
        ground[mine] = np.quantile(m["floor"][mine], 0.05)
    low = np.abs(m["floor"] - ground) / stature < 0.12
    upright = (m["pelvis"] > 0.02) & (m["step"] < 0.25) & (m["lean"] < 135.0) & (m["apart"] < 0.6)
    up = recorded.frames["pelvis"][:, 2, 2] > 0.0
    return low & upright & up & (off < 0.02) & (feet < FEET)


def everyday(recorded: Recorded, stature: np.ndarray, off: np.ndarray, feet: np.ndarray) -> np.ndarray:
    """The grounded postures of clips with nothing odd: those that are checked on."""
    return grounded(recorded, stature, off, feet) & usual(recorded)


def categories(recorded: Recorded, stature: np.ndarray) -> np.ndarray:
    """The number of a posture's category, −1 for none: who kneels or lies neither reaches, squats nor sits."""
    m = posture_measures(recorded, stature)
    text = np.array([str(t).lower() for t in recorded.text])

    def says(*words: str) -> np.ndarray:
        return np.array([any(word in t for word in words) for t in text])

    knees, lean = m["knees"], m["lean"]
    kneeling = (m["pelvis"] <= 0.36) & (m["knee_height"].min(axis=1) < 0.10)
    seated = (
        sitting(m, says("sit", "chair", "stool", "seat"))
        & ~kneeling
        & (m["pelvis"] > 0.1)
        & (knees.min(axis=1) > 55.0)
    )
    squat = ~seated & ~kneeling & (m["pelvis"] < 0.36) & (m["pelvis"] > 0.06) & (knees.min(axis=1) > 60.0)
    bent = ~seated & ~squat & (lean > 35.0) & (knees.max(axis=1) < 75.0)
    carrying = (
        ~seated & ~squat & ~bent & says("carry", "pick", "box", "lift", "basket", "push", "mug", "hold")
    )
    reaching = (
        ~seated
        & ~squat
        & ~bent
        & ~carrying
        & (m["pelvis"] > 0.36)
        & ((m["above"].max(axis=1) > 0.0) | (m["ahead"].max(axis=1) > 0.27))
        & (knees.max(axis=1) < 75.0)
    )
    walking = ~seated & ~squat & ~bent & ~carrying & ~reaching & says("walk") & (lean < 25.0)
    result = np.full(recorded.count, -1)
    for k, chosen in enumerate((reaching, bent, squat, walking, carrying, seated)):
        result[chosen] = k
    return result


def styles(recorded: Recorded, stature: np.ndarray) -> np.ndarray:
    """The number of a posture's style (`manikin.figure.human.natural.STYLES`)."""
    m = posture_measures(recorded, stature)
    knees, lean, pelvis = m["knees"], m["lean"], m["pelvis"]
    result = np.full(recorded.count, STYLES.index("stand"))
    stoop = (lean > 40.0) & (pelvis > 0.36)
    low = pelvis <= 0.36
    lowest = m["knee_height"].min(axis=1)
    kneel = low & ((lowest < 0.06) | ((knees.max(axis=1) > 100.0) & (lowest < 0.10)))
    text = np.array([bool(re.search(r"sit|chair|stool|seat", str(t), re.IGNORECASE)) for t in recorded.text])
    sit = low & ~kneel & (sitting(m, text) | (pelvis < 0.06))
    result[stoop] = STYLES.index("stoop")
    result[low] = STYLES.index("squat")
    result[kneel] = STYLES.index("kneel")
    result[sit] = STYLES.index("sit")
    return result


def main(retargeted: Path, out: Path) -> None:
    """Write the dataset."""
    recorded = rec.load()
    with np.load(retargeted) as data:
        q, off, feet, statures = data["q"], data["off"], data["feet"], data["statures"]
        dofs = list(data["dofs"])
    stature = statures[recorded.person]
    kept = grounded(recorded, stature, off, feet)
    own = recorded.taken(kept)
    s = stature[kept][:, None]
    coordinates = q[kept][:, [dofs.index(name) for name in body.COORDINATES]]
    places = {name: own.points[name] / s for name in own.points}
    places["pelvis"] = rec.middle(own.points, "hip") / s
    coordinates[:, :3] = places["pelvis"]
    head, ratio = np.zeros((kept.sum(), 3)), np.ones((kept.sum(), len(body.LENGTHS)))
    for person in np.unique(own.person):
        mine = own.person == person
        who = retarget.person_of(recorded.taken(recorded.person == person))
        head[mine] = who.figure.forward(q[kept][mine], ["head"])[:, 0, :3, 3] / who.stature
        ratio[mine] = [who.ratio[name] for name in body.LENGTHS]
    places["head"] = head
    ordinary = usual(own)
    category = np.where(ordinary, categories(own, s[:, 0]), -1)
    style = styles(own, s[:, 0])
    people = len(np.unique(own.person))
    print(f"{kept.sum()} of {recorded.count} postures of {people} people, {ordinary.sum()} of them everyday")
    for k, name in enumerate(CATEGORIES):
        mine = category == k
        print(f"  {name}: {mine.sum()} of {len(np.unique(own.person[mine]))} people")
    for k, name in enumerate(STYLES):
        print(f"  style {name}: {(style == k).sum()} of {len(np.unique(own.person[style == k]))} people")
    np.savez_compressed(
        out,
        coordinates=coordinates.astype(np.float32),
        joints=np.stack([places[name] for name in body.JOINTS], axis=1).astype(np.float32),
        left_foot=own.frames["left_foot"].astype(np.float32),
        right_foot=own.frames["right_foot"].astype(np.float32),
        head=own.frames["head"].astype(np.float32),
        pelvis=own.frames["pelvis"].astype(np.float32),
        ratio=ratio.astype(np.float32),
        person=own.person,
        category=category,
        style=style,
        usual=ordinary,
        index=np.flatnonzero(kept),
        **{f"body_{name}": value for name, value in body.constants().items()},
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
