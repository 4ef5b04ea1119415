"""How many ballots are judged at a time, where nobody says it."""

import itertools
import threading

import pytest
from fake_chat import FakeChat, refuses, says
from tiny_study import TinyStudy, first_by_name, quick

from copeland.study.judges import JudgeOverloaded, judge_study
from copeland.study.judges.workers import MOST, Workers


class Parallel:
    """A judge that may be asked several times at once; calls after the first ten answer eight at a time."""

    name = "parallel"
    parallel = True

    def __init__(self):
        self.number = itertools.count(1)
        self.together = threading.Barrier(MOST, timeout=10)

    def __call__(self, left, right, item):
        if next(self.number) > 10:
            self.together.wait()
        return first_by_name(left, right, item)


def test_the_number_grows_to_eight_where_judges_may_be_asked_at_once():
    done = judge_study(TinyStudy(enough=99), Parallel(), calls=10 + 2 * MOST)
    assert (done.votes, done.workers, done.overloads) == (10 + 2 * MOST, MOST, 0)


def test_functions_and_programs_are_asked_one_at_a_time_and_so_is_whoever_works_with_them():
    threads = set()

    def alone(left, right, item):
        threads.add(threading.get_ident())
        return "left"

    for judges in (alone, {"alone": alone, "parallel": Parallel()}):
        threads.clear()
        done = judge_study(TinyStudy(enough=8), judges)
        assert (done.votes, done.workers, len(threads)) == (8, 1, 1)


def test_a_number_that_is_told_stays(key):
    with FakeChat(refuses(429), says("left")) as fake:
        done = judge_study(TinyStudy(enough=99), quick(fake), calls=9, workers=3)
    assert (done.votes, done.workers, done.overloads) == (9, 3, 1)


@pytest.mark.slow
def test_a_server_that_refuses_is_asked_less_and_every_vote_comes(key):
    number = itertools.count(1)

    def busy(request):
        return refuses(429) if next(number) == 6 else says("left")

    with FakeChat(busy) as fake:
        done = judge_study(TinyStudy(enough=40), quick(fake), calls=40)
    assert (done.votes, done.errors, done.overloads, done.retries) == (40, 0, 1, 1)
    assert done.workers in (2, 4)  # it may have doubled once more before the refusal came


def test_a_judge_of_ones_own_may_say_that_it_is_overloaded():
    class Busy(Parallel):
        def __call__(self, left, right, item):
            if next(self.number) == 1:
                raise JudgeOverloaded("come back later.")
            return "left"

    done = judge_study(TinyStudy(enough=5), Busy())
    assert (done.votes, done.errors, done.overloads, done.workers) == (5, 1, 1, 1)


def test_refusals_of_calls_that_began_together_are_one_sign():
    workers = Workers()
    for answers in range(8):
        workers.adjust(answers, 0)
    calls = set(range(8))
    assert [workers.adjust(8 + n, n, calls - set(range(n))) for n in range(1, 8)] == [4] * 7
    assert workers.adjust(30, 8, {20, 21}) == 2  # of calls that began since
    assert workers.adjust(99, 8) == 2


@pytest.mark.parametrize("status", [429, 503, 529])
def test_a_failure_of_another_kind_is_no_sign(key, status):
    for refused, signs in ((status, 1), (500, 0)):
        with FakeChat(refuses(refused), says("left")) as fake:
            done = judge_study(TinyStudy(enough=1), quick(fake))
        assert (done.overloads, done.retries) == (signs, 1)
