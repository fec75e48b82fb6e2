"""What a new user waits for: the first call of every feature, each in a fresh process.

python -m benchmarks.first_use [--python PATH] [--json]

With --python of an environment that a wheel was installed into, that installation is measured and not the checkout. For
each: seconds of processor time of the whole process less that of `import numpy` in one run, so that a loaded machine
does not count; the wall time is told beside it. Three processes each, the least counts. Python keeps the modules'
bytecode, as it does for whatever pip has installed, also where the environment forbids it to write any.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BODY = "import manikin as mk; body = mk.human(); "
URDF = (
    '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>'
    '<child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>'
)
#: Statements by what they are the first call of; those of an extra that is not installed are told as such.
FEATURES = {
    "import manikin": "import manikin",
    "human()": "import manikin as mk; mk.human()",
    "forward kinematics": BODY + "body.pose().matrix('right_hand')",
    "solve, natural": BODY + "mk.solve(body, [mk.Position('right_hand', [0.45, -0.25, 1.2])])",
    "README's first snippet": BODY
    + "r = mk.solve(body, [mk.Position('right_hand', [0.45, -0.25, 1.20]), mk.Aim('eyes', at=[2.0, 0.0, 1.5]),"
    "mk.Pin('left_foot'), mk.Pin('right_foot'), mk.Balance(margin=0.02),"
    "mk.Outside('right_*', mk.Box(center=[0.4, 0.0, 0.72], size=[0.5, 1.2, 0.04]))]); r.explain()",
    "out of reach, explained": BODY
    + "mk.solve(body, [mk.Position('right_foot', [-0.1, -0.1, 0.9])], free=['right_hip_*', 'right_knee']).explain()",
    "method projection": BODY
    + "mk.solve(body, [mk.Position('right_hand', [0.4, -0.2, 1.2])], method='projection')",
    "method damped (papers)": BODY
    + "mk.solve(body, [mk.Position('right_hand', [0.4, -0.2, 1.2])], method='damped', fixed='spine_*')",
    "solve_many": BODY
    + "import numpy as np; mk.solve_many(body, [mk.Position('right_hand', [0.4, -0.2, 1.2])],"
    " targets=np.tile([0.4, -0.2, 1.2], (100, 1)))",
    "solve_path": BODY + "import numpy as np; mk.Problem(body, [mk.Position('right_hand', [0.4, -0.2, 1.2])])"
    ".solve_path(np.linspace([0.4, -0.2, 1.2], [0.4, 0.0, 1.2], 100))",
    "Arm": BODY + "mk.Arm(body, 'right').solve(body.pose({'right_elbow': 1.0}).matrix('right_hand'))",
    "interpolate": BODY
    + "mk.interpolate([body.pose(), body.pose({'left_elbow': 1.0})], [0.0, 1.0]).sample(0.5)",
    "track": BODY
    + "import numpy as np; mk.track(body, [mk.Along(mk.Position('right_hand', [0.4, -0.2, 1.2]),"
    " mk.Line([0.4, -0.2, 1.2], [0.4, 0.0, 1.2]))], np.linspace(0.0, 1.0, 100), fixed='root_*')",
    "population": "import manikin as mk; mk.population(10)",
    "markers": BODY + "import numpy as np; from manikin.markers import Markers, Tracker, marker_set;"
    "from manikin.markers.places import marker_places; places = marker_set(body, 'plug_in_gait');"
    "q = np.zeros((20, body.n)); Tracker(body, places).track(Markers(places, np.arange(20) / 100.0,"
    " marker_places(body, q, places)))",
    "workspace": BODY + "from manikin.reach import workspace; workspace(body, 'right_hand',"
    " free=body.chain('right_shoulder', 'right_hand'), pitch=0.2, samples=2000)",
    "load URDF": f"import manikin as mk; mk.load('''{URDF}''')",
    "load NPZ": "import manikin as mk; mk.load('f.npz')",
    "load BVH": "import manikin as mk; mk.load('f.bvh')",
    "load GLB": "import manikin as mk; mk.load('f.glb')",
    "load Peabody": "import manikin as mk; mk.load('f.fig')",
    "load MJCF": "import manikin as mk; mk.load('f.xml')",
    "a page for a notebook": BODY + "body.pose()._repr_html_()",
    "a picture": BODY + "from manikin.pictures import picture; picture(body, 'p.png', quality='draft')",
    "manikin --version": "from manikin.cli.main import app; app(['--version'])",
    "manikin info human": "from manikin.cli.main import app; app(['info', 'human'])",
}
#: Written once, to be read by what loads.
FILES = (
    "import manikin as mk; body = mk.human(fingers=False);"
    "motion = mk.interpolate([body.pose(), body.pose({'left_elbow': 1.0})], [0.0, 1.0], figure=body);"
    "mk.save(motion, 'f.npz'); mk.save(motion, 'f.bvh'); mk.save(motion, 'f.glb'); mk.save(body, 'f.fig');"
    "mk.save(body, 'f.xml')"
)
MEASURE = (
    "import time as _t; _w, _c = _t.perf_counter(), _t.process_time()\n"
    "try:\n exec({code!r})\n"
    "except SystemExit: pass\n"
    "import sys as _s; _s.stderr.write('\\n%f %f' % (_t.process_time() - _c, _t.perf_counter() - _w))"
)
#: Seconds of processor time beyond NumPy's import that a first call may take.
MOST = 0.5


def measured(python: str, code: str, folder: str) -> tuple[float, float] | str:
    """The least processor and wall time of three processes; or the last line of what went wrong."""
    best = (float("inf"), float("inf"))
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for _ in range(3):
        command = [python, "-c", MEASURE.format(code=code)]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=folder, env=environment, check=False
        )
        if done.returncode:
            return done.stderr.strip().splitlines()[-1]
        cpu, wall = map(float, done.stderr.split()[-2:])
        best = min(best, (cpu, wall))
    return best


def main() -> None:
    """Measure and print all."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--python", default=sys.executable)
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([given.python, "-c", FILES], cwd=folder, check=False, capture_output=True)
        numpy = measured(given.python, "import numpy", folder)
        assert not isinstance(numpy, str)
        found["import numpy"] = numpy
        for name, code in FEATURES.items():
            found[name] = result = measured(given.python, code, folder)
            if not given.json:
                print(line(name, result, numpy[0]), flush=True)
    if given.json:
        print(json.dumps({"executable": Path(given.python).name, "seconds": found}, indent=1))


def line(name: str, result: tuple[float, float] | str, numpy: float) -> str:
    """One row."""
    if isinstance(result, str):
        return f"{name:28} {result[:90]}"
    cpu, wall = result
    more = cpu - numpy
    return f"{name:28} {cpu:7.3f} s CPU, {more:7.3f} beyond NumPy, {wall:7.3f} s wall{'   OVER' if more > MOST else ''}"


if __name__ == "__main__":
    main()
