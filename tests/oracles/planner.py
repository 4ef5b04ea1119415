"""Prices and certificates on K x K tables, all made anew: what the planner must come to.

The oracle of :mod:`copeland.kernels.planner`. Constants are the planner's own; the rest is written from
their definitions, without its sparse counts, lists and trees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from copeland.certificate.samples import evidence as certificate_evidence
from copeland.kernels.planner.planner_state import Meetings, Planner
from copeland.kernels.planner.prices import (
    BLOCKED,
    CREDIT_VOTES,
    CREDIT_WIDTH,
    DEAR,
    LEAST_WORTH,
    LEAST_Z,
    MOST_PRIOR,
    WIDEST_GAP,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.floating]
Flags = NDArray[np.bool_]


def votes_of(meetings: Meetings) -> tuple[Ints, Ints, Ints]:
    """Return the wins, ties and answers under way of every pair as K x K tables."""
    k = len(meetings.head)
    wins, ties, pending = (np.zeros((k, k), np.int64) for _ in range(3))
    for entry in range(int(meetings.size[0])):
        i, j = meetings.first[entry], meetings.second[entry]
        wins[i, j], wins[j, i] = meetings.won[entry]
        ties[i, j] = ties[j, i] = meetings.tied[entry]
        pending[i, j] = pending[j, i] = meetings.pending[entry]
    return wins, ties, pending


@dataclass(frozen=True)
class PlainPlanner:
    """What there is to plan with: votes, whom to ask about, and what proves a claim."""

    wins: Ints
    ties: Ints
    pending: Ints
    paid: Floats  # K x K: what the votes of each pair cost, in wins
    met: Flags  # K x K
    nudge: Floats  # K: the millionths of a vote that decide between equals
    asking: Flags  # K
    prior: float  # votes that strengths count for
    optimism: float
    costly: bool
    caution: float
    margin: float
    levels: tuple[
        float, float, float
    ]  # for a win with l = 0, its growth with ln(l + 1), for a loss

    @classmethod
    def of(cls, planner: Planner) -> PlainPlanner:
        """Return what a planner has to plan with."""
        wins, ties, pending = votes_of(planner.meetings)
        met = np.zeros_like(wins, dtype=bool)
        paid = np.zeros(wins.shape)
        size = int(planner.meetings.size[0])
        pairs = planner.meetings.first[:size], planner.meetings.second[:size]
        met[pairs] = True
        paid[pairs] = planner.meetings.paid[:size]
        win, growth, loss = planner.levels.tolist()
        return cls(
            wins=wins,
            ties=ties,
            pending=pending,
            paid=paid + paid.T,
            met=met | met.T,
            nudge=planner.points - (wins + ties / 2).sum(axis=1),
            asking=planner.asking.copy(),
            prior=float(planner.prior[0]),
            optimism=float(planner.optimism[0]),
            costly=bool(planner.costly[0]),
            caution=float(planner.caution[0]),
            margin=float(planner.margin[0]),
            levels=(win, growth, loss),
        )

    @property
    def k(self) -> int:
        """The number of options."""
        return len(self.wins)

    @property
    def duels(self) -> Ints:
        """The votes of each pair."""
        return self.wins + self.wins.T + self.ties


# What the votes say


def evidence(view: PlainPlanner) -> Floats:
    """Return the nats for each option over each other."""
    if not view.costly:
        return certificate_evidence(view.wins, view.ties, view.margin)
    x = nats(view)
    n = np.maximum(view.duels, 1)
    return np.where(x > 0, index(x, n, view.caution, np.maximum(view.paid, 1)), 0.0)


def index(x: Floats, n: Ints, caution: float, paid: Floats | None = None) -> Floats:
    """Return the index of x nats after n duels, which cost n wins unless it is said what they cost."""
    left = caution / (1 + n / (125 * caution)) if caution > 0 else 0.0
    return np.log(n if paid is None else paid) - log_ndtr(-np.sqrt(2 * x)) - left


def nats(view: PlainPlanner) -> Floats:
    """Return n d of each option over each other; 0 where it is not ahead."""
    n = np.maximum(view.duels, 1)
    rate = np.clip((view.wins + view.ties / 2) / n, 0, 1)
    null = 0.5 - view.margin
    with np.errstate(divide="ignore", invalid="ignore"):
        one = np.where(rate > 0, rate * np.log(rate / null), 0.0)
        other = np.where(rate < 1, (1 - rate) * np.log((1 - rate) / (1 - null)), 0.0)
    ahead = (view.duels > 0) & (rate > null)
    return np.where(ahead, n * (one + other), 0.0)


def win_level(view: PlainPlanner, l: int) -> float:
    """Return the evidence for a win; with l > 0 it must do for a loss of the other, too."""
    win, growth, loss = view.levels
    level = win + growth * math.log(l + 1)
    return max(level, loss) if l > 0 else level


def held(view: PlainPlanner) -> Flags:
    """Tell which options are proved to beat which, as losses of the latter."""
    return evidence(view) > view.levels[2]


def refuted(view: PlainPlanner) -> Flags:
    """Tell which wins are ruled out, because the reverse is proved: for regret, if at most one of the two can be."""
    exclusive = view.costly and view.margin == 0
    return held(view).T & exclusive


def strengths(view: PlainPlanner) -> Floats:
    """Return the share of its votes that each option won, drawn towards 1/2 by the prior's votes."""
    points = (view.wins + view.ties / 2).sum(axis=1) + view.nudge
    return (points + view.prior / 2) / (view.duels.sum(axis=1) + view.prior)


