"""The lemmas of docs/notes/cpc-proofs.md: sums against simulations, with fixed seeds and computed bounds."""

import math
from functools import cache

import numpy as np
import pytest
from oracles import joint as plain
from oracles.planner import PlainPlanner, held, index, nats
from scipy.special import gammaln, xlogy

import copeland
from copeland import PreferenceMatrix
from copeland.algorithms import cpc
from copeland.kernels.planner import vote_updates
from copeland.kernels.vote_evidence import kl

pytestmark = pytest.mark.slow  # left out of `make fast`

EAGER, CAUTIOUS = cpc.SETTINGS["eager"], cpc.SETTINGS["cautious"]
LONGEST = {0.4: 80, 0.3: 250, 0.2: 800}  # duels by which the sums below have converged, by gap


def n_d(wins, n):
    """The nats of the side that is ahead."""
    share = wins / n
    return n * (xlogy(share, 2 * share) + xlogy(1 - share, 2 - 2 * share))


@cache
def behind_ahead(gap):
    """Duels n, nats x and the chance, of every lead that the worse option may have."""
    found = []
    for n in range(1, LONGEST[gap]):
        v = np.arange(n // 2 + 1, n + 1)
        log = gammaln(n + 1) - gammaln(v + 1) - gammaln(n - v + 1)
        log += v * math.log(0.5 - gap) + (n - v) * math.log(0.5 + gap)
        found.append(np.array([np.full(len(v), n), n_d(v, n), np.exp(log)]))
    return np.concatenate(found, axis=1)


def kappa(gap, caution):
    """Lemma 3."""
    n, x, chance = behind_ahead(gap)
    return float((chance * np.exp(index(x, n, caution))).sum())


def a_and_b(gap):
    """A and B of Lemma 4."""
    n, x, chance = behind_ahead(gap)[:, behind_ahead(gap)[1] > 1]
    a = 1 + (chance * (np.exp(x - 1) - 1)).sum()
    return float(a), float((n * chance * np.exp(x - 1 + width(x))).sum())


def width(x):
    """By how much the nats of a normal tail exceed x, at most."""
    return np.log(4 * math.pi * (1 + x)) / 2


def paths(gap, runs, seed):
    """Wins of the better option after n = 1, 2, ... duels, by run."""
    luck = np.random.default_rng(seed).random((runs, LONGEST[gap]))
    return np.cumsum(luck < 0.5 + gap, axis=1)


# Lemma 2


@pytest.mark.quick
@pytest.mark.parametrize("epsilon", [0.3, 1.0])
@pytest.mark.parametrize("gap", LONGEST)
def test_a_pair_is_open_for_no_more_duels_than_lemma_2_says(gap, epsilon):
    won, p = paths(gap, 2000, 1), 0.5 + gap
    level = math.log(1e3)
    n = np.arange(1, won.shape[1] + 1)
    duels = 1 + (n_d(won, n) <= level).sum(axis=1)
    slack = (1 + epsilon) * math.log(p / (1 - p)) / (epsilon * kl(p, 0.5))
    assert duels.mean() <= 1 + (1 + epsilon) * level / kl(p, 0.5) + slack**2 / 2
    assert duels.mean() >= level / kl(p, 0.5)  # so the first term is what it takes


@pytest.mark.parametrize("caution", [EAGER, CAUTIOUS])
def test_the_index_is_between_what_lemmas_2_and_3_use(caution):
    n = np.arange(1, 10**4)
    for x in np.geomspace(1e-6, 5e3, 300):
        found = index(np.full(len(n), x), n, caution)
        assert (found >= x - caution).all() and (found <= x + np.log(n) + width(x)).all()


# Lemma 3


def test_the_table_of_constants():
    found = [[kappa(gap, EAGER), kappa(gap, CAUTIOUS), *a_and_b(gap)] for gap in LONGEST]
    expected = [
        [0.04047, 0.0020152, 1.0073, 0.2434],
        [0.26571, 0.013234, 1.0507, 1.9262],
        [2.0992, 0.10480, 1.2473, 14.300],
    ]
    assert np.allclose(found, expected, rtol=2e-3)


@pytest.mark.quick
@pytest.mark.parametrize("gap", LONGEST)
def test_the_sum_of_lemma_3_converges_as_its_proof_says(gap):
    n = np.arange(1, 10**5)
    bound = (n * (n / 2 + 1) * np.exp(width(n * math.log(2)) - n * kl(0.5, 0.5 + gap))).sum()
    assert kappa(gap, EAGER) <= bound < math.inf


@pytest.mark.parametrize("p", [0.55, 0.7, 0.95])
def test_the_inequality_of_lemma_3(p):
    for v in np.linspace(0.5, 1, 200):
        assert kl(v, 1 - p) - kl(v, 0.5) >= kl(0.5, p) - 1e-12


@pytest.mark.parametrize("caution", [EAGER, CAUTIOUS])
@pytest.mark.parametrize("gap", LONGEST)
def test_a_pair_is_wrongly_decided_for_fewer_steps_than_lemma_3_says(gap, caution):
    """A pair that is dueled whenever it is open: no rule has it wrong for longer but by sleeping on it."""
    won = paths(gap, 4000, 2)
    t, wrong = np.ones(len(won)), np.zeros(len(won))
    for n in range(1, won.shape[1] + 1):
        better = won[:, n - 1]
        expiry = np.exp(index(n_d(better, n), n, caution))
        spell = np.maximum(np.ceil(expiry - 1e-9) - t - 1, 0)  # the steps after t and before it
        wrong += np.where(2 * better < n, spell, 0)
        t = t + 1 + spell
    assert wrong.mean() <= kappa(gap, caution)


# Lemma 4


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(40))
def test_what_is_shown_together_wrongly_is_no_more_than_the_factors_of_lemma_4(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 10))
    true = int(rng.integers(0, k - 1))  # options 1 to `true` beat option 0, the others do not
    planner = cpc.init(k)
    for i in range(1, k):
        n = int(rng.integers(1, 60))
        won = int(rng.binomial(n, rng.choice([0.5, 0.8, 0.95])))
        vote_updates.take_in(planner, i, 0, won, n - won, 0)
    view = PlainPlanner.of(planner)
    x, paid = nats(view)[1:, 0], view.paid[1:, 0]
    factors = np.maximum(x[true:] - 1, 0).sum()
    for m in range(true + 1, k):
        counted = np.sort(x[x > 1])[::-1]
        if len(counted) >= m:
            n = paid[np.flatnonzero(x == counted[m - 1])].max()
            bound = 1 + math.log(n) + width(counted[m - 1]) + factors
            assert plain.together(view, 0, m) <= bound + 1e-9


