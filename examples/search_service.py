"""A small search service that finds its best ranker from clicks: allocation, lists, logs, counts, a page.

Five rankers, a collection made by rule, users who click late, twice or never, and a bot. Every hour the service takes
a new allocation, and counts the log of the hour before. Run it: python examples/search_service.py
"""

import json
from pathlib import Path

import numpy as np

from copeland.ranking import all_features, rankings, synthetic
from copeland.ranking.click_log import Rules, count_clicks
from copeland.ranking.clicks import click_model, clicks_on
from copeland.ranking.interleaving import interleave
from copeland.study import create_study

HOUR, WINDOW, LENGTH = 3600.0, 1800.0, 8
START = 1_800_000_000.0 // 86_400 * 86_400  # midnight
VISITORS = 2_000  # an hour


class Search:
    """What a front end has: rankers, and an allocation to draw from. It asks no database."""

    def __init__(self, rng):
        self.rng = rng
        self.collection = synthetic(queries=50, documents=20, features=8, seed=3)
        rankers = all_features(self.collection)[:5]
        self.names = [ranker.name for ranker in rankers]
        self.orders = rankings(self.collection, rankers)
        self.model = click_model("navigational")

    def results(self, name, query):
        """The documents of a query, the best first."""
        begin, end = self.collection.offsets[query : query + 2]
        return self.orders[self.names.index(name), begin:end].tolist()

    def visit(self, user, time, allocation):
        """Show a list to a user; return its log row and the clicks on it, as they will be logged."""
        query = int(self.rng.integers(self.collection.n_queries))
        pair = allocation.draw(user, time)
        if len(pair) == 1:
            return None, []  # one ranker alone: nothing to compare
        shown = interleave([self.results(n, query) for n in pair], LENGTH, self.rng, "team-draft")
        name = f"{user} at {time:.1f}"
        row = {"impression": name, "time": time, "user": user, "left": pair[0], "right": pair[1]}
        teams = "".join("LR"[team] for team in shown.teams)
        begin = self.collection.offsets[query]
        grades = [self.collection.grades[begin + document] for document in shown.documents]
        clicked = np.flatnonzero(clicks_on(self.model, grades, self.rng)) + 1
        return {**row, "teams": teams}, [self.click(name, time, int(at)) for at in clicked]

    def click(self, impression, time, position):
        """A click up to 40 minutes later: some come after the window."""
        later = time + float(self.rng.exponential(400)) % 2400
        return {"impression": impression, "time": later, "position": position}


def hour_of_traffic(search, hour, allocation, folder):
    """Write what an hour's visitors saw and clicked; a fifth of the clicks twice, and a bot's lists."""
    begin = START + hour * HOUR
    users = [f"user {hour}-{n}" for n in range(VISITORS)]
    visits = [(user, begin + float(search.rng.random()) * HOUR) for user in users]
    visits += [("bot", begin + n / 2) for n in range(200)]
    shown, clicks = [], []
    for user, time in visits:
        row, events = search.visit(user, time, allocation)
        shown += [row] if row else []
        clicks += events + [event for event in events if search.rng.random() < 0.2]
    search.rng.shuffle(clicks)
    for kind, rows in (("shown", shown), ("clicks", clicks)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{kind}-{hour:02}.ndjson").write_text(text)


def main() -> None:
    """Serve until a ranker is proved best."""
    folder = Path("search")
    folder.mkdir(exist_ok=True)
    search = Search(np.random.default_rng(7))
    clock = [START]
    storage = "sqlite:///search/votes.db"
    study = create_study("rankers", search.names, storage, clock=lambda: clock[0])
    for hour in range(48):
        clock[0] = START + hour * HOUR
        allocation = study.allocate(VISITORS, control=search.names[-1], control_share=0.1)
        if not allocation.pairs:
            break
        (folder / "allocation.json").write_text(allocation.to_json())
        hour_of_traffic(search, hour, allocation, folder)
        rules = Rules(WINDOW, since=clock[0], until=clock[0] + HOUR, once=True)
        places = (str(folder / f"{kind}-*.ndjson") for kind in ("shown", "clicks"))
        counts = count_clicks(*places, rules)
        wins = folder / f"wins-{hour:02}.csv"
        wins.write_text(counts.csv())
        study.add_votes(wins)
        print(
            f"Hour {hour}: {counts.lists['votes']:,} votes, {counts.lists['bots']} lists of bots."
        )
    print(study.verdict().claim)
    print(f"The page: {study.report(folder / 'report.html')}")


if __name__ == "__main__":
    main()
