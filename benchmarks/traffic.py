"""Simulated traffic of a search: clicks up to a day late, events logged twice, bots; who is certified, and when.

Every day the study writes an allocation, users draw their rankers from it, and lists and clicks are logged. A day is
counted when the windows of its lists have closed: a day later, or without delay at its end.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from copeland.errors import need
from copeland.policy import warm
from copeland.ranking import all_features, rankings, synthetic
from copeland.ranking.click_log import Rules, count_clicks
from copeland.ranking.clicks import click_model
from copeland.ranking.interleaving import interleave
from copeland.study import create_study
from copeland.study.log.storage import Storage

K, LENGTH, POOL = 5, 8, 1_000
DAY = 86_400
START = 1_800_000_000 // DAY * DAY  # midnight
TWICE, BOTS, BURST = 0.2, 0.05, 100  # shares of events and of lists; lists of a bot in its minute
LONGEST = 200  # days after which a run is given up


class World(NamedTuple):
    """Lists of each pair of rankers, as a team draft made them for users' queries."""

    names: list[str]
    teams: np.ndarray  # [i, j, list, position]: whether j put the document there
    grades: np.ndarray


class Traffic(NamedTuple):
    """What users and logs are like."""

    a_day: int  # lists
    late: bool = False  # clicks come up to a day later, and are waited for


def made_up(seed=5, pool=POOL):
    """Five features of a synthetic collection as rankers, so many lists for each pair."""
    rng = np.random.default_rng(seed)
    collection = synthetic(queries=50, documents=20, features=8, seed=seed)
    rankers = all_features(collection)[:K]
    orders = rankings(collection, rankers)
    teams = np.zeros((K, K, pool, LENGTH), bool)
    grades = np.zeros((K, K, pool, LENGTH), np.int64)
    for i, j, n in np.ndindex(K, K, pool):
        if i == j:
            continue
        begin, end = collection.offsets[n % collection.n_queries :][:2]
        pair = [orders[ranker, begin:end].tolist() for ranker in (i, j)]
        shown = interleave(pair, LENGTH, rng, "team-draft")
        teams[i, j, n] = shown.teams
        grades[i, j, n] = collection.grades[begin + np.array(shown.documents)]
    return World([ranker.name for ranker in rankers], teams, grades)


def clicked(grades, rng, model=click_model("navigational")):  # noqa: B008 - a frozen value
    """Which positions are clicked, of many lists at once: a user leaves after a click, by its grade."""
    click, stop = np.array(model.click)[grades], np.array(model.stop)[grades]
    request = rng.random(grades.shape) < click
    leaves = request & (rng.random(grades.shape) < stop)
    gone = np.cumsum(leaves, axis=1) - leaves > 0
    return request & ~gone


def preferences(world, n=200_000, seed=0):
    """How often each ranker wins a list that has a winner."""
    rng = np.random.default_rng(seed)
    p = np.full((K, K), 0.5)
    for i, j in zip(*np.triu_indices(K, 1), strict=True):
        rows = rng.integers(world.teams.shape[2], size=n)
        marks = clicked(world.grades[i, j, rows], rng)
        lead = np.where(world.teams[i, j, rows], -1, 1) * marks
        sign = np.sign(lead.sum(axis=1))
        p[i, j] = (sign > 0).sum() / (sign != 0).sum()
        p[j, i] = 1 - p[i, j]
    return p


def run_once(world, traffic, seed, storage=None):
    """Serve until a ranker is certified; return who is best then, and how many lists were shown."""
    with tempfile.TemporaryDirectory() as folder:
        return _run(world, traffic, seed, storage, Path(folder))


