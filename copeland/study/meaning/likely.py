"""Likely best, beside proved: an estimate, and said to be one wherever it stands."""

from __future__ import annotations

from copeland.errors import InvalidParameter
from copeland.forecast.goals import Goal
from copeland.forecast.likely import favourite_of
from copeland.forecast.worlds import MOST_OPTIONS
from copeland.study.meaning.standing import Standing
from copeland.words import NAME, percent, quote_name, shortened

ESTIMATE = "an estimate, not a proof"


def likely_words(name: str, chance: float) -> str:
    """Return that an option is likely best.

    Examples
    --------
    >>> likely_words("tea", 0.97)
    'tea is likely best (97 %): an estimate, not a proof.'
    """
    return f"{name} is likely best ({percent(chance)}): {ESTIMATE}."


def likely_sentence(standing: Standing, least: float) -> str:
    """Return who has at least this chance to be best, in a sentence; empty if nobody has."""
    settings = standing.settings
    if standing.votes == 0:
        return ""
    found = favourite_of(standing.wins, standing.ties, settings.margin, least, settings.seed)
    if found is None:
        return ""
    name = quote_name(shortened(standing.labels, NAME)[found.option])
    return likely_words(name, found.chance)


def refuse_for_panel(goal: Goal, people: int | None = None) -> None:
    """Refuse what means nothing to a panel, whose answers settle who is best for certain."""
    if goal.likely is not None:
        raise InvalidParameter(
            "a panel is asked until its answers settle the matter, so likely means nothing there; leave it out."
        )
    if people is not None:
        raise InvalidParameter(
            "people means nothing for a panel, whose members are named; leave it out."
        )


def require_chances(goal: Goal, options: int) -> None:
    """Refuse to go on until one of very many options is likely best."""
    if goal.likely is not None and options > MOST_OPTIONS:
        raise InvalidParameter(
            f"chances to be best are estimated for up to {MOST_OPTIONS} options, and there are {options:,}; "
            "go on until an option is proved best."
        )
