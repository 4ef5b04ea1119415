"""Who beats whom, laid out to be drawn: options in layers, cycles as rings, few arrows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.study.results.analysis import Analysis
from copeland.study.results.standing import LIKELY, PROVED

DRAWN = 25  # options up to which the graph has all of them
FEW = 12  # options in the graph if there are more, and they may all be best
COLUMNS = 4.0  # boxes beside each other
MANY = 6  # options in a ring; in a larger one, links that may be chance are not looked at
INTO = 2  # arrows that lead to an option or ring from outside
AROUND = 0.25  # columns and rows between a ring and its frame
_RUNG = 1.4  # columns between the two sides of a ring of many options
_APART = 0.45  # rows between a frame and its neighbours

_Sureness = NDArray[np.integer]
_Places = dict[int, tuple[float, float]]


class Arrow(NamedTuple):
    """Every winner beats every loser: options by themselves, or all those of a ring."""

    winners: tuple[int, ...]
    losers: tuple[int, ...]
    sure: int  # PROVED, LIKELY or AHEAD; of several pairs, the least sure
    in_ring: bool = False


class Graph(NamedTuple):
    """Options and arrows, with the place of each option in columns from the left and rows from the top."""

    places: Mapping[int, tuple[float, float]]
    rings: tuple[tuple[int, ...], ...]  # options that beat each other in cycles, the highest first
    arrows: tuple[Arrow, ...]
    rows: float


class _Block(NamedTuple):
    """Options that are placed together: one, or those of a ring."""

    options: tuple[int, ...]
    places: tuple[tuple[float, float], ...]  # from the middle of the block
    width: float
    height: float


def shown_options(reading: Analysis) -> list[int]:
    """Return the options to draw, the leader first: all, or if they are too many those that may be best."""
    if reading.k <= DRAWN:
        return list(reading.order)
    possible = [option for option in reading.order if option in reading.certificate.possible]
    return possible if len(possible) <= DRAWN else possible[:FEW]


def graph_of(sure: _Sureness, shown: Sequence[int]) -> Graph:
    """Return the places of some options and the arrows to draw between them.

    Options that beat each other in cycles form a ring. If that would be more than 6, links that are
    not likely (or, if need be, not proved) and go against the order are left out, as they may well be
    chance. Every option stands lower than all that beat it.

    There is one arrow from an option or ring to another. If not all of a ring win, or lose, it is
    between the two options of which that is surest. It is left out if two other arrows, at least as
    sure, lead the same way; of the rest the 2 surest into each option or ring are drawn.

    Parameters
    ----------
    sure
        K x K: how sure it is that the option of the row beats that of the column, 0 if it does not.
    shown
        The options to show, the leader first.

    Examples
    --------
    >>> sure = np.array([[0, 3, 1], [0, 0, 3], [0, 0, 0]])  # a chain, so 0 -> 2 goes without saying
    >>> found = graph_of(sure, [0, 1, 2])
    >>> [(arrow.winners, arrow.losers) for arrow in found.arrows]
    [((0,), (1,)), ((1,), (2,))]
    >>> [found.places[option][1] for option in (0, 1, 2)]
    [0.5, 1.5, 2.5]
    """
    sure = _without_chance(np.array(sure), shown)
    groups = _groups(sure, shown)
    surest = np.array([[0 if g is h else sure[np.ix_(g, h)].max() for h in groups] for g in groups])
    blocks = [_block(group) for group in groups]
    depths = _depths(surest)
    places, rows = _place_options(blocks, depths, surest)
    rings = sorted((g for g in groups if len(g) > 1), key=lambda ring: places[ring[0]][1])
    inside = (
        Arrow((i,), (j,), int(sure[i, j]), in_ring=True)
        for ring in rings
        for i, j in product(ring, repeat=2)
        if sure[i, j]
    )
    arrows = (*inside, *_group_arrows(groups, depths, surest, sure))
    return Graph(places, tuple(rings), arrows, rows)


def _without_chance(sure: _Sureness, shown: Sequence[int]) -> _Sureness:
    """The same without links that close large rings, though they may be chance."""
    for level in (LIKELY, PROVED):
        for ring in _groups(sure, shown):
            if len(ring) > MANY:
                options = [option for option in shown if option in ring]
                rank = _ranks(np.where(sure >= level, sure, 0), options)
                for i, j in permutations(options, 2):
                    if sure[i, j] < level and rank[i] >= rank[j]:
                        sure[i, j] = 0
    return sure


def _ranks(sure: _Sureness, options: Sequence[int]) -> dict[int, int]:
    """Options numbered so that each comes before all it beats; from the end on, the worst that can be."""
    left = _groups(sure, options)
    ranks: dict[int, int] = {}
    while left:
        last = next(
            group
            for group in reversed(left)
            if not any(sure[np.ix_(group, other)].any() for other in left if other is not group)
        )
        left.remove(last)
        ranks |= dict.fromkeys(last, len(left))
    return ranks


def _groups(sure: _Sureness, shown: Sequence[int]) -> list[tuple[int, ...]]:
    """The options that beat each other in cycles, in order; most are alone. The leader's is first."""
    from scipy.sparse.csgraph import connected_components

    among = sure[np.ix_(shown, shown)] > 0
    count, label = connected_components(among, directed=True, connection="strong")
    found = [np.flatnonzero(label == group).tolist() for group in range(count)]
    return [_order_circle([shown[at] for at in group], sure) for group in sorted(found)]


