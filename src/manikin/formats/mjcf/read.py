"""A figure from an MJCF file, by way of the model that MuJoCo makes of it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FigureError, FormatError, MissingExtraError, PoseError
from manikin.figure import Figure, Joint, Segment, Shape, Site, rotations, transforms
from manikin.formats.contents import Contents, Names, Notes
from manikin.formats.mjcf.source import MASS_MARK, MESH_MARK, Source, prepared
from manikin.formats.mjcf.ties import UNLIMITED, Ties, frame
from manikin.motion.motion import Motion
from manikin.references import References

_BASES = ("free", "fixed", "planar")
_FREE, _BALL, _SLIDE, _HINGE = range(4)
#: MuJoCo's kinds of transmission that act on a joint.
_JOINT, _JOINT_IN_PARENT = 0, 1
#: What MuJoCo is told to give bodies without mass (`source`).
_NO_MASS, _NO_INERTIA = 1.1e-12, 1.1e-14
#: No length, mass or angle of a figure is as great.
_GREATEST = 1e12


def read(
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    within: References | Iterable[str | os.PathLike[str]] | None = None,
) -> Contents:
    """The figure in an MJCF file, at rest as near to MuJoCo's `qpos0` as its ranges allow; key frames as clips.

    base: by default ``"free"`` where one body with a free joint stands in the world, whose frame at `qpos0` is
        then the figure's location; else ``"fixed"``, with the world as its root segment, or the one body in an
        empty world.
    within: further folders that includes and meshes may lie in, besides the file's own.

    Joints of a body that turn about one point are one joint with as many degrees of freedom, in their order,
    each of its name. Equalities of joints are followers, or couplings; connect and weld are loops; limits of
    fixed tendons are couplings. A mocap body is a site of the world.
    """
    file = Path(path)
    if base is not None and base not in _BASES:
        raise FormatError(f"{file}: unknown base {base!r}; expected one of: {', '.join(_BASES)}")
    notes = Notes()
    source = prepared(file, notes, References(file, within))
    model = compiled(file, source)
    try:
        reader = _Reader(model, source, base, notes)
        figure = reader.figure()
        clips = reader.clips(figure)
    except (FigureError, PoseError) as error:
        raise FormatError(f"{file}: {error}") from error
    return Contents(figure, tuple(clips), notes=tuple(notes))


def compiled(file: Path, source: Source) -> Any:
    """MuJoCo's model of the file."""
    try:
        import mujoco
    except ImportError:
        raise MissingExtraError(
            f"{file}: MJCF files are read through MuJoCo; install it: pip install 'manikin[formats]'"
        ) from None
    # MuJoCo prints its warnings, and writes a log where it stands, about dynamics that a figure has none of.
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        return mujoco.MjModel.from_xml_string(source.xml.decode(), source.files)
    except Exception as error:  # whatever MuJoCo makes of a broken file
        what = " ".join(str(error).split())
        raise FormatError(f"{file}: MuJoCo cannot read it: {what[:400]}") from None
    finally:
        mujoco.set_mju_user_warning(before)


