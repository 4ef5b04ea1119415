"""BoTorch's own EUBO, where it is installed: no dependency, and slow, so that few runs of it are made."""

from __future__ import annotations

import importlib.util
import warnings
from contextlib import suppress

import numpy as np

from copeland.support.rng import stream

PROBLEMS, SEEDS, VOTES = ("branin", "hartmann6", "circle"), 3, 50
_AT_RANDOM = 4  # pairs before the first fit
_RESTARTS, _RAW = 3, 64  # as in BoTorch's tutorial on pairwise comparisons
_CANDIDATES = 1_000


def installed():
    """Tell whether BoTorch is there."""
    return importlib.util.find_spec("botorch") is not None


class Botorch:
    """The pair whose better one is expected to be best, by BoTorch's pairwise Gaussian process and its optimiser; for boxes alone."""

    def __init__(self, space, seed):
        import torch

        if space.feasible is not None or (space.cells > 0).any():
            raise ValueError("BoTorch plays boxes of numbers alone here.")
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        self.space, self.rng = space, stream(seed, "botorch")
        self.places, self.winners = [], []  # two places a vote; the rows of winner and loser
        self.model = None

    def ask(self):
        """The next duel, and its places."""
        if len(self.winners) < _AT_RANDOM:
            pair = tuple(self.space.spread(1, self.rng)[0] for _ in range(2))
        else:
            pair = self._best_pair()
        return tuple(pair), *pair

    def tell(self, duel, first_won):
        """Say who won."""
        n = len(self.places)
        self.places.extend(duel)
        self.winners.append((n, n + 1) if first_won else (n + 1, n))
        self.model = None

    def recommend(self):
        """The place of the highest posterior mean, of many and of those that were asked."""
        import torch

        places = np.vstack([self.space.spread(_CANDIDATES, self.rng), *self.places])
        model = self._fitted()
        with torch.no_grad():
            mean = model.posterior(torch.tensor(places)).mean
        return places[int(mean.argmax())]

    def _best_pair(self):
        import torch
        from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
        from botorch.optim import optimize_acqf

        bounds = torch.tensor([[0.0] * self.space.d, [1.0] * self.space.d], dtype=torch.double)
        worth = AnalyticExpectedUtilityOfBestOption(pref_model=self._fitted())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pair, _ = optimize_acqf(worth, bounds, q=2, num_restarts=_RESTARTS, raw_samples=_RAW)
        return np.clip(pair.detach().numpy(), 0, 1)

    def _fitted(self):
        """The model of all votes, fitted once."""
        import torch
        from botorch.exceptions.errors import ModelFittingError
        from botorch.fit import fit_gpytorch_mll
        from botorch.models.likelihoods.pairwise import PairwiseLogitLikelihood
        from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood

        if self.model is None:
            places, winners = torch.tensor(np.array(self.places)), torch.tensor(self.winners)
            self.model = PairwiseGP(places, winners, likelihood=PairwiseLogitLikelihood())
            likelihood = PairwiseLaplaceMarginalLogLikelihood(self.model.likelihood, self.model)
            with warnings.catch_warnings(), suppress(ModelFittingError):  # then as it was made
                warnings.simplefilter("ignore")
                fit_gpytorch_mll(likelihood)
        return self.model.eval()
