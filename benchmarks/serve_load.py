"""How many votes a second `copeland serve` keeps: `python -m benchmarks.serve_load [seconds]`."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from copeland.policy import warm
from tests.web.crowd import crowd, free_port, prepared, running, serve, votes_in

SECONDS = 20.0
WARM = 5.0  # seconds before it counts


class Load(NamedTuple):
    """Voters, and what became of their votes."""

    name: str
    voters: int
    pause: float
    rate: float  # votes a second
    p50: float  # ms
    p95: float
    p99: float
    errors: int
    lost: int  # acknowledged and not kept, or kept more than once
    cpu: float  # ms of the server, a vote
    generator: float  # share of a core that the voters took


def cpu_of(process):
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(name, process, port, link, voters, pause, seconds, kept) -> Load:
    """Let voters vote, and count what is kept afterwards."""
    start = time.monotonic() + WARM + pause
    before, served = (time.process_time(), time.monotonic()), cpu_of(process)
    tally = asyncio.run(crowd(port, link, voters, WARM + pause + seconds, pause))
    cpu = 1e3 * (cpu_of(process) - served) / len(tally.acknowledged)
    used = (time.process_time() - before[0]) / (time.monotonic() - before[1])
    for error in tally.errors[:3]:
        print(f"{name}: {error}", file=sys.stderr)
    took = tally.between(start, start + seconds)
    p50, p95, p99 = (1e3 * took[min(int(len(took) * q), len(took) - 1)] for q in (0.5, 0.95, 0.99))
    lost = len(tally.acknowledged) - kept()
    return Load(
        *(
            name,
            voters,
            pause,
            len(took) / seconds,
            p50,
            p95,
            p99,
            len(tally.errors),
            lost,
            cpu,
            used,
        )
    )


@contextmanager
def study(folder, options):
    """Serve a study with this many options; yield where it is, and how to count its votes."""
    storage, port = f"sqlite:///{Path(folder, f'{options}.db')}", free_port()
    server, link = prepared(storage, options)
    with running(serve(storage, port), port) as process:
        time.sleep(WARM)  # until the planner is ready
        yield process, port, link, lambda: len(set(votes_in(server)))


@contextmanager
def bare(folder, options):
    """Serve the yardstick."""
    import sqlite3

    file, port = Path(folder, f"bare-{options}.db"), free_port()
    command = [sys.executable, "-m", "benchmarks.bare", str(file), str(port), str(options)]
    with running(command, port) as process:
        yield (
            process,
            port,
            "/v/bare",
            lambda: sqlite3.connect(file).execute("SELECT count(*) FROM votes").fetchone()[0],
        )


CASES = (
    ("12 options", study, 12, 50, 0.0),
    ("a bare application", bare, 12, 50, 0.0),
    ("12 options, with a pause", study, 12, 500, 5.0),
    ("50 options", study, 50, 50, 0.0),
)


def loads(seconds=SECONDS, cases=CASES):
    """Measure each case on a server of its own."""
    warm()  # so that every server finds it compiled
    for name, place, options, voters, pause in cases:
        with tempfile.TemporaryDirectory() as folder, place(folder, options) as at:
            process, port, link, kept = at
            yield measured(name, process, port, link, voters, pause, seconds, kept)


def served(seconds=SECONDS):
    """How many votes a second the server keeps."""
    yield "## Served votes"
    yield (
        f"`copeland serve` and the voters share one machine with {os.cpu_count()} cores (load "
        f'{os.getloadavg()[0]:.1f} before), with SQLite and `voters="people"`, {seconds:g} seconds per row. Each voter answers 20 '
        "pairs, then a new voter begins. The bare application only inserts each vote, equally durably, and "
        "renders the same page. *Lost*: votes that were acknowledged but are not in the log."
    )
    yield ""
    yield "| | voters | pause | votes/s | median | 95 % | 99 % | errors | lost | CPU a vote | core of the voters |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    rates = {}
    for row in loads(seconds):
        rates[row.name] = row.rate
        yield (
            f"| {row.name} | {row.voters} | {row.pause:g} s | {row.rate:.0f} | {row.p50:.0f} ms | {row.p95:.0f} ms "
            f"| {row.p99:.0f} ms | {row.errors} | {row.lost} "
            f"| {row.cpu:.1f} ms | {row.generator:.0%} |"
        )
    ratio = rates["12 options"] / rates["a bare application"]
    slower = rates["12 options"] / rates["50 options"]
    yield ""
    yield f"The study keeps {ratio:.2f} times as many votes as the bare application. With 50 options it is {slower:.2f} times as slow."


if __name__ == "__main__":
    for line in served(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS):
        print(line, flush=True)
