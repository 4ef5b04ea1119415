"""Panels: certificates against every completion, and the planner against the answers of whole panels."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copeland import InvalidParameter, PreferenceMatrix
from copeland.certificate import next_question, panel_certificate, panel_planner
from copeland.theory.winners import copeland_winners


@st.composite
def unfinished(draw, voters=5):
    """Counts of a small panel: wins, ties, and up to seven answers that are missing."""
    k = draw(st.integers(2, 4))
    wins, ties, missing = np.zeros((3, k, k), dtype=int)
    left = 7
    for i, j in itertools.combinations(range(k), 2):
        m = draw(st.integers(0, min(left, 3)))
        left -= m
        wins[i, j] = draw(st.integers(0, voters - m))
        wins[j, i] = draw(st.integers(0, voters - m - wins[i, j]))
        ties[i, j] = ties[j, i] = draw(st.integers(0, voters - m - wins[i, j] - wins[j, i]))
        missing[i, j] = missing[j, i] = m
    return wins, ties, missing


def completions(wins, missing):
    """Every margin of all pairs that the missing answers may lead to: each is i, j, or neither."""
    pairs = list(itertools.combinations(range(len(wins)), 2))
    ends = [
        {
            int(wins[i, j] - wins[j, i]) + sum(said)
            for said in itertools.product((1, 0, -1), repeat=missing[i, j])
        }
        for i, j in pairs
    ]
    for chosen in itertools.product(*ends):
        margin = np.zeros(wins.shape, dtype=int)
        for (i, j), value in zip(pairs, chosen, strict=True):
            margin[i, j], margin[j, i] = value, -value
        yield margin


def winners(margin):
    scores = (margin > 0).sum(axis=1)
    return set(np.flatnonzero(scores == scores.max()).tolist())


@pytest.mark.slow
@given(unfinished())
def test_a_certificate_says_what_holds_in_every_completion_and_no_less(counts):
    wins, ties, missing = counts
    found = panel_certificate(wins, ties, missing, members=5)
    margins = list(completions(wins, missing))
    won = [winners(margin) for margin in margins]
    scores = np.array([(margin > 0).sum(axis=1) for margin in margins])
    assert set(found.best) == set.intersection(*won)
    assert set(found.possible) == set.union(*won)
    assert found.is_all == all(one == won[0] for one in won)
    assert found.scores == tuple(zip(scores.min(axis=0), scores.max(axis=0), strict=True))
    every = np.array(margins)
    assert set(found.beats) == {(i, j) for i, j in np.argwhere((every > 0).all(axis=0))}
    assert set(found.ties) == {(i, j) for i, j in np.argwhere((every == 0).all(axis=0)) if i < j}


@pytest.mark.slow
@given(unfinished())
def test_a_finished_panel_has_the_winners_of_its_matrix(counts):
    wins, ties, _ = counts
    found = panel_certificate(wins, ties)
    shares = PreferenceMatrix(0.5 + np.sign(wins - wins.T) / 4)
    assert found.is_all
    assert found.best == tuple(copeland_winners(shares).tolist())
    assert found.verdict == ("winner" if len(found.best) == 1 else "tied")


def preferences(rng, k, voters):
    """What voters prefer of each pair, 1 or -1: by orders that are alike, at odds or turns of a circle, or by chance."""
    kind = rng.integers(3)
    if kind == 0:
        said = np.triu(rng.choice([-1, 1], (voters, k, k)), 1)
        return said - said.transpose(0, 2, 1)
    if kind == 1:
        turns = np.arange(voters) * k // voters
        place = (rng.permutation(k) + turns[:, None]) % k
    else:
        place = rng.normal(0, rng.choice([0, 1, 3]), k) + rng.normal(0, 1, (voters, k))
    return np.sign(place[:, None, :] - place[:, :, None]).astype(int)


def answers_of(rng):
    """A panel of 3 to 15 voters and 3 to 20 options; some see no difference, and some skip."""
    k, voters = int(rng.integers(3, 21)), int(rng.integers(3, 16))
    said = preferences(rng, k, voters)
    silent = np.triu(rng.random(said.shape) < rng.choice([0.0, 0.1, 0.5]), 1)
    said[silent | silent.transpose(0, 2, 1)] = 0
    return said, np.triu(rng.random(said.shape) < 0.5, 1)


def steps(said, skips, rng, until):
    """Ask to the end; yield the counts before every question and after the last."""
    answered = np.zeros(said.shape, dtype=bool)
    wins, ties = np.zeros((2, *said.shape[1:]), dtype=int)
    seen = [[] for _ in said]
    others = ~np.eye(len(wins), dtype=bool)
    while True:
        yield wins, ties, (~answered).sum(axis=0) * others
        question = next_question(wins, ties, answered, rng, last=seen, until=until)
        if question is None:
            return
        v, i, j = question
        assert i != j and not answered[v, i, j]
        answered[v, [i, j], [j, i]] = True
        seen[v].append((i, j))
        wins[i, j] += said[v, i, j] > 0
        wins[j, i] += said[v, i, j] < 0
        if said[v, i, j] == 0 and not skips[v, min(i, j), max(i, j)]:
            ties[[i, j], [j, i]] += 1


def check_every_step(seed):
    rng = np.random.default_rng(seed)
    said, skips = answers_of(rng)
    truth = winners(said.sum(axis=0, dtype=int))
    until = "all" if seed % 2 else "best"
    for counts in steps(said, skips, rng, until):
        found = panel_certificate(*counts, members=len(said))
        assert set(found.best) <= truth <= set(found.possible)
        assert not found.is_all or set(found.best) == truth
    assert found.is_all if until == "all" else found.best


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))  # `make measure` checks 2,000 of other kinds
def test_no_step_of_a_panel_is_certified_wrongly_and_it_ends(seed):
    check_every_step(seed)


def cheapest_plainly(wins, failures, lead):
    """The price of the cheapest plan, one champion and one number of wins after the other."""
    k = len(wins)
    prices = []
    for c, n in itertools.product(range(k), range(k)):
        beaten = sorted(set(range(k)) - {c}, key=lambda j: wins[c, j])[:n]
        price = sum(wins[c, j] for j in beaten)
        for j in set(range(k)) - {c}:
            others = set(range(k)) - {j} - ({c} if j in beaten else set())
            ways = sorted(failures[x, j] for x in others)
            more = k - 1 - n + lead - (j in beaten)
            price += sum(ways[: max(more, 0)]) if more <= len(ways) else np.inf
        prices.append(price)
    return min(prices)


@pytest.mark.slow
@given(st.integers(2, 6), st.integers(0, 1), st.integers(0, 10**6))
def test_the_plan_is_the_cheapest(k, lead, seed):
    prices = np.random.default_rng(seed).exponential(1, (2, k, k))
    prices[:, np.arange(k), np.arange(k)] = panel_planner._NEVER
    wins, failures = (panel_planner._Claims(price, price, price) for price in prices)
    _, champion, failing = panel_planner._cheapest(wins, failures, lead)
    price = prices[0][champion].sum() + prices[1][failing].sum()
    assert price == pytest.approx(cheapest_plainly(*prices, lead))


def test_the_same_seed_asks_the_same():
    wins, answered = np.zeros((6, 6), dtype=int), np.zeros((3, 6, 6), dtype=bool)
    asked = {next_question(wins, None, answered, seed) for seed in range(20)}
    assert next_question(wins, None, answered, 4) == next_question(wins, None, answered, 4)
    assert len(asked) > 5


def test_only_those_are_asked_who_may_be():
    wins, answered = np.zeros((4, 4), dtype=int), np.zeros((3, 4, 4), dtype=bool)
    allowed = np.array([False, True, False])
    assert {next_question(wins, None, answered, s, allowed=allowed)[0] for s in range(20)} == {1}
    answered[1] = True
    assert next_question(wins, None, answered, allowed=allowed) is None
    only = np.zeros(answered.shape, dtype=bool)
    only[2, 1, 3] = only[2, 3, 1] = True
    assert next_question(wins, None, answered, allowed=only) == (2, 1, 3)


def test_who_may_be_asked_alone_is_asked_all_that_still_matters():
    said = preferences(np.random.default_rng(0), 6, 3)
    answered, wins = np.zeros(said.shape, dtype=bool), np.zeros((6, 6), dtype=int)
    for voter in (0, 1, 2):
        alone = np.arange(3) == voter
        while question := next_question(wins, None, answered, allowed=alone, until="all"):
            v, i, j = question
            answered[v, [i, j], [j, i]] = True
            wins[i, j] += said[v, i, j] > 0
            wins[j, i] += said[v, i, j] < 0
    missing = (~answered).sum(axis=0) * ~np.eye(6, dtype=bool)
    assert panel_certificate(wins, None, missing).is_all


def test_an_option_is_not_shown_a_fourth_time_running_where_another_member_can_answer():
    wins, answered = np.zeros((3, 3), dtype=int), np.zeros((2, 3, 3), dtype=bool)
    seen = [[(0, 1), (0, 2), (1, 0)], []]
    assert {next_question(wins, None, answered, s, last=seen)[0] for s in range(20)} == {0, 1}
    assert (0, 1, 2) in {next_question(wins, None, answered, s, last=seen) for s in range(20)}
    asked = {next_question(wins, None, answered, s, last=seen) for s in range(20)}
    assert not asked & {(0, 0, 1), (0, 0, 2)}


MISSING = [[0, 2, 2], [2, 0, 3], [2, 3, 0]]


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (
            ([[0, 3, 3], [0, 0, 1], [0, 1, 0]], None, MISSING),
            "Whatever the 7 missing answers say, tea is the only winner: it beats every other.",
        ),
        (
            ([[0, 3, 0], [0, 0, 3], [3, 0, 0]], None, None),
            "With all answers in, tea, milk and juice are tied for first: each beats 1 of the 2 "
            "others, and none beats more.",
        ),
        (
            (np.zeros((3, 3)), None, None),
            "With all answers in, tea, milk and juice are tied for first: no option beats any.",
        ),
        (
            (np.zeros((3, 3)), None, MISSING),
            "With 7 answers still missing, no option is sure to be best yet: the best may be tea, milk or juice.",
        ),
        (
            ([[0, 3, 1], [0, 0, 1], [0, 0, 0]], None, [[0, 0, 1], [0, 0, 1], [1, 1, 0]]),
            "Whatever the 2 missing answers say, tea is best: it beats at least 1 of the 2 others, and "
            "none beats more, though milk may tie with it.",
        ),
        (
            ([[0, 1, 1], [0, 0, 0], [0, 0, 0]], None, [[0, 1, 1], [1, 0, 0], [1, 0, 0]]),
            "Whatever the 2 missing answers say, tea is best: no other option beats any, though milk or "
            "juice may tie with it.",
        ),
    ],
)
def test_the_statement_is_a_sentence(counts, said):
    found = panel_certificate(*counts, labels=["tea", "milk", "juice"])
    assert found.statement == said
    assert repr(found) == f"<PanelCertificate: {said}>"


def test_those_excused_are_named():
    counts = [[0, 3, 3], [0, 0, 1], [0, 1, 0]], None, MISSING
    found = panel_certificate(*counts, labels=["tea", "milk", "juice"], excused=["Ann", "Bob"])
    assert found.statement == (
        "With Ann and Bob excused and whatever the 7 missing answers say, tea is the only winner: it "
        "beats every other."
    )
    assert found.assumptions[-1] == "No answer of Ann and Bob is waited for."


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"wins": [[0, 1, 2], [1, 0, 2]]}, "wins must be square"),
        ({"wins": "x"}, "wins must be a square table of counts"),
        ({"wins": [[0, -1], [0, 0]]}, r"wins\[0, 1\] is -1; counts are whole numbers"),
        ({"ties": [[0, 1], [2, 0]]}, "ties must be symmetric"),
        ({"missing": [[0] * 3] * 3}, "missing has 3 options, and wins has 2"),
        ({"missing": [[0, 0.5], [0.5, 0]]}, r"missing\[0, 1\] is 0.5"),
        (
            {"missing": [[0, 3], [3, 0]], "members": 5},
            "options 0 and 1 have 6 answers, and 5 voters",
        ),
        ({"members": 0}, "members is 0; a panel has at least 1"),
        ({"labels": ["tea", "tea"]}, "1 different labels for 2 options"),
    ],
)
def test_counts_that_no_panel_gives_are_refused(change, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        panel_certificate(**{"wins": [[0, 2], [1, 0]]} | change)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"answered": np.ones((3, 2, 2))},
            "answered must be booleans, voters x 2 x 2; got float64",
        ),
        ({"answered": np.ones((2, 2), dtype=bool)}, r"got bool of shape \(2, 2\)"),
        (
            {"answered": np.triu(np.ones((3, 2, 2), dtype=bool))},
            "answered must be symmetric, but voter 0",
        ),
        (
            {"answered": np.ones((2, 2, 2), dtype=bool)},
            "options 0 and 1 have 3 answers, and 2 voters",
        ),
        ({"allowed": [True]}, "answered, allowed and last are about 3, 1 and 3 voters"),
        ({"last": [[]]}, "answered, allowed and last are about 3, 3 and 1 voters"),
        ({"until": "never"}, "until is 'never'; say 'best' or 'all'"),
    ],
)
def test_questions_about_no_panel_are_refused(change, sentence):
    good = {"wins": [[0, 2], [1, 0]], "ties": None, "answered": np.ones((3, 2, 2), dtype=bool)}
    with pytest.raises(InvalidParameter, match=sentence):
        next_question(**good | change)
