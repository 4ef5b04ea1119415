"""The command line: one file a command, and each file registers its own."""

from __future__ import annotations

import importlib
import pkgutil

from copeland.cli.shell import app

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_module.name)

__all__ = ["app", "main"]


def main() -> None:
    """Run the command ``copeland``."""
    app(prog_name="copeland")
