"""Linear couplings among the degrees of freedom: lower ≤ Σ c·q ≤ upper."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from types import MappingProxyType
from typing import Any

from manikin.errors import FigureError
from manikin.figure import checks
from manikin.figure.segment import Record

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d][\w.:]*)"
    r"|'(?P<quoted>[^']+)'|(?P<sign><=|>=|==|[=*/+()-]))"
)
_PLAIN = re.compile(r"[^\W\d][\w.:]*")

#: A sum of multiples of names and a constant, the constant under the empty name.
Linear = dict[str, float]


@dataclass(frozen=True)
class Coupling(Record):
    """lower ≤ Σ c·q ≤ upper over the named degrees of freedom; an equality when both ends are the same.

    No pose that a solver returns violates one. ``Coupling.parse("a = 0.2*b + 0.1")`` reads it from text.
    """

    coefficients: Mapping[str, float]
    lower: float = -inf
    upper: float = inf
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise FigureError(f"coupling: its name must be a string, got {self.name!r}")
        where = f"coupling {self.name!r}" if self.name else "coupling"
        given = checks.coefficients(self.coefficients, where)
        coefficients = {key: value for key, value in given.items() if value != 0.0}
        if not coefficients:
            raise FigureError(
                f"{where}: it couples nothing; give a coefficient other than 0 to some degree of freedom"
            )
        lower = checks.number(self.lower, f"{where}: lower", infinite=True)
        upper = checks.number(self.upper, f"{where}: upper", infinite=True)
        if lower > upper or lower == inf or upper == -inf:
            raise FigureError(f"{where}: the lower end {lower:g} is above the upper end {upper:g}")
        if lower == -inf and upper == inf:
            raise FigureError(f"{where}: neither lower nor upper is given, so it couples nothing")
        self._set(coefficients=MappingProxyType(coefficients), lower=lower, upper=upper)

    def __hash__(self) -> int:
        return hash((frozenset(self.coefficients.items()), self.lower, self.upper, self.name))

    def __reduce__(self) -> tuple[Any, ...]:
        return Coupling, (dict(self.coefficients), self.lower, self.upper, self.name)

    @property
    def equality(self) -> bool:
        """Whether the sum has one value only."""
        return self.lower == self.upper

    def value(self, values: Mapping[str, float]) -> float:
        """Σ c·q at these values by name."""
        return sum(c * values[key] for key, c in self.coefficients.items())

    def __str__(self) -> str:
        total = _sum(self.coefficients)
        if self.equality:
            return f"{total} = {_text(self.lower)}"
        if self.lower == -inf:
            return f"{total} <= {_text(self.upper)}"
        if self.upper == inf:
            return f"{total} >= {_text(self.lower)}"
        return f"{_text(self.lower)} <= {total} <= {_text(self.upper)}"

    @classmethod
    def parse(cls, text: str, name: str = "") -> Coupling:
        """Reads ``"a = 0.2*b + 0.1"`` or ``"0 <= a - 'odd name' <= 1"``: any linear relation."""
        sides, signs = _Parser(text).relation()
        if len(signs) == 2:
            if set(signs) not in ({"<="}, {">="}) or any(set(side) - {""} for side in (sides[0], sides[2])):
                raise FigureError(
                    f"coupling {text!r}: write numbers at both ends and one sign twice, as in 0 <= a - b <= 1"
                )
            low, high = (sides[0], sides[2]) if signs[0] == "<=" else (sides[2], sides[0])
            constant = sides[1].pop("", 0.0)
            return _named(
                cls, text, sides[1], low.get("", 0.0) - constant, high.get("", 0.0) - constant, name
            )
        difference = _add(sides[0], sides[1], -1.0)
        end = 0.0 - difference.pop("", 0.0)
        lower = -inf if signs[0] == "<=" else end
        upper = inf if signs[0] == ">=" else end
        return _named(cls, text, difference, lower, upper, name)


def _named(cls: type[Coupling], text: str, sums: Linear, lower: float, upper: float, name: str) -> Coupling:
    try:
        return cls(sums, lower, upper, name)
    except FigureError as error:
        raise FigureError(f"{error} (in {text!r})") from None


def _add(first: Linear, second: Linear, factor: float) -> Linear:
    result = dict(first)
    for key, value in second.items():
        result[key] = result.get(key, 0.0) + factor * value
    return result


def _text(value: float) -> str:
    text = repr(float(value))
    return text.removesuffix(".0")


def _sum(coefficients: Mapping[str, float]) -> str:
    text = ""
    for key, value in coefficients.items():
        shown = key if _PLAIN.fullmatch(key) else f"'{key}'"
        term = shown if abs(value) == 1.0 else f"{_text(abs(value))}*{shown}"
        if text:
            text += f" - {term}" if value < 0.0 else f" + {term}"
        else:
            text = f"-{term}" if value < 0.0 else term
    return text


class _Parser:
    """Recursive descent over sums of products; every value is Linear, and a product needs a constant side."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str]] = []
        position, end = 0, len(text.rstrip())
        while position < end:
            match = _TOKEN.match(text, position)
            if match is None:
                hint = " (write <= or >=)" if text[position:].strip()[:1] in "<>" else ""
                raise self.error(f"cannot read {text[position:].strip()!r}{hint}")
            self.tokens.append((match.lastgroup or "", match.group(match.lastgroup or 0)))
            position = match.end()
        self.next = 0

    def error(self, what: str) -> FigureError:
        return FigureError(f"coupling {self.text!r}: {what}; write it as in 'a = 0.2*b + 0.1'")

    def peek(self) -> str:
        if self.next < len(self.tokens) and self.tokens[self.next][0] == "sign":
            return self.tokens[self.next][1]
        return ""

    def relation(self) -> tuple[list[Linear], list[str]]:
        sides, signs = [self.sum()], []
        while self.peek() in ("=", "==", "<=", ">="):
            signs.append(self.peek().replace("==", "="))
            self.next += 1
            sides.append(self.sum())
        if self.next < len(self.tokens):
            raise self.error(f"did not expect {self.tokens[self.next][1]!r}")
        if len(signs) not in (1, 2):
            raise self.error("expected one of =, <= or >=")
        return sides, signs

    def sum(self) -> Linear:
        result = self.product()
        while self.peek() in ("+", "-"):
            factor = 1.0 if self.peek() == "+" else -1.0
            self.next += 1
            result = _add(result, self.product(), factor)
        return result

    def product(self) -> Linear:
        result = self.factor()
        while self.peek() in ("*", "/"):
            sign = self.peek()
            self.next += 1
            other = self.factor()
            if sign == "*" and not set(result) - {""}:
                result, other = other, result
            if set(other) - {""}:
                raise self.error("only sums of multiples of degrees of freedom can be coupled")
            constant = other.get("", 0.0)
            if sign == "/" and constant == 0.0:
                raise self.error("a division by 0")
            result = {
                key: value * constant if sign == "*" else value / constant for key, value in result.items()
            }
        return result

    def factor(self) -> Linear:
        if self.next >= len(self.tokens):
            raise self.error("it ends too early")
        kind, word = self.tokens[self.next]
        self.next += 1
        if kind == "number":
            return {"": float(word)}
        if kind in ("name", "quoted"):
            return {word: 1.0}
        if word in "+-":
            return _add({}, self.factor(), 1.0 if word == "+" else -1.0)
        if word == "(":
            result = self.sum()
            if self.peek() != ")":
                raise self.error("a parenthesis is not closed")
            self.next += 1
            return result
        raise self.error(f"did not expect {word!r}")
