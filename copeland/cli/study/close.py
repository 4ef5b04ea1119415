"""copeland study close: no more votes."""

from __future__ import annotations

from copeland.cli.options import Json
from copeland.cli.shell import tell_result
from copeland.cli.study.group import STORAGE, Name, Storage, opened, study


@study.command("close", epilog="Example: `copeland study close tea`")
def close_command(name: Name, storage: Storage = STORAGE, as_json: Json = False) -> None:
    """Take no more votes; nothing is lost, and you can still look at the study."""
    opened(name, storage).close()
    tell_result(f"The study '{name}' is closed.", {"study": name, "closed": True}, as_json)
