"""The leaderboard: who meets what, what a cell holds, how outcomes are compared, and the page."""

import math

import numpy as np
import pytest

import copeland
from benchmarks.leaderboard import board as leaderboard
from benchmarks.leaderboard.board import (
    IDENTIFICATION,
    MOST_VOTES,
    OURS,
    REGRET,
    Contest,
    Group,
    Leaderboard,
    Outcome,
    Played,
    contests,
    entrants,
    excuse,
    excuse_from,
    giants,
    groups,
    play,
)
from benchmarks.leaderboard.bouts import Bout, Effort, Footprint, Limit
from benchmarks.leaderboard.page import leaderboard_page
from copeland import PreferenceMatrix
from copeland.algorithms import cpc
from copeland.registry import algorithms
from copeland.spec import Spec
from copeland.tasks import key_of

FEW = Effort(seconds=0.0, least=3, most=5)


def outcome(algorithm, scores, cut=False, right=True):
    """An outcome with one column of scores."""
    column = np.array(scores, float)[:, None]
    return Outcome(
        algorithm,
        column,
        np.full(column.shape, cut),
        np.full(len(column), right) if isinstance(right, bool) else np.array(right),
        seconds=0.5,
    )


def played(*outcomes, board=REGRET, limit=1.0):
    names = tuple(one.algorithm for one in outcomes)
    marks = (10**6,) if board == REGRET else (MOST_VOTES,)
    return Played(Contest(board, "Few", "cyclic-4", 4, marks, names), outcomes, limit)


def page_of(*contests_played):
    board = Leaderboard(False, 0, contests_played, ())
    return leaderboard_page(board, "2020-02-02", {"copeland": "9.9"})


@pytest.mark.slow
@pytest.mark.parametrize("board", [REGRET, IDENTIFICATION])
@pytest.mark.parametrize("name", algorithms())
def test_every_algorithm_is_on_a_board_or_has_an_excuse(board, name):
    on_it = [spec for spec, algorithm in entrants(board) if algorithm.name == name]
    assert bool(on_it) == (excuse_from(board, algorithms()[name]) is None)
    for spec in on_it:
        assert excuse(board, spec, algorithms()[name], k=4) is None


def test_every_entrant_can_be_started():
    for board in (REGRET, IDENTIFICATION):
        for spec, algorithm in entrants(board):
            algorithm.start(4, 1000, **Spec.parse(spec).params)


def test_ours_are_on_their_boards():
    for board, names in OURS.items():
        assert set(names) <= {spec for spec, _ in entrants(board)}


def test_the_problems_that_are_free_in_k_come_in_three_sizes():
    names = {problem for group in groups() for problem in group.regret}
    for k in (20, 100, 500):
        assert {f"order-{k}-0.1", f"near-tie-{k}-0.1", f"easy-{k}", f"medium-{k}"} <= names
    assert {"near-tie-20", "near-tie-500"} <= {p for g in groups() for p in g.identification}
    assert {"mslr-5", "synthetic-500", "tournament-5", "tournament-30"} <= names


def test_matrices_of_a_folder_come_with_the_smallest_first_and_none_that_is_built_in(tmp_path):
    copeland.load("order-9-0.1").save(tmp_path / "nine.csv")
    copeland.load("order-5-0.1").save(tmp_path / "five.csv")
    copeland.load("cyclic-4").save(tmp_path / "known.csv")
    (tmp_path / "five.wins.csv").write_text("no matrix")
    real = next(group for group in groups(folder=tmp_path) if group.title == "Real data")
    assert [problem.rsplit("/", 1)[-1] for problem in real.regret] == ["five.csv", "nine.csv"]


def test_a_bout_has_the_runs_of_a_simulation():
    found = Bout("order-4-0.3", "ccb", (100, 1000), FEW, seed=2).run()
    runs = copeland.simulate("order-4-0.3", "ccb", 1000, runs=3, seed=2, marks=[100, 1000])
    assert np.array_equal(found["regret"], runs.curves[0].regret)
    assert np.array_equal(found["duels"], runs.curves[0].comparisons)
    assert len(found["seconds"]) == 3


def test_those_who_must_know_their_horizon_are_run_for_each_mark():
    found = Bout("cyclic-4", "savage", (500, 2000), FEW, seed=2).run()
    runs = copeland.simulate("cyclic-4", "savage", [500, 2000], runs=3, seed=2)
    assert np.array_equal(found["regret"], runs.curves[0].regret)


def test_a_bout_ends_with_its_seconds_or_its_runs():
    def runs(effort):
        return len(Bout("cyclic-4", "random", (10,), effort, seed=0).run()["seconds"])

    assert runs(Effort(seconds=0.0, least=2, most=9)) == 2
    assert runs(Effort(seconds=60.0, least=2, most=9)) == 9


