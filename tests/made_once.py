"""What takes longer to make than most tests run, and comes out the same each time: tests make it once in a process."""

from contextlib import contextmanager
from functools import cache
from unittest.mock import patch

import typer.testing


@contextmanager
def one_program():
    """The runner of commands would make the whole program anew for every command."""
    with patch.object(typer.testing, "_get_command", cache(typer.main.get_command), create=True):
        yield
