"""Evidence from test cases that come in clusters: held against plain products, and against enumerations of small worlds."""

import math
from collections import Counter
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss

from copeland.certificate.certificate import Certificate, certify
from copeland.certificate.cluster_evidence import (
    BETS,
    CASES,
    EQUAL,
    LOG_SHARES,
    Clusters,
    ClusterVotes,
    cluster_votes,
)
from copeland.certificate.proof import Terms, is_decided
from copeland.certificate.samples import evidence
from copeland.errors import InvalidParameter

LIKE_THESE = {"voters": "judge, cases like these", "judges": ["gpt"]}
THESE = {"voters": "judge, these cases", "judges": ["gpt"]}


def shares():
    return np.exp(LOG_SHARES)


def rows_of(outcomes):
    """Rows of options 0 and 1, from clusters (wins, losses, ties, skipped, missing) in their order."""
    return np.array([(0, 1, *one, 1) for one in outcomes], np.int64).reshape(-1, 8)


def nats(outcomes, clusters, margin=0.0, exact=False):
    found = ClusterVotes(clusters, rows_of(outcomes), exact=exact).find_evidence(2, margin)
    return float(found[0, 1]) if outcomes else 0.0


def plain(outcomes, clusters, margin=0.0):
    """The evidence as docs/notes/certificate-proofs.md has it: one product for each bet."""
    capital = 0.0
    for bet, share in zip(BETS, shares(), strict=True):
        product_of_bets = share
        for wins, losses, ties, _, missing in outcomes:
            scores = [1] * wins + [-1] * (losses + missing) + [0] * ties
            of = clusters.largest if clusters.weight == CASES else max(len(scores), 1)
            y = sum(score + 2 * margin for score in scores) / of
            product_of_bets *= 1 + bet * y / (1 - 2 * margin)
        capital += product_of_bets
    return math.log(capital)


def plain_of_these(outcomes, clusters, margin=0.0):
    """The same without replacement, step by step."""
    number, total, capitals = clusters.number, 0.0, shares()
    for drawn, (wins, losses, ties, skipped, missing) in enumerate(outcomes):
        mean = (wins - losses - missing) / (wins + losses + ties + skipped + missing)
        border = (-2 * margin * number - total) / (number - drawn)
        if 1 + border > 1e-9:
            capitals = capitals * (1 + BETS * (mean - border) / (1 + border))
        total += mean
        if total - (number - drawn - 1) > -2 * margin * number + 1e-9:
            return math.inf
    return math.log(sum(capitals))


def some_outcomes(rng, number, largest):
    sizes = rng.integers(1, largest + 1, number)
    return [tuple(rng.multinomial(size, [0.5, 0.2, 0.1, 0.1, 0.1]).tolist()) for size in sizes]


@pytest.mark.parametrize("margin", [0.0, 0.1, -0.1])
@pytest.mark.parametrize("weight", [CASES, EQUAL])
def test_it_is_the_mean_of_plain_products(weight, margin):
    rng = np.random.default_rng(5)
    for number in (1, 4, 30):
        outcomes = some_outcomes(rng, number, 6)
        clusters = Clusters(40, 6, weight)
        found = ClusterVotes(clusters, rows_of(outcomes)).find_evidence(2, margin)
        swapped = [(losses, wins, *rest) for wins, losses, *rest in outcomes]
        assert found[0, 1] == pytest.approx(plain(outcomes, clusters, margin), abs=1e-9)
        assert found[1, 0] == pytest.approx(plain(swapped, clusters, margin), abs=1e-9)


@pytest.mark.parametrize("margin", [0.0, 0.1, -0.1])
def test_of_these_it_is_the_plain_game_without_replacement(margin):
    rng = np.random.default_rng(6)
    for number in (1, 5, 25, 30):
        outcomes = some_outcomes(rng, number, 6)
        clusters = Clusters(30, 6, EQUAL)
        found = ClusterVotes(clusters, rows_of(outcomes), exact=True).find_evidence(2, margin)
        swapped = [(losses, wins, *rest) for wins, losses, *rest in outcomes]
        for nats_found, seen in ((found[0, 1], outcomes), (found[1, 0], swapped)):
            assert nats_found == pytest.approx(plain_of_these(seen, clusters, margin), abs=1e-9)


