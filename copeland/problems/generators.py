"""Problems made by a rule and a seed, some of them from another problem."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from copeland.errors import InvalidParameter
from copeland.matrix import PreferenceMatrix, numbers_of
from copeland.support.arrays import Bools, Floats
from copeland.support.rng import stream
from copeland.theory.winners import condorcet_winner

Gaps = float | tuple[float, float]

GAPS = (0.05, 0.45)
WIDE = (0.02, 0.45)  # of random tournaments
DRAWS = 1_000  # of options, to find some with a Condorcet winner, or without
LARGEST = 10_000  # options: a table of all pairs takes 800 MB then
TINY_GAP = 0.0005  # of the pairs that `near_tie` makes hard


def order(k: int, gap: Gaps = GAPS, seed: int = 0) -> PreferenceMatrix:
    """Return an order with a cycle on top: i beats j for i < j, but 2 beats 0.

    Options 0, 1 and 2 are the Copeland winners, with K - 2 wins each; the others have 0 to K - 4.
    With K = 500 it has the shape of the paper's second experiment, whose gaps are not printed.

    Parameters
    ----------
    k
        The number of options, at least 3.
    gap
        |p - 1/2| of every pair, or a range from which each pair draws its own.

    Examples
    --------
    >>> order(4, gap=0.1).p.tolist()
    [[0.5, 0.6, 0.4, 0.6], [0.4, 0.5, 0.6, 0.6], [0.6, 0.4, 0.5, 0.6], [0.4, 0.4, 0.4, 0.5]]
    """
    _check(3, k)
    beats = np.triu(np.ones((k, k), bool), 1)
    beats[0, 2], beats[2, 0] = False, True
    return _tournament(beats, _gaps(k, gap, stream(seed, "order")), _name("order", k, gap))


def ranked_order(k: int, logit: float = 1.0) -> PreferenceMatrix:
    """Return :func:`order` with gaps that grow with the distance in rank, as in Bradley-Terry.

    Parameters
    ----------
    logit
        How far two neighbours are apart: i beats j with probability 1 / (1 + exp(-logit |i - j|)).

    Examples
    --------
    >>> ranked_order(3, logit=1).p.round(2).tolist()
    [[0.5, 0.73, 0.12], [0.27, 0.5, 0.73], [0.88, 0.27, 0.5]]
    """
    if not 0 < logit < math.inf:
        raise InvalidParameter(f"logit is {logit}; it must be a number above 0.")
    signs = np.sign(order(k, gap=0.25).p - 0.5)
    distance = np.abs(np.arange(k)[:, None] - np.arange(k))
    gap = 0.5 * np.tanh(logit * distance / 2)
    return PreferenceMatrix(0.5 + signs * gap, name=f"ranked-{k}-{logit:g}")


def synthetic_500(gap: Gaps = GAPS, seed: int = 0) -> PreferenceMatrix:
    """Return the shape of the paper's second experiment: 500 options, three winners in a cycle."""
    made = order(500, gap, seed)
    return PreferenceMatrix(made.p, name="synthetic-500")


def near_tie(k: int, gap: Gaps = GAPS, seed: int = 0) -> PreferenceMatrix:
    """Return :func:`order`, where half of the pairs among the losers have a gap of 0.0005."""
    made = order(k, gap, seed)
    coin = np.triu(stream(seed, "near-tie").random((k, k)) < 0.5, 1)
    coin[:3] = False
    hard = coin | coin.T
    p = np.where(hard, 0.5 + TINY_GAP * np.sign(made.p - 0.5), made.p)
    return PreferenceMatrix(p, name=_name("near-tie", k, gap) if gap != GAPS else f"near-tie-{k}")


def coin_flips(k: int, gap: Gaps, seed: int = 0, name: str = "") -> PreferenceMatrix:
    """Return a problem in which a fair coin says who wins each pair, and ``gap`` by how much."""
    _check(2, k)
    rng = stream(seed, "coin-flips")
    beats = np.triu(rng.random((k, k)) < 0.5, 1)
    beats |= np.tril(~beats.T, -1)
    return _tournament(beats, _gaps(k, gap, rng), name or _name("coin-flips", k, gap))


def easy(k: int, seed: int = 0) -> PreferenceMatrix:
    """Return coin flips with winning probabilities from U(.6, 1) (Bengs et al. 2023)."""
    return coin_flips(k, (0.1, 0.5), seed, f"easy-{k}")


def medium(k: int, seed: int = 0) -> PreferenceMatrix:
    """Return coin flips with winning probabilities from U(.55, .7) (Bengs et al. 2023)."""
    return coin_flips(k, (0.05, 0.2), seed, f"medium-{k}")


