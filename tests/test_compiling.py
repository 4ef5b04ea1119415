"""Who must wait for the compiler is told so first, with about how long."""

from dataclasses import replace

import numpy as np
import pytest

from copeland import compiling, simulate
from copeland.cells import Cell
from copeland.compiling import compiled_where_possible, seconds_to_compile
from copeland.kernels import kernel
from copeland.problems import problem_of
from copeland.readiness import compile_ahead
from copeland.registry import find
from copeland.spec import Spec


@kernel
def select(state, t, rng):
    return 0, 1


def new_algorithm():
    """An algorithm that nobody has compiled in this process."""

    @kernel
    def recommend(state):
        return 0

    return replace(find("random"), name="newcomer", select=select, recommend=recommend)


def cell_of(algorithm, **how):
    spec = Spec.parse(algorithm.name)
    return Cell(problem_of("cyclic-4"), algorithm, spec, 0, 1, 1, np.zeros(0, np.int64), 0, **how)


@pytest.mark.slow
def test_the_wait_is_told_of_before_the_first_run(monkeypatch, tmp_path):
    monkeypatch.setattr(compiling, "kept_at", lambda loop: tmp_path / "none")
    told = []
    simulate(
        "cyclic-4",
        new_algorithm(),
        50,
        runs=2,
        note=told.append,
        progress=lambda done, total: told.append((done, total)),
    )
    assert told[0].startswith("compiling newcomer, once on this machine, about ")
    assert told[1:] == [(0, 2), (1, 2), (2, 2)]


def test_what_is_not_kept_on_disk_is_not_promised_to_be_compiled_once(monkeypatch):
    monkeypatch.setattr(compiling, "kept_at", lambda loop: None)
    told = []
    compiled_where_possible([cell_of(new_algorithm())], told.append)
    assert len(told) == 1 and told[0].startswith("compiling newcomer, about ")


@pytest.mark.quick
def test_nobody_is_told_of_what_is_ready_or_runs_as_it_is():
    told = []
    compile_ahead("random")
    compiled_where_possible([cell_of(find("random"))], told.append)
    compiled_where_possible([cell_of(new_algorithm(), compiled=False)], told.append)
    assert told == []


@pytest.mark.quick
def test_more_code_takes_longer():
    seconds = [seconds_to_compile(find(name)) for name in ("random", "rucb", "ccb", "cpc")]
    assert seconds == sorted(seconds)
    assert 1 < seconds[0] < 3 and seconds[-1] < 60
