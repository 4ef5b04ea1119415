"""Markdown that shows any text as it is: sentences and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from copeland.support.phrasing import shorten

# What Markdown or HTML acts on within a line: emphasis, links (also bare ones), tables, mentions, mathematics.
_ACTIVE = re.compile(r"([\\`*_{}\[\]<>#|~&$@]|:(?=//)|(?<=www)\.)", re.IGNORECASE)


def escape_markdown(text: str, most: int | None = None) -> str:
    r"""Return a text on one line that Markdown and HTML show as it is."""
    return _ACTIVE.sub(r"\\\1", shorten(text, most or len(text)))


def tabulate_markdown(
    columns: Sequence[str], rows: Iterable[Sequence[object]], most: int | None = None
) -> str:
    """Return a table; longer cells lose their end."""
    lines = [
        f"| {' | '.join(escape_markdown(str(one), most) for one in cells)} |"
        for cells in (columns, *rows)
    ]
    return "\n".join([lines[0], "|---" * len(columns) + "|", *lines[1:]])
