"""copeland algorithms, formats, compile and doctor: what there is to run and to read, compiled ahead, and what is installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from copeland.cli.arguments import Json
from copeland.cli.output import Line, Reply, note, print_line, warnings_as_notes
from copeland.cli.program import app
from copeland.version import __version__

USED = ("numpy", "scipy", "numba", "matplotlib", "sqlalchemy", "typer")

_FIELDS = ("name", "paper", "target", "needs_horizon", "assumes_condorcet", "stops", "summary")


@app.command("algorithms", epilog="Example: `copeland algorithms`")
def algorithms_command() -> Reply:
    """List the algorithms: what each one looks for, its parameters and needs, and its paper."""
    from copeland.registry import algorithms
    from copeland.report.terminal_tables import algorithms_table

    with warnings_as_notes():
        known = algorithms().values()
    rows = [{name: getattr(one, name) for name in (*_FIELDS, "parameters")} for one in known]
    return Reply(rows, [algorithms_table(rows)])


@app.command("formats", epilog="Example: `copeland formats`")
def formats_command() -> Reply:
    """List the formats of files besides plain tables: what each holds, and whether it is read, written or both."""
    from copeland.formats import formats

    with warnings_as_notes():
        known = formats().values()
    rows = [
        {
            "name": one.name,
            "summary": one.summary,
            "holds": one.holds,
            "read": one.is_read,
            "written": one.write is not None,
            "columns": list(one.columns),
            "keys": list(one.keys),
            "suffixes": list(one.suffixes),
        }
        for one in known
    ]
    width = max(len(one.name) for one in known)
    lines = []
    for one in known:
        uses = [word for word, does in (("read", one.is_read), ("written", one.write)) if does]
        use = " and ".join(uses)
        lines.append(Line(f"{one.name:{width}}  {one.holds:7}  {use:16}  {one.summary}"))
    return Reply(rows, lines)


@app.command("compile", epilog="Example: `copeland compile cpc ccb`")
def compile_command(wanted: list[str] | None = None, as_json: Json = False) -> Reply:
    """Compile algorithms before you first use them, and keep the result on disk.

    Otherwise the first simulation, or a server's first questions, would wait for it.

    [NAME]...    Algorithms, as `copeland algorithms` lists them; all by default.
    """
    from copeland.registry import algorithms, find
    from copeland.simulation.compilation import compile_ahead
    from copeland.support.phrasing import format_count

    names = wanted or list(algorithms())
    for name in names:
        find(name)  # a misspelt one is named before anything takes long
    done = []
    for name in names:
        if not as_json:
            note(f"copeland: compiling {name} ...")
        one = compile_ahead(name)
        done.append(one)
        if not as_json:
            how = "was compiled before" if one.was_ready else f"compiled in {one.seconds:.1f} s"
            print_line(one.reason or f"{one.algorithm}: {how}.")
    seconds = sum(one.seconds for one in done)
    in_all = Line(f"{format_count(len(done), 'algorithm')} in {seconds:.0f} s.")
    return Reply([one._asdict() for one in done], [in_all])


@app.command("doctor", epilog="Example: `copeland doctor --json`")
def doctor_command() -> Reply:
    """Show versions, extras, folders and what is compiled. Include this when you report a fault."""
    found = _examine()
    return Reply(found, map(Line, _findings(found)))


def _findings(found: dict[str, Any]) -> Iterator[str]:
    from copeland.support.phrasing import format_count, join_names

    ready = [name for name, is_compiled in found["compiled"].items() if is_compiled]
    here = [name for name, lacks in found["extras"].items() if not lacks]
    cores = format_count(found["cores"], "core")
    yield f"copeland {found['copeland']}, Python {found['python']}, {found['system']}, {cores}"
    yield ", ".join(f"{name} {version}" for name, version in found["packages"].items())
    yield f"extras here: {join_names(here) or 'none'}"
    for name, lacks in found["extras"].items():
        if lacks:
            yield f"extra {name}: lacks {join_names(lacks)}"
    yield f"data sets: {found['data']}"
    yield f"compiled code: {join_names(found['caches']) or 'is not kept'}"
    yield f"compiled: {', '.join(ready) or 'nothing yet; copeland compile does it now'}"


def _examine() -> dict[str, Any]:
    import platform
    from importlib.metadata import metadata

    from copeland.registry import algorithms
    from copeland.simulation.compilation import cache_folders, is_ready

    known = algorithms()
    return {
        "copeland": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count() or 1,
        "packages": {name: _version(name) for name in USED},
        "extras": {
            name: _lacking(name) for name in metadata("copeland").get_all("Provides-Extra") or []
        },
        "data": _data_folder(),
        "caches": [str(place) for place in cache_folders(list(known.values()))],
        "compiled": {name: is_ready(one) for name, one in known.items()},
    }


def _data_folder() -> str:
    from copeland.errors import MissingExtra
    from copeland.problems.download import folder

    try:
        return str(folder())
    except MissingExtra:
        return "nowhere, without the extra data"


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _lacking(extra: str) -> list[str]:
    """The packages of an extra that are not installed."""
    import re
    from importlib.metadata import requires

    required = requires("copeland") or []
    named = [line for line in required if re.search(rf"extra == ['\"]{extra}['\"]", line)]
    packages = [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in named]
    return [package for package in packages if not _version(package)]
