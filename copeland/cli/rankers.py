"""copeland rankers: search rankers compared by interleaving and simulated clicks; who is best, and how sure that is."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from copeland.cli.arguments import Backend, Jobs, Json, Number, Seed, Whole
from copeland.cli.interrupts import INTERRUPTED
from copeland.cli.output import note, print_json, progress_bar, require_new, show
from copeland.cli.program import Group, app
from copeland.errors import InvalidParameter
from copeland.support.escaping import command_line
from copeland.support.phrasing import join_names, some

if TYPE_CHECKING:
    from copeland.ranking import Collection, Ranker
    from copeland.ranking.estimation import Estimate

rankers = Group("rankers", invoke_without_command=True)
app.add(rankers)

_EXAMPLE = "copeland rankers estimate train.txt --clicks informational --out matrix.npz"
_REPORT_EXAMPLE = "copeland rankers report matrix.npz --letor train.txt --page report.html"

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


@rankers.callback(epilog=f"Example: `{_EXAMPLE}`")
def choices_command(context: typer.Context, as_json: Json = False) -> None:
    """Search rankers as options; without a subcommand, list what you can choose from."""
    if context.invoked_subcommand is not None:
        return

    from copeland.ranking.clicks import click_models
    from copeland.ranking.comparison_arrays import OUTCOMES, SCORE_TIES
    from copeland.ranking.estimation import TIES
    from copeland.ranking.interleaving import methods

    there = {
        "clicks": list(click_models()),
        "interleaving": list(methods()),
        "outcomes": list(OUTCOMES),
        "ties": list(TIES),
        "score ties": list(SCORE_TIES),
    }
    if as_json:
        print_json(there)
        return
    for what, names in there.items():
        show(f"{what}: {', '.join(names)}")


@rankers.command("estimate", epilog=f"Example: `{_EXAMPLE}`")
def estimate_command(
    out: Annotated[Path, typer.Option(metavar="M.npz", help="Write the matrix and its counts.")],
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="LETOR files, plain or .gz, which are read as one."),
    ] = None,
    features: Features = None,
    scores: ScoresFiles = None,
    model: Models = None,
    run: Runs = None,
    qrels: Qrels = None,
    unjudged: Unjudged = "refuse",
    clicks: Annotated[
        str, typer.Option(help="perfect, navigational, informational, almost-random or random.")
    ] = "informational",
    grades: Grades = None,
    interleave: Annotated[
        str, typer.Option(help="probabilistic, as in the paper, or team-draft.")
    ] = "probabilistic",
    comparisons: Annotated[
        int, Whole(help="Comparisons of each pair of rankers; the paper has 400000.")
    ] = 1_000,
    outcome: Annotated[str, typer.Option(help="sign, naive or expected.")] = "sign",
    ties: Annotated[str, typer.Option(help="half, coin or discard.")] = "half",
    score_ties: Annotated[
        str,
        typer.Option(
            help="When to order equal scores: once (frozen), for each list (fresh), or for each "
            "list and again before clicks are credited, as the paper's matrix was made "
            "(rebroken)."
        ),
    ] = "frozen",
    length: Annotated[int, Whole(help="How many documents a list shows.")] = 10,
    tau: Annotated[float, Number(help="How steeply rankers prefer their best documents.")] = 3.0,
    ascending: Annotated[
        bool, typer.Option("--ascending", help="Rank by each feature from small to large.")
    ] = False,
    adaptive: Annotated[
        bool,
        typer.Option(
            "--adaptive", help="Compare more only where it can still change who the winners are."
        ),
    ] = False,
    seed: Seed = 0,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file that --out names.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Compare every two rankers (features or your own) by interleaving and simulated clicks."""
    if out.suffix != ".npz":
        raise InvalidParameter(f"{out}: the counts are kept in an .npz file; name one.")
    require_new(out, force)

    from copeland.ranking import constant_features
    from copeland.ranking.adaptive import estimate_adaptively
    from copeland.ranking.clicks import click_model
    from copeland.ranking.estimation import Protocol, check_ties, estimate
    from copeland.support.tasks import check_workers

    check_ties(ties)
    check_workers(jobs, backend)
    Protocol(
        click_model(clicks), comparisons, outcome, length, tau, interleave, score_ties
    )  # refuses early
    entries = Entries(
        files or (), qrels, features, scores or (), model or (), run or (), unjudged, not ascending
    )
    collection, chosen = read_entries(entries, grades)
    used = count_grades(collection, grades)
    protocol = Protocol(
        click_model(clicks, used), comparisons, outcome, length, tau, interleave, score_ties
    )
    names = {ranker.name.removeprefix("-") for ranker in chosen}
    constant = [feature for feature in constant_features(collection) if feature in names]
    if constant:
        note(f"copeland: constant in every query, so ranking at random: {join_names(constant)}.")
    kept = out.with_name(f"{out.name}.parts")
    try:
        with progress_bar("comparisons" if adaptive else "pairs") as advance:
            found = (estimate_adaptively if adaptive else estimate)(
                collection,
                chosen,
                protocol,
                kept,
                seed,
                jobs,
                progress=advance,
                note=note,
                backend=backend,
            )
    except KeyboardInterrupt:
        note("copeland: stopped; the same command goes on from here.")
        raise typer.Exit(INTERRUPTED) from None
    found.save(out, ties, seed)
    shutil.rmtree(kept, ignore_errors=True)
    about = _about(found, ties, seed, comparisons if adaptive else None)
    if as_json:
        print_json({"out": str(out), **about})
        return
    for name, value in about.items():
        show(f"{name.replace('_', ' ')}: {_say(value)}")
    look = command_line("copeland", "winners", out)
    note(f"Written to {out}: it loads wherever a matrix does, as in {look}.")


