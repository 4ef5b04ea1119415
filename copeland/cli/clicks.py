"""copeland clicks: logs of interleaved lists and clicks on them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from copeland.cli.arguments import Backend, Force, Jobs
from copeland.cli.output import Line, Reply, note, progress_bar, require_new
from copeland.cli.program import Group, app
from copeland.errors import InvalidParameter
from copeland.support.escaping import command_line
from copeland.support.phrasing import format_count
from copeland.support.timestamps import seconds_since_1970

if TYPE_CHECKING:
    from copeland.ranking.click_log import ClickCounts

clicks = Group("clicks")
app.add(clicks)

_EXAMPLE = "copeland clicks count shown.parquet clicks.parquet --out wins.csv"
_NAMED = 10  # unreadable rows that are told

_ROWS = {  # an example of each log
    "impressions": {
        "impression": "q7-0042",
        "time": "2026-03-01T12:00:00Z",
        "user": "u19",
        "left": "bm25",
        "right": "neural",
        "teams": "LRRL",
    },
    "clicks": {"impression": "q7-0042", "time": "2026-03-01T12:00:09Z", "position": 2},
}

_LISTS = {
    "votes": "counted as votes",
    "no click": "without a click in time",
    "bots": "of bots",
    "further": "on a pair on which the user counts already",
    "repeated": "logged again",
    "outside": "outside of --since and --until",
}
_CLICKS = {
    "taken": "credited",
    "repeated": "on a position that was clicked before",
    "too late": "after the window",
    "too early": "before the list was shown",
    "out of range": "on a position that the list does not have",
    "never shown": "on lists that were never shown",
    "outside": "on lists outside of --since and --until",
}


@clicks.callback(epilog=f"Example: `{_EXAMPLE}`")
def example_command() -> Reply:
    """Logs of interleaved lists and of clicks on them; without a subcommand, show a row of each."""
    return Reply(_ROWS, [Line(f"{log}: {json.dumps(row)}") for log, row in _ROWS.items()])


@clicks.command("count", epilog=f"Example: `{_EXAMPLE}`")
def count_command(
    impressions: str,
    events: str,
    out: Path,
    window: float = 1800.0,
    bots: int = 60,
    once: bool = False,
    since: str | None = None,
    until: str | None = None,
    column: list[str] | None = None,
    scratch: Path | None = None,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    force: Force = False,
) -> Reply:
    """Count who won each interleaved list by its clicks, from logs of any size.

    IMPRESSIONS           The lists that were shown: a .ndjson, .csv or .parquet file, a folder of them, or a pattern with *.
    CLICKS                The clicks on them: a .ndjson, .csv or .parquet file, a folder of them, or a pattern with *.
    --out WINS.csv        Write the wins and ties of each pair.
    --window              For how many seconds after a list its clicks count.
    --bots                A user with more lists than this in a minute of the clock is a bot for that day (UTC).
    --once                Count only a user's first vote on each pair.
    --since TIME          Count only lists shown from this time on.
    --until TIME          Count only lists shown before this time.
    --column WHAT=NAME    The name of a column: impression, time, user, left, right, teams, position.
    --scratch FOLDER      The folder for temporary files; all workers of a cluster must see it.
    """
    require_new(out, force)

    from copeland.ranking.click_log import Rules, count_clicks
    from copeland.support.atomic_files import write_file

    rules = Rules(window, bots=bots, once=once)
    if since is not None:
        rules = rules._replace(since=seconds_since_1970(since))
    if until is not None:
        rules = rules._replace(until=seconds_since_1970(until))
    columns = dict(_read_columns(column or []))
    with progress_bar("parts") as advance:
        found = count_clicks(
            impressions, events, rules, columns, scratch, jobs, backend, progress=advance
        )
    write_file(out, found.csv().encode())
    if not found.lists["read"]:
        note(
            f"copeland: {impressions} holds no impressions, so {out} holds no votes. A front end shows no pairs once "
            "its allocation has expired."
        )
    result = {
        "out": str(out),
        "rankers": list(found.labels),
        "votes": found.lists["votes"],
        "impressions": dict(found.lists),
        "clicks": dict(found.clicks),
        "unreadable": found.damaged,
        "unreadable_rows": list(found.unreadable),
    }
    look = f"Written to {out}: look at it with {command_line('copeland', 'winners', out)}."
    return Reply(result, map(Line, _sentences(found)), look)


def _read_columns(given: list[str]) -> Iterator[tuple[str, str]]:
    for text in given:
        what, equals, name = text.partition("=")
        if not equals or not name:
            raise InvalidParameter(f"--column is '{text}'; write it as in time=ts.")
        yield what, name


def _sentences(found: ClickCounts) -> Iterator[str]:
    for what, rows, fates in (
        ("impression", found.lists, _LISTS),
        ("click", found.clicks, _CLICKS),
    ):
        yield f"{format_count(rows['read'], what)} read{':' if rows['read'] else '.'}"
        for fate, words in fates.items():
            if rows[fate]:
                yield f"  {rows[fate]:,} {words}"
    if found.damaged:
        yield f"{format_count(found.damaged, 'row')} cannot be read:"
        yield from (f"  {line}" for line in found.unreadable[:_NAMED])
        if found.damaged > _NAMED:
            yield f"  and {found.damaged - _NAMED:,} more"