@pytest.mark.parametrize("caution", [EAGER, CAUTIOUS])
def test_joint_losses_are_wrong_for_fewer_steps_than_lemma_4_says(caution):
    """Option 0 beats three others, by a gap of .3, and each is dueled in turn: J(1) is wrong by itself."""
    gap, runs, others = 0.3, 3000, 3
    lead = np.stack([paths(gap, runs, 3 + k) for k in range(others)])  # option 0's wins
    n = np.arange(1, lead.shape[2] + 1)
    x = np.where(2 * lead < n, n_d(lead, n), 0)
    strongest = np.argmax(x, axis=0)[None]
    z = np.take_along_axis(index(x, n, caution), strongest, 0)[0]
    rest = np.maximum(x - 1, 0).sum(axis=0) - np.maximum(x.max(axis=0) - 1, 0)
    together = np.where(x.max(axis=0) > 1, z + rest, -math.inf)
    wrong = np.exp(together.max(axis=1))  # t is below this at every such step
    a, b = a_and_b(gap)
    assert wrong.mean() <= math.e * others * b * a ** (others - 1)


# The theorem, and the counterexample


@pytest.mark.nightly
def test_regret_is_within_the_theorem():
    """Four options, all gaps .3, the first a Condorcet winner: lambda has no term of true losses."""
    p = np.full((4, 4), 0.8)
    p[np.tril_indices(4)] = 0.2
    np.fill_diagonal(p, 0.5)
    problem, gap, epsilon = PreferenceMatrix(p), 0.3, 1.0
    a, b = a_and_b(gap)
    d, slope = kl(0.8, 0.5), math.log(4)
    for setting, caution in cpc.SETTINGS.items():
        runs = copeland.simulate(problem, f"cpc:setting={setting}", 1e6, 50, 0, marks=[1e3, 1e6])
        score = np.array([3, 2, 1, 0]) / 3
        r = sum(2 - score[i] - score[j] for i in range(4) for j in range(i))
        constant = 4 * 6 * kappa(gap, caution) + 2 * 3 * math.e * 3 * b * a**2
        for regret, horizon in zip(runs.curves[0].regret.mean(axis=0), (1e3, 1e6), strict=True):
            duels = 1 + (1 + epsilon) * (math.log(horizon) + caution) / d
            duels += ((1 + epsilon) * slope / (epsilon * d)) ** 2 / 2
            assert regret <= r * duels + constant