def test_the_bets_are_an_average_over_all_shares_of_the_largest():
    """Gauss and Legendre's rule of 16 points is exact for products of up to 31 clusters."""
    points, weights = leggauss(40)
    points, weights = (points + 1) / 2, weights / 2
    outcomes = [(4, 1, 0, 0, 0)] * 18 + [(1, 4, 0, 0, 0)] * 10
    whole = (weights * (1 + points * 0.6) ** 18 * (1 - points * 0.6) ** 10).sum()
    assert nats(outcomes, Clusters(40, 5)) == pytest.approx(math.log(whole), abs=1e-9)
    assert shares().sum() == pytest.approx(1, abs=1e-12)


def test_many_pairs_at_once_are_as_each_alone_and_rows_may_stand_for_several_clusters():
    rng = np.random.default_rng(7)
    rows = [
        (i, j, *one, 1) for i, j in ((0, 1), (2, 4), (1, 4)) for one in some_outcomes(rng, 20, 3)
    ]
    rng.shuffle(rows)
    found = cluster_votes(rows, (50, 3)).find_evidence(5, 0.05)
    for i, j in ((0, 1), (2, 4), (1, 4)):
        mine = [row[2:7] for row in rows if row[:2] == (i, j)]
        assert found[i, j] == pytest.approx(nats(mine, Clusters(50, 3), 0.05))
    assert np.isneginf(found[0, 2]) and np.isneginf(found.diagonal()).all()
    folded = [(*row[:7], n) for row, n in Counter(map(tuple, rows)).items()]
    assert cluster_votes(folded, (50, 3)).find_evidence(5, 0.05) == pytest.approx(found)
    assert np.isneginf(cluster_votes([], (50, 3)).find_evidence(5, 0.0)).all()


# Small worlds


def chance_to_reach(level, draws, drawn, clusters, margin):
    """P(the evidence is ever at the level) within so many draws of clusters, each an outcome with its probability."""

    @cache
    def chance(seen):
        if seen and nats(seen, clusters, margin) >= level:
            return 1.0
        if len(seen) == drawn:
            return 0.0
        return sum(p * chance(tuple(sorted((*seen, one)))) for one, p in draws)

    return chance(())


def even(one, other):
    """Two outcomes with the probabilities by which nobody is ahead: one is good for the first option, the other bad."""
    good, bad = one[0] - one[1], other[1] - other[0]
    return [(one, bad / (good + bad)), (other, good / (good + bad))]


WORLDS = {  # of two outcomes, or three; the mean score over cases is 1/2
    "single cases": (CASES, even((1, 0, 0, 0, 0), (0, 1, 0, 0, 0))),
    "all of a cluster agree": (CASES, even((3, 0, 0, 0, 0), (0, 3, 0, 0, 0))),
    "one large cluster in four": (CASES, even((1, 0, 0, 0, 0), (0, 3, 0, 0, 0))),
    "seldom a large win": (CASES, even((5, 0, 0, 0, 0), (1, 2, 1, 0, 0))),
    "ties": (CASES, [((0, 0, 3, 0, 0), 0.5), ((3, 0, 0, 0, 0), 0.25), ((0, 3, 0, 0, 0), 0.25)]),
    "skipped": (CASES, [((0, 0, 0, 3, 0), 0.5), ((2, 0, 0, 1, 0), 0.25), ((0, 2, 1, 0, 0), 0.25)]),
    "means": (EQUAL, [((3, 0, 0, 0, 0), 0.5), ((0, 1, 0, 0, 0), 0.5)]),
    "means with ties": (EQUAL, [((1, 0, 2, 0, 0), 0.75), ((0, 5, 0, 0, 0), 0.25)]),
}


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_the_evidence_is_ever_as_large_as_x_with_probability_1_over_x_at_most(name):
    weight, draws = WORLDS[name]
    clusters = Clusters(9, 5, weight)
    for x in (1.2, 2.0, 5.0, 20.0):
        assert chance_to_reach(math.log(x), draws, 9, clusters, 0.0) <= 1 / x + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("weight", [CASES, EQUAL])
