"""copeland study excuse, and copeland study readmit: whose answers are waited for."""

from __future__ import annotations

from typing import Annotated

import typer

from copeland.cli.options import Json
from copeland.cli.shell import tell_result
from copeland.cli.study.group import STORAGE, Name, Storage, opened, study

Member = Annotated[str, typer.Argument(metavar="VOTER", help="A member of the panel.")]


@study.command("excuse", epilog="Example: `copeland study excuse lunch cid`")
def excuse_command(
    name: Name, voter: Member, storage: Storage = STORAGE, as_json: Json = False
) -> None:
    """Stop waiting for the missing answers of a panel member; answers already given stay."""
    work = opened(name, storage)
    work.excuse(voter)
    said = f"{voter} is excused. {work.certificate().statement}"
    tell_result(said, {"study": name, "excused": voter}, as_json)


@study.command("readmit", epilog="Example: `copeland study readmit lunch cid`")
def readmit_command(
    name: Name, voter: Member, storage: Storage = STORAGE, as_json: Json = False
) -> None:
    """Wait again for the answers of an excused member."""
    work = opened(name, storage)
    work.readmit(voter)
    said = f"The study waits for the answers of {voter}. {work.certificate().statement}"
    tell_result(said, {"study": name, "readmitted": voter}, as_json)
