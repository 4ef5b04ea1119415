"""How many votes a second `copeland serve` keeps, beside a bare application: `python -m benchmarks.serve_load [seconds]`.

Both run at the same time on the same machine, and voters visit them in turns, in short rounds: so whatever else the machine
does meanwhile slows both. `python -m benchmarks.serve_load 2 fast` leaves out how costs grow.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.vote_growth import growth
from copeland.policy import warm
from copeland.study.settings import BATCH
from tests.postgres import server as postgres_server
from tests.web.crowd import crowd, free_port, prepared, running, serve, votes_in

SECONDS = 5.0  # of each round
ROUNDS = 6
RAMP = 1.0  # seconds before a round counts
OPTIONS, VOTERS = 12, 50
CALM, PAUSE = 500, 5.0  # voters who think, and for how many seconds


class Round(NamedTuple):
    """What became of the votes of one round."""

    rate: float  # votes a second
    took: list[float]  # seconds, of each answer
    cpu: float  # ms of the server, a vote
    voters: float  # share of a core that the voters took
    errors: int
    acknowledged: int


class Place(NamedTuple):
    """A server under load."""

    name: str
    process: Any
    port: int
    link: str
    kept: Any  # returns how many votes are kept

    def play(self, voters: int, pause: float, seconds: float) -> Round:
        """Let voters vote for a while."""
        start = time.monotonic() + RAMP + pause
        cores, cpu = (time.process_time(), time.monotonic()), cpu_of(self.process)
        tally = asyncio.run(crowd(self.port, self.link, voters, RAMP + pause + seconds, pause))
        cpu = 1e3 * (cpu_of(self.process) - cpu) / max(len(tally.acknowledged), 1)
        used = (time.process_time() - cores[0]) / (time.monotonic() - cores[1])
        for error in tally.errors[:3]:
            print(f"{self.name}: {error}", file=sys.stderr)
        took = tally.between(start, start + seconds)
        told = len(tally.errors), len(tally.acknowledged)
        return Round(len(took) / seconds, took, cpu, used, *told)


def cpu_of(process):
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def study(storage, options):
    """Serve a study with this many options."""
    port = free_port()
    server, link = prepared(storage, options)
    with running(serve(storage, port), port) as process:
        yield Place("a study", process, port, link, lambda: len(set(votes_in(server))))


@contextmanager
def bare(address, options):
    """Serve the yardstick."""
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.bare", address, str(port), str(options)]
    with running(command, port) as process:
        yield Place("a bare application", process, port, "/v/bare", lambda: _count_bare(address))


def _count_bare(address):
    import sqlite3

    import psycopg

    connect = psycopg.connect if "://" in address else sqlite3.connect
    with closing(connect(address)) as kept:
        return kept.execute("SELECT count(*) FROM votes").fetchone()[0]


def in_turns(places, rounds, seconds, voters=VOTERS, pause=0.0):
    """Let voters visit places in turns; return the rounds of each."""
    found = {place.name: [] for place in places}
    for _ in range(rounds):
        for place in places:
            found[place.name].append(place.play(voters, pause, seconds))
    return found


def row_of(database, place, rounds, voters, pause):
    """A line of the table."""
    took = sorted(one for each in rounds for one in each.took)
    p50, p95, p99 = (1e3 * took[min(int(len(took) * q), len(took) - 1)] for q in (0.5, 0.95, 0.99))
    lost = sum(one.acknowledged for one in rounds) - place.kept()
    return (
        f"| {database} | {place.name} | {voters} | {pause:g} s | {median(one.rate for one in rounds):.0f} "
        f"| {p50:.0f} ms | {p95:.0f} ms | {p99:.0f} ms | {sum(one.errors for one in rounds)} | {lost} "
        f"| {median(one.cpu for one in rounds):.2f} ms | {median(one.voters for one in rounds):.0%} |"
    )


def compare(database, storage, address, rounds, seconds):
    """Lines of the table for one database, and what the study and the bare application come to."""
    with ExitStack() as stack:
        places = [stack.enter_context(study(storage, OPTIONS))]
        places.append(stack.enter_context(bare(address, OPTIONS)))
        time.sleep(5.0)  # until the planner is ready
        found = in_turns(places, rounds, seconds)
        lines = [row_of(database, place, found[place.name], VOTERS, 0.0) for place in places]
    pairs = list(zip(*found.values(), strict=True))
    rate = median(ours.rate / theirs.rate for ours, theirs in pairs)
    cpu = median(theirs.cpu / ours.cpu for ours, theirs in pairs)
    told = (
        f"With {database}, the study keeps {rate:.2f} times as many votes a second as the bare application (the median of "
        f"{len(pairs)} rounds), and {cpu:.2f} times as many for the same CPU."
    )
    return lines, told


def served(seconds=SECONDS, rounds=ROUNDS, cases=None):
    """How many votes a second the server keeps, and how that changes as studies grow."""
    warm()  # so that every server finds it compiled
    yield "## Served votes"
    yield (
        f"`copeland serve` with one process, the bare application and the voters share one machine with {os.cpu_count()} cores (load "
        f'{os.getloadavg()[0]:.1f} before). The study has {OPTIONS} options and `voters="people"`. Each voter is dealt {BATCH} pairs and '
        f"answers them, then a new voter begins. The bare application only inserts each vote, equally durably, and renders the same "
        f"page for the same requests. Voters visit both in turns, {rounds} rounds of {seconds:g} seconds each. *Lost*: votes that were "
        "acknowledged but are not in the log."
    )
    yield ""
    yield "| database | | voters | pause | votes/s | median | 95 % | 99 % | errors | lost | CPU a vote | core of the voters |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    said = []
    with tempfile.TemporaryDirectory() as folder, postgres_server() as postgres:
        file = Path(folder, "study.db")
        for database, storage, address in (
            ("SQLite", f"sqlite:///{file}", str(Path(folder, "bare.db"))),
            ("PostgreSQL", postgres, postgres),
        ):
            lines, told = compare(database, storage, address, rounds, seconds)
            yield from lines
            said.append(told)
        with study(f"sqlite:///{Path(folder, 'calm.db')}", OPTIONS) as place:
            time.sleep(5.0)
            calm = [place.play(CALM, PAUSE, 2 * seconds)]
            yield row_of("SQLite", place, calm, CALM, PAUSE)
    yield ""
    yield " ".join(said)
    yield ""
    yield from growth() if cases is None else growth(cases)


if __name__ == "__main__":
    given = [float(sys.argv[1])] if len(sys.argv) > 1 else []
    for line in served(*given, cases=() if "fast" in sys.argv else None):
        print(line, flush=True)