@pytest.mark.parametrize("margin", [0.1, -0.1])
def test_so_it_is_at_the_border_of_a_margin_and_clusters_of_different_sizes(margin, weight):
    """The mean over cases, or over clusters, is exactly behind by the margin, or ahead by it."""
    good, bad = (2, 1, 1, 0, 0), (0, 2, 0, 0, 0)
    size = (4, 2) if weight == CASES else (1, 1)
    lead = ((2 - 1) / 4 * size[0], -2 / 2 * size[1])
    worth = [lead[n] + 2 * margin * size[n] for n in range(2)]
    p = -worth[1] / (worth[0] - worth[1])
    assert 0 < p < 1
    clusters = Clusters(9, 4, weight)
    for x in (1.2, 2.0, 5.0, 20.0):
        draws = [(good, p), (bad, 1 - p)]
        assert chance_to_reach(math.log(x), draws, 9, clusters, margin) <= 1 / x + 1e-12


def test_a_better_option_reaches_the_level_that_an_even_one_seldom_does():
    draws = [((3, 0, 0, 0, 0), 0.9), ((0, 3, 0, 0, 0), 0.1)]
    clusters = Clusters(12, 3)
    assert chance_to_reach(math.log(20), draws, 12, clusters, 0.0) > 0.6
    null = WORLDS["all of a cluster agree"][1]
    assert chance_to_reach(math.log(20), null, 12, clusters, 0.0) < 0.05


POPULATIONS = [  # clusters that are drawn without replacement
    [(1, 0, 0, 0, 0), (0, 1, 0, 0, 0)],
    [(2, 1, 0, 0, 0), (1, 2, 0, 0, 0), (0, 0, 1, 0, 0)],
    [(2, 1, 0, 0, 0), (2, 1, 0, 0, 0), (2, 1, 0, 0, 0), (0, 1, 0, 0, 0)],  # exactly even
    [(5, 0, 0, 0, 0), (1, 2, 0, 0, 0), (1, 2, 0, 0, 0), (1, 2, 0, 0, 0)],
    [(1, 0, 3, 0, 0), (1, 0, 3, 0, 0), (0, 1, 1, 0, 0), (0, 0, 0, 2, 0), (1, 1, 1, 1, 0)],
    [(1, 0, 0, 0, 0)] * 3 + [(0, 2, 0, 0, 0)] * 3,
    [(0, 1, 4, 0, 0)] * 3 + [(1, 2, 2, 0, 0)] * 2,
]


def mean_of(population):
    return sum((w - l) / (w + l + t + s) for w, l, t, s, _ in population) / len(population)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(POPULATIONS)))
def test_of_these_clusters_it_is_so_over_all_orders_and_a_false_claim_is_never_certain(number):
    population = POPULATIONS[number]
    clusters = Clusters(len(population), 5, EQUAL)
    for margin in {0.0, -mean_of(population) / 2, 0.05, -0.05}:
        for direction in (1, -1):
            if direction * mean_of(population) > -2 * margin + 1e-12:
                continue  # the claim is true
            largest = []
            for order in set(permutations(population)):  # each as likely as any other
                turned = [one if direction > 0 else (one[1], one[0], *one[2:]) for one in order]
                steps = (turned[: n + 1] for n in range(len(turned)))
                largest.append(max(nats(seen, clusters, margin, exact=True) for seen in steps))
            for x in (1.2, 2.0, 5.0, 20.0, math.inf):
                reached = np.mean([found >= math.log(x) for found in largest])
                assert reached <= 1 / x + 1e-12


def test_when_all_clusters_are_judged_the_lead_is_certain_and_exactly_even_is_no_lead():
    """3 x 1/3 and -1: as floats their sum need not be 0."""
    clusters = Clusters(4, 3, EQUAL)
    exactly_even = [(2, 1, 0, 0, 0)] * 3 + [(0, 1, 0, 0, 0)]
    for order in set(permutations(exactly_even)):
        for margin in (0.0, 1e-12):
            assert nats(order, clusters, margin, exact=True) < math.inf
    found = ClusterVotes(clusters, rows_of(exactly_even), exact=True)
    assert found.unbeaten(2, 0.0).tolist() == [[False, True], [True, False]]
    ahead = [(2, 1, 0, 0, 0)] * 3 + [(0, 2, 1, 0, 0)]
    assert nats(ahead, clusters, exact=True) == math.inf
    assert not ClusterVotes(clusters, rows_of(ahead[:1]), exact=True).unbeaten(2, 0.0).any()