def test_a_run_that_takes_too_long_is_cut_and_keeps_what_it_had():
    hasty = Effort(seconds=0.0, least=1, most=1, longest=1e-9)
    found = Bout("cyclic-4", "random", (10, 10**7), hasty, seed=0).run()
    assert not math.isnan(found["regret"][0, 0])
    assert math.isnan(found["regret"][0, 1])
    assert found["reached"][0] > 0


def test_a_change_of_caution_plays_borrowed_thresholds_anew(monkeypatch):
    def keys():
        names = ("ccb:threshold=cautious", "ccb", "cpc")
        return [key_of(Bout("cyclic-4", name, (10,), FEW, seed=0)) for name in names]

    before = keys()
    monkeypatch.setitem(cpc.SETTINGS, "cautious", 4.5)
    after = keys()
    assert [a != b for a, b in zip(before, after, strict=True)] == [True, False, True]


def test_limits_are_the_known_ones():
    found = Limit("cyclic-4", seed=0).run()
    assert found["regret"] == pytest.approx(2 * 27.55, abs=0.01)
    assert found["votes"] == pytest.approx(78.6, abs=0.1)


def test_there_is_no_limit_where_a_tie_decides(tmp_path):
    PreferenceMatrix([[0.5, 0.5], [0.5, 0.5]]).save(tmp_path / "tie.csv")
    assert np.isnan(Limit(str(tmp_path / "tie.csv"), seed=0).run()["votes"])


def test_outcomes_are_compared_on_the_runs_that_both_have():
    ours = outcome("cpc", [2, 4, 1000])
    contest = played(ours, outcome("ccb", [1, 3]))
    versus = contest.hardest(ours, contest.others())
    assert versus.ratio == 6 / 4
    assert math.isnan(versus.errors)  # by 1 in both runs: no spread to judge by
    assert contest.versus(ours, outcome("ccb", [1, 5])).errors == pytest.approx(0)


def test_the_hardest_rival_is_the_one_of_the_lowest_mean_on_common_runs():
    ours = outcome("cpc", [2, 4])
    contest = played(ours, outcome("ccb", [4, 4]), outcome("rucb", [1, 1]), outcome("scb", [9, 9]))
    assert contest.hardest(ours, contest.others()).other == "rucb"
    assert contest.hardest(ours, contest.others(assuming=False)).other == "ccb"
    assert contest.hardest(ours, []) is None


def test_who_errs_more_often_than_delta_is_no_rival_in_identifying():
    ours = outcome("cpc-pac", [100] * 4)
    hasty = outcome("pocowista", [1] * 4, right=[False, False, True, True])
    slow = outcome("copeland-pac", [200] * 4)
    contest = played(ours, hasty, slow, board=IDENTIFICATION)
    assert contest.hardest(ours, contest.others()).other == "copeland-pac"
    assert (hasty.wrong, hasty.keeps_delta, slow.keeps_delta) == (2, False, True)


def test_unfinished_runs_are_not_wrong():
    assert outcome("pocowista", [5, 5], cut=True, right=False).wrong == 0


@pytest.fixture
def small_board(monkeypatch):
    """A board of four algorithms with short runs."""
    few = {name: algorithms()[name] for name in ("ccb", "cpc", "cpc-pac", "pocowista", "savage")}
    monkeypatch.setattr(leaderboard, "algorithms", lambda: few)
    monkeypatch.setattr(leaderboard, "marks_of", lambda k: (100, 1000))
    monkeypatch.setattr(leaderboard, "effort", lambda name, k, quick: FEW)
    return [Group("Few options", ("cyclic-4", "order-4-0.3"), ("cyclic-4",))]


@pytest.mark.slow
def test_a_board_is_played_once_and_put_together(small_board, tmp_path, monkeypatch):
    board = play(tmp_path, small_board)
    assert [len(one.outcomes) for one in board.played] == [6, 6, 3]
    regret, _, votes = board.played
    assert regret.of("cpc").scores.shape == (3, 2)
    assert votes.of("savage:delta=0.05").scores.shape == (3, 1)
    assert (votes.of("cpc-pac").scores < MOST_VOTES).all()
    assert regret.limit_at(-1) == pytest.approx(2 * 27.55 * math.log(1000), rel=1e-3)
    monkeypatch.setattr(Bout, "run", lambda self: pytest.fail("played twice"))
    again = play(tmp_path, small_board)
    assert np.array_equal(again.played[0].of("ccb").scores, regret.of("ccb").scores)
    assert "### Regret: Few options" in leaderboard_page(again, "2020-02-02", {"copeland": "9.9"})


