"""The measurement of clusters: it weighs as the package does, and false claims are as rare as delta says."""

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks import false_clusters as measured

WORLDS = {world.name: world for world in measured.worlds()}


@pytest.mark.parametrize("name", [name for name, world in WORLDS.items() if not world.these])
def test_it_weighs_as_the_package_does(name):
    said = measured.draw(WORLDS[name], 2, np.random.default_rng(3))
    for one, found in zip(said, measured.weigh(WORLDS[name], said), strict=True):
        package = measured.weigh_one(WORLDS[name], one)[:, 0]
        assert package == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("name", WORLDS)
def test_false_claims_are_at_most_delta(name):
    """300 runs each; more than so many have a probability of one in a thousand at delta."""
    claims, _ = measured.share_false(WORLDS[name], runs=300, seed=1)
    assert claims * 300 <= binom.ppf(0.999, 300, measured.DELTA)


def test_runs_that_agree_are_far_from_units_of_their_own():
    """At 40 x 5 a fifth of A/A comparisons, where delta allows a twentieth."""
    _, alone = measured.share_false(WORLDS["all cases of a cluster agree, 40 x 5"], 300, 1)
    assert alone * 300 > binom.ppf(0.999, 300, measured.DELTA)
