"""Checks that any algorithm must pass; public, so that algorithms of others can be held to them.

Each check raises AssertionError and says why.

Examples
--------
>>> from copeland.registry import find
>>> check_valid_pairs(find("ccb"))
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from copeland.errors import InvalidAlgorithm, InvalidParameter
from copeland.matrix import PreferenceMatrix
from copeland.policy import Policy, arrays_of
from copeland.problems import Problem, matrix_problem
from copeland.registry import Algorithm
from copeland.simulation.runs import Runs
from copeland.simulation.simulator import simulate

__all__ = ["CHECKS", "check_algorithm"]

Check = Callable[[Algorithm], None]

RANKED = PreferenceMatrix([[0.5, 0.9, 0.9], [0.1, 0.5, 0.9], [0.1, 0.1, 0.5]], name="ranked")
MIXED = PreferenceMatrix(
    [[0.5, 0.7, 0.9, 0.8], [0.3, 0.5, 0.6, 0.9], [0.1, 0.4, 0.5, 0.7], [0.2, 0.1, 0.3, 0.5]],
    name="mixed",
)
HARD_WORLDS = {
    "two options": [[0.5, 0.6], [0.4, 0.5]],
    "exact ties": [[0.5] * 4] * 4,
    "certain wins": [[0.5, 1, 1, 1], [0, 0.5, 1, 1], [0, 0, 0.5, 1], [0, 0, 0, 0.5]],
    "a cycle": [[0.5, 0.8, 0.2], [0.2, 0.5, 0.8], [0.8, 0.2, 0.5]],
    "a certain cycle": [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]],
}
_TIES = "; break ties at random, each tied option equally likely"
SIGMAS = 4.5  # of a two-sided test: wrong once in 150,000 checks


def check_state_is_arrays(algorithm: Algorithm) -> None:
    """A state is a named tuple of arrays, or of such tuples; two beginnings share none of them."""
    states = [_policy(algorithm, k=3).state for _ in range(2)]
    _assert_arrays(states[0])
    for (name, one), (_, other) in zip(*map(arrays_of, states), strict=True):
        assert not np.shares_memory(one, other), f"two states share `{name}`"


def check_valid_pairs(algorithm: Algorithm) -> None:
    """Every pair asked is a pair of options."""
    policy = _policy(algorithm, k=5)
    for _ in range(300):
        try:
            duel = policy.ask()
        except InvalidAlgorithm as error:
            raise AssertionError(str(error)) from None
        policy.tell(duel, winner=min(duel.first, duel.second))


def check_select_is_pure(algorithm: Algorithm) -> None:
    """What reads changes nothing of the state, and equal randomness selects equally."""
    policy = _policy(algorithm, k=4)
    for t in range(1, 200):
        duel = policy.ask()
        before = copy.deepcopy(policy.state)
        picks = [algorithm.select(policy.state, t, np.random.default_rng(t)) for _ in range(2)]
        assert picks[0] == picks[1], f"select answered {picks[0]}, then {picks[1]}"
        _assert_same_state(before, policy.state, "select changed")
        for name in ("recommend", "finished"):
            part = algorithm.part(name)
            if part is not None:
                part(policy.state)
                _assert_same_state(before, policy.state, f"{name} changed")
        policy.tell(duel, winner=max(duel.first, duel.second))


def check_rests_end(algorithm: Algorithm) -> None:
    """A rest ends at a later step, and not after one at which two options may meet."""
    if algorithm.rest is None:
        return
    policy = _policy(algorithm, k=3)
    for t in range(1, 300):
        duel = policy.ask()
        if duel.first == duel.second and not policy.finished:
            until = int(algorithm.rest(policy.state, t))
            assert until > t, f"a rest at step {t} ends at {until}; it must end later"
            for step in [s for s in (t + 1, min(until, 2**40) - 1) if t < s < until]:
                pair = _select_at(algorithm, copy.deepcopy(policy.state), step)
                assert pair[0] == pair[1], (
                    f"{pair} meet at step {step}, before a rest ends ({until})"
                )
        policy.tell(duel, winner=min(duel.first, duel.second))


def check_answers_move_the_state(algorithm: Algorithm) -> None:
    """An answer changes the state, and towards its winner: whoever always wins is recommended."""
    for best in range(3):
        policy = _policy(algorithm, k=3, seed=best)
        moved = False
        for _ in range(600):
            duel = policy.ask()
            before = None if moved else copy.deepcopy(policy.state)
            # The options in a cycle, `best` first: it beats both others, the next one beats the last.
            ranks = [(option - best) % 3 for option in (duel.first, duel.second)]
            policy.tell(duel, winner=duel.first if ranks[0] <= ranks[1] else duel.second)
            moved = moved or bool(_list_changes(before, policy.state))
        assert moved, "no answer changed the state"
        assert policy.recommend() == best, f"{best} won every duel, {policy.recommend()} is named"


def check_compiled_equals_interpreted(algorithm: Algorithm) -> None:
    """The compiled loop and the plain code give the same run, bit for bit."""
    for matrix in (MIXED, PreferenceMatrix(HARD_WORLDS["a cycle"])):
        compiled = _simulate(algorithm, matrix, 600, runs=2)
        interpreted = _simulate(algorithm, matrix, 600, runs=2, compiled=False)
        _assert_same_runs(compiled, interpreted, "compiled and interpreted runs differ")


def check_dump_and_load(algorithm: Algorithm) -> None:
    """A policy dumped and loaded mid-run goes on as if nothing had happened."""
    policy = _policy(algorithm, k=4)
    _play(policy, 80)
    other = Policy.load(policy.dump(), algorithm)
    _assert_same_state(policy.state, other.state, "loading changed")
    for _ in range(80):
        duel, same = policy.ask(), other.ask()
        assert duel == same, f"after loading {same} is asked instead of {duel}"
        for one in (policy, other):
            one.tell(duel, winner=min(duel.first, duel.second))


def check_same_seed_same_run(algorithm: Algorithm) -> None:
    """A seed fixes the run."""
    first = _simulate(algorithm, MIXED, 2000, runs=2)
    second = _simulate(algorithm, MIXED, 2000, runs=2)
    _assert_same_runs(first, second, "the same seed gave two runs")


def check_takes_any_pair_at_any_time(algorithm: Algorithm) -> None:
    """Answers that nobody asked for, late or in batches, are taken in."""
    policy = _policy(algorithm, k=4)
    for _ in range(15):
        for first in range(4):
            for second in range(first):
                policy.add(first, second, winner=second)
        for duel in reversed(policy.ask(n=5)):
            policy.tell(duel, winner=min(duel.first, duel.second))
    duel = policy.ask()
    assert 0 <= duel.first < 4 and 0 <= duel.second < 4, f"asked for {duel}"


def check_relabelling(algorithm: Algorithm) -> None:
    """Other labels change nothing but the labels: regret keeps its distribution."""
    n, horizon = 300, 1000
    order = [2, 0, 3, 1]
    plain = _simulate(algorithm, MIXED, horizon, runs=n, seed=1).curves[0]
    moved = _simulate(algorithm, MIXED.sub(order), horizon, runs=n, seed=2).curves[0]
    _assert_same_mean(
        plain.regret[:, -1], moved.regret[:, -1], "relabelling moved the regret", _TIES
    )
    _assert_same_mean(
        plain.correct[:, -1].astype(float),
        moved.correct[:, -1].astype(float),
        "relabelling moved the answer",
        _TIES,
    )


def check_jumps_keep_the_distribution(algorithm: Algorithm) -> None:
    """Passing over resting steps at once leaves regret and comparisons as single steps do."""
    if algorithm.rest is None:
        return  # nothing is passed over: both are single steps
    n, horizon = 200, 5000
    for world in ("a cycle", "certain wins"):
        matrix = PreferenceMatrix(HARD_WORLDS[world])
        jumped = _simulate(algorithm, matrix, horizon, runs=n, seed=1).curves[0]
        stepped = _simulate(algorithm, matrix, horizon, runs=n, seed=2, jump=False).curves[0]
        for what in ("regret", "comparisons"):
            a, b = getattr(jumped, what)[:, -1], getattr(stepped, what)[:, -1]
            _assert_same_mean(a, b, f"jumps moved the {what} on {world}")


def check_finds_an_easy_winner(algorithm: Algorithm) -> None:
    """With three options and p = 0.9, at least 95 of 100 runs name the winner."""
    right = 0
    for order in ([0, 1, 2], [2, 1, 0]):  # who always names the same option is half right
        runs = _simulate(algorithm, RANKED.sub(order), 4000, runs=50, seed=3)
        right += int(runs.curves[0].correct[:, -1].sum())
    assert right >= 95, f"only {right} of 100 runs named the winner"


def check_errs_no_more_often_than_delta(algorithm: Algorithm) -> None:
    """What ends by itself at an error probability does end, and errs no more often than that."""
    if not algorithm.stops or "delta" not in algorithm.parameters:
        return
    n, delta, horizon = 200, 0.05, 10**7
    exact = replace(algorithm, init=partial(algorithm.init, delta=delta))
    curve = _simulate(exact, MIXED, horizon, runs=n, seed=4).curves[0]
    wrong = n - int(curve.correct[:, -1].sum())
    most = n * delta + SIGMAS * np.sqrt(n * delta * (1 - delta))
    assert wrong <= most, f"{wrong} of {n} runs ended wrong, at an error probability of {delta}"
    assert curve.comparisons[:, -1].max() < horizon, f"a run had not ended after {horizon:,} steps"


def check_refuses_a_delta_that_is_no_probability(algorithm: Algorithm) -> None:
    """An error probability is below 1 and not below 0."""
    if "delta" not in algorithm.parameters:
        return
    horizon = 1000 if algorithm.needs_horizon else None
    for delta in (-0.1, 1, 1.5):
        try:
            algorithm.start(3, horizon, delta=delta)
        except InvalidParameter:
            continue
        raise AssertionError(f"it takes delta = {delta}; its init must raise InvalidParameter")


def check_survives_hard_worlds(algorithm: Algorithm) -> None:
    """Two options, exact ties, certain wins and cycles break nothing."""
    for world, rows in HARD_WORLDS.items():
        runs = _simulate(algorithm, PreferenceMatrix(rows), 3000, runs=3)
        curve = runs.curves[0]
        assert np.isfinite(curve.regret).all(), f"regret on {world} is not a number"
        assert (np.diff(curve.regret, axis=1) >= 0).all(), f"regret on {world} falls"
        assert (curve.answers >= 0).all() and (curve.answers < runs.k).all(), (
            f"no option on {world}"
        )


def check_survives_tied_votes(algorithm: Algorithm) -> None:
    """Ties as an outcome are taken in, and do not hide an easy winner."""
    problem = matrix_problem(RANKED, ties=np.where(np.eye(3) > 0, 0, 0.15))
    runs = _simulate(algorithm, problem, 6000, runs=40)
    right = int(runs.curves[0].correct[:, -1].sum())
    assert right >= 36, f"with ties only {right} of 40 runs named the winner"


def check_ties_favour_nobody(algorithm: Algorithm) -> None:
    """Own rules for ties: with wins in 45 duels of 100, ties in 40 and losses in 15, most runs name the winner."""
    if algorithm.tie is None:
        return
    rows = [[0.5, 0.65, 0.65], [0.35, 0.5, 0.65], [0.35, 0.35, 0.5]]
    for order in ([0, 1, 2], [2, 1, 0]):
        matrix = PreferenceMatrix(rows).sub(order)
        problem = matrix_problem(matrix, ties=np.where(np.eye(3) > 0, 0, 0.4))
        right = int(_simulate(algorithm, problem, 6000, runs=40).curves[0].correct[:, -1].sum())
        assert right >= 20, f"with many ties only {right} of 40 runs named the winner"


def check_live_parts(algorithm: Algorithm) -> None:
    """What it can do mid-run: counts taken in at once count, paused options rest, added ones join in."""
    wins = np.array([[0, 0, 0], [60, 0, 0], [60, 60, 0]])
    if algorithm.absorb is not None:
        policy = _policy(algorithm, k=3)
        policy.absorb(wins)
        policy.ask()
        assert policy.recommend() == 2, f"2 won every absorbed duel, {policy.recommend()} is named"
    if algorithm.pause is not None:
        policy = _policy(algorithm, k=3)
        policy.pause(0)
        for _ in range(30):
            duel = policy.ask()
            assert 0 not in (duel.first, duel.second), f"option 0 is paused, and asked in {duel}"
            policy.tell(duel, winner=min(duel.first, duel.second))
    if algorithm.grow is not None:
        policy = _policy(algorithm, k=2)
        policy.grow(3)
        _play(policy, 300, max)
        assert policy.recommend() == 2, "an option that was added and won every duel is not named"


CHECKS: list[Check] = [
    value for name, value in list(globals().items()) if name.startswith("check_")
]


def check_algorithm(algorithm: Algorithm) -> None:
    """Run every check on an algorithm, registered or not; the first that fails raises.

    Examples
    --------
    >>> from copeland.registry import find
    >>> check_algorithm(find("random"))
    """
    for check in CHECKS:
        check(algorithm)


def _policy(algorithm: Algorithm, k: int, seed: int = 0) -> Policy:
    return Policy(algorithm, k=k, seed=seed, horizon=1000 if algorithm.needs_horizon else None)


def _play(policy: Policy, duels: int, winner: Callable[[int, int], int] = min) -> None:
    for _ in range(duels):
        duel = policy.ask()
        policy.tell(duel, winner=winner(duel.first, duel.second))


def _select_at(algorithm: Algorithm, state: Any, t: int) -> tuple[int, int]:
    """The pair of a step to which the state, of an earlier one, is brought."""
    rng = np.random.default_rng(t)
    if algorithm.advance is not None:
        algorithm.advance(state, t, rng)
    return algorithm.select(state, t, rng)


def _assert_arrays(state: Any, prefix: str = "") -> None:
    what = f"`{prefix[:-1]}` of the state" if prefix else "the state"
    assert hasattr(state, "_asdict"), (
        f"{what} is {state!r}; a state is a named tuple of arrays, and a number in it is an array of one: "
        "np.array([0.5])"
    )
    for name, value in state._asdict().items():
        if not isinstance(value, np.ndarray):
            _assert_arrays(value, f"{prefix}{name}.")


def _simulate(
    algorithm: Algorithm,
    problem: PreferenceMatrix | Problem,
    horizon: int,
    runs: int,
    seed: int = 0,
    **how: Any,
) -> Runs:
    return simulate(problem, algorithm, horizon, runs=runs, seed=seed, marks=12, **how)


def _list_changes(one: Any, other: Any) -> list[str]:
    """The arrays in which two states differ."""
    pairs = zip(arrays_of(one), arrays_of(other), strict=True)
    return [n for (n, a), (_, b) in pairs if not np.array_equal(a, b, a.dtype.kind == "f")]


def _assert_same_state(one: Any, other: Any, message: str) -> None:
    changed = _list_changes(one, other)
    assert not changed, f"{message} `{changed[0]}`"


def _assert_same_runs(one: Runs, other: Runs, message: str) -> None:
    for what in ("regret", "comparisons", "answers"):
        a, b = getattr(one.curves[0], what), getattr(other.curves[0], what)
        assert np.array_equal(a, b), f"{message} in `{what}`: {a[:, -1]} and {b[:, -1]}"


def _assert_same_mean(one: np.ndarray, other: np.ndarray, message: str, hint: str = "") -> None:
    error = np.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other))
    difference = abs(one.mean() - other.mean())
    assert difference <= SIGMAS * error + 1e-9, (
        f"{message}: {one.mean():.4g} and {other.mean():.4g}, standard error {error:.2g}{hint}"
    )
