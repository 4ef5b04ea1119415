"""arena-hard's judgments: a model against the baseline on one question, in two games with the sides swapped.

In the first game the baseline is A, in the second the model is. Each game is one vote, however clear the judge finds it.
Files of the first version do not name the baseline: it is called ``baseline`` then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from copeland.errors import InvalidRow
from copeland.formats import Format, Record, register_format

_FIRST = ("A>B", "A>>B", "B<A", "B<<A")
_SECOND = ("B>A", "B>>A", "A<B", "A<<B")
_TIES = ("A=B", "B=A")
_OUTCOMES = {
    **dict.fromkeys(_FIRST, "left"),
    **dict.fromkeys(_SECOND, "right"),
    **dict.fromkeys(_TIES, "tie"),
}


def convert(judgment: Record) -> Iterator[Record]:
    """Yield the vote of each game."""
    model, baseline = judgment.get("model"), judgment.get("baseline") or "baseline"
    games = judgment.get("games")
    if not isinstance(games, list):
        raise InvalidRow("its games are not a list.")
    for number, game in enumerate(games):
        left, right = (baseline, model) if number % 2 == 0 else (model, baseline)
        yield {
            "left": left,
            "right": right,
            "outcome": _outcome(game),
            "voter": judgment.get("judge"),
            "item": judgment.get("uid") or judgment.get("question_id"),
        }


def _outcome(game: Any) -> str:
    score = game.get("score") if isinstance(game, dict) else None
    if score is None:
        return "error"  # the judge did not answer, or named no verdict
    if not isinstance(score, str) or score not in _OUTCOMES:
        raise InvalidRow(f"the score '{score}' is none of {', '.join(_OUTCOMES)}.")
    return _OUTCOMES[score]


register_format(
    Format(
        name="arena-hard",
        summary="arena-hard's judgments: model, judge and two games with scores such as A>>B.",
        columns=("model", "judge", "games"),
        convert=convert,
    )
)
