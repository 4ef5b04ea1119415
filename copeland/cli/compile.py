"""copeland compile: wait for the compiler now, once on a machine, and not later."""

from __future__ import annotations

from typing import Annotated

import typer

from copeland.cli.options import Json
from copeland.cli.shell import app, note, print_json, print_line
from copeland.registry import algorithms, find
from copeland.simulation.compilation import Compiled, compile_ahead
from copeland.support.phrasing import format_count

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME]...", help="Algorithms, as `copeland algorithms` lists them; all by default."
    ),
]


@app.command("compile", epilog="Example: `copeland compile cpc ccb`")
def compile_command(wanted: Names = None, as_json: Json = False) -> None:
    """Compile algorithms before you first use them, and keep the result on disk.

    Otherwise the first simulation, or a server's first questions, would wait for it.
    """
    names = wanted or list(algorithms())
    for name in names:
        find(name)  # a misspelt one is named before anything takes long
    done = []
    for name in names:
        if not as_json:
            note(f"copeland: compiling {name} ...")
        done.append(compile_ahead(name))
        if not as_json:
            print_line(_said(done[-1]))
    if as_json:
        print_json([one._asdict() for one in done])
        return
    seconds = sum(one.seconds for one in done)
    print_line(f"{format_count(len(done), 'algorithm')} in {seconds:.0f} s.")


def _said(one: Compiled) -> str:
    if one.reason:
        return one.reason
    how = "was compiled before" if one.was_ready else f"compiled in {one.seconds:.1f} s"
    return f"{one.algorithm}: {how}."
