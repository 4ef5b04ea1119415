"""Duels of an algorithm on a matrix, step by step."""

import numpy as np


def duel(algorithm, state, matrix, steps, seed):
    """Return the pairs, and who beat whom where an option did not meet itself."""
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    trace, answers = [], []
    for t in range(1, steps + 1):
        algorithm.advance(state, t, rng)
        first, second = (int(i) for i in algorithm.select(state, t, rng))
        trace.append((first, second))
        if first != second:
            first_wins = noise.random() < matrix.p[first, second]
            answers.append((first, second) if first_wins else (second, first))
            algorithm.update(state, *answers[-1], rng)
    return trace, answers


def meet(algorithm, state, steps):
    """Let the first of two options win every duel; return the steps at which they meet."""
    rng, met = np.random.default_rng(0), []
    for t in range(1, steps):
        algorithm.advance(state, t, rng)
        first, second = algorithm.select(state, t, rng)
        if first != second:
            met.append(t)
            algorithm.update(state, 0, 1, rng)
    return met


def identify(algorithm, matrix, seed, watch=None, **params):
    """Run to the end; return the answer and the number of duels."""
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1000)
    state = algorithm.init(matrix.k, **params)
    for duels in range(10**6):
        algorithm.advance(state, duels + 1, rng)
        if algorithm.finished(state):
            return int(algorithm.recommend(state)), duels
        if watch is not None:
            watch(state)
        first, second = algorithm.select(state, duels + 1, rng)
        first_wins = noise.random() < matrix.p[first, second]
        algorithm.update(state, *((first, second) if first_wins else (second, first)), rng)
    raise AssertionError("it did not end")
