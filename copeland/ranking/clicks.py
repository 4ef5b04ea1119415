"""Click models: which documents of a list a simulated user clicks.

The user reads from the top. A document of grade g is clicked with probability ``click[g]``; after a
click the user leaves with probability ``stop[g]`` (the dependent click model: Guo, Liu and Wang,
WSDM 2009). Position-based models look at position k with a probability of its own, and never leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter, UnknownName, nearest
from copeland.kernels import kernel
from copeland.support.arrays import Bools, Floats

LONGEST = 10_000  # list of which a model says what is looked at

GRADES = (2, 3, 5)

# (P(click | grade), P(stop | click, grade)) by the number of grades: Hofmann, Whiteson and de Rijke
# (TOIS 2013) for 2 and 3 grades, their usual extension to the 5 of MSLR.
_MODELS = {
    "perfect": {
        2: ((0.0, 1.0), (0.0, 0.0)),
        3: ((0.0, 0.5, 1.0), (0.0, 0.0, 0.0)),
        5: ((0.0, 0.2, 0.4, 0.8, 1.0), (0.0, 0.0, 0.0, 0.0, 0.0)),
    },
    "navigational": {
        2: ((0.05, 0.95), (0.2, 0.9)),
        3: ((0.05, 0.5, 0.95), (0.2, 0.5, 0.9)),
        5: ((0.05, 0.3, 0.5, 0.7, 0.95), (0.2, 0.3, 0.5, 0.7, 0.9)),
    },
    "informational": {
        2: ((0.4, 0.9), (0.1, 0.5)),
        3: ((0.4, 0.7, 0.9), (0.1, 0.3, 0.5)),
        5: ((0.4, 0.6, 0.7, 0.8, 0.9), (0.1, 0.2, 0.3, 0.4, 0.5)),
    },
    "almost-random": {
        2: ((0.4, 0.6), (0.5, 0.5)),
        3: ((0.4, 0.5, 0.6), (0.5, 0.5, 0.5)),
        5: ((0.4, 0.45, 0.5, 0.55, 0.6), (0.5, 0.5, 0.5, 0.5, 0.5)),
    },
    "random": {n: ((0.5,) * n, (0.0,) * n) for n in GRADES},
}

CLICK = 1  # what :func:`look` returns: the sum of these
LEAVE = 2


class ClickTables(NamedTuple):
    """A click model as arrays, for kernels."""

    click: Floats  # by grade: P(click | looked at)
    stop: Floats  # by grade: P(leave | clicked)
    quit: Floats  # by grade: P(leave | looked at, not clicked)
    examine: Floats  # by position: P(looked at | not left)


@dataclass(frozen=True)
class ClickModel:
    """How a simulated user clicks, as a table by grade.

    Parameters
    ----------
    click
        For each grade, the probability of a click on a document that is looked at.
    stop
        For each grade, the probability of leaving after a click; never, if left out.
    examine
        For each position, the probability that it is looked at; always, if left out. A list longer
        than this is refused.
    stop_requires_click
        False: leave with probability ``stop[g]`` after every document looked at, clicked or not.
        Some published simulations read the model so.

    Examples
    --------
    >>> ClickModel(click=(0.1, 0.8), stop=(0.0, 0.5)).grades
    2
    >>> click_model("navigational", grades=3).click
    (0.05, 0.5, 0.95)
    """

    click: tuple[float, ...]
    stop: tuple[float, ...] = ()
    examine: tuple[float, ...] = ()
    stop_requires_click: bool = True
    name: str = "own"

    def __post_init__(self) -> None:
        click = _probabilities("click", self.click)
        stop = _probabilities("stop", self.stop) or (0.0,) * len(click)
        if len(click) < 2 or len(click) != len(stop):
            raise InvalidParameter(
                f"click has {len(click)} grades and stop {len(stop)}; "
                "give both for the same grades, at least two."
            )
        object.__setattr__(self, "click", click)
        object.__setattr__(self, "stop", stop)
        object.__setattr__(self, "examine", _probabilities("examine", self.examine))

    @property
    def grades(self) -> int:
        """How many grades the table has."""
        return len(self.click)

    def tables(self, length: int) -> ClickTables:
        """Return the model as arrays, for lists of up to ``length`` documents."""
        if self.examine and len(self.examine) < length:
            raise InvalidParameter(
                f"The click model '{self.name}' says how {len(self.examine)} positions are "
                f"looked at, but the list has {length}; give examine for all of them."
            )
        stop = np.array(self.stop)
        examine = np.array(self.examine[:length]) if self.examine else np.ones(length)
        quit = np.zeros_like(stop) if self.stop_requires_click else stop
        return ClickTables(np.array(self.click), stop, quit, examine)

    def check(self, grades: Sequence[int] | NDArray[np.integer]) -> None:
        """Refuse grades that the table does not have."""
        known = np.asarray(grades)
        bad = known[(known < 0) | (known >= self.grades)]
        if bad.size:
            raise InvalidParameter(
                f"Grade {bad[0]} is unknown to the click model '{self.name}', "
                f"which has grades 0 to {self.grades - 1}."
            )


def _probabilities(what: str, values: Sequence[float]) -> tuple[float, ...]:
    numbers = tuple(float(value) for value in values)
    for place, number in enumerate(numbers):
        if not 0 <= number <= 1:
            raise InvalidParameter(
                f"{what}[{place}] is {number:g}; it is a probability, between 0 and 1."
            )
    return numbers


def click_models() -> list[str]:
    """Return the names of the built-in click models.

    Examples
    --------
    >>> click_models()
    ['perfect', 'navigational', 'informational', 'almost-random', 'random']
    """
    return list(_MODELS)


def click_model(name: str, grades: int = 5, stop_requires_click: bool = True) -> ClickModel:
    """Return a built-in click model.

    Parameters
    ----------
    name
        perfect, navigational, informational, almost-random or random.
    grades
        2, 3 or 5. To use the table of two on data of five grades, see :func:`binarize`.
    stop_requires_click
        See :class:`ClickModel`.

    Examples
    --------
    >>> click_model("informational").stop
    (0.1, 0.2, 0.3, 0.4, 0.5)
    """
    if name not in _MODELS:
        raise UnknownName(f"there is no click model '{name}'; {nearest(name, _MODELS)}")
    if grades not in GRADES:
        raise InvalidParameter(
            f"The built-in click models have 2, 3 or 5 grades, not {grades}; make a ClickModel "
            "with your own table."
        )
    click, stop = _MODELS[name][grades]
    return ClickModel(click, stop, stop_requires_click=stop_requires_click, name=name)


def binarize(model: ClickModel, grades: int, threshold: int) -> ClickModel:
    """Return a two-grade model for data of more: grades from ``threshold`` on are relevant.

    Examples
    --------
    >>> binarize(click_model("informational", grades=2), grades=5, threshold=3).click
    (0.4, 0.4, 0.4, 0.9, 0.9)
    """
    if model.grades != 2 or not 0 < threshold < grades:
        raise InvalidParameter(
            f"A model of {model.grades} grades cannot be split at {threshold} of {grades}; "
            f"give a model of 2 grades and a threshold from 1 to {grades - 1}."
        )
    click, stop = (
        tuple(row[int(g >= threshold)] for g in range(grades)) for row in (model.click, model.stop)
    )
    return ClickModel(click, stop, model.examine, model.stop_requires_click, model.name)


def position_based(
    click: Sequence[float],
    length: int = 10,
    gamma: float | None = None,
    eta: float | None = None,
) -> ClickModel:
    """Return a model that looks at position k with probability gamma^(k-1), or k^-eta; one of them.

    Examples
    --------
    >>> position_based((0.1, 0.9), length=3, eta=1).examine
    (1.0, 0.5, 0.3333333333333333)
    """
    if (gamma is None) == (eta is None):
        raise InvalidParameter(f"give one of gamma and eta, not gamma={gamma} and eta={eta}.")
    if gamma is not None and not 0 <= gamma <= 1:
        raise InvalidParameter(f"gamma is {gamma:g}; it must be from 0 to 1.")
    if eta is not None and not eta >= 0:
        raise InvalidParameter(f"eta is {eta:g}; it must be at least 0.")
    if not 1 <= length <= LONGEST:
        raise InvalidParameter(f"length is {length}; it must be from 1 to {LONGEST:,}.")
    examine = tuple(
        gamma**k if gamma is not None else (k + 1.0) ** -(eta or 0.0) for k in range(length)
    )
    return ClickModel(tuple(click), examine=examine, name="position-based")


@kernel
def look(tables, position, grade, luck):
    """Return what one uniform number makes of one document: 0, CLICK, LEAVE or CLICK + LEAVE.

    From the bottom of [0, 1): click and leave, click and stay, leave without a click, stay.

    Examples
    --------
    >>> tables = ClickModel(click=(0.2, 0.8), stop=(0.5, 0.5)).tables(length=1)
    >>> [look(tables, 0, 1, luck) for luck in (0.1, 0.5, 0.9)]
    [3, 1, 0]
    """
    seen = tables.examine[position]
    click = seen * tables.click[grade]
    if luck < click:
        return CLICK + LEAVE if luck < click * tables.stop[grade] else CLICK
    return LEAVE if luck < click + (seen - click) * tables.quit[grade] else 0


@kernel
def simulate_clicks(tables, grades, clicked, rng):
    """Simulate one user on a list; write the clicks, and return how many there are.

    Parameters
    ----------
    tables
        :class:`ClickTables`.
    grades
        Of the documents shown, from the top.
    clicked
        Room for as many truth values; written.

    Examples
    --------
    >>> tables, clicked = click_model("perfect", grades=2).tables(length=3), np.zeros(3, bool)
    >>> simulate_clicks(tables, np.array([0, 1, 1]), clicked, np.random.default_rng(0))
    2
    >>> clicked
    array([False,  True,  True])
    """
    for k in range(len(grades)):
        clicked[k] = False
    n = 0
    for k in range(len(grades)):
        done = look(tables, k, grades[k], rng.random())
        if done & CLICK:
            clicked[k] = True
            n += 1
        if done & LEAVE:
            break
    return n


def clicks_on(model: ClickModel, grades: Sequence[int], rng: np.random.Generator) -> Bools:
    """Return which documents of a list one simulated user clicks.

    Examples
    --------
    >>> clicks_on(click_model("perfect", grades=2), [0, 1, 1, 0], np.random.default_rng(0))
    array([False,  True,  True, False])
    """
    model.check(grades)
    clicked = np.zeros(len(grades), dtype=bool)
    simulate_clicks(model.tables(len(grades)), np.asarray(grades), clicked, rng)
    return clicked


def click_distribution(model: ClickModel, grades: Sequence[int]) -> dict[tuple[bool, ...], float]:
    """Return the probability of every possible pattern of clicks on a short list (2^length of them).

    Examples
    --------
    >>> click_distribution(ClickModel(click=(0.5, 0.5), stop=(1, 1)), [0, 0])
    {(True, False): 0.5, (False, True): 0.25, (False, False): 0.25}
    """
    model.check(grades)
    found: dict[tuple[bool, ...], float] = {}
    for pattern, p in _patterns(model.tables(len(grades)), grades, 0):
        if p > 0:
            found[pattern] = found.get(pattern, 0.0) + p
    return found


def _patterns(
    tables: ClickTables, grades: Sequence[int], k: int
) -> Iterator[tuple[tuple[bool, ...], float]]:
    """Every way to read on from position k, with its probability; patterns may come twice."""
    if k == len(grades):
        yield (), 1.0
        return
    seen = float(tables.examine[k])
    click = seen * float(tables.click[grades[k]])
    click_leave = click * float(tables.stop[grades[k]])
    leave = (seen - click) * float(tables.quit[grades[k]])
    none = (False,) * (len(grades) - k - 1)
    yield (True, *none), click_leave
    yield (False, *none), leave
    for rest, p in _patterns(tables, grades, k + 1):
        yield (True, *rest), p * (click - click_leave)
        yield (False, *rest), p * (1 - click - leave)
