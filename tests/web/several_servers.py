"""Several servers on one storage: voters whose every request goes to another of them, and servers that are killed."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import threading
from contextlib import contextmanager
from typing import NamedTuple
from zlib import crc32

from copeland.support.rng import stream
from tests.web.crowd import Spread, Tally, await_server, crowd, free_port, prepared, serve
from tests.web.worker_kills import Killed, found_in

OPTIONS = 12


def choose_at_random(_path: str, servers: int) -> int:
    """Choose a server as a proxy does that knows nothing of studies: the hardest case."""
    return random.randrange(servers)


def choose_by_path(path: str, servers: int) -> int:
    """Choose the same server for every request to a study, as a proxy does that hashes paths."""
    return crc32(path.encode()) % servers


class Servers:
    """Servers on one storage, each with a port of its own."""

    def __init__(self, storage: str, n: int):
        self._storage = storage
        self.ports = [free_port() for _ in range(n)]
        self._processes = [self._start(port) for port in self.ports]
        self._ended = 0.0  # seconds of CPU of those that were killed

    def _start(self, port: int) -> subprocess.Popen:
        command = serve(self._storage, port)
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)

    def await_all(self) -> None:
        """Wait until all of them answer."""
        for process, port in zip(self._processes, self.ports, strict=True):
            await_server(process, port)

    def kill(self, index: int) -> None:
        """Kill a server, and start it again at the same port."""
        process = self._processes[index]
        self._ended += read_cpu(process.pid)
        process.kill()
        process.wait()
        self._processes[index] = self._start(self.ports[index])

    def end(self) -> None:
        """End all of them."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    @property
    def cpu(self) -> float:
        """Seconds of CPU that they have used."""
        return self._ended + sum(read_cpu(process.pid) for process in self._processes)


def read_cpu(pid: int) -> float:
    """Seconds of CPU that a process used, and its children that have ended."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def several(storage: str, n: int):
    """Run so many servers on a storage; yield them once all answer."""
    servers = Servers(storage, n)
    try:
        servers.await_all()
        yield servers
    finally:
        servers.end()


class Prepared(NamedTuple):
    """A study, its link, and what a server knows."""

    name: str
    server: object
    link: str


def prepare_studies(storage: str, n: int) -> list[Prepared]:
    """Make so many studies, each with an open link."""
    names = [f"study {i}" for i in range(n)]
    return [Prepared(name, *prepared(storage, OPTIONS, name)) for name in names]


def vote_in_all(
    studies: list[Prepared],
    ports: list[int],
    voters: int,
    seconds: float,
    choose=choose_at_random,
    stubborn=False,
) -> list[Tally]:
    """Let so many people vote in studies, spread over them; return what they saw, by study."""

    async def vote() -> list[Tally]:
        shares = [voters // len(studies) + (i < voters % len(studies)) for i in range(len(studies))]
        return await asyncio.gather(
            *(
                crowd(lambda: Spread(ports, choose), one.link, share, seconds, stubborn=stubborn)
                for one, share in zip(studies, shares, strict=True)
            )
        )

    return asyncio.run(vote())


def kill_servers(
    storage: str, n: int, studies: int, voters: int, kills: int, every: float, seed: int = 0
) -> Killed:
    """Let people vote on several servers, and kill one after about so many seconds, again and again."""
    made = prepare_studies(storage, studies)
    done, killed = threading.Event(), []
    draws = stream(seed, "servers")
    lives = (draws.uniform(0.5, 1.5, kills) * every).tolist()

    def kill() -> None:
        for life in lives:
            if done.wait(life):
                return
            killed.append(int(draws.integers(n)))
            servers.kill(killed[-1])

    with several(storage, n) as servers:
        killer = threading.Thread(target=kill)
        killer.start()
        tallies = vote_in_all(made, servers.ports, voters, sum(lives) + every, stubborn=True)
        done.set()
        killer.join()
    return add_up(
        [find_in(one, storage, tally) for one, tally in zip(made, tallies, strict=True)]
    )._replace(kills=len(killed))


def find_in(one: Prepared, storage: str, tally: Tally) -> Killed:
    """Return what came of the votes in one study."""
    return found_in(one.server, storage, tally, 0, one.name)


def add_up(parts: list[Killed]) -> Killed:
    """Return what came of the votes in all studies."""
    return Killed(
        kills=0,
        acknowledged=sum(one.acknowledged for one in parts),
        kept=sum(one.kept for one in parts),
        lost=sum(one.lost for one in parts),
        twice=sum(one.twice for one in parts),
        errors=tuple(error for one in parts for error in one.errors),
        replay_differs=any(one.replay_differs for one in parts),
        chain_breaks=any(one.chain_breaks for one in parts),
    )
