"""What ties the joints of a MuJoCo model together: equalities, tendons and loops.

An equality of two joints is a follower where it is linear, y − y₀ = c₀ + c₁ (x − x₀), a coupling where a joint is
tied twice or round in a circle. A fixed tendon is a sum of multiples of joints; its range and its equality are
couplings. Connect and weld are loops.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.figure import Coupling, Follow, Loop, Site, rotations, transforms
from manikin.formats.contents import Names, Notes

CONNECT, WELD, JOINT, TENDON = range(4)
#: A range this wide is none.
UNLIMITED = 1e9
_SITE = 6  # mjOBJ_SITE
_WRAP_JOINT = 1


class Ties:
    """The part of the reader that is about ties; the attributes are the reader's."""

    model: Any
    mujoco: Any
    notes: Notes
    taken: Names
    mocap: list[int]
    bodies: list[int]
    names: dict[int, str]
    dof: dict[int, str]

    def _name(self, kind: str, number: int, default: str) -> str:
        found = self.mujoco.mj_id2name(self.model, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind}"), number)
        return found if found and found.strip() else default

    def _follow_of(self, entry: tuple[int, float, float] | None) -> Follow | None:
        if entry is None:
            return None
        driver, offset, factor = entry
        if driver < 0:
            return Follow({}, offset)
        # Names are given in order; a driver that comes later has the name that it will get.
        name = self.dof.get(driver) or self._name("JOINT", driver, f"joint_{driver}")
        return Follow({name: factor}, offset)

    def _followers(self) -> dict[int, tuple[int, float, float]]:
        """Joints that an equality ties linearly to one other: (the other or −1, offset, factor)."""
        model = self.model
        found: dict[int, tuple[int, float, float]] = {}
        self.equal_joints: list[int] = []
        inside = {j for j in range(model.njnt) if int(model.jnt_bodyid[j]) in self.bodies}
        for e in range(model.neq):
            if model.eq_type[e] != JOINT or not model.eq_active0[e]:
                continue
            j, driver = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
            c = model.eq_data[e, :5]
            label = self._name("EQUALITY", e, f"equality {e}")
            if not np.isfinite(c).all() or (driver >= 0 and np.abs(c[2:]).max() > 0.0):
                self.notes.left_out(label, "it is a polynomial of a higher degree; a figure's are linear")
                continue
            if j not in inside or (driver >= 0 and driver not in inside):
                continue
            zero = float(model.qpos0[model.jnt_qposadr[j]])
            offset = zero + float(c[0])
            factor = float(c[1])
            if driver >= 0:
                offset -= factor * float(model.qpos0[model.jnt_qposadr[driver]])
            seen, ahead = {j}, driver
            while ahead in found and ahead not in seen:
                seen.add(ahead)
                ahead = found[ahead][0]
            if j in found or ahead in seen:
                self.equal_joints.append(e)  # tied twice, or round in a circle: an equality among coordinates
            else:
                found[j] = (driver if factor else -1, offset, factor)
        return found

    def _couplings(self) -> list[Coupling]:
        model, found = self.model, []
        for e in self.equal_joints:
            j, driver, c = int(model.eq_obj1id[e]), int(model.eq_obj2id[e]), model.eq_data[e]
            terms = {self.dof[j]: 1.0}
            end = float(model.qpos0[model.jnt_qposadr[j]]) + float(c[0])
            if driver >= 0:
                terms[self.dof[driver]] = terms.get(self.dof[driver], 0.0) - float(c[1])
                end -= float(c[1]) * float(model.qpos0[model.jnt_qposadr[driver]])
            if any(terms.values()):
                found.append(Coupling(terms, end, end, self._name("EQUALITY", e, "")))
        equal = {
            int(model.eq_obj1id[e]): float(model.eq_data[e, 0])
            for e in range(model.neq)
            if model.eq_type[e] == TENDON and model.eq_active0[e] and model.eq_obj2id[e] < 0
        }
        for t in range(model.ntendon):
            found += self._tendon(t, equal)
        return found

    def _tendon(self, t: int, equal: dict[int, float]) -> list[Coupling]:
        """A fixed tendon is a sum of multiples of joints; its range and its equality are couplings."""
        model = self.model
        first, count = int(model.tendon_adr[t]), int(model.tendon_num[t])
        terms: dict[str, float] = {}
        for w in range(first, first + count):
            j = int(model.wrap_objid[w])
            if model.wrap_type[w] != _WRAP_JOINT or j not in self.dof:
                return []
            terms[self.dof[j]] = terms.get(self.dof[j], 0.0) + float(model.wrap_prm[w])
        name = self._name("TENDON", t, f"tendon_{t}")
        if not any(terms.values()):
            return []
        found = []
        if t in equal:
            end = float(model.tendon_length0[t]) + equal[t]
            found.append(Coupling(terms, end, end, name))
        if model.tendon_limited[t]:
            low, high = (float(end) for end in model.tendon_range[t])
            lower = low if low > -UNLIMITED else -np.inf
            upper = high if high < UNLIMITED else np.inf
            if np.isfinite(lower) or np.isfinite(upper):
                found.append(Coupling(terms, lower, upper, name))
        return found

    def _loops(self, sites: list[Site]) -> list[Loop]:
        model, found = self.model, []
        for e in range(model.neq):
            kind = int(model.eq_type[e])
            label = self._name("EQUALITY", e, f"equality_{e}")
            if kind not in (CONNECT, WELD):
                if kind not in (JOINT, TENDON):
                    self.notes.left_out(label, "a figure has no equality of this kind")
                continue
            if not model.eq_active0[e]:
                self.notes.left_out(label, "it is not active")
                continue
            ends = self._loop_ends(e, kind)
            bodies = [body for body, _ in ends]
            if any(body in self.mocap for body in bodies):
                self.notes.left_out(
                    label, "what follows a mocap body is a goal, as mk.Placement, and no loop"
                )
                continue
            if any(body not in self.names for body in bodies) or bodies[0] == bodies[1]:
                self.notes.left_out(label, "it ties a body to what is no part of the figure")
                continue
            names = []
            for k, (body, place) in enumerate(ends):
                own = self._same_site(sites, self.names[body], place)
                if own is None:
                    own = self.taken.unique(f"{label}_{k + 1}")
                    sites.append(Site(own, self.names[body], place))
                names.append(own)
            found.append(Loop(names[0], names[1], "position" if kind == CONNECT else "placement", label))
        return found

    def _same_site(self, sites: list[Site], segment: str, place: np.ndarray) -> str | None:
        for site in sites:
            if site.segment == segment and np.abs(site.placement - place).max() < 1e-12:
                return site.name
        return None

    def _loop_ends(self, e: int, kind: int) -> list[tuple[int, np.ndarray]]:
        model, data = self.model, self.model.eq_data[e]
        first, second = int(model.eq_obj1id[e]), max(int(model.eq_obj2id[e]), 0)
        if int(model.eq_objtype[e]) == _SITE:
            return [
                (int(model.site_bodyid[s]), frame(model.site_pos[s], model.site_quat[s]))
                for s in (first, second)
            ]
        if kind == CONNECT:
            return [(first, transforms.translation(data[:3])), (second, transforms.translation(data[3:6]))]
        # The second body's frame in the first's, at a point of the second.
        anchor = transforms.translation(data[:3])
        return [(first, frame(data[3:6], data[6:10]) @ anchor), (second, anchor)]


def frame(position: Any, wxyz: Any) -> np.ndarray:
    """The 4×4 of a position and a quaternion in MuJoCo's order."""
    w, x, y, z = (float(entry) for entry in wxyz)
    result = np.eye(4)
    if (x, y, z) != (0.0, 0.0, 0.0):
        result[:3, :3] = rotations.from_quaternions(np.array([x, y, z, w]))
    result[:3, 3] = position
    return result
