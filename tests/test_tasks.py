"""Kept results: resumed, redone when damaged, the same on every backend."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import copeland
from copeland import InvalidParameter, PreferenceMatrix
from copeland.errors import Interrupted
from copeland.problems import matrix_problem, problem_of
from copeland.registry import find
from copeland.simulation.simulator import Comparison
from copeland.support.tasks import FOLDER, finish, key_of


@dataclass(frozen=True)
class Square:
    number: int

    def about(self):
        return {"kind": "square", "number": self.number}

    def run(self):
        if self.number < 0:
            raise KeyboardInterrupt
        return {"square": np.array([self.number**2])}


def squares(results):
    return [int(arrays["square"][0]) for arrays in results]


def test_results_come_in_the_order_of_the_tasks_and_are_not_done_again(tmp_path, monkeypatch):
    assert squares(finish([Square(n) for n in (3, 1, 2)], tmp_path)) == [9, 1, 4]
    finish([Square(n) for n in range(4)], tmp_path)
    monkeypatch.setattr(Square, "run", lambda self: pytest.fail("done twice"))
    assert squares(finish([Square(n) for n in range(4)], tmp_path)) == [0, 1, 4, 9]


def test_an_interruption_keeps_what_is_finished(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        finish([Square(1), Square(2), Square(-1), Square(3)], tmp_path)
    seen = []
    finish([Square(1), Square(2), Square(3)], tmp_path, progress=lambda *p: seen.append(p))
    assert seen == [(2, 3), (3, 3)]


def test_without_a_folder_nothing_is_kept_but_what_is_finished_is_handed_over(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert squares(finish([Square(3)], None)) == [9]
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Interrupted, match="1 of 3") as caught:
        finish([Square(2), Square(-1), Square(3)], None)
    assert squares(caught.value.runs[:1]) == [4]
    assert caught.value.runs[1:] == [None, None]


def test_a_damaged_result_is_named_and_only_it_is_redone(tmp_path):
    tasks = [Square(1), Square(2)]
    finish(tasks, tmp_path)
    (tmp_path / FOLDER / f"{key_of(tasks[1])}.npz").write_bytes(b"not a zip")
    notes, seen = [], []
    again = finish(tasks, tmp_path, note=notes.append, progress=lambda *p: seen.append(p))
    assert squares(again) == [1, 4]
    assert len(notes) == 1 and key_of(tasks[1]) in notes[0] and "done again" in notes[0]
    assert seen == [(1, 2), (2, 2)]


def test_an_unknown_backend_is_refused(tmp_path):
    with pytest.raises(InvalidParameter, match="loky, dask, ray"):
        finish([Square(1)], tmp_path, backend="slurm")


def comparison(runs_a_task=5, seed=3):
    return Comparison(
        source=problem_of("cyclic-4"),
        # Arrays that came from another process are read-only: every worker compiles for them anew.
        algorithms=("random", "savage"),
        horizons=(300, 3000),
        runs=5,
        seed=seed,
        runs_a_task=runs_a_task,
    )


@pytest.mark.slow
def test_a_comparison_equals_the_simulation_of_the_same_runs(tmp_path):
    plan = comparison()
    ours = plan.collect(finish(plan.tasks(), tmp_path))
    plain = copeland.simulate("cyclic-4", ["random", "savage"], [300, 3000], runs=5, seed=3)
    for a, b in zip(ours.curves, plain.curves, strict=True):
        assert np.array_equal(a.marks, b.marks)
        assert np.array_equal(a.regret, b.regret)
        assert a.independent == b.independent


@pytest.mark.long
@pytest.mark.parametrize(
    "backend", ["loky", "dask", pytest.param("ray", marks=pytest.mark.nightly)]
)
@pytest.mark.slow
def test_the_numbers_are_the_same_on_every_backend_and_for_any_number_of_workers(tmp_path, backend):
    one, two = comparison(), comparison(runs_a_task=2)
    here = one.collect(finish(one.tasks(), tmp_path / "here"))
    there = two.collect(finish(two.tasks(), tmp_path / backend, jobs=2, backend=backend))
    for a, b in zip(here.curves, there.curves, strict=True):
        assert np.array_equal(a.regret, b.regret)
        assert np.array_equal(a.answers, b.answers)


def test_results_are_kept_apart_by_all_that_they_depend_on():
    keys = {key_of(plan.tasks()[0]) for plan in (comparison(), comparison(seed=4), comparison(2))}
    assert len(keys) == 3
    assert key_of(comparison().tasks()[0]) == key_of(comparison().tasks()[0])
    m = PreferenceMatrix([[0.5, 0.8], [0.2, 0.5]])
    tied = matrix_problem(m, ties=[[0, 0.2], [0.2, 0]])
    plans = [Comparison(problem, ("ccb",), (100,), 1) for problem in (matrix_problem(m), tied)]
    assert len({key_of(plan.tasks()[0]) for plan in plans}) == 2
    ccb = find("ccb")
    other = replace(ccb, recommend=find("random").recommend)
    plans = [Comparison(problem_of("cyclic-4"), (one,), (100,), 1) for one in (ccb, other)]
    assert len({key_of(plan.tasks()[0]) for plan in plans}) == 2


def test_a_run_that_is_cut_has_no_value_at_the_marks_it_did_not_reach(tmp_path):
    plan = Comparison(
        problem_of("mslr-5"), ("random",), (10**7,), runs=1, marks=8, most_duels=1_000_000
    )
    curve = plan.collect(finish(plan.tasks(), tmp_path)).curves[0]
    assert np.isnan(curve.regret[0, -1])
    assert not np.isnan(curve.regret[0, :5]).any()
    assert (curve.answers[0, -1], curve.correct[0, -1]) == (-1, False)
    assert curve.comparisons[0, -1] >= 1_000_000
