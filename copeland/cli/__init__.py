"""The command line: one file a command, and each file registers its own."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

from copeland.cli.interrupts import guarded

if TYPE_CHECKING:
    from copeland.cli.shell import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command ``copeland``."""
    with guarded():
        _program()(prog_name="copeland")


def __getattr__(name: str) -> Any:
    """Import the commands when they are first asked for: until then Ctrl-C finds nothing to break."""
    if name == "app":
        return _program()
    raise AttributeError(f"module 'copeland.cli' has no attribute '{name}'")


def _program() -> Any:
    from copeland.cli.shell import app

    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)
    return app
