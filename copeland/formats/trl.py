"""Preference rows as TRL trains on: JSON lines of a prompt, the text that was chosen and the one that was rejected."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from copeland.formats import Format, Record, register_format


def write(votes: Sequence[Record], texts: Mapping[str, str], path: Path) -> bytes:
    """Return a line for each vote that counts and names a winner.

    The prompt is the item, an answer is the text of an option, or its name if it has none.
    """
    return "".join(_lines(votes, texts)).encode()


def _lines(votes: Sequence[Record], texts: Mapping[str, str]) -> Iterator[str]:
    for vote in votes:
        if not vote["counted"] or vote["outcome"] not in ("left", "right"):
            continue
        sides = (vote["left"], vote["right"])
        chosen, rejected = sides if vote["outcome"] == "left" else sides[::-1]
        row = {
            "prompt": vote["item"] or "",
            "chosen": texts[chosen] or chosen,
            "rejected": texts[rejected] or rejected,
        }
        yield (json.dumps(row, ensure_ascii=False) + "\n") * vote["times"]


register_format(
    Format(
        name="trl",
        summary="Preference rows for TRL, written only: prompt, chosen and rejected.",
        read=None,
        write=write,
    )
)