@pytest.mark.slow
def test_the_page_says_when_and_with_what_it_was_made():
    page = page_of(played(outcome("cpc", [2, 4]), outcome("ccb", [5, 9])))
    assert "on 2020-02-02: copeland 9.9; seed 0" in page


@pytest.mark.slow
def test_the_page_sums_up_how_ours_did():
    better = played(outcome("cpc", [2, 2]), outcome("ccb", [8, 8]), outcome("rucb", [1, 1]))
    worse = played(outcome("cpc", [3, 3]), outcome("ccb", [3, 1]))
    page = page_of(better, worse)
    assert "| Regret | `cpc` | 2 | 1 | 0.61 |" in page  # sqrt(1/4 * 3/2)


@pytest.mark.slow
def test_the_page_tells_losses():
    page = page_of(played(outcome("cpc", [3, 9]), outcome("ccb", [2, 4]), outcome("rucb", [1, 2])))
    free, assuming = page.split("## Regret")[0].split("Against those that do")
    assert "in 1 of 1 comparisons" in free
    assert "| `cyclic-4` | regret, T = 1e6 | `cpc` | `ccb` | 2.00 |" in free
    assert "| `cyclic-4` | regret, T = 1e6 | `cpc` | `rucb` † | 4.00 |" in assuming


@pytest.mark.slow
def test_the_page_compares_rules_of_one_threshold():
    page = page_of(
        played(
            outcome("cpc:setting=eager", [2, 2]),
            outcome("cpc", [3, 3]),
            outcome("ccb:threshold=eager", [4, 4]),
            outcome("ecw-rmed:threshold=cautious", [2, 2]),
            outcome("dts", [1, 1]),
        )
    )
    assert "| `cyclic-4` | 0.50 | 1.50 |" in page.split("## At the same threshold")[1]


@pytest.mark.slow
def test_the_page_says_so_where_nothing_is_lost():
    page = page_of(played(outcome("cpc", [1, 1]), outcome("ccb", [2, 4])))
    assert "in 0 of 1 comparisons" in page


@pytest.mark.slow
def test_the_least_mean_is_bold_and_those_far_behind_are_named():
    page = page_of(
        played(outcome("cpc", [1, 3]), outcome("ccb", [4, 6]), outcome("random", [90, 90]))
    )
    assert "| `cyclic-4` | `cpc` | **2 ± 1** | 3 | 1.00 |" in page
    assert "|  | `ccb` | 5 ± 1 | 6 | 2.50 |" in page
    assert "further behind: `random`" in page


@pytest.mark.slow
def test_cut_runs_are_lower_bounds_and_single_runs_have_no_error():
    page = page_of(played(outcome("cpc", [200], cut=True), outcome("ccb", [300])))
    assert "| `cpc` | **≥ 200** |" in page
    assert "| `ccb` | 300 |" in page


@pytest.mark.slow
def test_wrong_and_unfinished_runs_are_counted():
    page = page_of(
        played(
            outcome("cpc-pac", [100, 120]),
            outcome("pocowista", [110, 130], right=[False, True]),
            outcome("copeland-pac", [150, 150], cut=True),
            board=IDENTIFICATION,
        )
    )
    assert "| `pocowista` | 120 ± 10 | 130 | 1.09 | 40.06 | 1 | 0 | 2 | 0.5 |" in page
    assert "| `copeland-pac` | ≥ 150 ± 0 | 150 | 1.36 | 50.07 | 0 | 2 | 2 | 0.5 |" in page


@pytest.mark.slow
def test_the_page_says_who_is_left_out_and_why():
    page = page_of(played(outcome("cpc", [1, 1]), outcome("ccb", [2, 4])))
    left_out = page.split("## Left out")[1]
    assert "| Regret | `copeland-pac`, `cpc-pac`" in left_out
    assert "`borda-elimination` | everywhere | looks for another winner (borda)" in left_out


def test_many_options_leave_slow_algorithms_out_with_a_reason():
    names = contests([Group("Many", ("order-100-0.1",), ())])[0].algorithms
    assert "cpc" in names and "ccb" in names and "dts" not in names
    assert "hours" in excuse(REGRET, "dts", algorithms()["dts"], k=100)


def test_giants_reach_a_hundred_thousand_options():
    assert "implicit-100000" in {one.problem for one in giants()}


@pytest.mark.slow
def test_a_footprint_is_measured_in_a_process_of_its_own():
    found = Footprint("implicit-5", "random", 1000).run()
    assert 0 < found["duels"] <= 1000
    assert 30 < found["mebibytes"] < 2000
    assert found["seconds"] > 0
