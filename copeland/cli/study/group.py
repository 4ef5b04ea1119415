"""What all commands of `copeland study` share: the group, the storage, the study by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copeland.cli.shell import app
from copeland.errors import InvalidParameter
from copeland.support.escaping import command_line

if TYPE_CHECKING:
    from copeland.study import Study, Wait
    from copeland.study.results.panel_standing import PanelStanding

STORAGE = "sqlite:///copeland.db"


def _kept(url: str) -> str:
    """Refuse a storage that ends with the command."""
    from copeland.study.log.storage import is_lost

    if is_lost(url):
        raise InvalidParameter(
            f"'{url}' keeps a study in memory, so it would be lost when the command ends; name a "
            "file, as in sqlite:///copeland.db."
        )
    return url


Name = Annotated[str, typer.Argument(metavar="STUDY", help="The name of a study.")]
Storage = Annotated[
    str,
    typer.Option(
        envvar="COPELAND_STORAGE",
        callback=_kept,
        metavar="URL",
        help="Where studies are kept: sqlite:///file.db or postgresql://user@host/database.",
    ),
]
Voter = Annotated[str | None, typer.Option(metavar="NAME", help="Who votes.")]
AsGuide = Annotated[
    bool,
    typer.Option(
        "--guide",
        help="Make the voter a guide, before the first vote: its votes decide what to ask next and prove nothing.",
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="The folder with the files of options; no file outside it is read. By default, the "
        "folder of the SQLite file.",
    ),
]

study = typer.Typer(invoke_without_command=True)
app.add_typer(study, name="study")


def opened(name: str, storage: str) -> Study:
    """Return the study of this name."""
    from copeland.study import open_study

    return open_study(name, storage)


def let_guide(work: Study, voter: str | None) -> None:
    """Make a voter a guide."""
    if voter is None:
        raise InvalidParameter("a guide needs a name; give one with --voter.")
    work.set_role(voter, "guide")


def refuse_cases(work: Study) -> None:
    """Refuse ballots one by one in a study that judges decide on test cases: it draws the cases of all of them."""
    if work.settings.cases > 1:
        judge = command_line("copeland", "study", "judge", work.name)
        raise InvalidParameter(
            f"judges decide this study on {work.settings.cases:,} test cases, and it draws the case of each ballot; let one "
            f"judge: {judge} --items FILE."
        )


def nothing_left(work: Study, voter: str | None = None) -> str:
    """Say why a study has nothing to ask now, or nothing of this voter."""
    if work.settings.space:
        return (
            "Nothing is left to ask: the space has few points, and this voter has seen every pair."
        )
    standing = work.standing(voters=False)
    if standing.panel is not None:
        return _nothing_of(standing.panel, voter, standing.closed)
    if standing.certificate.best:
        return "Nothing is left to ask: the verdict is proved."
    if work.settings.cases:
        return "Nothing is left to ask: every case is judged, or was skipped."
    if work.settings.people and len(standing.active) > 1:
        return "Nothing is left to ask: this voter has seen every pair, but you can ask others."
    return "Nothing is left to ask."


def _nothing_of(panel: PanelStanding, voter: str | None, closed: bool) -> str:
    """Say why a panel, or a member of it, has nothing to answer now."""
    from copeland.support.phrasing import join_names

    if panel.active.best or closed or not panel.members_to_ask:
        return f"Nothing is left to ask: {panel.active.statement[0].lower()}{panel.active.statement[1:]}"
    whom = "" if voter is None else f" of {voter}"
    return (
        f"Nothing is left to ask{whom} now. Still to be asked: {join_names(panel.members_to_ask)}."
    )


def wait_first(wait: Wait) -> str:
    """Say until when a voter can be asked nothing."""
    from datetime import datetime

    then = datetime.fromtimestamp(wait.until).astimezone()
    return (
        "Nothing can be asked before a ballot that this voter holds is answered or, at "
        f"{then:%H:%M:%S} on {then:%Y-%m-%d}, expires."
    )
