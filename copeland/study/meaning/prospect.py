"""What is within reach of so many voters, in a sentence or two."""

from __future__ import annotations

from copeland.forecast.prospects import Prospect
from copeland.forecast.ranges import Range
from copeland.study.meaning.panel_plan import answers_words
from copeland.words import about, counted, percent


def prospect_sentence(found: Prospect) -> str:
    """Return what so many voters can prove, and what else they could do."""
    who = f"With {counted(found.people, 'voter')} and {counted(found.options, 'option')}"
    have = f"they have {counted(found.votes, 'vote')} in all, {found.people:,} per pair"
    proof = f"{who} a proof at {found.delta:g} {_proof(found, have)}."
    return " ".join(filter(None, [proof, _panel(found), _population(found)]))


def _proof(found: Prospect, have: str) -> str:
    if not found.possible:
        return f"is out of reach: {have}, and even if all agree it takes {counted(found.fewest, 'voter')}"
    if not found.settled:
        return f"is possible, but none of the plausible worlds tried was settled: {have}"
    return f"is within reach in {percent(found.settled)} of plausible worlds: {have}"


def _panel(found: Prospect) -> str:
    if found.panel is None:
        return ""
    answers = answers_words(found.panel, found.people)
    return f"As a panel, where only they count, they would need {answers}."


def _population(found: Prospect) -> str:
    return f"A proof about the population they come from takes {people_words(found.population)}."


def people_words(found: Range) -> str:
    """Return how many people a proof takes, in four of five cases and in half of them.

    Examples
    --------
    >>> people_words(Range(120, 450, None, 5000))
    'about 120 to over 5,000 people in four of five cases, and about 450 in half of them'
    """
    half = f"over {about(found.most)}" if found.middle is None else f"about {about(found.middle)}"
    return f"{found.words} people in four of five cases, and {half} in half of them"