def test_an_answer_that_is_missing_never_helps_whatever_it_turns_out_to_be():
    rng = np.random.default_rng(8)
    for weight, exact in ((CASES, False), (EQUAL, False), (EQUAL, True)):
        clusters = Clusters(12, 6, weight)
        for margin in (0.0, 0.1, -0.1):
            outcomes = [one for one in some_outcomes(rng, 12, 6) if one[4]]
            known = [(w + m, l, t, s, 0) for w, l, t, s, m in outcomes]
            lost = [(w, l + m, t, s, 0) for w, l, t, s, m in outcomes]
            tied = [(w, l, t + m, s, 0) for w, l, t, s, m in outcomes]
            skipped = [(w, l, t, s + m, 0) for w, l, t, s, m in outcomes]
            missing = nats(outcomes, clusters, margin, exact)
            assert missing == pytest.approx(nats(lost, clusters, margin, exact))
            for truth in (known, tied, skipped):
                assert nats(truth, clusters, margin, exact) >= missing - 1e-9


def test_runs_that_agree_are_one_unit_however_many_there_are():
    """40 tasks, 26 to 14: as 200 cases that would be proof."""
    once = nats([(1, 0, 0, 0, 0)] * 26 + [(0, 1, 0, 0, 0)] * 14, Clusters(40, 1))
    five = nats([(5, 0, 0, 0, 0)] * 26 + [(0, 5, 0, 0, 0)] * 14, Clusters(40, 5))
    assert five == once < 1
    assert evidence([[0, 130], [70, 0]])[0, 1] > 6


# Certificates


def wins_of(rows, k=2):
    wins, ties = np.zeros((k, k), int), np.zeros((k, k), int)
    for i, j, w, l, t, _, _, n in rows:
        wins[i, j] += n * w
        wins[j, i] += n * l
        ties[[i, j], [j, i]] += n * t
    return wins, ties


TASKS = [(0, 1, 5, 0, 0, 0, 0, 24), (0, 1, 0, 5, 0, 0, 0, 6)]


def made(rows=TASKS, clusters=(40, 5), voters=LIKE_THESE, **how):
    return certify(
        *wins_of(rows), cases=200, clusters=cluster_votes(rows, clusters), **voters, **how
    )


def test_a_certificate_names_the_unit_and_is_checked_again_from_the_rows():
    found = made(labels=["A", "B"])
    assert found.statement == (
        "On cases like these (200 in 40 clusters; the clusters are the sample), by the judge gpt: after 150 votes, A is proved "
        "the only winner: it beats the other, and no other option beats as many (error probability 0.05)."
    )
    assert any(
        said.startswith("The sample is of clusters: these 200 cases in 40")
        for said in found.assumptions
    )
    again = Certificate.from_json(found.to_json())
    assert again == found
    rows = cluster_votes(TASKS, (40, 5))
    assert again.recheck(*wins_of(TASKS), clusters=rows) == ()
    assert "other votes" in again.recheck(*wins_of(TASKS))[0]
    elsewhere = [
        (0, 1, 5, 0, 0, 0, 0, 23),
        (0, 1, 4, 1, 0, 0, 0, 1),
        (0, 1, 1, 4, 0, 0, 0, 1),
        TASKS[1],
    ]
    assert again.recheck(*wins_of(elsewhere), clusters=cluster_votes(elsewhere, (40, 5))) != ()
    other = Certificate.from_json(found.to_json().replace("[40, 5,", "[40, 9,"))
    assert any(
        "clusters is (40, 9" in said for said in other.recheck(*wins_of(TASKS), clusters=rows)
    )


