"""copeland study import, export, report, certify and verify: files of votes, pages and certificates."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer

from copeland.cli.arguments import (
    FORMS,
    STORAGE,
    Force,
    FormatName,
    IdColumn,
    ItemColumn,
    Json,
    LeftColumn,
    OutcomeColumn,
    RightColumn,
    Storage,
    TimeColumn,
    VoterColumn,
    columns_of,
)
from copeland.cli.output import note, print_json, require_new, show, tell_result
from copeland.cli.program import FAILURE
from copeland.cli.study import Name, open_study, study
from copeland.errors import InvalidParameter, StorageError, UnknownStudy
from copeland.support.escaping import command_line, file_name


@study.command("import", epilog="Example: `copeland study import tea votes.csv`")
def import_command(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help=FORMS)],
    source: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Where they come from; the file's name by default."),
    ] = None,
    format_: FormatName = None,
    left: LeftColumn = None,
    right: RightColumn = None,
    outcome: OutcomeColumn = None,
    voter: VoterColumn = None,
    item: ItemColumn = None,
    time: TimeColumn = None,
    id_: IdColumn = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Add votes from a file: all of them, or none if a row is damaged.

    You can import a file again as it grows: votes that the study already has are left out. It
    recognises them by their ids or, without ids, by the source and what they say.
    """
    columns = columns_of(
        left=left, right=right, outcome=outcome, voter=voter, item=item, time=time, event_id=id_
    )
    new = open_study(name, storage).add_votes(file, source, columns, format_)
    other = " If these are other votes, name another --source." if new.known and not new else ""
    if new.copy_of is not None:
        undo = command_line("copeland", "study", "undo", name)
        copied = command_line(source or file.name).removeprefix("-- ")
        other = f" To undo it: {undo} --import {copied}"
    tell_result(
        f"{new.sentence}{other}",
        {"study": name, "source": source or file.name, **new.to_dict()},
        as_json,
    )


@study.command("export", epilog="Example: `copeland study export tea votes.csv`")
def export_command(
    name: Name,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The file to write: .csv for the votes, .jsonl for the whole log; .parquet; .soi or .toi for PrefLib.",
        ),
    ],
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="Another format to write: see `copeland formats`.",
        ),
    ] = None,
    force: Force = False,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Write every vote to a .csv file, or every event to a .jsonl file, or votes in another format."""
    require_new(file, force)
    open_study(name, storage).export(file, format_)
    tell_result(f"Written to {file}.", {"study": name, "file": str(file)}, as_json)


@study.command("report", epilog="Example: `copeland study report tea --out tea.html`")
def report_command(
    name: Name,
    out: Annotated[
        Path | None,
        typer.Option(metavar="PAGE.html", help="Where to write the page; STUDY.html by default."),
    ] = None,
    force: Force = False,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Write one self-contained page: the verdict, scores, every pair, cycles, progress, voters."""
    path = out or Path(f"{file_name(name)}.html")
    work = open_study(name, storage)
    require_new(path, force)
    # Not the command as it was typed: the address of a storage may hold a password.
    work.report(path, command_line("copeland", "study", "report", name))
    tell_result(f"Written to {path}.", {"study": name, "page": str(path)}, as_json)


@study.command("certify", epilog="Example: `copeland study certify tea --out tea.json`")
def certify_command(
    name: Name,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Write the certificate here.")
    ] = None,
    active: Annotated[
        bool,
        typer.Option(
            "--active", help="Certify only the active options, as if there were no others."
        ),
    ] = False,
    force: Force = False,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Say what the votes prove, and what that assumes; exit code 1 if no option is proved best yet, or the study's goal is not reached."""
    from copeland.study.results.certificate_file import certificate_to_file
    from copeland.support.atomic_files import write_file

    work = open_study(name, storage)
    if out is not None:
        require_new(out, force)
    found, text = certificate_to_file(work, active)
    if out is not None:
        write_file(out, text.encode(), private=True)
        check = command_line("copeland", "study", "verify", out)
        note(f"Written to {out}; check it with: {check}")
    if as_json:
        print_json(json.loads(text))
    else:
        said = [found.statement, *([found.advice] if found.advice else [])]
        notes = json.loads(text).get("notes", [])
        show(*said, "\nThis assumes:", *(f"- {one}" for one in [*found.assumptions, *notes]))
    if not found.decided:
        raise typer.Exit(FAILURE)


@study.command("verify", epilog="Example: `copeland study verify tea.json`")
def verify_command(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.json",
            help="A file that `study certify --out` or `gate --certificate` wrote.",
        ),
    ],
    votes: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Check it without the study's database, against its exported log (.jsonl) or votes (.csv).",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Of a gate: check also that these answers were judged."),
    ] = None,
    candidate: Annotated[
        str | None, typer.Option(metavar="FILE", help="The same for the candidate's answers.")
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="One file with the answers of both; --baseline and --candidate are then options in it.",
        ),
    ] = None,
    format_: FormatName = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Check a certificate by making it again from its log, or from the verdicts of a gate; exit code 1 if it does not hold."""
    from copeland.study.results.certificate_file import (
        objections,
        objections_by_file,
        read_certificate,
    )

    if _is_gate_checked(file, baseline, candidate, answers, format_, as_json):
        return
    filed = read_certificate(file)
    if votes is None:
        try:
            work = open_study(filed.study, storage)
        except (StorageError, UnknownStudy) as error:
            command = shlex.join(("copeland", "study", "verify", str(file)))
            raise type(error)(
                f"{error} Without the study's database, give the log or the votes that were downloaded or exported "
                f"with the file: {command} --votes FILE."
            ) from error
        found = objections(filed, work)
    else:
        found = objections_by_file(filed, votes)
    if as_json:
        print_json({"file": str(file), "holds": not found, "objections": list(found)})
    elif found:
        show(*(f"{file} does not hold: {objection}" for objection in found))
    else:
        show(f"{file} holds: {filed.certificate.statement}")
    if found:
        raise typer.Exit(FAILURE)


def _is_gate_checked(
    file: Path,
    baseline: str | None,
    candidate: str | None,
    answers: Path | None,
    name: str | None,
    as_json: bool,
) -> bool:
    """Check the certificate of a gate; return whether it is one."""
    from copeland.gate.case_pairs import pair_answers, pick_answers
    from copeland.gate.gate_certificate import find_objections, read_gate_certificate

    content = read_gate_certificate(file)
    if content is None:
        return False
    if (baseline is None) != (candidate is None):
        raise InvalidParameter("give both --baseline and --candidate, or neither.")
    pairs = None
    if baseline is not None and candidate is not None:
        pairs = (
            pair_answers(baseline, candidate, inner=True, name=name)
            if answers is None
            else pick_answers(answers, baseline, candidate, name)
        )
    found = find_objections(content, pairs)
    if as_json:
        print_json({"file": str(file), "holds": not found, "objections": list(found)})
    elif found:
        show(*(f"{file} does not hold: {objection}" for objection in found))
    else:
        show(f"{file} holds: {content['statement']}")
    if found:
        raise typer.Exit(FAILURE)
    return True