def _run(world, traffic, seed, storage, folder):
    rng = np.random.default_rng([seed, traffic.late])
    clock = [float(START)]
    name = f"{traffic.a_day} a day, late {traffic.late}, run {seed}"
    study = create_study(
        name, world.names, storage, clock=lambda: clock[0], seed=seed, voters="independent"
    )
    wait = 1 if traffic.late else 0  # days
    log = Log(folder, wait)
    for day in range(LONGEST):
        clock[0] = float(START + day * DAY)
        allocation = study.allocate(traffic.a_day // 2, valid=DAY)  # about as many become votes
        log.write(day, *served(world, traffic, allocation, clock[0], rng))
        if day < wait:
            continue
        study.add_votes(log.wins(day - wait))
        found = study.certificate()
        if found.verdict != "open":
            return [found.labels[i] for i in found.best], log.lists
    return [], log.lists


def served(world, traffic, allocation, begin, rng):
    """The lists of a day and the clicks on them, as rows of a log."""
    users, times, people = visits(traffic.a_day, begin, rng)
    left, right = np.array([allocation_pair(world, allocation, user) for user in users]).T
    rows = rng.integers(world.teams.shape[2], size=len(users))
    teams = world.teams[left, right, rows]
    marks = clicked(world.grades[left, right, rows], rng)
    worse = (right > left)[:, None]  # features are named from the best on
    marks[people:] = (teams == worse)[people:]  # bots click all that the worse ranker put there
    which, position = np.nonzero(marks)
    luck = rng.random(len(which))
    delay = np.exp(luck * np.log(DAY)) if traffic.late else 30 * luck
    names = np.array([f"{user} {i}" for i, user in enumerate(users)])
    shown = {
        "impression": names,
        "time": times,
        "user": np.array(users),
        "left": np.array(world.names)[left],
        "right": np.array(world.names)[right],
        "teams": np.array(["".join("LR"[team] for team in row) for row in teams.astype(int)]),
    }
    clicks = {"impression": names[which], "time": times[which] + delay, "position": position + 1}
    return twice(shown, rng), twice(clicks, rng)


def visits(n, begin, rng):
    """Who searches when: people all day, each once, then bots, each a hundred times in a minute."""
    people, bots = round(n * (1 - BOTS)), rng.binomial(n, BOTS / BURST)
    users = [f"user {begin:.0f} {i}" for i in range(people)]
    users += [f"bot {begin:.0f} {bot}" for bot in range(bots) for _ in range(BURST)]
    minutes = np.repeat(60 * rng.integers(DAY // 60, size=bots), BURST)
    after = [DAY * rng.random(people), minutes + 60 * rng.random(bots * BURST)]
    return users, begin + np.concatenate(after), people


def allocation_pair(world, allocation, user):
    """The two rankers of a user, by their numbers."""
    return [world.names.index(name) for name in allocation.draw(user)]


def twice(columns, rng):
    """The rows in any order, a fifth of them logged again."""
    n = len(columns["time"])
    rows = np.concatenate([np.arange(n), np.flatnonzero(rng.random(n) < TWICE)])
    rng.shuffle(rows)
    return {name: column[rows] for name, column in columns.items()}


class Log:
    """Files of lists by when they were shown, and of clicks by when they came in; the latest are kept."""

    def __init__(self, folder, wait):
        self.folder, self.wait = folder, wait
        self.pending, self.lists = [], 0

    def write(self, day, shown, clicks):
        """Write the lists of a day, and the clicks of these and earlier ones that came in by its end."""
        self.lists += len(set(shown["impression"].tolist()))
        self.pending.append(clicks)
        every = {name: np.concatenate([c[name] for c in self.pending]) for name in clicks}
        come = every["time"] < START + (day + 1) * DAY + 60 * (not self.wait)
        self._write(f"clicks-{day:05}", {name: column[come] for name, column in every.items()})
        self._write(f"shown-{day:05}", shown)
        self.pending = [{name: column[~come] for name, column in every.items()}]
        for kind in ("shown", "clicks"):
            (self.folder / f"{kind}-{day - self.wait - 1:05}.parquet").unlink(missing_ok=True)

    def _write(self, name, columns):
        pa, parquet = (need(name, "arrow", "the log") for name in ("pyarrow", "pyarrow.parquet"))
        parquet.write_table(pa.table(columns), self.folder / f"{name}.parquet")

    def wins(self, day):
        """Count the lists of a day; return the file of wins."""
        begin = START + day * DAY
        rules = Rules(window=DAY, since=begin, until=begin + DAY, once=True)
        places = (str(self.folder / f"{kind}-*.parquet") for kind in ("shown", "clicks"))
        wins = self.folder / f"wins-{day:05}.csv"
        wins.write_text(count_clicks(*places, rules).csv())
        return wins


A_DAY, RUNS = 100, 200
WAYS = (("without delay", False), ("up to a day late", True))


def traffic():
    """Simulated traffic with late clicks, repeats and bots."""
    warm()
    world = made_up()
    p = preferences(world)
    best = int(np.argmax(p.min(axis=1)))
    nearest = np.delete(p[best], best).min()
    yield "## Simulated traffic"
    yield (
        f"{K} rankers, lists of {LENGTH} by team draft, navigational clicks; the best wins {nearest:.3f} of the lists with a "
        f"winner against the next. {A_DAY} lists and an allocation a day, which is counted when it is over, or a day "
        "later where clicks may come as late; "
        f"delta = .05. Logs hold {TWICE:.0%} of all events twice, and bots see {BOTS:.0%} of the lists."
    )
    yield ""
    yield "| clicks | runs | the best is certified | lists in the median | 90 % of runs within | times those without delay |"
    yield "|---|---|---|---|---|---|"
    prompt, storage = 0.0, Storage()
    for way, late in WAYS:
        found = [run_once(world, Traffic(A_DAY, late), seed, storage) for seed in range(RUNS)]
        right = sum(who == [world.names[best]] for who, _ in found)
        lists = np.array([n for _, n in found])
        prompt = prompt or float(np.median(lists))
        yield (
            f"| {way} | {RUNS} | {right} of {RUNS} | {np.median(lists):,.0f} | {np.quantile(lists, 0.9):,.0f} "
            f"| {np.median(lists) / prompt:.2f} |"
        )
