from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import fuzzing
import numpy as np
import pytest
from c3d_files import MIPS, c3d
from test_bvh import SMALL
from test_peabody import FOUR_BAR, TABLE
from test_urdf import GOOD
from tests.fuzz.files import SMALL_SCENE, URDF

import manikin as mk
from manikin.closed_form.swivel_table import SwivelTable
from manikin.formats.contents import Contents
from manikin.formats.skin import Skin
from manikin.markers import Markers
from manikin.markers.files.storage import write_table
from manikin.motion.motion import Motion
from manikin.reach.grid import Grid
from manikin.reach.voxels import Workspace

FORMATS = (".bvh", ".urdf", ".xml", ".glb", ".gltf", ".vrm", ".fig", ".npz", ".osim", *fuzzing.OTHERS)
MESHES = (".stl", ".obj", ".ply", ".off", ".dae", "-mesh.glb")
SETUP = """<OpenSimDocument Version="40000"><InverseKinematicsTool name="ik"><model_file>model.osim</model_file>
<marker_file>walk.trc</marker_file><time_range>0 1</time_range><IKTaskSet><objects>
<IKMarkerTask name="A"><apply>true</apply><weight>1</weight></IKMarkerTask>
<IKCoordinateTask name="q"><weight>2</weight><value_type>manual_value</value_type><value>0.5</value></IKCoordinateTask>
</objects></IKTaskSet></InverseKinematicsTool></OpenSimDocument>"""
SCALING = """<OpenSimDocument Version="40000"><ScaleTool name="scaled"><mass>69</mass><GenericModelMaker>
<model_file>model.osim</model_file></GenericModelMaker><ModelScaler><apply>true</apply>
<scaling_order> measurements manualScale</scaling_order><MeasurementSet><objects><Measurement name="torso">
<apply>true</apply><MarkerPairSet><objects><MarkerPair><markers> A B</markers></MarkerPair></objects></MarkerPairSet>
<BodyScaleSet><objects><BodyScale name="t"><axes> X Y Z</axes></BodyScale></objects>
</BodyScaleSet></Measurement></objects></MeasurementSet><ScaleSet><objects><Scale name="">
<scales> 1 1.1 0.9</scales><segment>t</segment><apply>true</apply></Scale></objects></ScaleSet>
<marker_file>static.trc</marker_file><time_range>0 1</time_range></ModelScaler></ScaleTool>
</OpenSimDocument>"""
MARKERS = """<OpenSimDocument Version="40000"><MarkerSet name="set"><objects><Marker name="A">
<socket_parent_frame>/bodyset/t</socket_parent_frame><location>0.1 0.2 0.3</location><fixed>true</fixed></Marker>
</objects></MarkerSet></OpenSimDocument>"""
SENSORS = """DataRate=100
DataType=Quaternion
version=3
OpenSimVersion=4.2
endheader
time\ttorso_imu\tpelvis_imu
0.00\t1,0,0,0\t0.7071,0.7071,0,0
0.01\t0.9,0.1,0.3,0.1\t0.6,0.8,0,0
"""
STUDY = """site = "right_hand"
posture = "sit"
[population]
n = 3
sex = "both"
age = [20, 60]
[figure]
fingers = false
[points]
list = [[0.4, -0.2, 1.0], [0.5, 0.0, 1.2]]
[study]
chunk = 2
tolerance = { position = 0.001, orientation_degrees = 0.6 }
"""

TEXTS = {
    "-setup.xml": SETUP,
    "-study.toml": STUDY,
    "-scaling.xml": SCALING,
    "-markers.xml": MARKERS,
    "-sensors.sto": SENSORS,
}


def character():
    """A small figure with a joint of every kind, a clip and a skin."""
    joints = [
        mk.Joint("neck", "hips", "head", "ball", (0, 0, 0.5)),
        mk.Joint.revolute("knee", "hips", "leg", "y", placement=(0, 0, -0.4), lower=0, upper=2),
        mk.Joint("loose", "leg", "foot", "free", (0, 0, -0.4)),
    ]
    figure = mk.Figure(
        "someone", ["hips", "head", "leg", "foot"], joints, [mk.Site("toe", "foot")], base="free"
    )
    rng = np.random.default_rng(4)
    clip = Motion(figure, [0.0, 0.5, 1.0], 0.3 * rng.random((3, figure.n)), name="wave")
    skin = Skin(
        "shell",
        rng.random((6, 3)),
        [[0, 1, 2], [3, 4, 5]],
        ["hips", "head"],
        np.stack([np.eye(4)] * 2),
        np.zeros((6, 1)),
        np.ones((6, 1)),
        (1.0, 0.5, 0.0),
    )
    return Contents(figure, (clip,), (skin,))


def humanoid():
    """A figure that has the bones of a VRM and no more, with a clip."""
    parents = {"spine": "hips", "head": "spine"}
    for side in ("left", "right"):
        limb = [f"{side}{part}" for part in ("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot")]
        above = ["spine", limb[0], limb[1], "hips", limb[3], limb[4]]
        parents |= dict(zip(limb, above, strict=True))
    joints = [mk.Joint(f"to_{name}", above, name, "ball", (0, 0, 0.1)) for name, above in parents.items()]
    figure = mk.Figure("body", ["hips", *parents], joints, base="free")
    clip = Motion(figure, [0.0, 1.0], [figure.rest, figure.rest + 0.1], name="bow")
    return Contents(figure, (clip,), (), {name: name for name in figure.segments})


