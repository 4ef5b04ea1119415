"""TREC's files: runs (what a system retrieved) and qrels (what judges found relevant).

A line of a run is ``query Q0 document rank score tag``: documents are ordered by score, and the rank is
not read. A line of qrels is ``query 0 document grade``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from copeland.ranking.collection import (
    MAX_GRADE,
    Collection,
    InvalidCollection,
    call_at_line,
    lines_of,
)

Unknown = Literal["refuse", "zero"]


class Retrieved(NamedTuple):
    """A document in a run."""

    score: float
    line: int


@dataclass(frozen=True)
class Run:
    """What one system retrieved: for each query its documents, with scores; more is better."""

    name: str
    queries: Mapping[str, Mapping[str, Retrieved]]
    file: Path


@dataclass(frozen=True)
class Qrels:
    """What judges said: for each query its judged documents, with grades."""

    queries: Mapping[str, Mapping[str, int]]
    file: Path


def read_run(path: str | Path) -> Run:
    r"""Return the run in a file, plain or .gz; its name is the tag of its first line.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "bm25.txt")
    >>> _ = file.write_text("q1 Q0 d7 1 12.5 bm25\nq1 Q0 d9 2 11.0 bm25\n")
    >>> run = read_run(file)
    >>> run.name, list(run.queries["q1"])
    ('bm25', ['d7', 'd9'])
    """
    file = Path(path)
    queries: dict[str, dict[str, Retrieved]] = {}
    name = ""
    for line, fields in _lines(file, 6, "query Q0 document rank score tag"):
        query, _, document, _, score, tag = fields
        found = queries.setdefault(query, {})
        call_at_line(file, line, _once, document, query, found)
        found[document] = Retrieved(call_at_line(file, line, _score, score), line)
        name = name or tag
    return Run(name, queries, file)


def read_qrels(path: str | Path, grades: int = 5, junk: Unknown = "refuse") -> Qrels:
    r"""Return the judgments in a file, plain or .gz.

    Parameters
    ----------
    grades
        How many grades there are: a grade is one of 0, 1, ... grades - 1.
    junk
        What to do with the negative grades that some tracks give to spam: refuse them, or read 0.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "qrels.txt")
    >>> _ = file.write_text("q1 0 d7 2\nq1 0 d9 0\n")
    >>> read_qrels(file).queries
    {'q1': {'d7': 2, 'd9': 0}}
    """
    if not 2 <= grades <= MAX_GRADE + 1:
        raise InvalidCollection(f"grades is {grades}; there can be 2 to {MAX_GRADE + 1}.")
    file = Path(path)
    queries: dict[str, dict[str, int]] = {}
    for line, (query, _, document, grade) in _lines(file, 4, "query 0 document grade"):
        found = queries.setdefault(query, {})
        call_at_line(file, line, _once, document, query, found)
        found[document] = call_at_line(file, line, _grade, grade, grades, junk)
    return Qrels(queries, file)


def collection(qrels: Qrels, runs: Sequence[Run] = (), unknown: Unknown = "refuse") -> Collection:
    """Return the judged documents as a collection without features, for runs to be compared on.

    Parameters
    ----------
    runs
        The runs that are to be compared.
    unknown
        What to do with documents in a run that nobody judged: refuse them, or take them in with grade 0.
        Queries of which no document was judged are then left out.

    Examples
    --------
    >>> judged = Qrels({"q1": {"d7": 2, "d9": 0}}, Path("qrels.txt"))
    >>> run = Run("bm25", {"q1": {"d8": Retrieved(3.0, line=1)}}, Path("bm25.txt"))
    >>> collection(judged, [run], unknown="zero").documents
    ('d7', 'd9', 'd8')
    """
    pools = {query: dict(judged) for query, judged in qrels.queries.items()}
    for run in runs:
        if unknown == "refuse":
            check_known(run, pools, str(qrels.file))
        for query, pool in pools.items():
            for document in run.queries.get(query, {}):
                pool.setdefault(document, 0)
    grades = [grade for pool in pools.values() for grade in pool.values()]
    return Collection(
        grades,
        np.zeros((len(grades), 0), np.float32),
        np.concatenate([[0], np.cumsum([len(pool) for pool in pools.values()])]),
        list(pools),
        documents=[document for pool in pools.values() for document in pool],
        name=qrels.file.stem,
    )


def check_known(run: Run, known: Mapping[str, Mapping[str, object]], where: str) -> None:
    """Refuse a run with a document that ``known`` does not have under its query.

    Examples
    --------
    >>> run = Run("bm25", {"q1": {"d8": Retrieved(3.0, line=1)}}, Path("bm25.txt"))
    >>> check_known(run, {"q1": {"d7": 2}}, "qrels.txt")
    Traceback (most recent call last):
    copeland.ranking.collection.InvalidCollection: bm25.txt, line 1: qrels.txt does not know document 'd8' of query 'q1'; judge it, or ask for unknown='zero'.
    """
    for query, documents in run.queries.items():
        for document, retrieved in documents.items():
            if document not in known.get(query, {}):
                raise InvalidCollection(
                    f"{run.file}, line {retrieved.line}: {where} does not know document "
                    f"{document!r} of query {query!r}; judge it, or ask for unknown='zero'."
                )


def _lines(file: Path, n: int, form: str) -> Iterator[tuple[int, list[str]]]:
    """The fields of every line that is not empty."""
    empty = True
    for number, line in lines_of(file):
        fields = line.decode("utf-8", "replace").split()
        if not fields:
            continue
        if len(fields) != n:
            raise InvalidCollection(
                f"{file}, line {number}: the number of fields is {len(fields)}; write {form}."
            )
        empty = False
        yield number, fields
    if empty:
        raise InvalidCollection(f"{file}: the file has no rows.")


def _once(document: str, query: str, found: Mapping[str, object]) -> None:
    if document in found:
        raise InvalidCollection(f"document {document!r} of query {query!r} is there twice.")


def _score(token: str) -> float:
    try:
        score = float(token)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise InvalidCollection(f"the score is {token!r}; it must be a finite number.")
    return score


def _grade(token: str, grades: int, junk: Unknown) -> int:
    try:
        grade = int(token)
    except ValueError:
        grade = grades
    if grade < 0 and junk == "zero":
        return 0
    if not 0 <= grade < grades:
        raise InvalidCollection(
            f"the grade is {token!r}; it must be a whole number from 0 to {grades - 1}, or say "
            "that there are more grades, or junk='zero' where negative ones mean 0."
        )
    return grade
