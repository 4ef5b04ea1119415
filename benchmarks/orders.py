"""How often options are told apart the wrong way, if one looks after every vote.

Run it as `python -m benchmarks.orders [replays] [words of a world]`.

Votes are drawn from a known matrix, for each of the three orders of :func:`copeland.rank`. *Wrong pair*: at some look an
option is told to be higher than another that is not lower. *Wrong cut*: such a pair lies on two sides of a cut
between tiers.
"""

from __future__ import annotations

import csv
import gzip
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.special import expit
from scipy.stats import norm

from benchmarks.order_looks import TOLD, compare_with_truth, new_board, watch_claims, watch_order
from copeland.forecast.races import PlannedRace
from copeland.forecast.start import new_start
from copeland.kernels import compiled
from copeland.kernels.vote_evidence import levels
from copeland.orders.option_estimates import (
    Ballots,
    estimate_borda,
    estimate_strengths,
    fit_strengths,
    radius_of,
)
from copeland.orders.rank import ORDERS, UNITS_AN_OPTION, rank, tell_apart
from copeland.support.rng import stream
from copeland.support.row_files import table_of
from copeland.support.vote_tables import count_votes, find_layout, read_rows

DELTA = 0.05
REPLAYS = 2_000
JOBS = 2
EACH = 5  # votes of a person
BY_CHANCE, PLANNED, PEOPLE, PEOPLE_AS_VOTES = range(4)  # who chooses pairs, and who votes


class World(NamedTuple):
    """What is true, and which pairs are asked."""

    name: str
    p: np.ndarray  # K x K: P(win) + P(tie) / 2
    often: np.ndarray  # K x K, symmetric: how often a pair is asked, beside the others
    votes: int
    expected: float | None = None  # votes, or people, at which intervals are tightest
    tie: np.ndarray | None = None  # K x K: P(tie)
    way: int = BY_CHANCE

    @property
    def k(self) -> int:
        return len(self.p)

    @property
    def ties(self) -> np.ndarray:
        return np.zeros_like(self.p) if self.tie is None else self.tie


class Votes(NamedTuple):
    """Votes in their order: 1 for the first, 0 for the second, 1/2 for a tie."""

    first: np.ndarray
    second: np.ndarray
    said: np.ndarray


def arena(folder: Path) -> World:
    """Real votes on language models: each replay draws as many of them again."""
    with gzip.open(folder / "votes" / "arena_2023.csv.gz", "rt") as file:
        rows = [(f"row {n}", row) for n, row in enumerate(csv.DictReader(file))]
    table = table_of(rows, "arena_2023")
    wins, ties, _ = count_votes(read_rows(table, find_layout(table)))
    number = wins + wins.T + ties
    met = np.maximum(number, 1)
    p = np.where(number > 0, (wins + ties / 2) / met, 0.5)
    votes = int(number.sum()) // 2
    return World("arena, 20 language models", p, number, votes, tie=ties / met)


def by_strengths(name: str, strengths: np.ndarray, often: np.ndarray, votes: int, **more) -> World:
    """Bradley and Terry."""
    return World(name, expit(np.subtract.outer(strengths, strengths)), often, votes, **more)


