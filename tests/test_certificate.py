"""Certificates against a plain version made pair by pair, their laws, and cases worked by hand."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copeland import InvalidParameter
from copeland.certificate.certificate import Certificate, certify
from copeland.certificate.proof import Terms, is_decided
from copeland.certificate.samples import evidence, log_evidence_of_pairs, log_evidence_of_votes
from copeland.kernels.vote_evidence import all_level, levels, log_evidence, loss_level, win_level

ROCK_PAPER_SCISSORS = [[0, 90, 30], [30, 0, 90], [90, 30, 0]]


@st.composite
def votes(draw):
    """Counts of 2 to 8 options, with pairs from never met to long decided."""
    k = draw(st.integers(2, 8))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    strength = rng.normal(0, draw(st.sampled_from([0.0, 0.3, 2.0])), k)
    p = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    n = np.triu(rng.integers(0, draw(st.sampled_from([2, 100, 3_000])), (k, k)), 1)
    drawn = rng.binomial(n, draw(st.sampled_from([0.0, 0.3])))
    won = rng.binomial(n - drawn, p)
    order = rng.permutation(k)
    wins = won + (n - drawn - won).T
    return wins[np.ix_(order, order)], (drawn + drawn.T)[np.ix_(order, order)]


terms = st.fixed_dictionaries(
    {
        "margin": st.sampled_from([0.0, 0.1]),
        "epoch": st.sampled_from([0, 1, 3]),
        "voters": st.sampled_from(["independent", "dependent"]),
    }
)


def plainly(wins, ties, active=None, delta=0.05, margin=0.0, epoch=0, voters="independent"):
    """Judge by the definitions, one claim at a time."""
    k = len(wins)
    at = levels(k, delta, epoch, voters == "dependent", active is not None, margin=margin)
    options = list(range(k)) if active is None else sorted(active)

    def proved(i, j, level, margin=margin):
        return log_evidence(wins[i][j], wins[j][i], ties[i][j], margin) >= level

    def rivals(i):
        return [j for j in options if j != i]

    def lower(i):
        claims = [
            r
            for r in range(1, len(rivals(i)) + 1)
            if sum(proved(i, j, win_level(at, len(rivals(i)) - r)) for j in rivals(i)) >= r
        ]
        return max(claims, default=0)

    def upper(i, level):
        return len(rivals(i)) - sum(proved(j, i, level) for j in rivals(i))

    lo = [lower(i) for i in range(k)]
    up = [upper(i, loss_level(at)) for i in range(k)]
    best = [i for i in options if lo[i] > 0 and all(lo[i] >= up[j] for j in rivals(i))]
    top = max(lo[i] for i in options)
    pairs = [(i, j) for i in range(k) for j in range(k) if i != j]
    beats = [(i, j) for i, j in pairs if proved(i, j, at.pair) and proved(i, j, at.exact, 0.0)]
    is_all = bool(best) and all(
        upper(i, all_level(at, len(best))) < top for i in options if i not in best
    )

    def scores(beats):
        """Bounds of the number of rivals that each beats, by proved wins."""
        return [
            (
                sum((i, j) in beats for j in rivals(i)),
                len(rivals(i)) - sum((j, i) in beats for j in rivals(i)),
            )
            for i in range(k)
        ]

    def by_verdict(scores):
        """The same, where the best have the highest score, and the others a lower one if these are all."""
        scores = [(max(a, lo[i]), b) for i, (a, b) in enumerate(scores)]
        if not best:
            return scores
        low = max(scores[i][0] for i in options)
        high = min(scores[i][1] for i in best)
        return [
            (low, high) if i in best else (a, min(b, high - is_all))
            for i, (a, b) in enumerate(scores)
        ]

    if margin > 0:
        clear = [(i, j) for i, j in beats if proved(i, j, at.exact, -margin)]
        found = scores(beats)
        won = max(scores(clear)[i][0] for i in options)
        possible = [i for i in options if i in best or scores(clear)[i][1] >= won]
    else:
        is_all = is_all or any(lo[i] == len(rivals(i)) for i in best)
        wins_all = {i for i in best if lo[i] == len(rivals(i))}
        beats = [(i, j) for i, j in pairs if (i, j) in beats or (i in wins_all and j in options)]
        found = by_verdict(scores(beats))
        possible = [i for i in options if all(found[i][1] >= found[j][0] for j in rivals(i))]
        if is_all or (best and possible == best):
            is_all, possible = True, best
            found = by_verdict(scores(beats))
    return {
        "lower": tuple(lo),
        "upper": tuple(up),
        "best": tuple(best),
        "is_all": is_all,
        "possible": tuple(possible),
        "scores": tuple(one if i in options else (0, 0) for i, one in enumerate(found)),
        "beats": tuple(beats),
        "ties": tuple(
            (i, j) for i, j in pairs if i < j and proved(i, j, at.pair) and proved(j, i, at.pair)
        ),
    }


@pytest.mark.slow
@given(votes(), terms)
def test_a_certificate_is_that_of_the_definitions_and_survives_its_file(counts, terms):
    found = certify(*counts, **terms)
    expected = plainly(*counts, **terms)
    assert {name: getattr(found, name) for name in expected} == expected
    read = Certificate.from_json(found.to_json())
    assert read == found
    assert read.recheck(*counts) == ()


@pytest.mark.slow
@given(votes(), st.data())
def test_a_certificate_about_active_options_is_that_of_the_definitions(counts, data):
    k = len(counts[0])
    active = data.draw(st.lists(st.integers(0, k - 1), min_size=2, unique=True))
    found = certify(*counts, active=active)
    expected = plainly(*counts, active=active)
    assert {name: getattr(found, name) for name in expected} == expected


@given(votes(), st.sampled_from([0.0, 0.05, -0.05]))
@pytest.mark.slow
def test_evidence_is_that_of_the_kernel(counts, margin):
    wins, ties = counts
    found = log_evidence_of_pairs(wins, wins.T, ties, margin)
    for i, j in np.ndindex(wins.shape):
        expected = log_evidence(wins[i, j], wins[j, i], ties[i, j], margin)
        assert found[i, j] == pytest.approx(-math.inf if i == j else expected, rel=1e-9)


@pytest.mark.slow
@given(votes(), terms, st.randoms())
def test_permuting_the_options_permutes_the_certificate(counts, terms, random):
    wins, ties = counts
    order = list(range(len(wins)))
    random.shuffle(order)
    here = certify(wins, ties, **terms)
    there = certify(wins[np.ix_(order, order)], ties[np.ix_(order, order)], **terms)
    assert {order[i] for i in there.best} == set(here.best)
    assert {order[i] for i in there.possible} == set(here.possible)
    assert (there.is_all, there.votes) == (here.is_all, here.votes)
    for name in ("lower", "upper", "scores"):
        assert getattr(there, name) == tuple(getattr(here, name)[i] for i in order)
    assert {(order[i], order[j]) for i, j in there.beats} == set(here.beats)
    assert {frozenset((order[i], order[j])) for i, j in there.ties} == set(
        map(frozenset, here.ties)
    )


def tally(ballots, k):
    """Counts of ballots (left, right, outcome)."""
    wins, ties = np.zeros((k, k), int), np.zeros((k, k), int)
    for left, right, outcome in ballots:
        if outcome == "tie":
            ties[left, right] += 1
            ties[right, left] += 1
        else:
            winner, loser = (left, right) if outcome == "left" else (right, left)
            wins[winner, loser] += 1
    return wins, ties


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.permutations(range(4)).map(lambda order: order[:2]),
            st.sampled_from(["left", "left", "right", "tie"]),
            st.booleans(),
        ),
        max_size=200,
    ),
    st.randoms(),
)
def test_the_order_of_votes_and_the_sides_of_options_change_nothing(asked, random):
    other = {"left": "right", "right": "left", "tie": "tie"}
    here = [(a, b, outcome) for (a, b), outcome, _ in asked]
    there = [
        (b, a, other[outcome]) if turned else (a, b, outcome) for (a, b), outcome, turned in asked
    ]
    random.shuffle(there)
    assert certify(*tally(here, 4), margin=0.1) == certify(*tally(there, 4), margin=0.1)


def test_the_plainest_certificates():
    found = certify(np.zeros((4, 4)))
    assert (found.verdict, found.best, found.is_all) == ("open", (), False)
    assert found.possible == (0, 1, 2, 3)
    assert found.scores == ((0, 3),) * 4
    # 2 claims at delta = 0.05: ln 40 = 3.69 nats; 30 to 10 is worth 4.26, 28 to 12 is worth 2.44
    assert certify([[0, 30], [10, 0]]).statement == (
        "After 40 votes, 0 is proved the only winner: it beats the other, "
        "and no other option beats as many (error probability 0.05)."
    )
    assert certify([[0, 28], [12, 0]]).verdict == "open"
    found = certify(ROCK_PAPER_SCISSORS)
    assert (found.verdict, found.best, found.is_all) == ("tied", (0, 1, 2), True)
    assert found.beats == ((0, 1), (1, 2), (2, 0))
    assert found.scores == ((1, 1),) * 3


def cycle_of_three_and_two_losers(loser_losses):
    """0 > 1 > 2 > 0, all beat 3 and 4; ``loser_losses`` of these six wins are proved."""
    wins = np.zeros((5, 5), int)
    for i in range(3):
        wins[i, (i + 1) % 3] = 100
    for i, j in [(0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 4)][:loser_losses]:
        wins[i, j] = 100
    return wins


def test_options_can_be_best_together_while_another_may_still_tie():
    # level x_e(m) asks more of the losses of 3 and 4 than x_l does
    wins = cycle_of_three_and_two_losers(6)
    wins[wins == 0] = 4  # every pair was seen both ways
    np.fill_diagonal(wins, 0)
    wins[:3, 3:] = 23
    found = certify(wins)
    assert (found.verdict, found.best, found.is_all) == ("tied", (0, 1, 2), False)
    wins[:3, 3:] = 100
    assert certify(wins).is_all


def test_losses_that_cover_one_winner_named_beforehand_do_not_rule_an_option_out():
    """Else, of many winners, some would be ruled out more often than promised."""
    wins = np.zeros((6, 6), int)
    wins[0, 1:5] = 100
    wins[1:3, 5], wins[5, 1:3] = 21, 3
    nats = evidence(wins)[1, 5]
    at = levels(6, 0.05)
    assert at.loss < nats < at.pair
    found = certify(wins)
    assert found.upper[5] < found.lower[0] and 5 in found.possible
    wins[1:3, 5] = 40
    assert 5 not in certify(wins).possible


def test_a_losing_option_need_not_be_beaten_by_all():
    found = certify(cycle_of_three_and_two_losers(6))
    assert found.lower == (3, 3, 3, 0, 0)
    assert found.upper == (3, 3, 3, 1, 1)
    assert found.possible == (0, 1, 2)


def test_an_option_with_an_open_pair_is_best_once_no_other_can_pass_it():
    wins = np.zeros((5, 5), int)
    wins[0, 1:4] = 100  # 0 beats 1, 2, 3; its pair with 4 is open
    assert certify(wins).verdict == "open"
    wins[1, 4] = 100  # so 4 has a loss too
    found = certify(wins)
    assert (found.verdict, found.best, found.is_all) == ("winner", (0,), False)
    assert found.statement.startswith(
        "After 400 votes, 0 is proved best: it beats at least 3 of the 4"
    )


def test_certificates_with_a_margin():
    tied = [[0, 500], [500, 0]]
    assert certify(tied).verdict == "open"
    found = certify(tied, margin=0.1)
    assert (found.verdict, found.best, found.ties) == ("tied", (0, 1), ((0, 1),))
    assert found.scores == ((0, 1), (0, 1))  # who beats whom is as open as before
    assert "each proved best up to a margin of 0.1" in found.statement
    # W beats everybody with .52 and X the rest with .60: W is the Condorcet winner.
    wins = np.full((5, 5), 5_000)
    wins[0, 1:], wins[1:, 0] = 5_200, 4_800
    wins[1, 2:], wins[2:, 1] = 6_000, 4_000
    np.fill_diagonal(wins, 0)
    found = certify(wins, margin=0.05, labels=list("WXcde"))
    assert {0, 1} <= set(found.best) and set(found.possible) == set(range(5))
    assert found.choice == (0,)
    tied = certify([[0, 500], [500, 0]], margin=0.1, labels=["a", "b"])
    ahead = certify([[0, 520], [480, 0]], margin=0.1, labels=["a", "b"])
    assert tied.advice == "Take any of a and b: by the votes, none of them is ahead."
    assert ahead.advice == (
        "Take a: by what is proved and what is likely, it beats the most others."
    )
    assert certify([[0, 30], [10, 0]]).advice == ""  # the only winner
    found = certify(np.zeros((2, 2)), [[0, 200], [200, 0]], margin=0.1)
    assert (found.votes, found.ties) == (200, ((0, 1),))


def test_an_option_that_is_not_active_has_no_score():
    wins = np.zeros((4, 4), int)
    wins[0, 1:] = wins[1, 2:] = wins[2, 3] = 200
    for terms in ({}, {"margin": 0.05}, {"goal": "top:1"}):
        found = certify(wins, active=[1, 2, 3], **terms)
        assert found.scores == ((0, 0), (2, 2), (1, 1), (0, 0))
        found = certify(wins, active=[0, 1, 2], **terms)
        assert found.scores == ((2, 2), (1, 1), (0, 0), (0, 0))


@given(votes(), st.data())
def test_no_score_is_at_least_more_than_at_most(counts, data):
    k = len(counts[0])
    active = data.draw(st.lists(st.integers(0, k - 1), min_size=2, unique=True))
    scores = certify(*counts, active=active).scores
    assert all(low <= high for low, high in scores)
    assert all(scores[i] == (0, 0) for i in range(k) if i not in active)


def test_certificates_of_retired_active_and_added_options():
    wins = np.zeros((6, 6), int)
    wins[0, 1:5] = 100  # 5 was retired before it met anyone
    assert certify(wins).verdict == "open"
    found = certify(wins, active=range(5))
    assert (found.best, found.active) == ((0,), (0, 1, 2, 3, 4))
    assert "among the 5 active options" in found.statement
    # 6 options: 30 claims at 0.05 are 6.4 nats; one row of them is 6 / (0.6 * 0.05) or 5.3 nats
    wins = np.zeros((6, 6), int)
    wins[0, 1:] = 34
    wins[1:, 0] = 10
    assert levels(6, 0.05).win < evidence(wins)[0, 1] < levels(6, 0.05).pair
    assert certify(wins).best == (0,)
    assert certify(wins, active=range(6)).best == ()
    wins = np.zeros((5, 5), int)
    wins[0, 1:] = 60
    assert certify(wins, epoch=1).best == (0,)
    grown = np.zeros((6, 6), int)
    grown[:5, :5] = wins
    found = certify(grown, epoch=2)
    assert (found.verdict, found.lower[0], found.upper[5]) == ("open", 4, 5)


def test_a_smaller_delta_needs_more():
    assert certify([[0, 30], [10, 0]], delta=0.01).verdict == "open"


def test_one_vote_more_or_another_option_is_another_certificate():
    found = certify(ROCK_PAPER_SCISSORS)
    wins = np.array(ROCK_PAPER_SCISSORS)
    wins[0, 1] += 1
    (why,) = found.recheck(wins)
    assert "issued on other votes" in why
    (why,) = certify(ROCK_PAPER_SCISSORS, active=[1, 2]).recheck(np.zeros((2, 2)))
    assert "issued on other votes" in why
    forged = replace(certify(ROCK_PAPER_SCISSORS), best=(1,))
    assert forged.recheck(ROCK_PAPER_SCISSORS) == (
        "it says that best is (1,), but the votes give (0, 1, 2).",
    )


@pytest.mark.parametrize(
    "change, why",
    [
        (lambda content: content.pop("margin"), "margin"),
        (lambda content: content.update(format=9), "format 9"),
        (lambda content: content.update(delta=7), "delta is 7"),
        (lambda content: content.update(delta="x"), "not a certificate"),
        (lambda content: content.update(labels=["a", "a", "b"]), "labels"),
    ],
)
def test_a_damaged_file_is_refused(change, why):
    content = json.loads(certify(ROCK_PAPER_SCISSORS).to_json())
    change(content)
    with pytest.raises(InvalidParameter, match=why):
        Certificate.from_json(json.dumps(content))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Certificate.from_json(""), "certificate"),
        (lambda: Certificate.from_json("[]"), "certificate"),
        (lambda: Certificate.from_json("7"), "certificate"),
        (lambda: Certificate.from_json("{}"), "certificate"),
        (lambda: certify([[0]], None), r"shape \(1, 1\)"),
        (lambda: certify([[0, 1, 2], [3, 0, 4]], None), r"shape \(2, 3\)"),
        (lambda: certify([[0, "a"], [1, 0]], None), "table of counts"),
        (lambda: certify([[0, 0.5], [1, 0]], None), r"wins\[0, 1\] is 0.5"),
        (lambda: certify([[0, -1], [1, 0]], None), r"wins\[0, 1\] is -1"),
        (lambda: certify([[0, math.nan], [1, 0]], None), r"wins\[0, 1\] is nan"),
        (lambda: certify([[3, 1], [1, 0]], None), r"wins\[0, 0\] is 3"),
        (lambda: certify([[0, 1], [1, 0]], [[0, 1], [2, 0]]), "symmetric"),
        (lambda: certify([[0, 1], [1, 0]], np.zeros((3, 3))), "ties has 3 options, and wins has 2"),
        (lambda: certify(ROCK_PAPER_SCISSORS, delta=0), "delta is 0"),
        (lambda: certify(ROCK_PAPER_SCISSORS, delta=1.5), "delta is 1.5"),
        (lambda: certify(ROCK_PAPER_SCISSORS, margin=0.5), "margin is 0.5"),
        (lambda: certify(ROCK_PAPER_SCISSORS, margin=-0.1), "margin is -0.1"),
        (lambda: certify(ROCK_PAPER_SCISSORS, epoch=-1), "epoch is -1"),
        (lambda: certify(ROCK_PAPER_SCISSORS, voters="many"), "voters is 'many'"),
        (lambda: certify(ROCK_PAPER_SCISSORS, active=[0]), r"active is \[0\]"),
        (lambda: certify(ROCK_PAPER_SCISSORS, active=[0, 3]), r"active is \[0, 3\]"),
        (
            lambda: certify(ROCK_PAPER_SCISSORS, labels=["a", "b"]),
            "2 different labels for 3 options",
        ),
        (
            lambda: certify(ROCK_PAPER_SCISSORS, labels=["a", "b", "a"]),
            "2 different labels for 3 options",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(call, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        call()


def test_a_certificate_says_what_is_assumed_and_who_may_win():
    assert any("different pairs" in a for a in certify(ROCK_PAPER_SCISSORS).assumptions)
    dependent = certify(ROCK_PAPER_SCISSORS, voters="dependent").assumptions
    assert any("own earlier answers" in a for a in dependent)
    assert not any("different pairs" in a for a in dependent)
    wins = np.zeros((3, 3), int)
    wins[:2, 2] = 100
    found = certify(wins, labels=["a", "b", "c"])
    assert found.statement == (
        "After 200 votes, no option is proved best yet; a and b could still be best (error probability 0.05)."
    )


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(20))
def test_whether_it_is_decided_is_what_the_certificate_says(seed):
    rng = np.random.default_rng(seed)
    k, dependent, margin = int(rng.integers(2, 9)), seed % 2 == 0, (0.0, 0.05)[seed % 4 // 2]
    lead = np.triu(rng.integers(0, 60, (k, k)), 1)
    wins, ties = lead + lead.T // 4, np.triu(rng.integers(0, 9, (k, k)), 1)
    ties += ties.T
    voters = "dependent" if dependent else "independent"
    found = certify(wins, ties, margin=margin, epoch=1, voters=voters)
    decided = is_decided(wins, ties, Terms(margin=margin, epoch=1, voters=voters))
    assert decided == (found.verdict != "open")


@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_pairs_without_votes_have_the_evidence_that_all_pairs_at_once_give_them(margin):
    rng, k = np.random.default_rng(5), 60
    wins = rng.integers(0, 30, (k, k)) * (rng.random((k, k)) < 0.1)
    ties = np.triu(rng.integers(0, 5, (k, k)) * (rng.random((k, k)) < 0.05), 1)
    ties += ties.T
    np.fill_diagonal(wins, 0)
    sparse = log_evidence_of_pairs(wins, wins.T, ties, margin)
    dense = log_evidence_of_votes(wins, wins.T, ties, margin)
    np.fill_diagonal(dense, -np.inf)
    np.testing.assert_allclose(sparse, dense, rtol=1e-13)


def test_a_certificate_about_all_that_an_epoch_offered_can_be_checked_again():
    """At the levels of six options, one of which is retired, these votes prove a winner; at those of a choice they do not."""
    wins = np.zeros((7, 7), int)
    wins[0, 1:6] = 40
    wins[1:6, 0] = 13
    found = certify(wins, epoch=1, offered=6)
    assert found.best == (0,) and found.recheck(wins) == ()
    assert certify(wins, epoch=1, offered=6, active=range(6)) == found
    assert certify(wins[:6, :6], epoch=1, active=range(6)).best == ()
