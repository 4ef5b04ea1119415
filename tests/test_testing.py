"""The checks of `copeland.testing` fail on what is broken, each time for the right reason."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from copeland.algorithms.random import State, recommend, select
from copeland.kernels import kernel, pick
from copeland.registry import find
from copeland.testing import (
    check_algorithm,
    check_errs_no_more_often_than_delta,
    check_finds_an_easy_winner,
    check_refuses_a_delta_that_is_no_probability,
)

SOUND = find("random")
SHARED = State(np.zeros((5, 5), np.int64))


class WithNumber(NamedTuple):
    wins: np.ndarray
    duels: int


def shared_init(k: int):
    return State(SHARED.wins[:k, :k])


def numbered_init(k: int):
    return WithNumber(np.zeros((k, k), np.int64), 0)


@kernel
def no_update(state, winner, loser, rng):
    pass


@kernel
def swapped_update(state, winner, loser, rng):
    state.wins[loser, winner] += 1


@kernel
def one_sided_update(state, winner, loser, rng):
    if winner < loser:
        state.wins[winner, loser] += 1


@kernel
def writing_select(state, t, rng):
    state.wins[0, 1] += 1
    return select(state, t, rng)


def unseeded_select(state, t, rng):
    return select(state, t, np.random.default_rng())


@kernel
def outside_select(state, t, rng):
    return 0, len(state.wins)


@kernel
def forgetful_select(state, t, rng):
    first = pick(rng, len(state.wins) - 1)
    return first, (first + 1) % (len(state.wins) - 1)


@kernel
def constant_recommend(state):
    return 0


@kernel
def writing_recommend(state):
    state.wins[0, 1] += 1
    return recommend(state)


@kernel
def overflowing_recommend(state):
    return recommend(state) if (len(state.wins) + 2**62) * 2 > 0 else 0


@kernel
def finished_at_once(state):
    return True


@kernel
def tie_for_the_higher(state, first, second, rng):
    state.wins[max(first, second), min(first, second)] += 1


@kernel
def endless_rest(state, t):
    return t


@kernel
def long_rest(state, t):
    return t + 10**6


BROKEN = {
    "its update does nothing": ({"update": no_update}, "no answer changed"),
    "its update takes the loser for the winner": ({"update": swapped_update}, "won every duel"),
    "its update counts the lower option's wins": ({"update": one_sided_update}, "won every duel"),
    "its select writes": ({"select": writing_select}, "select changed `wins`"),
    "its select draws its own luck": ({"select": unseeded_select}, "select answered"),
    "its select names no option": ({"select": outside_select}, "named the options"),
    "its select forgets an option": ({"select": forgetful_select}, "won every duel"),
    "its answer is fixed": ({"recommend": constant_recommend}, "won every duel"),
    "its recommend writes": ({"recommend": writing_recommend}, "recommend changed `wins`"),
    "its answer is another when compiled": (
        {"recommend": overflowing_recommend},
        "compiled and interpreted runs differ",
    ),
    "it stops at once": ({"finished": finished_at_once}, "no answer changed"),
    "its runs share their state": ({"init": shared_init}, "two states share `wins`"),
    "its state holds a number": ({"init": numbered_init}, "`duels` of the state is "),
    "its ties are wins": ({"tie": tie_for_the_higher}, "with many ties"),
}


LIVE = {
    "counts are not absorbed": ({"absorb": lambda state, wins, ties: state}, "absorbed"),
    "paused options are asked": ({"pause": lambda state, option, paused: None}, "is paused"),
    "added options are not named": (
        {"grow": lambda state, k: state, "recommend": lambda state: 0},
        "won every duel",
    ),
    "rests do not end": ({"rest": endless_rest}, "must end later"),
}


@pytest.mark.sampled(8)
@pytest.mark.slow
@pytest.mark.parametrize("name", [*BROKEN, *LIVE])
def test_the_checks_fail_on_an_algorithm_if(name):
    broken, why = BROKEN.get(name) or LIVE[name]
    with pytest.raises(AssertionError, match=why):
        check_algorithm(replace(SOUND if name in BROKEN else find("cpc"), **broken))


@pytest.mark.parametrize("name", ["ccb", "cpc", "rucb"])
def test_the_checks_fail_where_jumps_are_too_long(name):
    with pytest.raises(AssertionError, match="before a rest ends"):
        check_algorithm(replace(find(name), rest=long_rest))


@pytest.mark.slow
def test_a_check_looks_at_the_algorithm_that_it_is_given_and_not_at_its_name():
    with pytest.raises(AssertionError, match="of 100 runs named the winner"):
        check_finds_an_easy_winner(replace(SOUND, update=no_update))


def trusting_init(k: int, delta: float = 0.05):
    return SOUND.init(k)


def test_the_checks_fail_where_any_delta_is_taken():
    with pytest.raises(AssertionError, match=r"it takes delta = -0\.1"):
        check_refuses_a_delta_that_is_no_probability(replace(SOUND, init=trusting_init))


@kernel
def finished_soon(state):
    return state.duels.sum() > 30


@pytest.mark.slow
def test_the_checks_fail_where_wrong_answers_end_too_many_runs():
    hasty = replace(find("pocowista"), finished=finished_soon)
    with pytest.raises(AssertionError, match="of 200 runs ended wrong, at an error probability"):
        check_errs_no_more_often_than_delta(hasty)