def thin(name: str, votes: int) -> World:
    """59 options of which 46 % of the pairs never meet, and a mediocre one that meets only weak ones."""
    k, rng = 59, stream(0, "thin board")
    strengths = np.sort(rng.normal(0, 0.8, k))[::-1]
    share = rng.exponential(size=k)
    often = np.outer(share, share)
    pairs = np.transpose(np.triu_indices(k, 1))
    i, j = rng.permutation(pairs)[: int(0.46 * len(pairs))].T
    often[i, j] = often[j, i] = 0.0
    often[k // 2, : k // 2 + 10] = often[: k // 2 + 10, k // 2] = 0.0
    often[k // 2, k // 2 + 10 :] = often[k // 2 + 10 :, k // 2] = share.mean() ** 2
    np.fill_diagonal(often, 0.0)
    return by_strengths(name, strengths, often, votes)


def circle(name: str, k: int, votes: int, **more) -> World:
    """Each option beats the half of the circle after it, the nearest most; some pairs are asked far more than others."""
    ahead = np.subtract.outer(-np.arange(k), -np.arange(k)) % k
    p = np.where(ahead == 0, 0.5, np.where(ahead <= k // 2, 0.9 - 0.3 * ahead / k, 0.0))
    p = np.where(p > 0, p, 1 - p.T)
    share = np.geomspace(1, 5, k)
    return World(name, p, np.outer(share, share) * (1 - np.eye(k)), votes, **more)


def like_tastes(name: str, k: int, votes: int, **more) -> World:
    """People with utilities of their own, as high for each option in the mean: nobody is better."""
    return World(name, np.full((k, k), 0.5), evenly(k), votes, **more)


def evenly(k: int) -> np.ndarray:
    return 1.0 - np.eye(k)


def apart_top(k: int) -> np.ndarray:
    """Two options as good as each other, far above the others, which lose 19 of 20 votes."""
    return np.array([3.0, 3.0] + [0.0] * (k - 2))


def worlds() -> list[World]:
    """Return what is measured."""
    listed = []
    folder = Path(os.environ.get("COPELAND_TEST_DATA", ""))
    if (folder / "votes").is_dir():
        listed.append(arena(folder))
    steps = np.linspace(1, -1, 8)
    return [
        *listed,
        thin("thin board of 59", 10_000),
        circle("cycle of 9", 9, 5_000),
        circle("cycle of 5, 500 expected", 5, 1_000, expected=500),
        by_strengths("10 alike", np.zeros(10), evenly(10), 10_000),
        by_strengths("5 alike, 200 expected", np.zeros(5), evenly(5), 1_000, expected=200),
        by_strengths("3 alike, 50 expected", np.zeros(3), evenly(3), 1_000, expected=50),
        by_strengths("2 alike far above 8", apart_top(10), evenly(10), 10_000),
        by_strengths("2 alike far above 3, 200 expected", apart_top(5), evenly(5), 1_000, expected=200),
        by_strengths("8 steps, pairs by cpc-pac", steps, evenly(8), 3_000, way=PLANNED, expected=2_000),
        by_strengths("8 alike, pairs by cpc-pac", 0 * steps, evenly(8), 3_000, way=PLANNED, expected=2_000),
        circle("cycle of 5, pairs by cpc-pac", 5, 2_000, way=PLANNED, expected=1_000),
        like_tastes("8 alike, people of 5 votes each", 8, 3_000, way=PEOPLE, expected=400),
        like_tastes("the same people, their votes taken as independent", 8, 3_000, way=PEOPLE_AS_VOTES, expected=2_000),
    ]  # fmt: skip


def draw_votes(world: World, rng: np.random.Generator) -> Votes:
    """Draw pairs, and the votes on them."""
    i, j = np.triu_indices(world.k, 1)
    share = world.often[i, j] / world.often[i, j].sum()
    pair = rng.choice(len(i), world.votes, p=share)
    first, second = i[pair], j[pair]
    u, tie = rng.random(world.votes), world.ties[first, second]
    won = u < world.p[first, second] - tie / 2
    said = np.where(won, 1.0, np.where(u > 1 - world.p[second, first] + tie / 2, 0.0, 0.5))
    return Votes(first, second, said)


def draw_people(world: World, rng: np.random.Generator) -> Votes:
    """Votes of people, each on one option against others, by utilities of their own."""
    people = world.votes // EACH
    utility = norm.rvs(size=(people, world.k), random_state=rng)
    order = rng.permuted(np.tile(np.arange(world.k), (people, 1)), axis=1)
    first, second = np.repeat(order[:, 0], EACH), order[:, 1 : EACH + 1].ravel()
    who = np.repeat(np.arange(people), EACH)
    return Votes(first, second, (utility[who, first] > utility[who, second]).astype(float))


def plan_votes(world: World, run: int) -> Votes:
    """Votes on the pairs that cpc-pac asks."""
    race = PlannedRace(new_start(world.k), world.p, world.ties, (run,))
    before, rows = race.counts()[0], []
    for vote in range(1, world.votes + 1):
        race.run(vote)
        wins = race.counts()[0]
        if race.votes > len(rows):
            (i, j), *_ = np.argwhere(wins > before)
            rows.append((i, j))
            before = wins
    first, second = np.array(rows).T
    return Votes(first, second, np.ones(len(rows)))


def truth_of(world: World, by: str) -> np.ndarray:
    """Return the true numbers of an order."""
    if by == "copeland":
        return (world.p > 0.5 + 1e-9).sum(axis=1).astype(float)
    if by == "borda":
        return (world.p.sum(axis=1) - 0.5) / (world.k - 1)
    wins = world.often * (world.p - world.ties / 2)
    return fit_strengths(wins, world.often * world.ties)  # type: ignore[arg-type]


def replay(world: World, run: int) -> list[np.ndarray]:
    """Return what each order notes in one replay."""
    if world.way == PLANNED:
        votes = plan_votes(world, run)
    else:
        draw = draw_votes if world.way == BY_CHANCE else draw_people
        votes = draw(world, stream(run, "orders", world.name))
    return [watch(world, votes, by) for by in ORDERS]


def watch(world: World, votes: Votes, by: str) -> np.ndarray:
    """Look at one order after every vote; where people vote, less often."""
    truth, k = truth_of(world, by), world.k
    if by == "copeland":
        return watch_scores(world, votes, truth)
    if world.way == PEOPLE:
        return watch_people(world, votes, by, truth)
    expected = world.expected or UNITS_AN_OPTION * k
    claims = k * (k - 1) // 2 + k
    n = len(votes.first)
    radius = np.array([radius_of(v, expected, DELTA / claims, k) for v in range(1, n + 1)])
    board, looks = new_board(k), np.ones(n, bool)
    compiled(watch_order)(board, *votes, radius, looks, truth, by == "strength")
    return board.noted


def watch_people(world: World, votes: Votes, by: str, truth: np.ndarray) -> np.ndarray:
    """Look whenever there are 2 % more people, by what copeland.orders says itself."""
    board, k = new_board(world.k), world.k
    estimate = estimate_strengths if by == "strength" else estimate_borda
    claims = k * (k - 1) // 2 + k
    people, following = np.arange(len(votes.first)) // EACH, 1.0
    for person in range(people[-1] + 1):
        now = slice(person * EACH, (person + 1) * EACH)
        won = votes.said[now] > 0.5
        i, j = votes.first[now], votes.second[now]
        np.add.at(board.wins, (np.where(won, i, j), np.where(won, j, i)), 1)
        if person >= following:
            following = 1.02 * person
            so_far = Ballots(*(x[: now.stop] for x in (*votes, people)))
            found = estimate(board.wins, board.ties, so_far)
            radius = radius_of(found.units, world.expected, DELTA / claims, k)
            board.above[:] = tell_apart(found, radius)
            compare_with_truth(board, truth, now.stop)
    board.noted[TOLD] = board.above.sum()
    return board.noted


def watch_scores(world: World, votes: Votes, truth: np.ndarray) -> np.ndarray:
    """Look at an order by Copeland scores.

    It can be wrong only while some claim about a pair is, at the lowest of the levels: then it is looked at, at the first
    such vote and whenever there are 1 % more.
    """
    k, n = world.k, len(votes.first)
    at, wrong = levels(k, DELTA), np.zeros(n, bool)
    level = float(min(at.win, at.loss, at.all, at.pair))
    room = np.zeros((k, k), np.int64), np.zeros((k, k), np.bool_)
    compiled(watch_claims)(*room, *votes, level, world.p, wrong)
    board, following = new_board(k), 0.0
    for vote in np.flatnonzero(wrong | (np.arange(n) == n - 1)):
        if vote >= following or vote == n - 1 or not wrong[vote - 1]:
            board.above[:] = tell_scores_apart(votes, int(vote) + 1, k)
            compare_with_truth(board, truth, vote + 1)
            following = 1.01 * vote
    board.noted[TOLD] = board.above.sum()
    return board.noted


def tell_scores_apart(votes: Votes, n: int, k: int) -> np.ndarray:
    """Return who has surely the higher Copeland score after the first votes, K x K."""
    wins, ties = np.zeros((2, k, k), np.int64)
    i, j, said = (x[:n] for x in votes)
    np.add.at(wins, (i[said == 1], j[said == 1]), 1)
    np.add.at(wins, (j[said == 0], i[said == 0]), 1)
    np.add.at(ties, (i[said == 0.5], j[said == 0.5]), 1)
    places = sorted(rank(wins, ties + ties.T).places, key=lambda place: int(place.name))
    low, high, tier = (np.array([getattr(x, of) for x in places]) for of in ("low", "high", "tier"))
    return (low[:, None] > high) | (tier[:, None] < tier)


def measure(world: World, replays: int, jobs: int = JOBS) -> np.ndarray:
    """Return what each replay notes: orders x replays x (wrong pair, wrong cut, told apart)."""
    noted = Parallel(n_jobs=jobs)(delayed(replay)(world, run) for run in range(replays))
    return np.array(noted).transpose(1, 0, 2)


def orders(replays: int = REPLAYS, only: str = "", jobs: int = JOBS) -> Iterator[str]:
    """How often an order is wrong, looked at after every vote."""
    yield "## Orders and tiers"
    yield (
        f"Votes drawn from a known matrix, at delta = {DELTA}, looked at after every vote; where people give {EACH} votes each, "
        "whenever there are 2 % more of them; by Copeland scores, while evidence speaks for a wrong pair, whenever there are 1 % more "
        "votes, as otherwise nothing can be wrong. *Wrong pair*: at some look an option is told to be higher than another that is "
        "not. *Wrong cut*: such a pair lies on two sides of a cut between tiers. In the last five worlds an assumption is "
        "broken or mended: `cpc-pac` chooses pairs by the votes, and votes of one person hang together."
    )
    yield ""
    yield "| world | votes | order | replays | wrong pair | wrong cut | the first wrong pairs come after | told apart at the end |"
    yield "|---|---|---|---|---|---|---|---|"
    for world in worlds():
        if only not in world.name:
            continue
        began = time.perf_counter()
        for by, noted in zip(ORDERS, measure(world, replays, jobs), strict=True):
            yield _row(world, by, noted)
        print(f"{world.name}: {time.perf_counter() - began:.1f} s", file=sys.stderr)


def _row(world: World, by: str, noted: np.ndarray) -> str:
    pair, cut, told = noted.T
    first = f"{pair[pair > 0].min():,} to {pair.max():,} votes" if pair.any() else ""
    shares = " | ".join(f"{(x > 0).sum()} ({(x > 0).mean():.2%})" for x in (pair, cut))
    every = world.k * (world.k - 1) // 2
    return f"| {world.name} | {world.votes:,} | {by} | {len(noted):,} | {shares} | {first} | {np.median(told):.0f} of {every} |"


def main() -> None:
    """Print the table, of fewer replays or of some worlds alone if so told."""
    replays = int(sys.argv[1]) if len(sys.argv) > 1 else REPLAYS
    for line in orders(replays, *sys.argv[2:3]):
        print(line, flush=True)


if __name__ == "__main__":
    main()
