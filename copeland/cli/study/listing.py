"""copeland study, and copeland study list: what there is."""

from __future__ import annotations

from typing import Any

import typer

from copeland.cli.options import Json
from copeland.cli.shell import print_json, show
from copeland.cli.study.group import STORAGE, Storage, opened, study


@study.callback(epilog="Example: `copeland study create tea -o green -o black -o white`")
def study_command(context: typer.Context, as_json: Json = False) -> None:
    """Live studies: people or judges vote, every vote is kept, and a certificate ends the study.

    First `create` a study. Then `vote` yourself, let a `judge` vote, or `import` votes. `status` says
    where it stands.
    """
    if as_json:  # before a command as well as after it
        context.default_map = _json_for_all(context.command)
    if context.invoked_subcommand is None:
        print(context.get_help())


def _json_for_all(command: Any) -> dict[str, Any]:
    commands = getattr(command, "commands", None)
    if commands is None:
        return {"as_json": True}
    return {name: _json_for_all(one) for name, one in commands.items()} | {"as_json": True}


@study.command("list", epilog="Example: `copeland study list --storage sqlite:///team.db`")
def list_command(storage: Storage = STORAGE, as_json: Json = False) -> None:
    """List the studies in a storage, the oldest first."""
    from copeland.study import list_studies
    from copeland.study.log.storage import Storage as Kept
    from copeland.study.report.study_tables import studies_table

    kept = Kept(storage, create=False)
    rows = [_described(name, storage) for name in list_studies(kept)]
    if as_json:
        print_json(rows)
    elif rows:
        show(studies_table(rows))
    else:
        show(f"There is no study in {kept.url} yet; copeland study create makes one.")


def _described(name: str, storage: str) -> dict[str, Any]:
    from copeland.support.phrasing import quote_name, quote_names

    work = opened(name, storage)
    if work.settings.space:
        from copeland.cli.study.tuned import listed

        return listed(work)
    standing = work.standing(voters=False)
    certificate = standing.certificate
    best = [certificate.labels[i] for i in certificate.best]
    if best:
        stands = f"proved best: {', '.join(quote_names(best))}"
    elif standing.leader:
        stands = f"open, {quote_name(standing.leader)} leads"
    else:
        stands = "open, no votes yet"
    return {
        "study": name,
        "options": len(standing.options),
        "votes": standing.votes,
        "verdict": certificate.verdict,
        "best": best,
        "leader": standing.leader,
        "closed": standing.closed,
        "stands": stands,
    }
