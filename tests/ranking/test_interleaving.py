"""Interleaving: kernels against brute force, and every method against cases worked by hand.

The oracle enumerates lists, assignments and clicks. With o = P(first ahead) - P(first behind) over the
assignments, given list and clicks: p_expected is the mean of (1 + o) / 2 and p_sign that of 1 if o > 0,
1/2 if o = 0 (within 1e-12; no click is such a tie), 0 if o < 0. Both are for the first ranker.
"""

import itertools
import math

import numpy as np
import pytest
from helpers import kept
from oracles.clicks import new_plain_room, plain_many

from copeland.errors import InvalidParameter, UnknownName
from copeland.ranking.clicks import ClickModel, click_distribution, click_model, position_based
from copeland.ranking.comparison_arrays import (
    EXPECTED,
    NAIVE,
    SIGN,
    click_world,
    load,
    outcome_code,
    rank_weights,
)
from copeland.ranking.interleaved_comparison import (
    compare_many,
    compare_once,
    draw_list,
    expected_lead,
    sign_of,
)
from copeland.ranking.interleaving import Interleaved, credit, interleave, methods, winner
from copeland.ranking.interleaving_methods import (
    allowed_lists,
    document_credit,
    list_probability,
    marginal_credit,
    mixture,
    shares,
)

pytestmark = pytest.mark.slow  # left out of `make fast`

BAR = ((0, 1, 2, 3), (2, 0, 3, 1)), (0, 2, 4, 1), 3, click_model("informational")
CASES = {
    "bar": BAR,
    "navigational": (((0, 1, 2, 3), (3, 2, 1, 0)), (1, 0, 4, 2), 3, click_model("navigational")),
    "perfect": (((4, 1, 2, 3, 0), (0, 1, 2, 3, 4)), (1, 0, 2, 0, 1), 4, click_model("perfect", 3)),
    "whole": (((0, 1, 2), (1, 2, 0)), (0, 1, 0), 10, click_model("informational", 2)),
    "unclicked-stop": (*BAR[:3], click_model("informational", stop_requires_click=False)),
    "position": (*BAR[:3], position_based((0.1, 0.3, 0.5, 0.7, 0.9), 3, eta=1)),
}


class Luck:
    """A generator that says what it is told."""

    def __init__(self, *numbers):
        self.numbers = iter(numbers)

    def random(self):
        return next(self.numbers)


def lists_and_assignments(rankings, length, tau=3.0):
    """Every (list, assignment) with its probability."""
    length = min(length, len(rankings[0]))
    for documents in itertools.permutations(range(len(rankings[0])), length):
        for sides in itertools.product((0, 1), repeat=length):
            p, left = 1.0, set(rankings[0])
            for document, side in zip(documents, sides, strict=True):
                weight = {d: (rankings[side].index(d) + 1) ** -tau for d in left}
                p *= 0.5 * weight[document] / sum(weight.values())
                left.remove(document)
            yield documents, sides, p


def enumerated(case):
    """The exact (p_sign, p_naive, p_expected) of the first ranker, and the chance of each tie."""
    rankings, grades, length, model = case
    by_list = {}
    for documents, sides, p in lists_and_assignments(rankings, length):
        by_list.setdefault(documents, []).append((sides, p))
    mean = dict.fromkeys(("sign", "naive", "expected", "sign-tie", "naive-tie"), 0.0)
    for documents, assignments in by_list.items():
        total = sum(p for _, p in assignments)
        for clicks, chance in click_distribution(model, [grades[d] for d in documents]).items():
            leads = [
                sum(c * (1 - 2 * s) for c, s in zip(clicks, sides, strict=True))
                for sides, _ in assignments
            ]
            signs = [(lead > 0) - (lead < 0) for lead in leads]
            o = sum(s * p for s, (_, p) in zip(signs, assignments, strict=True)) / total
            mean["sign"] += total * chance * (1 + sign_of(o)) / 2
            mean["sign-tie"] += total * chance * (sign_of(o) == 0)
            mean["expected"] += total * chance * (1 + o) / 2
            for sign, (_, p) in zip(signs, assignments, strict=True):
                mean["naive"] += p * chance * (1 + sign) / 2
                mean["naive-tie"] += p * chance * (sign == 0)
    return mean


