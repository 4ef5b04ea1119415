"""A check that a server must pass on any storage: no acknowledged vote is lost, whichever worker is killed and when."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from pathlib import Path
from typing import NamedTuple

from copeland.study import open_study
from copeland.support.rng import stream
from tests.web.crowd import (
    Acknowledged,
    Tally,
    crowd,
    free_port,
    prepared,
    running,
    serve,
    votes_in,
)

WORKERS = 2


class Killed(NamedTuple):
    """What came of voters whose server's workers were killed."""

    kills: int
    acknowledged: int
    kept: int  # the last of a voter may be kept and not acknowledged
    lost: int  # acknowledged, and not in the log
    twice: int
    errors: tuple[str, ...]
    replay_differs: bool
    chain_breaks: bool

    @property
    def passed(self) -> bool:
        """Whether it went as it must."""
        bad = self.lost or self.twice or self.errors or self.replay_differs or self.chain_breaks
        return self.acknowledged > 0 and self.kills > 0 and not bad


def kill_workers(storage: str, kills: int, voters: int, every: float, seed: int = 0) -> Killed:
    """Let people vote on two workers, and kill one after about so many seconds, again and again."""
    server, link = prepared(storage, 12)
    port, done = free_port(), threading.Event()
    killed: list[int] = []
    with running(serve(storage, port, WORKERS), port) as process:
        lives = (stream(seed, "lives").uniform(0.5, 1.5, kills) * every).tolist()
        killer = threading.Thread(target=_kill, args=(process.pid, lives, done, killed))
        killer.start()
        tally = asyncio.run(crowd(port, link, voters, sum(lives) + every, stubborn=True))
        done.set()
        killer.join()
    return found_in(server, storage, tally, len(killed))


def _kill(parent: int, lives: list[float], done: threading.Event, killed: list[int]) -> None:
    for life in lives:
        if done.wait(life):
            return
        workers = _workers(parent)
        if workers:
            os.kill(workers[0], signal.SIGKILL)
            killed.append(workers[0])


def _workers(parent: int) -> list[int]:
    """The children of a process that serve, the oldest first."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    serving = [
        pid for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    return sorted(map(int, serving))


def found_in(server, storage: str, tally: Tally, kills: int, name: str = "load") -> Killed:
    """Return what came of the votes, by the log."""
    kept = votes_in(server, name)
    told = {_id(server, one) for one in tally.acknowledged}
    study = open_study(name, storage)
    return Killed(
        kills=kills,
        acknowledged=len(told),
        kept=len(kept),
        lost=len(told - set(kept)),
        twice=len(kept) - len(set(kept)) + len(tally.acknowledged) - len(told),
        errors=tuple(tally.errors),
        replay_differs=study.state() != study.replay(),
        chain_breaks=study.misfit() is not None,
    )


def _id(server, one: Acknowledged) -> str:
    """The id of the vote that a voter was told of."""
    slug, voter, *_ = server.signer.read("voter", one.cookie.partition("=")[2])
    ballot, turn, _ = server.signer.unseal(slug, voter, one.ballot)
    return f"page/{slug}/{ballot}/{turn}"
