"""copeland study hook: who is told when a study ends."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from copeland.cli.arguments import STORAGE, Json, Storage
from copeland.cli.output import tell_result
from copeland.cli.study import Name, open_study, study
from copeland.errors import InvalidParameter
from copeland.support.phrasing import format_count


@study.command(
    "hook", epilog="Example: `copeland study hook tea --url https://ci.example.org/copeland`"
)
def hook_command(
    name: Name,
    url: Annotated[
        str | None, typer.Option("--url", metavar="URL", help="The address to tell.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Tell nobody any more.")] = False,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Say who is told when a study ends, or look at the last messages; `copeland serve` sends them."""
    from copeland.study.webhooks import Webhooks

    if url is not None and remove:
        raise InvalidParameter("give --url or --remove, not both.")
    kept = open_study(name, storage).storage
    key, hooks = kept.key(name), Webhooks(kept)
    if url is not None:
        made = hooks.set(key, url)
        told = {"study": name, "url": made.url, "secret": made.secret}
        said = f"{made.url} is told when the study '{name}' ends. Keep this secret, which is shown only now:"
        tell_result(said, told, as_json, made.secret)
    elif remove:
        hooks.remove(key)
        tell_result(
            f"Nobody is told when the study '{name}' ends.", {"study": name, "url": None}, as_json
        )
    else:
        _tell_state(name, hooks, key, as_json)


def _tell_state(name: str, hooks: Any, key: int, as_json: bool) -> None:
    hook, sent = hooks.find(key), hooks.deliveries(key)
    if hook is None:
        said = f"Nobody is told when the study '{name}' ends; set an address with --url."
    else:
        said = "\n".join(
            [f"{hook.url} is told when the study '{name}' ends."]
            + [
                f"{one.id}: {one.state} after {format_count(one.attempts, 'attempt')}"
                + (f", last answer: {one.answer}" if one.answer else "")
                for one in sent
            ]
        )
    told = [
        {"id": one.id, "state": one.state, "attempts": one.attempts, "answer": one.answer}
        for one in sent
    ]
    result = {"study": name, "url": hook.url if hook else None, "deliveries": told}
    tell_result(said, result, as_json)