def tournament(k: int, gap: Gaps = WIDE, seed: int = 0) -> PreferenceMatrix:
    """Return coin flips with gaps from U(.02, .45), or from another range."""
    name = f"tournament-{k}" if gap == WIDE else _name("tournament", k, gap)
    return coin_flips(k, gap, seed, name)


def total_order(k: int, gap: Gaps = GAPS, seed: int = 0) -> PreferenceMatrix:
    """Return an order without a cycle: i beats j for i < j, each pair by its own gap."""
    _check(2, k)
    gaps = _gaps(k, gap, stream(seed, "total-order"))
    return _tournament(np.triu(np.ones((k, k), bool), 1), gaps, _name("total-order", k, gap))


def rotated_circle(k: int, gap: Gaps = GAPS, seed: int = 0) -> PreferenceMatrix:
    """Return a Condorcet winner over a cycle: option 0 beats all, each other the half that follows it.

    Nobody stands out among the others, so nothing but votes tells who may win.

    Examples
    --------
    >>> rotated_circle(4, gap=0.1).p.tolist()
    [[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.6, 0.4], [0.4, 0.4, 0.5, 0.6], [0.4, 0.6, 0.4, 0.5]]
    """
    _check(4, k)
    beats = np.zeros((k, k), bool)
    beats[0, 1:] = True
    beats[1:, 1:] = _circle(k - 1)
    return _tournament(beats, _gaps(k, gap, stream(seed, "rotated")), _name("rotated", k, gap))


def blocks(k: int, circle: int, gap: Gaps = GAPS, seed: int = 0) -> PreferenceMatrix:
    """Return an order within each of several blocks, and the blocks in a cycle.

    A block beats the half of the others that follows it. The first of each block, one option of about
    equally many wins for every block, are the winners or close to them.

    Parameters
    ----------
    circle
        The number of blocks, odd and at least 3; option i is in block i mod ``circle``.
    """
    if circle < 3 or circle % 2 == 0:
        raise InvalidParameter(
            f"got {circle} blocks; their number must be odd and at least 3, to make a cycle."
        )
    _check(circle, k)
    block = np.arange(k) % circle
    beats = _circle(circle)[np.ix_(block, block)] | (
        (block[:, None] == block) & np.triu(np.ones((k, k), bool), 1)
    )
    name = _name(f"blocks-{k}", circle, gap)
    return _tournament(beats, _gaps(k, gap, stream(seed, "blocks")), name)


def plant_winners(
    k: int, winners: int, losses: int, gap: Gaps = WIDE, seed: int = 0
) -> PreferenceMatrix:
    """Return a random tournament with a chosen number of Copeland winners (C) and their losses (L_C).

    Options 0..C-1 are the winners. C can be at most 2 L_C + 1 (Lemma 15 of the paper), and the other
    K - C options need room for at least L_C + 1 losses each.
    """
    _check(2, k)
    if not 1 <= winners <= k or losses < 0 or winners > 2 * losses + 1:
        raise InvalidParameter(
            f"{winners} winners with {losses} losses each cannot be: "
            "there is at least 1 winner, and at most 2 losses + 1 of them."
        )
    rng = stream(seed, "planted")
    for _ in range(100):
        beats = _plant_once(k, winners, losses, rng)
        if beats is not None:
            return _tournament(beats, _gaps(k, gap, rng), f"planted-{k}-{winners}-{losses}")
    raise InvalidParameter(
        f"no tournament of {k} options with {winners} winners of {losses} losses was found; "
        "take more options, or fewer winners or losses."
    )


def bradley_terry(
    strengths: int | Sequence[float], scale: float = 1.0, seed: int = 0
) -> PreferenceMatrix:
    """Return p_ij = 1 / (1 + exp(s_j - s_i)): a total order, no cycles.

    Parameters
    ----------
    strengths
        The s, or how many to draw from a normal distribution of standard deviation ``scale``.
    """
    if isinstance(strengths, int):
        _check(2, strengths)
        if not 0 <= scale < math.inf:
            raise InvalidParameter(f"scale is {scale}; it must be finite, 0 or more.")
        values = np.sort(stream(seed, "bradley-terry").normal(0, scale, strengths))[::-1]
    else:
        values = numbers_of(strengths, "strengths")
        if values.ndim != 1 or not np.isfinite(values).all():
            raise InvalidParameter("strengths must be finite numbers, one for each option.")
        _check(2, len(values))
    # Not scipy's expit: a bit differs in one number of fifty, and a problem is known by its numbers.
    behind = np.clip(values[None, :] - values[:, None], -700, 700)  # exp beyond it overflows
    return PreferenceMatrix(1 / (1 + np.exp(behind)), name=f"bradley-terry-{len(values)}")


