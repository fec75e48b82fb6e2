"""Forward kinematics over arrays of values, compiled: frames of sites, Jacobians, centres of mass.

A figure is packed once for each question (`kernels.tree.layout`): only the motions on the way from what is asked for to
the root travel, so that a hand costs its arm and not the other one. `kinematics` says the same in plain NumPy. Numba is
imported when something is first computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import PoseError
from manikin.figure.checks import GREATEST, amiss, frozen
from manikin.figure.transforms import pack, unpack

if TYPE_CHECKING:
    from manikin.figure.curve import Curve
    from manikin.figure.figure import Figure

# Every figure keeps the models packed lately.
_KEPT = 32
#: A motion, −1 for the world, and twelve numbers: a frame carried by it.
Carried = tuple[int, np.ndarray]


@cache
def compiled() -> SimpleNamespace:
    """The kernels of frames and Jacobians; the first call loads them."""
    from manikin.kernels.tree import layout
    from manikin.kernels.tree.forward import site_frames, site_jacobian

    return SimpleNamespace(layout=layout, site_frames=site_frames, site_jacobian=site_jacobian)


@cache
def compiled_mass() -> SimpleNamespace:
    """The kernels of the centre of mass."""
    from manikin.kernels.residuals.center import center_jacobians, centers

    return SimpleNamespace(centers=centers, center_jacobians=center_jacobians)


@dataclass(frozen=True, eq=False)
class Model:
    """A figure's tree, or a part of it, in flat arrays, with some sites or masses.

    motions: those of the figure's tree that it has, in order; the first is its row 1.
    """

    structure: np.ndarray
    parameters: np.ndarray
    work: int
    sites: int
    motions: np.ndarray

    def run(self, kernel: Callable[..., Any], q: np.ndarray, size: int, count: int) -> np.ndarray:
        """What a kernel writes: `size` numbers for each of `count` poses in q, which is flat and read-only."""
        out = np.empty(size * count)
        kernel(self.structure, self.parameters, np.empty(self.work), q, out, count)
        return out


def matrices(figure: Figure, q: Any, sites: str | Iterable[str] | None) -> np.ndarray:
    """The frames of sites in the world, (…, sites, 4, 4), at q (…, n)."""
    flat, batch = values_of(figure, q, "forward")
    names = (sites,) if isinstance(sites, str) else tuple(figure.sites if sites is None else sites)
    model = site_model(figure, names)
    found = model.run(compiled().site_frames, flat, 16 * model.sites, _count(batch))
    return found.reshape(*batch, model.sites, 4, 4)


def jacobian(figure: Figure, q: Any, site: str, frame: str = "world") -> np.ndarray:
    """(…, 6, n): a site's linear, then its angular velocity by each coordinate, at q (…, n), along a frame's axes."""
    flat, batch = values_of(figure, q, "jacobian")
    found = site_model(figure, (site,)).run(compiled().site_jacobian, flat, 6 * figure.n, _count(batch))
    return _along(figure, q, found.reshape(*batch, 6, figure.n), frame)


def _along(figure: Figure, q: Any, velocities: np.ndarray, frame: str) -> np.ndarray:
    """Velocities (…, 3 or 6, n) of the world along the axes of a site's frame; the world's own as they are."""
    if frame == "world" and frame not in figure.sites:
        return velocities
    back = np.swapaxes(matrices(figure, q, frame)[..., 0, :3, :3], -1, -2)
    return np.concatenate(
        [back @ velocities[..., k : k + 3, :] for k in range(0, velocities.shape[-2], 3)], axis=-2
    )


def center_of_mass(figure: Figure, q: Any) -> np.ndarray:
    """Σ m·c / Σ m over the segments, in the world, (…, 3), at q (…, n)."""
    flat, batch = values_of(figure, q, "center_of_mass")
    return mass_model(figure).run(compiled_mass().centers, flat, 3, _count(batch)).reshape(*batch, 3)


def center_of_mass_jacobian(figure: Figure, q: Any, frame: str = "world") -> np.ndarray:
    """(…, 3, n): the velocity of the centre of mass by each coordinate, at q (…, n), along a frame's axes."""
    flat, batch = values_of(figure, q, "center_of_mass_jacobian")
    found = mass_model(figure).run(compiled_mass().center_jacobians, flat, 3 * figure.n, _count(batch))
    return _along(figure, q, found.reshape(*batch, 3, figure.n), frame)


def _count(batch: tuple[int, ...]) -> int:
    count = 1
    for size in batch:
        count *= size
    return count


def values_of(figure: Figure, q: Any, where: str) -> tuple[np.ndarray, tuple[int, ...]]:
    """q (…, n) as flat, read-only numbers, and its batch axes; a PoseError that says what is wrong with it."""
    try:
        array = np.asarray(q, dtype=np.float64)
    except (TypeError, ValueError):
        raise PoseError(
            f"{where} of {figure.name!r}: expected numbers of shape (…, {figure.n}), got {q!r}"
        ) from None
    if array.ndim == 0 or array.shape[-1] != figure.n:
        raise PoseError(
            f"{where} of {figure.name!r}: expected shape (…, {figure.n}), one value a degree of freedom, "
            f"got {array.shape}"
        )
    # NaN is the least and the greatest of any numbers that it is among.
    if array.size and not (array.min() >= -GREATEST and array.max() <= GREATEST):
        *at, k = np.argwhere(~(np.abs(array) <= GREATEST))[0].tolist()
        which = f" at {tuple(at)}" if at else ""
        raise PoseError(f"{where} of {figure.name!r}: {figure.dofs[k]!r}{which} {amiss(array[(*at, k)])}")
    flat = np.ascontiguousarray(array).reshape(-1)
    flat.flags.writeable = False
    return flat, array.shape[:-1]


