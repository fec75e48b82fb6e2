"""Bodies of many people: drawn from ANSUR II, of given percentiles, on the boundary of what is to be accommodated."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np

from manikin.errors import FigureError
from manikin.figure import checks
from manikin.figure.figure import Figure
from manikin.figure.human.aging import AGES, aged
from manikin.figure.human.ansur import MEASURES, SEXES, measure_index, proportions, statistics
from manikin.figure.human.build import build
from manikin.figure.human.size import Person

#: Measures that reach and clearance depend on most: what boundary manikins are chosen by unless told.
BOUNDARY = (
    "stature",
    "sitting_height",
    "upper_arm",
    "forearm",
    "hand",
    "biacromial",
    "hip_breadth",
    "popliteal_height",
)


@dataclass(frozen=True, eq=False)
class Population:
    """People of one structure: their sexes, their measures in metres and kilograms, their ages where they have any.

    `figures` are built when first asked for. A population is what `solve_many` and `study` take for a figure.
    """

    sexes: tuple[str, ...]
    measures: np.ndarray
    ages: np.ndarray | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    labels: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.sexes)

    def __getitem__(self, place: int) -> Figure:
        return self.figures[place]

    def __iter__(self) -> Iterator[Figure]:
        return iter(self.figures)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """A figure each."""
        return tuple(self.build(k) for k in range(len(self)))

    def build(self, place: int) -> Figure:
        """The figure of one person."""
        row, sex = self.measures[place], self.sexes[place]
        own = proportions(row, sex)
        figure = build(Person(sex, own.stature, own.mass, own), **self.options)
        return figure if self.ages is None else aged(figure, float(self.ages[place]), sex)

    def measure(self, name: str) -> np.ndarray:
        """One measure of everybody, by its name in `MEASURES`."""
        return self.measures[:, measure_index(name)]

    def part(self, first: int, last: int) -> Population:
        """Some of them, in order."""
        return Population(
            self.sexes[first:last],
            self.measures[first:last],
            None if self.ages is None else self.ages[first:last],
            self.options,
            self.labels[first:last],
        )

    def __repr__(self) -> str:
        statures = self.measure("stature")
        span = f", {statures.min():.2f} to {statures.max():.2f} m" if len(self) else ""
        return f"Population({len(self)} people, {self.sexes.count('female')} of them women{span})"


def population(
    n: int,
    sex: str = "both",
    seed: int = 0,
    *,
    women: float = 0.5,
    age: float | tuple[float, float] | None = None,
    **options: Any,
) -> Population:
    """n people drawn from the statistics of ANSUR II.

    sex: ``"male"``, ``"female"`` or ``"both"``, with a share of ``women``, alternating evenly.
    seed: which people; the first of a larger population of the same seed are those of a smaller one.
    age: years, one or a range to draw from: joints then go as far as at that age (`aging`); by default as far as the
        tables say.
    options: of `human`: fingers, spine, girdle, swings, base.

    Lengths, girths and mass go together as in people: a multivariate normal distribution of their logarithms.
    """
    n = _count(n)
    if not isinstance(sex, str):
        raise FigureError(f"population: sex must be 'male', 'female' or 'both', got {sex!r}")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise FigureError(f"population: seed must be a whole number, not negative, got {seed!r}")
    share = {"male": 0.0, "female": 1.0}.get(sex)
    if share is None:
        if sex != "both":
            raise FigureError(f"population: sex must be 'male', 'female' or 'both', got {sex!r}")
        share = checks.number(women, "population: women")
        if not 0.0 <= share <= 1.0:
            raise FigureError(f"population: the share of women must be 0 to 1, got {share:g}")
    turn = np.floor(share * np.arange(1, n + 1) + 1e-12) > np.floor(share * np.arange(n) + 1e-12)
    sexes = tuple("female" if woman else "male" for woman in turn)
    measures, ages = np.empty((n, len(MEASURES))), np.empty(n)
    roots = {name: np.linalg.cholesky(statistics(name).covariance) for name in set(sexes)}
    low, high = _ages(age)
    for k, name in enumerate(sexes):
        rng = np.random.default_rng([seed, k])
        measures[k] = np.exp(statistics(name).mean + roots[name] @ rng.standard_normal(len(MEASURES)))
        ages[k] = rng.uniform(low, high)
    return Population(sexes, measures, None if age is None else ages, _options(options))


def percentiles(
    shares: Sequence[float] = (5.0, 50.0, 95.0),
    sex: str = "both",
    *,
    by: str = "stature",
    age: float | None = None,
    **options: Any,
) -> Population:
    """The likeliest people of these percentiles of one measure, men, women, or first men and then women."""
    index = measure_index(by)
    sexes, rows, labels = [], [], []
    for name in SEXES if sex == "both" else (sex,):
        found = statistics(name)
        for share in shares:
            value = checks.number(share, "percentiles: a share")
            if not 0.0 < value < 100.0:
                raise FigureError(f"percentiles: a percentile is between 0 and 100, got {value:g}")
            z = NormalDist().inv_cdf(value / 100.0)
            rows.append(found.given({by: float(np.exp(found.mean[index] + z * found.deviation[index]))}))
            sexes.append(name)
            labels.append(f"{name} {value:g}th percentile of {by.replace('_', ' ')}")
    return _fixed(sexes, rows, labels, age, options)


def boundary(
    coverage: float = 0.9,
    sex: str = "both",
    *,
    by: Sequence[str] = BOUNDARY,
    axes: int = 3,
    age: float | None = None,
    **options: Any,
) -> Population:
    """Boundary manikins: people at the ends of the principal axes of the ellipsoid that holds a share of all people.

    by: the measures that count; their principal components are those of their correlations. axes: how many of them;
    2 people for each and 2^axes at its corners between them, men and women each, besides the mean. coverage: the share
    inside the ellipsoid, r² its quantile of χ² with as many degrees of freedom as axes. What is not in ``by`` is the
    likeliest for the rest.
    """
    share = checks.number(coverage, "boundary: coverage")
    if not 0.0 < share < 1.0:
        raise FigureError(f"boundary: the coverage must be between 0 and 1, got {share:g}")
    if not 1 <= axes <= len(by):
        raise FigureError(f"boundary: axes must be 1 to {len(by)}, got {axes!r}")
    index = [measure_index(name) for name in by]
    radius = math.sqrt(_chi_square(share, axes))
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * axes)).reshape(axes, -1).T / np.sqrt(axes)
    around = np.vstack([np.zeros((1, axes)), np.eye(axes), -np.eye(axes), corners]) * radius
    sexes, rows, labels = [], [], []
    for name in SEXES if sex == "both" else (sex,):
        found = statistics(name)
        deviation = found.deviation[index]
        correlation = found.covariance[np.ix_(index, index)] / np.outer(deviation, deviation)
        values, vectors = np.linalg.eigh(correlation)
        main = vectors[:, ::-1][:, :axes] * np.sqrt(values[::-1][:axes])
        for k, point in enumerate(around):
            logs = found.mean[index] + deviation * (main @ point)
            rows.append(found.given(dict(zip(by, np.exp(logs).tolist(), strict=True))))
            sexes.append(name)
            labels.append(f"{name} boundary {k}" if k else f"{name} mean")
    return _fixed(sexes, rows, labels, age, options)


def people(given: Sequence[Mapping[str, Any]], *, age: float | None = None, **options: Any) -> Population:
    """A fixed list: of each person the sex and whatever measures are known, the others being the likeliest for them.

    ``people([{"sex": "female", "stature": 1.62, "upper_arm": 0.31}])``. A ``"label"`` names one.
    """
    sexes, rows, labels = [], [], []
    for k, person in enumerate(given):
        known = dict(person)
        name, label = str(known.pop("sex", "male")), str(known.pop("label", f"person {k}"))
        for measure, value in known.items():
            measure_index(measure)
            if not checks.number(value, f"people: {measure} of person {k}") > 0.0:
                raise FigureError(f"people: {measure} of person {k} must be above 0, got {value!r}")
        rows.append(statistics(name).given({m: float(v) for m, v in known.items()}))
        sexes.append(name)
        labels.append(label)
    return _fixed(sexes, rows, labels, age, options)


def _fixed(
    sexes: list[str], rows: list[np.ndarray], labels: list[str], age: float | None, options: dict[str, Any]
) -> Population:
    ages = None if age is None else np.full(len(rows), _ages(age)[0])
    measures = np.array(rows).reshape(len(rows), len(MEASURES))
    return Population(tuple(sexes), measures, ages, _options(options), tuple(labels))


_MOST = 100_000_000


def _count(n: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
        raise FigureError(f"population: a number of people is wanted, got {n!r}")
    if n > _MOST:
        raise FigureError(f"population: {_MOST:,} people at most, got {n!r}")
    return int(n)


def _ages(age: Any) -> tuple[float, float]:
    if age is None:
        return 0.0, 0.0
    ends = tuple(age) if isinstance(age, (tuple, list)) else (age, age)
    if len(ends) != 2:
        raise FigureError(f"population: age is one number, or a range (youngest, oldest), got {age!r}")
    low, high = ends
    low, high = checks.number(low, "population: age"), checks.number(high, "population: age")
    if not AGES[0] <= low <= high <= AGES[1]:
        raise FigureError(
            f"population: ages are {AGES[0]:g} to {AGES[1]:g} years, the younger first, got {age!r}"
        )
    return low, high


def _options(options: Mapping[str, Any]) -> dict[str, Any]:
    known = ("fingers", "spine", "girdle", "swings", "base")
    for name in options:
        if name not in known:
            raise FigureError(f"population: unknown option {name!r}; expected one of: {', '.join(known)}")
    return dict(options)


def _chi_square(share: float, freedom: int) -> float:
    """The r² that a share of all has below it, of χ² with so many degrees of freedom, by bisection.

    Above r² is Q(f/2, r²/2), with Q(½, x) = erfc √x, Q(1, x) = e⁻ˣ and Q(a + 1, x) = Q(a, x) + xᵃ e⁻ˣ / Γ(a + 1).
    """

    def above(square: float) -> float:
        x, a = 0.5 * square, 0.5 * (1 + (freedom + 1) % 2)
        rest = math.erfc(math.sqrt(x)) if freedom % 2 else math.exp(-x)
        while a < 0.5 * freedom - 0.25:
            rest += math.exp(a * math.log(x) - x - math.lgamma(a + 1.0)) if x > 0.0 else 0.0
            a += 1.0
        return rest

    low, high = 0.0, 1.0
    while above(high) > 1.0 - share:
        low, high = high, 2.0 * high
    while (middle := 0.5 * (low + high)) not in (low, high):
        low, high = (middle, high) if above(middle) > 1.0 - share else (low, middle)
    return high
