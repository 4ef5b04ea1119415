"""What is within reach of so many voters, in a sentence or two."""

from __future__ import annotations

from copeland.forecast.prospects import Prospect
from copeland.words import about, counted, percent


def prospect_sentence(found: Prospect) -> str:
    """Return what so many voters can prove, and what else they could do."""
    who = f"With {counted(found.people, 'voter')} and {counted(found.options, 'option')}"
    have = f"they have {counted(found.votes, 'vote')} in all, {found.people:,} per pair"
    return " ".join(
        filter(
            None,
            [
                f"{who} a proof at {found.delta:g} {_proof(found, have)}.",
                _panel(found),
                _population(found),
            ],
        )
    )


def _proof(found: Prospect, have: str) -> str:
    if not found.possible:
        return f"is out of reach: {have}, and even if all agree it takes {counted(found.fewest, 'voter')}"
    if not found.settled:
        return f"is possible, but none of the plausible worlds tried was settled: {have}"
    return f"is within reach in {percent(found.settled)} of plausible worlds: {have}"


def _panel(found: Prospect) -> str:
    if found.panel is None:
        return ""
    return (
        f"As a panel, where only they count, they would need about {counted(found.panel, 'vote')}."
    )


def _population(found: Prospect) -> str:
    few, half = (
        f"over {about(found.most)}" if number is None else f"about {about(number)}"
        for number in found.population
    )
    return f"For a proof about the population they come from, one plausible world in ten takes {few} people, and half of them {half}."
