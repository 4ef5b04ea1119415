"""Open ballots: nobody takes them all, nobody goes without, and time alone lets them lapse."""

import random
from collections import Counter

import pytest
from study_helpers import Clock

from copeland.study import Settings, Storage, Wait, create_study, open_study
from copeland.study.pair_choice import Player

OPTIONS = ["tea", "milk", "juice", "water"]
TEN_YEARS = 10 * 365 * 86_400.0
LEASE = 60.0


def made(clock, options=OPTIONS, **how):
    return create_study(
        "drinks", options, clock=clock, lease=LEASE, **{"voters": "independent", **how}
    )


def named(k):
    return [f"option {i}" for i in range(k)]


def pairs(ballots):
    return {frozenset((ballot.left, ballot.right)) for ballot in ballots}


# A cap for each voter


@pytest.mark.slow
def test_a_voter_at_the_cap_is_handed_the_oldest_ballot_again(clock):
    study = made(clock)
    held = [study.ask(voter="ann") for _ in range(Settings.open_ballots)]
    assert len(set(held)) == 8
    assert [study.ask(voter="ann") for _ in range(50)] == [held[0]] * 50
    assert study.standing().asked == 8
    study.tell(held[0], "tie")
    assert study.ask(voter="ann") not in held
    assert study.ask(voter="ann") == held[1]


def test_a_batch_stays_within_the_cap_and_then_is_handed_again_from_the_oldest(clock):
    study = made(clock, open_ballots=5)
    held = study.ask(voter="ann", n=3) + study.ask(voter="ann", n=100)
    assert len(set(held)) == 5
    assert study.ask(voter="ann", n=2) == held[:2]
    assert study.ask(voter="ann", n=1) == held[:1]  # with n, any n, a list
    assert study.ask(voter="ann") == held[0]
    assert study.ask(voter="ann", n=100) == held


def test_the_cap_is_of_one_voter_who_must_wait_if_others_cannot_be_shown(clock):
    study = made(clock, open_ballots=1)
    first = {voter: study.ask(voter=voter) for voter in ("ann", "bob")}
    assert first["ann"] != first["bob"]
    assert {voter: study.ask(voter=voter) for voter in ("ann", "bob")} == first
    study = made(clock, open_ballots=1)
    held = study.ask(voter="ann", available=["tea", "milk"])
    others = ["juice", "water"]
    assert study.ask(voter="ann", available=others) == Wait(held.expires)
    study.tell(held, "skip")
    assert study.ask(voter="ann", available=others)


@pytest.mark.slow
def test_without_a_name_everybody_is_somebody_else(clock):
    study = made(clock, named(2), open_ballots=1)
    assert len({study.ask() for _ in range(50)}) == 50


def test_who_can_be_asked_nothing_new_is_handed_a_ballot_again(clock):
    study = made(clock, ["tea", "milk"], repeats="first")
    ballot = study.ask(voter="ann")
    assert study.ask(voter="ann") == ballot
    study.tell(ballot, "left")
    assert study.ask(voter="ann") is None


def test_a_ballot_whose_pair_was_answered_otherwise_is_not_handed_again(clock):
    study = made(clock, ["tea", "milk"], repeats="first")
    study.ask(voter="ann")
    study.add_votes([{"left": "tea", "right": "milk", "outcome": "left", "voter": "ann"}])
    assert study.ask(voter="ann") is None


@pytest.mark.parametrize("open_ballots", [0, -1, 1.5, True, "8", None])
def test_a_cap_that_is_no_number_of_ballots_is_refused(clock, open_ballots):
    with pytest.raises(ValueError, match=r"open_ballots is .*; it must be a whole number, 1 or"):
        made(clock, open_ballots=open_ballots)


# Nobody goes without


@pytest.mark.slow
@pytest.mark.parametrize("how", [{}, {"repeats": "first"}])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_two_hundred_voters_at_once_are_all_asked(clock, k, how):
    study = made(clock, named(k), **how)
    ballots = [study.ask(voter=f"voter {number}") for number in range(200)]
    assert len({ballot.id for ballot in ballots}) == 200
    assert (
        len(pairs(ballots)) >= k - 1
    )  # at first there is an option to be proved against all others


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
def test_people_at_once_are_all_asked(clock, k):
    study = made(clock, named(k), voters="people")
    assert all(study.ask(voter=f"voter {number}") for number in range(90))


@pytest.mark.slow
def test_who_takes_ballots_without_a_name_leaves_a_question_for_others(clock):
    study = made(clock, named(3))
    for _ in range(150):
        study.ask()
    assert study.ask(voter="ann")


@pytest.mark.slow
def test_ballots_beyond_need_spread_over_pairs(clock):
    study = made(clock, named(3))
    asked = [frozenset(study.ask()[1:3]) for _ in range(180)]
    late = Counter(asked[-40:])
    assert len(late) >= 2
    assert max(late.values()) <= 30


def test_a_batch_is_no_larger_than_what_may_be_needed(clock):
    study = made(clock, ["tea", "milk"])
    assert 5 < len(study.ask(n=1000)) < 100
    assert 0 < len(study.ask(n=1000)) < 100  # but nobody is turned away


