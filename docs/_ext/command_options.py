"""The directive `options`: the options of a command, from its help, as a table.

Its content is the command as one would type it, so that the same block says where to look when it is read as plain text::

    ```{options}
    copeland study create --help
    ```
"""

import re
from typing import Any

import typer
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from copeland.cli import app

SHARED = ("--storage", "--json", "--help")  # what every command of a study takes


def option_rows(path: list[str]) -> list[str]:
    """Return the rows of the table of a command's own options; none if it has only those that all share."""
    command: Any = typer.main.get_command(app)
    for name in path:
        command = command.commands[name]
    return [
        f"| {_flags(one)} | {_words(one.help)}{_default(one)} |"
        for one in command.params
        if one.param_type_name == "option" and not one.hidden and one.opts[0] not in SHARED
    ]


def _flags(one: Any) -> str:
    flags = [*one.opts, *one.secondary_opts]
    value = f" {one.metavar}" if one.metavar else ""
    return ", ".join(f"`{flag}{value}`" for flag in flags).replace("|", "\\|")


def _default(one: Any) -> str:
    value = one.show_default if isinstance(one.show_default, str) else _value(one)
    if not one.show_default or not value:
        return ""
    return f" Default: {value}." if " " in value else f" Default: `{value}`."


def _value(one: Any) -> str:
    if isinstance(one.default, bool) or not isinstance(one.default, int | float | str):
        return ""
    return one.default if isinstance(one.default, str) else f"{one.default:g}"


def _words(text: str) -> str:
    """Help as it stands in a table: flags, places to fill and an empty text as code."""
    told = " ".join(text.split()).replace("|", "\\|").replace("<", "\\<")
    return re.sub(r"(?<![\w`-])(--[a-z][a-z-]*|\{[a-z:.0-9]+\}|''(?!\w))", r"`\1`", told)


class Options(SphinxDirective):
    """A table of the options of a command."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        words = self.content[0].split()
        assert words[0] == "copeland" and words[-1] == "--help", self.content
        head = [f"| `{' '.join(words[1:-1])}` | |", "|---|---|"]
        lines = StringList([*head, *option_rows(words[1:-1])], source=self.env.docname)
        holder = nodes.Element()
        self.state.nested_parse(lines, self.content_offset, holder)
        return holder.children


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("options", Options)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
