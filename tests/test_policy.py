import itertools

import numpy as np
import pytest

from copeland import Duel, InvalidParameter, Policy
from copeland.errors import UnknownAlgorithm, UnknownDuel
from copeland.policy import arrays_of, with_arrays


def play(policy, duels):
    for _ in range(duels):
        duel = policy.ask()
        policy.tell(duel, winner=min(duel.first, duel.second))


def test_the_better_option_is_recommended():
    policy = Policy("ccb", k=4, seed=1)
    play(policy, 300)
    assert policy.recommend() == 0


def test_a_policy_dumped_and_loaded_goes_on_as_if_nothing_had_happened():
    policy = Policy("ccb", k=4, seed=1, alpha=0.8)
    play(policy, 50)
    pending = policy.ask()
    other = Policy.load(policy.dump())
    for one in (policy, other):
        one.tell(pending, winner=pending.second)
    assert [policy.ask() for _ in range(5)] == [other.ask() for _ in range(5)]
    assert other.params == {"alpha": 0.8}


def test_answers_may_come_in_batches_out_of_order_or_unasked_but_once_by_one_of_two():
    policy = Policy("ccb", k=3, seed=1)
    for _ in range(40):
        for duel in reversed(policy.ask(n=10)):
            policy.tell(duel, winner=min(duel.first, duel.second))
    assert policy.recommend() == 0
    policy = Policy("ccb", k=3)
    policy.add(2, 1, winner=2)
    assert policy.state.pairs.wins[2, 1] == 1
    policy = Policy("ccb", k=3)
    duel = policy.ask()
    policy.tell(duel, winner=duel.first)
    with pytest.raises(UnknownDuel, match="answered before"):
        policy.tell(duel, winner=duel.first)
    policy = Policy("ccb", k=3)
    duel = policy.ask()
    outsider = ({0, 1, 2} - {duel.first, duel.second}).pop()
    with pytest.raises(InvalidParameter, match="not in the duel"):
        policy.tell(duel, winner=outsider)


def test_a_tie_is_settled_by_a_coin_from_the_policys_own_stream():
    policy = Policy("ccb", k=2, seed=1)
    for _ in range(100):
        policy.tell(policy.ask(), winner=None)
    first = int(policy.state.pairs.wins[0, 1])
    assert 30 < first < 70
    assert first + policy.state.pairs.wins[1, 0] == 100


def test_the_same_seed_asks_the_same_duels_in_a_list_if_a_number_is_named():
    assert Policy("ccb", k=9, seed=4).ask(n=20) == Policy("ccb", k=9, seed=4).ask(n=20)
    assert Policy("ccb", k=9, seed=4).ask(n=20) != Policy("ccb", k=9, seed=5).ask(n=20)
    policy = Policy("ccb", k=9)
    assert isinstance(policy.ask(), Duel)
    assert [len(policy.ask(n=n)) for n in (0, 1, 3)] == [0, 1, 3]
    assert all(isinstance(duel, Duel) for duel in policy.ask(n=1))


def test_unknown_names_suggest_the_nearest():
    with pytest.raises(UnknownAlgorithm, match="did you mean"):
        Policy("cbb", k=3)
    with pytest.raises(InvalidParameter, match="at least 2"):
        Policy("ccb", k=1)


def test_a_refused_answer_leaves_the_duel_open_and_the_counts_alone():
    policy = Policy("ccb", k=4)
    duel = policy.ask()
    outsider = next(i for i in range(4) if i not in (duel.first, duel.second))
    with pytest.raises(InvalidParameter, match="not in the duel"):
        policy.add(duel.first, duel.second, winner=outsider)
    assert not policy.state.pairs.duels.any()
    with pytest.raises(InvalidParameter, match="not in the duel"):
        policy.tell(duel, winner=outsider)
    policy.tell(duel, winner=duel.first)


# What only some algorithms can do: many answers at once, options that come and go, questions dropped


def test_a_dropped_question_is_open_no_more_for_any_algorithm():
    policy = Policy("cpc-pac", k=3)
    duel = policy.ask()
    policy.drop(duel)
    assert not policy.open
    with pytest.raises(UnknownDuel, match="never asked, or was answered before"):
        policy.tell(duel, winner=duel.first)
    with pytest.raises(UnknownDuel, match="never asked, or was answered before"):
        policy.drop(duel)
    policy = Policy("ccb", k=3)
    duel = policy.ask()
    policy.drop(duel)
    assert not policy.open and not policy.state.pairs.duels.any()
    with pytest.raises(UnknownDuel, match="7 was never asked"):
        Policy("ccb", 3).tell(7, 0)


def test_answers_under_way_are_those_of_the_open_questions():
    policy = Policy("cpc-pac", k=4)
    duels = policy.ask(n=5)
    policy.tell(duels[0], winner=duels[0].first)
    policy.drop(duels[1])
    assert policy.state.meetings.pending.sum() == len(policy.open) == 3


