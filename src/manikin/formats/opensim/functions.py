"""OpenSim's functions of coordinates, as what an axis follows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manikin.errors import FigureError
from manikin.figure import Curve, Follow
from manikin.formats.opensim.document import Node

_SPLINES = ("SimmSpline", "NaturalCubicSpline", "natCubicSpline")


def read_function(node: Node, coordinates: Sequence[str]) -> Follow:
    """What a function of these coordinates, in their order, is: a constant, a sum of multiples, or a curve of one."""
    if node.tag == "function":
        inner = next(iter(node), None)
        if inner is None:
            node.fail("it holds no function")
        return read_function(inner, coordinates)
    if node.tag == "Constant":
        return Follow({}, node.number("value", default=0.0))
    if node.tag == "MultiplierFunction":
        return _multiple(node, coordinates)
    if node.tag == "LinearFunction":
        return _linear(node, coordinates)
    if not coordinates:
        node.fail("it needs a coordinate")
    if len(coordinates) > 1:
        node.fail(f"it depends on {len(coordinates)} coordinates; only sums of multiples of several are read")
    try:
        curve = _curve(node)
    except FigureError as problem:
        node.fail(str(problem))
    straight = curve.linear
    if straight is not None:
        return Follow({coordinates[0]: straight[0]} if straight[0] else {}, straight[1])
    return Follow({coordinates[0]: 1.0}, 0.0, curve)


def _multiple(node: Node, coordinates: Sequence[str]) -> Follow:
    inner = node.child("function")
    if inner is None:
        node.fail("it has no <function>")
    scale, found = node.number("scale", default=1.0), read_function(inner, coordinates)
    if found.curve is not None:
        return Follow(dict(found.coefficients), found.offset, found.curve.scaled(scale))
    return Follow({name: scale * c for name, c in found.coefficients.items()}, scale * found.offset)


def _linear(node: Node, coordinates: Sequence[str]) -> Follow:
    """a·q + b, or Σ aᵢ qᵢ + b."""
    numbers = node.numbers("coefficients", default=[1.0, 0.0])
    if len(numbers) != len(coordinates) + 1:
        node.fail(
            f"it has {len(numbers)} coefficients for {len(coordinates)} coordinates; one more is wanted"
        )
    pairs = zip(coordinates, numbers[:-1].tolist(), strict=True)
    return Follow({name: c for name, c in pairs if c != 0.0}, float(numbers[-1]))


def _curve(node: Node) -> Curve:
    if node.tag == "PolynomialFunction":
        return Curve.polynomial(node.numbers("coefficients")[::-1])
    if node.tag in _SPLINES:
        return Curve.simm_spline(node.numbers("x"), node.numbers("y"))
    if node.tag == "PiecewiseLinearFunction":
        return Curve.straight_pieces(node.numbers("x"), node.numbers("y"))
    if node.tag == "GCVSpline":
        half_order = int(node.number("half_order", default=3.0))
        variance = node.number("error_variance", default=0.0)
        if variance != 0.0:
            node.fail(
                f"a smoothing spline (error_variance {variance:g}) is not read, only an interpolating one"
            )
        return Curve.natural_spline(node.numbers("x"), node.numbers("y"), half_order)
    node.fail(
        "this kind of function is not read; expected one of Constant, LinearFunction, PolynomialFunction, SimmSpline, "
        "PiecewiseLinearFunction, GCVSpline and MultiplierFunction"
    )


def value_of(function: Follow, coordinate: float = 0.0) -> float:
    """The value of a function of at most one coordinate."""
    return function.value(dict.fromkeys(function.coefficients, coordinate))


def times(function: Follow, factor: float) -> Follow:
    """A multiple of a function."""
    if function.curve is not None:
        return Follow(dict(function.coefficients), function.offset, function.curve.scaled(factor))
    scaled = {name: factor * c for name, c in function.coefficients.items()}
    return Follow(scaled if factor else {}, float(np.multiply(factor, function.offset)))
