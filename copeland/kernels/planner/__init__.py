"""The cheapest plausible certificate: which option can be proved best at the lowest price, and how.

A *certificate* (c, l) is a proof that c is a Copeland winner: c is shown to beat all others but l, and
each of the others to lose at least l times. l is free. The planner prices every claim that is not proved
yet, optimistically, adds the prices up to certificates, works on the cheapest and asks for its riskiest
claim first: what is wrong with a plan shows early. docs/one-algorithm.md explains it on one page.

Votes may come in any order, and enter by their counts; only plans (the champion and what is laid out for
it, each option's l and last price) are carried from step to step. Prices are regret (``costly``) or votes.

To be read in this order: ``meetings`` of pairs, ``claims``, what they show ``joint``ly, ``state``, ``prices`` of claims, ``sharing`` of evidence,
``losses`` of each option, ``plans`` for certificates, the ``champion`` and what to ask, ``votes``, ``hints``; ``ending`` for those who wait for a proof.
"""

from copeland.kernels.planner.champion import (
    list_claims,
    look_around,
    next_pair,
    rate_losses,
    rate_win,
)
from copeland.kernels.planner.hints import with_hints
from copeland.kernels.planner.meetings import NONE
from copeland.kernels.planner.planner_state import (
    EPOCH,
    LOSS,
    WIN,
    Planner,
    loss_level,
    new_planner,
    with_more_pairs,
)
from copeland.kernels.planner.plans import losses_missing
from copeland.kernels.planner.prices import BLOCKED
from copeland.kernels.planner.termination import crown_winner, turn, waiting_pair
from copeland.kernels.planner.vote_updates import (
    expire,
    pause,
    pend,
    take_in,
    with_options,
    with_votes,
)

__all__ = [
    "BLOCKED",
    "EPOCH",
    "LOSS",
    "NONE",
    "WIN",
    "Planner",
    "crown_winner",
    "expire",
    "list_claims",
    "look_around",
    "loss_level",
    "losses_missing",
    "new_planner",
    "next_pair",
    "pause",
    "pend",
    "rate_losses",
    "rate_win",
    "take_in",
    "turn",
    "waiting_pair",
    "with_hints",
    "with_more_pairs",
    "with_options",
    "with_votes",
]