def test_when_nothing_is_left_to_ask_no_ballot_is_handed_again(clock):
    study = made(clock, ["tea", "milk"], open_ballots=1)
    study.ask(voter="ann")
    study.add_votes([{"left": "tea", "right": "milk", "outcome": "left"}] * 30)
    assert study.standing().certificate.best
    assert study.ask(voter="ann") is None
    assert study.ask(voter="ann", n=2) == []


# Wait


def test_who_holds_ballots_about_something_else_must_wait(clock):
    study = made(clock, open_ballots=2)
    first = study.ask(voter="ann", item="breakfast")
    clock.now += 10
    study.ask(voter="ann", item="lunch")
    wait = study.ask(voter="ann", item="dinner")
    assert wait == Wait(first.expires)
    assert not wait
    assert study.ask(voter="ann", n=3, item="dinner") == []
    assert study.ask(voter="ann", item="breakfast") == first
    clock.now = wait.until
    assert study.ask(voter="ann", item="dinner").item == "dinner"


def test_people_wait_for_their_pair_on_another_item(clock):
    study = made(clock, ["tea", "milk"], voters="people")
    held = study.ask(voter="ann", item="breakfast")
    assert study.ask(voter="ann", item="lunch") == Wait(held.expires)


# Time


@pytest.mark.parametrize("how", [{"repeats": "first"}, {"voters": "people"}])
def test_an_abandoned_ballot_is_asked_again_by_time_alone(clock, how):
    study = made(clock, ["tea", "milk", "juice"], **how)
    held = study.ask(voter="ann", n=9)
    assert len(held) == 3
    clock.now += LEASE - 1
    assert study.ask(voter="ann") == held[0]
    clock.now += 1
    anew = study.ask(voter="ann", n=9)
    assert pairs(anew) == pairs(held)
    assert not set(anew) & set(held)


@pytest.mark.slow
@pytest.mark.parametrize("off", [TEN_YEARS, -TEN_YEARS])
def test_a_clock_that_is_years_off_keeps_nothing_open(clock, off):
    study = made(clock, ["tea", "milk", "juice"], repeats="first")
    wrong = open_study("drinks", study.storage, clock=Clock(clock.now + off))
    for number in range(80):
        wrong.ask(voter=f"voter {number}")
    held = wrong.ask(voter="ann", n=9)
    assert study.standing().open == 0
    anew = study.ask(voter="ann", n=9)
    assert pairs(anew) == pairs(held)
    assert study.standing().open == 3
    assert not study.tell(held[0], "left").counted  # its lease is over
    assert study.tell(anew[0], "left").counted


@pytest.mark.parametrize("off", [TEN_YEARS, -TEN_YEARS])
def test_who_has_a_clock_that_is_years_off_is_asked_too(clock, off):
    study = made(clock, ["tea", "milk", "juice"], repeats="first")
    held = study.ask(voter="ann", n=9)
    wrong = open_study("drinks", study.storage, clock=Clock(clock.now + off))
    assert wrong.standing().open == 0
    assert pairs(wrong.ask(voter="ann", n=9)) == pairs(held)


def test_ballots_of_wrong_clocks_do_not_pile_up(clock):
    study = made(clock)
    wrong = open_study("drinks", study.storage, clock=Clock(clock.now + TEN_YEARS))
    wrong.ask()
    for _ in range(20):
        study.ask()
        clock.now += LEASE
    assert len(study.state().ledger.open) == 1


def test_clocks_that_differ_a_little_agree_on_what_is_open(clock):
    study = made(clock)
    behind = open_study("drinks", study.storage, clock=Clock(clock.now - LEASE / 2))
    study.ask()
    assert behind.standing().open == study.standing().open == 1


# Following what changes is as good as looking at everything


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("how", [{"voters": "people"}, {"repeats": "first"}])
def test_who_follows_ballots_asks_as_who_looks_at_all_of_them(seed, how, monkeypatch):
    def play(follow_scene):
        if follow_scene is not None:
            monkeypatch.setattr(Player, "_follow_scene", follow_scene)
        clock, coin, seen = Clock(), random.Random(seed), []
        study = made(clock, named(6), storage=Storage(), **how)
        other = Clock()
        wrong = open_study("drinks", study.storage, clock=other)
        held = []
        for n in range(60):
            clock.now += coin.choice([0.0, 0.5, 2.0, LEASE / 3])
            other.now = clock.now + coin.choice([0.0, 0.0, 3 * LEASE, -LEASE])
            asks = wrong if coin.random() < 0.1 else study
            ballots = asks.ask(voter=f"voter {n}", n=2)
            seen += [(ballot.left, ballot.right) for ballot in ballots]
            held += [ballot for ballot in ballots if coin.random() < 0.7]
            while held and coin.random() < 0.6:
                study.tell(held.pop(coin.randrange(len(held))), coin.choice(["left", "right"]))
            state = study.state()
            now, voter = other.now, f"voter {n}"
            assert state.ledger.open_of(voter, now) == {
                b: one for b, one in state.ledger.under_way(now).items() if one.voter == voter
            }
        assert study.state() == study.replay()
        return seen

    follows = []
    follow = Player._follow_scene

    def counted(player, state, now):
        follows.append(follow(player, state, now))
        return follows[-1]

    assert play(counted) == play(lambda *_: False)
    assert any(follows)
