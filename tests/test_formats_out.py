"""What studies write for other tools: data frames, and runs of MLflow."""

import json
import sys
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from copeland.errors import MissingExtra
from copeland.study import (
    create_study,
    create_study_from_votes,
    log_to_mlflow,
    objections,
    read_certificate,
)
from copeland.study.mlflow_run import list_metrics
from copeland.tuning import Real, Space


def make_study(**settings):
    study = create_study("tea", ["green", "black/hot", "black_hot", ".."], **settings)
    votes = [{"left": "green", "right": "black/hot", "outcome": "left"}] * 3
    study.add_votes([*votes, {"left": "green", "right": "..", "outcome": "tie"}])
    return study


class FakeMlflow(ModuleType):
    """What a run of MLflow keeps, by its id; the real one has been tried by hand."""

    def __init__(self):
        super().__init__("mlflow")
        self.runs: dict[str, Any] = {}
        self.active: Any = None

    def active_run(self):
        return self.active

    @contextmanager
    def start_run(self, run_id=None, run_name=None):
        key = run_id or f"run{len(self.runs)}"
        kept = {"name": run_name, "metrics": [], "tags": {}, "texts": {}}
        self.runs.setdefault(key, kept)
        self.active = SimpleNamespace(info=SimpleNamespace(run_id=key))
        yield self.active
        self.active = None

    @property
    def kept(self):
        return self.runs[self.active.info.run_id]

    def log_metrics(self, metrics, step):
        self.kept["metrics"].append((step, metrics))

    def set_tags(self, tags):
        self.kept["tags"] |= tags

    def log_text(self, text, name):
        self.kept["texts"][name] = text


@pytest.fixture
def mlflow(monkeypatch):
    fake = FakeMlflow()
    monkeypatch.setitem(sys.modules, "mlflow", fake)
    return fake


@pytest.mark.slow
def test_a_run_has_metrics_tags_and_the_certificate(mlflow, tmp_path):
    study = make_study()
    assert log_to_mlflow(study) == "run0"
    kept = mlflow.runs["run0"]
    [(step, metrics)] = kept["metrics"]
    assert (kept["name"], step, metrics["votes"]) == ("tea", 4, 4)
    assert (metrics["share/green"], metrics["proved_best"], metrics["not_ruled_out"]) == (
        0.875,
        0,
        4,
    )
    assert kept["tags"]["copeland.verdict"] == "open"
    assert kept["tags"]["copeland.claim"] == study.verdict().claim
    path = tmp_path / "certificate.json"
    path.write_text(kept["texts"]["certificate.json"])
    assert objections(read_certificate(path), study) == ()


@pytest.mark.slow
def test_a_run_goes_on_with_another_step(mlflow):
    study = make_study()
    run = log_to_mlflow(study)
    study.add_votes([{"left": "green", "right": "..", "outcome": "left"}])
    assert log_to_mlflow(study, run) == run
    assert [step for step, _ in mlflow.runs[run]["metrics"]] == [4, 5]
    with mlflow.start_run(run_name="mine"):
        assert log_to_mlflow(study) == "run1"  # the active one
    assert mlflow.runs["run1"]["name"] == "mine" and len(mlflow.runs["run1"]["metrics"]) == 1


def test_metrics_have_names_that_mlflow_takes():
    names = [name for name, _ in list_metrics(make_study())]
    assert len(set(names)) == len(names)
    ends = {name.split("/", 1)[1] for name in names if "/" in name}
    assert ends == {"green", "black_hot 1", "black_hot 2", " 3"}


def test_metrics_are_what_the_study_says():
    study = make_study()
    study.add_votes([{"left": "green", "right": "..", "outcome": "left"}] * 9)
    metrics, found = dict(list_metrics(study)), study.certificate()
    assert metrics["beats_at_least/green"] == found.scores[0][0]
    assert metrics["beats_at_most/green"] == found.scores[0][1]
    assert metrics["not_ruled_out"] == len(found.possible)


@pytest.mark.slow
def test_a_space_has_its_number_of_votes(mlflow):
    study = create_study("hue", space=Space({"x": Real(0, 1)}), voters="independent")
    run = log_to_mlflow(study)
    assert mlflow.runs[run]["metrics"] == [(0, {"votes": 0.0})]
    assert json.loads(mlflow.runs[run]["texts"]["certificate.json"])


def test_without_mlflow_its_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(MissingExtra, match=r"copeland\[mlflow\]"):
        log_to_mlflow(make_study())


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
