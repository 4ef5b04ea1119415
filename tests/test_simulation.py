import inspect

import numpy as np
import pytest

import copeland
from copeland import InvalidParameter, PreferenceMatrix
from copeland.cli.simulate import simulate_command
from copeland.errors import Interrupted, UnknownAlgorithm, UnknownProblem
from copeland.problems import matrix_problem
from copeland.registry import find
from copeland.simulation.cell import loop_for
from copeland.simulation.simulator import RUNS

EASY = PreferenceMatrix([[0.5, 0.8, 0.7], [0.2, 0.5, 0.9], [0.3, 0.1, 0.5]], name="easy")
CYCLE = PreferenceMatrix([[0.5, 0.8, 0.2], [0.2, 0.5, 0.8], [0.8, 0.2, 0.5]], name="cycle")


def test_jumps_leave_the_very_run_of_single_steps_where_one_option_wins():
    jumped = copeland.simulate(EASY, "ccb", 30_000, runs=5, seed=3)
    stepped = copeland.simulate(EASY, "ccb", 30_000, runs=5, seed=3, jump=False)
    assert np.array_equal(jumped.curves[0].regret, stepped.curves[0].regret)
    assert np.array_equal(jumped.curves[0].comparisons, stepped.curves[0].comparisons)


@pytest.mark.slow
def test_jumps_leave_the_distribution_of_single_steps_where_several_win():
    n = 400
    jumped = copeland.simulate(CYCLE, "ccb", 30_000, runs=n, seed=1).curves[0].comparisons[:, -1]
    stepped = copeland.simulate(CYCLE, "ccb", 30_000, runs=n, seed=2, jump=False)
    stepped = stepped.curves[0].comparisons[:, -1]
    error = np.sqrt((jumped.var() + stepped.var()) / n)
    assert abs(jumped.mean() - stepped.mean()) < 3.3 * error  # two-sided 0.1 %


@pytest.mark.slow
def test_runs_do_not_depend_on_compiling_or_on_the_number_of_jobs():
    compiled = copeland.simulate("mslr-5", "ccb", 3000, runs=2, seed=5)
    interpreted = copeland.simulate("mslr-5", "ccb", 3000, runs=2, seed=5, compiled=False)
    assert np.array_equal(compiled.curves[0].regret, interpreted.curves[0].regret)
    assert np.array_equal(compiled.curves[0].answers, interpreted.curves[0].answers)
    one = copeland.simulate(EASY, ["ccb", "ccb:alpha=1.01"], 2000, runs=4, seed=5, jobs=1)
    two = copeland.simulate(EASY, ["ccb", "ccb:alpha=1.01"], 2000, runs=4, seed=5, jobs=2)
    for a, b in zip(one.curves, two.curves, strict=True):
        assert np.array_equal(a.regret, b.regret)


def test_tables_that_a_cluster_hands_over_read_only_meet_the_loop_compiled_before():
    problem = matrix_problem(EASY)
    copeland.simulate(problem, "random", 10)
    for table in problem.world:
        table.flags.writeable = False
    copeland.simulate(problem, "random", 10)
    loop = loop_for(find("random"), problem, compiled=True)
    assert len(loop.signatures) == 1


def test_neither_other_algorithms_nor_runs_nor_names_shift_the_numbers(tmp_path):
    alone = copeland.simulate(EASY, ["ccb"], 2000, runs=2, seed=5)
    beside = copeland.simulate(EASY, ["ccb:alpha=2.0", "ccb"], 2000, runs=3, seed=5)
    assert np.array_equal(alone.curves[0].regret, beside.curves[1].regret[:2])
    EASY.save(tmp_path / "other.csv")
    named = copeland.simulate(EASY, "ccb", 2000, runs=2, seed=5)
    filed = copeland.simulate(str(tmp_path / "other.csv"), "ccb", 2000, runs=2, seed=5)
    assert np.array_equal(named.curves[0].regret, filed.curves[0].regret)
    assert copeland.simulate(EASY, "random", 10, compiled=False).runs == RUNS
    option = inspect.signature(simulate_command).parameters["runs"]
    assert option.default == RUNS


def test_regret_of_a_known_run_is_counted_by_definition_1_or_halved():
    full = copeland.simulate(EASY, "ccb", 2000, seed=5)
    half = copeland.simulate(EASY, "ccb", 2000, seed=5, regret="half")
    assert np.array_equal(full.curves[0].regret, 2 * half.curves[0].regret)
    assert (full.regret, half.regret) == ("definition-1", "half")
    # One duel of K = 2: the worse option loses 1 point of normalised score, the better none.
    pair = PreferenceMatrix([[0.5, 1.0], [0.0, 0.5]])
    runs = copeland.simulate(pair, "ccb", 1, seed=0)
    assert runs.curves[0].regret[0, -1] == 1.0
    assert runs.curves[0].comparisons[0, -1] == 1


