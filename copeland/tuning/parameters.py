"""What can be tuned: a real number, a whole number or a choice, each laid on the line from 0 to 1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from numbers import Real as Number
from typing import Any

from copeland.errors import InvalidParameter

MOST_CHOICES = 64
_DIGITS = 12  # of a real number: more would only show how computers round
_LARGEST = 10**12  # of an integer: beyond it neighbours fall together on the line


@dataclass(frozen=True)
class Real:
    """A real number from ``low`` to ``high``. With ``log``, equal ratios count as equal steps.

    Examples
    --------
    >>> rate = Real(1e-4, 1, log=True)
    >>> rate.value(0.5), rate.place(0.01)
    (0.01, 0.5)
    """

    low: float
    high: float
    log: bool = False

    cells = 0  # any place of the line is a value

    def __post_init__(self) -> None:
        for end in (self.low, self.high):
            if not _is_number(end):
                raise InvalidParameter(
                    f"one end of a range is {_short(end)}; give two finite numbers."
                )
        _require_order(self.low, self.high)
        if self.log and self.low <= 0:
            raise InvalidParameter(
                f"a logarithmic range begins at {self.low:g}; it must begin above 0."
            )
        if not math.isfinite(float(self.high) - float(self.low)):
            raise InvalidParameter("the range is too wide for floating-point numbers.")
        object.__setattr__(self, "low", float(self.low))
        object.__setattr__(self, "high", float(self.high))
        object.__setattr__(self, "log", bool(self.log))

    def value(self, place: float) -> float:
        """Return the value at a place between 0 and 1."""
        low, high = self._ends()
        found = low + float(place) * (high - low)
        value = float(f"{math.exp(found) if self.log else found:.{_DIGITS}g}")
        return min(max(value, self.low), self.high)

    def place(self, value: Any) -> float | None:
        """Return the place of a value; None if it is outside."""
        if not _is_number(value) or not self.low <= value <= self.high:
            return None
        low, high = self._ends()
        found = math.log(value) if self.log else float(value)
        return min(max((found - low) / (high - low), 0.0), 1.0)

    def _ends(self) -> tuple[float, float]:
        return (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)

    @property
    def words(self) -> str:
        """What values there are."""
        return f"a number from {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Integer:
    """A whole number from ``low`` to ``high``, both included.

    Examples
    --------
    >>> layers = Integer(1, 8)
    >>> layers.value(0.0), layers.value(1.0), layers.place(1)
    (1, 8, 0.0625)
    """

    low: int
    high: int

    def __post_init__(self) -> None:
        for end in (self.low, self.high):
            if isinstance(end, bool) or not isinstance(end, Integral) or abs(end) > _LARGEST:
                raise InvalidParameter(
                    f"one end of a range of integers is {_short(end)}; give two whole numbers."
                )
        _require_order(self.low, self.high)
        object.__setattr__(self, "low", int(self.low))
        object.__setattr__(self, "high", int(self.high))

    @property
    def cells(self) -> int:
        """How many values there are."""
        return self.high - self.low + 1

    def value(self, place: float) -> int:
        """Return the value whose cell holds a place between 0 and 1."""
        return self.low + min(int(place * self.cells), self.cells - 1)

    def place(self, value: Any) -> float | None:
        """Return the centre of a value's cell; None if it is outside."""
        if not _is_number(value) or value != int(value) or not self.low <= value <= self.high:
            return None
        return (int(value) - self.low + 0.5) / self.cells

    @property
    def words(self) -> str:
        """What values there are."""
        return f"a whole number from {self.low} to {self.high}"


class Choice:
    """One of several names or numbers, in no order.

    Examples
    --------
    >>> style = Choice("short", "warm")
    >>> style.value(0.9), style.place("short")
    ('warm', 0.25)
    """

    def __init__(self, *options: str | float | bool):
        if not 1 <= len(options) <= MOST_CHOICES:
            raise InvalidParameter(
                f"a choice has {len(options)} options; give 1 to {MOST_CHOICES} of them."
            )
        for option in options:
            if not isinstance(option, str) and not _is_number(option, truths=True):
                raise InvalidParameter(
                    f"a choice offers {_short(option)}; give texts, finite numbers or truth values."
                )
        if len({(type(option), option) for option in options}) < len(options):
            raise InvalidParameter("a choice offers the same option twice.")
        self.options = options

    def __repr__(self) -> str:
        return f"Choice({', '.join(map(repr, self.options))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choice) and self.options == other.options

    def __hash__(self) -> int:
        return hash(self.options)

    @property
    def cells(self) -> int:
        """How many options there are."""
        return len(self.options)

    def value(self, place: float) -> str | float | bool:
        """Return the option whose cell holds a place between 0 and 1."""
        return self.options[min(int(place * self.cells), self.cells - 1)]

    def place(self, value: Any) -> float | None:
        """Return the centre of an option's cell; None if it is not offered."""
        for index, option in enumerate(self.options):
            if type(option) is type(value) and option == value:
                return (index + 0.5) / self.cells
        return None

    @property
    def words(self) -> str:
        """What values there are."""
        return f"one of {', '.join(_short(option) for option in self.options)}"


Parameter = Real | Integer | Choice


def _is_number(value: object, truths: bool = False) -> bool:
    if isinstance(value, bool):
        return truths
    try:
        return isinstance(value, Number) and math.isfinite(float(value))
    except OverflowError:
        return False


def _require_order(low: float, high: float) -> None:
    if not low < high:
        raise InvalidParameter(
            f"a range goes from {_short(low)} to {_short(high)}; the second number must be larger."
        )


def _short(value: object) -> str:
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**20 else "a huge number"
    return text if len(text) <= 40 else f"{text[:39]}…"
