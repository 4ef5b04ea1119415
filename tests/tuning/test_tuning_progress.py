"""How a tuning went: marks over its votes, each by the votes up to then, and the last as recommended now."""

import pytest

from copeland import Real, Space, Tuner
from copeland.report.tuning_page import progress_figure
from copeland.study import create_study
from copeland.tuning.tuner import Cast, marks_of, progress_of

SPACE = Space({"x": Real(0, 1)})


def closer(first, second):
    return min(first, second, key=lambda point: abs(point["x"] - 0.3))


@pytest.fixture(scope="module")
def tuner_and_votes():
    tuner, cast = Tuner(SPACE, seed=2), []
    for _ in range(21):
        duel = tuner.ask()
        cast.append(Cast(duel.first, duel.second, closer(duel.first, duel.second)))
        tuner.tell(duel, cast[-1].winner)
    return tuner, cast


@pytest.mark.quick
@pytest.mark.parametrize(
    ("votes", "marks"),
    [(0, [0]), (9, [9]), (10, [10]), (11, [10, 11]), (300, [10, 20, 40, 80, 160, 300])],
)
def test_marks_double_and_end_with_all_votes(votes, marks):
    assert marks_of(votes) == marks


def test_there_are_few_marks_however_many_votes():
    assert marks_of(10_000) == [80, 160, 320, 640, 1280, 2560, 5120, 10_000]


@pytest.mark.slow
def test_the_last_mark_is_the_recommendation_of_now(tuner_and_votes):
    tuner, cast = tuner_and_votes
    before, found = tuner.dump(), tuner.recommend()
    marks = progress_of(tuner, found, cast)
    assert [mark.votes for mark in marks] == [10, 20, 21]
    assert (marks[-1].score, marks[-1].regret) == (found.score, found.regret)
    assert marks[-1].now == found.score  # the same samples
    assert tuner.dump() == before


@pytest.mark.slow
def test_hindsight_knows_only_the_votes_it_is_given(tuner_and_votes):
    tuner, cast = tuner_and_votes
    votes = [*cast[:3], cast[3]._replace(winner=None)]
    then = tuner.hindsight(votes)
    assert then.votes == 4 and then.landscape().asked == [(a, b) for a, b, _ in votes]
    assert then.recommend() == tuner.hindsight(votes).recommend()


@pytest.mark.slow
def test_a_figure_has_both_scores_and_the_loss(tuner_and_votes):
    tuner, cast = tuner_and_votes
    score, loss = progress_figure(progress_of(tuner, tuner.recommend(), cast)).axes
    assert [list(line.get_xdata()) for line in score.lines] == [[10, 20, 21]] * 2
    assert len(loss.lines) == 1


@pytest.mark.slow
def test_the_report_of_a_study_shows_progress_of_the_votes_that_count(tmp_path):
    study = create_study("s", space=SPACE, voters="independent", seed=1)

    def page():
        return study.report(tmp_path / "s.html").read_text()

    for number in range(11):
        ballot = study.ask("a")
        vote = study.tell(ballot, "tie" if number == 4 else "left")
    assert "How it went" in page()
    study.undo(vote)
    assert "How it went" not in page()  # ten votes are one mark