def test_the_long_table_has_a_row_for_each_algorithm_run_and_increasing_mark():
    assert copeland.simulate(EASY, "ccb", 100, marks=[10, 5]).marks.tolist() == [5, 10, 100]
    marks = copeland.simulate(EASY, "ccb", 1e6).marks
    assert marks[0] == 1 and marks[-1] == 10**6 and (np.diff(marks) > 0).all()
    runs = copeland.simulate(EASY, ["ccb", "ccb:alpha=1.5"], 100, runs=3, marks=[10, 100])
    table = runs.to_pandas()
    assert len(table) == 2 * 3 * 2
    last = table[(table.algorithm == "ccb:alpha=1.5") & (table.run == 2) & (table.t == 100)]
    assert last.regret.item() == runs.curves[1].regret[2, -1]


def test_ties_are_settled_by_a_coin_and_impossible_ones_refused():
    half = np.full((3, 3), 0.2)
    np.fill_diagonal(half, 0)
    runs = copeland.simulate(matrix_problem(EASY, ties=half), "ccb", 1e5, runs=10, seed=1)
    assert runs.summary()[0]["correct"] == 1
    with pytest.raises(copeland.InvalidMatrix, match=r"between 0 and 0\.2"):
        matrix_problem(EASY, ties=np.where(np.eye(3) > 0, 0, 0.3))


def test_a_random_family_without_a_seed_is_redrawn_for_every_run():
    assert copeland.simulate("easy-5", "ccb", 1000, runs=3, seed=1).redrawn
    assert not copeland.simulate("easy-5:seed=1", "ccb", 1000, runs=3, seed=1).redrawn


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    ("changes", "error", "sentence"),
    [
        ({"horizon": 0}, InvalidParameter, "horizon is 0"),
        ({"horizon": float("nan")}, InvalidParameter, "horizon"),
        ({"runs": 0}, InvalidParameter, "runs is 0"),
        ({"seed": -1}, InvalidParameter, "seed is -1"),
        ({"jobs": 0}, InvalidParameter, "jobs is 0"),
        ({"algorithms": ["ccb:alpha=1e999"]}, InvalidParameter, "must be a number"),
        ({"algorithms": ["ccb:alpha=True"]}, InvalidParameter, "must be a number"),
        ({"problem": "easy-5:seed=-1"}, InvalidParameter, "seed is -1"),
        ({"regret": "third"}, InvalidParameter, "'third'"),
        ({"marks": 0}, InvalidParameter, "marks"),
        ({"marks": [200]}, InvalidParameter, "between 1 and the horizon"),
        ({"algorithms": ["cbb"]}, UnknownAlgorithm, "did you mean"),
        ({"algorithms": []}, InvalidParameter, "no algorithm"),
        ({"algorithms": ["ccb", "ccb"]}, InvalidParameter, "twice"),
        ({"algorithms": ["ccb:alpha=0.5"]}, InvalidParameter, "alpha > 1/2"),
        ({"algorithms": ["ccb:alhpa=1"]}, InvalidParameter, "did you mean 'alpha'"),
        ({"algorithms": ["ccb:alpha"]}, InvalidParameter, "not parameter=value"),
        ({"algorithms": ["ccb:alpha=x"]}, InvalidParameter, "alpha"),
        ({"problem": "mslr5"}, UnknownProblem, "did you mean 'mslr-5'"),
    ],
)
def test_bad_input_is_refused_before_anything_runs(changes, error, sentence):
    call = {"problem": EASY, "algorithms": ["ccb"], "horizon": 100, **changes}
    with pytest.raises(error, match=sentence):
        copeland.simulate(**call, progress=lambda done, total: pytest.fail("something ran"))


def test_an_interruption_leaves_what_is_done():
    def stop(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="3 of 6") as caught:
        copeland.simulate(EASY, ["ccb", "ccb:alpha=2.0"], 100, runs=3, progress=stop)
    left = caught.value.runs
    assert left.interrupted
    assert [len(curve.regret) for curve in left.curves] == [2, 1]


def test_an_algorithm_that_must_know_its_horizon_is_run_for_each_of_a_list():
    runs = copeland.simulate(EASY, ["ccb", "savage"], [300, 3000, 30_000], runs=4, seed=2)
    anytime, knowing = runs.curves
    assert (anytime.independent, knowing.independent) == (False, True)
    assert knowing.marks.tolist() == [300, 3000, 30_000]
    assert set(knowing.marks) <= set(anytime.marks)
    alone = copeland.simulate(EASY, "savage", 3000, runs=4, seed=2).curves[0]
    assert np.array_equal(alone.regret[:, -1], knowing.regret[:, 1])


def test_an_assumption_that_does_not_hold_is_warned_of():
    with pytest.warns(copeland.errors.AssumptionWarning, match="rucb assumes a Condorcet winner"):
        copeland.simulate(CYCLE, "rucb", 10)
