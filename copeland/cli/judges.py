"""copeland judges: is a judge fit to decide?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from copeland.cli.arguments import (
    FORMS,
    NO_COLUMNS,
    STORAGE,
    Force,
    FormatName,
    Json,
    Storage,
    VoteColumns,
)
from copeland.cli.output import Reply, require_new, spell_command
from copeland.cli.program import Group, app
from copeland.errors import InvalidParameter
from copeland.support.phrasing import shorten_names

judges = Group("judges")
app.add(judges)

_EXAMPLE = "copeland judges audit votes.csv --people winner --judge gpt4 --require 'agreement>=.8'"
_CODES = {"passed": 0, "failed": 1, "undecided": 3}


@judges.callback(epilog=f"Example: `{_EXAMPLE}`")
def judges_command(as_json: Json = False) -> None:
    """Judges beside people: is a program or a language model fit to decide?"""


@judges.command("audit", epilog=f"Example: `{_EXAMPLE}`")
def audit_command(
    votes: Annotated[
        Path | None, typer.Argument(metavar="VOTES", help=FORMS, show_default=False)
    ] = None,
    judge: list[str] | None = None,
    people: str | None = None,
    study: str | None = None,
    require: list[str] | None = None,
    margin: float = 0.05,
    pair_votes: int = 50,
    lengths: str | None = None,
    texts: str | None = None,
    tags: str | None = None,
    out: Path | None = None,
    csv: Path | None = None,
    format: FormatName = None,
    columns: VoteColumns = NO_COLUMNS,
    storage: Storage = STORAGE,
    force: Force = False,
) -> Reply:
    """Compare judges with people who voted on the same answers: is a judge fit to decide?

    Exit code 0 if every pass mark is proved, 1 if one is refuted, 3 if neither, 2 for bad input; without --require, 0.

    --judge NAME              A judge: its column beside --people, or else the voter; repeat for each. Of a study, by default all its
        judges.
    --people COLUMN           The column with people's outcome, where each judge has a column too; without it, all voters but the judges
        are people.
    --study NAME              Audit the judges of a study, not a file.
    --require MARK            A pass mark, fixed before you look: agreement>=.8, off<=.1; also agreement-with-ties, kappa, first, longer,
        own-family, flips, correlation. Repeat for each.
    --margin                  By how much a share must differ to be off.
    --pair-votes              How many votes of people a pair needs to be looked at by itself.
    --lengths LEFT,RIGHT      The columns with the lengths of the left and right answer.
    --texts LEFT,RIGHT        Or the columns with the answers themselves.
    --tags COLUMN|FILE        The column with tags of the item, separated by commas; or a file of cases with answers and tags.
    --out AUDIT.html          Write the audit as a page.
    --csv PAIRS.csv           Write a row for each pair.
    """
    written = [path for path in (out, csv) if path is not None]
    for path in written:
        require_new(path, force)

    from copeland.audit import audit_judges
    from copeland.support.atomic_files import write_file

    audit = audit_judges(
        _find_votes(votes, study, storage),
        people=people,
        judges=judge or [],
        require=require or [],
        columns=columns.named,
        lengths=_read_pair(lengths, "--lengths"),
        texts=_read_pair(texts, "--texts"),
        tags=_read_tags(tags),
        margin=margin,
        pair_votes=pair_votes,
        format=format,
    )
    if csv is not None:
        write_file(csv, audit.pairs_csv().encode())
    if out is not None:
        again = spell_command(
            *("copeland", "judges", "audit", *([] if votes is None else [str(votes)])),
            study=study,
            people=people,
            judge=judge,
            require=require,
        )
        audit.report(out, again)
    lines = [*audit.sentences, *(line for two in audit.two for line in _list_disagreements(two))]
    notes = "\n".join(f"Written to {path}." for path in written)
    return Reply(audit.to_dict(), lines, notes, _CODES.get(audit.decision or "", 0))


def _find_votes(votes: Path | None, study: str | None, storage: str) -> Any:
    """The file or the study that was named, one of them."""
    if (votes is None) == (study is None):
        raise InvalidParameter("name a file of votes, or a study with --study; one of them.")
    if study is None:
        return votes
    from copeland.cli.study import open_study

    return open_study(study, storage)


def _read_pair(text: str | None, option: str) -> tuple[str, str] | None:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise InvalidParameter(
            f"{option} is '{text}'; name two columns, as in {option} left,right."
        )
    return parts[0], parts[1]


def _read_tags(told: str | None) -> str | dict[str, tuple[str, ...]] | None:
    """A column, or the tags of each case in a file."""
    if told is None or not Path(told).is_file():
        return told
    from copeland.formats.answers import read_answers

    return {case.id: case.tags for case in read_answers(Path(told)).cases}


def _list_disagreements(two: Any) -> list[Any]:
    """The first cases on which two judges disagree."""
    from rich.table import Table

    from copeland.audit.audit_page import SHOWN

    if not two.disagreements:
        return []
    table = Table("item", "option", "option", two.first, two.second, box=None)
    for one in two.disagreements[:SHOWN]:
        table.add_row(shorten_names([one.item or ""], 60)[0], *one[1:])
    n = len(two.disagreements)
    shown = f"the first {SHOWN} of {n:,}" if n > SHOWN else f"all {n:,}"
    return ["", f"Cases on which {two.first} and {two.second} disagree, {shown}:", table]
