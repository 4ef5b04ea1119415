"""Planners amid their votes."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from copeland.algorithms import cpc_pac
from copeland.kernels.planner import planner_state, vote_updates
from copeland.kernels.planner.champion import begin, estimate_prior, name_challengers


def planner_of(k, costly=False, margin=0.0, level=None, **terms):
    """A planner without a vote, with the levels of a certificate or with one level for all claims."""
    if costly or level is not None:
        planner = planner_state.new_planner(k, costly=costly, margin=margin)
        planner.levels[[0, 2]] = level
        return planner
    return cpc_pac.init(k, margin=margin, **terms)


def with_random_votes(planner, rng, spread, most, ties, unmet):
    """Votes of options of random strengths, pairs from never met to long decided."""
    k = len(planner.points)
    strength = rng.normal(0, spread, k)
    p = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    n = np.triu(rng.integers(1, most, (k, k)) * (rng.random((k, k)) > unmet), 1)
    drawn = rng.binomial(n, ties)
    won = rng.binomial(n - drawn, p)
    return vote_updates.with_votes(planner, won + (n - drawn - won).T, drawn + drawn.T)


@dataclass(frozen=True)
class Situation:
    """A planner of 2 to 12 options amid its votes, in short."""

    k: int
    seed: int
    level: float  # of every claim, for regret; 0: those of a certificate
    margin: float
    epoch: int
    dependent: bool
    spread: float  # of the strengths
    most: int  # votes of a pair
    ties: float
    unmet: float  # share of the pairs
    anywhere: bool  # whether any number of comparisons was left out, or none

    def planner(self, pausing=False, pending=False):
        """Make it, every list due to be made anew."""
        k, rng = self.k, np.random.default_rng(self.seed)
        if self.level > 0:
            planner = planner_of(k, costly=True, margin=self.margin, level=self.level)
        else:
            planner = planner_of(k, margin=self.margin, epoch=self.epoch, dependent=self.dependent)
        planner = with_random_votes(planner, rng, self.spread, self.most, self.ties, self.unmet)
        begin(planner, rng)
        if self.anywhere:
            planner.skipped[:] = rng.integers(0, k - 1, k)
        if pausing:
            vote_updates.pause(planner, int(rng.integers(k)), True)
        if pending:
            for _ in range(int(rng.integers(30))):
                vote_updates.pend(planner, *map(int, rng.choice(k, 2, replace=False)), 1)
        estimate_prior(planner)
        name_challengers(planner)
        planner.edition[0] += 1
        return planner


situations = st.builds(
    Situation,
    k=st.integers(2, 12),
    seed=st.integers(0, 10**6),
    level=st.one_of(st.just(0.0), st.floats(0.5, 20)),
    margin=st.sampled_from([0.0, 0.05]),
    epoch=st.integers(0, 3),
    dependent=st.booleans(),
    spread=st.sampled_from([0.0, 0.3, 2.0]),
    most=st.sampled_from([3, 40, 400]),
    ties=st.sampled_from([0.0, 0.3]),
    unmet=st.sampled_from([0.0, 0.5]),
    anywhere=st.booleans(),
)