def test_many_answers_at_once_are_those_one_by_one():
    wins = np.array([[0, 3, 1], [2, 0, 4], [0, 1, 0]])
    ties = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    at_once, one_by_one = Policy("cpc-pac", k=3), Policy("cpc-pac", k=3)
    at_once.absorb(wins, ties)
    for i, j in itertools.permutations(range(3), 2):
        for _ in range(wins[i, j]):
            one_by_one.add(i, j, winner=i)
        for _ in range(ties[i, j] if i < j else 0):
            one_by_one.add(i, j, winner=None)
    for policy in (at_once, one_by_one):
        meetings = policy.state.meetings
        assert meetings.won[: meetings.size[0]].sum() == 11
        assert meetings.tied[: meetings.size[0]].sum() == 3
    assert at_once.state.points == pytest.approx(one_by_one.state.points)
    assert at_once.state.votes.tolist() == one_by_one.state.votes.tolist()
    assert at_once.state.credit == pytest.approx(one_by_one.state.credit)


def test_answers_told_together_are_those_told_one_by_one():
    rng, k = np.random.default_rng(2), 30
    pairs = [rng.choice(k, 2, replace=False).tolist() for _ in range(400)]  # beyond the first room
    answers = [(i, j, [i, j, None][rng.integers(3)]) for i, j in pairs]
    together, apart = Policy("cpc-pac", k=k), Policy("cpc-pac", k=k)
    together.add_all(answers)
    for answer in answers:
        apart.add(*answer)
    for (name, one), (_, other) in zip(
        arrays_of(together.state), arrays_of(apart.state), strict=True
    ):
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f"), name
    with pytest.raises(InvalidParameter, match="not in the duel"):
        together.add_all([(0, 1, 2)])


@pytest.mark.parametrize(
    ("wins", "ties"),
    [
        (np.zeros((2, 2)), np.zeros((2, 2))),
        (np.zeros((3, 3)), np.zeros((2, 2))),
        (-np.ones((3, 3)), np.zeros((3, 3))),
        (np.full((3, 3), 0.5), np.zeros((3, 3))),
        (np.zeros((3, 3)), np.triu(np.ones((3, 3)), 1)),
    ],
    ids=["too small", "ties too small", "negative", "halves", "ties on one side"],
)
def test_tables_that_are_no_counts_are_refused(wins, ties):
    with pytest.raises(InvalidParameter):
        Policy("cpc-pac", k=3).absorb(wins, ties)


@pytest.mark.parametrize("option", [-1, 3])
def test_an_option_that_is_not_there_cannot_be_paused(option):
    policy = Policy("cpc-pac", k=3)
    for change in (policy.pause, policy.resume):
        with pytest.raises(InvalidParameter, match=f"option {option} is outside 0..2"):
            change(option)


def test_options_are_added_and_never_taken_away_or_added_twice():
    policy = Policy("cpc-pac", k=3, epoch=1)
    policy.grow(5)
    policy.add(4, 0, winner=4)
    assert policy.k == 5 and policy.state.votes.tolist() == [1, 0, 0, 0, 1]
    with pytest.raises(InvalidParameter, match="would be fewer"):
        policy.grow(4)
    policy = Policy("cpc-pac", k=3, epoch=1)
    policy.grow(3)
    assert policy.state.promise[1] == 1


def test_what_an_algorithm_cannot_do_is_refused_with_who_can():
    policy = Policy("ccb", k=3)
    changes = {
        "absorb": lambda: policy.absorb(np.zeros((3, 3), int), np.zeros((3, 3), int)),
        "grow": lambda: policy.grow(4),
        "pause": lambda: policy.pause(1),
    }
    for part, change in changes.items():
        with pytest.raises(InvalidParameter, match=f"ccb cannot {part} mid-run; .*cpc"):
            change()


def test_a_policy_that_has_grown_is_dumped_and_loaded():
    policy = Policy("cpc-pac", k=3, seed=1, epoch=1)
    play(policy, 30)
    policy.grow(6)
    policy.pause(1)
    pending = policy.ask()
    other = Policy.load(policy.dump())
    assert other.k == 6
    for one in (policy, other):
        one.tell(pending, winner=pending.first)
    assert [policy.ask() for _ in range(10)] == [other.ask() for _ in range(10)]


def test_a_state_takes_other_arrays_by_their_names():
    state = Policy("cpc", k=3).state
    arrays = {name: np.copy(array) for name, array in arrays_of(state)}
    arrays["meetings.met"] = np.array([7, 8, 9])
    changed = with_arrays(state, arrays)
    assert changed.meetings.met.tolist() == [7, 8, 9]
    assert type(changed) is type(state) and type(changed.meetings) is type(state.meetings)
    assert state.meetings.met.tolist() == [0, 0, 0]


def test_a_parameter_that_is_yes_or_no_is_given_as_such():
    at = Policy("cpc-pac", k=6, dependent=True).state.levels
    assert at[0] > Policy("cpc-pac", k=6, dependent=False).state.levels[0]
