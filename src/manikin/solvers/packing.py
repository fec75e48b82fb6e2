"""From figure and goals to the flat arrays that the kernels read.

Only what matters to the goals travels: motions on the way from a goal's site to the root, and of the coordinates those
that move them or are tied to them by a linear constraint. A finger costs nothing while only the head is asked to
turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import numpy as np

from manikin.errors import GoalError, SolveError
from manikin.figure import Coupling, Figure
from manikin.figure.tree import SLIDE, ROTATION_VECTOR
from manikin.goals import Term
from manikin.kernels import layout, terms as kernel_terms
from manikin.kernels.solve import OPTION_GRADIENT

KINDS = {
    "point": kernel_terms.POINT,
    "line": kernel_terms.LINE,
    "plane": kernel_terms.PLANE,
    "axes": kernel_terms.AXES,
    "aim": kernel_terms.AIM,
}

# A goal is followed to this share of its tolerance before the solver stops.
STOP_SHARE = 0.01
# Projected gradient, of 1 + P, that counts as zero.
GRADIENT_TOLERANCE = 1e-8


@dataclass(slots=True)
class Packed:
    """A problem in three flat arrays, and where things are in them.

    ``frames`` gives, for each site, the row of the motion that carries it and its placement (4×4) there; ``terms`` counts
    the terms, and ``budget`` is the number of iterations after which a solve stops, far more than an ordinary one
    takes.
    """

    structure: np.ndarray
    parameters: np.ndarray
    workspace: np.ndarray
    variables: np.ndarray
    couplings: tuple[Coupling, ...]
    frames: dict[str, tuple[int, np.ndarray]]
    sections: SimpleNamespace = field(init=False)
    terms: int = field(init=False)
    budget: int = field(init=False)

    def __post_init__(self) -> None:
        self.sections = layout.sections(self.structure, self.parameters, self.workspace)
        self.terms = len(self.sections.terms.kind)
        self.budget = 200 + 20 * len(self.variables)

    def copy(self, *, workspace: bool = False) -> Packed:
        """The same problem with parameters of its own, and a workspace of its own on request."""
        space = self.workspace.copy() if workspace else self.workspace
        return replace(self, parameters=self.parameters.copy(), workspace=space)


def pack(
    figure: Figure,
    terms: Sequence[Term],
    sites: Sequence[str],
    free: np.ndarray,
    couplings: tuple[Coupling, ...],
    tolerance: tuple[float, float],
) -> Packed:
    """Flat arrays for these terms; ``sites`` are further sites whose frames are wanted, ``free`` a mask of n."""
    tree = figure.tree
    frames = {name: _site_frame(figure, name) for name in (*(t.site for t in terms), *sites)}
    motions = _on_the_way(tree.parent, [motion for motion, _ in frames.values()])
    row = np.zeros(len(tree.parent) + 1, np.int64)
    row[motions + 1] = np.arange(1, len(motions) + 1)
    width = np.where(tree.kind[motions] > SLIDE, 3, 1)
    first_axis = np.concatenate(([0], np.cumsum(width)))
    new_axis = np.full(len(tree.axis_offset), -1)
    for motion, first, size in zip(motions, first_axis, width, strict=False):
        new_axis[tree.axis[motion] : tree.axis[motion] + size] = np.arange(first, first + size)
    drives = np.flatnonzero(new_axis[tree.drive_axis] >= 0) if len(motions) else np.zeros(0, np.int64)
    variables = _variables(figure, np.unique(tree.drive_dof[drives]), free, couplings)
    whole = len(motions) == len(tree.parent) and tree.identity
    charts = _charts(figure, motions, variables, couplings)
    structure, parameters, workspace = layout.allocate(
        {
            layout.MOTIONS: len(motions),
            layout.VALUES: int(first_axis[-1]),
            layout.DRIVES: len(drives),
            layout.DOFS: figure.n,
            layout.VARIABLES: len(variables),
            layout.TERMS: len(terms),
            layout.ROWS: len(couplings),
            layout.CHARTS: len(charts),
            layout.IDENTITY: int(whole),
        }
    )
    flat = layout.sections(structure, parameters, workspace).tree
    flat.parent[1:] = row[tree.parent[motions] + 1]
    flat.kind[1:] = tree.kind[motions]
    flat.axis[1:] = first_axis[:-1]
    flat.placement[1:] = tree.placement[motions]
    flat.offset[:] = tree.axis_offset[new_axis >= 0]
    flat.drive_axis[:] = new_axis[tree.drive_axis[drives]]
    flat.drive_dof[:] = tree.drive_dof[drives]
    flat.drive_coefficient[:] = tree.drive_coefficient[drives]
    rows = {name: (int(row[motion + 1]), placement) for name, (motion, placement) in frames.items()}
    packed = Packed(structure, parameters, workspace, variables, couplings, rows)
    _write_space(packed, figure, charts)
    for t, term in enumerate(terms):
        write_structure(packed, t, term)
        write_term(packed, t, term, tolerance)
    return packed


def _site_frame(figure: Figure, name: str) -> tuple[int, np.ndarray]:
    """Motion that carries a site, and the site's frame (4×4) in that motion's."""
    if name not in figure.sites:
        from manikin.figure.checks import near

        raise GoalError(f"figure {figure.name!r} has no site {name!r}; {near(name, figure.sites)}")
    site = figure.sites[name]
    place = list(figure.segments).index(site.segment)
    from manikin.figure.transforms import unpack

    frame = unpack(figure.tree.segment_placement[place]) @ site.placement
    return int(figure.tree.segment_motion[place]), frame


def _on_the_way(parent: np.ndarray, tips: Sequence[int]) -> np.ndarray:
    """Motions on the way from the tips to the root, parents first."""
    wanted = np.zeros(len(parent), bool)
    for motion in tips:
        while motion >= 0 and not wanted[motion]:
            wanted[motion] = True
            motion = int(parent[motion])
    return np.flatnonzero(wanted)


def _variables(figure: Figure, moving: np.ndarray, free: np.ndarray, couplings: Sequence[Coupling]) -> np.ndarray:
    """Coordinates to solve for: those that move a goal's site, and all that a linear constraint names."""
    wanted = np.zeros(figure.n, bool)
    wanted[moving] = True
    for coupling in couplings:
        for name in coupling.coefficients:
            wanted[figure.index(name)] = True
    return np.flatnonzero(wanted & free).astype(np.int64)


