"""The planar chains of the papers' examples: hinges about z, angles relative to the link before."""

from __future__ import annotations

from collections.abc import Sequence

from manikin.figure import Figure, Joint, Segment, Shape, Site


def _link(name: str, length: float) -> Segment:
    upright = [
        [0.0, 0.0, 1.0, 0.5 * length],
        [0.0, 1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]
    shape = Shape("capsule", (0.06 * length, length), upright)
    return Segment(name, mass=length, center_of_mass=(0.5 * length, 0.0, 0.0), shapes=(shape,))


def planar_chain(
    lengths: Sequence[float] = (1.0, 1.0, 1.0),
    *,
    lower: Sequence[float | None] | None = None,
    upper: Sequence[float | None] | None = None,
    rest: Sequence[float] | None = None,
) -> Figure:
    """A chain in the x–y plane (Example 3.1; Korein and Badler's figure 1), with n links.

    Its joints are ``theta1`` … and its sites ``P1`` …, the ends of the links: Pᵢ = Σ aⱼ (cos Θⱼ, sin Θⱼ) with
    Θⱼ = θ₁ + … + θⱼ (eqs. 4 to 9).
    """
    return _figure("planar chain", list(lengths), [], 0, lower, upper, rest)


def branched_chain(
    *,
    links: int = 6,
    branch: int = 3,
    at: int = 3,
    lower: Sequence[float | None] | None = None,
    upper: Sequence[float | None] | None = None,
    rest: Sequence[float] | None = None,
) -> Figure:
    """A chain of six unit links with a branch of three at the third joint (Example 5.7).

    Joints ``theta1`` … ``theta9``, sites ``P1`` … ``P9``: the tips are ``P6`` and ``P9``.
    """
    return _figure("branched chain", [1.0] * links, [1.0] * branch, at, lower, upper, rest)


def _figure(
    name: str,
    trunk: list[float],
    branch: list[float],
    at: int,
    lower: Sequence[float | None] | None,
    upper: Sequence[float | None] | None,
    rest: Sequence[float] | None,
) -> Figure:
    lengths = [*trunk, *branch]
    joints, sites = [], []
    for i, length in enumerate(lengths):
        before = at if i == len(trunk) and branch else i
        parent = f"link{before}" if before else "base"
        options = {
            key: values[i]
            for key, values in (("lower", lower), ("upper", upper), ("rest", rest))
            if values is not None
        }
        offset = (lengths[before - 1] if before else 0.0, 0.0, 0.0)
        joints.append(
            Joint.revolute(f"theta{i + 1}", parent, f"link{i + 1}", "z", placement=offset, **options)
        )
        sites.append(Site(f"P{i + 1}", f"link{i + 1}", (length, 0.0, 0.0)))
    segments = [Segment("base"), *(_link(f"link{i + 1}", length) for i, length in enumerate(lengths))]
    return Figure(name, segments, joints, sites)
