"""A panel at the moment of asking: what is answered, what is under way, and whose answer is asked next.

The planner of :mod:`copeland.certificate` chooses the questions. They are about the active options, and end when it is sure who is
best among these. An answer under way counts as the likelier one, so that members who work at the same time are asked different
things; where that would leave somebody who asks without a question, it is not counted on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from copeland.certificate import next_question
from copeland.certificate.panel_planner import likely_winner, still_matter
from copeland.study.kinds.kind import Wait, repeat_questions
from copeland.study.log.event_log import Log
from copeland.study.log.events import AskedEvent
from copeland.study.log.ledger import Entry
from copeland.study.log.panel_ledger import PanelLedger
from copeland.study.log.state import StudyState
from copeland.study.options import Option
from copeland.study.pair_choice import RUNNING, BallotRequest, recall_ballots
from copeland.study.settings import Settings
from copeland.support.goal import Goal
from copeland.support.rng import stream

Aim = tuple[str, Sequence[str]]  # a goal, and the names of the options that are asked


def panel_of(state: StudyState) -> PanelLedger:
    """Return the ledger of a panel's study."""
    assert isinstance(state.ledger, PanelLedger)
    return state.ledger


def find_open_answers(state: StudyState) -> NDArray[np.bool_]:
    """Return members x K x K: whose missing answers may bear on the goal among the active options."""
    among = sorted(state.options_asked)
    matter = np.zeros(panel_of(state).answered.shape, dtype=bool)
    aim = aim_of(state.settings, state.options, among)
    if can_reach_goal(*aim):
        cut = np.ix_(range(len(matter)), among, among)
        wins = state.wins[np.ix_(among, among)]
        matter[cut] = still_matter(wins, panel_of(state).silent[cut], *aim)
    return matter


def aim_of(settings: Settings, options: Sequence[Option], among: Sequence[int]) -> Aim:
    """Return the goal, and the names of the options that are asked."""
    return settings.goal, [options[i].name for i in among]


def can_reach_goal(goal: str, names: Sequence[str]) -> bool:
    """Tell whether there is anything to ask of these options: of a baseline, if it is one of them."""
    return Goal.parse(goal).fits(names)


class PanelSitting:
    """The panel at the moment of asking: what is answered, what is under way, what is handed out."""

    def __init__(self, state: StudyState, log: Log, request: BallotRequest):
        self.new: list[AskedEvent] = []
        self._state, self._log, self._request = state, log, request
        self._asked = panel_of(state).members_due if request.voter is None else (request.voter,)
        matter = find_open_answers(state)
        self._under_way = {
            number: ballot
            for number, ballot in state.ledger.under_way(request.now).items()
            if matter[self._seat(ballot.voter), ballot.left, ballot.right]
        }
        self._shown = {name: log.ballots_of(name, RUNNING) for name in self._asked}

    def ask(self) -> bool:
        """Hand out one more question; tell whether there was any. The first waits for no answer."""
        found = self._plan_question(count_on=True)
        if found is None and not self.new:
            found = self._plan_question(count_on=False)
        if found is not None:
            self._hand_out(*found)
        return found is not None

    def repeat_questions(self, n: int) -> list[AskedEvent] | Wait:
        """Return up to ``n`` of the questions held, or until when they cannot be others."""
        held = {b: asked for b, asked in self._under_way.items() if asked.voter in self._asked}
        fitting = [
            asked
            for asked in self._log.questions(held)
            if asked.item == self._request.item and self._request.allows_again(asked)
        ]
        return repeat_questions(fitting, held, n)

    def _seat(self, voter: str | None) -> int:
        assert voter is not None, "every ballot of a panel is somebody's"
        return panel_of(self._state).places[voter]

    def _plan_question(self, count_on: bool) -> tuple[int, int, int] | None:
        """Return the member and the two options that the planner would ask now, with or without the answers under way."""
        among = sorted(self._state.options_asked)
        aim = aim_of(self._state.settings, self._state.options, among)
        if not can_reach_goal(*aim):
            return None
        wins, silent = self._state.wins.copy(), panel_of(self._state).silent
        if count_on:
            for ballot in self._under_way.values():
                winner = likely_winner(wins, ballot.left, ballot.right)
                wins[winner, ballot.left + ballot.right - winner] += 1
                silent[self._seat(ballot.voter), *_both_ways(ballot.left, ballot.right)] = True
        cut, cut_each = np.ix_(among, among), np.ix_(range(len(silent)), among, among)
        found = next_question(
            wins[cut],
            self._state.ties[cut],
            silent[cut_each],
            stream(self._state.settings.seed, "panel", self._request.number + len(self.new)),
            allowed=self._possible_questions()[cut_each],
            last=[self._recent_pairs(name, among) for name in panel_of(self._state).members],
            goal=aim[0],
            labels=aim[1],
        )
        return None if found is None else (found[0], among[found[1]], among[found[2]])

    def _possible_questions(self) -> NDArray[np.bool_]:
        """Members x K x K: who may be asked what now."""
        k = self._state.k
        pairs = np.isin(np.arange(k), list(self._request.options))
        allowed = np.zeros(panel_of(self._state).answered.shape, dtype=bool)
        for name in self._asked:
            held = sum(ballot.voter == name for ballot in self._under_way.values())
            has_room = held < self._state.settings.open_ballots
            allowed[self._seat(name)] = np.outer(pairs, pairs) & has_room
        for pair in self._request.avoided:
            allowed[:, *_both_ways(*pair)] = False
        for ballot in self._under_way.values():
            allowed[self._seat(ballot.voter), *_both_ways(ballot.left, ballot.right)] = False
        return allowed

    def _recent_pairs(self, voter: str, among: list[int]) -> list[tuple[int, ...]]:
        """The latest pairs of a member who may be asked, by their places in the plan."""
        shown = [*self._shown.get(voter, []), *self._new_to(voter)][-RUNNING:]
        place = {option: at for at, option in enumerate(among)}
        return [tuple(place[i] for i in (one.left, one.right) if i in place) for one in shown]

    def _new_to(self, voter: str) -> list[AskedEvent]:
        return [asked for asked in self.new if asked.voter == voter]

    def _hand_out(self, seat: int, one: int, other: int) -> None:
        voter, number = panel_of(self._state).members[seat], self._request.number + len(self.new)
        shown = recall_ballots([*self._log.ballots_of(voter), *self._new_to(voter)])
        request = self._request._replace(number=number, voter=voter, recent_ballots=shown)
        left, right = request.sides(one, other, self._state.settings.seed)
        self.new.append(request.ballot(0, left, right))
        about = {"voter": voter, "item": self._request.item, "start": self._request.now}
        entry = Entry(number, left, right, unit=number, **about)
        self._under_way[number] = entry


def _both_ways(one: int, other: int) -> tuple[list[int], list[int]]:
    """The places of a pair in a symmetric table."""
    return [one, other], [other, one]