def estimated_prior(view: PlainPlanner) -> float:
    """Return the votes that strengths should count for: 1 / (2 gap)^2 of the gaps seen."""
    n = view.duels[np.triu_indices(view.k, 1)]
    gap = ((view.wins - view.wins.T) / 2)[np.triu_indices(view.k, 1)] / np.maximum(n, 1)
    weight = np.where(n >= 4, np.minimum(n, 64), 0)
    square = gap**2 - (0.25 - gap**2) / np.maximum(n, 1)
    variance = max((8 * 0.04 + (weight * square).sum()) / (8 + weight.sum()), 1e-6)
    return min(max(1 / (4 * variance), 1.0), MOST_PRIOR)


def believed_gaps(view: PlainPlanner) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of p_ij - (1/2 - margin)."""
    s = strengths(view)
    n = view.duels + view.prior
    lead = (view.wins - view.wins.T) / 2 + view.prior * (s[:, None] - s[None, :]) / 2
    return lead / n + view.margin, 0.5 / np.sqrt(n)


def plausible_scores(view: PlainPlanner) -> Floats:
    """Return the wins that each option may well have."""
    lead = (view.wins - view.wins.T) / 2 / np.sqrt(view.duels + CREDIT_VOTES)
    credit = np.clip(0.5 + lead / CREDIT_WIDTH, 0, 1)
    open_minded = np.where(view.met, credit, strengths(view)[:, None])
    return open_minded.sum(axis=1) - open_minded.diagonal()


# What claims and certificates may cost


def worth(view: PlainPlanner) -> Floats:
    """Return the price of one vote of each pair."""
    if not view.costly:
        return np.ones((view.k, view.k))
    scores = plausible_scores(view)
    return np.maximum(scores.max() - (scores[:, None] + scores[None, :]) / 2, LEAST_WORTH)


def prices(view: PlainPlanner, level: float) -> Floats:
    """Return what it may take until each option is proved at this level to beat each other."""
    return _unless(evidence(view) > level, view, level, None)


def prices_to_nats(view: PlainPlanner, aim: float) -> Floats:
    """Return what it may take until n d of each option over each other has so many nats."""
    return _unless(nats(view) >= aim, view, 0.0, aim)


def _unless(done: Flags, view: PlainPlanner, level: float, aim: float | None) -> Floats:
    """The prices of what is not done."""
    mean, deviation = believed_gaps(view)
    z = mean / deviation + view.optimism
    gamble = np.exp(np.minimum(np.maximum(LEAST_Z - z, 0) ** 2 / 2, 300))
    gap = np.minimum(np.maximum(z, LEAST_Z) * deviation, WIDEST_GAP)
    cost = gamble * votes_to_prove(view, gap, level, aim) * worth(view)
    cost = np.where(cost < DEAR, cost, DEAR * (1 + np.log(cost / DEAR)))
    may_be_asked = view.asking[:, None] & view.asking[None, :] & ~refuted(view)
    open_to_votes = ~done & ~np.eye(view.k, dtype=bool)
    return np.where(open_to_votes, np.where(may_be_asked, cost, BLOCKED), 0.0)


def votes_to_prove(
    view: PlainPlanner, gap: Floats, level: float, aim: float | None = None
) -> Floats:
    """Solve (D + n' v)^2 = 2 T (n + n') for n', the votes to come with these gaps: at least one.

    T are the nats that evidence above the level takes, or those that are aimed at.
    """
    n = np.asarray(view.duels, float)
    lead = view.wins - view.wins.T + 2 * view.margin * n
    share = np.ones_like(n)
    if not view.costly:
        # Evidence takes a tie for margin / (1/2 + margin) of a win.
        n = view.wins + view.wins.T + view.ties * view.margin / (0.5 + view.margin)
        share = np.where(view.ties > 0, (n + 1) / (view.duels + 1), 1)
        gap = np.minimum(gap / share, WIDEST_GAP)
    drift = 2 * gap
    nats = (
        drift**2 / 2 + drift**4 / 12 + drift**6 / 30 + 0.053 * drift**10
    )  # about d(1/2 + gap, 1/2)
    if aim is not None:
        needed = np.full_like(n, aim)
    elif view.costly:
        longest = np.maximum(np.maximum(level / nats, n), 1)
        needed = np.maximum(np.maximum(level - np.log(longest), level / 2), 0.1)
    else:
        needed = level + np.log(n + 2 * level / drift**2) / 2 - 0.9
    target = needed * drift**2 / 2 / nats
    # v^2 n'^2 + 2 (D v - T) n' + D^2 - 2 T n = 0, the larger root
    half = lead * drift - target
    root = np.sqrt(np.maximum(half**2 - drift**2 * (lead**2 - 2 * target * n), 0))
    return np.maximum((root - half) / drift**2, 1) / share


def losses_to_prove(
    view: PlainPlanner, c: int, l: int, j: int, planned: bool
) -> list[tuple[float, int]]:
    """Return the cheapest losses of j that (c, l) needs beside the win of c, with whom to prove them."""
    proved = held(view)
    cost = prices(view, view.levels[2])
    by_c = planned and not proved[c, j]  # then one of the losses is paid for already
    missing = max(l - int(proved[:, j].sum()) - int(by_c), 0)
    decided = proved | refuted(view)
    refuters = [(cost[i, j], i) for i in range(view.k) if i not in (c, j) and not decided[i, j]]
    lacking = max(missing - len(refuters), 0) if refuted(view).any() else 0
    return sorted(refuters)[:missing] + [(BLOCKED, c)] * lacking


def losses_price(view: PlainPlanner, c: int, l: int, j: int, planned: bool) -> float:
    """Return what the losses of j cost that (c, l) needs beside the win of c."""
    return sum(cost for cost, _ in losses_to_prove(view, c, l, j, planned))


def certificate_price(view: PlainPlanner, c: int, l: int, planned: Flags, level: float) -> float:
    """Return the price of (c, l) if the planned wins of c are to be proved at this level."""
    wins = prices(view, level)[c][planned].sum()
    return wins + sum(losses_price(view, c, l, j, bool(planned[j])) for j in _others(view, c))


def price_range(view: PlainPlanner, c: int, l: int, level: float) -> tuple[float, float]:
    """Return the least and the highest price of (c, l) with the l dearest wins of c left out.

    They differ where several wins are the dearest: the choice between them decides which losses are
    needed.
    """
    row = prices(view, level)[c]
    others = sorted(_others(view, c), key=lambda j: row[j])
    kept, out = others[: view.k - 1 - l], others[view.k - 1 - l :]
    equals = [j for j in others if out and math.isclose(row[j], row[out[0]], rel_tol=1e-12)]
    dearer = [j for j in out if j not in equals]
    total = sum(row[j] for j in kept)
    total += sum(losses_price(view, c, l, j, j not in dearer) for j in others)
    extra = sorted(
        losses_price(view, c, l, j, False) - losses_price(view, c, l, j, True) for j in equals
    )
    n = l - len(dearer)  # of the equals are left out
    return total + sum(extra[:n]), total + sum(extra[len(extra) - n :])


def _others(view: PlainPlanner, c: int) -> list[int]:
    return [j for j in range(view.k) if j != c]


def place_to_look(view: PlainPlanner, c: int, l: int) -> int:
    """Return what l to look near: what it was, but no less than the losses that c is shown to have.

    With a margin an option may be shown to lose and to win.
    """
    l = l if view.margin > 0 else max(l, min(int(held(view)[:, c].sum()), view.k - 2))
    return min(l, range_of_l(view, c)[1])


def range_of_l(view: PlainPlanner, c: int) -> tuple[int, int]:
    """Return the least l and the highest that contradict no claim held."""
    ruled_out = refuted(view)
    lost, most = ruled_out.sum(axis=1), view.k - 1 - ruled_out.sum(axis=0)
    return int(lost[c]), min(int(np.delete(most, c).min()), view.k - 2)


def cheapest(view: PlainPlanner, c: int, near: int) -> tuple[float, float]:
    """Return the price of the cheapest certificate of c with l near a number: least and highest."""
    level = win_level(view, near)
    lowest, highest = range_of_l(view, c)
    options = range(max(near - 1, lowest), min(near + 1, highest) + 1)
    found = [price_range(view, c, l, level) for l in options] or [(math.inf, math.inf)]
    least, most = zip(*found, strict=True)
    return min(least), min(most)


# What to ask


def risks(view: PlainPlanner, c: int, l: int, planned: Flags) -> dict[tuple[int, int], float]:
    """Return the claims of (c, l) that may be asked for, and by how many deviations each is believed."""
    mean, deviation = believed_gaps(view)
    row = prices(view, win_level(view, l))[c]
    claims = [(row[j], c, j) for j in np.flatnonzero(planned).tolist()]
    for j in _others(view, c):
        claims += [(cost, i, j) for cost, i in losses_to_prove(view, c, l, j, bool(planned[j]))]
    each = worth(view)
    return {
        (i, j): mean[i, j] / deviation[i, j] + view.pending[i, j] * deviation[i, j]
        for cost, i, j in claims
        if 0 < cost < BLOCKED
        and (view.pending[i, j] == 0 or view.pending[i, j] < cost / each[i, j])
    }
