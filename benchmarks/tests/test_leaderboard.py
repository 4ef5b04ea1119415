"""The leaderboard: who meets what, what a cell holds, how outcomes are compared, and the page."""

import dataclasses
import math

import numpy as np
import pytest

import copeland
from benchmarks.leaderboard import board as leaderboard
from benchmarks.leaderboard.board import (
    MOST_VOTES,
    Contest,
    Group,
    contests,
    entrants,
    excuse,
    excuse_from,
    giants,
    groups,
    limit_of,
    play,
    score,
)
from benchmarks.leaderboard.bouts import Bout, Effort, Footprint, Limit
from benchmarks.leaderboard.files import page_of, write
from benchmarks.leaderboard.page import leaderboard_page
from benchmarks.leaderboard.rows import BEHIND, rows_of
from benchmarks.leaderboard.scores import (
    IDENTIFICATION,
    OURS,
    REGRET,
    Giant,
    Played,
    Score,
    Versus,
    read_lines,
    replaced,
    write_lines,
)
from copeland import PreferenceMatrix
from copeland.algorithms import cpc
from copeland.registry import algorithms
from copeland.support.spec import Spec
from copeland.support.tasks import key_of

FEW = Effort(seconds=0.0, least=3, most=5)


def scored(algorithm, runs, cut=False, right=True, board=REGRET, problem="cyclic-4", limit=1.0):
    """The score of an algorithm with these runs at one mark."""
    marks = (10**6,) if board == REGRET else (MOST_VOTES,)
    contest = Contest(board, "Few", problem, 4, marks, (algorithm,))
    ends = np.array(runs, float)[:, None]
    found = {
        "regret": np.where(cut, math.nan, ends),
        "reached": ends[:, 0],
        "duels": ends,
        "correct": np.full((len(ends), 1), right)
        if isinstance(right, bool)
        else np.array(right)[:, None],
        "seconds": np.array([0.5]),
    }
    allowed = {"regret": np.array(limit), "votes": np.array(limit)}
    return score(contest, algorithm, found, limit_of(contest, allowed), "2020-02-02")


def played(*scores):
    return Played(scores)


def page_with(*scores):
    return leaderboard_page(scores, ())


@pytest.mark.parametrize("board", [REGRET, IDENTIFICATION])
def test_every_algorithm_is_on_a_board_or_has_an_excuse(board):
    on_it = list(entrants(board))
    excused = [name for name, one in algorithms().items() if excuse_from(board, one) is not None]
    assert {one.name for _, one in on_it} == set(algorithms()) - set(excused)
    for spec, algorithm in on_it:
        assert excuse(board, spec, algorithm, k=4) is None, spec


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


def test_scores_are_compared_by_their_means_and_errors():
    ours, other = scored("cpc", [2, 4, 6]), scored("ccb", [1, 3])
    versus = Versus(ours, other, 10**6)
    assert versus.ratio == 4 / 2
    assert versus.errors == pytest.approx(2 / math.hypot(2 / math.sqrt(3), 1))
    assert math.isnan(Versus(ours, scored("ccb", [1]), 10**6).errors)  # of one run there is none


def test_the_hardest_rival_is_the_one_of_the_lowest_mean():
    ours = scored("cpc", [2, 4])
    problem = played(ours, scored("ccb", [4, 4]), scored("rucb", [1, 1]), scored("scb", [9, 9]))
    assert problem.hardest(ours, problem.others(), 10**6).other.algorithm == "ccb"
    assert problem.hardest(ours, [], 10**6) is None


def test_who_errs_more_often_than_delta_is_no_rival_in_identifying():
    ours = scored("cpc-pac", [100] * 4, board=IDENTIFICATION)
    half = [False, False, True, True]
    hasty = scored("pocowista", [1] * 4, right=half, board=IDENTIFICATION)
    slow = scored("copeland-pac", [200] * 4, board=IDENTIFICATION)
    problem = played(ours, hasty, slow)
    assert problem.hardest(ours, problem.others(), MOST_VOTES).other is slow
    assert problem.best() is ours
    assert (hasty.wrong, hasty.keeps_delta, slow.keeps_delta) == (2, False, True)


def test_unfinished_runs_are_not_wrong():
    assert scored("pocowista", [5, 5], cut=True, right=False, board=IDENTIFICATION).wrong == 0


