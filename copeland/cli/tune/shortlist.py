"""copeland tune shortlist: a few settings for an ordinary study."""

from __future__ import annotations

from typing import Annotated

from copeland.cli.options import Json, Whole
from copeland.cli.shell import print_json, show
from copeland.cli.study.group import STORAGE, Name, Storage, opened
from copeland.cli.tune.group import tune


@tune.command("shortlist", epilog="Example: `copeland tune shortlist sound -n 4`")
def shortlist_command(
    name: Name,
    n: Annotated[int, Whole("--n", "-n", help="How many settings.")] = 6,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """List settings that may well include the best one; a study of them proves which is best of these alone."""
    from copeland.study.options import values_of

    points = opened(name, storage).shortlist(n)
    if as_json:
        print_json(points)
        return
    for place, point in enumerate(points, 1):
        show(f"{place}. {values_of(point)}")