def two_groups(q, gap):
    """The matrix of the counterexample: h = 2 q + 1 options in a circle that beat h more of the same kind."""
    h = 2 * q + 1
    behind = (np.arange(h)[None, :] - np.arange(h)[:, None]) % h
    circle = np.where(behind == 0, 0, np.where(behind <= q, gap, -gap))
    all_win = np.full((h, h), gap)
    return PreferenceMatrix(0.5 + np.block([[circle, all_win], [-all_win, circle]]))


def test_every_certificate_of_the_counterexample_takes_as_many_pairs_as_it_says():
    q = 1
    problem = two_groups(q, 0.4)
    h, k = 2 * q + 1, problem.k
    wins = (problem.p > 0.5).sum(axis=1)
    assert np.flatnonzero(wins == wins.max()).tolist() == list(range(h))
    rng, luck = np.random.default_rng(0), np.random.default_rng(1)
    planner, t, rests = cpc.init(k, setting="eager"), 1, 0
    for _ in range(600):
        cpc.advance(planner, t, rng)
        i, j = map(int, cpc.select(planner, t, rng))
        if i != j:
            winner = i if luck.random() < problem.p[i, j] else j
            vote_updates.update(planner, winner, i + j - winner, rng)
            t += 1
            continue
        view, rests = PlainPlanner.of(planner), rests + 1
        if planner.skipped[i] >= q and t >= k:  # a single duel may decide for fewer steps than that
            claims = (held(view) | (nats(view) > 1))[:, h:]
            assert claims.sum() >= (h - 1) * q and (view.duels[:, h:][claims] >= 2).all()
        elif planner.skipped[i] < q:
            assert (held(view)[i] & (problem.p[i] < 0.5)).any()
        t = cpc.rest(planner, t)
    assert rests > 0


# Exact ties


def near_tie(gap):
    """Options 0 and 1 beat option 2 for sure; who wins their pair wins alone."""
    return PreferenceMatrix([[0.5, 0.5 + gap, 1.0], [0.5 - gap, 0.5, 1.0], [0.0, 0.0, 0.5]])


@pytest.mark.parametrize("setting", ["eager", "cautious"])
def test_two_near_ties_cost_together_what_every_algorithm_pays(setting):
    horizon, runs, name = 10_000, 50, f"cpc:setting={setting}"
    gap = 1 / (5 * math.sqrt(horizon))
    assert kl(0.5 + gap, 0.5 - gap) <= 8.5 * gap**2
    regret = [
        copeland.simulate(near_tie(e), name, horizon, runs, 5, marks=1).curves[0].regret[:, -1]
        for e in (gap, -gap)
    ]
    error = math.sqrt(sum(one.var() / runs for one in regret))
    assert sum(one.mean() for one in regret) >= 2 * (1 - 0.42) * horizon / 2 - 4 * error


def test_the_divergence_of_a_near_tie_is_what_the_proof_says():
    for gap in np.linspace(1e-4, 0.2, 50):
        assert kl(0.5 + gap, 0.5 - gap) <= 8.5 * gap**2
    assert math.sqrt(8.5 / 25 / 2) <= 0.42


def test_exact_ties_that_could_decide_the_winner_cost_a_share_of_all_steps():
    # 0 and 1 have three wins each and an even pair, (0, 2) and (1, 3), with which they would win alone.
    wins = {0: (1, 3, 4), 1: (2, 4, 5), 2: (3, 4), 3: (4, 5), 4: (5,), 5: (0, 2)}
    p = np.full((6, 6), 0.5)
    for i, beaten in wins.items():
        for j in beaten:
            p[i, j], p[j, i] = 0.8, 0.2
    runs = copeland.simulate(PreferenceMatrix(p), "cpc", 1e5, 20, 5, marks=[1e4, 1e5])
    early, late = runs.curves[0].regret.mean(axis=0)[-2:]
    assert late > 4 * early  # where ln T grew by a quarter
