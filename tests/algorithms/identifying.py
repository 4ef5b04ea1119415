"""CPC to identify, asked until it is finished."""

import numpy as np
from helpers import random_matrix
from hypothesis import strategies as st
from oracles.planner import votes_of

from copeland import PreferenceMatrix
from copeland.certificate.certificate import certify


def identify(policy, answer, most=4000):
    """Ask and tell until it is finished or has nothing to ask; return the number of votes."""
    for votes in range(most):
        if policy.finished:
            return votes
        duel = policy.ask()
        if duel.first == duel.second:
            return votes
        policy.tell(duel, winner=answer(duel.first, duel.second))
    return most


def world(matrix, seed, ties=0.0):
    """Answers by a matrix, with a tie probability for all pairs."""
    luck = np.random.default_rng(seed)

    def answer(i, j):
        x = luck.random()
        if x < ties:
            return None
        return i if (x - ties) / (1 - ties) < matrix.p[i, j] else j

    return answer


def tournament(k, seed, gap=0.4):
    """Each pair's winner a coin flip, all gaps equal."""
    return PreferenceMatrix(
        np.where(random_matrix(k, seed).p > 0.5, 0.5 + gap, 0.5 - gap) * (1 - np.eye(k))
        + np.eye(k) / 2
    )


def certified(policy, **terms):
    wins, ties, _ = votes_of(policy.state.meetings)
    return certify(wins, ties, **terms)


@st.composite
def tables(draw):
    """Votes of 2 to 10 options: often enough for a certificate, of whatever number of losses."""
    k = draw(st.integers(2, 10))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    matrix = tournament(k, int(rng.integers(10**6)), gap=draw(st.sampled_from([0.1, 0.3])))
    n = np.triu(rng.integers(0, draw(st.sampled_from([60, 600])), (k, k)), 1)
    drawn = rng.binomial(n, draw(st.sampled_from([0.0, 0.3])))
    won = rng.binomial(n - drawn, matrix.p)
    return won + (n - drawn - won).T, drawn + drawn.T


terms = st.fixed_dictionaries(
    {"margin": st.sampled_from([0.0, 0.05]), "epoch": st.integers(0, 3), "dependent": st.booleans()}
)