def test_the_limit_of_regret_grows_with_ln_t():
    one = scored("cpc", [1, 1], limit=2.0)
    assert one.limit == pytest.approx(2 * math.log(10**6))
    assert one.limit_at(10**3) == pytest.approx(one.limit / 2)


def test_lines_are_written_and_read_as_they_are(tmp_path):
    scores = [
        scored("cpc", [1, 3]),
        scored("ecw-rmed:beta=1e-9,threshold=eager", [2], cut=True),
        scored("cpc-pac", [10, 20], board=IDENTIFICATION, limit=math.nan),
    ]
    giants = [Giant("implicit-5", "cpc", 10**7, 688, 168.0, 1.93, "2020-02-02")]
    write_lines(tmp_path / "scores.csv", scores, Score)
    write_lines(tmp_path / "giants.csv", giants, Giant)
    found = read_lines(tmp_path / "scores.csv", Score)
    assert [rounded(one) for one in found] == [rounded(one) for one in scores]
    assert read_lines(tmp_path / "giants.csv", Giant) == giants
    assert read_lines(tmp_path / "none.csv", Score) == []


def rounded(line):
    return [f"{x:.5g}" if isinstance(x, float) else x for x in vars(line).values()]


def test_new_lines_take_the_places_of_old_ones():
    old = [scored("cpc", [1, 1]), scored("ccb", [2, 2]), scored("ccb", [3, 3], problem="mslr-5")]
    new = [scored("ccb", [4, 4]), scored("scb", [5, 5])]
    found = replaced(old, new)
    assert [(one.algorithm, one.mean) for one in found] == [
        ("cpc", 1),
        ("ccb", 4),
        ("ccb", 3),
        ("scb", 5),
    ]


def test_lines_of_an_algorithm_that_is_gone_are_left_out():
    gone = dataclasses.replace(scored("cpc", [1, 1]), algorithm="forgotten:alpha=1")
    assert replaced([gone], []) == []


def test_files_beside_a_page_make_the_page(tmp_path):
    page = tmp_path / "leaderboard.md"
    write(page, [scored("cpc", [1, 3]), scored("ccb", [4, 6])])
    write(
        page,
        [scored("cpc", [2, 4])],
        [Giant("implicit-5", "cpc", 10**7, 688, 168.0, 1.93, "2020-02-02")],
    )
    assert page.read_text() == page_of(page)
    assert "`cpc` on `implicit-5` takes 168 MiB and 1.93 microseconds a duel" in page.read_text()
    assert (tmp_path / "images" / "leaderboard-regret.svg").exists()


def test_rows_say_it_in_words_and_those_that_are_far_behind_have_none():
    far = dataclasses.replace(scored("scb", [9, 9]), mean=math.nan)
    best, second, last = rows_of([far, scored("ccb", [4, 6]), scored("rucb", [1, 3])])
    assert (best.algorithm, best.mean, best.ratio) == ("rucb", "2 ± 1 ‡", 1)
    assert best.is_best and best.assumes and not second.is_best
    assert (second.algorithm, second.times_best, second.runs) == ("ccb", "2.50", "2")
    assert (last.algorithm, last.times_best, last.ratio) == ("scb", BEHIND, None)
    cut, _ = rows_of([scored("cpc", [1, 1], cut=True), scored("ccb", [2, 2])])
    assert cut.mean == "≥ 1 ± 0 ‡" and cut.times_best == "-" and math.isnan(cut.ratio)


@pytest.fixture
def small_board(monkeypatch):
    """A board of four algorithms with short runs."""
    few = {name: algorithms()[name] for name in ("ccb", "cpc", "cpc-pac", "pocowista", "savage")}
    monkeypatch.setattr(leaderboard, "algorithms", lambda: few)
    monkeypatch.setattr(leaderboard, "marks_of", lambda k: (100, 1000))
    monkeypatch.setattr(leaderboard, "effort", lambda name, k, quick: FEW)
    return [Group("Few options", ("cyclic-4", "order-4-0.3"), ("cyclic-4",))]


