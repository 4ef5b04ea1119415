"""Simulated traffic, small: clicks up to a day late, events logged twice, and bots."""

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from benchmarks.traffic import START, Log, Traffic, made_up, preferences, run_once, served


@pytest.fixture(scope="module")
def world():
    return made_up(pool=100)


class Fixed:
    """An allocation of one pair."""

    def draw(self, _user):
        return "feature_1", "feature_3"


def test_late_and_repeated_events_and_bots_change_no_count(world, tmp_path):
    """The votes of a day are those of its people, as a plain count of what they clicked has them."""
    rng = np.random.default_rng(1)
    log = Log(tmp_path, 1)
    shown, clicks = served(world, Traffic(3000, late=True), Fixed(), float(START), rng)
    nothing = {name: column[:0] for name, column in shown.items()}
    log.write(0, shown, clicks)
    log.write(1, nothing, {name: column[:0] for name, column in clicks.items()})
    lead = {}
    rows = {name: (teams, user) for name, teams, user in zip(*_of(shown), strict=True)}
    for name, position in set(zip(clicks["impression"], clicks["position"], strict=True)):
        teams, user = rows[name]
        if user.startswith("user"):
            step = 1 if teams[position - 1] == "L" else -1
            lead[name] = lead.get(name, 0) + step
    signs = np.sign(list(lead.values())).tolist()
    assert any(user.startswith("bot") for _, user in rows.values())
    first, third = signs.count(1), signs.count(-1)
    assert log.wins(0).read_text().splitlines()[1:] == [
        f"feature_1,feature_3,{first},{signs.count(0)}",
        f"feature_3,feature_1,{third},0",
    ]


def _of(shown):
    return (shown[name].tolist() for name in ("impression", "teams", "user"))


def test_the_best_ranker_is_certified(world):
    p = preferences(world, 20_000)
    best = world.names[int(np.argmax(p.min(axis=1)))]
    for late in (False, True):
        who, lists = run_once(world, Traffic(200, late), seed=3)
        assert who == [best] and lists > 0
