"""How a command says which options it takes: its signature, and the end of its docstring."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from copeland.cli.arguments import Seed, take_options
from copeland.cli.output import Line, Reply


@dataclass(frozen=True)
class Size:
    """How large.

    --rows         How many rows. [default: all of them]
    --place DIR    Where it is.
    """

    rows: int | None = None
    place: Path = field(default=Path("here"), kw_only=True)


USUAL = Size()


def pour_command(
    tea: str, cups: int = 1, from_: str = "pot", size: Size = USUAL, seed: Seed = 0
) -> Reply:
    """Pour tea.

    As often as you like.

    TEA.csv               What to pour,
        and no more.
    --cups, -c            Into how many cups.
    --from                From where.
    """
    return Reply([tea, cups, from_, size.rows, str(size.place), seed], [Line(tea)], code=cups - 1)


def run(*words):
    run, text = take_options(pour_command)
    assert text == "Pour tea.\n\nAs often as you like."
    app = typer.Typer()
    app.command(help=text)(run)
    return CliRunner().invoke(app, words, env={"COLUMNS": "120"})


def test_the_end_of_a_docstring_describes_options_and_a_dataclass_stands_for_its_fields():
    page = run("--help").stdout
    for words in ("What to pour, and no more.", "Into how many cups.", "From where.", "-c"):
        assert words in page
    assert "How many rows." in page and "default: (all of them)" in page
    flags = ["--cups", "--from", "--rows", "--seed", "--place", "--json"]
    assert sorted(flags, key=page.index) == flags  # keyword-only ones come last, as they do here


def test_a_reply_is_values_or_lines_and_an_exit_code():
    assert run("green").stdout == "green\n"
    done = run("green", "--json", "-c", "1e0", "--from", "can", "--rows", "3", "--place", "there")
    assert done.stdout == '["green", 1, "can", 3, "there", 0]\n'
    assert run("green", "--cups", "3").exit_code == 2
    assert "'x' is not a number" in run("green", "--cups", "x").output


def test_a_line_that_describes_nothing_is_refused():
    def stray(name: str) -> None:
        """Do it.

        NAME      Whose.
        --size    No parameter.
        """

    with pytest.raises(AssertionError, match="No parameter"):
        take_options(stray)
