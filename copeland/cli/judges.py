"""copeland judges: is a judge fit to decide?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from copeland.cli.arguments import (
    FORMS,
    STORAGE,
    Force,
    FormatName,
    ItemColumn,
    Json,
    LeftColumn,
    Number,
    OutcomeColumn,
    RightColumn,
    Storage,
    TimeColumn,
    VoterColumn,
    Whole,
    columns_of,
)
from copeland.cli.output import (
    note,
    print_json,
    require_new,
    show,
    spell_command,
)
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
    judge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A judge: its column beside --people, or else the voter; repeat for each. Of a study, by default all its judges.",
        ),
    ] = None,
    people: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column with people's outcome, where each judge has a column too; without it, all voters but the judges are people.",
        ),
    ] = None,
    study: Annotated[
        str | None, typer.Option(metavar="NAME", help="Audit the judges of a study, not a file.")
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MARK",
            help="A pass mark, fixed before you look: agreement>=.8, off<=.1; also agreement-with-ties, kappa, "
            "first, longer, own-family, flips, correlation. Repeat for each.",
        ),
    ] = None,
    margin: Annotated[float, Number(help="By how much a share must differ to be off.")] = 0.05,
    pair_votes: Annotated[
        int, Whole(help="How many votes of people a pair needs to be looked at by itself.")
    ] = 50,
    lengths: Annotated[
        str | None,
        typer.Option(
            metavar="LEFT,RIGHT", help="The columns with the lengths of the left and right answer."
        ),
    ] = None,
    texts: Annotated[
        str | None,
        typer.Option(metavar="LEFT,RIGHT", help="Or the columns with the answers themselves."),
    ] = None,
    tags: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN|FILE",
            help="The column with tags of the item, separated by commas; or a file of cases with answers and tags.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="AUDIT.html", help="Write the audit as a page.")
    ] = None,
    pairs_file: Annotated[
        Path | None, typer.Option("--csv", metavar="PAIRS.csv", help="Write a row for each pair.")
    ] = None,
    format: FormatName = None,
    left: LeftColumn = None,
    right: RightColumn = None,
    outcome: OutcomeColumn = None,
    voter: VoterColumn = None,
    item: ItemColumn = None,
    time: TimeColumn = None,
    storage: Storage = STORAGE,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Compare judges with people who voted on the same answers: is a judge fit to decide?

    Exit code 0 if every pass mark is proved, 1 if one is refuted, 3 if neither, 2 for bad input; without --require, 0.
    """
    for path in (out, pairs_file):
        if path is not None:
            require_new(path, force)
    columns = columns_of(left=left, right=right, outcome=outcome, voter=voter, item=item, time=time)

    from copeland.audit import audit_judges
    from copeland.support.atomic_files import write_file

    audit = audit_judges(
        _find_votes(votes, study, storage),
        people=people,
        judges=judge or [],
        require=require or [],
        columns=columns,
        lengths=_read_pair(lengths, "--lengths"),
        texts=_read_pair(texts, "--texts"),
        tags=_read_tags(tags),
        margin=margin,
        pair_votes=pair_votes,
        format=format,
    )
    if pairs_file is not None:
        write_file(pairs_file, audit.pairs_csv().encode())
    if out is not None:
        again = spell_command(
            *("copeland", "judges", "audit", *([] if votes is None else [str(votes)])),
            study=study,
            people=people,
            judge=judge,
            require=require,
        )
        audit.report(out, again)
    if as_json:
        print_json(audit.to_dict())
    else:
        show(*audit.sentences)
        for two in audit.two:
            _show_disagreements(two)
    for path in (out, pairs_file):
        if path is not None:
            note(f"Written to {path}.")
    raise typer.Exit(_CODES.get(audit.decision or "", 0))


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


def _show_disagreements(two: Any) -> None:
    """Show the first cases on which two judges disagree."""
    from rich.table import Table

    from copeland.audit.audit_page import SHOWN

    if not two.disagreements:
        return
    table = Table("item", "option", "option", two.first, two.second, box=None)
    for one in two.disagreements[:SHOWN]:
        table.add_row(shorten_names([one.item or ""], 60)[0], *one[1:])
    n = len(two.disagreements)
    shown = f"the first {SHOWN} of {n:,}" if n > SHOWN else f"all {n:,}"
    show("", f"Cases on which {two.first} and {two.second} disagree, {shown}:", table)
