"""The measurement of false certificates of people: it counts as a study does, and they are false as seldom as promised."""

from dataclasses import replace

import numpy as np
import pytest
from people_log import DELTA, answer, deal, most_wrong, new_state

from benchmarks import false_people
from copeland.kernels.vote_evidence import levels


@pytest.mark.parametrize("habit", [false_people.ALL, false_people.NEVER, false_people.LATE])
def test_the_people_that_are_measured_are_counted_as_in_a_study(habit):
    crowd = false_people.Crowd("any", false_people.crowds()[1].types, 3, 5, habit)
    places, k = crowd.types[0], len(crowd.types[1])
    watch = false_people.new_watch(false_people.world_of(crowd))
    queue, at = false_people.new_queue(crowd, k), levels(k, DELTA)
    false_people.begin_epoch(watch, at, 0.0)
    state, held, rng = new_state(k, batch=3), {}, np.random.default_rng(5)
    for step in range(300):
        seat = int(rng.integers(crowd.present))
        if queue.seats[seat] == false_people.GONE:
            false_people.welcome(watch, queue, at, 0, 0, len(places), rng, seat)
            held[seat] = deal(state, f"p{step}", watch.asked[seat].tolist())
        place = places[watch.kind[seat]]
        b = false_people.next_ballot(watch, queue, seat, place, habit, 0, rng)
        if b < 0:
            queue.seats[seat] = false_people.GONE
            continue
        left, right = watch.asked[seat, b]
        wins = place[left] < place[right]
        false_people.take(
            watch, queue, at, seat, b, false_people.WON if wins else false_people.LOST, step + 1
        )
        answer(state, held[seat][b], "left" if wins else "right")
        assert np.array_equal(watch.wins, state.ledger.tables(0.0).wins)
        assert np.array_equal(queue.missing, state.ledger.tables(0.0).missing)


@pytest.mark.parametrize("crowd", false_people.crowds(), ids=lambda crowd: crowd.name)
def test_certificates_of_people_are_wrong_no_more_often_than_promised(crowd):
    for mode in "AW":
        happened = false_people.measure(replace(crowd, votes=2_000), mode, 100) > 0
        assert happened[:, 1:].any(axis=1).sum() <= most_wrong(100)
