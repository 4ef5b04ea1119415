"""Text that does nothing but be read: not in a terminal, not in a spreadsheet, a shell or a path."""

from __future__ import annotations

import re
import shlex

# What makes a terminal act (C0, DEL, C1), hides the direction of text (bidirectional embeddings,
# overrides and isolates), breaks lines unseen, or cannot be encoded at all (lone surrogates).
_ACTIVE = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
ANYWHERE = re.compile(f"[{_ACTIVE}]")  # in a text that may have lines
IN_A_LINE = re.compile(f"[\t\n{_ACTIVE}]")

SHOWN = "\N{REPLACEMENT CHARACTER}"  # what a reader sees in place of such a character

# A spreadsheet runs a cell that begins so (tab and line breaks are skipped first), in full width too.
_FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")
_MARKED = re.compile("'+[=+\\-@\t\r\n＝＋－＠]")


def inert(text: str) -> str:
    """Return a text in which nothing but tabs and line feeds controls a terminal."""
    return ANYWHERE.sub(SHOWN, text.replace("\r\n", "\n"))


def cell(text: str) -> str:
    """Return a text as a cell of a CSV file that no spreadsheet runs; :func:`uncell` takes it back."""
    return f"'{text}" if _FORMULA.match(text) else text


def uncell(text: str) -> str:
    """Return the text of a cell that :func:`cell` made."""
    return text[1:] if _MARKED.match(text) else text


def command_line(*words: object) -> str:
    """Return a command as it can be pasted into a shell; words with a dash in front are not options."""
    parts = [str(word) for word in words]
    first = next((i for i, part in enumerate(parts) if part.startswith("-")), None)
    return shlex.join(parts if first is None else [*parts[:first], "--", *parts[first:]])


def file_name(name: str) -> str:
    """Return a name as that of a file in whatever folder: it has no parts, is not hidden and not long."""
    plain = re.sub(r'[/\\:*?"<>|]', "-", IN_A_LINE.sub("-", name))
    short = plain.encode()[:200].decode(errors="ignore")  # of 255 that file systems allow
    plain = short.strip(" .-") or "study"
    reserved = re.fullmatch(r"(con|prn|aux|nul|(com|lpt)\d)(\..*)?", plain, re.IGNORECASE)
    return f"study-{plain}" if reserved else plain
