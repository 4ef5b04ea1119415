"""What studies write for other tools: data frames and tables of votes."""

import pytest

from copeland.study import create_study, create_study_from_votes


def make_study(**settings):
    study = create_study("tea", ["green", "black/hot", "black_hot", ".."], **settings)
    votes = [{"left": "green", "right": "black/hot", "outcome": "left"}] * 3
    study.add_votes([*votes, {"left": "green", "right": "..", "outcome": "tie"}])
    return study


def test_a_data_frame_comes_back_with_every_vote():
    pandas = pytest.importorskip("pandas")
    study = make_study()
    frame = study.votes(frame=True)
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 4
    copy, taken = create_study_from_votes("copy", frame, options=[o.name for o in study.options])
    assert taken == 4
    said = [vote[3:6] for vote in study.votes()]
    assert [vote[3:6] for vote in copy.votes()] == said


def test_a_csv_comes_back_with_every_vote(tmp_path):
    study = make_study()
    study.export(tmp_path / "votes.csv")
    names = [option.name for option in study.options]
    copy, _ = create_study_from_votes("copy", tmp_path / "votes.csv", options=names)
    assert [v[:6] for v in copy.votes()] == [v[:6] for v in study.votes()]
