"""A panel of named voters, who are the whole electorate: who may answer what, who is excused, and whom to ask next.

The planner of :mod:`copeland.certificate` chooses the questions. They are about the active options, and end when it is sure who is
best among these. An answer under way counts as the likelier one, so that members who work at the same time are asked different
things; where that would leave somebody who asks without a question, it is not counted on.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from copeland.certificate import next_question
from copeland.certificate.panel_planner import likely_winner
from copeland.errors import AlreadyVoted, CopelandError, InvalidParameter, InvalidRow
from copeland.forecast.forecast import Forecast
from copeland.forecast.start import Goal
from copeland.study.kinds.base import (
    GUIDING,
    RESTARTING,
    Kind,
    MakeChooser,
    Meetings,
    Questions,
    Wait,
    repeat_questions,
    require_same_voter,
)
from copeland.study.log.event_log import Log
from copeland.study.log.events import ASKED, ERROR, EXCUSED, READMITTED, Event
from copeland.study.log.state import Books, OpenBallot
from copeland.study.results.panel_standing import find_open_answers
from copeland.study.results.verdict import refuse_for_panel
from copeland.study.results.voter_reach import panel_plan
from copeland.study.voter_history import RUNNING, Wish, active, coin_of, manners_of, sides_of
from copeland.support.phrasing import join_names
from copeland.support.rng import stream

MOST = 200  # options: the planner weighs every champion against every rival of every other


class PanelOfVoters(Kind):
    """A study in which the named voters answer each pair at most once."""

    refused: ClassVar = {
        RESTARTING: "a panel cannot start again, because its answers are the whole electorate; create a new study instead.",
        GUIDING: "every member of a panel counts, so nobody can guide it.",
    }
    only_counts = False

    def check_start(self, books: Books) -> None:
        """Refuse more options than a panel's planner can weigh while somebody waits."""
        _require_few(books.k)

    def check_voter(self, books: Books, voter: str | None) -> None:
        """Refuse who is not on the panel; without a name, the planner chooses a member."""
        if voter is not None:
            _require_member(books, voter)

    def add_history(self, books: Books, log: Log, voter: str, wish: Wish) -> Wish:
        """Return the same wish: the books know what each member has met."""
        return wish

    def propose(self, books: Books, log: Log, make: MakeChooser, wish: Wish, n: int) -> Questions:
        """Return what to append, and what to hand out."""
        sitting = _Sitting(books, log, wish)
        while len(sitting.new) < n and sitting.ask():
            pass
        return sitting.new, sitting.new or sitting.repeat_questions(n)

    def check_answer(self, books: Books, asked: Event, vote: Event) -> None:
        """Refuse a vote that is not the first answer, by the member who was asked."""
        require_same_voter(asked, vote)
        _require_member(books, vote.voter)
        _require_first(books, vote, set())

    def check_import(self, books: Books, votes: list[Event], guides: set[str | None]) -> None:
        """Refuse all votes if one is not a member's first answer on its pair."""
        met: set[tuple[str, frozenset[int]]] = set()
        try:
            for vote in votes:
                _require_member(books, vote.voter)
                _require_first(books, vote, met)
        except CopelandError as error:
            raise InvalidRow(f"{error} Nothing was imported.") from error

    def check_adding(self, books: Books) -> None:
        """Refuse one option more than the planner can weigh."""
        _require_few(books.k + 1)

    def change_attendance(self, books: Books, voter: str, kind: str, now: float) -> list[Event]:
        """Return the event that excuses or readmits a member; none if it is so already."""
        assert kind in (EXCUSED, READMITTED)
        _require_name(books, voter)
        if (voter in books.panel.excused) == (kind == EXCUSED):
            return []
        return [Event(books.number + 1, kind, now, voter=voter)]

    def plan(self, look: Meetings, goal: Goal, people: int | None, **how: Any) -> Forecast:
        """Return how many more answers it may take until some active option is sure to be best."""
        refuse_for_panel(goal, people)
        standing, _ = look()
        return panel_plan(standing, how["worlds"], how["seed"], how["progress"])


def _require_few(k: int) -> None:
    if k > MOST:
        raise InvalidParameter(
            f"a panel's study takes up to {MOST} options, not {k:,}; let people vote instead."
        )


def _require_name(books: Books, voter: str) -> None:
    if voter not in books.panel.places:
        raise InvalidParameter(
            f"'{voter}' is not on the panel, which is {join_names(books.panel.members)}."
        )


def _require_member(books: Books, voter: str | None) -> None:
    """Refuse who is not on the panel, or is excused."""
    if voter is None:
        raise InvalidParameter(
            f"this vote has no voter, but the panel is {join_names(books.panel.members)}; say whose it is."
        )
    _require_name(books, voter)
    if voter in books.panel.excused:
        raise InvalidParameter(f"'{voter}' is excused; readmit the voter first.")


def _require_first(books: Books, vote: Event, met: set[tuple[str, frozenset[int]]]) -> None:
    """Refuse a member's second answer on a pair; note the first in what was met."""
    if vote.outcome == ERROR:
        return
    assert vote.voter is not None
    left, right = sides_of(vote)
    subject = vote.voter, frozenset((left, right))
    if subject in met or books.panel.has_answered(vote.voter, left, right):
        pair = join_names([books.options[i].name for i in sorted((left, right))])
        raise AlreadyVoted(
            f"'{vote.voter}' has already answered {pair}; to change the answer, undo that vote first."
        )
    met.add(subject)


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
        return repeat_questions([asked for asked in events if self._fits(asked)], held, n)

    def _fits(self, asked: Event) -> bool:
        sides = sides_of(asked)
        fits = self._wish.allows(*sides) and self._wish.sides(*sides) == sides
        return fits and asked.item == self._wish.item

    def _seat(self, voter: str | None) -> int:
        assert voter is not None, "every ballot of a panel is somebody's"
        return self._books.panel.places[voter]

    def _plan_question(self, count_on: bool) -> tuple[int, int, int] | None:
        """Return the member and the two options that the planner would ask now, with or without the answers under way."""
        among = sorted(active(self._books))
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

    def _possible_questions(self) -> NDArray[np.bool_]:
        """Members x K x K: who may be asked what now."""
        k = self._books.k
        pairs = np.isin(np.arange(k), list(self._wish.options))
        allowed = np.zeros(self._books.panel.answered.shape, dtype=bool)
        for name in self._asked:
            held = sum(ballot.voter == name for ballot in self._under_way.values())
            has_room = held < self._books.settings.open_ballots
            allowed[self._seat(name)] = np.outer(pairs, pairs) & has_room
        for pair in self._wish.avoided:
            allowed[:, *_both_ways(*pair)] = False
        for ballot in self._under_way.values():
            allowed[self._seat(ballot.voter), *_both_ways(ballot.left, ballot.right)] = False
        return allowed

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
