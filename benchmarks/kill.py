"""No acknowledged vote is lost: `python -m benchmarks.kill` kills 8 voters in each of 20 rounds."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.kills import kill_voters
from tests.postgres import server

ROUNDS = 20
VOTERS = 8


def kills(rounds=ROUNDS):
    """Voters killed while they vote into one study."""
    yield "## Killed voters"
    yield (
        f"{VOTERS} processes vote at once into one study and are killed with SIGKILL at random moments, "
        f"{rounds} rounds. Lost: acknowledged and not in the log. Errors: anything a voter was told "
        "instead, a lock for instance. After each round the log is replayed."
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


if __name__ == "__main__":
    for line in kills(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS):
        print(line, flush=True)
