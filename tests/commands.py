"""The command line, run inside a test."""

from typer.testing import CliRunner

from copeland.cli import app


def run(*words, **how):
    """Run one command, as a person would type it."""
    return CliRunner().invoke(
        app, [str(word) for word in words], prog_name="copeland", catch_exceptions=False, **how
    )
