"""The command line: one file a command group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from copeland.cli.interrupts import stop_unless_running

if TYPE_CHECKING:
    from copeland.cli.program import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command ``copeland``."""
    with stop_unless_running():
        # Not before: until here Ctrl-C finds nothing to break.
        from copeland.cli.program import app

        app(prog_name="copeland")


def __getattr__(name: str) -> Any:
    """Import the program when it is first asked for."""
    if name == "app":
        from copeland.cli.program import app

        return app
    raise AttributeError(f"module 'copeland.cli' has no attribute '{name}'")
