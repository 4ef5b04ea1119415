"""How quick studies are: `python -m benchmarks.studies [votes]`."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from copeland.study import create_study, open_study
from copeland.study.log.events import Event
from tests.postgres import server

K = 50
OPTIONS = [f"option {i}" for i in range(K)]
VOTERS = 1_000
TURNS = 1_000


def rows(votes, rng):
    """Votes by voters who prefer the earlier option with a probability between 1/2 and 3/4."""
    left = rng.integers(0, K, votes)
    right = (left + rng.integers(1, K, votes)) % K
    wins = rng.random(votes) < 0.5 + (right - left) / (4 * K)
    for i in range(votes):
        yield {
            "left": OPTIONS[left[i]],
            "right": OPTIONS[right[i]],
            "outcome": "left" if wins[i] else "right",
            "voter": f"voter {i % VOTERS}",
        }


def turns(storage, votes=10_000):
    """Milliseconds of ask and of tell, turn by turn, after so many votes."""
    study = create_study("latency", OPTIONS, storage, voters="independent")
    study.add_votes(rows(votes, np.random.default_rng(0)))
    asks, tells = [], []
    coin = np.random.default_rng(1)
    for _ in range(TURNS):
        start = time.perf_counter()
        ballot = study.ask(voter="ann")
        asked = time.perf_counter()
        study.tell(ballot, "left" if coin.random() < 0.5 else "right")
        asks.append((asked - start) * 1e3)
        tells.append((time.perf_counter() - asked) * 1e3)
    return asks, tells


def quickness(votes=1_000_000):
    """How quick studies are."""
    yield "## Quickness of studies"
    yield f"K = {K}, the default algorithm, plain Python. The times include everything that a process does."
    yield ""
    with tempfile.TemporaryDirectory() as folder, server() as postgres:
        yield "| storage | ask + tell at 10,000 votes, median | 99 % | ask, median | tell, median |"
        yield "|---|---|---|---|---|"
        for name, storage in (
            ("memory", None),
            ("SQLite", f"sqlite:///{Path(folder, 'small.db')}"),
            ("PostgreSQL", postgres),
        ):
            asks, tells = turns(storage)
            both = np.add(asks, tells)
            yield (
                f"| {name} | {np.median(both):.2f} ms | {np.quantile(both, 0.99):.1f} ms "
                f"| {np.median(asks):.2f} ms | {np.median(tells):.2f} ms |"
            )
        yield ""
        yield from opening(votes, f"sqlite:///{Path(folder, 'large.db')}")


def opening(votes, storage):
    """Yield how long it takes to open a study of many votes, all of them asked for and answered."""
    study = create_study("large", OPTIONS, storage, voters="independent")
    start = time.perf_counter()
    study.storage.write(study._key, lambda log: log.append(list(life(votes))))
    yield f"| {votes:,} votes on SQLite, each with its question | seconds |"
    yield "|---|---|"
    yield f"| written at once | {time.perf_counter() - start:.1f} |"
    start = time.perf_counter()
    study = open_study("large", storage)  # keeps a snapshot
    yield f"| opened from the bare log | {time.perf_counter() - start:.2f} |"
    start = time.perf_counter()
    study = open_study("large", storage)
    yield f"| opened from a snapshot | {time.perf_counter() - start:.3f} |"
    for what, action in (
        ("first ask after opening", lambda: study.ask(voter="ann")),
        ("standing without voters", lambda: study.standing(voters=False)),
        (f"standing with {VOTERS:,} voters", study.standing),
        ("votes as a data frame", study.votes),
    ):
        start = time.perf_counter()
        action()
        yield f"| {what} | {time.perf_counter() - start:.3f} |"


def life(votes):
    """The log of a study that asked for all its votes."""
    index = {name: i for i, name in enumerate(OPTIONS)}
    for i, row in enumerate(rows(votes, np.random.default_rng(2))):
        left, right = index[row["left"]], index[row["right"]]
        asked = 2 * i + 2
        yield Event(
            *(asked, "asked", float(i)),
            voter=row["voter"],
            left=left,
            right=right,
        )
        yield Event(
            *(asked + 1, "voted", i + 0.5),
            event_id=f"vote {i}",
            ballot=asked,
            voter=row["voter"],
            left=left,
            right=right,
            outcome=row["outcome"],
        )


if __name__ == "__main__":
    for line in quickness(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000):
        print(line, flush=True)
