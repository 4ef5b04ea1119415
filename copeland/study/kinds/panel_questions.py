"""Whom of a panel to ask about which pair next: the planner of :mod:`copeland.certificate` at a live study.

Questions are about the active options, and end when it is sure who is best among these. An answer under
way counts as the likelier one, so that members who work at the same time are asked different things;
where that would leave somebody who asks without a question, it is not counted on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from copeland.certificate import next_question
from copeland.certificate.panel_planner import likely_winner
from copeland.study.commands import Wait
from copeland.study.kinds.panel import active_of, find_open_answers
from copeland.study.log.event_log import Log
from copeland.study.log.events import ASKED, Event
from copeland.study.log.state import Books, OpenBallot
from copeland.study.pair_choice import Wish
from copeland.study.voter_history import RUNNING, coin_of, manners_of, sides_of
from copeland.support.rng import stream

_Bools = NDArray[np.bool_]
_Asking = tuple[int, int, int]  # a member and two options


def panel_questions(
    books: Books, log: Log, wish: Wish, n: int
) -> tuple[list[Event], list[Event] | Wait]:
    """Return what to append, and what to hand out: new questions, or those that are held."""
    sitting = _Sitting(books, log, wish)
    while len(sitting.new) < n and sitting.ask():
        pass
    return sitting.new, sitting.new or sitting.repeat_questions(n)


class _Sitting:
    """The panel at the moment of asking: what is answered, what is under way, what is handed out."""

    def __init__(self, books: Books, log: Log, wish: Wish):
        self.new: list[Event] = []
        self._books, self._log, self._wish = books, log, wish
        self._asked = books.panel.members_due if wish.voter is None else (wish.voter,)
        matter = find_open_answers(books)
        self._under_way = {
            number: ballot
            for number, ballot in books.under_way(wish.now).items()
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

    def repeat_questions(self, n: int) -> list[Event] | Wait:
        """Return up to ``n`` of the questions held, or until when they cannot be others."""
        held = {b: asked for b, asked in self._under_way.items() if asked.voter in self._asked}
        events = [asked for asked in map(self._log.event, held) if asked is not None]
        fitting = [asked for asked in events if self._fits(asked)][:n]
        if fitting or not held:
            return fitting
        return Wait(min(asked.expires for asked in held.values()))

    def _fits(self, asked: Event) -> bool:
        sides = sides_of(asked)
        fits = self._wish.allows(*sides) and self._wish.sides(*sides) == sides
        return fits and asked.item == self._wish.item

    def _seat(self, voter: str | None) -> int:
        assert voter is not None, "every ballot of a panel is somebody's"
        return self._books.panel.places[voter]

    def _plan_question(self, count_on: bool) -> _Asking | None:
        """Return what the planner would ask now, with or without the answers under way."""
        among = active_of(self._books)
        if len(among) < 2:
            return None
        wins, silent = self._books.wins.copy(), self._books.panel.silent
        if count_on:
            for ballot in self._under_way.values():
                winner = likely_winner(wins, ballot.left, ballot.right)
                wins[winner, ballot.left + ballot.right - winner] += 1
                silent[self._seat(ballot.voter), *_both_ways(ballot.left, ballot.right)] = True
        cut, cut_each = np.ix_(among, among), np.ix_(range(len(silent)), among, among)
        found = next_question(
            wins[cut],
            self._books.ties[cut],
            silent[cut_each],
            stream(self._books.settings.seed, "panel", self._wish.number + len(self.new)),
            allowed=self._possible_questions()[cut_each],
            last=[self._recent_pairs(name, among) for name in self._books.panel.members],
        )
        return None if found is None else (found[0], among[found[1]], among[found[2]])

    def _possible_questions(self) -> _Bools:
        """Members x K x K: who may be asked what now."""
        k = self._books.k
        pairs = np.isin(np.arange(k), list(self._wish.options))
        allowed = np.zeros(self._books.panel.answered.shape, dtype=bool)
        for name in self._asked:
            allowed[self._seat(name)] = np.outer(pairs, pairs) & self._has_room(name)
        for pair in self._wish.avoided:
            allowed[:, *_both_ways(*pair)] = False
        for ballot in self._under_way.values():
            allowed[self._seat(ballot.voter), *_both_ways(ballot.left, ballot.right)] = False
        return allowed

    def _has_room(self, voter: str) -> bool:
        held = sum(ballot.voter == voter for ballot in self._under_way.values())
        return held < self._books.settings.open_ballots

    def _recent_pairs(self, voter: str, among: list[int]) -> list[tuple[int, ...]]:
        """The latest pairs of a member who may be asked, by their places in the plan."""
        shown = [*self._shown.get(voter, []), *self._new_to(voter)][-RUNNING:]
        place = {option: at for at, option in enumerate(among)}
        return [tuple(place[i] for i in sides_of(one) if i in place) for one in shown]

    def _new_to(self, voter: str) -> list[Event]:
        return [asked for asked in self.new if asked.voter == voter]

    def _hand_out(self, seat: int, one: int, other: int) -> None:
        voter, number = self._books.panel.members[seat], self._wish.number + len(self.new)
        manners = manners_of([*self._log.ballots_of(voter), *self._new_to(voter)])
        left, right = self._wish.sides(
            *manners.choose_sides(one, other, coin_of(self._books, number))
        )
        asked = Event(number, ASKED, self._wish.now, voter=voter, item=self._wish.item)
        self.new.append(asked._replace(left=left, right=right, source=self._wish.source))
        self._under_way[number] = OpenBallot(left, right, voter, self._wish.item, self._wish.now)


def _both_ways(one: int, other: int) -> tuple[list[int], list[int]]:
    """The places of a pair in a symmetric table."""
    return [one, other], [other, one]
