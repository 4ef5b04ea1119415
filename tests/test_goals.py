"""Goals beyond one winner: what certificates say of them, against enumeration and plain rules."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copeland import Certificate, certify
from copeland.certificate import next_question, panel_certificate
from copeland.certificate.panel_planner import cheapest_plan, still_matter
from copeland.certificate.proof import find_top
from copeland.errors import InvalidParameter
from copeland.kernels.vote_evidence import baseline_level, levels
from copeland.support.goal import Goal

NAMES = "ABCDE"
CHAIN = np.array(
    [
        [0, 90, 95, 99, 99],
        [30, 0, 90, 95, 99],
        [25, 30, 0, 90, 95],
        [21, 25, 30, 0, 90],
        [21, 21, 25, 30, 0],
    ]
)
GOALS = ("best", "top:2", "top:3", "above:C", "tiers")


@pytest.mark.parametrize("text", GOALS)
def test_a_goal_is_written_as_it_is_read(text):
    assert str(Goal.parse(text)) == text


def test_the_best_one_is_the_best():
    assert Goal.parse("top:1") == Goal.parse("best")


@pytest.mark.parametrize(
    "text", ["", "top", "top:0", "top:-1", "top:x", "above:", "first", "best:2"]
)
def test_what_is_no_goal_is_refused(text):
    with pytest.raises(InvalidParameter, match="'above:NAME' or 'tiers'") as error:
        Goal.parse(text)
    assert error.value.field == "goal"


def test_a_goal_that_the_options_cannot_have_is_refused():
    with pytest.raises(InvalidParameter, match="at most 4"):
        certify(CHAIN, labels=NAMES, goal="top:5")
    with pytest.raises(InvalidParameter, match="known names: A, B, C, D, E"):
        certify(CHAIN, labels=NAMES, goal="above:F")


def test_what_each_goal_says():
    said = {goal: certify(CHAIN, labels=NAMES, goal=goal).statement for goal in GOALS[1:]}
    end = " (error probability 0.05)."
    assert said == {
        "top:2": "After 1,200 votes, A and B are proved the top 2: each beats at least 3 of the 4 others, and no other "
        f"option beats more than any of these{end}",
        "top:3": "After 1,200 votes, A, B and C are proved the top 3: each beats at least 2 of the 4 others, and no other "
        f"option beats more than any of these{end}",
        "above:C": f"After 1,200 votes, A and B are proved better than C; D and E are proved worse than C{end}",
        "tiers": f"After 1,200 votes, 5 tiers are proved apart: A; B; C; D; E{end}",
    }


@pytest.mark.sampled(10)
@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("margin", [0.0, 0.05])
@pytest.mark.parametrize("scale", [1, 10])
def test_a_file_says_the_same_and_can_be_checked(goal, margin, scale):
    wins = CHAIN // scale
    found = certify(wins, labels=NAMES, goal=goal, margin=margin)
    assert found.decided == (scale == 1)
    read = Certificate.from_json(found.to_json())
    assert read == found and read.recheck(wins) == ()
    assert read.recheck(wins + np.eye(5, k=1, dtype=int)) != ()


def test_a_file_that_claims_more_is_caught():
    found = certify(CHAIN // 10, labels=NAMES, goal="top:2")
    forged = Certificate.from_json(found.to_json().replace('"top": []', '"top": [0, 1]'))
    assert any("top is (0, 1)" in sentence for sentence in forged.recheck(CHAIN // 10))


def find_top_plainly(lower, upper, number):
    """All sets of so many options whose lowest score reaches the highest of all others."""
    options = range(len(lower))
    return [
        chosen
        for chosen in combinations(options, number)
        if min(lower[i] for i in chosen) >= max(upper[i] for i in options if i not in chosen)
    ]


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=3, max_size=6),
    st.integers(1, 2),
)
def test_the_top_is_found_if_there_is_one(bounds, number):
    lower = np.array([low for low, _ in bounds])
    upper = lower + np.array([width for _, width in bounds])
    points = np.ones((len(bounds), len(bounds)))
    found = find_top(lower, upper, np.ones(len(bounds), bool), number, points)
    every = find_top_plainly(lower, upper, number)
    assert found in every if every else found == ()


def completions(wins, missing):
    """All final tables of a panel's majorities: each missing answer goes to one side, or to neither."""
    pairs = [(i, j) for i, j in combinations(range(len(wins)), 2)]
    ends = [range(-missing[i, j], missing[i, j] + 1) for i, j in pairs]
    for leads in product(*ends):
        beats = np.zeros(wins.shape, bool)
        for (i, j), lead in zip(pairs, leads, strict=True):
            total = wins[i, j] - wins[j, i] + lead
            beats[i, j], beats[j, i] = total > 0, total < 0
        yield beats


