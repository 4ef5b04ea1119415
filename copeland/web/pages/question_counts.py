"""How many questions somebody is asked, and how many are left: what voters read, and whom an owner reminds.

In a panel every answer may matter, so members who come one after the other would be asked nearly everything, and the last
ones nothing. So each is asked a share, which is about what all need together, and then a few more than whoever has given
the fewest. Nobody has to wait: a member who wants to go on is asked more.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from copeland.forecast.panel_forecast import no_answers, panel_remaining
from copeland.study import Study
from copeland.study.kinds import kind_of
from copeland.study.kinds.panel import find_open_answers, panel_of
from copeland.study.log.state import StudyState
from copeland.study.options import ACTIVE
from copeland.study.settings import Settings
from copeland.web.store import VotingPage

FEW = 3  # answers, at least, that somebody gives in another turn
TURNS = 3  # of such a size are a share


class PanelCounts(NamedTuple):
    """How many answers the members of a panel have given, and are asked for."""

    share: int  # of each, about
    given: Mapping[str, int]  # by member
    due: frozenset[str]  # whose answers may still matter

    def limit(self, voter: str) -> int:
        """Return up to how many answers a member is asked for now."""
        if voter not in self.due:
            return self.given.get(voter, 0)
        fewest = min(self.given[one] for one in self.due)
        return max(self.share, fewest + max(FEW, self.share // TURNS))

    def left(self, voter: str) -> int:
        """Return about how many answers of a member are still to come."""
        return max(self.limit(voter) - self.given.get(voter, 0), 0)


def count_panel(study: Study) -> PanelCounts:
    """Return how far the members of a panel are."""
    goal, (given, due, names, members) = study.settings.goal, study.look_at_state(_read_panel)
    return PanelCounts(expect_answers(members, names, goal), given, due)


def _read_panel(state: StudyState) -> tuple[dict[str, int], frozenset[str], tuple[str, ...], int]:
    """Answers by member, whose may still matter, the options that are asked, and how many members are waited for."""
    panel, matter = panel_of(state), find_open_answers(state).sum(axis=(1, 2)).tolist()
    given = {name: panel.count_answers(name) for name in panel.members}
    due = frozenset(name for name, n in zip(panel.members, matter, strict=True) if n)
    names = tuple(option.name for option in state.options if option.state == ACTIVE)
    return given, due, names, len(panel.members_due)


@lru_cache(1_000)
def expect_answers(members: int, options: tuple[str, ...], goal: str) -> int:
    """Return about how many answers each member of a panel gives; the forecast takes a while, once."""
    k = len(options)
    if k < 2 or not members:
        return 0
    none = np.zeros((k, k), np.int64)
    found = panel_remaining(none, none, no_answers(members, k), (goal, options))
    if found is None:
        return 0
    middle = found.most if found.middle is None else found.middle
    return min(-(-middle // members), k * (k - 1) // 2)


def pairs_for(page: VotingPage, settings: Settings, active: int) -> int:
    """Return how many pairs a voter is asked at most, where so many options are asked."""
    dealt = settings.batch or page.per_voter
    return min(page.per_voter, dealt, active * (active - 1) // 2)


def usual_questions(page: VotingPage, study: Study) -> int:
    """Return how many questions a new voter is asked: at most, or in a panel about."""
    if kind_of(study.settings).asks_shares:
        return count_panel(study).share
    asked = sum(option.state == ACTIVE for option in study.options)
    return pairs_for(page, study.settings, asked)
