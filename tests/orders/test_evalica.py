"""Strengths against those of another package, on drawn and on real votes."""

import numpy as np
import pytest
from board_votes import STRENGTHS, draw_counts, read_arena
from evalica import Winner, bradley_terry

from copeland.orders.option_estimates import fit_strengths


def fit_by_evalica(wins, ties):
    """Log scores of evalica, whose mean is 0; a tie is half a win for each."""
    rows = [(i, j, Winner.X, wins[i, j]) for i, j in np.argwhere(wins)]
    rows += [(i, j, Winner.Draw, ties[i, j]) for i, j in np.argwhere(np.triu(ties))]
    first, second, outcome, number = zip(*rows, strict=True)
    weights = [float(n) for n in number]
    found = bradley_terry(first, second, outcome, weights=weights, tolerance=1e-12, limit=100_000)
    scores = np.log(found.scores.loc[list(range(len(wins)))].to_numpy())
    return scores - scores.mean()


@pytest.mark.parametrize("votes", [60, 600])
@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_strengths_are_those_of_evalica(votes, ties):
    wins, tied = draw_counts(STRENGTHS, votes, ties, seed=1)
    assert fit_strengths(wins, tied) == pytest.approx(fit_by_evalica(wins, tied), abs=1e-6)


@pytest.mark.slow
def test_strengths_of_real_votes_are_those_of_evalica(data):
    _, wins, ties = read_arena(data)
    assert fit_strengths(wins, ties) == pytest.approx(fit_by_evalica(wins, ties), abs=1e-6)
