"""copeland tune shortlist: a few settings for an ordinary study."""

from __future__ import annotations

from typing import Annotated

from copeland.cli.options import Json, Whole
from copeland.cli.shell import print_json, show
from copeland.cli.tune.group import File, opened, shown, tune


@tune.command("shortlist", epilog="Example: `copeland tune shortlist sound.npz -n 4`")
def shortlist_command(
    file: File,
    n: Annotated[int, Whole("--n", "-n", help="How many settings.")] = 6,
    as_json: Json = False,
) -> None:
    """Name settings among which the best one may well be; a study of them proves one best of these alone."""
    points = opened(file).shortlist(n)
    if as_json:
        print_json(points)
        return
    for place, point in enumerate(points, 1):
        show(f"{place}. {shown(point)}")
