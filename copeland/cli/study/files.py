"""copeland study import, export, report, certify and verify: files of votes, pages and certificates."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer

from copeland.cli.arguments import FORMS, NO_COLUMNS, STORAGE, Columns, Force, FormatName, Storage
from copeland.cli.output import Reply, note, require_new
from copeland.cli.program import FAILURE
from copeland.cli.study import Named, open_study, study
from copeland.errors import StorageError, UnknownStudy
from copeland.support.escaping import command_line, file_name


@study.command("import", epilog="Example: `copeland study import tea votes.csv`")
def import_command(
    at: Named,
    file: Annotated[Path, typer.Argument(metavar="FILE", help=FORMS)],
    source: str | None = None,
    format_: FormatName = None,
    columns: Columns = NO_COLUMNS,
) -> Reply:
    """Add votes from a file: all of them, or none if a row is damaged.

    You can import a file again as it grows: votes that the study already has are left out. It
    recognises them by their ids or, without ids, by the source and what they say.

    --source TEXT    Where they come from; the file's name by default.
    """
    new = at.open().add_votes(file, source, columns.named, format_)
    other = " If these are other votes, name another --source." if new.known and not new else ""
    if new.copy_of is not None:
        undo = command_line("copeland", "study", "undo", at.name)
        copied = command_line(source or file.name).removeprefix("-- ")
        other = f" To undo it: {undo} --import {copied}"
    result = {"study": at.name, "source": source or file.name, **new.to_dict()}
    return Reply(result, f"{new.sentence}{other}")


@study.command("export", epilog="Example: `copeland study export tea votes.csv`")
def export_command(
    at: Named, file: Path, format_: str | None = None, force: Force = False
) -> Reply:
    """Write every vote to a .csv file, or every event to a .jsonl file, or votes in another format.

    FILE             The file to write: .csv for the votes, .jsonl for the whole log; .parquet; .soi or .toi for PrefLib.
    --format NAME    Another format to write: see `copeland formats`.
    """
    require_new(file, force)
    at.open().export(file, format_)
    return Reply({"study": at.name, "file": str(file)}, f"Written to {file}.")


@study.command("report", epilog="Example: `copeland study report tea --out tea.html`")
def report_command(
    at: Named, out: Path | None = None, items: Path | None = None, force: Force = False
) -> Reply:
    """Write one self-contained page: the verdict, scores, every pair, cycles, progress, voters.

    --out PAGE.html    Where to write the page; STUDY.html by default.
    --items FILE       The test cases of judges: the page then shows both answers where an option lost.
    """
    from copeland.study.judges import read_items

    cases = None if items is None else read_items(items)
    path = out or Path(f"{file_name(at.name)}.html")
    work = at.open()
    require_new(path, force)
    # Not the command as it was typed: the address of a storage may hold a password.
    again = ("copeland", "study", "report", at.name, *(("--items", items) if items else ()))
    work.report(path, command_line(*again), cases)
    return Reply({"study": at.name, "page": str(path)}, f"Written to {path}.")


@study.command("certify", epilog="Example: `copeland study certify tea --out tea.json`")
def certify_command(
    at: Named, out: Path | None = None, active: bool = False, force: Force = False
) -> Reply:
    """Say what the votes prove, and what that assumes; exit code 1 if no option is proved best yet, or the study's goal is not reached.

    --out FILE.json    Write the certificate here.
    --active           Certify only the active options, as if there were no others.
    """
    from copeland.study.results.certificate_file import certificate_to_file
    from copeland.support.atomic_files import write_file

    work = at.open()
    if out is not None:
        require_new(out, force)
    found, text = certificate_to_file(work, active)
    if out is not None:
        write_file(out, text.encode(), private=True)
        check = command_line("copeland", "study", "verify", out)
        note(f"Written to {out}; check it with: {check}")
    content = json.loads(text)
    said = [found.statement, *([found.advice] if found.advice else []), "\nThis assumes:"]
    said += [f"- {one}" for one in [*found.assumptions, *content.get("notes", [])]]
    return Reply(content, said, code=0 if found.decided else FAILURE)


@study.command("verify", epilog="Example: `copeland study verify tea.json`")
def verify_command(file: Path, votes: Path | None = None, storage: Storage = STORAGE) -> Reply:
    """Check a certificate by making it again from its log; exit code 1 if it does not hold.

    FILE.json       A file that `study certify --out` or `gate --certificate` wrote.
    --votes FILE    Check it without the study's database, against its exported log (.jsonl) or votes (.csv).
    """
    statement, found = _check_study(file, votes, storage)
    result = {"file": str(file), "holds": not found, "objections": found}
    wrong = [f"{file} does not hold: {objection}" for objection in found]
    return Reply(result, wrong or f"{file} holds: {statement}", code=FAILURE if found else 0)


def _check_study(file: Path, votes: Path | None, storage: str) -> tuple[str, list[str]]:
    """What a study's certificate says, and what is wrong with it."""
    from copeland.study.results.certificate_file import (
        objections,
        objections_by_file,
        read_certificate,
    )

    filed = read_certificate(file)
    if votes is not None:
        return filed.certificate.statement, list(objections_by_file(filed, votes))
    try:
        work = open_study(filed.study, storage)
    except (StorageError, UnknownStudy) as error:
        command = shlex.join(("copeland", "study", "verify", str(file)))
        raise type(error)(
            f"{error} Name the database that has it with --storage; without it, give the log or the votes that were downloaded or exported "
            f"with the file: {command} --votes FILE."
        ) from error
    return filed.certificate.statement, list(objections(filed, work))
