"""How far judges agree with each other and with themselves when the sides are swapped."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, starmap
from operator import eq
from typing import Any, NamedTuple

from copeland.study.log.events import BOTH_BAD, LEFT, RIGHT, TIE, Spent
from copeland.study.log.sides import Swaps
from copeland.study.options import name_of
from copeland.support.judge_statistics import chance_agreement, cohen_kappa, position_of
from copeland.support.phrasing import format_count, format_money, join_names
from copeland.support.row_files import rows_of_table

_FIRST, _SECOND = "first", "second"  # of the pair by name, on whichever side it was shown

JudgedVote = tuple[str, str, str, str, str | None, int]  # voter, left, right, outcome, item, times
_Opinions = dict[str, str]  # by judge, what it said of one thing that several judges voted on


class PairOfJudges(NamedTuple):
    """How often two judges said the same, of n votes on the same; kappa is None where it has no meaning."""

    first: str
    second: str
    n: int
    agreement: float
    kappa: float | None


@dataclass(frozen=True)
class JudgeAgreement:
    """Every two judges that voted on the same."""

    pairs: tuple[PairOfJudges, ...] = ()


def agreement(votes: Any, judges: Collection[str] | None = None) -> JudgeAgreement:
    """Return how far judges agree.

    Votes are matched if they are on the same pair of options and the same item (if there are items),
    on whichever sides the options were shown; repeats are matched in order, first with first. Skips
    and errors are no opinions and do not count.

    Kappa is Cohen's, with every comparison read in both orders, so that it does not depend on how
    options are named: chance is two judges who keep their own shares of ties and of both_bad, and
    otherwise toss a coin. Without those, kappa is 2 x agreement - 1.

    Parameters
    ----------
    votes
        Rows with ``voter``, ``left``, ``right``, ``outcome`` and, if there is one, ``item``: mappings,
        named tuples or a data frame. Votes marked ``undone`` do not count.
    judges
        Only these voters; all, if left out.

    Examples
    --------
    >>> votes = [
    ...     {"voter": "ann", "left": "tea", "right": "milk", "outcome": "left"},
    ...     {"voter": "bob", "left": "milk", "right": "tea", "outcome": "right"},
    ... ]
    >>> agreement(votes).pairs
    (PairOfJudges(first='ann', second='bob', n=1, agreement=1.0, kappa=1.0),)
    """
    rows: list[JudgedVote] = []
    for _, vote in rows_of_table(votes):
        voter, item, times = vote["voter"], vote.get("item"), vote.get("times")
        if not isinstance(voter, str) or (judges is not None and voter not in judges):
            continue
        if vote.get("undone"):
            continue
        item = None if item is None or item != item else name_of(item)  # NaN in a data frame
        times = times if isinstance(times, int) else 1  # a column of this name may be anything
        sides = name_of(vote["left"]), name_of(vote["right"])
        rows.append((voter, *sides, vote["outcome"], item, times))
    return compare_judges(rows)


def compare_judges(votes: Iterable[JudgedVote]) -> JudgeAgreement:
    """Return the same from all votes that are to count."""
    said: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for opinions in _group_opinions(votes):
        for one, other in combinations(sorted(opinions), 2):
            said[one, other].append((opinions[one], opinions[other]))
    pairs = []
    for first, second in sorted(said):
        pairs.append(_compare_pair(first, second, said[first, second]))
    return JudgeAgreement(tuple(pairs))


def _group_opinions(votes: Iterable[JudgedVote]) -> Iterable[_Opinions]:
    """Return what was said on each thing that was voted on."""
    by_subject: defaultdict[tuple[Any, ...], _Opinions] = defaultdict(dict)
    before: Counter[tuple[Any, ...]] = Counter()
    for voter, left, right, outcome, item, times in votes:
        opinion, subject = (
            _opinion(outcome, is_left_first=left < right),
            (*sorted((left, right)), item),
        )
        if opinion is not None:
            for _ in range(times):
                by_subject[*subject, before[voter, subject]][voter] = opinion
                before[voter, subject] += 1
    return by_subject.values()


def _opinion(outcome: str, is_left_first: bool) -> str | None:
    """What was said of the pair by name; None if it is no opinion."""
    if outcome in (TIE, BOTH_BAD):
        return outcome
    if outcome not in (LEFT, RIGHT):
        return None
    return _FIRST if is_left_first == (outcome == LEFT) else _SECOND


def _compare_pair(first: str, second: str, said: list[tuple[str, str]]) -> PairOfJudges:
    n, (own, others) = len(said), map(Counter, zip(*said, strict=True))
    same = sum(starmap(eq, said)) / n
    ties, both_bad = (own[TIE] / n, others[TIE] / n), (own[BOTH_BAD] / n, others[BOTH_BAD] / n)
    decided = (own[_FIRST] + own[_SECOND]) / n, (others[_FIRST] + others[_SECOND]) / n
    kappa = cohen_kappa(same, chance_agreement([ties, both_bad], decided))
    return PairOfJudges(first, second, n, same, kappa)


def flip_sentences(swaps: Mapping[str, Swaps]) -> Iterator[str]:
    """Yield for each judge that was asked with the sides both ways how often its answer changed."""
    for judge in sorted(swaps):
        if swaps[judge].confirmed:
            yield flip_sentence(judge, swaps[judge])


def flip_sentence(judge: str, swaps: Swaps) -> str:
    """Return how often a judge's answer changed with the sides, and whether it prefers one.

    Examples
    --------
    >>> flip_sentence("gpt", Swaps(confirmed=200, flips=117, left=110, right=7))
    'gpt flipped on 117 of 200 ballots when the sides were swapped: it prefers the left side, which it named both times on 110.'
    >>> flip_sentence("gpt", Swaps(confirmed=200, flips=2, left=1, right=1))
    'gpt flipped on 2 of 200 ballots when the sides were swapped; a flip counts as a tie.'
    """
    said = (
        f"{judge} flipped on {swaps.flips:,} of {format_count(swaps.confirmed, 'ballot')} "
        "when the sides were swapped"
    )
    if position_of(swaps.left, swaps.right).is_biased:
        side, times = max(("left", swaps.left), ("right", swaps.right), key=lambda one: one[1])
        return f"{said}: it prefers the {side} side, which it named both times on {times:,}."
    return f"{said}; a flip counts as a tie." if swaps.flips else f"{said}."


def spent_sentence(spent: Spent) -> str:
    """Return what judges have cost over all runs.

    Examples
    --------
    >>> spent_sentence(Spent(1200, 81_000, 1.5))
    'Over all runs, judges were called 1,200 times, for 81,000 tokens and $1.50.'
    """
    tokens = [format_count(spent.tokens, "token")] if spent.tokens else []
    taken = join_names([*tokens, *([format_money(spent.cost)] if spent.cost else [])])
    times = format_count(spent.calls, "time")
    return f"Over all runs, judges were called {times}{f', for {taken}' if taken else ''}."
