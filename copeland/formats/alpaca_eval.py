"""AlpacaEval's annotations: two models' answers to an instruction, and which one an annotator prefers.

The preference is 1 for the first, 2 for the second and 1.5 for a tie. A judge's weighted preference lies between: the vote
is for the nearer one. The first answer is the reference, wherever it was shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from copeland.errors import InvalidRow
from copeland.formats import Format, Record, register_format
from copeland.support.vote_tables import blank

_TIE = 1.5
_OLD_TIE = 0  # in the first releases


def convert(annotation: Record) -> Iterator[Record]:
    """Yield the vote of an annotation."""
    yield {
        "left": annotation.get("generator_1"),
        "right": annotation.get("generator_2"),
        "outcome": _outcome(annotation.get("preference")),
        "voter": annotation.get("annotator"),
        "item": annotation.get("instruction"),
    }


def _outcome(preference: object) -> str:
    if blank(preference):
        return "error"  # the annotator's answer could not be read
    try:
        number = float(str(preference))
    except ValueError:
        number = -1.0
    if number in (_TIE, _OLD_TIE):
        return "tie"
    if not 1 <= number <= 2:
        raise InvalidRow(f"preference is '{preference}'; it must be from 1 to 2.")
    return "left" if number < _TIE else "right"


register_format(
    Format(
        name="alpaca-eval",
        summary="AlpacaEval's annotations.json: generator_1, generator_2 and preference, from 1 to 2.",
        columns=("generator_1", "generator_2", "preference"),
        convert=convert,
        sides=False,
        order=False,
    )
)
