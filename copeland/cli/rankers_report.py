"""copeland rankers report: an estimate from clicks, read back; who is best, and how sure that is."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copeland.cli.entries import (
    Entries,
    Features,
    Grades,
    Models,
    Qrels,
    Runs,
    ScoresFiles,
    Unjudged,
    entered,
)
from copeland.cli.options import Json, Whole
from copeland.cli.rankers import rankers
from copeland.cli.shell import note, print_json, show
from copeland.errors import FolderExists, InvalidParameter
from copeland.support.phrasing import some

if TYPE_CHECKING:
    from copeland.ranking.estimation import Estimate

_EXAMPLE = "copeland rankers report matrix.npz --letor train.txt --page report.html"


@rankers.command("report", epilog=f"Example: `{_EXAMPLE}`")
def report_command(
    matrix: Annotated[
        Path, typer.Argument(metavar="M.npz", help="A file that `rankers estimate --out` wrote.")
    ],
    letor: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="The LETOR file that the matrix comes from, for nDCG; repeat for each.",
        ),
    ] = None,
    features: Features = None,
    scores: ScoresFiles = None,
    model: Models = None,
    run: Runs = None,
    qrels: Qrels = None,
    unjudged: Unjudged = "refuse",
    page: Annotated[
        Path | None, typer.Option(metavar="OUT.html", help="Write a page with a heat map.")
    ] = None,
    ties: Annotated[str, typer.Option(help="half, coin or discard.")] = "half",
    cutoff: Annotated[int, Whole(help="How many documents from the top nDCG looks at.")] = 10,
    grades: Grades = None,
    seed: Annotated[int, Whole(help="The seed for equal scores and for coins.")] = 0,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file that --page names.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Say which ranker is best by clicks, how sure that is, and whether nDCG agrees."""
    if page is not None:
        _check(page, force)

    from copeland.ranking.estimation import Estimate

    found = Estimate.load(matrix)
    found.probabilities(ties)  # refuses a rule that cannot be applied before more is read
    entries = Entries(letor or (), qrels, features, scores or (), model or (), run or (), unjudged)
    means = _means(found, entries, grades, cutoff, seed) if any(entries[:-2]) else None
    measure = f"nDCG@{cutoff}"
    if page is not None:
        from copeland.ranking.rankers_page import write_rankers_page
        from copeland.simulation.result_folder import versions

        about = {"name": matrix.stem, "measure": measure, "versions": versions()}
        write_rankers_page(found, page, means, ties=ties, seed=seed, **about)
        note(f"Written: look at {page}.")
    if as_json:
        print_json(_summary(found, ties, seed, means, measure))
    else:
        show(
            f"{matrix}: {len(found.labels)} rankers\n",
            *_sentences(found, ties, seed, means, measure),
        )


def _check(page: Path, force: bool) -> None:
    if page.is_dir() or not page.parent.is_dir():
        raise InvalidParameter(f"{page}: name a file in a folder that exists.")
    if page.exists() and not force:
        raise FolderExists(f"{page} exists; name another file, or replace it with --force.")


def _means(found: Estimate, entries: Entries, grades: int | None, cutoff: int, seed: int) -> Any:
    """Mean nDCG of the rankers that the labels name: those entered, and features, with a minus if ascending."""
    from copeland.ranking import rankings
    from copeland.ranking.evaluation import means, ndcg
    from copeland.ranking.rankers import all_features

    collection, own = entered(entries, grades)
    known = {
        ranker.name: ranker
        for ranker in (*all_features(collection), *all_features(collection, False), *own)
    }
    unknown = [name for name in found.labels if name not in known]
    if unknown:
        raise InvalidParameter(
            f"{unknown[0]!r} is neither a feature of the documents nor a ranker that you named; "
            "nDCG is for the rankers that `rankers estimate` compared, from the same files."
        )
    return means(
        ndcg(collection, rankings(collection, [known[n] for n in found.labels], seed), cutoff)
    )


def _sentences(found: Estimate, ties: str, seed: int, means: Any, measure: str) -> list[str]:
    from copeland.cli.winners import findings, sentences
    from copeland.ranking.evaluation import agreement
    from copeland.ranking.rankers_page import (
        agreement_sentence,
        certainty,
        certainty_sentences,
        top_options,
    )

    m, sure = found.matrix(ties, seed=seed), certainty(found, ties, seed)
    said = [*sentences(findings(m)), *certainty_sentences(sure)]
    top = sure.touching(top_options(m))
    if top:
        pairs = [f"{m.labels[i]} and {m.labels[j]} ({m.p[i, j]:.4f})" for i, j in top]
        said.append(f"Not told apart, with one of the most wins: {some(pairs, 12)}.")
    if means is not None:
        best = m.labels[int(means.argmax())]
        said.append(f"Highest mean {measure}: {best} ({means.max():.4f}).")
        said.append(agreement_sentence(agreement(m, means), measure))
    return said


def _summary(found: Estimate, ties: str, seed: int, means: Any, measure: str) -> dict[str, Any]:
    from copeland.cli.winners import findings
    from copeland.ranking.evaluation import agreement
    from copeland.ranking.rankers_page import certainty, top_options

    m, sure = found.matrix(ties, seed=seed), certainty(found, ties, seed)
    told = {
        **findings(m),
        "largest_standard_error": sure.largest_error,
        "median_standard_error": sure.median_error,
        "pairs": sure.pairs,
        "not_told_apart": [list(pair) for pair in sure.open],
        "not_told_apart_at_the_top": [list(pair) for pair in sure.touching(top_options(m))],
        "always_tied": [list(pair) for pair in sure.twins],
    }
    if means is not None:
        agreed = agreement(m, means)
        told |= {
            "measure": measure,
            "means": means.tolist(),
            "agreement": {"share": agreed.share, **asdict(agreed)},
        }
    return told
