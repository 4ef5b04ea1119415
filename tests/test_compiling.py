"""Who must wait for the compiler is told so first, with about how long."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

import copeland
from copeland import simulate
from copeland.kernels import kernel
from copeland.problems import problem_of
from copeland.registry import find
from copeland.simulation import compilation
from copeland.simulation.cell import Cell
from copeland.simulation.compilation import compile_ahead, compile_cells, seconds_to_compile
from copeland.support.spec import Spec


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
    monkeypatch.setattr(compilation, "find_loop_file", lambda loop: tmp_path / "none")
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


@pytest.mark.slow
def test_what_is_not_kept_on_disk_is_not_promised_to_be_compiled_once(monkeypatch):
    monkeypatch.setattr(compilation, "find_loop_file", lambda loop: None)
    told = []
    compile_cells([cell_of(new_algorithm())], told.append)
    assert len(told) == 1 and told[0].startswith("compiling newcomer, about ")


@pytest.mark.slow
def test_without_a_note_a_bar_says_what_is_compiled(monkeypatch, tmp_path):
    monkeypatch.setattr(compilation, "find_loop_file", lambda loop: tmp_path / "none")
    shown = []

    @contextmanager
    def progress_bar(what):
        shown.append(what)
        yield

    monkeypatch.setattr(compilation, "progress_bar", progress_bar)
    compile_cells([cell_of(new_algorithm())])
    assert len(shown) == 1 and shown[0].startswith(
        "compiling newcomer, once on this machine, about "
    )


def test_each_kind_of_problem_has_a_loop_of_its_own(monkeypatch):
    """A table and an implicit problem are answered by different code, so both are compiled ahead."""
    compiled = []
    monkeypatch.setattr(
        compilation, "_explain_failure", lambda cell: compiled.append(cell.source.name) or ""
    )
    table, implicit = problem_of("cyclic-4"), problem_of("implicit-10")
    cells = [replace(cell_of(find("random")), source=one) for one in (table, implicit, table)]
    compile_cells(cells, lambda sentence: None)
    assert len(compiled) == 2


@pytest.mark.slow
def test_a_plan_says_what_is_compiled(monkeypatch, tmp_path):
    monkeypatch.setattr(compilation, "_sentence_of_waiting", lambda cell: f"compiling {cell.spec}")
    said = []

    class Bar:
        def __call__(self, done, total):
            said.append(done)

        def say(self, sentence):
            said.append(sentence)

    study = copeland.create_study(
        "s", ["a", "b"], storage=f"sqlite:///{tmp_path / 's.db'}", voters="independent"
    )
    study.plan(worlds=2, most=50, progress=Bar(), until="likely=0.9")
    assert said == ["compiling cpc-pac", 1, 2]


@pytest.mark.quick
def test_more_code_takes_longer_and_nobody_is_told_of_what_is_ready():
    told = []
    compile_ahead("random")
    compile_cells([cell_of(find("random"))], told.append)
    compile_cells([cell_of(new_algorithm(), compiled=False)], told.append)
    assert told == []
    seconds = [seconds_to_compile(find(name)) for name in ("random", "rucb", "ccb", "cpc")]
    assert seconds == sorted(seconds)
    assert 1 < seconds[0] < 3 and seconds[-1] < 60
