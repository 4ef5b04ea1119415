"""A study that asks one pair after the other, and judges to try on it."""

import json
import sys
from collections import Counter
from itertools import combinations
from types import SimpleNamespace
from typing import NamedTuple

from copeland.study import Option, Settings
from copeland.study.judges import Budget, ChatJudge
from copeland.study.log.events import NOTHING

KEY = "sk-very-secret-0123"
A, B = Option("A", "tea"), Option("B", "a 'cup' of $(coffee)")


class Ballot(NamedTuple):
    id: int
    left: str
    right: str
    item: str | None
    expires: float = 0.0


class Told(NamedTuple):
    ballot: Ballot
    outcome: str
    voter: str
    source: str


class TinyStudy:
    """Round robin over all pairs until there are enough votes, sides in turn."""

    closed = False
    settings = Settings(voters="independent")
    storage = SimpleNamespace(folder=None)

    def __init__(self, enough=10, names="ABC"):
        self.enough = enough
        self.options = tuple(Option(name, f"text of {name}") for name in names)
        self.pairs = list(combinations(names, 2))
        self.asked = 0
        self.events: dict[str, Told] = {}  # by event id
        self.tellings = 0
        self.spent = NOTHING

    def option(self, name):
        return next(option for option in self.options if option.name == name)

    @property
    def number(self):
        return 1000 + self.asked + len(self.events)

    def log(self, after=0, voter=None):
        return []  # so that there is always something new to ask

    def certificate(self):
        return SimpleNamespace(decided=False)

    def ask(self, voter, without=()):
        if len(self.votes) >= self.enough:
            return None
        left, right = self.pairs[self.asked % len(self.pairs)]
        self.asked += 1
        sides = (left, right) if self.asked % 2 else (right, left)
        return Ballot(self.asked, *sides, None)

    def tell(self, ballot, outcome, voter, event_id, source, spent=NOTHING):
        self.tellings += 1
        if event_id not in self.events:
            self.spent = self.spent.plus(spent)
        self.events.setdefault(event_id, Told(ballot, outcome, voter, source))

    @property
    def outcomes(self):
        return [told.outcome for told in self.events.values()]

    @property
    def votes(self):
        return [told for told in self.events.values() if told.outcome not in ("skip", "error")]

    @property
    def voters(self):
        return Counter(told.voter for told in self.votes)


def first_by_name(left, right, item):
    return "left" if left.name < right.name else "right"


def always_left(left, right, item):
    return "left"


def program(code, tail=""):
    return f"{sys.executable} -c {json.dumps(code)} {tail}"


def quick(fake, **changes):
    return ChatJudge("tiny", fake.url, backoff=0.001, **{"timeout": 5.0, **changes})


class RecordedPauses(Budget):
    def __init__(self):
        super().__init__()
        self.pauses = []

    def pause(self, seconds):
        self.pauses.append(seconds)