@pytest.mark.slow
@given(st.lists(st.integers(0, 3), min_size=18, max_size=18))
def test_a_panel_settles_exactly_what_holds_in_every_completion(numbers):
    tables = np.array(numbers).reshape(3, 6)
    one, other = np.triu_indices(4, 1)
    wins, missing = np.zeros((2, 4, 4), int)
    wins[one, other], wins[other, one] = tables[0], tables[1]
    missing[one, other] = missing[other, one] = np.minimum(tables[2], 1)
    ends = list(completions(wins, missing))
    scores = np.array([beats.sum(axis=1) for beats in ends])

    def is_top(chosen):
        rest = [i for i in range(4) if i not in chosen]
        return (scores[:, chosen].min(axis=1) >= scores[:, rest].max(axis=1)).all()

    top = panel_certificate(wins, missing=missing, goal="top:2").top
    every = [chosen for chosen in combinations(range(4), 2) if is_top(list(chosen))]
    assert top in every if every else top == ()
    found = panel_certificate(wins, missing=missing, goal="above:0")
    assert found.above == tuple(i for i in range(1, 4) if all(beats[i, 0] for beats in ends))
    assert found.below == tuple(i for i in range(1, 4) if all(beats[0, i] for beats in ends))
    assert found.not_worse == tuple(i for i in range(1, 4) if i in (*found.above, *found.even))
    assert all(not any(beats[i, 0] or beats[0, i] for beats in ends) for i in found.even)


def test_levels_rise_with_the_number_of_the_best_and_a_baseline_takes_less():
    one, three = levels(20, 0.05), levels(20, 0.05, top=3)
    assert three.loss == pytest.approx(one.loss + np.log(3))
    assert three._replace(loss=one.loss, all=one.all) == one
    assert levels(4, 0.05, top=3) == levels(4, 0.05)  # all claims hold at once there
    assert baseline_level(20, 0.05) == pytest.approx(np.log(2 * 19 / 0.04))
    assert baseline_level(20, 0.05) < levels(20, 0.05).pair - 2


def test_a_baseline_within_or_beyond_the_margin_is_told():
    even = np.array([[0, 1000, 900], [1000, 0, 900], [100, 100, 0]])
    found = certify(even, labels="ABC", goal="above:A", margin=0.05)
    assert (found.above, found.below, found.even, found.not_worse) == ((), (2,), (1,), (1,))
    assert found.decided and "B is proved even with A within the margin" in found.statement
    near = np.array([[0, 480, 900], [520, 0, 900], [100, 100, 0]])
    found = certify(near, labels="ABC", goal="above:A", margin=0.05)
    assert found.not_worse == (1,) and found.above == ()


def test_what_is_proved_for_the_goal_is_among_the_pairs():
    wins = np.zeros((20, 20), int)
    wins[0, 1:], wins[1:, 0] = 10, 12
    wins[0, 5], wins[5, 0] = 40, 10  # enough for a claim about a baseline, not for one of all pairs
    found = certify(wins, goal="above:0")
    assert found.below == (5,) and (0, 5) in found.beats
    assert (0, 5) not in certify(wins).beats


def ask_panel(goal, choose, voters=5, k=6, seed=0):
    """Answers of a panel with opinions near a common order until the goal is settled; how many that took."""
    rng = np.random.default_rng(seed)
    worth = -0.8 * np.arange(k) + rng.normal(size=(voters, k))
    answered, wins = np.tile(np.eye(k, dtype=bool), (voters, 1, 1)), np.zeros((k, k), int)
    while (question := choose(wins, answered, goal, rng)) is not None:
        v, i, j = question
        assert not answered[v, i, j] and still_matter(wins, answered, goal)[v, i, j]
        answered[v, i, j] = answered[v, j, i] = True
        wins[(i, j) if worth[v, i] > worth[v, j] else (j, i)] += 1
    missing = (~answered).sum(axis=0) * (1 - np.eye(k, dtype=int))
    assert panel_certificate(wins, missing=missing, goal=goal).decided
    assert not still_matter(wins, answered, goal).any()
    assert cheapest_plan(wins, missing, goal) is None
    return wins.sum()


def ask_by_plan(wins, answered, goal, rng):
    return next_question(wins, None, answered, rng, goal=goal)


def ask_at_random(wins, answered, goal, rng):
    open_ones = np.argwhere(still_matter(wins, answered, goal))
    return None if len(open_ones) == 0 else tuple(rng.permutation(open_ones)[0].tolist())


@pytest.mark.slow
@pytest.mark.parametrize("goal", ["top:2", "top:4", "above:2", "tiers"])
def test_a_panel_is_asked_until_the_goal_is_settled_and_for_less_than_at_random(goal):
    """Against a baseline every open answer is as good as any other, so there chance decides."""
    planned = [ask_panel(goal, ask_by_plan, seed=seed) for seed in range(6)]
    at_random = [ask_panel(goal, ask_at_random, seed=seed) for seed in range(6)]
    assert sum(planned) < sum(at_random) * (1.1 if goal == "above:2" else 1.0)
