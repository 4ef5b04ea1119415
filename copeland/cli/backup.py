"""copeland backup: a copy of a SQLite storage, taken while it is in use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from copeland.cli.options import Force, Json
from copeland.cli.shell import app, require_new, tell_result
from copeland.cli.study.group import STORAGE, Storage


@app.command("backup", epilog="Example: `copeland backup votes-2026-11-16.db`")
def backup_command(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the copy.")],
    storage: Storage = STORAGE,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Copy all studies to a file, even while people vote; you can open the copy like the storage itself.

    For PostgreSQL, use pg_dump.
    """
    from copeland.study import Storage as Kept

    require_new(path, force)
    kept = Kept(storage, create=False)
    kept.copy_to(path)
    names = Kept(f"sqlite:///{path}", create=False).names()
    said = "1 study" if len(names) == 1 else f"{len(names):,} studies"
    result = {"file": str(path), "studies": names}
    tell_result(f"{path} holds {said} of {kept.url}.", result, as_json)
