"""Impressions joined with their clicks and credited a CPU second: the count beside plain pandas, on one log."""

from __future__ import annotations

import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from copeland.errors import need
from copeland.ranking.click_files import CLICK_COLUMNS, SHOWN_COLUMNS, batches
from copeland.ranking.click_log import Rules, count_clicks, join, tally
from copeland.ranking.click_records import clicks_of, shown_of

LISTS, RANKERS, LENGTH, USERS = 1_000_000, 10, 10, 250_000
FLOOR, RATIO = 1_000_000, 20
ROUNDS = 3  # the median counts: the machine may be busy
RULES = Rules()


def write_log(folder, n=LISTS, seed=0):
    """A day of lists in Parquet, and half as many clicks."""
    pa, parquet = (need(name, "arrow", "the log") for name in ("pyarrow", "pyarrow.parquet"))
    rng = np.random.default_rng(seed)
    left = rng.integers(RANKERS, size=n)
    right = (left + rng.integers(1, RANKERS, size=n)) % RANKERS
    names = np.array([f"ranker-{i}" for i in range(RANKERS)])
    teams = np.array(["".join(row) for row in rng.choice(["L", "R"], (1000, LENGTH))])
    shown = {
        "impression": np.char.add("impression-", np.arange(n).astype(str)),
        "time": 1.7e9 + np.sort(rng.random(n)) * 86_400,
        "user": np.char.add("user-", rng.integers(USERS, size=n).astype(str)),
        "left": names[left],
        "right": names[right],
        "teams": teams[rng.integers(len(teams), size=n)],
    }
    which = rng.integers(n, size=n // 2)
    clicks = {
        "impression": shown["impression"][which],
        "time": shown["time"][which] + rng.random(n // 2) * 2_000,
        "position": rng.integers(1, LENGTH + 1, size=n // 2),
    }
    for name, columns in (("shown", shown), ("clicks", clicks)):
        parquet.write_table(pa.table(columns), folder / f"{name}.parquet")


def plain_counts(shown, clicks):
    """The same count by data frames: votes of each ordered pair by the sign of the lead."""
    shown = shown.sort_values("time").drop_duplicates("impression")
    minute, day = shown["time"] // 60, shown["time"] // 86_400
    crowd = shown.groupby(["user", minute])["impression"].transform("size")
    worst = crowd.groupby([shown["user"], day]).transform("max")
    shown = shown[worst <= RULES.bots]
    joined = clicks.merge(shown, on="impression", suffixes=("", "_shown"))
    after = joined["time"] - joined["time_shown"]
    inside = (joined["position"] >= 1) & (joined["position"] <= joined["teams"].str.len())
    joined = joined[(after >= 0) & (after <= RULES.window) & inside]
    joined = joined.drop_duplicates(["impression", "position"])
    rows = zip(joined["teams"], joined["position"], strict=True)
    joined = joined.assign(lead=[1 if teams[p - 1] == "L" else -1 for teams, p in rows])
    led = joined.groupby("impression").agg({"left": "first", "right": "first", "lead": "sum"})
    return led.assign(lead=np.sign(led["lead"])).groupby(["left", "right", "lead"]).size()


def fast_seconds(folder):
    """CPU seconds of the count without those of reading."""
    files = folder / "shown.parquet", folder / "clicks.parquet"
    begin = time.process_time()
    found = count_clicks(*map(str, files), RULES)
    whole = time.process_time() - begin
    begin = time.process_time()
    for file, columns in zip(files, (SHOWN_COLUMNS, CLICK_COLUMNS), strict=True):
        for _ in batches(file, columns):
            pass
    return whole - (time.process_time() - begin), found


def join_seconds(folder):
    """CPU seconds of joining and tallying alone, of rows that are records already."""
    names = {}
    shown, clicks = (
        np.concatenate([read(batch)[0] for batch in batches(folder / f"{name}.parquet", columns)])
        for name, columns, read in (
            ("shown", SHOWN_COLUMNS, lambda batch: shown_of(batch, names)),
            ("clicks", CLICK_COLUMNS, clicks_of),
        )
    )
    begin = time.process_time()
    tally(join(shown, clicks, RULES)[0], RANKERS, RULES)
    return time.process_time() - begin


def plain_seconds(folder):
    """CPU seconds of the data frames' count, after reading."""
    pandas = need("pandas", "pandas", "the plain version")
    frames = [pandas.read_parquet(folder / f"{name}.parquet") for name in ("shown", "clicks")]
    begin = time.process_time()
    counts = plain_counts(*frames)
    return time.process_time() - begin, counts


def same(found, counts):
    """Tell whether both counted the same votes."""
    wins, ties = np.zeros_like(found.wins), np.zeros_like(found.ties)
    place = {name: i for i, name in enumerate(found.labels)}
    for (left, right, lead), votes in counts.items():
        i, j = place[left], place[right]
        if lead == 0:
            ties[[i, j], [j, i]] += votes
        else:
            wins[(i, j) if lead > 0 else (j, i)] += votes
    return bool((wins == found.wins).all() and (ties == found.ties).all())


def rows():
    """Every measurement with its bar."""
    if find_spec("pyarrow") is None:
        yield "click log", "not measured: pip install 'copeland[arrow]'", ""
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_log(folder)
        fast_seconds(folder)  # compiles
        fast = [fast_seconds(folder) for _ in range(ROUNDS)]
        joins = float(np.median([join_seconds(folder) for _ in range(ROUNDS)]))
        plain = [plain_seconds(folder) for _ in range(ROUNDS)]
    assert same(fast[0][1], plain[0][1])
    ours, theirs = (float(np.median([took for took, _ in runs])) for runs in (fast, plain))
    yield "click log, pandas: impressions a CPU second", f"{LISTS / theirs:,.0f}", ""
    met = "met" if LISTS / ours >= FLOOR else "NOT MET"
    yield (
        "click log: impressions a CPU second, after reading",
        f"{LISTS / ours:,.0f}",
        f"at least {FLOOR:,}: {met}",
    )
    met = "met" if theirs >= RATIO * ours else "NOT MET"
    yield "click log: ratio to pandas", f"{theirs / ours:.1f}", f"at least {RATIO}: {met}"
    yield "click log, join and tally alone: ratio to pandas", f"{theirs / joins:.1f}", ""


def main():
    """Measure and print."""
    table = Table("what", "measured", "bar", title="A click log in Parquet, a million lists")
    for row in rows():
        table.add_row(*row)
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
