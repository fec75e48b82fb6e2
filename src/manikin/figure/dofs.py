"""From the axes of the joints to the coordinates of the figure: degrees of freedom, followers and couplings.

An axis without `follow` is a degree of freedom. A follower is resolved, through other followers where need
be, to offset + Σ c·q, or to a curve of that. Its limits then bind its drivers: lower ≤ offset + c·q ≤ upper tightens
the range of a single driver q, and becomes a Coupling when there are several. A follower by a curve has no limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, isinf

from manikin.errors import FigureError
from manikin.figure import checks
from manikin.figure.coupling import Coupling
from manikin.figure.joint import Axis, Follow, Joint
from manikin.figure.swing import Cone, Ellipse, Polygon, couplings as swing_couplings


@dataclass(frozen=True)
class Dof:
    """A degree of freedom: one coordinate of the figure.

    unit: ``"rad"`` or ``"m"``; the limits, rest and velocity are in it, the effort in N·m or N.
    wraps: a turn without limits that drives its own axis only: a full turn more is the same pose.
    """

    name: str
    joint: str
    unit: str
    lower: float
    upper: float
    rest: float
    stiffness: float
    velocity: float
    effort: float
    wraps: bool
    description: str


@dataclass(frozen=True)
class Coordinates:
    """The degrees of freedom by name in order, each axis as a Follow of them in order, all couplings and cones."""

    dofs: Mapping[str, Dof]
    axes: Mapping[str, Follow]
    followers: Mapping[str, Follow]
    couplings: tuple[Coupling, ...]
    cones: tuple[Cone, ...]


def coordinates(figure: str, joints: Sequence[Joint], couplings: Sequence[Coupling]) -> Coordinates:
    """The coordinates of a figure whose joints come in this order."""
    where = f"figure {figure!r}"
    owners = [(joint, axis) for joint in joints for axis in joint.axes]
    twice = checks.duplicates(axis.name for _, axis in owners)
    if twice:
        culprits = [joint.name for joint, axis in owners if axis.name == twice[0]]
        raise FigureError(
            f"{where}: two degrees of freedom are called {twice[0]!r}, of the joints "
            f"{' and '.join(map(repr, culprits))}; name them with dofs="
        )
    by_name = {axis.name: axis for _, axis in owners}
    axes = _resolve(where, owners)
    followers = {name: axes[name] for name, axis in by_name.items() if axis.follow is not None}
    ranges, extra = _follower_limits(where, by_name, followers)
    extra = _substitute(where, couplings, axes) + extra
    for joint in joints:
        if isinstance(joint.swing, Polygon):
            extra += swing_couplings(joint.name, [axis.name for axis in joint.axes[:2]], joint.swing)
    alone = _alone(joints, followers, extra)
    dofs = {
        axis.name: _dof(where, joint, axis, ranges[axis.name], axis.name in alone)
        for joint, axis in owners
        if axis.follow is None
    }
    _feasible(where, dofs, extra)
    return Coordinates(dofs, axes, followers, tuple(extra), _cones(joints, list(dofs)))


def _resolve(where: str, owners: Sequence[tuple[Joint, Axis]]) -> dict[str, Follow]:
    """Each axis as offset + Σ c·q over degrees of freedom only; depth first over what follows what."""
    by_name = {axis.name: (joint, axis) for joint, axis in owners}
    done: dict[str, Follow] = {}
    for start in by_name:
        path = [start]
        while path:
            joint, axis = by_name[path[-1]]
            if axis.follow is None:
                done[axis.name] = _itself(axis.name)
            for driver in axis.follow.coefficients if axis.follow else ():
                if driver not in by_name:
                    raise FigureError(
                        f"{where}: joint {joint.name!r}: {axis.name!r} follows the unknown degree of freedom "
                        f"{driver!r}; {checks.near(driver, by_name)}"
                    )
                if driver in path:
                    cycle = " → ".join(map(repr, [*path[path.index(driver) :], driver]))
                    raise FigureError(f"{where}: joint {joint.name!r}: the followers make a cycle: {cycle}")
                if driver not in done:
                    path.append(driver)
                    break
            else:
                if axis.follow is not None:
                    done[axis.name] = _followed(where, axis, done)
                path.pop()
    return {axis.name: done[axis.name] for _, axis in owners}


@lru_cache(maxsize=4096)
def _itself(name: str) -> Follow:
    return Follow({name: 1.0})


def _followed(where: str, axis: Axis, done: Mapping[str, Follow]) -> Follow:
    """What an axis follows, written out in coordinates: a curve after another curve is one curve."""
    assert axis.follow is not None
    own = axis.follow.curve
    curved = [name for name in axis.follow.coefficients if done[name].curve is not None]
    if not curved:
        total = _through(axis.follow.coefficients, axis.follow.offset, done)
        return total if own is None else replace(total, curve=own)
    if len(axis.follow.coefficients) > 1:
        raise FigureError(
            f"{where}: {axis.name!r} follows a sum with {curved[0]!r}, which follows a curve; only one is possible"
        )
    inner = done[curved[0]]
    assert inner.curve is not None
    curve = inner.curve.scaled(axis.follow.coefficients[curved[0]], axis.follow.offset)
    return replace(inner, curve=curve if own is None else own.after(curve))


def _through(coefficients: Mapping[str, float], offset: float, axes: Mapping[str, Follow]) -> Follow:
    """offset + Σ c·a with every axis value a written out in coordinates."""
    total: dict[str, float] = {}
    for name, factor in coefficients.items():
        offset += factor * axes[name].offset
        for dof, coefficient in axes[name].coefficients.items():
            total[dof] = total.get(dof, 0.0) + factor * coefficient
    return Follow({dof: c for dof, c in total.items() if c != 0.0}, offset)


def _follower_limits(
    where: str, axes: Mapping[str, Axis], followers: Mapping[str, Follow]
) -> tuple[dict[str, tuple[float, float]], list[Coupling]]:
    """The range of every coordinate tightened by its single followers, and couplings for the others."""
    ranges = {name: (axis.lower, axis.upper) for name, axis in axes.items() if axis.follow is None}
    extra: list[Coupling] = []
    for name, follow in followers.items():
        lower, upper = axes[name].lower - follow.offset, axes[name].upper - follow.offset
        if isinf(lower) and isinf(upper):
            continue
        if follow.curve is not None:
            raise FigureError(f"{where}: {name!r} follows a curve, so it cannot have limits of its own")
        if not follow.coefficients:
            if not lower <= 0.0 <= upper:
                raise FigureError(f"{where}: {name!r} is held at {follow.offset:g}, outside its own limits")
        elif len(follow.coefficients) == 1:
            ((driver, factor),) = follow.coefficients.items()
            ends = sorted((lower / factor, upper / factor))
            low, high = max(ranges[driver][0], ends[0]), min(ranges[driver][1], ends[1])
            if low > high:
                raise FigureError(
                    f"{where}: the limits of {name!r}, which follows {driver!r}, leave {driver!r} no range: "
                    f"they ask for {ends[0]:g} to {ends[1]:g}, "
                    f"it has {ranges[driver][0]:g} to {ranges[driver][1]:g}"
                )
            ranges[driver] = (low, high)
        else:
            extra.append(Coupling(follow.coefficients, lower, upper, name=name))
    return ranges, extra


def _substitute(where: str, couplings: Sequence[Coupling], axes: Mapping[str, Follow]) -> list[Coupling]:
    """The couplings with followers written out, so that they name degrees of freedom only."""
    result = []
    for coupling in couplings:
        label = repr(coupling.name or str(coupling))
        for name in coupling.coefficients:
            if name not in axes:
                raise FigureError(
                    f"{where}: coupling {label}: unknown degree of freedom {name!r}; "
                    f"{checks.near(name, axes)}"
                )
        curved = [name for name in coupling.coefficients if axes[name].curve is not None]
        if curved:
            raise FigureError(
                f"{where}: coupling {label}: {curved[0]!r} follows a curve, and couplings are linear"
            )
        total = _through(coupling.coefficients, 0.0, axes)
        lower, upper = coupling.lower - total.offset, coupling.upper - total.offset
        if dict(total.coefficients) == dict(coupling.coefficients) and total.offset == 0.0:
            result.append(coupling)
        elif total.coefficients:
            result.append(replace(coupling, coefficients=total.coefficients, lower=lower, upper=upper))
        elif not lower <= 0.0 <= upper:
            raise FigureError(
                f"{where}: coupling {label} can never hold: its axes follow each other otherwise"
            )
    return result


def _dof(where: str, joint: Joint, axis: Axis, limits: tuple[float, float], alone: bool) -> Dof:
    lower, upper = limits
    rest = axis.rest
    if rest is None:
        rest = _default_rest(lower, upper)
    elif not lower <= rest <= upper:
        raise FigureError(
            f"{where}: joint {joint.name!r}: rest {rest:g} of {axis.name!r} is outside the range "
            f"{lower:g} to {upper:g} that the limits of its followers leave"
        )
    return Dof(
        axis.name,
        joint.name,
        axis.unit,
        lower,
        upper,
        rest,
        axis.stiffness,
        axis.velocity,
        axis.effort,
        alone and lower == -inf and upper == inf,
        axis.description,
    )


def _default_rest(lower: float, upper: float) -> float:
    """0 where the range holds it, otherwise the middle, otherwise the only end there is."""
    if lower <= 0.0 <= upper:
        return 0.0
    if isinf(lower) or isinf(upper):
        return upper if isinf(lower) else lower
    return 0.5 * (lower + upper)


def _cones(joints: Sequence[Joint], dofs: Sequence[str]) -> tuple[Cone, ...]:
    """The ellipses on swings, in the order of the joints."""
    return tuple(
        Cone(
            dofs.index(joint.axes[0].name),
            dofs.index(joint.axes[1].name),
            *joint.swing.center.tolist(),
            *joint.swing.radii.tolist(),
        )
        for joint in joints
        if isinstance(joint.swing, Ellipse)
    )


def _feasible(where: str, dofs: Mapping[str, Dof], couplings: Iterable[Coupling]) -> None:
    """Every coupling, taken alone, can hold somewhere inside the limits."""
    for coupling in couplings:
        low = high = 0.0
        for name, c in coupling.coefficients.items():
            ends = sorted((c * dofs[name].lower, c * dofs[name].upper))
            low, high = low + ends[0], high + ends[1]
        slack = 1e-9 * (1.0 + min(abs(low), abs(high)))
        if low > coupling.upper + slack or high < coupling.lower - slack:
            raise FigureError(
                f"{where}: coupling {coupling.name or str(coupling)!r} can never hold: inside the limits "
                f"the sum in {coupling} goes from {low:g} to {high:g}"
            )


def _alone(
    joints: Sequence[Joint], followers: Mapping[str, Follow], couplings: Iterable[Coupling]
) -> set[str]:
    """The turns that drive their own axis only."""
    single = {
        axis.name
        for joint in joints
        for step, axis in zip(joint.steps, joint.axes, strict=False)
        if len(joint.steps) == len(joint.axes) and step.units == ("rad",)
    }
    used = {name for follow in followers.values() for name in follow.coefficients}
    used.update(name for coupling in couplings for name in coupling.coefficients)
    return single - used
