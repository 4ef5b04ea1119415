"""PrefLib's rankings: .soc and .soi without ties, .toc and .toi with ties; an order stands for so many voters.

Every voter votes on each pair that it ranks, and on no other: a candidate that an incomplete order leaves out loses nothing.
Votes are written as orders of two options.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from copeland.errors import InvalidParameter, InvalidRow
from copeland.formats import Format, Record, register_format
from copeland.support.row_files import Row, Table, text_of

MOST = 1_000_000  # votes of one file: some studies keep each

_NAME = re.compile(r"#\s*ALTERNATIVE NAME\s+(\d+)\s*:\s*(.*)")
_ORDER = re.compile(r"(\d+):((?:\d+|\{\d+(?:,\d+)*\})(?:,(?:\d+|\{\d+(?:,\d+)*\}))*)")
_LEVEL = re.compile(r"\{([\d,]+)\}|(\d+)")
_COLUMNS = ("left", "right", "outcome", "voter")


class Comparison(NamedTuple):
    """What a ranking says of two options: the left one won, or they tie."""

    left: str
    right: str
    outcome: str


def read(path: Path) -> Table:
    """Return the votes of a file of rankings."""
    try:
        lines = text_of(path).splitlines()
    except OSError as error:
        raise InvalidRow(f"{path} cannot be read: {error.strerror}.") from error
    found = [match for line in lines if (match := _NAME.fullmatch(line.strip()))]
    names = {match[1]: match[2].strip() or match[1] for match in found}
    if not names:
        raise InvalidRow(f"{path}, line 1: there is no line '# ALTERNATIVE NAME 1: ...'.")
    return Table(f"{path}, line 1", _COLUMNS, list(_votes(path, lines, _tell_apart(names))))


def _tell_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Names of which no two are equal: a number follows where they would be."""
    times = Counter(names.values())
    return {key: name if times[name] == 1 else f"{name} ({key})" for key, name in names.items()}


def _votes(path: Path, lines: Sequence[str], names: Mapping[str, str]) -> Iterator[Row]:
    voter = votes = 0
    for number, line in enumerate(lines, 1):
        text = "".join(line.split())
        if not text or text.startswith("#"):
            continue
        where = f"{path}, line {number}"
        times, pairs = _read_order(where, text, names)
        votes += times * len(pairs)
        if votes > MOST:
            raise InvalidRow(f"{where}: the orders up to here are over {MOST:,} votes on pairs.")
        for _ in range(times):
            voter += 1
            for pair in pairs:
                yield where, {**pair, "voter": str(voter)}


def _read_order(
    where: str, text: str, names: Mapping[str, str]
) -> tuple[int, list[dict[str, str]]]:
    """How many voters have an order, and what it says of each pair."""
    order = _ORDER.fullmatch(text)
    if order is None:
        raise InvalidRow(f"{where}: it is not an order such as '3: 1,{{2,4}}'.")
    levels = [(many or one).split(",") for many, one in _LEVEL.findall(order[2])]
    ranked = [key for level in levels for key in level]
    for key in ranked:
        if key not in names:
            raise InvalidRow(f"{where}: there is no '# ALTERNATIVE NAME {key}'.")
        if ranked.count(key) > 1:
            raise InvalidRow(f"{where}: it ranks {key} twice.")
    named = [[names[key] for key in level] for level in levels]
    return int(order[1]), [pair._asdict() for pair in compare_pairs(named)]


def write(votes: Sequence[Record], texts: Mapping[str, str], path: Path) -> bytes:
    """Return a file of type .soi or .toi, in which every vote that counts is an order of two options."""
    kind = path.suffix.lower()
    if kind not in (".soi", ".toi"):
        raise InvalidParameter(
            f"{path} must end in .toi: votes are on two options each, so the orders are incomplete."
        )
    for name in texts:
        if name.splitlines() != [name]:
            raise InvalidParameter(f"PrefLib's files cannot hold the name {name!r}: it has lines.")
    numbers = {name: number for number, name in enumerate(texts, 1)}
    orders: Counter[str] = Counter()
    for vote in votes:
        if vote["counted"]:
            left, right = numbers[vote["left"]], numbers[vote["right"]]
            orders[_order(left, right, vote["outcome"])] += vote["times"]
    if kind == ".soi" and any("{" in order for order in orders):
        raise InvalidParameter(f"{path} must end in .toi, because some votes are ties.")
    head = [
        f"# FILE NAME: {path.name}",
        f"# DATA TYPE: {kind[1:]}",
        f"# NUMBER ALTERNATIVES: {len(numbers)}",
        f"# NUMBER VOTERS: {orders.total()}",
        f"# NUMBER UNIQUE ORDERS: {len(orders)}",
        *(f"# ALTERNATIVE NAME {number}: {name}" for name, number in numbers.items()),
    ]
    body = [f"{times}: {order}" for order, times in orders.most_common()]
    return "\n".join([*head, *body, ""]).encode()


def _order(left: int, right: int, outcome: str) -> str:
    if outcome in ("left", "right"):
        return f"{left},{right}" if outcome == "left" else f"{right},{left}"
    return f"{{{min(left, right)},{max(left, right)}}}"


def compare_pairs(levels: Sequence[Sequence[str]]) -> Iterator[Comparison]:
    """Yield a vote on every pair of a ranking, best options first; options on one level tie.

    An option that is not ranked has no vote.
    """
    placed = [(name, place) for place, level in enumerate(levels) for name in level]
    for (left, one), (right, other) in combinations(placed, 2):
        yield Comparison(left, right, "tie" if one == other else "left")


register_format(
    Format(
        name="preflib",
        summary="PrefLib's rankings: .soc, .soi, .toc and .toi files.",
        suffixes=(".soc", ".soi", ".toc", ".toi"),
        read=read,
        write=write,
        sides=False,
        order=False,
    )
)
