"""copeland study allocate: which users see which rankers, as a document that front ends draw from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copeland.cli.options import Force, Json, Number, Whole
from copeland.cli.shell import note, print_json, require_new, show
from copeland.cli.study.group import STORAGE, Name, Storage, opened, study
from copeland.support.atomic_files import write_file
from copeland.support.phrasing import percent

if TYPE_CHECKING:
    from copeland.search.allocation import Allocation

_SHOWN = 20  # pairs
_EXAMPLE = "copeland study allocate rankers --impressions 100000 --out allocation.json"


@study.command("allocate", epilog=f"Example: `{_EXAMPLE}`")
def allocate_command(
    name: Name,
    impressions: Annotated[
        int, Whole(help="How many lists you will show while the document is valid.")
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Write the document here.")
    ] = None,
    control: Annotated[
        str | None,
        typer.Option(
            metavar="OPTION", help="What users who do not take part see; by default, the leader."
        ),
    ] = None,
    control_share: Annotated[float, Number(help="The share of users who never take part.")] = 0.0,
    cap: Annotated[
        float, Number(help="The largest share of interleaved lists that may hold one ranker.")
    ] = 1.0,
    traffic: Annotated[
        float, Number(help="The share of users who take part; raise it step by step.")
    ] = 1.0,
    valid: Annotated[float, Number(help="Seconds for which the document holds.")] = 3600.0,
    force: Force = False,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Divide users among the pairs that the study would ask next.

    A paused option is in no pair of the next document.
    """
    if out is not None:
        require_new(out, force)
    found = opened(name, storage).allocate(
        impressions,
        control=control,
        control_share=control_share,
        cap=cap,
        traffic=traffic,
        valid=valid,
    )
    if out is not None:
        write_file(out, found.to_json().encode())
        note(f"Written to {out}; it holds until {found.valid_until}.")
    if as_json:
        print_json(json.loads(found.to_json()))
    elif out is None:
        print(found.to_json(), end="")
    else:
        show(*_sentences(found))


def _sentences(found: Allocation) -> Iterator[str]:
    from copeland.search.allocation import BUCKETS

    part = found.taking_part / BUCKETS
    yield f"{percent(part)} of users take part; the others see {found.alone}."
    pairs = sorted(found.pairs, key=lambda share: share.first - share.end)
    for share in pairs[:_SHOWN]:
        yield f"  {percent((share.end - share.first) / BUCKETS)} {share.left} and {share.right}"
    if len(pairs) > _SHOWN:
        yield f"  and {len(pairs) - _SHOWN:,} more pairs"