def world_of(rankings, grades, length, model, outcome=SIGN, tau=3.0):
    """Rankings as the kernels want them: the second query of two, so that the offset counts."""
    order = np.array(rankings, dtype=np.int16)
    rank = np.argsort(order, axis=1).astype(np.int16)
    junk = np.zeros((2, 3), np.int16)
    return click_world(
        np.hstack([junk, order]), np.hstack([junk, rank]), np.array((0, 0, 0, *grades)),
        np.array([0, 3, 3 + len(grades)]), model, outcome, length, tau,
    )  # fmt: skip


def run(case, outcome, times, seed, twin=kept, swap=False):
    """The kernel's wins, losses, ties, and the sums of outcomes and squares."""
    counts, sums = np.zeros(3, np.int64), np.zeros(2)
    rng, world = np.random.default_rng(seed), world_of(*case, outcome)
    twin(compare_many)(world, int(swap), int(not swap), 1, times, counts, sums, rng)
    return counts, sums


def listed(documents, rankings, tau=3.0):
    """A given list, as if it had been drawn."""
    return Interleaved("probabilistic", tuple(documents), rankings, options={"tau": tau})


def within(found, exact, sd, n):
    """Five standard errors: one false alarm in two million."""
    return abs(found - exact) <= 5 * sd / math.sqrt(n)


