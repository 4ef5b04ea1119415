"""LMArena's battles: who won between two language models, as the Chatbot Arena publishes it.

Files with a column ``winner`` are plain tables of votes; in those of 2024 it is spread over three columns.
"""

from __future__ import annotations

from collections.abc import Iterator

from copeland.errors import InvalidRow
from copeland.formats import Format, Record, register_format
from copeland.support.vote_tables import blank

_WON = {"winner_model_a": "model_a", "winner_model_b": "model_b", "winner_tie": "tie"}
_NO = ("", "0", "0.0", "false")


def convert(battle: Record) -> Iterator[Record]:
    """Yield the vote of a battle."""
    if "winner" in battle:
        yield {}
        return
    for column in _WON:
        if column not in battle:
            raise InvalidRow(f"there is no column 'winner', nor '{column}' in its place.")
    won = [outcome for column, outcome in _WON.items() if _is_marked(battle[column])]
    if len(won) != 1:
        raise InvalidRow(f"{len(won)} of {', '.join(_WON)} are marked; it must be one.")
    yield {"winner": won[0]}


def _is_marked(value: object) -> bool:
    return not blank(value) and str(value).strip().lower() not in _NO


register_format(
    Format(
        name="lmarena",
        summary="LMArena's battles: model_a, model_b and winner, or winner_model_a, winner_model_b and winner_tie.",
        columns=("model_a", "model_b"),
        convert=convert,
    )
)
