"""Interleaving one list at a time: rankings in, a list to show; clicks in, credit for each ranker.

A way to interleave is two functions, which interleave and credit, and a record that registers them, as in
:mod:`copeland.ranking.interleaving_methods`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from copeland.errors import InvalidParameter, UnknownName, nearest
from copeland.ranking.interleaved_comparison import EVEN
from copeland.support.arrays import Bools, Floats, Ints

Ranking = tuple[Hashable, ...]


@dataclass(frozen=True)
class Interleaved:
    """A list to show, and what is needed to credit its clicks later; it can be kept in a log.

    ``teams`` names, for each document, the ranker that put it there, or is empty where the method has
    no such notion. ``options`` are those of the method that its credit needs.
    """

    method: str
    documents: Ranking
    rankings: tuple[Ranking, ...]
    teams: tuple[int, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Interleaving:
    """A way to interleave: what it is called, where it comes from, and its two functions."""

    name: str
    paper: str
    interleave: Callable[..., Interleaved]
    credit: Callable[..., Floats]
    many: bool = False  # whether it takes more than two rankings


_registry: dict[str, Interleaving] = {}


def register(method: Interleaving) -> Interleaving:
    """Make a way to interleave known by its name; return it.

    Examples
    --------
    >>> from dataclasses import replace
    >>> _ = register(replace(find_method("team-draft"), name="mine"))
    >>> find_method("mine").name
    'mine'
    >>> del _registry["mine"]  # and forget it again
    """
    _registry[method.name] = method
    return method


def methods() -> dict[str, Interleaving]:
    """Return every way to interleave by name, in alphabetical order.

    Examples
    --------
    >>> list(methods())
    ['balanced', 'optimized', 'pairwise', 'probabilistic', 'team-draft']
    """
    import_module("copeland.ranking.interleaving_methods")  # which registers those of this package
    return dict(sorted(_registry.items()))


def find_method(name: str) -> Interleaving:
    """Return the way to interleave of this name.

    Examples
    --------
    >>> find_method("balanced").many  # whether it takes more than two rankings
    False
    """
    known = methods()
    if name not in known:
        raise UnknownName(f"there is no interleaving '{name}'; {nearest(name, known)}")
    return known[name]


def interleave(
    rankings: Sequence[Sequence[Hashable]],
    length: int,
    rng: np.random.Generator,
    method: str = "probabilistic",
    **options: Any,
) -> Interleaved:
    """Return a list to show, made of several rankings.

    Parameters
    ----------
    rankings
        For each ranker its documents, the best first: names, numbers, anything that can be a key.
        They need not hold the same documents.
    length
        Of the list; it is shorter where there are fewer documents.
    rng
        Gives the randomness.
    method
        See :func:`methods`.
    options
        Of the method.

    Examples
    --------
    >>> rng = np.random.default_rng(4)
    >>> shown = interleave([["a", "b", "c"], ["b", "d", "a"]], 3, rng, "team-draft")
    >>> shown.documents, shown.teams
    (('b', 'a', 'd'), (1, 0, 1))
    >>> credit(shown, [False, True, False])
    array([1., 0.])
    """
    found = find_method(method)
    lists = check_rankings(rankings)
    if len(lists) > 2 and not found.many:
        raise InvalidParameter(
            f"'{method}' interleaves two rankings and got {len(lists)}; "
            "'team-draft' and 'pairwise' take more."
        )
    if length < 1:
        raise InvalidParameter(f"length is {length}; a list has at least one document.")
    return found.interleave(lists, length, rng, **options)


def credit(shown: Interleaved, clicks: Sequence[bool] | Bools, **options: Any) -> Floats:
    """Return the credit of each ranker for the clicks on a list; who has most has won.

    Parameters
    ----------
    shown
        From :func:`interleave`.
    clicks
        For each document shown, whether it was clicked.
    options
        Of the method.

    Examples
    --------
    >>> shown = interleave([["a", "b"], ["c", "d"]], 4, np.random.default_rng(0), "team-draft")
    >>> clicks = [document in ("c", "d") for document in shown.documents]
    >>> credit(shown, clicks)
    array([0., 2.])
    """
    clicked = np.asarray(clicks)
    if clicked.dtype != np.bool_ or clicked.shape != (len(shown.documents),):
        raise InvalidParameter(
            f"clicks are {clicked.dtype} of shape {clicked.shape}; give a truth value for each of "
            f"the {len(shown.documents)} documents shown."
        )
    return find_method(shown.method).credit(shown, clicked, **options)


def winner(credits: Floats) -> int | None:
    """Return the ranker with the most credit, or None for a tie.

    Examples
    --------
    >>> winner(np.array([1.0, 2.0])), winner(np.array([1.0, 1.0]))
    (1, None)
    """
    best = np.flatnonzero(credits > credits.max() - EVEN)
    return int(best[0]) if len(best) == 1 else None


def check_rankings(rankings: Sequence[Sequence[Hashable]]) -> tuple[Ranking, ...]:
    """Return the rankings as tuples, or say what is wrong with them.

    Examples
    --------
    >>> check_rankings([["a", "b"], ["b", "a"]])
    (('a', 'b'), ('b', 'a'))
    """
    lists = tuple(tuple(ranking) for ranking in rankings)
    if len(lists) < 2:
        raise InvalidParameter(f"{len(lists)} ranking cannot be interleaved; give two or more.")
    for place, ranking in enumerate(lists):
        if not ranking or None in ranking:
            raise InvalidParameter(f"Ranking {place} is empty or has None; it must name documents.")
        if len(set(ranking)) < len(ranking):
            twice = next(d for d in ranking if ranking.count(d) > 1)
            raise InvalidParameter(f"Ranking {place} has {twice!r} twice; name each document once.")
    return lists


def ranks_of(ranking: Ranking) -> dict[Hashable, int]:
    """Return the rank of each document, from 1.

    Examples
    --------
    >>> ranks_of(("b", "a"))
    {'b': 1, 'a': 2}
    """
    return {document: r for r, document in enumerate(ranking, start=1)}


def all_ranks(rankings: tuple[Ranking, ...], documents: Ranking) -> Ints:
    """Return rankers x documents: ranks from 1; a document that is not ranked is below all that are.

    Examples
    --------
    >>> all_ranks((("a", "b"), ("b", "c")), ("a", "b", "c")).tolist()
    [[1, 2, 3], [3, 1, 2]]
    """
    tables = [ranks_of(ranking) for ranking in rankings]
    return np.array([[t.get(d, len(t) + 1) for d in documents] for t in tables], dtype=np.int64)


def best_unused(ranking: Ranking, used: set[Hashable]) -> Hashable | None:
    """Return the best document that is not used yet; None if there is none.

    Examples
    --------
    >>> best_unused(("a", "b", "c"), used={"a"})
    'b'
    """
    return next((document for document in ranking if document not in used), None)
