"""Is a judge fit to decide?

Each mark is a pair of options: the share that a judge gives the first one, over the share that people give it. In the band both nearly
agree. This judge prefers one option that answers at length. `copeland judges audit` draws it.
"""

from itertools import combinations

import numpy as np

import copeland

rng = np.random.default_rng(1)
quality = {"brief": 0.0, "plain": 0.4, "warm": 0.7, "long": 0.2, "formal": -0.3, "playful": 0.5}


def draw_winner(first, second, bias):
    """Who is named, by quality and by a bias for the long answers."""
    lead = quality[first] - quality[second] + bias * ((first == "long") - (second == "long"))
    return first if rng.random() < 1 / (1 + np.exp(-2 * lead)) else second


votes = [
    {"left": a, "right": b, "people": draw_winner(a, b, 0.0), "judge": draw_winner(a, b, 0.8)}
    for a, b in combinations(quality, 2)
    for _ in range(200)
]
audit = copeland.audit_judges(votes, people="people", judges="judge")
figures = {"A judge's shares beside people's": copeland.plot(audit)}
