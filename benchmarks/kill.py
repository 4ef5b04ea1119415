"""No acknowledged vote is lost: `python -m benchmarks.kill` kills 8 voters in each of 20 rounds."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.kills import kill_voters
from tests.postgres import server
from tests.web.worker_kills import kill_workers

ROUNDS = 20
VOTERS = 8


def kills(rounds=ROUNDS):
    """Voters killed while they vote into one study."""
    yield "## Killed voters"
    yield (
        f"{VOTERS} processes vote at once in one study, and SIGKILL ends them at random moments, in {rounds} rounds. "
        "*Lost*: votes that were acknowledged but are not in the log. *Errors*: any other answer that a voter got, such "
        "as a lock. After each round we replay the log."
    )
    yield ""
    yield "| storage | acknowledged votes | kept | lost | errors | replays that differ |"
    yield "|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as folder, server() as postgres:
        for name, storage in (
            ("SQLite", f"sqlite:///{Path(folder, 'votes.db')}"),
            ("PostgreSQL", postgres),
        ):
            done = kill_voters(storage, rounds, VOTERS)
            yield (
                f"| {name} | {sum(r.acknowledged for r in done):,} | {sum(r.kept for r in done):,} "
                f"| {sum(len(r.lost) for r in done)} | {sum(len(r.errors) for r in done)} "
                f"| {sum(r.replay_differs for r in done)} |"
            )


def worker_kills(kills=20, voters=50):
    """Workers of a server killed under voters."""
    yield "## Killed workers"
    yield (
        f"{voters} people vote on the pages of a server with 2 workers. SIGKILL ends one of them about every 4 seconds, "
        f"{kills} times. A voter whose connection breaks sends the answer again, as the page does."
    )
    yield ""
    yield "| storage | kills | acknowledged votes | kept | lost | kept twice | errors | replay differs |"
    yield "|---|---|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as folder, server() as postgres:
        for name, storage in (
            ("SQLite", f"sqlite:///{Path(folder, 'votes.db')}"),
            ("PostgreSQL", postgres),
        ):
            found = kill_workers(storage, kills, voters, 4.0)
            yield (
                f"| {name} | {found.kills} | {found.acknowledged:,} | {found.kept:,} | {found.lost} "
                f"| {found.twice} | {len(found.errors)} | {found.replay_differs} |"
            )


if __name__ == "__main__":
    for line in kills(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS):
        print(line, flush=True)
