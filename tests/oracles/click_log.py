"""The count of a click log, said plainly: every rule of docs/click-logs.md, row by row."""

from collections import Counter
from typing import NamedTuple

MINUTE, DAY = 60, 86_400


class PlainCounts(NamedTuple):
    votes: Counter  # (left, right, outcome), the smaller name first
    lists: Counter
    clicks: Counter


def plain_count(shown, clicks, rules):
    """Count rows that are all readable: dicts with the columns' names, times in seconds."""
    lists, fates, kept = Counter(), Counter(), {}
    for row in shown:
        known = kept.get(row["impression"])
        lists["repeated"] += known is not None
        if known is None or row["time"] < known["time"]:
            kept[row["impression"]] = row
    inside = {id: row for id, row in kept.items() if rules.since <= row["time"] < rules.until}
    lists["outside"] = len(kept) - len(inside)
    clicked = {id: set() for id in inside}
    for click in clicks:
        fates[_fate(click, kept, inside, clicked, rules)] += 1
    return PlainCounts(_votes(inside, clicked, lists, rules), lists, fates)


def _fate(click, kept, inside, clicked, rules):
    row = kept.get(click["impression"])
    if row is None:
        return "never shown"
    if click["impression"] not in inside:
        return "outside"
    if not 1 <= click["position"] <= len(row["teams"]):
        return "out of range"
    if click["time"] < row["time"]:
        return "too early"
    if click["time"] > row["time"] + rules.window:
        return "too late"
    if click["position"] in clicked[click["impression"]]:
        return "repeated"
    clicked[click["impression"]].add(click["position"])
    return "taken"


def _votes(inside, clicked, lists, rules):
    minutes = Counter((r["user"], r["time"] // MINUTE) for r in inside.values() if r["user"])
    bots = {(u, m * MINUTE // DAY) for (u, m), n in minutes.items() if n > rules.bots}
    votes, seen = Counter(), set()
    for id, row in sorted(inside.items(), key=lambda item: item[1]["time"]):
        pair = tuple(sorted((row["left"], row["right"])))
        if (row["user"], row["time"] // DAY) in bots:
            lists["bots"] += 1
        elif not clicked[id]:
            lists["no click"] += 1
        elif rules.once and row["user"] and (row["user"], pair) in seen:
            lists["further"] += 1
        else:
            seen.add((row["user"], pair))
            lists["votes"] += 1
            votes[(*pair, _winner(row, clicked[id]))] += 1
    return votes


def _winner(row, positions):
    teams = [row["teams"][position - 1] for position in positions]
    lead = teams.count("L") - teams.count("R")
    return row["left"] if lead > 0 else row["right"] if lead < 0 else None