def seeds(suffix: str, folder: Path) -> list[Path]:
    """Good files of a format to begin from."""
    texts = {".bvh": SMALL, ".urdf": GOOD, ".fig": TABLE}
    if suffix == ".xml":
        from test_mjcf import ODD

        texts[suffix] = ODD
    found = []
    if suffix in texts:
        found.append(folder / f"text{suffix}")
        found[0].write_text(texts[suffix])
    if suffix in fuzzing.OTHERS or suffix == ".osim":
        return other_seeds(suffix, folder)
    if suffix == ".fig":
        found.append(folder / "loop.fig")
        found[-1].write_text(FOUR_BAR)
        found.append(folder / "extended.fig")
        mk.save(mk.load(found[-2]).with_couplings("a <= 1"), found[-1])
    if suffix == ".vrm":
        nodes = {"nodes": [{"name": "a", "children": [1]}, {"name": "b"}], "scenes": [{"nodes": [0]}]}
        old = [{"bone": "hips", "node": 0}, {"bone": "head", "node": 1}]
        new = {"hips": {"node": 0}, "head": {"node": 1}}
        for name, bones in (("VRM", old), ("VRMC_vrm", new)):
            human = {"extensions": {name: {"humanoid": {"humanBones": bones}}}}
            found.append(folder / f"{name}.vrm")
            found[-1].write_text(json.dumps({"asset": {"version": "2.0"}, **nodes, **human}))
        found.append(folder / "written.vrm")
        mk.save(humanoid(), found[-1], bones=False)
    else:
        what = character()
        if suffix == ".xml":
            what = Contents(what.figure, what.clips)
        mk.save(what, folder / f"written{suffix}")
        found.append(folder / f"written{suffix}")
    return found


def other_seeds(suffix: str, folder: Path) -> list[Path]:
    """Good files of a kind that is not written as figures are."""
    path = folder / f"good{suffix}"
    positions = np.random.default_rng(3).random((4, 3, 3))
    positions[1, 0] = np.nan
    times = np.arange(4) / 10.0
    if suffix in (".trc", ".csv"):
        Markers(["A", "B", "C"], times, positions).save(path)
    elif suffix == ".c3d":
        path.write_bytes(c3d(positions, ["A", "B", "C"], analog=(2, 3)))
        (folder / "integers.c3d").write_bytes(
            c3d(1e3 * positions, ["A", "B", "C"], processor=MIPS, real=False)
        )
        return [path, folder / "integers.c3d"]
    elif suffix == ".mot":
        write_table(path, times, {"a": times, "b": -times})
    elif suffix == ".osim":
        path.write_bytes((Path(__file__).parent / "osim" / "data" / "every_joint.osim").read_bytes())
    elif suffix in MESHES:
        import trimesh

        body = trimesh.creation.icosphere(1) if suffix != ".dae" else trimesh.creation.box()
        body.visual.face_colors = [200, 100, 50, 255]
        body.export(path)
    elif suffix == "-motion.npz":
        Motion(fuzzing.simple(), times, times[:, None], name="wave").save(path)
    elif suffix == "-workspace.npz":
        grid = Grid.box((0, 0, 0), (0.2, 0.2, 0.3), 0.1)
        inside = np.arange(grid.size).reshape(grid.shape) % 3 == 0
        Workspace("arm", "hand", grid, inside, inside).save(path)
    elif suffix == "-scene.toml":
        (folder / "lamp.urdf").write_text(URDF)
        path.write_text(SMALL_SCENE)
    elif suffix == "-swivels.json":
        SwivelTable([0, 0, 0], [1, 1, 1], np.linspace(-1, 1, 24).reshape(2, 2, 3, 2)).save(path)
    elif suffix == "-pose.json":
        path.write_text(fuzzing.simple().pose([0.3]).to_json())
    elif suffix == "-targets.csv":
        path.write_text("time,x,y,z\n0,0.1,0.2,0.3\n0.1,0.1,,0.3\n0.2,0.2,0.2,0.3\n")
    elif suffix == "-targets.npz":
        np.savez(path, times=times, tip=np.zeros((len(times), 3)))
    else:
        path.write_text(TEXTS[suffix])
    return [path]


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_mutated_file_gives_a_figure_or_an_error_of_ours(tmp_path, suffix):
    if suffix == ".xml":
        pytest.importorskip("mujoco")
    if suffix in MESHES:
        pytest.importorskip("trimesh")
    data = [path.read_bytes() for path in seeds(suffix, tmp_path)]
    outcome, wrong = fuzzing.run(suffix, 300, 1, data, tmp_path)
    assert not wrong
    assert outcome["figure"] > 10 and outcome["error"] > 10


@pytest.mark.long
@pytest.mark.parametrize("suffix", FORMATS)
def test_a_hundred_thousand_mutated_files_give_a_figure_or_an_error_in_bounded_memory(tmp_path, suffix):
    if suffix == ".xml":
        pytest.importorskip("mujoco")
    command = [sys.executable, str(Path(fuzzing.__file__)), suffix, "100000", "7"]
    done = subprocess.run(
        [*command, *map(str, seeds(suffix, tmp_path))], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
