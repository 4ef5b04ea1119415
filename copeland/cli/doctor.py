"""copeland doctor: what is installed, where things are kept, and what is compiled."""

from __future__ import annotations

import importlib.metadata as installed
import os
import platform
import re
from typing import Any

from copeland.cli.options import Json
from copeland.cli.shell import app, print_json, print_line
from copeland.errors import MissingExtra
from copeland.problems.download import folder
from copeland.registry import algorithms
from copeland.simulation.compilation import cache_folders, is_ready
from copeland.support.phrasing import format_count, join_names
from copeland.version import __version__

USED = ("numpy", "scipy", "numba", "matplotlib", "sqlalchemy", "typer")


@app.command("doctor", epilog="Example: `copeland doctor --json`")
def doctor_command(as_json: Json = False) -> None:
    """Show versions, extras, folders and what is compiled. Include this when you report a fault."""
    found = _found()
    if as_json:
        print_json(found)
        return
    ready = [name for name, is_compiled in found["compiled"].items() if is_compiled]
    missing = [name for name, lacks in found["extras"].items() if lacks]
    lines = [
        f"copeland {found['copeland']}, Python {found['python']}, {found['system']}, {format_count(found['cores'], 'core')}",
        ", ".join(f"{name} {version}" for name, version in found["packages"].items()),
        f"extras here: {join_names([name for name in found['extras'] if name not in missing]) or 'none'}",
        *(f"extra {name}: lacks {join_names(found['extras'][name])}" for name in missing),
        f"data sets: {found['data']}",
        f"compiled code: {join_names(found['caches']) or 'is not kept'}",
        f"compiled: {', '.join(ready) or 'nothing yet; copeland compile does it now'}",
    ]
    for line in lines:
        print_line(line)


def _found() -> dict[str, Any]:
    known = algorithms()
    return {
        "copeland": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count() or 1,
        "packages": {name: _version(name) for name in USED},
        "extras": {name: _lacking(name) for name in _extras()},
        "data": _data_folder(),
        "caches": [str(place) for place in cache_folders(list(known.values()))],
        "compiled": {name: is_ready(one) for name, one in known.items()},
    }


def _data_folder() -> str:
    try:
        return str(folder())
    except MissingExtra:
        return "nowhere, without the extra data"


def _version(package: str) -> str:
    try:
        return installed.version(package)
    except installed.PackageNotFoundError:
        return ""


def _extras() -> list[str]:
    return installed.metadata("copeland").get_all("Provides-Extra") or []


def _lacking(extra: str) -> list[str]:
    """The packages of an extra that are not installed."""
    required = installed.requires("copeland") or []
    named = [line for line in required if re.search(rf"extra == ['\"]{extra}['\"]", line)]
    packages = [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in named]
    return [package for package in packages if not _version(package)]
