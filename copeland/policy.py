"""A policy: one algorithm at work, by ask and tell."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple, overload

import numpy as np

from copeland.errors import InvalidParameter, UnknownDuel
from copeland.kernels.compiler.compile import is_from_file
from copeland.kernels.compiler.live import (
    Parts,
    live,
    make_ready,
    name_pairs,
    pend_all,
    tell_all,
)
from copeland.registry import Algorithm, State, algorithms, find
from copeland.support.npz import pack_arrays, read_arrays
from copeland.support.phrasing import join_names
from copeland.support.rng import stream

MOST_AT_ONCE = 100_000  # duels


class Duel(NamedTuple):
    """A pair to compare. ``first == second`` means: play this option, nothing is left to ask now."""

    id: int
    first: int
    second: int


class Policy:
    """One algorithm at work: ask for a duel, tell who won, at any pace and in any order.

    Parameters
    ----------
    algorithm
        A name, or the algorithm itself; its parameters follow as keywords.
    k
        The number of options.
    seed
        Same seed, same answers: same duels.
    horizon
        How many duels there will be, for algorithms that must know this.

    Examples
    --------
    >>> policy = Policy("ccb", k=3, seed=7)
    >>> for _ in range(200):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.first, duel.second))
    >>> policy.recommend()
    0
    """

    def __init__(
        self,
        algorithm: str | Algorithm,
        k: int,
        seed: int = 0,
        horizon: int | None = None,
        **params: Any,
    ):
        found = algorithm if isinstance(algorithm, Algorithm) else find(algorithm)
        self.algorithm = found.with_parameters(params)
        self.k = k
        self.seed = seed
        self.horizon = horizon
        self.params = params
        self.state = self.algorithm.start(k, horizon, **params)
        self.asked = 0
        self.events = 0
        self.open: dict[int, Duel] = {}

    @overload
    def ask(self) -> Duel: ...
    @overload
    def ask(self, n: int) -> list[Duel]: ...
    def ask(self, n: int | None = None) -> Duel | list[Duel]:
        """Return the next duel; with ``n``, 1 included, a list of the next ``n``.

        Examples
        --------
        >>> policy = Policy("ccb", k=3)
        >>> type(policy.ask()), len(policy.ask(n=1)), len(policy.ask(n=5))
        (<class 'copeland.policy.Duel'>, 1, 5)
        """
        if n is not None:
            if not 0 <= n <= MOST_AT_ONCE:
                raise InvalidParameter(f"n is {n}; ask for 0 to {MOST_AT_ONCE:,} duels at once.")
            return [self._ask() for _ in range(n)]
        return self._ask()

    def _ask(self) -> Duel:
        t = self.asked + 1
        rng = self._generator()
        if self.finished:
            first = second = self.recommend()
        else:
            if self.algorithm.advance is not None:
                self.algorithm.advance(self.state, t, rng)
            first, second = self.algorithm.select(self.state, t, rng)
        self.algorithm.check_pair(first, second, self.k, t)
        self.asked = t
        duel = Duel(t, int(first), int(second))
        self.expect(duel)
        return duel

    def name(self, most: int, wanted: np.ndarray | None = None) -> list[tuple[int, int]]:
        """Return the pairs that the algorithm names, each as if those before were under way; ask nothing.

        Parameters
        ----------
        most
            How many at most; fewer if the answer is final.
        wanted
            K x K: whether to stop after naming this pair. Without it, stop after the first.
        """
        if most < 1:
            raise InvalidParameter(f"most is {most!r}; let it name 1 pair or more.")
        t, number = self.asked + 1, self.events + 1
        stop = np.zeros((0, 0), bool) if wanted is None else wanted
        while True:
            named, rng = np.zeros((most, 2), np.int64), _lend(stream(self.seed, "event", number))
            n = live(name_pairs, _live_parts(self.algorithm))(self.state, t, stop, named, rng)
            if not self._make_room():
                break
        self.events = number
        return list(map(tuple, named[:n].tolist()))

    def tell(self, duel: Duel, winner: int | None) -> None:
        """Say who won a duel that was asked; None is a tie."""
        self._check_open(duel)
        self.add(duel.first, duel.second, winner)
        self._close(duel)

    def expect(self, duel: Duel) -> None:
        """Say that somebody else asked a duel; its answer is under way."""
        self.open[duel.id] = duel
        self._pend(duel, +1)

    def count_on(self, pairs: Iterable[tuple[int, int]], change: int = 1) -> None:
        """Say that answers to these pairs are under way or, with -1, no longer are; ask nothing."""
        if change not in (1, -1):
            raise InvalidParameter(f"change is {change!r}; it must be 1 or -1.")
        named: list[tuple[int, int]] = []
        for first, second in pairs:
            self._check(first, second)
            if first != second:
                named.append((first, second))
        coming = np.array(named, np.int64)
        while self.algorithm.pend is not None and len(coming):
            self._make_room()
            n = live(pend_all, _live_parts(self.algorithm))(self.state, coming, change)
            coming = coming[n:]

    def drop(self, duel: Duel) -> None:
        """Say that an asked duel will not be answered."""
        self._check_open(duel)
        self._close(duel)

    def _check_open(self, duel: Duel) -> None:
        if not isinstance(duel, Duel) or self.open.get(duel.id) != duel:
            raise UnknownDuel(f"{duel!r} was never asked, or was answered before.")

    def _close(self, duel: Duel) -> None:
        del self.open[duel.id]
        self._pend(duel, -1)

    def _pend(self, duel: Duel, change: int) -> None:
        if self.algorithm.pend is not None and duel.first != duel.second:
            self._make_room()
            self.algorithm.pend(self.state, duel.first, duel.second, change)

    def _make_room(self) -> bool:
        """Enlarge a state that is crowded; tell whether it was."""
        if self.algorithm.crowded is None or not self.algorithm.crowded(self.state):
            return False
        assert self.algorithm.enlarge is not None
        self.state = self.algorithm.enlarge(self.state)
        return True

    def add(self, first: int, second: int, winner: int | None) -> None:
        """Take an answer that was not asked for: any pair, at any time."""
        self._check(first, second, winner)
        rng = self._generator()
        if first == second:
            return
        self._make_room()
        if winner is None and self.algorithm.tie is not None:
            self.algorithm.tie(self.state, first, second, rng)
            return
        if winner is None:
            winner = first if rng.random() < 0.5 else second
        self.algorithm.update(self.state, winner, first + second - winner, rng)

    def add_all(self, answers: Sequence[tuple[int, int, int | None]]) -> None:
        """Take answers as :meth:`add` does, all at once: first, second and the winner, None for a tie.

        For algorithms whose state depends only on the counts; so no answer needs a generator of its own.
        """
        if self.algorithm.absorb is None:
            self._can("absorb")  # which refuses
        told: list[tuple[int, int, int]] = []
        for first, second, winner in answers:
            self._check(first, second, winner)
            if first != second:
                told.append((first, second, -1 if winner is None else winner))
        if self.algorithm.tie is None:  # then a tie is a coin of its own event
            for answer in answers:
                self.add(*answer)
            return
        coming, rng = np.array(told, np.int64), _LENT.rng  # which none of these reads
        while len(coming):
            self._make_room()
            kernel = live(tell_all, _live_parts(self.algorithm, _TELLING))
            coming = coming[kernel(self.state, coming, rng) :]

    def absorb(self, wins: np.ndarray, ties: np.ndarray | None = None) -> None:
        """Take many answers at once: ``wins[i, j]`` of i over j, and ``ties[i, j]`` = ``ties[j, i]``.

        For algorithms whose state depends only on the counts, not on the order of the answers.
        """
        absorb = self._can("absorb")
        won = self._counts(wins, "wins")
        tied = np.zeros_like(won) if ties is None else self._counts(ties, "ties")
        if (tied != tied.T).any():
            raise InvalidParameter("ties[i, j] must be ties[j, i]: give each on both sides.")
        self.state = absorb(self.state, won, tied)

    def _counts(self, table: np.ndarray, what: str) -> np.ndarray:
        counts = np.asarray(table)
        if counts.shape != (self.k, self.k):
            raise InvalidParameter(
                f"{what} have shape {counts.shape}; give a row and a column for each of "
                f"{self.k} options."
            )
        whole = np.issubdtype(counts.dtype, np.integer) or (counts == np.floor(counts)).all()
        if not (whole and (counts >= 0).all()):
            raise InvalidParameter(f"{what} must be whole numbers from 0 up.")
        return counts.astype(np.int64, copy=False)

    def grow(self, k: int) -> None:
        """Add options, until there are ``k``."""
        if k < self.k:
            raise InvalidParameter(
                f"there are {self.k} options; {k} would be fewer. To leave options out, pause them."
            )
        grow = self._can("grow")
        if k > self.k:
            self.state = grow(self.state, k)
            self.k = k

    def pause(self, option: int) -> None:
        """Stop asking about an option; what is known about it stays."""
        self._pause(option, True)

    def resume(self, option: int) -> None:
        """Ask about a paused option again."""
        self._pause(option, False)

    def _pause(self, option: int, paused: bool) -> None:
        pause = self._can("pause")
        self._check(option, option)
        pause(self.state, option, paused)

    def _check(self, first: int, second: int, winner: int | None = None) -> None:
        """Refuse options that there are not, and a winner who is neither."""
        for option in (first, second):
            if not 0 <= option < self.k:
                raise InvalidParameter(f"option {option} is outside 0..{self.k - 1}.")
        if winner not in (None, first, second):
            raise InvalidParameter(f"option {winner} is not in the duel of {first} and {second}.")

    def _can(self, part: str) -> Callable[..., Any]:
        function = self.algorithm.part(part)
        if function is None:
            able = [name for name, one in algorithms().items() if one.part(part) is not None]
            raise InvalidParameter(
                f"{self.algorithm.name} cannot {part} mid-run; {join_names(able)} can."
            )
        return function

    def recommend(self) -> int:
        """Return the option to name now."""
        return int(self.algorithm.recommend(self.state))

    @property
    def finished(self) -> bool:
        """Whether the answer is final."""
        return self.algorithm.finished is not None and bool(self.algorithm.finished(self.state))

    def _generator(self) -> np.random.Generator:
        # One generator for each event, from its number: no random state has to be stored.
        self.events += 1
        return stream(self.seed, "event", self.events)

    def dump(self) -> bytes:
        """Return everything as a compact file of arrays (.npz, no pickle)."""
        kept = ("k", "seed", "horizon", "params", "asked", "events")
        about = {
            "algorithm": self.algorithm.name,
            **{name: getattr(self, name) for name in kept},
            "open": list(self.open.values()),
        }
        arrays = {f"state.{name}": array for name, array in arrays_of(self.state)}
        return pack_arrays({"about": np.array(json.dumps(about)), **arrays})

    @classmethod
    def load(cls, content: bytes, algorithm: Algorithm | None = None) -> Policy:
        """Return the policy that :meth:`dump` wrote; it continues as if nothing had happened.

        Parameters
        ----------
        algorithm
            The algorithm itself, if it cannot be found by its name.
        """
        with _refusing_damage():
            arrays = read_arrays(content)
            about = json.loads(str(arrays["about"]))
            name = str(about["algorithm"])
        algorithm = (algorithm or find(name)).with_parameters(about["params"])
        if algorithm.name != name:
            raise InvalidParameter(f"this is a policy of {name}, not of {algorithm.name}.")
        with _refusing_damage():
            policy = cls(algorithm, about["k"], about["seed"], about["horizon"], **about["params"])
            kept = {name: arrays[f"state.{name}"] for name, _ in arrays_of(policy.state)}
            policy.state = with_arrays(policy.state, kept)
            policy.asked = about["asked"]
            policy.events = about["events"]
            policy.open = {duel[0]: Duel(*duel) for duel in about["open"]}
        return policy


class _Lent(threading.local):
    """One generator for each thread, which compiled kernels get: numba never lets go of one that it was given."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)


