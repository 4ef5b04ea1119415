"""A study as a run of MLflow: its numbers as metrics, its certificate as an artifact."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from copeland.errors import need
from copeland.study.results.analysis import Analysis
from copeland.study.results.certificate_file import certificate_to_file
from copeland.study.study import Study

ARTIFACT = "certificate.json"
_UNKNOWN = re.compile(r"[^\w\-. ]")  # what MLflow refuses in names, and what would make folders
_LONGEST = 200  # characters of a name, of the 250 that MLflow takes


def log_to_mlflow(study: Study, run: str | None = None) -> str:
    """Write a study as it stands to a run of MLflow, and return the id of the run (extra: mlflow).

    It logs metrics at the step of the number of votes, so that another call later adds a point to each curve: how many votes there are,
    how many options are proved best and not ruled out, and of each option the share of its votes won and the number of others that
    it beats at least and at most. The certificate is the artifact ``certificate.json``, which ``copeland study verify`` checks.

    Parameters
    ----------
    study
        The study.
    run
        The id of a run to go on with; by default the active one, or else a new one of the study's name.

    Examples
    --------
    >>> from copeland.study import open_study
    >>> log_to_mlflow(open_study("tea"))  # doctest: +SKIP
    '6b7f0e1c2d3a4958a1b2c3d4e5f60718'
    """
    mlflow = need("mlflow", "mlflow", "a run of MLflow")
    active = mlflow.active_run()
    if run is None and active is not None:
        _log(mlflow, study)
        return active.info.run_id
    name = study.name if run is None else None
    with mlflow.start_run(run_id=run, run_name=name) as started:
        _log(mlflow, study)
    return started.info.run_id


def _log(mlflow: Any, study: Study) -> None:
    verdict, (_, text) = study.verdict(), certificate_to_file(study)
    metrics = dict(list_metrics(study))
    mlflow.log_metrics(metrics, step=int(metrics["votes"]))
    mlflow.set_tags(
        {
            "copeland.study": study.name,
            "copeland.verdict": verdict.kind,
            "copeland.claim": verdict.claim,
        }
    )
    mlflow.log_text(text, ARTIFACT)


def list_metrics(study: Study) -> Iterator[tuple[str, float]]:
    """Yield every metric of a study by its name.

    Examples
    --------
    >>> from copeland.study import create_study
    >>> study = create_study("tea", ["green", "black"])
    >>> _ = study.add_votes([{"left": "green", "right": "black", "outcome": "left"}] * 10)
    >>> dict(list_metrics(study))["beats_at_least/green"]
    1.0
    """
    if study.settings.space:  # its options are points, and new ones come all the time
        yield "votes", float(sum(vote.times for vote in study.votes() if vote.counted))
        return
    found = Analysis(study.standing(voters=False))
    yield "votes", float(found.standing.votes)
    yield "proved_best", float(len(found.certificate.best))
    yield "not_ruled_out", float(len(found.certificate.possible))
    rows = found.rows()
    names = _name_metrics({row.index: row.name for row in rows})
    for row in rows:
        if row.share is not None:
            yield f"share/{names[row.index]}", row.share
        yield f"beats_at_least/{names[row.index]}", float(row.least)
        yield f"beats_at_most/{names[row.index]}", float(row.most)


def _name_metrics(options: Mapping[int, str]) -> dict[int, str]:
    """Names that MLflow takes, of which no two are equal."""
    plain = {i: _UNKNOWN.sub("_", name)[:_LONGEST].strip(" .") for i, name in options.items()}
    taken = list(plain.values())
    return {
        i: name if name and taken.count(name) == 1 else f"{name} {i}" for i, name in plain.items()
    }
