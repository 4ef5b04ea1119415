"""The lemmas, matrices and constants of docs/notes/random-opponents-proofs.md, with fixed seeds and computed bounds."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from benchmarks import random_opponents as ro
from copeland import PreferenceMatrix, limits
from copeland.kernels.vote_evidence import kl
from copeland.problems import load
from copeland.theory import gaps


def deviation(chance, runs, errors=4.0):
    """So far above its chance a frequency may be."""
    return chance + errors * math.sqrt(chance * (1 - chance) / runs) + 1 / runs


# Lemma 1


@pytest.mark.parametrize("x", [3.0, 50.0, 1e6])
@pytest.mark.parametrize("g", [0.25, 0.1, 0.02])
def test_a_test_is_wrong_as_seldom_as_lemma_1_says(x, g):
    n = math.ceil(8 * math.log(x) / g**2)
    least = math.ceil((0.5 + 0.75 * g) * n)
    assert binom.sf(least - 1, n, 0.5 + g / 2) <= 1 / x
    assert binom.cdf(least - 1, n, 0.5 + g) <= 1 / x
    half = n // 2  # of the votes would not do
    assert x < 50 or binom.sf(math.ceil((0.5 + 0.75 * g) * half) - 1, half, 0.5 + g / 2) > 1 / x


@pytest.mark.parametrize("g", [0.25, 0.1])
def test_a_sequential_test_is_wrong_seldom_and_within_its_cap(g):
    x, runs = 20.0, 1500
    luck = np.random.default_rng(0).random((runs, ro.longest_test(x, g)))
    for p, chance in ((0.5, 1 / x), (0.5 + g, 2 / x)):
        hits, votes = ro.follow_tests(luck < p, x, g)
        wrong = hits.mean() if p == 0.5 else 1 - hits.mean()
        assert 0 < wrong <= deviation(chance, runs)
        assert votes.mean() < 0.5 * ro.longest_test(x, g)
    step = math.log((1 + 2 * g) / (1 - 2 * g))  # the constants of the cap
    assert kl(0.5 + g, 0.5) >= 2 * g * g and step <= 4.4 * g
    n = 3.4 * math.log(x) / g**2
    assert 2 * (n * 2 * g * g - math.log(x)) ** 2 / (n * (4.4 * g) ** 2) >= math.log(x)


# Lemma 2


def exact_hits(k, beat, s, x):
    """The law of the indications among s opponents: `beat` of k - 1 beat the option, the others seem to by 1/x."""
    law = np.zeros(s + 1)
    for true in range(min(beat, s) + 1):
        weight = hypergeom.pmf(true, k - 1, beat, s)
        law[true:] += weight * binom.pmf(np.arange(s - true + 1), s - true, 1 / x)
    return law


@pytest.mark.parametrize(
    ("k", "beat", "s"), [(20, 5, 10), (60, 20, 40), (60, 0, 59), (200, 3, 150)]
)
def test_a_sample_is_wrong_as_seldom_as_lemma_2_says(k, beat, s):
    x = 20.0
    law, f = exact_hits(k, beat, s, x), ro.indication_share(beat + 1, k, x)
    assert law.sum() == pytest.approx(1)
    for hits in range(math.ceil(s * f), s + 1):
        assert law[hits:].sum() <= math.exp(-s * kl(hits / s, f)) + 1e-15
    a = (1 - 1 / x) * beat / (k - 1)
    missed = np.zeros(s + 1)  # those that beat it are missed by 1/x, the others never indicated
    for true in range(min(beat, s) + 1):
        missed[: true + 1] += hypergeom.pmf(true, k - 1, beat, s) * binom.pmf(
            np.arange(true + 1), true, 1 - 1 / x
        )
    for hits in range(math.floor(s * a) + 1):
        assert missed[: hits + 1].sum() <= math.exp(-s * kl(hits / s, a)) + 1e-15


def test_more_losses_are_harder_to_show():
    k, x, s = 40, 20.0, 30
    for hits in range(s + 1):
        shown = [ro.show_by_sample(hits, s, m, k, math.log(x), level=3.0) for m in range(1, k)]
        assert shown == sorted(shown, reverse=True)
        assert not ro.show_by_sample(
            hits, s, k, k, math.log(x), level=3.0
        )  # nobody can lose K times


# Lemma 3


@pytest.mark.parametrize("b", [0, 2, 5])
@pytest.mark.parametrize(("k", "level"), [(20, 30.0), (50, 10.0)])
def test_a_census_is_wrong_seldom_and_sees_enough(k, level, b):
    rho, log_x = 2.0**-b, ro.census_level(b, k, level)
    least = math.ceil(rho * (k - 1) / 2)
    assert binom.sf(least - 1, k - 1, math.exp(-log_x)) <= math.exp(-level)
    for beat in range(k - 1):
        shown = [ro.show_by_census(h, 0, beat + 1, k, log_x, level) for h in range(beat, k)]
        assert shown == sorted(shown)
        if any(shown):
            false = beat + shown.index(True) - beat
            assert binom.sf(false - 1, k - 1 - beat, math.exp(-log_x)) <= math.exp(-level)
        if beat + least <= k - 1:
            assert ro.show_by_census(beat + least, 0, beat + 1, k, log_x, level)
    assert not ro.show_by_census(k - 1, 0, k, k, log_x, level)  # nobody can lose K times
    for hits in range(k):
        ms = [ro.show_by_census(hits, 0, m, k, log_x, level) for m in range(1, k)]
        assert ms == sorted(ms, reverse=True)


# Lemma 4


@pytest.mark.parametrize("beat", range(6))
def test_an_order_is_at_most_twice_as_likely_to_mislead_as_coins(beat):
    """All sequences of six opponents, and increasing sets of them: as a rule would draw them, and random ones."""
    n, x = 6, 5.0
    sequences = np.array(list(itertools.product([0, 1], repeat=n)))
    f = beat / n + (1 - beat / n) / x
    coins = np.prod(np.where(sequences == 1, f, 1 - f), axis=1)
    drawn = np.zeros(len(sequences))
    for at in itertools.combinations(range(n), beat):
        chance = np.full(n, 1 / x)
        chance[list(at)] = 1
        drawn += np.prod(np.where(sequences == 1, chance, 1 - chance), axis=1)
    drawn /= math.comb(n, beat)
    rng, largest = np.random.default_rng(beat), 0.0
    for _ in range(300):
        lowest = sequences[rng.choice(len(sequences), size=int(rng.integers(1, 5)))]
        inside = np.any(np.all(sequences[:, None, :] >= lowest[None], axis=2), axis=1)
        largest = max(largest, drawn[inside].sum() / coins[inside].sum())
    assert largest <= 2
    assert largest > 1 or beat in (0, n)  # so a factor is needed


def test_a_rule_that_looks_after_every_opponent_is_wrong_seldom():
    k, beat, x, level, runs = 41, 12, 10.0, math.log(2 * 40 / 0.2), 3000
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(runs):
        beats = rng.permutation(np.arange(k - 1) < beat)
        hits = beats | (rng.random(k - 1) < 1 / x)
        wrong += ro.opponents_needed(hits, beat + 1, k, x, level) > 0
    assert wrong / runs <= deviation(0.2, runs)


def test_who_stops_when_it_likes_on_even_pairs_is_wrong_seldom():
    """Eight options beat one, the others are even with it: whoever sees all tapes may stop at the best moment."""
    k, beat, x, gap, runs = 31, 8, 5.0, 0.25, 1200
    level, rng, wrong = math.log(2 * (k - 1) / 0.3), np.random.default_rng(3), 0
    for _ in range(runs):
        chance = rng.permutation(np.where(np.arange(k - 1) < beat, 0.9, 0.5))
        tapes = rng.random((k - 1, ro.longest_test(x, gap))) < chance[:, None]
        hits, _ = ro.follow_tests(tapes, x, gap)
        wrong += ro.opponents_needed(hits, beat + 1, k, x, level) > 0
    assert 0 < wrong / runs <= deviation(0.3, runs)


# Theorem 1


@pytest.mark.parametrize("mu", [1, 3])
def test_the_matrices_of_theorem_1_are_what_it_says(mu):
    before, after = ro.needles(mu)
    n, g = 32 * mu + 1, 1 / (8 * math.sqrt(mu))
    found = [
        (gaps.winner_count(one), gaps.l_c(one), gaps.gap(one), gaps.first_tie(one))
        for one in (before, after)
    ]
    assert found == [(1, 2, 0.25, None), (1, 1, pytest.approx(g), None)]
    behind = [score.max() - score for score in map(gaps.normalised_scores, (before, after))]
    assert behind[0][0] == 0 and (behind[0][3 : n + 3] >= 0.5).all()
    assert behind[1][3] == 0 and (np.delete(behind[1], 3) >= 1 / (2 * n + 2) - 1e-12).all()
    changed = np.flatnonzero((before.p != after.p).any(axis=1))
    assert (before.p[3, :3] == after.p[3, :3]).all() and 3 in changed
    assert (
        np.delete(np.delete(before.p, 3, 0), 3, 1) == np.delete(np.delete(after.p, 3, 0), 3, 1)
    ).all()
    close = before.p[3][np.abs(before.p[3] - 0.5) < g]
    assert max(kl(p, 0.5 + g) for p in close) <= 5.2 * g * g <= 1 / (8 * mu)


def test_a_search_for_needles_takes_as_many_pairs_as_theorem_1_says():
    """Pairs of one option, in any order, until the first of two refuters: a third of all, on average."""
    n, runs = 97, 4000
    rng = np.random.default_rng(2)
    first = np.array([rng.choice(n, 2, replace=False).min() + 1 for _ in range(runs)])
    mu = (n - 1) // 32
    assert (first <= mu).mean() <= deviation(2 * mu / n, runs)
    assert abs(first.mean() - (n + 1) / 3) <= 4 * n / math.sqrt(runs)


def test_the_numbers_of_theorem_1():
    """n (n - 1) / 1024 at both sizes that are measured, and the K from which it exceeds 10 K ln K^4."""
    assert [n * (n - 1) / 1024 for n in (33, 65)] == pytest.approx([1.03, 4.06], abs=0.01)
    assert limits.lower_regret(ro.needles(1)[0]) == pytest.approx(679, abs=1)
    for k, exceeds in ((2.3e6, False), (2.5e6, True)):
        assert (k * k / 4096 > 10 * k * math.log(k**4)) == exceeds
    k = 1e9  # what F must be at T = K^4, whichever of the two matrices it is
    f = min(k**2 / 4096 / 16, 5 * k**3 / (4 * k)) / math.log(k**4)
    assert 3e-6 <= f * math.log(k) / k**2 <= 4e-6


def test_the_limit_of_many_winners_is_k_squared():
    for h in (17, 33):
        s = h // 4
        inside = ro.circle_of(h) * 0.3
        ahead = (np.arange(h)[None, :] - np.arange(h)[:, None]) % h
        across = np.where(ahead < s, -0.3, 0.3)
        m = PreferenceMatrix(0.5 + np.block([[inside, across], [-across.T, inside]]))
        assert gaps.winner_count(m) == h
        pairs = (h - 1) * s * (h - 2 * s) / (2 * h - 1) / kl(0.8, 0.5)
        found = limits.lower_regret(m)
        assert found >= pairs
        if h == 33:
            assert found / m.k**2 == pytest.approx(0.1197, abs=1e-4)
            assert pairs / m.k**2 == pytest.approx(0.08, abs=0.005)


# Theorem 2


@pytest.mark.parametrize("f", [0.0, 0.002, 0.1, 0.4])
def test_the_exponents_of_progress_exceed_the_level(f):
    """(a) and (b) of the proof, with the divergences themselves."""
    level = 15.0
    for b in range(12):
        s = math.ceil(18 * level * 2**b)
        q, eta_b = level / (12 * s), (1 + math.sqrt(1 + 4 * f * 2**b)) / (2 * 2**b)
        assert (f + eta_b) / eta_b**2 == pytest.approx(2**b)
        assert q <= eta_b / 216
        checks = [(f + q, (1 - q) * (f + eta_b))]
        checks += [
            (f + eta / 2 + q, (1 - q) * (f + eta))
            for eta in (2 * eta_b, 3 * eta_b, 0.6)
            if eta >= 2 * eta_b
        ]
        for low, high in ((low, high) for low, high in checks if high < 1):
            y = (low + high) / 2
            assert min(s * kl(y, low), s * kl(y, high)) >= level


def test_the_price_of_a_step_is_as_theorem_2_says():
    for k, level, b in itertools.product([2, 30, 10**4], [12.5, 60.0, 500.0], range(16)):
        g, s = 0.25, math.ceil(18 * level * 2**b)
        if s <= k - 1:
            duels = s * math.ceil(8 * math.log(12 * s / level) / g**2)
        else:
            duels = (k - 1) * math.ceil(8 * ro.census_level(b, k, level) / g**2)
        assert duels <= level * 2**b * (780 + 101 * b) / g**2
    for phi in (1.0, 7.0, 1e3):  # summed over b up to 2^b < 8 phi
        last = math.ceil(math.log2(8 * phi)) - 1
        total = sum(2**b * (780 + 101 * b) for b in range(last + 1))
        assert total <= 1616 * phi * (11 + math.log2(phi))


def test_the_error_of_an_epoch_is_below_its_share():
    for k in (2, 3, 10, 1000, 10**6):
        for epoch in range(4):
            log_t = math.log2(64 * k**3) * 2**epoch
            events = k**2 * (log_t / 2 + 1) + math.log2(8 * k) * (log_t + 4 * k)
            assert math.log2(events) <= log_t


def test_how_large_the_constants_of_theorem_2_are():
    least = 1616 * 11 + 33 * 4 + 33  # of W: all phi_j are 1, and there is one winner
    assert least == 17_941
    assert 256 * (2 + math.log2(8 * least)) * least * 16 == pytest.approx(1.4e9, rel=0.01)
    assert pytest.approx(4.6e6, rel=0.01) == 16 * 16 * (1616 * 11 + 33 * 4)
    sampling = [k - 1 >= 36 * math.log(64 * k**3) for k in range(2, 2000)]
    assert 2 + sampling.index(True) == 884 and all(sampling[882:])
    for t in (1e10, 2e10):  # at T K, the bound is below 2 T from between these on
        assert (1.4e9 * math.log(2 * t) < 2 * t) == (t > 1e10)


@pytest.mark.parametrize("name", ["tournament-60:seed=1", "order-80-0.1", "total-order-64-0.1"])
def test_the_sum_of_phi_is_scbs_if_all_gaps_are_large(name):
    m = load(name)
    lost, k = gaps.losses(m), m.k
    eta = (lost - lost.min())[lost > lost.min()] / (k - 1)
    phi = np.minimum((lost.min() / (k - 1) + eta) / eta**2, k - 1)
    assert phi.sum() <= k * (20 * (math.ceil(math.log2(k - 1)) + 1) + 4 * lost.min())


def an_order_with_ties(k):
    """Option 0 beats all, each other option loses to the five before it, and all other pairs are even."""
    lead = np.zeros((k, k))
    lead[0, 1:] = 0.3
    for j in range(2, k):
        lead[max(1, j - 5) : j, j] = 0.3
    return PreferenceMatrix(0.5 + lead - lead.T)


def is_winner(m, c):
    return c is not None and gaps.losses(m)[c] == gaps.l_c(m)


def work_of_an_attempt(m, gap):
    """W of Theorem 2."""
    k, wins = m.k, (m.p > 0.5).sum(axis=1)
    winners = wins == wins.max()
    f = gaps.losses(m)[winners][0] / (k - 1)
    eta = ((m.p >= 0.5 + gap).sum(axis=0) / (k - 1) - f)[~winners]
    assert (eta >= 1 / (k - 1) - 1e-12).all()
    phi, most = np.minimum((f + eta) / eta**2, k - 1), min((f + eta.min()) / eta.min() ** 2, k - 1)
    sums = (phi * (11 + np.log2(phi))).sum() + winners.sum() * most * (11 + math.log2(most))
    return 1616 * sums / k + 33 * (4 + math.log2(most)) + 33 * winners.sum()


PROBLEMS = pytest.mark.parametrize(
    ("m", "gap"),
    [
        (an_order_with_ties(12), 0.25),
        (load("cyclic-4"), 0.1),
        (ro.two_halves(2, 0.3), 0.25),
        (load("rotated-8-0.2"), 0.125),
    ],
    ids=["ties", "cyclic", "halves", "rotated"],
)


@PROBLEMS
def test_an_attempt_with_the_budget_of_theorem_2_finds_a_winner_and_its_losses(m, gap):
    level = 15.0
    for seed in range(5):
        tapes = ro.Tapes(m, np.random.default_rng(seed))
        budget = m.k * work_of_an_attempt(m, gap) * level / gap**2
        attempt = ro.Attempt(tapes, gap, level, budget)
        assert is_winner(m, attempt.run()) and attempt.most_losses == gaps.l_c(m)
        assert attempt.spent + attempt.spent_on_losses == tapes.duels
        assert max(attempt.spent, attempt.spent_on_losses) <= budget


@PROBLEMS
def test_steps_1_to_3_leave_the_winners_and_nobody_else(m, gap):
    """So pairs of active options show the losses of winners that lose to winners only."""
    lost = gaps.losses(m)
    for seed in range(3):
        attempt = ro.Attempt(ro.Tapes(m, np.random.default_rng(seed)), gap, 15.0)
        for b in range(math.ceil(math.log2(2 * (m.k - 1))) + 1):
            attempt.take_steps(b)
        assert attempt.active == np.flatnonzero(lost == lost.min()).tolist()


def test_a_champion_without_losses_is_not_dropped():
    m = load("total-order-5-0.3")
    attempt = ro.Attempt(ro.Tapes(m, np.random.default_rng(0)), 0.25, 15.0)
    assert (attempt.run(), attempt.most_losses, attempt.active) == (0, 0, [0])


def test_an_attempt_without_a_budget_reads_nothing():
    tapes = ro.Tapes(load("cyclic-4"), np.random.default_rng(0))
    assert ro.Attempt(tapes, 0.25, 15.0, budget=100).run() is None
    assert tapes.duels == 0


@PROBLEMS
def test_a_search_finds_a_winner_at_the_price_of_theorem_2(m, gap):
    length, work = (64 * m.k**3) ** 2, work_of_an_attempt(m, gap)
    level = 2 * math.log(length)
    for seed in range(2):
        tapes = ro.Tapes(m, np.random.default_rng(seed))
        assert is_winner(m, ro.search_epoch(tapes, length))
        stages = 2 + math.log2(work / (2 * gap**2))
        assert tapes.duels <= 16 * stages * m.k * work * level / gap**2
        assert ro.search_epoch(tapes, 1000) is None  # no attempt fits


def test_an_attempt_samples_where_there_are_many_options():
    """Three winners in a cycle, and 198 others that lose to half of each other: 144 opponents each are enough."""
    k, level = 201, 8.0
    lead = np.zeros((k, k))
    lead[:3, :3], lead[:3, 3:] = np.maximum(ro.circle_of(3), 0) * 0.4, 0.4
    lead[3:, 3:] = np.maximum(ro.circle_of(k - 3), 0) * 0.4
    tapes = ro.Tapes(PreferenceMatrix(0.5 + lead - lead.T), np.random.default_rng(0))
    attempt = ro.Attempt(tapes, 0.25, level, budget=k * 5000 * level / 0.25**2)
    assert attempt.run() in range(3) and attempt.most_losses == 1
    once = math.ceil(8 * math.log(12 * 18) / 0.25**2)
    sampled = [pair for pair in tapes.counts if min(pair) >= 3]
    assert all(tapes.counts[pair][-1][0] == once for pair in sampled)  # at b = 0, and never again
    assert 0 < len(sampled) < math.comb(k - 3, 2)


def test_a_coarse_attempt_does_not_return_a_wrong_option():
    m = load("mslr-5")
    for seed in range(3):
        found = ro.Attempt(ro.Tapes(m, np.random.default_rng(seed)), 0.25, 15.0).run()
        assert found is None or is_winner(m, found)


# Theorem 3


def losses_of_thirds(n, eps, seed=0, lucky=False):
    """How often each option of Theorem 3 loses, w first; in the variant of the first j of X if it is lucky."""
    rng = np.random.default_rng(seed)
    circle, one = ro.circle_of(n), np.ones((n, n), int)
    chance = np.full((n, n), 0.5 + eps)
    if lucky:
        chance[0] = 0.5 - eps
    xy = np.where(rng.random((n, n)) < chance, -1, 1)
    others = np.block([[circle, xy, one], [-xy.T, circle, -one], [-one, one, circle]])
    to_w = np.repeat([1, 1, 0], n)
    return np.concatenate([[n], to_w + (others < 0).sum(axis=1)])


def test_the_matrices_of_theorem_3_are_what_it_says():
    n, eps = 801, 0.25  # off by a third of eps n with a chance of 2 n exp(-2 n eps^2 / 9) = .024
    lost = losses_of_thirds(n, eps)
    assert lost.sum() == math.comb(3 * n + 1, 2) and (lost[1:] >= n + 2 * eps * n / 3).all()
    lucky = losses_of_thirds(n, eps, lucky=True)
    assert (np.delete(lucky, 1) >= lucky[1] + eps * n / 2).all()
    for worst in (lost, lucky, losses_of_thirds(n, 0.5)):  # Y is 1/6 behind w, even if it beats X
        assert (worst[n + 1 : 2 * n + 1] - n >= 3 * n / 6).all()


def test_the_constants_of_theorem_3():
    for eps in (0.25, 0.1, 0.01):
        assert kl(0.5 + eps, 0.5 - eps) <= 8.8 * eps**2
    for t in (16.0, 1e3, 1e9):
        assert 1 / t + 6 / (8 * math.sqrt(t)) <= 1 / math.sqrt(t) + 1e-12
        assert 1 - 1 / t - 9 / (8 * math.sqrt(t)) >= 0.5
        assert kl(0.5, 1 / math.sqrt(t)) >= math.log(t) / 4 - math.log(2) - 1e-12
        assert (math.log(t) / 4 - math.log(2)) / (6 * 8.8) >= (math.log(t) - 2.8) / 212


# What is measured


def test_random_opponents_show_the_losers_of_two_halves():
    q = 12
    m, h = ro.two_halves(q, 0.3), 2 * q + 1
    losers = np.arange(h, 2 * h)
    sampled = ro.sample_losers(m, losers, q, 0.3, np.random.default_rng(0))
    assert sampled.unshown == 0 and sampled.opponents.max() <= 2 * h - 1
    singly = ro.single_duels(m, losers, q)
    claims = h * q * math.log(ro.HORIZON) / kl(0.8, 0.5)
    assert claims / 2 <= singly <= claims
    assert ro.joint_duels(m, losers, q) <= singly


def test_random_opponents_do_not_show_the_losers_of_a_random_tournament():
    m = load("tournament-60:seed=1")
    lost = gaps.losses(m)
    losers = np.flatnonzero(lost > lost.min())[:10]
    sampled = ro.sample_losers(m, losers, int(lost.min()), 0.2, np.random.default_rng(0))
    assert sampled.unshown >= 9
