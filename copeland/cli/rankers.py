"""copeland rankers: search rankers compared by interleaving and simulated clicks; who is best, and how sure that is."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from copeland.cli.arguments import Backend, Jobs, Seed
from copeland.cli.interrupts import INTERRUPTED
from copeland.cli.output import Reply, note, progress_bar, require_new
from copeland.cli.program import Group, app
from copeland.errors import InvalidParameter
from copeland.support.escaping import command_line
from copeland.support.phrasing import join_names, some

if TYPE_CHECKING:
    from copeland.ranking import Collection, Ranker
    from copeland.ranking.estimation import Estimate

rankers = Group("rankers")
app.add(rankers)

_EXAMPLE = "copeland rankers estimate train.txt --clicks informational --out matrix.npz"
_REPORT_EXAMPLE = "copeland rankers report matrix.npz --letor train.txt --page report.html"


@dataclass(frozen=True)
class Entries:
    """Rankers as they are named, and what they are compared on if not on LETOR files.

    --features LIST          Features to use as rankers: 1,5,7-20, NAME=NUMBER, or all. All by default, unless you name other rankers.
    --scores [NAME=]FILE     Scores of the documents, in their order: .npy, .parquet, or text with a named column for each ranker; repeat
        for each.
    --model [NAME=]FILE      A LightGBM model, or an XGBoost one as .json or .ubj; repeat for each.
    --run [NAME=]FILE        A TREC run; repeat for each.
    --qrels FILE             The judged documents to compare runs on, if there are no LETOR files.
    --unjudged               What to do with documents that a run retrieved and nobody judged: refuse, or count them (and negative
        grades) as grade 0 (zero).
    """

    features: str | None = None
    scores: list[str] | None = None
    model: list[str] | None = None
    run: list[str] | None = None
    qrels: str | None = None
    unjudged: str = "refuse"

    @property
    def unknown(self) -> Literal["refuse", "zero"]:
        """What becomes of documents that nobody judged."""
        return "zero" if self.unjudged == "zero" else "refuse"

    def check(self, files: Sequence[str]) -> None:
        """Refuse what does not go together."""
        if self.unjudged not in ("refuse", "zero"):
            raise InvalidParameter(f"--unjudged is refuse or zero, not '{self.unjudged}'.")
        if bool(files) == (self.qrels is not None):
            raise InvalidParameter(
                "documents come from LETOR files or from --qrels; give one of the two."
            )
        if self.qrels is not None and (self.features or self.scores or self.model):
            raise InvalidParameter(
                "--features, --scores and --model are for LETOR files; with --qrels there are only runs."
            )
        if self.qrels is not None and not self.run:
            raise InvalidParameter("--qrels needs the runs to compare; name them with --run.")


NO_ENTRIES = Entries()


@rankers.callback(epilog=f"Example: `{_EXAMPLE}`")
def choices_command() -> Reply:
    """Search rankers as options; without a subcommand, list what you can choose from."""
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
    return Reply(there, [f"{what}: {', '.join(names)}" for what, names in there.items()])


@rankers.command("estimate", epilog=f"Example: `{_EXAMPLE}`")
def estimate_command(
    out: Path,
    files: list[str] | None = None,
    entries: Entries = NO_ENTRIES,
    clicks: str = "informational",
    grades: int | None = None,
    interleave: str = "probabilistic",
    comparisons: int = 1_000,
    outcome: str = "sign",
    ties: str = "half",
    score_ties: str = "frozen",
    length: int = 10,
    tau: float = 3.0,
    ascending: bool = False,
    adaptive: bool = False,
    seed: Seed = 0,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    force: bool = False,
) -> Reply:
    """Compare every two rankers (features or your own) by interleaving and simulated clicks.

    FILE             LETOR files, plain or .gz, which are read as one.
    --out M.npz      Write the matrix and its counts.
    --clicks         perfect, navigational, informational, almost-random or random.
    --grades         How many grades the labels have: 2, 3 or 5. By default, as many as they use.
    --interleave     probabilistic, as in the paper, or team-draft.
    --comparisons    Comparisons of each pair of rankers; the paper has 400000.
    --outcome        sign, naive or expected.
    --ties           half, coin or discard.
    --score-ties     When to order equal scores: once (frozen), for each list (fresh), or for each list and again before clicks are
        credited, as the paper's matrix was made (rebroken).
    --length         How many documents a list shows.
    --tau            How steeply rankers prefer their best documents.
    --ascending      Rank by each feature from small to large.
    --adaptive       Compare more only where it can still change who the winners are.
    --force          Replace the file that --out names.
    """
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
    protocol = Protocol(
        click_model(clicks), comparisons, outcome, length, tau, interleave, score_ties
    )  # refuses early
    collection, chosen = read_entries(files or (), entries, grades, not ascending)
    protocol = replace(protocol, clicks=click_model(clicks, count_grades(collection, grades)))
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
    lines = [f"{name.replace('_', ' ')}: {_say(value)}" for name, value in about.items()]
    look = command_line("copeland", "winners", out)
    advice = f"Written to {out}: it loads wherever a matrix does, as in {look}."
    return Reply({"out": str(out), **about}, lines, advice)


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
    matrix: Path,
    letor: list[str] | None = None,
    entries: Entries = NO_ENTRIES,
    page: Path | None = None,
    ties: str = "half",
    cutoff: int = 10,
    grades: int | None = None,
    seed: int = 0,
    force: bool = False,
) -> Reply:
    """Say which ranker is best by clicks, how sure that is, and whether nDCG agrees.

    M.npz              A file that `rankers estimate --out` wrote.
    --letor FILE       The LETOR file that the matrix comes from, for nDCG; repeat for each.
    --page OUT.html    Write a page with a heat map.
    --ties             half, coin or discard.
    --cutoff           How many documents from the top nDCG looks at.
    --grades           How many grades the labels have: 2, 3 or 5. By default, as many as they use.
    --seed             The seed for equal scores and for coins.
    --force            Replace the file that --page names.
    """
    if page is not None:
        if page.is_dir() or not page.parent.is_dir():
            raise InvalidParameter(f"{page}: name a file in a folder that exists.")
        require_new(page, force)

    from copeland.ranking.estimation import Estimate
    from copeland.ranking.evaluation import agreement
    from copeland.ranking.rankers_page import certainty

    found = Estimate.load(matrix)
    found.probabilities(ties)  # refuses a rule that cannot be applied before more is read
    means = None
    if letor or entries != replace(NO_ENTRIES, unjudged=entries.unjudged):
        collection, own = read_entries(letor or (), entries, grades)
        means = _means(found, collection, own, cutoff, seed)
    measure = f"nDCG@{cutoff}"
    if page is not None:
        from copeland.ranking.rankers_page import write_rankers_page
        from copeland.support.rng import versions

        about = {"name": matrix.stem, "measure": measure, "versions": versions()}
        write_rankers_page(found, page, means, ties=ties, seed=seed, **about)
        note(f"Written: look at {page}.")
    m, sure = found.matrix(ties, seed=seed), certainty(found, ties, seed)
    agreed = None if means is None else agreement(m, means)
    said = _sentences(m, sure, means, agreed, measure)
    head = f"{matrix}: {len(found.labels)} rankers\n"
    return Reply(_summary(m, sure, means, agreed, measure), [head, *said])


def _means(
    found: Estimate, collection: Collection, own: Sequence[Ranker], cutoff: int, seed: int
) -> Any:
    """Mean nDCG of the rankers that the labels name: those entered, and features, with a minus if ascending."""
    from copeland.ranking import rankings
    from copeland.ranking.evaluation import means, ndcg
    from copeland.ranking.rankers import all_features

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


def read_entries(
    files: Sequence[str], entries: Entries, grades: int | None, descending: bool = True
) -> tuple[Collection, list[Ranker]]:
    """Return the documents, refused if they have other grades than was told, and the rankers."""
    from copeland.ranking import letor, trec
    from copeland.ranking.collection import MAX_GRADE
    from copeland.ranking.rankers import by_features, by_model, by_scores, read_run, trec_run

    entries.check(files)
    most = MAX_GRADE + 1 if grades is None else grades
    with _in_words_of_options():
        runs = [read_run(text) for text in entries.run or ()]
        if entries.qrels is None:
            collection = letor.load(*files, grades=most)
        else:
            judged = trec.read_qrels(entries.qrels, most, entries.unknown)
            collection = trec.collection(judged, runs, entries.unknown)
        rankers = [trec_run(run, entries.unknown) for run in runs]
        rankers += [ranker for text in entries.scores or () for ranker in by_scores(text)]
        rankers += [by_model(text) for text in entries.model or ()]
        if entries.features or not rankers:
            rankers += by_features(entries.features or "all", collection, descending)
    return collection, rankers


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