def test_the_same_votes_on_cases_of_their_own_prove_what_clusters_do_not():
    rows = [(0, 1, 5, 0, 0, 0, 0, 26), (0, 1, 0, 5, 0, 0, 0, 14)]
    assert made(rows).verdict == "open"
    assert certify(*wins_of(rows), cases=200, **LIKE_THESE).verdict == "winner"
    wins, ties = wins_of(rows)
    dependent = Terms(voters="dependent")
    assert not is_decided(wins, ties, dependent, clusters=cluster_votes(rows, (40, 5)))
    assert is_decided(wins, ties, dependent)


def test_the_smaller_evidence_counts_where_votes_were_undone():
    weak = np.array([(0, 1, 3, 2, 0, 0, 0, 24), TASKS[1]])
    votes = cluster_votes(TASKS, (40, 5), given=weak)
    found = votes.find_evidence(2, 0.0)
    assert found[0, 1] == pytest.approx(cluster_votes(weak, (40, 5)).find_evidence(2, 0.0)[0, 1])
    assert certify(*wins_of(TASKS), cases=200, clusters=votes, **LIKE_THESE).verdict == "open"


def test_exactly_these_clusters_of_different_sizes_are_certain_when_all_are_judged():
    rows = [(0, 1, 1, 0, 0, 0, 0, 3), (0, 1, 0, 5, 0, 0, 0, 2)]
    votes = cluster_votes(rows, (5, 5, EQUAL))
    found = certify(*wins_of(rows), cases=13, clusters=votes, labels=["A", "B"], **THESE)
    assert (found.best, found.complete) == ((0,), True)  # 3 of 5 clusters, though 3 of 13 cases
    assert found.statement.startswith(
        "On these 13 cases in 5 clusters that count the same, by the judge gpt: "
    )
    even = [(0, 1, 2, 1, 0, 0, 0, 3), (0, 1, 0, 1, 0, 0, 0, 1)]
    votes = cluster_votes(even, (4, 3, EQUAL))
    found = certify(*wins_of(even), cases=10, clusters=votes, **THESE)
    assert (found.verdict, found.best) == ("tied", (0, 1))


def test_a_goal_and_a_later_option_take_the_clusters_along():
    rows = [*TASKS, (1, 2, 0, 0, 5, 0, 0, 3)]
    wins, ties = wins_of(rows, 3)
    votes = cluster_votes(rows, (40, 5))
    about = {"cases": 200, "clusters": votes, "labels": ["A", "B", "C"], **LIKE_THESE}
    assert certify(wins, ties, goal="above:B", **about).above == (0,)
    assert certify(wins, ties, offered=2, **about).best == (0,)


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"clusters": (0, 5)}, "there are 0 clusters"),
        ({"clusters": (40, 5, "size")}, "the weight of clusters is 'size'"),
        ({"clusters": (40, 4)}, "has at most 4 cases"),
        ({"rows": [(1, 0, 1, 0, 0, 0, 0, 1)]}, "its first option comes before its second"),
        ({"rows": [(0, 1, 1, 0, 0, 0, 0, 0)]}, "is not the outcome of a cluster"),
        ({"voters": {"voters": "independent"}}, "only test cases come in clusters"),
        ({"voters": THESE}, "clusters change nothing"),
    ],
)
def test_what_does_not_fit_is_refused(told, sentence):
    how = {"rows": TASKS, "clusters": (40, 5), "voters": LIKE_THESE} | told
    cases = {"cases": 200} if "judge" in how["voters"]["voters"] else {}
    with pytest.raises(InvalidParameter, match=sentence):
        votes = cluster_votes(how["rows"], how["clusters"])
        certify(*wins_of(TASKS), clusters=votes, **cases, **how["voters"])


def test_votes_by_cluster_must_be_the_votes():
    with pytest.raises(InvalidParameter, match="are others than the wins and ties"):
        certify([[0, 1], [0, 0]], cases=200, clusters=cluster_votes(TASKS, (40, 5)), **LIKE_THESE)
    with pytest.raises(InvalidParameter, match="clusters name option 3"):
        rows = cluster_votes([(0, 3, 1, 0, 0, 0, 0, 1)], (40, 5))
        certify([[0, 1], [0, 0]], cases=200, clusters=rows, **LIKE_THESE)