def _alone(figure: Figure, couplings: Sequence[Coupling]) -> np.ndarray:
    """Mask of the coordinates that drive one axis only, one to one, and are in no linear constraint."""
    tree = figure.tree
    drives = np.bincount(tree.drive_dof, minlength=figure.n)
    alone = drives == 1
    driven = np.bincount(tree.drive_axis, minlength=len(tree.axis_offset))
    plain = (np.abs(tree.drive_coefficient) == 1.0) & (driven[tree.drive_axis] == 1)
    alone[tree.drive_dof[~plain]] = False
    for coupling in couplings:
        for name in coupling.coefficients:
            alone[figure.index(name)] = False
    return alone


def _charts(
    figure: Figure, motions: np.ndarray, variables: np.ndarray, couplings: Sequence[Coupling]
) -> list[tuple[int, int]]:
    """Unlimited rotation vectors and swings, as (first variable, length): they may be re-charted."""
    tree = figure.tree
    alone = _alone(figure, couplings) & np.isinf(figure.lower) & np.isinf(figure.upper)
    dof_of = {int(axis): int(dof) for axis, dof in zip(tree.drive_axis, tree.drive_dof, strict=True)}
    place = {int(dof): i for i, dof in enumerate(variables)}
    charts = []
    for motion in motions:
        if tree.kind[motion] <= SLIDE:
            continue
        size = 3 if tree.kind[motion] == ROTATION_VECTOR else 2
        dofs = [dof_of.get(int(tree.axis[motion]) + c, -1) for c in range(size)]
        where = [place.get(dof, -1) for dof in dofs]
        if min(where) >= 0 and all(alone[dofs]) and where == list(range(where[0], where[0] + size)):
            charts.append((where[0], size))
    return charts


def _periodic(figure: Figure, couplings: Sequence[Coupling]) -> np.ndarray:
    """Mask of the coordinates that a whole turn leaves where they were."""
    tree = figure.tree
    turns = np.zeros(figure.n, bool)
    axis_turns = np.zeros(len(tree.axis_offset), bool)
    axis_turns[tree.axis[tree.kind == 0]] = True
    for axis, dof in zip(tree.drive_axis, tree.drive_dof, strict=True):
        turns[dof] = axis_turns[axis]
    return turns & _alone(figure, couplings)


def _write_space(packed: Packed, figure: Figure, charts: Sequence[tuple[int, int]]) -> None:
    space = packed.sections.space
    space.variable[:] = packed.variables
    space.periodic[:] = _periodic(figure, packed.couplings)[packed.variables]
    if charts:
        space.charts[:] = charts
    space.lower[:] = figure.lower
    space.upper[:] = figure.upper
    space.metric[:] = 1.0 / figure.stiffness
    for r, coupling in enumerate(packed.couplings):
        for name, coefficient in coupling.coefficients.items():
            space.row[r, figure.index(name)] = coefficient
        space.row_lower[r] = coupling.lower
        space.row_upper[r] = coupling.upper
    space.option[OPTION_GRADIENT] = GRADIENT_TOLERANCE


def write_structure(packed: Packed, t: int, term: Term) -> None:
    """Kind and motion of a term."""
    terms = packed.sections.terms
    terms.kind[t] = KINDS[term.kind]
    terms.motion[t] = packed.frames[term.site][0]


def write_term(packed: Packed, t: int, term: Term, tolerance: tuple[float, float], *, active: bool = True) -> None:
    """Parameters of a term: its site in the motion's frame, target, weights, tolerances."""
    if packed.sections.terms.kind[t] != KINDS[term.kind] or term.site not in packed.frames:
        raise SolveError("a goal of a prepared problem keeps its kind and its site")
    p = packed.sections.terms.parameters[t]
    frame = packed.frames[term.site][1]
    p[0:3] = frame[:3, 3]
    p[3:12] = (term.site_axes @ frame[:3, :3].T).ravel()
    p[12:15] = term.target
    p[15:24] = np.asarray(term.directions).ravel()
    p[24] = term.weight if active else 0.0
    allowed = tolerance[0] if term.unit == "m" else tolerance[1]
    stop = (STOP_SHARE * allowed) ** 2
    if term.kind == "axes":
        p[25:28] = 0.5 * np.asarray(term.axis_weights)
        stop *= 0.5 * min(a for a in term.axis_weights if a > 0.0)
    p[28] = stop
    p[29] = allowed
