"""No acknowledged vote is lost, whoever is killed, whatever restarts or is full: `python -m benchmarks.kill [part]`."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tests.kills import kill_voters
from tests.postgres import restartable, server
from tests.web.full_disks import disturb, fill, small_disk
from tests.web.worker_kills import kill_workers

ROUNDS = 20
VOTERS = 8
PEOPLE = 50
DISK = 512  # megabytes, of which PostgreSQL's programs take some


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
    yield _head("storage", "kills")
    yield RULE
    with tempfile.TemporaryDirectory() as folder, server() as postgres:
        for name, storage in (
            ("SQLite", f"sqlite:///{Path(folder, 'votes.db')}"),
            ("PostgreSQL", postgres),
        ):
            yield _row(name, kill_workers(storage, kills, voters, 4.0))


def database_restarts(restarts=20, voters=PEOPLE):
    """PostgreSQL restarted under voters."""
    yield "## A database that restarts"
    yield (
        f"{voters} people vote on one server. PostgreSQL ends at once, without a checkpoint, about every 4 seconds, {restarts} times, and "
        "starts again after half a second. A voter who is told to wait sends the answer again."
    )
    yield ""
    yield _head("storage", "restarts")
    yield RULE
    with restartable() as (address, restart):

        def interrupt():
            for _ in range(restarts):
                time.sleep(3.5)
                restart(0.5)

        yield _row(
            "PostgreSQL", disturb(address, interrupt, 4.0 * restarts + 4.0, voters, restarts)
        )


def full_disks(voters=PEOPLE):
    """A disk that is full under voters."""
    yield "## A full disk"
    yield (
        f"{voters} people vote on one server, whose database is on a small file system. After 4 seconds a file takes "
        "all of its free space for 6 seconds. "
        "PostgreSQL, which may end then, is started again once there is space."
    )
    yield ""
    yield _head("storage", "times full")
    yield RULE
    with small_disk(DISK) as folder:
        storage = f"sqlite:///{folder / 'votes.db'}"
        yield _row("SQLite", disturb(storage, lambda: fill(folder, 4.0, 6.0), 18.0, voters, 1))
    with small_disk(DISK) as folder, restartable(folder=folder) as (address, restart):

        def interrupt():
            fill(folder, 4.0, 6.0)
            restart(0.0)

        yield _row("PostgreSQL", disturb(address, interrupt, 24.0, voters, 1))


def _head(*first):
    rest = (
        "acknowledged votes",
        "kept",
        "lost",
        "kept twice",
        "errors",
        "replay differs",
        "chain breaks",
    )
    return f"| {' | '.join((*first, *rest))} |"


RULE = "|---" * 9 + "|"


def _row(name, found):
    for error in found.errors[:3]:
        print(error, file=sys.stderr)
    return (
        f"| {name} | {found.kills} | {found.acknowledged:,} | {found.kept:,} | {found.lost} | {found.twice} "
        f"| {len(found.errors)} | {found.replay_differs} | {found.chain_breaks} |"
    )


PARTS = (kills, worker_kills, database_restarts, full_disks)

if __name__ == "__main__":
    for part in PARTS:
        if part.__name__ in (sys.argv[1:] or [one.__name__ for one in PARTS]):
            for line in part():
                print(line, flush=True)
            print()
