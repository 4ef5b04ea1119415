"""Estimates of the time left: tasks of different costs are not counted evenly."""

from dataclasses import dataclass

import numpy as np
import pytest

from copeland.problems import problem_of
from copeland.simulation.simulator import Comparison, load_of
from copeland.support import tasks
from copeland.support.progress import Load, Pace, samples_first
from copeland.support.tasks import finish


class Clock:
    """A clock that only tasks move."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now


@dataclass(frozen=True)
class Lasting:
    """A task that takes the seconds it is given."""

    clock: Clock
    name: str
    size: float
    seconds: float

    def about(self):
        return {"name": self.name, "size": self.size, "seconds": self.seconds}

    def run(self):
        self.clock.now += self.seconds
        return {"done": np.zeros(1)}

    def load(self):
        return Load(self.name, self.size)


class Bar:
    """Keeps each estimate with the time at which it was told."""

    def __init__(self, clock):
        self.clock, self.told, self.done = clock, [], []

    def __call__(self, done, total):
        self.done.append((self.clock.now, done, total))

    def left(self, seconds):
        self.told.append((self.clock.now, seconds))


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(tasks, "time", clock)
    return clock


def uneven(clock):
    """Experiments one after the other, ten runs each: a cell takes from a hundredth of a second to 100 s."""
    cells = (("quick", 1e4, 0.01), ("quick", 1e6, 1.0), ("slow", 1e4, 1.0))
    cells += (("slow", 1e5, 10.0), ("slow", 1e6, 100.0))
    return [Lasting(clock, *cell) for cell in cells for _ in range(10)]


@pytest.mark.quick
def test_an_estimate_on_uneven_cells_is_right_where_even_counting_is_far_off(clock):
    bar, work = Bar(clock), uneven(clock)
    finish(work, None, progress=bar, loads=[one.load() for one in work])
    total = sum(one.seconds for one in work)
    shown = [(now, left) for now, left in bar.told if left is not None]
    for now, left in shown:
        assert left == pytest.approx(total - now, rel=1e-6, abs=1e-6)
    assert shown[0][0] < 0.1 * total  # a tenth of the work is enough to know
    now, done, n = bar.done[len(work) // 2]
    assert now / done * (n - done) < 0.2 * (total - now)  # what even counting says at half of them


@pytest.mark.quick
def test_there_is_no_estimate_before_each_kind_was_seen(clock):
    bar, work = Bar(clock), uneven(clock)
    finish(work, None, progress=bar, loads=[one.load() for one in work])
    assert [left is None for _, left in bar.told[:5]] == [True, True, True, True, False]


def test_the_time_left_is_estimated_from_cells_like_these():
    pace = Pace([Load("a")] * 4)
    pace.mark_done(Load("a"), 2.0)
    pace.mark_done(Load("a"), 4.0)
    assert pace.left() == pytest.approx(6.0)
    pace = Pace([Load("a")] * 5, workers=2)
    pace.mark_done(Load("a"), 6.0)
    assert pace.left() == pytest.approx(12.0)
    for _ in range(3):
        pace.mark_done(Load("a"), 6.0)
    assert pace.left() == pytest.approx(6.0)
    pace = Pace([Load("a", times=5), Load("a", times=1)])
    pace.mark_done(Load("a", times=5), 10.0)
    assert pace.left() == pytest.approx(2.0)
    pace = Pace([Load("a", 10), Load("a", 100), Load("a", 1000)])
    pace.mark_done(Load("a", 10), 1.0)
    assert pace.left() is None
    pace.mark_done(Load("a", 1000), 100.0)
    assert pace.left() == pytest.approx(10.0)
    assert Pace([]).left() == 0.0


def test_results_on_disk_say_how_long_the_rest_takes(tmp_path):
    @dataclass(frozen=True)
    class Told:
        number: int

        def about(self):
            return {"number": self.number}

        def run(self):
            return {"seconds": np.array([7.0])}

    finish([Told(0)], tmp_path)
    bar = Bar(Clock())
    finish([Told(0), Told(1), Told(2)], tmp_path, progress=bar)
    assert [left for _, left in bar.told] == [14.0, 7.0, 0.0]


def test_cells_are_alike_by_problem_algorithm_and_horizon():
    plan = Comparison(problem_of("cyclic-4"), ("ccb", "interleaved-filter"), (100, 1000), runs=2)
    loads = [load_of(cell) for cell in plan.tasks()]
    assert len(set(loads)) == 3  # ccb once, interleaved-filter to each horizon
    assert samples_first(loads) == [0, 1, 2, 3, 4, 5]