class _Reader(Ties):
    def __init__(self, model: Any, source: Source, base: str | None, notes: Notes) -> None:
        import mujoco

        self.model, self.source, self.notes, self.mujoco = model, source, notes, mujoco
        for array in (
            model.body_pos,
            model.body_quat,
            model.jnt_pos,
            model.jnt_axis,
            model.qpos0,
            model.geom_pos,
            model.body_mass,
            model.body_ipos,
            model.body_inertia,
        ):
            if not (np.abs(array) < _GREATEST).all():
                raise FigureError(f"the model has numbers that are not finite, or beyond {_GREATEST:g}")
        self.mocap = [b for b in range(1, model.nbody) if model.body_mocapid[b] >= 0]
        tops = [b for b in range(1, model.nbody) if model.body_parentid[b] == 0 and b not in self.mocap]
        free = [b for b in tops if self._kinds(b) == [_FREE]]
        moved = [b for b in tops if self._moves(b)]
        alone = free == moved and len(free) == 1
        if base in ("free", "planar") and not alone and len(moved) == 1 and not self._kinds(moved[0]):
            self.root, self.base = moved[0], base  # a fixed robot, set free
        elif alone and base != "fixed":
            self.root, self.base = free[0], base or "free"
        elif self._bare_world(tops) and not self._kinds(tops[0]):
            self.root, self.base = tops[0], base or "fixed"
        else:
            self.root, self.base = 0, base or "fixed"
        self.bodies = [b for b in range(model.nbody) if self._under(b) and b not in self.mocap]
        taken = Names()
        self.names = {b: taken.unique(self._name("BODY", b, f"body_{b}")) for b in self.bodies}
        self.taken = taken
        self.joint_names = Names(["root"] if self.base != "fixed" else [])
        roots = ("x", "y", "z", "rx", "ry", "rz", "yaw") if self.base != "fixed" else ()
        self.dof_names = Names([f"root_{label}" for label in roots])
        self.dof: dict[int, str] = {}
        self.made: dict[int, Joint] = {}
        self.segments: list[Segment] = []
        self.joints: list[Joint] = []
        self.follow = self._followers()

    def _kinds(self, body: int) -> list[int]:
        first = self.model.body_jntadr[body]
        return [int(self.model.jnt_type[first + k]) for k in range(self.model.body_jntnum[body])]

    def _moves(self, body: int) -> bool:
        """Whether anything in this body's tree has a joint, or it is no mere scenery."""
        tree = [b for b in range(self.model.nbody) if self._is_under(b, body)]
        return any(self.model.body_jntnum[b] for b in tree)

    def _bare_world(self, tops: list[int]) -> bool:
        """Whether the world has nothing of its own but one body."""
        model = self.model
        return len(tops) == 1 and not (
            self.mocap or model.body_geomnum[0] or any(model.site_bodyid[s] == 0 for s in range(model.nsite))
        )

    def _is_under(self, body: int, top: int) -> bool:
        while body > 0 and body != top:
            body = int(self.model.body_parentid[body])
        return body == top

    def _under(self, body: int) -> bool:
        return self.root == 0 or self._is_under(body, self.root)

    def _place(self, body: int) -> np.ndarray:
        return frame(self.model.body_pos[body], self.model.body_quat[body])

    def figure(self) -> Figure:
        """The figure."""
        model = self.model
        location = np.eye(4)
        for b in self.bodies:
            if b == self.root:
                self.segments.append(self._segment(b))
            else:
                self._body(b)
        if self.root:
            first = model.body_jntadr[self.root]
            if self._kinds(self.root) == [_FREE]:
                start = model.jnt_qposadr[first]
                location = frame(model.qpos0[start : start + 3], model.qpos0[start + 3 : start + 7])
            else:
                location = self._place(self.root)
        sites = self._sites()
        couplings, loops = self._couplings(), self._loops(sites)
        self._tell()
        return Figure(
            self.source.name,
            self.segments,
            self.joints,
            sites,
            root=self.names[self.root],
            base=self.base,
            location=location,
            couplings=couplings,
            loops=loops,
        )

    def _segment(self, b: int) -> Segment:
        model = self.model
        mass = float(model.body_mass[b])
        if mass <= _NO_MASS or not np.isfinite(mass):
            return Segment(self.names[b], shapes=self._shapes(b))
        turn = frame([0, 0, 0], model.body_iquat[b])[:3, :3]
        inertia = turn @ np.diag(model.body_inertia[b]) @ turn.T
        known = 0.5 * (inertia + inertia.T) if model.body_inertia[b].max() > _NO_INERTIA else None
        return Segment(self.names[b], mass, model.body_ipos[b], known, self._shapes(b))

    def _body(self, b: int) -> None:
        """The segment of a body and the joint, or joints with segments of no mass between them, that carry it."""
        model = self.model
        parent = self.names[int(model.body_parentid[b])]
        start = self._place(b)
        groups = self._groups(b)
        if not groups:
            name = self.joint_names.unique(self.names[b])
            self.joints.append(Joint.fixed(name, parent, self.names[b], start))
        for k, group in enumerate(groups):
            last = k == len(groups) - 1
            child = self.names[b] if last else self.taken.unique(f"{self.names[b]}_part")
            if not last:
                self.segments.append(Segment(child))
            self.joints.append(self._joint(b, group, parent, child, start))
            parent, start = child, np.eye(4)
        self.segments.append(self._segment(b))

    def _groups(self, b: int) -> list[list[int]]:
        """The joints of a body that are one: hinges and slides in a row, at one point, with their zero at 0."""
        model, first = self.model, int(self.model.body_jntadr[b])
        groups: list[list[int]] = []
        for j in range(first, first + int(model.body_jntnum[b])):
            single = model.jnt_type[j] in (_HINGE, _SLIDE)
            reference = single and model.qpos0[model.jnt_qposadr[j]] != 0.0
            before = groups[-1][-1] if groups else -1
            joins = (
                before >= 0
                and single
                and not reference
                and model.jnt_type[before] in (_HINGE, _SLIDE)
                and np.array_equal(model.jnt_pos[before], model.jnt_pos[j])
            )
            if joins:
                groups[-1].append(j)
            else:
                groups.append([j])
        return groups

    def _joint(self, b: int, group: list[int], parent: str, child: str, start: np.ndarray) -> Joint:
        model, first = self.model, group[0]
        kind = int(model.jnt_type[first])
        names = [self._name("JOINT", j, f"joint_{j}") for j in group]
        name = self.joint_names.unique(names[0] if len(group) == 1 else child)
        if kind == _FREE:
            address = model.jnt_qposadr[first]
            start = frame(model.qpos0[address : address + 3], model.qpos0[address + 3 : address + 7])
            dofs = [
                self.dof_names.unique(f"{names[0]}_{label}") for label in ("x", "y", "z", "rx", "ry", "rz")
            ]
            self.made[first] = Joint(name, parent, child, "free", start, dofs=dofs)
            return self.made[first]
        anchor = transforms.translation(model.jnt_pos[first])
        if kind == _BALL:
            dofs = [self.dof_names.unique(f"{names[0]}_{label}") for label in ("swing_x", "swing_y", "twist")]
            options: dict[str, Any] = {}
            if model.jnt_limited[first]:
                most = float(model.jnt_range[first, 1])
                if 0.0 < most < np.pi:
                    options.update(cone=most, twist=(-most, most))
                self.notes.changed(
                    f"joint {names[0]!r}",
                    "MuJoCo limits the whole rotation of a ball joint; here its swing and its twist, each by as much",
                )
            self.made[first] = Joint.ball(
                name, parent, child, placement=start @ anchor, child_placement=anchor, dofs=dofs, **options
            )
            return self.made[first]
        return self._product(group, name, parent, child, start, anchor)

    def _product(
        self, group: list[int], name: str, parent: str, child: str, start: np.ndarray, anchor: np.ndarray
    ) -> Joint:
        model = self.model
        steps, dofs, lower, upper, rest, effort, follow = [], [], [], [], [], [], []
        zero = np.eye(4)
        for j in group:
            slide = model.jnt_type[j] == _SLIDE
            axis = model.jnt_axis[j]
            reference = float(model.qpos0[model.jnt_qposadr[j]])
            if reference and slide:
                zero[:3, 3] = -reference * axis
            elif reference:
                zero[:3, :3] = transforms.exp(-reference * axis)
            steps.append(f"{'T' if slide else 'R'}({','.join(repr(float(entry)) for entry in axis)})")
            dofs.append(self.dof_names.unique(self._name("JOINT", j, f"joint_{j}")))
            self.dof[j] = dofs[-1]
            low, high = (float(end) for end in model.jnt_range[j])
            limited = bool(model.jnt_limited[j])
            lower.append(low if limited and low > -UNLIMITED else None)
            upper.append(high if limited and high < UNLIMITED else None)
            effort.append(self._effort(j))
            follow.append(self.follow.get(j))
            inside = float(np.clip(reference, low, high)) if limited and low <= high else reference
            # The ranges of what follows a joint may leave it less: its rest is then the figure's to choose.
            drives = any(entry[0] == j for entry in self.follow.values())
            rest.append(None if j in self.follow or drives else inside)
        joint = Joint(
            name,
            parent,
            child,
            "*".join(steps),
            start @ anchor @ zero,
            anchor,
            lower=lower,
            upper=upper,
            rest=rest,
            effort=effort,
            dofs=dofs,
            follow=[self._follow_of(entry) for entry in follow],
        )
        for j in group:
            self.made[j] = joint
        return joint

    def _effort(self, j: int) -> float | None:
        """The greatest force or torque that actuators give a joint: the joint's own limit, or the sum of theirs, where
        each of them has one; the larger of two that differ by direction."""
        model = self.model
        if model.jnt_actfrclimited[j]:
            return self._larger(model.jnt_actfrcrange[j], j)
        total, some = 0.0, False
        for a in range(model.nu):
            if model.actuator_trntype[a] not in (_JOINT, _JOINT_IN_PARENT) or model.actuator_trnid[a, 0] != j:
                continue
            gear, some = abs(float(model.actuator_gear[a, 0])), True
            if model.actuator_forcelimited[a]:
                total += gear * self._larger(model.actuator_forcerange[a], j)
            elif (
                model.actuator_ctrllimited[a]
                and not model.actuator_gaintype[a]
                and not model.actuator_biastype[a]
            ):
                gain = abs(float(model.actuator_gainprm[a, 0]))
                total += gear * gain * self._larger(model.actuator_ctrlrange[a], j)
            else:
                return None
        return total if some else None

    def _larger(self, ends: np.ndarray, j: int) -> float:
        """The larger of a limit's two ends, and a note where they differ."""
        low, high = abs(float(ends[0])), abs(float(ends[1]))
        if abs(low - high) > 1e-9 * max(low, high):
            name = self._name("JOINT", j, f"joint_{j}")
            self.notes.changed(
                f"joint {name!r}", "its efforts differ by direction; a figure has the larger for both"
            )
        return max(low, high)

    def _sites(self) -> list[Site]:
        model, found = self.model, []
        for s in range(model.nsite):
            body = int(model.site_bodyid[s])
            name = self._name("SITE", s, f"site_{s}")
            place = frame(model.site_pos[s], model.site_quat[s])
            if body not in self.names:
                self.notes.left_out(f"site {name!r}", "it is on no part of the figure")
                continue
            if name == self.names[body] and np.array_equal(place, np.eye(4)):
                continue  # every segment is a site of its own name
            unique = self.taken.unique(name)
            if unique != name:
                self.notes.changed(
                    f"site {name!r}", f"a segment has this name; the site is called {unique!r}"
                )
            found.append(Site(unique, self.names[body], place))
        for b in self.mocap:
            name = self._name("BODY", b, f"mocap_{b}")
            if self.root:
                self.notes.left_out(
                    f"mocap body {name!r}", "the world is no part of a figure with a free base"
                )
            else:
                found.append(Site(self.taken.unique(name), self.names[0], self._place(b)))
        return found

    def _shapes(self, b: int) -> tuple[Shape, ...]:
        model, found = self.model, []
        first = int(model.body_geomadr[b])
        kinds = {2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box"}
        for g in range(first, first + int(model.body_geomnum[b])):
            place = frame(model.geom_pos[g], model.geom_quat[g])
            color = self._color(g)
            name = self._name("GEOM", g, "")
            if MASS_MARK in name:
                continue
            if MESH_MARK in name:
                number = name.partition(MESH_MARK)[2].partition(";")[0]
                if number.isdecimal() and int(number) < len(self.source.meshes):
                    path, scale = self.source.meshes[int(number)]
                    found.append(Shape("mesh", (), place, path, scale, color))
                continue
            kind = kinds.get(int(model.geom_type[g]))
            if kind is None:
                if int(model.geom_type[g]) != 0 or b:
                    self.notes.left_out(f"geom {name!r}", "a figure has no shape of this kind")
                continue
            x, y, z = (float(entry) for entry in model.geom_size[g])
            size = {
                "sphere": (x,),
                "capsule": (x, 2 * y),
                "cylinder": (x, 2 * y),
                "ellipsoid": (x, y, z),
                "box": (2 * x, 2 * y, 2 * z),
            }[kind]
            found.append(Shape(kind, size, place, color=color))
        return tuple(found)

    def _color(self, g: int) -> np.ndarray:
        """A geom's own colour, or its material's where it has none but MuJoCo's default."""
        model, material = self.model, int(self.model.geom_matid[g])
        plain = np.array_equal(model.geom_rgba[g], np.array([0.5, 0.5, 0.5, 1.0], model.geom_rgba.dtype))
        color = model.mat_rgba[material] if plain and material >= 0 else model.geom_rgba[g]
        return np.clip(color[:3].astype(np.float64), 0.0, 1.0)

    def _tell(self) -> None:
        model = self.model
        if self.root:
            others = [b for b in range(1, model.nbody) if b not in self.names and b not in self.mocap]
            if others:
                self.notes.left_out("world", f"{len(others)} bodies that are no part of the figure")

    def values(self, figure: Figure, qpos: np.ndarray) -> np.ndarray:
        """The figure's values, (T, n), of MuJoCo's qpos, (T, nq)."""
        model = self.model
        result = np.tile(figure.pose().q, (len(qpos), 1))
        index = {name: k for k, name in enumerate(figure.dofs)}
        for j in range(model.njnt):
            start, kind = int(model.jnt_qposadr[j]), int(model.jnt_type[j])
            if kind == _FREE and int(model.jnt_bodyid[j]) == self.root and self.base == "free":
                result[:, :6] = _free_values(qpos[:, start : start + 7], figure.location)
            elif j not in self.made:
                continue
            elif kind == _FREE:
                places = [index[axis.name] for axis in self.made[j].axes]
                result[:, places] = _free_values(qpos[:, start : start + 7], self.made[j].placement)
            elif kind == _BALL:
                turns = rotations.from_quaternions(qpos[:, [start + 1, start + 2, start + 3, start]])
                places = [index[axis.name] for axis in self.made[j].axes]
                result[:, places] = rotations.to_swing_twist(turns, self.made[j].steps[0].turn)
            elif self.dof[j] in index:
                result[:, index[self.dof[j]]] = qpos[:, start]
        return result

    def clips(self, figure: Figure) -> list[Motion]:
        """Key frames: those called ``walk:0``, ``walk:1`` … as one clip, others as clips of one pose."""
        model = self.model
        groups: dict[str, list[int]] = {}
        for k in range(model.nkey):
            name = self._name("KEY", k, f"key_{k}")
            head, colon, number = name.rpartition(":")
            groups.setdefault(head if colon and number.isdecimal() else name, []).append(k)
        found = []
        for name, keys in groups.items():
            qpos, times = model.key_qpos[keys], model.key_time[keys]
            norms = [
                np.linalg.norm(
                    qpos[:, int(model.jnt_qposadr[j]) + (3 if model.jnt_type[j] == _FREE else 0) :][:, :4],
                    axis=1,
                )
                for j in range(model.njnt)
                if model.jnt_type[j] in (_FREE, _BALL)
            ]
            if not np.isfinite(qpos).all() or any((norm < 1e-6).any() for norm in norms):
                raise FigureError(
                    f"key frame {name!r} has numbers that are not finite, or no unit quaternion"
                )
            if len(keys) > 1 and not (np.isfinite(times).all() and (np.diff(times) > 0.0).all()):
                self.notes.left_out(f"key frames {name!r}", "their times do not increase")
                continue
            times = times if np.isfinite(times).all() else np.zeros(len(keys))
            found.append(Motion(figure, times, self.values(figure, qpos), name=name))
        return found


def _free_values(qpos: np.ndarray, location: np.ndarray) -> np.ndarray:
    turn = location[:3, :3].T
    rotation = turn @ rotations.from_quaternions(qpos[:, [4, 5, 6, 3]])
    return np.column_stack([(qpos[:, :3] - location[:3, 3]) @ turn.T, rotations.to_vectors(rotation)])
