import pytest

from copeland import InvalidParameter, Policy
from copeland.errors import UnknownAlgorithm, UnknownDuel


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


def test_answers_may_come_in_batches_and_out_of_order():
    policy = Policy("ccb", k=3, seed=1)
    for _ in range(40):
        for duel in reversed(policy.ask(n=10)):
            policy.tell(duel, winner=min(duel.first, duel.second))
    assert policy.recommend() == 0


def test_an_answer_that_nobody_asked_for_is_taken():
    policy = Policy("ccb", k=3)
    policy.add(2, 1, winner=2)
    assert policy.state.pairs.wins[2, 1] == 1


def test_a_tie_is_settled_by_a_coin_from_the_policys_own_stream():
    policy = Policy("ccb", k=2, seed=1)
    for _ in range(100):
        policy.tell(policy.ask(), winner=None)
    first = int(policy.state.pairs.wins[0, 1])
    assert 30 < first < 70
    assert first + policy.state.pairs.wins[1, 0] == 100


def test_the_same_seed_asks_the_same_duels():
    assert Policy("ccb", k=9, seed=4).ask(n=20) == Policy("ccb", k=9, seed=4).ask(n=20)
    assert Policy("ccb", k=9, seed=4).ask(n=20) != Policy("ccb", k=9, seed=5).ask(n=20)


def test_a_duel_is_answered_once():
    policy = Policy("ccb", k=3)
    duel = policy.ask()
    policy.tell(duel, winner=duel.first)
    with pytest.raises(UnknownDuel, match="answered before"):
        policy.tell(duel, winner=duel.first)


def test_the_winner_must_be_in_the_duel():
    policy = Policy("ccb", k=3)
    duel = policy.ask()
    outsider = ({0, 1, 2} - {duel.first, duel.second}).pop()
    with pytest.raises(InvalidParameter, match="not in the duel"):
        policy.tell(duel, winner=outsider)


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
