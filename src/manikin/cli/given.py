"""What commands are told about a figure and its goals: options of one meaning everywhere.

Lengths are metres and angles degrees, as in scene files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manikin.errors import FormatError, GoalError

if TYPE_CHECKING:
    from manikin.cli.info import Base
    from manikin.figure import Coupling, Figure, Pose
    from manikin.goals import Goal, Region

FigureArgument = Annotated[
    str,
    typer.Argument(help='A figure\'s file (URDF, MJCF, BVH, glTF, OpenSim …), "human", or a scene (.toml).'),
]
Stature = Annotated[float | None, typer.Option(help="Stature of the human, m.")]
Sex = Annotated[str | None, typer.Option(help="Sex of the human: male or female.")]
Percentile = Annotated[
    float | None, typer.Option(help="Percentile of the human in the population, 0 to 100.")
]
Age = Annotated[float | None, typer.Option(help="Age of the human, years.")]
Goals = Annotated[
    list[str] | None,
    typer.Option(
        "--goal",
        metavar="SITE=X,Y,Z",
        help='A site at a point, m; with " rpy=R,P,Y" (degrees) or " wxyz=W,X,Y,Z" turned so too. May be repeated.',
    ),
]
LookAts = Annotated[
    list[str] | None,
    typer.Option(
        "--look-at", metavar="SITE=X,Y,Z", help="A site that points at a point, m. May be repeated."
    ),
]
Pins = Annotated[
    list[str] | None,
    typer.Option("--pin", metavar="SITE", help="A site that stays where the start has it. May be repeated."),
]
Balances = Annotated[
    bool, typer.Option("--balance", help="The centre of mass above what the figure stands on.")
]
Posture = Annotated[
    str | None,
    typer.Option(metavar="PRESET", help="A posture of the human to stay near: stand, sit, reach …"),
]
Obstacles = Annotated[
    list[str] | None,
    typer.Option(
        "--obstacle",
        metavar="REGION",
        help="A region to stay out of: box:X,Y,Z,SX,SY,SZ (centre and full size), sphere:X,Y,Z,R, "
        "capsule:X,Y,Z,X,Y,Z,R or half_space:X,Y,Z,NX,NY,NZ. May be repeated.",
    ),
]
Start = Annotated[
    str | None,
    typer.Option(metavar="PRESET|FILE", help="Where to start: a posture of the human, or a pose as JSON."),
]
Free = Annotated[
    list[str] | None,
    typer.Option(metavar="PATTERN", help="Degrees of freedom that may move. May be repeated."),
]
Fixed = Annotated[
    list[str] | None,
    typer.Option(metavar="PATTERN", help="Degrees of freedom that may not move. May be repeated."),
]
Tolerance = Annotated[
    str | None,
    typer.Option(metavar="M,DEG", help="Errors within which a goal counts as reached. Default: 0.0001,0.057"),
]


@dataclass(frozen=True)
class Given:
    """A start pose, goals, constraints and further options of `solve`, from a scene, from options or from both.

    file: the scene's, if there is one.
    """

    start: Pose
    goals: list[Any]
    constraints: tuple[Coupling, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    file: Path | None = None

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Put the scene's file, if there is one, in front of what is wrong with its problem."""
        if self.file is None:
            yield
            return
        from manikin.formats.tables import Table

        with Table(str(self.file), {}).blamed():
            yield

    @property
    def name(self) -> str:
        """A name for what is made of it."""
        return self.file.stem if self.file is not None else self.start.figure.name


@dataclass(frozen=True)
class Wanted:
    """The options as they were typed."""

    base: Base | None = None
    unit: str | None = None
    up: str | None = None
    stature: float | None = None
    sex: str | None = None
    percentile: float | None = None
    age: float | None = None
    goals: Sequence[str] | None = None
    look_at: Sequence[str] | None = None
    pins: Sequence[str] | None = None
    balance: bool = False
    posture: str | None = None
    obstacles: Sequence[str] | None = None
    start: str | None = None
    free: Sequence[str] | None = None
    fixed: Sequence[str] | None = None
    tolerance: str | None = None


def given(figure: str, wanted: Wanted, within: Sequence[Path] | None = None) -> Given:
    """The figure, its start and its goals; those of a scene come before those of options."""
    if figure.lower().endswith(".toml"):
        from manikin.formats.scene import read_scene

        scene = read_scene(figure, within=within)
        for name in ("base", "unit", "up", "stature", "sex", "percentile", "age"):
            if getattr(wanted, name) is not None:
                raise FormatError(f"--{name}: a scene says it itself, under [options]; got {figure}")
        found = Given(scene.start, list(scene.goals), scene.constraints, dict(scene.options), Path(figure))
    else:
        found = Given(_figure(figure, wanted, within).pose(), [])
    start = found.start if wanted.start is None else _start(found.start.figure, wanted.start)
    goals, more = found.goals, _goals(start, wanted)
    if more and any(isinstance(entry, list) for entry in goals):
        goals = [[*goals[0], *more], *goals[1:]]
    else:
        goals = [*goals, *more]
    options = dict(found.options)
    for name in ("free", "fixed"):
        if getattr(wanted, name):
            options[name] = list(getattr(wanted, name))
    if wanted.tolerance is not None:
        metres, degrees = numbers(wanted.tolerance, 2, "--tolerance")
        options["tolerance"] = metres, math.radians(degrees)
    return Given(start, goals, found.constraints, options, found.file)