def test_a_board_is_played_once_and_put_together(small_board, tmp_path, monkeypatch):
    listed = contests(small_board)
    scores = play(tmp_path, listed)
    assert [(one.board, one.problem) for one in scores] == [
        *[(REGRET, "cyclic-4")] * 6,
        *[(REGRET, "order-4-0.3")] * 6,
        *[(IDENTIFICATION, "cyclic-4")] * 3,
    ]
    runs = copeland.simulate("cyclic-4", "cpc", 1000, runs=3, marks=[100, 1000])
    cpc_score = next(one for one in scores if one.algorithm == "cpc")
    means = runs.curves[0].regret.mean(axis=0)
    assert (cpc_score.first_mean, cpc_score.mean) == pytest.approx(tuple(means))
    assert cpc_score.limit == pytest.approx(2 * 27.55 * math.log(1000), rel=1e-3)
    assert all(one.mean < MOST_VOTES for one in scores if one.algorithm == "cpc-pac")
    monkeypatch.setattr(Bout, "run", lambda self: pytest.fail("played twice"))
    assert play(tmp_path, listed) == scores


def test_some_algorithms_are_played_alone(small_board):
    listed = contests(small_board, only=("cpc-pac",))
    assert [(one.board, one.algorithms) for one in listed] == [(IDENTIFICATION, ("cpc-pac",))]


def test_the_page_says_with_what_it_was_made():
    later = dataclasses.replace(scored("ccb", [5, 9]), played="2020-03-03 by copeland 0.2.0")
    first = dataclasses.replace(scored("cpc", [2, 4]), played="2020-02-02 by copeland 0.1.0")
    assert "Rows were played by copeland 0.1.0, 0.2.0." in page_with(first, later)


def test_the_page_sums_up_how_ours_did():
    better = [scored("cpc", [2, 2]), scored("ccb", [8, 8]), scored("rucb", [1, 1])]
    worse = [scored("cpc", [3, 3], problem="mslr-5"), scored("ccb", [3, 1], problem="mslr-5")]
    page = page_with(*better, *worse)
    assert "| Regret | made | `cpc` | 2 | 1 | 0.61 |" in page  # sqrt(1/4 * 3/2)


def test_the_page_tells_losses_to_those_who_assume_as_little():
    page = page_with(scored("cpc", [8, 9]), scored("ccb", [2, 2.1]), scored("rucb", [1, 2]))
    assert "in 1 of 1 comparisons" in page
    assert "| `cyclic-4` | regret, T = 1e6 | `cpc` | `ccb` | 4.15 |" in page and "rucb" not in page


def test_wrong_and_unfinished_runs_are_counted():
    wrong = scored("pocowista", [110, 130], right=[False, True], board=IDENTIFICATION)
    cut = scored("copeland-pac", [150, 150], cut=True, board=IDENTIFICATION)
    assert [(one.wrong, one.unfinished, one.runs) for one in (wrong, cut)] == [(1, 0, 2), (0, 2, 2)]
    assert [row.mean for row in rows_of([wrong, cut])] == ["120 ± 10 ‡", "≥ 150 ± 0 ‡"]


def test_the_page_says_so_where_nothing_is_lost():
    page = page_with(scored("cpc", [1, 1]), scored("ccb", [2, 4]))
    assert "in 0 of 1 comparisons" in page


def test_a_rival_that_is_only_known_to_be_far_behind_is_one_that_ours_is_ahead_of():
    far = dataclasses.replace(scored("ccb", [9, 9]), mean=math.nan)
    assert "in 0 of 1 comparisons" in page_with(scored("cpc", [1, 1]), far)


def test_nothing_is_said_for_ours_where_its_runs_were_cut():
    page = page_with(scored("cpc", [200, 220], cut=True), scored("ccb", [300, 320]))
    assert "| Regret | made | `cpc` | 0 | 0 | - | - |" in page
    assert "in 0 of 0 comparisons" in page
    late = page_with(scored("cpc", [400, 420], cut=True), scored("ccb", [300, 320]))
    assert "in 1 of 1 comparisons" in late  # it is behind already


def test_many_options_leave_slow_algorithms_out_with_a_reason():
    names = contests([Group("Many", ("order-100-0.1",), ())])[0].algorithms
    assert "cpc" in names and "ccb" in names and "dts" not in names
    assert "hours" in excuse(REGRET, "dts", algorithms()["dts"], k=100)


def test_giants_reach_a_hundred_thousand_options():
    assert "implicit-100000" in {one.problem for one in giants()}


def test_a_footprint_is_measured_in_a_process_of_its_own():
    found = Footprint("implicit-5", "random", 1000).run()
    assert 0 < found["duels"] <= 1000
    assert 30 < found["mebibytes"] < 2000
    assert found["seconds"] > 0