def _about(found: Any, ties: str, seed: int, budget: int | None) -> dict[str, Any]:
    """Say what was found; ``budget`` is what an adaptive estimate could have spent on each pair."""
    from copeland.theory import winners

    made: dict[str, Any] = {"comparisons_of_each_pair": int(found.n.max())}
    if budget is not None:
        k, total = len(found.labels), int(found.n.sum()) // 2
        made = {
            "comparisons_in_all": total,
            "share_of_the_full_budget": round(total / (budget * k * (k - 1) // 2), 4),
            "most_comparisons_of_a_pair": int(found.n.max()),
        }
    matrix = found.matrix(ties, seed=seed)
    condorcet = winners.condorcet_winner(matrix)
    return {
        "rankers": matrix.k,
        **made,
        "largest_standard_error": float(found.standard_errors(ties).max()),
        "condorcet_winner": None if condorcet is None else matrix.labels[condorcet],
        "copeland_winners": [matrix.labels[i] for i in winners.copeland_winners(matrix)],
    }


def _say(value: Any) -> str:
    """A value as one says it."""
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(value)
    if isinstance(value, float):
        return f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else value


@rankers.command("report", epilog=f"Example: `{_REPORT_EXAMPLE}`")
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
        if page.is_dir() or not page.parent.is_dir():
            raise InvalidParameter(f"{page}: name a file in a folder that exists.")
        require_new(page, force)

    from copeland.ranking.estimation import Estimate
    from copeland.ranking.evaluation import agreement
    from copeland.ranking.rankers_page import certainty

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
    m, sure = found.matrix(ties, seed=seed), certainty(found, ties, seed)
    agreed = None if means is None else agreement(m, means)
    if as_json:
        print_json(_summary(m, sure, means, agreed, measure))
    else:
        said = _sentences(m, sure, means, agreed, measure)
        show(f"{matrix}: {len(found.labels)} rankers\n", *said)


def _means(found: Estimate, entries: Entries, grades: int | None, cutoff: int, seed: int) -> Any:
    """Mean nDCG of the rankers that the labels name: those entered, and features, with a minus if ascending."""
    from copeland.ranking import rankings
    from copeland.ranking.evaluation import means, ndcg
    from copeland.ranking.rankers import all_features

    collection, own = read_entries(entries, grades)
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


def _sentences(m: Any, sure: Any, means: Any, agreed: Any, measure: str) -> list[str]:
    from copeland.cli.matrices import findings, sentences
    from copeland.ranking.rankers_page import agreement_sentence, certainty_sentences, top_options

    findings_in_words = [*sentences(findings(m)), *certainty_sentences(sure)]
    best = top_options(m)
    top = sure.touching(best)
    if top:
        pairs = [f"{m.labels[i]} and {m.labels[j]} ({m.p[i, j]:.4f})" for i, j in top]
        which = "" if len(best) == m.k else f", with one of the {len(best)} with the most wins"
        findings_in_words.append(f"Not told apart{which}: {some(pairs, 12)}.")
    if means is not None:
        first = m.labels[int(means.argmax())]
        findings_in_words.append(f"Highest mean {measure}: {first} ({means.max():.4f}).")
        findings_in_words.append(agreement_sentence(agreed, measure))
    return findings_in_words


def _summary(m: Any, sure: Any, means: Any, agreed: Any, measure: str) -> dict[str, Any]:
    from dataclasses import asdict

    from copeland.cli.matrices import findings
    from copeland.ranking.rankers_page import top_options

    summary = {
        **findings(m),
        "largest_standard_error": sure.largest_error,
        "median_standard_error": sure.median_error,
        "pairs": sure.pairs,
        "not_told_apart": [list(pair) for pair in sure.open],
        "not_told_apart_at_the_top": [list(pair) for pair in sure.touching(top_options(m))],
        "always_tied": [list(pair) for pair in sure.twins],
    }
    if means is not None:
        summary |= {
            "measure": measure,
            "means": means.tolist(),
            "agreement": {"share": agreed.share, **asdict(agreed)},
        }
    return summary


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
    from copeland.ranking.rankers import by_features, by_model, by_scores, read_run, trec_run

    entries.check()
    with _in_words_of_options():
        runs = [read_run(text) for text in entries.runs]
        collection = _collection(entries, runs, grades)
        rankers = [trec_run(run, entries.unknown) for run in runs]
        rankers += [ranker for text in entries.scores for ranker in by_scores(text)]
        rankers += [by_model(text) for text in entries.models]
        if entries.features or not rankers:
            rankers += by_features(entries.features or "all", collection, entries.descending)
    return collection, rankers


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
        refusal = str(error).replace("ask for unknown='zero'", "say --unjudged zero")
        raise InvalidCollection(refusal.replace("junk='zero'", "--unjudged zero")) from None