def _figure(figure: str, wanted: Wanted, within: Sequence[Path] | None) -> Figure:
    own = ("stature", "sex", "percentile", "age")
    told: dict[str, Any] = {name: value for name in own if (value := getattr(wanted, name)) is not None}
    base = None if wanted.base is None else wanted.base.value
    if figure == "human":
        from manikin.figure.human import human

        return human(**told) if base is None else human(**told, base=base)
    if told:
        raise FormatError(f"--{next(iter(told))} is of the human; the figure is {figure}")
    from manikin.cli.convert import number, options
    from manikin.formats import load

    read = options(Path(figure), "read", {"base": base, "unit": number(wanted.unit), "up": wanted.up})
    return load(figure, within=within, **read)


def _start(figure: Figure, text: str) -> Pose:
    from manikin.figure import Pose
    from manikin.figure.human import preset

    if Path(text).suffix.lower() == ".json":
        from manikin.files import read_text

        return Pose.from_json(figure, read_text(Path(text), "JSON", 1 << 24))
    return preset(figure, text)


def _goals(start: Pose, wanted: Wanted) -> list[Goal]:
    from manikin.figure.human import preset
    from manikin.goals import Aim, Balance, Outside, Pin, Posture

    found: list[Goal] = [goal_of(text) for text in wanted.goals or ()]
    for text in wanted.look_at or ():
        site, target = _named(text, "--look-at")
        found.append(Aim(site, numbers(target, 3, f"--look-at {site}")))
    found += [Pin(site) for site in wanted.pins or ()]
    if wanted.balance:
        found.append(Balance())
    found += [Outside("*", region_of(text)) for text in wanted.obstacles or ()]
    if wanted.posture is not None:
        found.append(Posture(preset(start.figure, wanted.posture)))
    return found


def goal_of(text: str) -> Goal:
    """The goal of ``"hand=0.4,0.2,0.5 rpy=180,0,0"``: a Position, an Orientation or a Placement."""
    from manikin.formats.tables import Table
    from manikin.goals import Orientation, Placement, Position

    site, rest = _named(text, "--goal")
    parts = rest.split()
    target = None if not parts or "=" in parts[0] else numbers(parts.pop(0), 3, f"--goal {site}")
    turned: dict[str, object] = {}
    for part in parts:
        name, _, value = part.partition("=")
        if name not in ("rpy", "wxyz"):
            raise GoalError(f"--goal {site}: after the point comes rpy=R,P,Y or wxyz=W,X,Y,Z, got {part!r}")
        turned[name] = numbers(value, 3 if name == "rpy" else 4, f"--goal {site}: {name}")
    if not turned:
        if target is None:
            raise GoalError(f"--goal {site}: must be X,Y,Z, rpy=R,P,Y or both, got {rest!r}")
        return Position(site, target)
    rotation = Table(f"--goal {site}", turned).one_rotation()
    return Orientation(site, rotation) if target is None else Placement(site, target, rotation)


def region_of(text: str) -> Region:
    """The region of ``"box:0.4,0,0.7,0.5,1.2,0.04"``."""
    from manikin.goals import Ball, Box, Capsule, HalfSpace

    kind, _, rest = text.partition(":")
    sizes = {"box": 6, "sphere": 4, "capsule": 7, "half_space": 6}
    if kind not in sizes:
        raise GoalError(
            f"--obstacle: must begin with {', '.join(f'{name}:' for name in sizes)}, got {text!r}"
        )
    x = numbers(rest, sizes[kind], f"--obstacle {kind}")
    if kind == "box":
        return Box(x[:3], x[3:])
    if kind == "sphere":
        return Ball(x[:3], x[3])
    return Capsule(x[:3], x[3:6], x[6]) if kind == "capsule" else HalfSpace(x[:3], x[3:])


def _named(text: str, option: str) -> tuple[str, str]:
    site, equal, rest = text.partition("=")
    if not equal or not site.strip():
        raise GoalError(f"{option}: must be SITE=X,Y,Z, got {text!r}")
    return site.strip(), rest.strip()


def numbers(text: str, count: int, option: str) -> list[float]:
    """Finite numbers with commas between them."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if len(found) != count or not all(math.isfinite(value) for value in found):
        raise FormatError(f"{option}: must be {count} numbers with commas between them, got {text!r}")
    return found
