"""copeland tune report: a tuning as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from copeland.cli.options import Force, Json
from copeland.cli.shell import require_new, tell_result
from copeland.cli.tune.group import File, opened, tune


@tune.command("report", epilog="Example: `copeland tune report sound.npz sound.html`")
def report_command(
    file: File,
    page: Annotated[Path, typer.Argument(metavar="OUT.html", help="Where the page goes.")],
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write a page: the setting to take, and the estimated score over the space with the votes on it."""
    from copeland.files import write_file
    from copeland.report.tuning_page import tuning_page
    from copeland.results import versions

    require_new(page, force)
    tuner = opened(file)
    write_file(page, tuning_page(tuner, file.stem, versions()).encode())
    tell_result(f"Look at {page}.", {"page": str(page), "votes": tuner.votes}, as_json)
