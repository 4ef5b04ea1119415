"""copeland board: which places of a table of scores are proved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from copeland.cli.arguments import Force, Seed
from copeland.cli.output import Reply, require_new, spell_command
from copeland.cli.program import app

if TYPE_CHECKING:
    from copeland.boards import Board

_FILES = (
    "Scores as .csv, .tsv, .jsonl, .json or .parquet: columns system, case and score; or a row for each case and a column for each system, "
    "or the other way round. Several files are one table."
)


@app.command(
    "board",
    epilog="Example: `copeland board scores.csv --goal top:3 --cluster repo --out board.html`",
)
def board_command(
    files: Annotated[list[Path], typer.Argument(metavar="SCORES...", help=_FILES)],
    by: str = "mean",
    goal: str = "tiers",
    cluster: str | None = None,
    missing: str = "refuse",
    delta: float = 0.05,
    out: Path | None = None,
    markdown: Path | None = None,
    seed: Seed = 0,
    force: Force = False,
) -> Reply:
    """Say which systems of a table of scores are told apart: tie groups, ranks as intervals, who may be first.

    All that it says holds at once, for cases like these, but for the error probability.

    --by mean|wins            By mean score; or by on how many cases a system is better than another.
    --goal GOAL               Mark who is in and who is out: best, top:3, above:NAME; tiers marks nobody.
    --cluster COLUMN          Which cases hang together, as questions about one document do; a column 'cluster' needs no option.
    --missing zero|drop       What a missing score is: 0, or leave out the cases that any system lacks. By default it is refused.
    --delta                   The error probability.
    --out BOARD.html          Write a page with the intervals and the pairs.
    --markdown BOARD.md       Write the table for a README.
    """
    written = [path for path in (out, markdown) if path is not None]
    for path in written:
        require_new(path, force)

    from copeland.boards import board
    from copeland.support.atomic_files import write_file

    how: dict[str, Any] = {"by": by, "goal": goal, "cluster": cluster, "missing": missing}
    found = board(files, **how, delta=delta, seed=seed)
    if markdown is not None:
        write_file(markdown, found.to_markdown().encode())
    if out is not None:
        again = spell_command("copeland", "board", *map(str, files), **how, delta=delta, seed=seed)
        found.report(out, again)
    notes = "\n".join(f"Written to {path}." for path in written)
    return Reply(found.to_dict, _list_lines(found), notes)


def _list_lines(found: Board) -> Iterator[Any]:
    """What is proved, the systems as a table, and what to mind."""
    from copeland.boards.board_page import board_table

    yield found.sentence
    yield board_table(found)
    yield from found.advice
    yield from cast("tuple[str, ...]", found.notes)