@pytest.mark.quick
def test_the_enumeration_gives_the_published_numbers():
    exact = enumerated(BAR)
    assert exact["expected"] == pytest.approx(0.380566, abs=5e-7)
    assert exact["sign"] == pytest.approx(0.346224, abs=5e-7)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_averaging_over_assignments_leaves_the_mean_and_swapping_the_rankers_gives_one_minus_p(
    case,
):
    exact = enumerated(case)
    assert exact["naive"] == pytest.approx(exact["expected"], abs=1e-12)
    exact, swapped = enumerated(case), enumerated((case[0][::-1], *case[1:]))
    for name in ("sign", "naive", "expected"):
        assert exact[name] + swapped[name] == pytest.approx(1, abs=1e-12)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["sign", "naive"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_kernel_wins_and_ties_as_often_as_enumerated(case, name):
    n = 100_000
    counts, _ = run(case, outcome_code(name), n, seed=11)
    exact = enumerated(case)
    tie = exact[f"{name}-tie"]
    assert counts.sum() == n
    assert within((counts[0] + counts[2] / 2) / n, exact[name], 0.5, n)
    assert within(counts[2] / n, tie, math.sqrt(tie * (1 - tie)) + 1e-9, n)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_kernels_expected_outcome_has_the_enumerated_mean(case):
    n = 100_000
    _, sums = run(case, EXPECTED, n, seed=12)
    sd = math.sqrt(sums[1] / n - (sums[0] / n) ** 2) / 2
    assert within((1 + sums[0] / n) / 2, enumerated(case)["expected"], sd, n)


def test_the_plain_kernel_wins_as_often_as_enumerated():
    n, counts, rng = 100_000, np.zeros(3, np.int64), np.random.default_rng(13)
    kept(plain_many)(world_of(*BAR), 0, 1, 1, n, new_plain_room(4, BAR[2]), counts, rng)
    assert within((counts[0] + counts[2] / 2) / n, enumerated(BAR)["sign"], 0.5, n)


def random_case(n, seed, model="informational"):
    rng = np.random.default_rng(seed)
    rankings = (tuple(rng.permutation(n).tolist()), tuple(rng.permutation(n).tolist()))
    return rankings, tuple(rng.integers(0, 5, n).tolist()), 10, click_model(model)


def test_fast_and_plain_agree_on_a_long_query():
    case = random_case(120, 1)
    n, plain = 100_000, np.zeros(3, np.int64)
    fast, _ = run(case, SIGN, n, seed=14)
    rng = np.random.default_rng(15)
    kept(plain_many)(world_of(*case), 0, 1, 1, n, new_plain_room(120, 10), plain, rng)
    for place in range(3):
        p = (fast[place] + plain[place]) / (2 * n)
        assert within((fast[place] - plain[place]) / n, 0, math.sqrt(2 * p * (1 - p)), n)


@pytest.mark.parametrize("outcome", [SIGN, NAIVE, EXPECTED])
@pytest.mark.parametrize("n", [2, 5, 40])
def test_compiled_comparisons_equal_interpreted_ones(outcome, n):
    case = random_case(n, 2)
    ours, theirs = (run(case, outcome, 300, 16, twin) for twin in (kept, lambda f: f))
    assert ours[0].tolist() == theirs[0].tolist()
    assert ours[1].tolist() == theirs[1].tolist()


def test_identical_rankers_always_tie():
    rankings, *rest = random_case(30, 3)
    case = (rankings[:1] * 2, *rest)
    assert run(case, SIGN, 2000, 17)[0].tolist() == [0, 0, 2000]
    assert run(case, EXPECTED, 2000, 17)[1] == pytest.approx([0, 0], abs=1e-10)
    exact = enumerated((BAR[0][:1] * 2, *BAR[1:]))
    assert exact["sign"] == pytest.approx(0.5, abs=1e-12)
    assert exact["sign-tie"] == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("outcome", [SIGN, NAIVE])
def test_a_query_of_one_document_ties_or_is_a_coin(outcome):
    case = ((0,), (0,)), (4,), 10, click_model("perfect")
    counts, _ = run(case, outcome, 10_000, 18)
    assert counts[2] == (10_000 if outcome == SIGN else 0)


@pytest.mark.parametrize("model", ["informational", "navigational", "perfect"])
@pytest.mark.parametrize("n", [7, 60])
def test_shares_and_expected_outcome_are_those_of_the_definition(n, model):
    rankings, grades, _, clicks = random_case(n, 4, model)
    world, rng = world_of(rankings, grades, 6, clicks), np.random.default_rng(19)
    room = world.room
    load(world, 0, 1, 1)
    for _ in range(20):
        draw_list(world, n, rng)
        documents = room.shown.tolist()
        share = shares(listed(documents, rankings))
        assert room.share == pytest.approx(share, abs=1e-12)
        o = 0.0
        for pattern, p in click_distribution(clicks, [grades[d] for d in documents]).items():
            ours, theirs = assigned(share[list(pattern)])
            o += p * (ours - theirs)
        assert expected_lead(world, n) == pytest.approx(o, abs=1e-12)


def assigned(share):
    """P(first has more clicks), P(second has more), by summing over all assignments."""
    ours = theirs = 0.0
    for sides in itertools.product((0, 1), repeat=len(share)):
        p = math.prod(s if side == 0 else 1 - s for s, side in zip(share, sides, strict=True))
        ours += p * (2 * sum(sides) < len(share))
        theirs += p * (2 * sum(sides) > len(share))
    return ours, theirs


@pytest.mark.parametrize("m", range(9))
def test_the_programme_for_credit_equals_the_sum_over_assignments(m):
    share = np.random.default_rng(m).random(m)
    assert marginal_credit(share) == pytest.approx(assigned(share), abs=1e-14)


@pytest.mark.parametrize("tau", [0.0, 1.0, 3.0, 20.0])
def test_shares_stay_exact_down_a_list_for_any_tau(tau):
    rankings, grades, _, clicks = random_case(12, 5)
    world, rng = world_of(rankings, grades, 12, clicks, tau=tau), np.random.default_rng(20)
    room = world.room
    load(world, 0, 1, 1)
    for _ in range(50):
        draw_list(world, 12, rng)
        share = shares(listed(room.shown.tolist(), rankings, tau))
        assert room.share == pytest.approx(share, abs=1e-9)


def test_a_live_list_has_the_enumerated_probability():
    exact = {}
    for documents, _, p in lists_and_assignments(BAR[0], 3):
        exact[documents] = exact.get(documents, 0.0) + p
    rng = np.random.default_rng(21)
    n, seen = 20_000, dict.fromkeys(exact, 0)
    for _ in range(n):
        seen[interleave(BAR[0], 3, rng).documents] += 1
    for documents, p in exact.items():
        assert within(seen[documents] / n, p, math.sqrt(p * (1 - p)), n)
        assert list_probability(listed(documents, BAR[0])) == pytest.approx(p, abs=1e-14)


def test_team_draft_by_hand():
    shown = interleave([["a", "b"], ["b", "a"]], 2, Luck(0.9, 0.0, 0.9, 0.0))
    assert (shown.documents, shown.teams) == (("b", "a"), (1, 1))
    assert credit(shown, [True, True], rule="naive").tolist() == [0, 2]
    # b is the second's first choice (8/9 against 1/9), and then a is all that is left
    assert shares(shown) == pytest.approx([1 / 9, 1 / 2])
    assert credit(shown, [True, True]) == pytest.approx([1 / 18, 8 / 18])
    assert winner(credit(shown, [False, True])) is None
    shown = interleave([["a"], ["b", "c"]], 3, Luck(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    assert (shown.documents, shown.teams) == (("a", "b", "c"), (0, 1, 1))
    assert shares(shown).tolist() == [1, 0, 0]
    assert list_probability(shown) == pytest.approx(0.5 * (8 / 9))
    rankings = [[1, 2, 3, 4], [1, 3, 4, 2]]
    shown = interleave(rankings, 4, Luck(0.9, 0.2), "team-draft")
    # second takes 1, first 2; a new coin: first takes 3, second 4
    assert (shown.documents, shown.teams) == ((1, 2, 3, 4), (1, 0, 0, 1))
    clicks = [True, False, True, False]
    assert credit(shown, clicks).tolist() == [1, 1]
    assert credit(shown, clicks, skip_common_prefix=True).tolist() == [1, 0]


@pytest.mark.parametrize("k", [2, 3, 5])
def test_teams_differ_in_size_by_one_at_most(k):
    rankings = [[(x, r) for r in range(10)] for x in range(k)]
    for seed in range(20):
        shown = interleave(rankings, 8, np.random.default_rng(seed), "team-draft")
        sizes = np.bincount(shown.teams, minlength=k)
        assert sizes.max() - sizes.min() <= 1
        assert all(
            document[0] == team for document, team in zip(shown.documents, shown.teams, strict=True)
        )


def test_balanced_by_hand():
    rankings = [["a", "b", "c", "d"], ["b", "e", "a", "f"]]
    assert interleave(rankings, 5, Luck(0.1), "balanced").documents == ("a", "b", "e", "c", "d")
    assert interleave(rankings, 5, Luck(0.6), "balanced").documents == ("b", "a", "e", "c", "f")
    rankings = [["a", "b", "c", "d"], ["b", "e", "a", "f"]]
    shown = interleave(rankings, 5, Luck(0.1), "balanced")
    # lowest click e: rank 2 of the second, so k = 2: the first has b there, the second b and e
    assert credit(shown, [False, True, True, False, False]).tolist() == [1, 2]
    assert credit(shown, [True, False, False, False, False]).tolist() == [1, 0]
    assert credit(shown, [False] * 5).tolist() == [0, 0]


def test_optimized_by_hand():
    assert mixture(((1, 2), (2, 1)), 2).p == pytest.approx((0.5, 0.5))
    # 1 is ranked 1 and 3, 2 is ranked 2 and 1: leads 2 and -1, so 1 is on top in one list of three
    found = mixture(((1, 2, 3), (2, 3, 1)), 1)
    assert dict(zip(found.lists, found.p, strict=True)) == pytest.approx({(1,): 1 / 3, (2,): 2 / 3})


@pytest.mark.parametrize("rule", ["linear", "inverse", "binary"])
def test_optimized_prefers_nobody_under_random_clicks(rule):
    rankings = random_case(8, 6)[0]
    found = mixture(rankings, 5, rule)
    mean = sum(
        p * np.subtract(*document_credit(rankings, documents, rule))
        for documents, p in zip(found.lists, found.p, strict=True)
    )
    assert np.cumsum(mean)[: found.unbiased_to] == pytest.approx(0, abs=1e-9)
    assert set(found.lists) <= set(allowed_lists(rankings, 5))
    assert sum(found.p) == pytest.approx(1)


def test_optimized_credits_ranks():
    shown = interleave([[1, 2], [2, 1]], 2, Luck(0.2), "optimized", rule="inverse")
    assert shown.documents == (1, 2)
    assert credit(shown, [True, False]).tolist() == [1, 0.5]
    assert winner(credit(shown, [True, True])) is None


def test_pairwise_by_hand():
    rankings = [[1, 2, 3], [2, 3, 1]]
    # position 1 from {1, 2}: 2; position 2 from {1, 3}: 3; then 1
    shown = interleave(rankings, 3, Luck(0.6, 0.6), "pairwise")
    assert shown.documents == (2, 3, 1)
    # 3 over 2 could not have come otherwise; 3 over 1 needed 1 passed over once, of two: weight 2
    assert credit(shown, [False, True, False]).tolist() == [0, 2]
    rankings = [[1, 2, 3], [2, 1, 3], [3, 2, 1]]
    shown = interleave(rankings, 3, Luck(0.0, 0.0), "pairwise")
    assert shown.documents == (1, 2, 3)
    clicks = [True, False, True]
    # 1 over 2, 3 over 2, all of best rank 1
    assert credit(shown, clicks).tolist() == [1, 0, 1]
    assert credit(shown, [True, False, False], against="above").tolist() == [1, 0, 0]


def test_pairwise_prefers_nobody_under_random_clicks():
    rankings = [[1, 2, 3, 4], [2, 4, 1, 3], [1, 4, 3, 2]]
    rng, n = np.random.default_rng(22), 20_000
    leads = np.zeros((n, 2))
    for i in range(n):
        shown = interleave(rankings, 4, rng, "pairwise")
        credits = credit(shown, rng.random(4) < 0.5)
        leads[i] = credits[0] - credits[1], credits[0] - credits[2]
    for lead in leads.T:
        assert within(lead.mean(), 0, lead.std(), n)


@pytest.mark.parametrize("method", methods())
def test_every_method_shows_each_document_once_and_settles_clicks(method):
    rankings = [list("abcdefgh"), list("hgfedcba")]
    rng = np.random.default_rng(23)
    shown = interleave(rankings, 6, rng, method)
    assert len(shown.documents) == len(set(shown.documents)) == 6
    assert credit(shown, [True] * 6).shape == (2,)
    assert winner(credit(shown, [False] * 6)) is None
    assert len(interleave(rankings, 20, rng, method).documents) == 8


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda rng: interleave([["a"]], 3, rng), "1 ranking cannot"),
        (lambda rng: interleave([["a"], []], 3, rng), "Ranking 1 is empty"),
        (lambda rng: interleave([["a", "a"], ["a"]], 3, rng), "'a' twice"),
        (lambda rng: interleave([["a"]] * 3, 3, rng), "two rankings and got 3"),
        (lambda rng: interleave([["a"]] * 2, 0, rng), "length is 0"),
        (lambda rng: interleave([["a"]] * 2, 1, rng, tau=-1), "tau is -1"),
        (lambda rng: interleave([["a"]] * 2, 1, rng, "optimized", rule="odd"), "rule is 'odd'"),
        (lambda rng: credit(interleave([["a"]] * 2, 1, rng), [0]), "truth value"),
        (lambda rng: credit(interleave([["a"]] * 2, 1, rng), [True, True]), "shape"),
        (lambda rng: rank_weights(0), "0 documents"),
    ],
)  # fmt: skip
def test_bad_input_gives_a_sentence(make, message):
    with pytest.raises(InvalidParameter, match=message):
        make(np.random.default_rng(0))


def test_wrong_names_are_met_with_the_nearest_and_one_comparison_is_a_sign():
    with pytest.raises(UnknownName, match="did you mean 'team-draft'"):
        interleave([["a"], ["b"]], 1, np.random.default_rng(0), "team-drift")
    with pytest.raises(UnknownName, match="did you mean 'expected'"):
        outcome_code("expect")
    world = world_of(BAR[0], (0,) * 4, 3, ClickModel((1.0, 1.0), (1.0, 1.0)), NAIVE)
    lead = compare_once(world, 0, 1, 1, Luck(0.75, 0.5))
    assert lead == -1.0  # the second drew, and the user clicked once and left