def _order_circle(group: list[int], sure: _Sureness) -> tuple[int, ...]:
    """A group in an order in which, as far as that is found, each beats the next most surely."""
    ring, left = [group[0]], group[1:]
    while left:
        following = max(left, key=lambda option: sure[ring[-1], option])
        ring.append(following)
        left.remove(following)
    return tuple(ring)


def _group_arrows(
    groups: Sequence[tuple[int, ...]], depths: Sequence[int], surest: _Sureness, sure: _Sureness
) -> Iterator[Arrow]:
    for h, losers in enumerate(groups):
        direct = [g for g in range(len(groups)) if surest[g, h] and not _follows(surest, g, h)]
        for g in sorted(direct, key=lambda g: (-surest[g, h], -depths[g]))[:INTO]:
            won = sure[np.ix_(groups[g], losers)]
            if won.all():
                yield Arrow(groups[g], losers, int(won.min()))
            else:
                i, j = np.unravel_index(won.argmax(), won.shape)
                yield Arrow((groups[g][i],), (losers[j],), int(won.max()))


def _follows(surest: _Sureness, g: int, h: int) -> bool:
    """Whether two arrows over another group, at least as sure, lead the same way."""
    return bool(np.any((surest[g] >= surest[g, h]) & (surest[:, h] >= surest[g, h])))


def _depths(surest: _Sureness) -> list[int]:
    """The layer of each group: the leader's is 0, and below it each is lower than all that beat it."""
    n = len(surest)
    beats = surest > 0
    depths = [0] + [1] * (n - 1)
    for _ in range(n):  # no chain is longer
        for g, h in np.argwhere(beats).tolist():
            depths[h] = max(depths[h], depths[g] + 1)
    for g in range(1, n):  # nobody beats it: just above those that it beats, or at the bottom
        if not beats[:, g].any():
            below = [depths[h] for h in np.flatnonzero(beats[g]).tolist()]
            depths[g] = min(below) - 1 if below else max(depths)
    return depths


def _block(options: tuple[int, ...]) -> _Block:
    n = len(options)
    if n == 1:
        return _Block(options, ((0.0, 0.0),), 1.0, 1.0)
    width, places = _oval(n) if n <= MANY else _ladder(n)
    top, bottom = min(y for _, y in places), max(y for _, y in places)
    middle = (top + bottom) / 2
    return _Block(
        options,
        tuple((x, y - middle) for x, y in places),
        width + 1 + 2 * AROUND,
        bottom - top + 1 + 2 * _APART,
    )


def _oval(n: int) -> tuple[float, list[tuple[float, float]]]:
    """How wide a ring of few options is, and their places on it, from its middle."""
    width = 1.5 if n == 3 else min(0.5 + 0.35 * n, COLUMNS - 1 - 2 * AROUND)
    height = 1.7 if n == 3 else 0.55 * n
    turns = [2 * math.pi * place / n for place in range(n)]
    return width, [(width / 2 * math.sin(turn), -height / 2 * math.cos(turn)) for turn in turns]


def _ladder(n: int) -> tuple[float, list[tuple[float, float]]]:
    """The same for many options, which would cover each other on an oval: down on the right, up on the left."""
    down = (n + 1) // 2
    right = [(_RUNG / 2, float(row)) for row in range(down)]
    left = [(-_RUNG / 2, float(row)) for row in range(n - down)]
    return _RUNG, [*right, *reversed(left)]


def _place_options(
    blocks: Sequence[_Block], depths: Sequence[int], surest: _Sureness
) -> tuple[_Places, float]:
    """The place of every option, layer below layer, and how many rows that takes."""
    places: _Places = {}
    middles: dict[int, float] = {}  # of the groups placed so far
    top = 0.0
    for depth in range(min(depths), max(depths) + 1):
        for row in _rows([g for g, own in enumerate(depths) if own == depth], blocks):
            high = max(blocks[g].height for g in row)
            x = (COLUMNS - sum(blocks[g].width for g in row)) / 2
            for g in sorted(row, key=lambda g: _pull(g, middles, surest)):
                block = blocks[g]
                middles[g] = x + block.width / 2
                for option, (dx, dy) in zip(block.options, block.places, strict=True):
                    places[option] = (middles[g] + dx, top + high / 2 + dy)
                x += block.width
            top += high
    return places, top


def _rows(layer: Sequence[int], blocks: Sequence[_Block]) -> list[list[int]]:
    rows: list[list[int]] = [[]]
    for g in layer:
        if rows[-1] and sum(blocks[one].width for one in rows[-1]) + blocks[g].width > COLUMNS:
            rows.append([])
        rows[-1].append(g)
    return rows


def _pull(group: int, middles: Mapping[int, float], surest: _Sureness) -> float:
    """Where those that beat a group are, from left to right; the middle if nobody does."""
    above = [x for g, x in middles.items() if surest[g, group]]
    return sum(above) / len(above) if above else COLUMNS / 2
