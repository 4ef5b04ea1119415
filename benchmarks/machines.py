"""How votes grow with servers on one PostgreSQL, and whether any is lost: `python -m benchmarks.machines [seconds]`."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import NamedTuple

from copeland.policy import warm
from tests.postgres import server as postgres_server
from tests.web.several_servers import (
    add_up,
    choose_at_random,
    choose_by_path,
    find_in,
    kill_servers,
    prepare_studies,
    read_cpu,
    several,
    vote_in_all,
)

SECONDS = 20.0
WARM = 5.0  # seconds before it counts
STUDIES, VOTERS, KILLS = 20, 50, 20
WAYS = {"any server": choose_at_random, "one server a study": choose_by_path}


class Load(NamedTuple):
    """Servers, and what became of the votes that came to them."""

    servers: int
    way: str
    rate: float  # votes a second
    p50: float  # ms
    p95: float
    errors: int
    lost: int
    cpu: float  # ms of all servers, a vote
    database: float  # ms of PostgreSQL, a vote
    voters: float  # ms of the voters, a vote
    busy: float  # cores that were busy, with whatever else ran


def database_cpu() -> float:
    """Seconds of CPU of the PostgreSQL that this process started."""
    mine = os.getpid()
    below = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                below[int(entry.name)] = int(fields[1]), (entry / "comm").read_text().strip()
            except OSError:
                continue  # it has ended
    first = {pid for pid, (parent, name) in below.items() if parent == mine and name == "postgres"}
    return sum(
        read_cpu(pid) for pid, (parent, _) in below.items() if pid in first or parent in first
    )


def busy_time() -> float:
    """Seconds for which cores of this machine were busy."""
    fields = list(map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:]))
    return (sum(fields[:8]) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def measure(address: str, n: int, way: str, seconds: float) -> Load:
    """Let people vote on so many servers, and count."""
    studies = prepare_studies(address, STUDIES)
    with several(address, n) as servers:
        time.sleep(WARM)  # until the planners are ready
        start = time.monotonic() + WARM
        before = servers.cpu, database_cpu(), time.process_time(), busy_time(), time.monotonic()
        tallies = vote_in_all(studies, servers.ports, VOTERS, WARM + seconds, WAYS[way])
        after = servers.cpu, database_cpu(), time.process_time(), busy_time(), time.monotonic()
    found = add_up(
        [find_in(*one) for one in zip(studies, [address] * STUDIES, tallies, strict=True)]
    )
    for error in found.errors[:3]:
        print(f"{n} servers, {way}: {error}", file=sys.stderr)
    served, stored, voted, busy, passed = (b - a for a, b in zip(before, after, strict=True))
    took = sorted(one for tally in tallies for one in tally.between(start, start + seconds))
    bad = found.lost + found.twice + found.replay_differs + found.chain_breaks
    return Load(
        *(n, way, len(took) / seconds),
        *(1e3 * took[int(len(took) * q)] for q in (0.5, 0.95)),
        *(len(found.errors), bad),
        *(1e3 * part / found.acknowledged for part in (served, stored, voted)),
        busy / passed,
    )


def machines(seconds=SECONDS, counts=(1, 2, 4)):
    """Several servers on one PostgreSQL."""
    yield "## Several servers"
    yield (
        f"Servers, each a process of its own, share one PostgreSQL (with `fsync`) and {STUDIES} studies of 12 options. {VOTERS} people "
        f"vote without a pause, for {seconds:g} seconds per row. *Any server*: every request goes to a server drawn "
        "at random, the hardest case. "
        "*One server a study*: a proxy hashes the path, so all requests to a study go to the same server. Servers, "
        "database and voters share "
        f"{os.cpu_count()} cores (load {os.getloadavg()[0]:.1f} before). CPU is in ms for each vote. *Lost*: votes lost or "
        "kept twice, and logs whose replay or chain is not right."
    )
    yield ""
    yield "| servers | requests go to | votes/s | median | 95 % | errors | lost | CPU of servers | of PostgreSQL | of voters | busy cores |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    warm()
    rows = []
    for n in counts:
        for way in list(WAYS) if n > 1 else list(WAYS)[:1]:
            with postgres_server() as address:
                row = measure(address, n, way, seconds)
            rows.append(row)
            yield (
                f"| {row.servers} | {row.way} | {row.rate:.0f} | {row.p50:.0f} ms | {row.p95:.0f} ms | {row.errors} | {row.lost} "
                f"| {row.cpu:.1f} | {row.database:.1f} | {row.voters:.1f} | {row.busy:.2f} |"
            )
    yield ""
    yield describe_limit(rows)


def describe_limit(rows):
    """What limits the votes: the cores that all share, or else the database."""
    own = max(row.rate * (row.cpu + row.database + row.voters) / 1e3 for row in rows)
    least = min(row.database for row in rows)
    return (
        f"In {sum(row.busy > 0.95 * os.cpu_count() for row in rows)} of {len(rows)} rows all cores were busy, so the "
        "machine limits the votes. Servers, database and "
        f"voters had {own:.1f} of its {os.cpu_count()} cores at most; other programs had the rest. By its CPU, a core "
        f"of PostgreSQL would take {1e3 / least:,.0f} votes a second."
    )


def server_kills(kills=KILLS, servers=4):
    """Servers killed under voters."""
    yield "## Killed servers"
    yield (
        f"{VOTERS} people vote in {STUDIES} studies on {servers} servers that share one PostgreSQL; every request "
        "goes to a server drawn at "
        f"random. SIGKILL ends a server drawn at random about every 4 seconds, {kills} times, and it starts again. A "
        "voter whose connection breaks "
        "sends the answer again."
    )
    yield ""
    yield "| kills | acknowledged votes | kept | lost | kept twice | errors | replay differs | chain breaks |"
    yield "|---|---|---|---|---|---|---|---|"
    with postgres_server() as address:
        found = kill_servers(address, servers, STUDIES, VOTERS, kills, 4.0)
    for error in found.errors[:3]:
        print(error, file=sys.stderr)
    yield (
        f"| {found.kills} | {found.acknowledged:,} | {found.kept:,} | {found.lost} | {found.twice} | {len(found.errors)} "
        f"| {found.replay_differs} | {found.chain_breaks} |"
    )


if __name__ == "__main__":
    for line in machines(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS):
        print(line, flush=True)
    print()
    for line in server_kills():
        print(line, flush=True)