def part(
    k: int, of: PreferenceMatrix, seed: int = 0, condorcet: bool | None = None
) -> PreferenceMatrix:
    """Return a matrix of K options drawn from another.

    Parameters
    ----------
    condorcet
        Whether one option is to beat all others; drawn as it comes if that is not said.
    """
    if not 2 <= k <= of.k:
        raise InvalidParameter(f"{k} options cannot be drawn from {of.k}; take 2 to {of.k}.")
    rng = stream(seed, "part")
    for _ in range(DRAWS):
        drawn = of.sub(rng.permutation(of.k)[:k].tolist())
        if condorcet is None or (condorcet_winner(drawn) is not None) == bool(condorcet):
            return PreferenceMatrix(drawn.p, drawn.labels, name=f"part-{k}-of-{of.name}")
    sought = "with" if condorcet else "without"
    raise InvalidParameter(
        f"{DRAWS:,} draws of {k} options from {of.name} had none {sought} a Condorcet winner."
    )


def add_noise(sd: float, of: PreferenceMatrix, seed: int = 0) -> PreferenceMatrix:
    """Return a matrix with normal noise of standard deviation ``sd`` on every pair, kept in [0, 1]."""
    if not 0 <= sd < 1:
        raise InvalidParameter(f"the noise is {sd}; it must lie from 0 to below 1.")
    noise = np.triu(stream(seed, "perturbed").normal(0, sd, of.p.shape), 1)
    p = np.clip(of.p + noise - noise.T, 0.0, 1.0)
    return PreferenceMatrix(p, of.labels, name=f"perturbed-{sd:g}-of-{of.name}")


def _plant_once(k: int, winners: int, losses: int, rng: np.random.Generator) -> Bools | None:
    """One attempt at the wins of :func:`plant_winners`; None where chance left no way."""
    beats = np.triu(rng.random((k, k)) < 0.5, 1)
    beats |= np.tril(~beats.T, -1)
    for i in range(winners):  # winners among themselves: i beats the next ones around the circle
        for ahead in range(1, (winners - 1) // 2 + 1):
            j = (i + ahead) % winners
            beats[i, j], beats[j, i] = True, False
    if winners % 2 == 0:
        for i in range(winners // 2):
            j = i + winners // 2
            beats[i, j], beats[j, i] = True, False
    for i in range(winners):
        outside = losses - int(beats[:winners, i].sum())
        if not 0 <= outside <= k - winners:
            return None
        beaten_by = winners + rng.permutation(k - winners)[:outside]
        beats[i, winners:], beats[winners:, i] = True, False
        beats[i, beaten_by], beats[beaten_by, i] = False, True
    return beats if _lower(beats, winners, losses, rng) else None


def _lower(beats: Bools, winners: int, losses: int, rng: np.random.Generator) -> bool:
    """Turn wins over until every option but the winners has more than ``losses`` losses."""
    others = np.arange(winners, len(beats))
    while len(others):
        lost = beats.sum(axis=0)[others]
        short = others[lost <= losses]
        if len(short) == 0:
            return True
        i = short[0]
        spare = others[(lost > losses + 1) & beats[i, others]]
        if len(spare) == 0:
            return False
        j = rng.choice(spare)
        beats[i, j], beats[j, i] = False, True
    return True


def _circle(n: int) -> Bools:
    """Who beats whom if each beats the half that follows it; of two that are opposite, the first."""
    ahead = (np.arange(n) - np.arange(n)[:, None]) % n
    opposite = (2 * ahead == n) & np.triu(np.ones((n, n), bool))
    return ((ahead > 0) & (2 * ahead < n)) | opposite


def _tournament(beats: Bools, gaps: Floats, name: str) -> PreferenceMatrix:
    p = np.where(beats, 0.5 + gaps, 0.5 - gaps)
    np.fill_diagonal(p, 0.5)
    return PreferenceMatrix(p, name=name)


def _gaps(k: int, gap: Gaps, rng: np.random.Generator) -> Floats:
    low, high = gap if isinstance(gap, tuple) else (gap, gap)
    if not 0 <= low <= high <= 0.5:
        raise InvalidParameter(f"the gap is {gap}; it must lie between 0 and 0.5.")
    upper = np.triu(rng.uniform(low, high, (k, k)), 1)
    return upper + upper.T


def _name(family: str, k: int, gap: Gaps) -> str:
    spread = f"U({gap[0]:g},{gap[1]:g})" if isinstance(gap, tuple) else f"{gap:g}"
    return f"{family}-{k}-{spread}"


def _check(least: int, k: int) -> None:
    if k < least:
        raise InvalidParameter(f"this problem needs at least {least} options; got {k}.")
    if k > LARGEST:
        raise InvalidParameter(
            f"this problem takes up to {LARGEST:,} options, because it keeps a table of all pairs; "
            "implicit-K takes more."
        )