def site_model(figure: Figure, sites: tuple[str, ...]) -> Model:
    """The tree above these sites."""
    return kept_model(
        figure, sites, lambda: packed_model(figure, [carried_site(figure, name) for name in sites])
    )


def whole_model(figure: Figure) -> Model:
    """The whole tree with the segments, in order, then the sites that were given, as its sites."""
    return kept_model(figure, None, lambda: _whole(figure))


def mass_model(figure: Figure) -> Model:
    """The tree above the segments that have a mass; a PoseError where none has."""
    return kept_model(figure, "masses", lambda: _massive(figure))


def kept_model(figure: Figure, key: Any, make: Callable[[], Model]) -> Model:
    """What was packed for this key, packed now if it was not lately."""
    kept: dict[Any, Model] = figure.kept
    model = kept.get(key)
    if model is None:
        model = kept[key] = make()
        if len(kept) > _KEPT:
            kept.pop(next(iter(kept)), None)
    return model


def carried_site(figure: Figure, name: str) -> Carried:
    """What carries a site, and the site there."""
    site = figure.site(name)
    motion, frame = figure.carried(site.segment, site.placement)
    return motion, pack(frame)


def _whole(figure: Figure) -> Model:
    tree = figure.tree
    segments = list(zip(tree.segment_motion.tolist(), tree.segment_placement, strict=True))
    given = [carried_site(figure, name) for name in figure.given.sites]
    return packed_model(figure, [*segments, *given], motions=np.arange(len(tree.parent)))


def _massive(figure: Figure) -> Model:
    tree = figure.tree
    total = tree.segment_mass.sum()
    if total <= 0.0:
        raise PoseError(f"figure {figure.name!r}: it has no mass, so no centre of mass")
    masses: list[Carried] = []
    for s in np.flatnonzero(tree.segment_mass > 0.0):
        frame = unpack(tree.segment_placement[s])
        center = frame[:3, :3] @ tree.segment_com[s] + frame[:3, 3]
        masses.append((int(tree.segment_motion[s]), np.array([tree.segment_mass[s] / total, *center])))
    return packed_model(figure, (), masses)


def packed_model(
    figure: Figure,
    sites: Sequence[Carried],
    masses: Sequence[Carried] = (),
    *,
    motions: np.ndarray | None = None,
) -> Model:
    """The motions on the way to the root, or those given, with what they carry."""
    tree, layout = figure.tree, compiled().layout
    if motions is None:
        motions = tree.on_the_way([motion for motion, _ in (*sites, *masses)])
    row = np.zeros(len(tree.parent) + 1, np.int64)  # of motion m at m, of the world at −1
    row[motions] = np.arange(1, len(motions) + 1)
    width = tree.size[motions]
    first = np.cumsum(width) - width
    axis = np.full(len(tree.axis_offset), -1)
    for old, new, size in zip(tree.axis[motions], first, width, strict=True):
        axis[old : old + size] = np.arange(new, new + size)
    drives = np.flatnonzero(axis[tree.drive_axis] >= 0)
    curves = [(axis[k], curve) for k, curve in zip(tree.curve_axis, tree.curves, strict=True) if axis[k] >= 0]
    structure, parameters, work = layout.allocate(
        {
            layout.MOTIONS: len(motions),
            layout.VALUES: int(width.sum()),
            layout.DRIVES: len(drives),
            layout.DOFS: figure.n,
            layout.SITES: len(sites),
            layout.MASSES: len(masses),
            **curve_counts(layout, curves),
        }
    )
    model, mass_motion, mass = layout.sections(structure, parameters)
    model.parent[1:] = row[tree.parent[motions]]
    model.kind[1:] = tree.kind[motions]
    model.size[1:] = width
    model.axis[1:] = first
    model.placement[1:] = tree.placement[motions]
    model.offset[axis[axis >= 0]] = tree.axis_offset[axis >= 0]
    model.drive_axis[:] = axis[tree.drive_axis[drives]]
    model.drive_dof[:] = tree.drive_dof[drives]
    model.drive_coefficient[:] = tree.drive_coefficient[drives]
    write_curves(model.curves, curves)
    for carried, index, numbers in ((sites, model.site_motion, model.site), (masses, mass_motion, mass)):
        for k, (motion, entry) in enumerate(carried):
            index[k] = row[motion]
            numbers[k] = entry
    structure.flags.writeable = False
    return Model(structure, frozen(parameters), work, len(sites), motions)


def curve_counts(layout: Any, curves: Sequence[tuple[int, Curve]]) -> dict[int, int]:
    """What a layout of arrays with these curves is told of them: each an axis value and what it follows."""
    return {
        layout.CURVES: len(curves),
        layout.PIECES: sum(len(curve.coefficients) for _, curve in curves),
        layout.POWERS: max((curve.degree + 1 for _, curve in curves), default=0),
    }


def write_curves(flat: Any, curves: Sequence[tuple[int, Curve]]) -> None:
    """The curves into their sections."""
    first = 0
    for c, (axis, curve) in enumerate(curves):
        flat.curve_axis[c], flat.first_piece[c] = axis, first
        pieces = slice(first, first + len(curve.coefficients))
        flat.edge[pieces] = [-np.inf, *curve.breaks]
        flat.origin[pieces] = curve.origins
        flat.powers[pieces, : curve.degree + 1] = curve.coefficients
        first = pieces.stop
    flat.first_piece[len(curves)] = first