_LENT = _Lent()


def _lend(rng: np.random.Generator) -> np.random.Generator:
    """Return the generator of this thread, set to draw what another would."""
    _LENT.rng.bit_generator.state = rng.bit_generator.state
    return _LENT.rng


# What kernels of live use call.
_ASKING = ("advance", "select", "finished", "crowded", "pend")
_TELLING = ("update", "tie", "crowded")


@lru_cache(100)
def _live_parts(algorithm: Algorithm, names: tuple[str, ...] = _ASKING) -> Parts:
    parts = ((name, getattr(algorithm, name)) for name in names)
    return tuple((name, part) for name, part in parts if part is not None)


def warm(algorithm: str | Algorithm = "cpc-pac") -> None:
    """Compile what a live policy of this algorithm calls, or take it from disk: from now on it plans fast.

    That takes half a minute the first time on a machine. The pairs that are asked stay the same.
    """
    policy = Policy(algorithm, k=3)
    with make_ready(policy.algorithm.name, keep=is_from_file(policy.algorithm.select)):
        if policy.algorithm.absorb is not None:
            policy.absorb(np.triu(np.ones((3, 3), np.int64), 1))
            policy.add_all([(0, 1, 0), (1, 2, None)])
        policy.count_on([(0, 1)])
        policy.name(2, np.zeros((3, 3), bool))


@contextmanager
def _refusing_damage() -> Iterator[None]:
    """Say of what :meth:`Policy.load` cannot read that it is no policy."""
    try:
        yield
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise InvalidParameter(f"this is not a dumped policy: {error}.") from error


def arrays_of(state: State, prefix: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Yield every array of a state with its dotted name."""
    for name, value in state._asdict().items():
        if isinstance(value, np.ndarray):
            yield prefix + name, value
        else:
            yield from arrays_of(value, f"{prefix}{name}.")


def with_arrays(state: State, arrays: Mapping[str, np.ndarray], prefix: str = "") -> State:
    """Return the state with other arrays in it, by dotted name."""
    changed = {}
    for name, value in state._asdict().items():
        if isinstance(value, np.ndarray):
            changed[name] = arrays[prefix + name]
        else:
            changed[name] = with_arrays(value, arrays, f"{prefix}{name}.")
    return state._replace(**changed)
