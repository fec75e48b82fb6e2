"""Who is built: sex, stature and mass, from numbers or from a percentile of the population."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt

from manikin.errors import FigureError
from manikin.figure import checks
from manikin.figure.human.proportions import BY_SEX, Proportions

#: Statures that the proportions still make sense for, metres.
STATURES = (0.5, 2.8)
#: Ages that are known, and from which on people are grown, years.
YEARS, GROWN = (2.0, 80.0), 20.0
#: How far limbs may be thicker or thinner than the mean person's.
GIRTHS = (0.85, 1.2)


@dataclass(frozen=True)
class Size:
    """A person's sex, stature in metres and mass in kilograms."""

    sex: str
    stature: float
    mass: float

    @property
    def proportions(self) -> Proportions:
        """Lengths over stature."""
        return BY_SEX[self.sex]

    @property
    def girth(self) -> float:
        """How much thicker than the mean person's the body is, beside its stature: √ of the mass a metre³."""
        mean = self.proportions
        ratio = sqrt((self.mass / self.stature**3) / (mean.mass / mean.stature**3))
        return min(max(ratio, GIRTHS[0]), GIRTHS[1])


@dataclass(frozen=True)
class Person(Size):
    """Somebody with proportions of their own."""

    own: Proportions

    @property
    def proportions(self) -> Proportions:
        """Lengths over stature, this person's own."""
        return self.own


@dataclass(frozen=True)
class Figured(Person):
    """Somebody with circumferences of their own: as thick besides as they were before these were known."""

    thickness: float = 1.0

    @property
    def girth(self) -> float:
        """As given."""
        return self.thickness


def choose(
    stature: float | None = None,
    mass: float | None = None,
    sex: str = "male",
    percentile: float | None = None,
) -> Size:
    """The person asked for; what is not given is the mean of the sex, the mass that of people of the stature.

    percentile: between 0 and 100, of stature and of mass, each taken as normally distributed.
    """
    checks.one_of(sex, BY_SEX, "human: unknown sex")
    table = BY_SEX[sex]
    if percentile is not None:
        if stature is not None:
            raise FigureError("human: give the stature or a percentile, not both")
        share = checks.number(percentile, "human: percentile")
        if not 0.0 < share < 100.0:
            raise FigureError(f"human: the percentile must be between 0 and 100, got {share:g}")
        from statistics import NormalDist

        deviations = NormalDist().inv_cdf(share / 100.0)
        stature = table.stature + deviations * table.stature_deviation
        mass = table.mass + deviations * table.mass_deviation if mass is None else mass
    stature = table.stature if stature is None else checks.number(stature, "human: stature")
    if not STATURES[0] <= stature <= STATURES[1]:
        raise FigureError(
            f"human: the stature must be {STATURES[0]:g} to {STATURES[1]:g} metres, got {stature:g}"
        )
    if mass is None:
        # The regression holds inside the population; beyond it the build stays that of its edge.
        reach = 3.0 * table.stature_deviation
        inside = min(max(stature, table.stature - reach), table.stature + reach)
        mass = (table.mass + table.mass_slope * (inside - table.stature)) * (stature / inside) ** 3
    mass = checks.number(mass, "human: mass")
    if mass <= 0.0:
        raise FigureError(f"human: the mass must be above 0, got {mass:g}")
    return Size(sex, stature, mass)


def shaped(
    stature: float | None = None,
    mass: float | None = None,
    sex: str = "male",
    percentile: float | None = None,
    age: float | None = None,
    circumferences: Mapping[str, float] | None = None,
    pregnancy: float | None = None,
) -> Size:
    """The person asked for by `choose`, a child where the age is below 20, with circumferences and pregnancy."""
    from manikin.figure.human.circumference import girded, with_child
    from manikin.figure.human.growth import child

    years = None if age is None else checks.number(age, "human: age")
    if years is not None and not YEARS[0] <= years <= YEARS[1]:
        raise FigureError(f"human: the age is {YEARS[0]:g} to {YEARS[1]:g} years, got {years:g}")
    young = years is not None and years < GROWN
    if young and percentile is not None:
        raise FigureError("human: percentiles are of adults; give a child's stature, mass, or both")
    if pregnancy is not None and (sex != "female" or young):
        raise FigureError("human: a pregnancy is a grown woman's: sex='female', and no age below 20")
    size = choose(stature, mass, sex, percentile)
    if young:
        assert years is not None
        given = (None if stature is None else size.stature, None if mass is None else size.mass)
        own = child(years, sex, *given)
        size = Person(sex, own.stature, own.mass, own)
    if circumferences is None and pregnancy is None:
        return size
    own, girth = replace(size.proportions, stature=size.stature, mass=size.mass), size.girth
    if circumferences is not None:
        own = girded(own, circumferences, girth)
    if pregnancy is not None:
        own = with_child(own, pregnancy)
    return Figured(sex, size.stature, own.mass, own, girth)
