"""copeland study: live studies. The group, and what its commands share."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copeland.cli.arguments import STORAGE, Json, Storage
from copeland.cli.program import Group, app

if TYPE_CHECKING:
    from copeland.study import Study, Wait
    from copeland.study.any_study import AnyStudy

Name = Annotated[str, typer.Argument(metavar="STUDY", help="The name of a study.")]
Voter = Annotated[str | None, typer.Option(metavar="NAME", help="Who votes.")]
Item = Annotated[str | None, typer.Option(metavar="NAME", help="What the options are compared on.")]
Folder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="The folder with the files of options; no file outside it is read. By default, the "
        "folder of the SQLite file.",
    ),
]

study = Group(
    "study",
    modules={
        "copeland.cli.study.ballots": ("ask", "tell", "undo", "vote"),
        "copeland.cli.study.changes": (
            *("close", "copy", "delete", "edit", "excuse", "option", "readmit", "reopen"),
        ),
        "copeland.cli.study.create": ("create",),
        "copeland.cli.study.files": ("certify", "export", "import", "report", "verify"),
        "copeland.cli.study.judge": ("judge",),
        "copeland.cli.study.plan": ("allocate", "plan"),
        "copeland.cli.study.results": ("list", "rank", "status", "wait"),
    },
)
app.add(study)


@study.callback(epilog="Example: `copeland study create tea -o green -o black -o white`")
def study_command(as_json: Json = False) -> None:
    """Live studies: people or judges vote, every vote is kept, and a certificate ends the study.

    First `create` a study. Then `vote` yourself, let a `judge` vote, or `import` votes. `status` says
    where it stands.
    """


Server = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="The address of a server that has the study, in place of a storage. A key of the study is in COPELAND_KEY.",
    ),
]


def open_study(name: str, storage: str) -> Study:
    """Return the study of this name."""
    from copeland.study import open_study

    return open_study(name, storage)


@dataclass(frozen=True)
class Named:
    """A study that a command is about."""

    name: Name
    storage: Storage = field(default=STORAGE, kw_only=True)

    def open(self) -> Study:
        """Return the study."""
        return open_study(self.name, self.storage)


def find_study(name: str, storage: str, server: str | None) -> AnyStudy:
    """Return the study of this name, on a server if one is named, or else in a storage."""
    if server is None:
        return open_study(name, storage)
    from copeland import client

    return client.open_study(name, server)


def nothing_left(work: AnyStudy, voter: str | None = None) -> str:
    """Say why a study has nothing to ask now, or nothing of this voter."""
    from copeland.study.kinds import kind_of

    own = () if voter is None else work.log(voter=voter)
    answered = len({frozenset((vote.left, vote.right)) for vote in own})
    return kind_of(work.settings).nothing_left(work.standing(voters=False), voter, answered)


def wait_first(wait: Wait) -> str:
    """Say until when a voter can be asked nothing."""
    from datetime import datetime

    then = datetime.fromtimestamp(wait.until).astimezone()
    return (
        "Nothing can be asked before a ballot that this voter holds is answered or, at "
        f"{then:%H:%M:%S} on {then:%Y-%m-%d}, expires."
    )
