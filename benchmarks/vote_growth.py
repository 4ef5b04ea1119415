"""What a vote costs as a server's studies grow: `python -m benchmarks.vote_growth OPTIONS VOTES STUDIES` measures one case."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from copeland.policy import warm
from copeland.study import Following, Storage, Study, create_study
from copeland.study.commands import make_answer
from copeland.web.server import Config, Server

OUTCOMES = ("left", "right", "left", "right", "left", "right", "left", "right", "tie", "skip")
AT_ONCE = 100  # visitors in one transaction, while a study grows
MEASURED = 200  # visitors
CASES = (  # options, votes before, studies that are open
    (12, 1_000, 1),
    (12, 200_000, 1),
    (12, 50, 500),
    (300, 1_000, 1),
    (300, 10_000, 1),
)


class Cost(NamedTuple):
    """What an ask and a tell take, in ms of CPU, and what the process takes."""

    options: int
    votes: int
    studies: int
    ask: float
    tell: float
    opening: float  # ms, of a study that was not open
    memory: int  # MB, all told


class Visitors:
    """People, one after the other: each is dealt a batch and answers all of it."""

    def __init__(self) -> None:
        self._coin, self._number = random.Random(1), 0

    def next(self) -> str:
        """Return the name of somebody new."""
        self._number += 1
        return f"visitor-{self._number}"

    def choose(self) -> str:
        """Return an answer."""
        return self._coin.choice(OUTCOMES)


def grow(study: Study, votes: int, people: Visitors) -> None:
    """Let people vote until a study has so many votes; many share a transaction, which only saves time."""
    work, visitors = study.transactions, study.visitors

    def visit(log):
        for _ in range(AT_ONCE):
            voter = people.next()
            ballot = visitors.find_ballot(log, voter, Following(), study.now())
            while ballot:
                event_id = f"page/load/{ballot.id}/0"
                told = make_answer(ballot.id, people.choose(), voter, event_id, None, "link")
                _, kept = visitors.take_answer(log, told, lambda _: Following(), study.now())
                ballot = kept.next
        return [], None

    while work.state.votes < votes:
        work.change(visit)


def visit(study: Study, people: Visitors) -> tuple[list[float], list[float]]:
    """Let one person vote; return how long the ask took and each tell, in ms of CPU."""
    voter, tells = people.next(), []
    start = time.thread_time()
    _, ballot = study.visitors.meet(voter, lambda _look: Following())
    asks = [1e3 * (time.thread_time() - start)]
    while ballot:
        outcome, event_id = people.choose(), f"page/load/{ballot.id}/0"
        start = time.thread_time()
        told = study.visitors.answer(
            ballot.id, outcome, voter, event_id, onward=lambda _: Following()
        )
        tells.append(1e3 * (time.thread_time() - start))
        ballot = told.next
    return asks, tells


def measure(options: int, votes: int, studies: int, visitors: int = MEASURED) -> Cost:
    """Measure one case in this process, through what a server knows."""
    people = Visitors()
    warm()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder, 'growth.db')}"
        storage = Storage(url)
        texts = {f"option {i}": f"Text number {i}. " * 6 for i in range(options)}
        for n in range(studies):
            create_study(f"study {n}", texts, storage, voters="people")
            Server(Config(url), storage).store.add_page(storage.key(f"study {n}"), {})
        server = Server(Config(url), storage)
        pages = server.store.pages()
        for page in pages:
            grow(server.study(page), votes, people)
        asks, tells = [], []
        for n in range(visitors):
            asked, told = visit(server.study(pages[n % len(pages)]), people)
            asks, tells = asks + asked, tells + told
        memory = _read_memory()
        start = time.thread_time()
        Server(Config(url), storage).study(pages[0])
        opening = 1e3 * (time.thread_time() - start)
        return Cost(options, votes, studies, median(asks), median(tells), opening, memory)


def _read_memory() -> int:
    """MB that this process holds now."""
    fields = Path("/proc/self/status").read_text().split()
    return int(fields[fields.index("VmRSS:") + 1]) // 1024


def growth(cases=CASES):
    """What a vote costs as studies grow, each case in a process of its own."""
    yield (
        "What a visitor costs the server's study, in CPU, as studies grow. *Ask*: the transaction that deals four pairs to somebody "
        f"new. *Tell*: one that keeps an answer and finds the next pair. Medians of {MEASURED} visitors, one after the other, so that "
        "nobody shares a transaction; with SQLite. *Opening*: reading a study that is not in memory."
    )
    yield ""
    yield "| options | votes before | open studies | ask | tell | opening | memory |"
    yield "|---|---|---|---|---|---|---|"
    for options, votes, studies in cases:
        command = [
            sys.executable,
            "-m",
            "benchmarks.vote_growth",
            *map(str, (options, votes, studies)),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        cost = Cost(*json.loads(done.stdout))
        yield (
            f"| {options} | {votes:,} | {studies} | {cost.ask:.2f} ms | {cost.tell:.2f} ms "
            f"| {cost.opening:.0f} ms | {cost.memory} MB |"
        )


if __name__ == "__main__":
    print(json.dumps(measure(*map(int, sys.argv[1:4]))))
