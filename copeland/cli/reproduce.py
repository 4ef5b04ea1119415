"""copeland reproduce: the paper's experiments and analyses, made anew."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from copeland.cli.arguments import Backend, Jobs, Seed
from copeland.cli.interrupts import INTERRUPTED
from copeland.cli.output import Reply, note, progress_bar, spell_command
from copeland.cli.program import app
from copeland.errors import InvalidParameter

if TYPE_CHECKING:
    from copeland.matrix import PreferenceMatrix
    from copeland.reproduction.score_ties import Rows

RANKERS = "mslr-informational"
OTHERS = ("mslr-navigational", "mslr-perfect")

_FEWEST = 4  # options: of fewer there are no subsets to analyse
_EXAMPLE = "copeland reproduce --quick --jobs 2 --out out/paper"


@app.command("reproduce", epilog=f"Example: `{_EXAMPLE}`")
def reproduce_command(
    out: Path,
    quick: bool = False,
    full: bool = False,
    matrix: str | None = None,
    only: list[str] | None = None,
    letor: list[str] | None = None,
    comparisons: int = 0,
    also: list[str] | None = None,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    seed: Seed = 0,
) -> Reply:
    """Make the paper's figures and tables again, beside what the paper says about them.

    --out DIR           Write the page, the figures and the numbers into this folder. If you stop the command, run it again and it
        continues from there.
    --quick             Use small sizes, for a minute or two on two cores; this is the default.
    --full              Use the paper's sizes, which take half an hour of CPU time.
    --matrix FILE       The matrix to analyse; by default mslr-informational, if it was downloaded.
    --only NAME         One of small, large, condorcet, modern, sensitivity, cuts, analyses, ties; repeat for each, or separate with
        commas. All by default.
    --letor FILE        LETOR rows of MSLR, to estimate the rankers' matrix with equal scores ordered in each way (part ties); repeat
        for each file.
    --comparisons       Comparisons of each pair of rankers, with --letor. [default: 600, with --full 20,000]
    --also ALGORITHM    Also show this algorithm in Figures 1 and 2, such as scb:literal=1; repeat for each.
    """
    import copeland.problems.download as data
    import copeland.simulation.result_folder as results
    from copeland.support.tasks import check_workers

    check_workers(jobs, backend)
    if quick and full:
        raise InvalidParameter("--quick and --full exclude each other; give only one of them.")
    if seed < 0:
        raise InvalidParameter(f"seed is {seed}; it must be at least 0.")
    if comparisons < 0:
        raise InvalidParameter(f"comparisons is {comparisons}; it must be at least 1.")
    results.check_folder(out, force=True)
    parts = [name.strip() for names in only or [] for name in names.split(",")]
    rankers = _rankers(matrix, parts)
    others = {name: data.load(name) for name in OTHERS if data.find_in_cache(name) is not None}
    rows = _rows(letor or (), parts)

    from copeland.reproduction.reproduction import as_json as numbers
    from copeland.reproduction.reproduction import duration, reproduce

    note(f"copeland: {duration(parts, full, jobs, rankers is not None, rows, comparisons)}")

    try:
        with progress_bar("parts") as advance:
            found = reproduce(
                out,
                full=full,
                matrix=rankers,
                others=others,
                rows=rows,
                comparisons=comparisons,
                only=parts,
                also=also or (),
                seed=seed,
                jobs=jobs,
                backend=backend,
                progress=advance,
                note=lambda sentence: note(f"copeland: {sentence}"),
            )
    except KeyboardInterrupt:
        note("copeland: stopped; finished work is kept, and the same command continues from there.")
        raise typer.Exit(INTERRUPTED) from None

    from copeland.reproduction.reproduction_page import PAGE, summary, write_reproduction

    command = spell_command(
        *("copeland", "reproduce", "--full" if full else "--quick"),
        matrix=matrix,
        only=parts,
        also=also,
        letor=letor,
        comparisons=comparisons or None,
        seed=seed,
        out=out,
    )
    write_reproduction(found, out, results.versions(), command)
    return Reply(numbers(found), summary(found), f"Written to {out}: look at {out / PAGE}.")


def _rows(letor: Sequence[str], parts: Sequence[str]) -> Rows | None:
    """The LETOR rows to estimate a matrix from, if there are any."""
    if letor:
        from copeland.reproduction.score_ties import Rows

        return Rows.load(letor)
    if "ties" in parts:
        raise InvalidParameter(
            "the part ties needs rows of MSLR; name its files with --letor, as in --letor Fold1/train.txt."
        )
    return None


def _rankers(matrix: str | None, parts: Sequence[str]) -> PreferenceMatrix | None:
    """The matrix to analyse: the one given, or the paper's, or none."""
    import copeland.problems.download as data

    if matrix is not None:
        from copeland.problems import load

        given = load(matrix)
        if given.k < _FEWEST:
            raise InvalidParameter(
                f"{matrix} has {given.k} options; the analyses of subsets need at least {_FEWEST}."
            )
        return given
    if data.find_in_cache(RANKERS) is not None:
        return data.load(RANKERS)
    if not parts or "analyses" in parts:
        note(
            "copeland: the analyses are left out, because the 136 rankers are not downloaded; "
            f"run `copeland data fetch {RANKERS}`, then the same command again."
        )
    return None
