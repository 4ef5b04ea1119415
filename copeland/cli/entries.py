"""Which rankers `copeland rankers` compares, and on what documents: options, and how they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from copeland.cli.options import Whole
from copeland.cli.output import note
from copeland.errors import InvalidParameter

if TYPE_CHECKING:
    from copeland.ranking import Collection, Ranker

Grades = Annotated[
    int | None,
    Whole(help="How many grades the labels have: 2, 3 or 5. By default, as many as they use."),
]
Features = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Features to use as rankers: 1,5,7-20, NAME=NUMBER, or all. All by default, unless "
        "you name other rankers.",
    ),
]
ScoresFiles = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[NAME=]FILE",
        help="Scores of the documents, in their order: .npy, .parquet, or text with a named "
        "column for each ranker; repeat for each.",
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[NAME=]FILE",
        help="A LightGBM model, or an XGBoost one as .json or .ubj; repeat for each.",
    ),
]
Runs = Annotated[
    list[str] | None,
    typer.Option(metavar="[NAME=]FILE", help="A TREC run; repeat for each."),
]
Qrels = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="The judged documents to compare runs on, if there are no LETOR files."
    ),
]
Unjudged = Annotated[
    str,
    typer.Option(
        help="What to do with documents that a run retrieved and nobody judged: refuse, or count "
        "them (and negative grades) as grade 0 (zero)."
    ),
]


class Entries(NamedTuple):
    """What was entered: rankers as they are named, and what they are compared on."""

    files: Sequence[str]
    qrels: str | None = None
    features: str | None = None
    scores: Sequence[str] = ()
    models: Sequence[str] = ()
    runs: Sequence[str] = ()
    unjudged: str = "refuse"
    descending: bool = True

    @property
    def unknown(self) -> Literal["refuse", "zero"]:
        """What becomes of documents that nobody judged."""
        return "zero" if self.unjudged == "zero" else "refuse"

    def check(self) -> None:
        """Refuse what does not go together."""
        if self.unjudged not in ("refuse", "zero"):
            raise InvalidParameter(f"--unjudged is refuse or zero, not '{self.unjudged}'.")
        if bool(self.files) == (self.qrels is not None):
            raise InvalidParameter(
                "documents come from LETOR files or from --qrels; give one of the two."
            )
        if self.qrels is not None and (self.features or self.scores or self.models):
            raise InvalidParameter(
                "--features, --scores and --model are for LETOR files; with --qrels there are only runs."
            )
        if self.qrels is not None and not self.runs:
            raise InvalidParameter("--qrels needs the runs to compare; name them with --run.")


def read_entries(entries: Entries, grades: int | None) -> tuple[Collection, list[Ranker]]:
    """Return the documents, refused if they have other grades than was told, and the rankers."""
    from copeland.ranking.entries import by_features, by_model, by_scores, read_run
    from copeland.ranking.rankers import trec_run

    entries.check()
    with _in_words_of_options():
        runs = [read_run(text) for text in entries.runs]
        collection = _collection(entries, runs, grades)
        found = [trec_run(run, entries.unknown) for run in runs]
        found += [ranker for text in entries.scores for ranker in by_scores(text)]
        found += [by_model(text) for text in entries.models]
        if entries.features or not found:
            found += by_features(entries.features or "all", collection, entries.descending)
    return collection, found


def _collection(entries: Entries, runs: Sequence, grades: int | None) -> Collection:
    from copeland.ranking import letor, trec
    from copeland.ranking.collection import MAX_GRADE

    most = MAX_GRADE + 1 if grades is None else grades
    if entries.qrels is None:
        return letor.load(*entries.files, grades=most)
    judged = trec.read_qrels(entries.qrels, most, entries.unknown)
    return trec.collection(judged, runs, entries.unknown)


def count_grades(collection: Collection, told: int | None) -> int:
    """Count the grades: as told, or as the labels use."""
    from copeland.ranking.clicks import GRADES

    if told is not None:
        return told
    highest = int(collection.grades.max())
    if highest >= max(GRADES):
        raise InvalidParameter(
            f"a document has the grade {highest}; click models know {', '.join(map(str, GRADES[:-1]))} or "
            f"{GRADES[-1]} grades, so the highest is {max(GRADES) - 1}."
        )
    used = min(n for n in GRADES if n > highest)
    note(
        f"copeland: the labels go up to {highest}: {used} grades. If there are more, say --grades."
    )
    return used


@contextmanager
def _in_words_of_options() -> Iterator[None]:
    """Say in a refusal what the command line calls things."""
    from copeland.ranking.collection import InvalidCollection

    try:
        yield
    except InvalidCollection as error:
        said = str(error).replace("ask for unknown='zero'", "say --unjudged zero")
        raise InvalidCollection(said.replace("junk='zero'", "--unjudged zero")) from None
