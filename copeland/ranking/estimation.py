"""From rankers and clicks to a preference matrix: wins, ties and comparisons of every pair, counted, under any rule for ties.

Every query is compared equally often: strata take the spread between queries out of the noise. Each pair
has a stream of its own, so the counts do not depend on how the pairs are shared out.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidMatrix, InvalidParameter, nearest
from copeland.kernels import kernel
from copeland.kernels.compiler.compile import compile_kernel
from copeland.kernels.compiler.digest import digest_sources
from copeland.matrix import PreferenceMatrix
from copeland.ranking.clicks import ClickModel
from copeland.ranking.collection import Collection
from copeland.ranking.comparison_arrays import (
    LENGTH,
    TAU,
    ClickWorld,
    check_tau,
    click_world,
    outcome_code,
    score_ties_code,
)
from copeland.ranking.interleaved_comparison import compare_many
from copeland.ranking.rankers import Ranker, rankings, ranks, tie_starts
from copeland.support.arrays import Floats, Ints
from copeland.support.atomic_files import write_file
from copeland.support.npz import pack_arrays, read_arrays
from copeland.support.rng import stream
from copeland.support.tasks import Arrays, finish

Pair = tuple[int, int]

TIES = ("half", "coin", "discard")

_TABLES = ("wins", "ties", "n", "lead", "spread")


@dataclass(frozen=True, eq=False)
class Estimate:
    """What the comparisons of every pair came to, as integers: any tie rule can be applied later.

    ``wins[i, j]`` counts comparisons that i won against j; ``ties`` and ``n`` are symmetric. Of the
    outcome ``expected`` the values are kept too, because they are no whole wins: ``lead[i, j]`` is the
    mean of P(i ahead) - P(i behind), and ``spread`` its variance from comparison to comparison.

    Examples
    --------
    >>> counts, sums = np.array([[60, 30, 10]]), np.array([[30.0, 90.0]])
    >>> found = tally(["a", "b"], "sign", [(0, 1)], counts, sums)
    >>> found.matrix().p.tolist()  # a tie is half a win each
    [[0.5, 0.65], [0.35, 0.5]]
    >>> found.matrix(ties="discard").p.round(2).tolist()
    [[0.5, 0.67], [0.33, 0.5]]
    >>> found.standard_errors().round(3)[0, 1].item()
    0.045
    """

    labels: tuple[str, ...]
    outcome: str
    wins: Ints
    ties: Ints
    n: Ints
    lead: Floats
    spread: Floats

    def probabilities(self, ties: str = "half", seed: int = 0) -> Floats:
        """Return p_ij under a rule for ties: ``half`` a win each, a ``coin`` for each, or ``discard``.

        With the outcome ``expected`` there are no ties to rule on.
        """
        check_ties(ties)
        if self.outcome == "expected":
            p = (1 + self.lead) / 2
        elif ties == "discard":
            decisive = self.n - self.ties
            never = (decisive == 0) & ~np.eye(len(self.n), dtype=bool)
            if never.any():
                i, j = np.argwhere(never)[0]
                raise InvalidMatrix(
                    f"all comparisons of {self.labels[i]} and {self.labels[j]} are ties; "
                    "count ties as half instead of discarding them."
                )
            p = self.wins / np.maximum(decisive, 1)
        else:
            won = self.ties / 2
            if ties == "coin":  # a fair coin says which ties the first of the pair won
                heads = np.triu(stream(seed, "ties").binomial(self.ties, 0.5), 1)
                won = heads + np.tril((self.ties - heads.T), -1)
            p = (self.wins + won) / np.maximum(self.n, 1)
        upper = np.triu(p, 1)
        return upper + np.tril(1 - upper.T, -1) + np.eye(len(p)) / 2

    def standard_errors(self, ties: str = "half") -> Floats:
        """Return the standard error of each probability, from the comparisons alone.

        Rather too large: differences between queries, which the strata take out, are counted in.
        """
        check_ties(ties)
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.outcome == "expected":
                error = np.sqrt(self.spread / self.n) / 2
            elif ties == "discard":
                decisive = self.n - self.ties
                share = self.wins / decisive
                error = np.sqrt(share * (1 - share) / decisive)
            else:
                p = (self.wins + self.ties / 2) / self.n
                square = (self.wins + self.ties / (2 if ties == "coin" else 4)) / self.n
                error = np.sqrt(np.maximum(square - p**2, 0) / self.n)
        np.fill_diagonal(error, 0)
        return error

    def matrix(self, ties: str = "half", name: str = "", seed: int = 0) -> PreferenceMatrix:
        """Return the preference matrix under a rule for ties."""
        return PreferenceMatrix(self.probabilities(ties, seed), self.labels, name)

    def save(self, path: str | Path, ties: str = "half", seed: int = 0) -> None:
        """Write an .npz that loads wherever a matrix does, with the counts beside ``p``."""
        arrays = {
            "p": self.probabilities(ties, seed),
            "labels": np.array(self.labels),
            "standard_errors": self.standard_errors(ties),
            **{name: getattr(self, name) for name in _TABLES},
            "outcome": np.array(self.outcome),
        }
        write_file(Path(path), pack_arrays(arrays))

    @classmethod
    def load(cls, path: str | Path) -> Estimate:
        """Read what :meth:`save` wrote."""
        try:
            arrays = read_arrays(Path(path))
            labels = tuple(str(label) for label in arrays["labels"])
            return cls(
                labels=labels,
                outcome=str(arrays["outcome"]),
                **{name: _table(arrays, name, len(labels)) for name in _TABLES},
            )
        except (KeyError, OSError, ValueError, TypeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            if isinstance(error, KeyError):
                reason = f"it has no {error}"
            raise InvalidMatrix(
                f"{path}: this is not an estimate from comparisons: {reason.rstrip('.')}."
            ) from error


def _table(arrays: Arrays, name: str, k: int) -> NDArray[Any]:
    """One of the tables of an estimate, if it is one."""
    table = arrays[name]
    if k < 2 or table.shape != (k, k) or table.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be numbers of {k} x {k} rankers, at least 2")
    if not (np.isfinite(table).all() and (name == "lead" or (table >= 0).all())):
        raise ValueError(f"{name} must be finite, and not negative")
    return table


def tally(
    labels: Sequence[str], outcome: str, pairs: Sequence[Pair], counts: Ints, sums: Floats
) -> Estimate:
    """Return the estimate from what each pair's comparisons add up to, however many they were.

    Parameters
    ----------
    counts
        One row for each pair: won by its first, won by its second, ties.
    sums
        One row for each pair: the sum of the outcomes and of their squares.

    Examples
    --------
    >>> found = tally(["a", "b"], "sign", [(0, 1)], np.array([[60, 30, 10]]), np.array([[30.0, 90.0]]))
    >>> found.wins.tolist(), found.n.tolist()
    ([[0, 60], [30, 0]], [[0, 100], [100, 0]])
    """
    k = len(labels)
    first, second = np.array(pairs).T
    made = counts.sum(axis=1)
    tables = {name: np.zeros((k, k), np.int64) for name in ("wins", "ties", "n")}
    lead, spread = np.zeros((k, k)), np.zeros((k, k))
    tables["wins"][first, second], tables["wins"][second, first] = counts[:, 0], counts[:, 1]
    for i, j in ((first, second), (second, first)):
        tables["ties"][i, j] = counts[:, 2]
        tables["n"][i, j] = made
    mean = sums[:, 0] / made
    lead[first, second], lead[second, first] = mean, -mean
    spread[first, second] = spread[second, first] = np.maximum(sums[:, 1] / made - mean**2, 0)
    return Estimate(tuple(labels), outcome, **tables, lead=lead, spread=spread)


def check_ties(ties: str) -> None:
    """Refuse a rule for ties that there is not.

    Examples
    --------
    >>> check_ties("half")
    >>> check_ties("halv")
    Traceback (most recent call last):
    copeland.errors.InvalidParameter: there is no rule 'halv' for ties; did you mean 'half'?
    """
    if ties not in TIES:
        raise InvalidParameter(f"there is no rule '{ties}' for ties; {nearest(ties, TIES)}")


COMPARISONS_A_TASK = 8_000_000  # a few seconds: less would be spent on handing tasks out


@dataclass(frozen=True)
class Protocol:
    """How two rankers are compared: what users do, what counts as a win, and how often."""

    clicks: ClickModel
    comparisons: int = 1_000  # of each pair; the paper has 400,000
    outcome: str = "sign"
    length: int = LENGTH
    tau: float = TAU
    interleave: str = "probabilistic"  # or "team-draft"
    score_ties: str = "frozen"  # when equal scores are ordered: frozen, fresh or rebroken

    @property
    def code(self) -> int:
        """What kernels call this kind of comparison."""
        return outcome_code(self.outcome, self.interleave)

    def __post_init__(self) -> None:
        score_ties_code(self.score_ties, self.code)
        if self.comparisons < 1 or self.length < 1:
            raise InvalidParameter(
                f"{self.comparisons} comparisons of lists of {self.length}; both must be at least 1."
            )


def estimate(
    collection: Collection,
    rankers: Sequence[Ranker],
    protocol: Protocol,
    folder: str | Path,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
    note: Callable[[str], None] | None = None,
    backend: str = "loky",
) -> Estimate:
    """Compare every two rankers and return the counts; what is in ``folder`` is not done again.

    Parameters
    ----------
    collection
        Queries with graded documents.
    rankers
        At least two, of different names.
    folder
        Where finished pairs are kept, so that a run that was stopped goes on.
    jobs
        Processes; the counts do not depend on it.
    backend
        ``loky`` (this machine), ``dask`` or ``ray``; the counts do not depend on it.

    Examples
    --------
    >>> import tempfile
    >>> from copeland.ranking import all_features, synthetic
    >>> from copeland.ranking.clicks import click_model
    >>> collection = synthetic(queries=20, features=5)
    >>> protocol = Protocol(click_model("perfect"), comparisons=1000)
    >>> found = estimate(collection, all_features(collection)[:2], protocol, tempfile.mkdtemp())
    >>> found.n.tolist()
    [[0, 1000], [1000, 0]]
    >>> bool(found.matrix().p[0, 1] > 0.5)  # the first feature is the better ranker
    True
    """
    world = world_of(collection, rankers, protocol, seed)
    pairs = all_pairs(len(rankers))
    tasks = pairs_tasks(world, protocol, pairs, seed)
    results = finish(tasks, Path(folder), jobs, backend, progress, note)
    return tally([ranker.name for ranker in rankers], protocol.outcome, pairs, *joined(results))


@dataclass(frozen=True, eq=False)
class World:
    """The rankings and grades that comparisons read."""

    orders: NDArray[np.int32]
    ranks: NDArray[np.int32]
    grades: NDArray[np.int8]
    offsets: Ints
    tied: NDArray[np.int32] | None = None  # the first rank with this score; None if frozen

    @cached_property
    def key(self) -> str:
        """A digest of all of it."""
        digest = hashlib.sha256()
        tied = () if self.tied is None else (self.tied,)
        for array in (self.orders, self.grades, self.offsets, *tied):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def under(self, rules: Protocol) -> ClickWorld:
        """Return it with the rules of a protocol, as kernels want it."""
        return click_world(
            self.orders, self.ranks, self.grades, self.offsets,
            rules.clicks, rules.code, rules.length, rules.tau,
            self.tied, score_ties_code(rules.score_ties, rules.code),
        )  # fmt: skip


def world_of(
    collection: Collection, rankers: Sequence[Ranker], protocol: Protocol, seed: int
) -> World:
    """Return what comparisons of these rankers read, after checking that they can be made.

    Examples
    --------
    >>> from copeland.ranking import all_features, synthetic
    >>> from copeland.ranking.clicks import click_model
    >>> collection = synthetic(queries=20, features=5)
    >>> world_of(collection, all_features(collection)[:1], Protocol(click_model("perfect")), seed=0)
    Traceback (most recent call last):
    copeland.errors.InvalidParameter: a comparison needs at least 2 rankers; got 1.
    """
    if len(rankers) < 2:
        raise InvalidParameter(f"a comparison needs at least 2 rankers; got {len(rankers)}.")
    protocol.clicks.check(collection.grades)
    protocol.clicks.tables(protocol.length)
    check_tau(protocol.tau, int(collection.sizes.max()))
    orders = rankings(collection, rankers, seed)
    frozen = protocol.score_ties == "frozen"
    tied = None if frozen else tie_starts(collection, rankers, orders)
    ranked = ranks(orders, collection.offsets)
    return World(orders, ranked, collection.grades, collection.offsets, tied)


def all_pairs(k: int) -> list[Pair]:
    """Return every two of k options, once.

    Examples
    --------
    >>> all_pairs(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return list(itertools.combinations(range(k), 2))


@dataclass(frozen=True, eq=False)
class PairsTask:
    """Some pairs of rankers, compared as often as the protocol says: see :func:`pairs_tasks`."""

    world: World
    protocol: Protocol
    pairs: tuple[Pair, ...]
    seed: int
    round: int = 0  # comparisons of another round are other comparisons

    def about(self) -> dict[str, Any]:
        """Return everything that the counts depend on."""
        rules = self.protocol
        return {
            "kind": "rankers",
            "world": self.world.key,
            "clicks": [rules.clicks.click, rules.clicks.stop, rules.clicks.examine],
            "stop requires click": rules.clicks.stop_requires_click,
            "protocol": [rules.comparisons, rules.code, rules.length, rules.tau],
            "score ties": rules.score_ties,
            "pairs": self.pairs,
            "seed": self.seed,
            "round": self.round,
            "sources": digest_sources(compare_pair),
        }

    def run(self) -> Arrays:
        """Compare the pairs one after the other."""
        compare, world = compile_kernel(compare_pair), self.world.under(self.protocol)
        counts = np.zeros((len(self.pairs), 3), np.int64)
        sums = np.zeros((len(self.pairs), 2))
        later = (self.round,) if self.round else ()
        for place, (first, second) in enumerate(self.pairs):
            rng = stream(self.seed, "comparisons", first, second, *later)
            n = self.protocol.comparisons
            compare(world, first, second, n, counts[place], sums[place], rng)
        return {"counts": counts, "sums": sums}


def pairs_tasks(
    world: World,
    protocol: Protocol,
    pairs: Sequence[Pair],
    seed: int,
    round: int = 0,
    size: int = 0,
) -> list[PairsTask]:
    """Share out a round of comparisons, ``size`` pairs to a task; by default a few seconds' work.

    Examples
    --------
    >>> from copeland.ranking import all_features, synthetic
    >>> from copeland.ranking.clicks import click_model
    >>> collection, rules = synthetic(queries=20, features=5), Protocol(click_model("perfect"))
    >>> world = world_of(collection, all_features(collection), rules, seed=0)
    >>> [len(task.pairs) for task in pairs_tasks(world, rules, all_pairs(5), seed=0, size=4)]
    [4, 4, 2]
    """
    size = size or max(1, COMPARISONS_A_TASK // protocol.comparisons)
    return [
        PairsTask(world, protocol, tuple(pairs[at : at + size]), seed, round)
        for at in range(0, len(pairs), size)
    ]


@kernel
def compare_pair(world, first, second, comparisons, counts, sums, rng):
    """Compare two rankers, equally often on every query; what does not divide goes to the first ones.

    Examples
    --------
    >>> from copeland.ranking import all_features, synthetic
    >>> from copeland.ranking.clicks import click_model
    >>> collection, rules = synthetic(queries=20, features=5), Protocol(click_model("perfect"))
    >>> world = world_of(collection, all_features(collection), rules, seed=0).under(rules)
    >>> counts, sums = np.zeros(3, np.int64), np.zeros(2)
    >>> compare_pair(world, 0, 4, 50, counts, sums, np.random.default_rng(0))
    >>> int(counts.sum())
    50
    """
    queries = len(world.offsets) - 1
    for q in range(queries):
        times = comparisons // queries + int(q < comparisons % queries)
        compare_many(world, first, second, q, times, counts, sums, rng)


def joined(results: Sequence[Arrays]) -> tuple[Ints, Floats]:
    """Return the counts and the sums of all tasks, one row for each pair.

    Examples
    --------
    >>> part = {"counts": np.array([[3, 1, 0]]), "sums": np.array([[2.0, 4.0]])}
    >>> joined([part, part])[0].tolist()
    [[3, 1, 0], [3, 1, 0]]
    """
    counts = np.concatenate([arrays["counts"] for arrays in results])
    return counts, np.concatenate([arrays["sums"] for arrays in results])
