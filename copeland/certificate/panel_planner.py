"""Which member of a panel to ask about which pair next, so that few answers settle who is best.

A certificate is a champion c with L wins and, for every rival, K - 1 - L options that it cannot beat
any more. The planner takes the champion and the L that are cheapest by what was answered so far,
and asks what is most likely to upset that plan, for the fewest answers: docs/notes/panels.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from copeland.certificate.goal_claims import cut_by_certificate
from copeland.certificate.panel_certificate import panel_certificate, require_at_most, settle_pairs
from copeland.certificate.samples import check_counts
from copeland.errors import InvalidParameter
from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.goal import ABOVE, BEST, TIERS, TOP, Goal
from copeland.support.rng import stream

Until = Literal["best", "all"]
Question = tuple[int, int, int]
_Seen = Sequence[Sequence[tuple[int, ...]]]

_TRUST = 6.0  # a common order counts as so many answers on every pair
_ROUNDS = 8  # of fitting the common order: what is left changes no plan
_DOUBT = 0.1  # even a claim that is nearly sure is asked early if few answers settle it
_RAREST = 1e-6  # the smallest chance that a price takes seriously
_NEVER = 1e12  # the price of what cannot happen any more: above all plans that can
_EVEN = 1e-6  # prices and doubts this close are equal, and the seed decides
_AS_GOOD = 0.95  # of the most that is to be learnt
_RUNNING = 3  # an option is shown to one member so many times running, if there is a choice


class _Claims(NamedTuple):
    """K x K claims that i beats j, or that it does not lose to j."""

    chance: Floats  # that it comes true
    answers: Floats  # how many it takes to settle it, about; 0 if it is settled
    price: Floats  # the answers that are paid for one such claim that comes true


def next_question(
    wins: ArrayLike,
    ties: ArrayLike | None,
    answered: ArrayLike,
    rng: np.random.Generator | int = 0,
    *,
    allowed: ArrayLike | None = None,
    last: _Seen | None = None,
    until: Until = "best",
    goal: str = BEST,
    labels: Sequence[str] | None = None,
) -> Question | None:
    """Return (voter, i, j): whom to ask about which pair. None if nothing is left to ask.

    Parameters
    ----------
    wins, ties
        K x K counts, as for :func:`copeland.certificate.panel_certificate`.
    answered
        Voters x K x K: whether the voter has answered the pair, skipped it, or is excused.
    rng
        A generator, or a seed, to choose among questions that are equally good.
    allowed
        Who may be asked now: a boolean for each voter, or voters x K x K. All by default. The plan
        counts on the answers of the others later.
    last
        For each voter the latest pairs shown, newest last. An option that a voter has seen three
        times running is not shown again while another question is left that may matter.
    until
        ``"best"`` ends when some option is sure to be best, ``"all"`` when all the winners are known.
    goal, labels
        What to settle, as for :func:`copeland.certificate.panel_certificate`; the names of the options.

    Examples
    --------
    >>> answered = np.zeros((3, 2, 2), dtype=bool)
    >>> answered[:2] = True
    >>> next_question([[0, 1], [1, 0]], None, answered)
    (2, 0, 1)
    >>> next_question([[0, 2], [0, 0]], None, answered) is None
    True
    """
    won, tied, _ = check_counts(wins, ties)
    asked = _mask(answered, "answered", len(won))
    require_at_most(won + won.T + tied, asked.sum(axis=0))
    may = _mask(
        np.ones(len(asked), dtype=bool) if allowed is None else allowed, "allowed", len(won)
    )
    seen = [()] * len(asked) if last is None else last
    if until not in get_args(Until):
        raise InvalidParameter(f"until is {until!r}; say 'best' or 'all'.")
    if until == "all" and goal != BEST:
        raise InvalidParameter(f"until is 'all', which is about who is best, and goal is {goal!r}.")
    if not len(asked) == len(may) == len(seen):
        raise InvalidParameter(
            f"answered, allowed and last are about {len(asked)}, {len(may)} and {len(seen)} voters; "
            "give them equal numbers."
        )
    draws = rng if isinstance(rng, np.random.Generator) else stream(rng, "panel")
    missing = _count_missing(asked)
    aim = _Aim.of(goal, labels, won, missing)
    if aim.is_settled and (until == "best" or aim.is_all):
        return None
    strict, weak = _claims(won, missing, draws)
    _, wins, failures = _PLANS[aim.goal.kind](aim, strict, weak, until)
    upsets = np.maximum(_upsets(strict, wins), _upsets(weak, failures))
    # What is asked is what is likeliest to upset the plan; among pairs outside of it, what is most open.
    rest = _EVEN * (1 - np.abs(strict.chance - strict.chance.T) + _DOUBT) / np.maximum(missing, 1)
    doubts = np.where(aim.find_open_pairs(won, missing), rest + np.maximum(upsets, upsets.T), 0.0)
    return _asking(doubts, asked, may, seen, draws)


class PanelClaim(NamedTuple):
    """One claim of a plan: that an option beats another, or only that it does not lose to it."""

    first: int
    second: int
    is_win: bool
    answers: int  # about how many it takes; 0 if it is settled


class Plan(NamedTuple):
    """The cheapest way to make sure who is best, by what was answered so far."""

    champion: int
    claims: tuple[PanelClaim, ...]

    @property
    def answers(self) -> int:
        """About how many answers it takes if all goes as expected."""
        return sum(claim.answers for claim in self.claims)


def cheapest_plan(
    wins: ArrayLike, missing: ArrayLike, goal: str = BEST, labels: Sequence[str] | None = None
) -> Plan | None:
    """Return what would settle who is best, or another goal, for the fewest answers; None if that is settled."""
    won, _, left = check_counts(wins, missing=missing)
    aim = _Aim.of(goal, labels, won, left)
    if aim.is_settled:
        return None
    strict, weak = _claims(won, left, stream(0, "plan"))
    champion, chosen, others = _PLANS[aim.goal.kind](aim, strict, weak, "best")
    claims = [
        PanelClaim(i, j, is_win, math.ceil(claims.answers[i, j]))
        for is_win, claims, mask in ((True, strict, chosen), (False, weak, others))
        for i, j in np.argwhere(mask).tolist()
    ]
    open_ones = [claim for claim in claims if claim.answers]
    return Plan(champion, tuple(sorted(open_ones, key=lambda claim: -claim.answers)))


def still_matter(
    wins: ArrayLike, answered: ArrayLike, goal: str = BEST, labels: Sequence[str] | None = None
) -> Bools:
    """Return voters x K x K: whose answers on what may still bear on the goal; none once that is settled."""
    won = check_counts(wins)[0]
    asked = _mask(answered, "answered", len(won))
    missing = _count_missing(asked)
    aim = _Aim.of(goal, labels, won, missing)
    return ~asked & (aim.find_open_pairs(won, missing) & (not aim.is_settled))


def likely_winner(wins: ArrayLike, i: int, j: int) -> int:
    """Return which of two options the next member is likelier to prefer, by what was answered so far."""
    share = _shares(check_counts(wins)[0])[i, j]
    return i if share >= 0.5 else j


def _mask(values: ArrayLike, what: str, k: int) -> Bools:
    """Return booleans, voters x K x K; one for each voter stands for all pairs."""
    try:
        given = np.asarray(values)
    except ValueError:
        raise InvalidParameter(f"{what} must be a table of booleans, voters x {k} x {k}.") from None
    full = given[:, None, None] & np.ones((k, k), dtype=bool) if given.ndim == 1 else given
    if given.dtype != bool or full.ndim != 3 or full.shape[1:] != (k, k) or not len(full):
        raise InvalidParameter(
            f"{what} must be booleans, voters x {k} x {k}; got {given.dtype} of shape {given.shape}."
        )
    for v, i, j in np.argwhere(full != full.transpose(0, 2, 1))[:1]:
        raise InvalidParameter(
            f"{what} must be symmetric, but voter {v} has different values at ({i}, {j}) and ({j}, {i})."
        )
    return full


def _count_missing(asked: Bools) -> Ints:
    return (~asked).sum(axis=0) * ~np.eye(asked.shape[1], dtype=bool)


class _Aim(NamedTuple):
    """What a panel is to settle, and how far it has."""

    goal: Goal
    is_settled: bool
    is_all: bool  # whether all winners are known
    matters: Bools  # by option: whether its pairs may bear on the goal
    tiers: dict[int, int]

    @classmethod
    def of(cls, goal: str, labels: Sequence[str] | None, won: Ints, missing: Ints) -> _Aim:
        aim = Goal.parse(goal)
        if aim.kind == BEST:  # what most panels ask for, and soon told
            *_, best, possible = settle_pairs(won, missing)
            settled = bool(best.any())
            return cls(aim, settled, settled and bool((best == possible).all()), possible, {})
        found = panel_certificate(won, missing=missing, labels=labels, goal=goal)
        matters = np.isin(np.arange(len(won)), found.claims.open_options)
        return cls(aim, found.decided, found.is_all, matters, cut_by_certificate(found))

    def find_open_pairs(self, won: Ints, missing: Ints) -> Bools:
        """The pairs whose missing answers may bear on the goal: not those of two options whose scores matter to nobody."""
        is_open = (abs(won - won.T) <= missing) & (missing > 0)
        return is_open & (self.matters[:, None] | self.matters)


def _claims(won: Ints, missing: Ints, draws: np.random.Generator) -> tuple[_Claims, _Claims]:
    """Return the claims that i beats j, and the claims that i does not lose to j."""
    share = _shares(won)
    behind = missing - (won - won.T)  # of the missing, more than half of so many must say i
    jitter = draws.random(won.shape) * _EVEN
    return (
        _price_claims(behind // 2 + 1, missing, share, jitter),
        _price_claims((behind + 1) // 2, missing, share, jitter),
    )


def _shares(won: Ints) -> Floats:
    """The share of the missing answers that i may expect against j: a common order, and the answers."""
    met = won + won.T
    strength = np.ones(len(won))
    for _ in range(_ROUNDS):  # Bradley and Terry, with half a win and half a loss for everybody
        meetings = (met / (strength[:, None] + strength)).sum(axis=1)
        strength = (won.sum(axis=1) + 0.5) / (meetings + 1 / (strength + 1))
    common = strength[:, None] / (strength[:, None] + strength)
    return (_TRUST * common + won) / (_TRUST + met)


def _price_claims(needed: Ints, missing: Ints, share: Floats, jitter: Floats) -> _Claims:
    """Return claims that take so many more answers for i, out of those that are missing."""
    can = (needed <= missing) & ~np.eye(len(needed), dtype=bool)
    some = np.where(can & (needed > 0), needed, 1)
    chance = betainc(some, np.maximum(missing - some + 1, 1), share)
    chance = np.where(needed <= 0, 1.0, np.where(can, chance, 0.0))
    answers = np.minimum(np.maximum(needed, 0) / share, missing)
    price = np.where(can, answers / np.maximum(chance, _RAREST) + jitter, _NEVER)
    return _Claims(chance, answers, price)


def _upsets(claims: _Claims, chosen: Bools) -> Floats:
    asked = chosen & (claims.answers > 0)
    return np.where(asked, (1 - claims.chance + _DOUBT) / np.maximum(claims.answers, 1), 0.0)


def _cheapest(strict: _Claims, weak: _Claims, lead: int) -> tuple[int, Bools, Bools] | None:
    """Return the cheapest plan: a champion, its wins, and options that rivals cannot beat.

    With L wins of the champion, every rival must fail to beat ``K - 1 - L + lead`` options.
    """
    k = len(strict.price)
    wins = np.arange(k)[None, :, None]
    won = _ranks(strict.price, axis=1)[:, None, :] < wins  # champion x L x rival
    more = np.maximum(k - 1 - wins + lead - won, 0)  # that win is one failure of the rival
    total = _sum_first(np.sort(strict.price, axis=1), axis=1)[:, :k] + _failures(
        weak.price, won, more
    )
    c, n = np.unravel_index(total.argmin(), total.shape)
    if total[c, n] >= _NEVER:
        return None
    champion, others = np.zeros((k, k), dtype=bool), weak.price.copy()
    champion[c], others[c, won[c, n]], more[c, n, c] = won[c, n], _NEVER, 0
    return int(c), champion, _ranks(others, axis=0) < more[c, n]


# Who leads, and the wins and failures by which a goal is settled at the lowest price


def _plan_winner(
    aim: _Aim, strict: _Claims, weak: _Claims, until: Until
) -> tuple[int, Bools, Bools]:
    plan = _cheapest(strict, weak, int(until == "all"))
    if plan is None:  # the winners are not alone: settle one of them
        plan = _cheapest(strict, weak, 0)
    assert plan is not None, "every completion has a winner"
    return plan


def _plan_comparison(
    aim: _Aim, strict: _Claims, weak: _Claims, until: Until
) -> tuple[int, Bools, Bools]:
    baseline, each = int(aim.matters.argmax()), np.zeros(strict.chance.shape, dtype=bool)
    each[baseline] = strict.chance[baseline] >= strict.chance[:, baseline]
    each[:, baseline] = ~each[baseline]
    each[baseline, baseline] = False
    return baseline, each, np.zeros_like(each)


def _plan_top(aim: _Aim, strict: _Claims, weak: _Claims, until: Until) -> tuple[int, Bools, Bools]:
    order, m = _order_by_chance(strict), aim.goal.number
    swaps = (_swap(order, m, a, b) for a in (1, 2) for b in (0, 1) if a <= m < len(order) - b)
    cuts = [_cheapest_cut(strict, weak, one[:m], 0) for one in (order, *swaps)]
    return int(order[0]), *min(cuts, key=lambda cut: cut[0])[1:]


def _plan_tiers(
    aim: _Aim, strict: _Claims, weak: _Claims, until: Until
) -> tuple[int, Bools, Bools]:
    order, tiers = _order_by_chance(strict), aim.tiers
    closed = {sum(tier <= t for tier in tiers.values()) for t in tiers.values()}
    open_ones = [t for t in range(1, len(order)) if t not in closed]
    cuts = [_cheapest_cut(strict, weak, order[:t], 1) for t in open_ones]
    return int(order[0]), *min(cuts, key=lambda cut: cut[0])[1:]


_PLANS = {BEST: _plan_winner, TOP: _plan_top, ABOVE: _plan_comparison, TIERS: _plan_tiers}


def _order_by_chance(strict: _Claims) -> Ints:
    return np.argsort(-strict.chance.sum(axis=1), kind="stable")


def _swap(order: Ints, m: int, inside: int, outside: int) -> Ints:
    """An order in which one of the last above a cut and one of the first below it change places."""
    swapped = order.copy()
    swapped[[m - inside, m + outside]] = order[[m + outside, m - inside]]
    return swapped


def _cheapest_cut(
    strict: _Claims, weak: _Claims, above: Ints, lead: int
) -> tuple[float, Bools, Bools]:
    """Return the price, the wins and the failures by which some options surely beat as many as any other.

    Each of them has L wins, and each other fails to beat ``K - 1 - L + lead``; a win above is a failure below.
    """
    k = len(strict.price)
    upper = np.isin(np.arange(k), above)
    ranks = _ranks(strict.price, axis=1)
    best = math.inf, np.zeros((k, k), bool), np.zeros((k, k), bool)
    for n in range(k):
        wins = (ranks < n) & upper[:, None]
        needed = np.where(upper, 0, np.maximum(k - 1 - n + lead - wins.sum(axis=0), 0))
        price = np.where(wins | np.eye(k, dtype=bool), 2 * _NEVER, weak.price)
        failures = _ranks(price, axis=0) < needed
        total = float(strict.price[wins].sum() + price[failures].sum())
        if total < best[0]:
            best = total, wins, failures
    return best


def _failures(price: Floats, won: Bools, more: Ints) -> Floats:
    """The price, champion x L, of so many more failures of every rival, those it has left out."""
    k = len(price)
    among = won & (_ranks(price, axis=0)[:, None, :] < more)  # c itself is among the cheapest
    sums = _sum_first(np.sort(price, axis=0), axis=0)
    each = sums[np.minimum(more + among, k), np.arange(k)] - among * price[:, None, :]
    each[np.arange(k), :, np.arange(k)] = 0  # the champion is no rival of itself
    return each.sum(axis=2)


def _ranks(values: Floats, axis: int) -> Ints:
    return values.argsort(axis=axis).argsort(axis=axis)


def _sum_first(values: Floats, axis: int) -> Floats:
    """Sums of the first 0, 1, 2, ... values."""
    return np.insert(values.cumsum(axis=axis), 0, 0.0, axis=axis)


def _asking(
    doubts: Floats, asked: Bools, may: Bools, seen: _Seen, draws: np.random.Generator
) -> Question | None:
    """Put a pair that is as good as any, and tires nobody, to the member who was asked least."""
    doubts = np.triu(doubts) * (~asked & may)  # voters x K x K
    if doubts.max() == 0:
        return None
    fresh = np.where(_tiring(seen, len(doubts[0])), 0.0, doubts)
    pool = fresh if fresh.any() else doubts
    found = np.argwhere(pool >= pool.max() * _AS_GOOD)
    busy = asked.sum(axis=(1, 2))[found[:, 0]]
    v, i, j = found[np.lexsort((draws.random(len(found)), busy))[0]].tolist()
    return v, i, j


def _tiring(seen: _Seen, k: int) -> Bools:
    """Voters x K x K: whether one of the two was in each of the latest pairs that the voter saw."""
    tiring = np.zeros((len(seen), k, k), dtype=bool)
    for voter, pairs in enumerate(seen):
        latest = [set(pair) for pair in pairs[-_RUNNING:]]
        worn = list(set.intersection(*latest)) if len(latest) == _RUNNING else []
        tiring[voter, worn, :] = tiring[voter, :, worn] = True
    return tiring
