"""A panel of named voters, who are the whole electorate: who may answer what, who is excused, and whom to ask next.

The planner of :mod:`copeland.certificate` chooses the questions. They are about the active options, and end when it is sure who is
best among these. An answer under way counts as the likelier one, so that members who work at the same time are asked different
things; where that would leave somebody who asks without a question, it is not counted on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from copeland.certificate import PanelCertificate, next_question, panel_certificate
from copeland.certificate.panel_planner import likely_winner, still_matter
from copeland.errors import AlreadyVoted, CopelandError, InvalidParameter, InvalidRow
from copeland.study.kinds.kind import (
    Kind,
    MakeChooser,
    Questions,
    Subject,
    Wait,
    check_goal,
    repeat_questions,
    require_same_voter,
)
from copeland.study.log.event_log import Log
from copeland.study.log.events import (
    ERROR,
    EXCUSED,
    READMITTED,
    AskedEvent,
    Event,
    VoteEvent,
    pair_of,
)
from copeland.study.log.ledger import Entry
from copeland.study.log.panel_ledger import PanelLedger
from copeland.study.log.state import StudyState
from copeland.study.results.standing import PanelStanding, Standing
from copeland.study.voter_history import (
    RUNNING,
    BallotRequest,
    coin_of,
    recall_ballots,
    sides_of,
)
from copeland.study.voter_history import active as active_options
from copeland.study.votes import ImportedVote
from copeland.support.goal import ABOVE, BEST, Goal
from copeland.support.phrasing import join_names
from copeland.support.rng import stream

if TYPE_CHECKING:
    from copeland.forecast.forecast import Forecast
    from copeland.forecast.start import Until

MOST = 200  # options: the planner weighs every champion against every rival of every other


class PanelOfVoters(Kind):
    """A study in which the named voters answer each pair at most once."""

    terms = ("labels", "excused", "goal")
    only_counts = False

    def check_allocating(self) -> None:
        """Refuse: nobody searches."""
        raise InvalidParameter("a panel is asked by name; an allocation is for users of a search.")

    def check_start(self, state: StudyState) -> None:
        """Refuse more options than a panel's planner can weigh while somebody waits, and a goal that they cannot have."""
        _require_few(state.k)
        check_goal(state)

    def check_voter(self, state: StudyState, voter: str | None) -> None:
        """Refuse who is not on the panel; without a name, the planner chooses a member."""
        if voter is not None:
            _require_member(state, voter)

    def add_history(
        self, state: StudyState, log: Log, voter: str, request: BallotRequest
    ) -> BallotRequest:
        """Return the same request: the state knows what each member has met."""
        return request

    def propose(
        self, state: StudyState, log: Log, make: MakeChooser, request: BallotRequest, n: int
    ) -> Questions:
        """Return what to append, and what to hand out."""
        sitting = _Sitting(state, log, request)
        while len(sitting.new) < n and sitting.ask():
            pass
        return [*sitting.new], sitting.new or sitting.repeat_questions(n)

    def check_answer(self, state: StudyState, asked: AskedEvent, vote: VoteEvent) -> None:
        """Refuse a vote that is not the first answer, by the member who was asked."""
        require_same_voter(asked, vote)
        _require_member(state, vote.voter)
        _require_first(state, vote, set())

    def subject_of(self, state: StudyState, vote: VoteEvent | ImportedVote) -> Subject | None:
        """Return the voter and the pair, whatever the item; None of voters without a name."""
        return None if vote.voter is None else Subject(vote.voter, pair_of(vote), None)

    def check_import(self, state: StudyState, votes: list[VoteEvent]) -> None:
        """Refuse all votes if one is not a member's first answer on its pair."""
        met: set[tuple[str, frozenset[int]]] = set()
        try:
            for vote in votes:
                _require_member(state, vote.voter)
                _require_first(state, vote, met)
        except CopelandError as error:
            raise InvalidRow(f"{error} Nothing was imported.") from error

    def check_adding(self, state: StudyState) -> None:
        """Refuse one option more than the planner can weigh."""
        _require_few(state.k + 1)

    def change_attendance(
        self, state: StudyState, voter: str, kind: str, now: float
    ) -> list[Event]:
        """Return the event that excuses or readmits a member; none if it is so already."""
        assert kind in (EXCUSED, READMITTED)
        _require_name(state, voter)
        if (voter in panel_of(state).excused) == (kind == EXCUSED):
            return []
        return [Event(state.number + 1, kind, now, voter=voter)]

    def certificate(
        self, state: StudyState, now: float = 0.0, active: bool = False
    ) -> PanelCertificate:
        """Return what is settled of the options that are not retired, or of the active ones alone.

        Answers that nobody will be asked for, as an option is paused, are missing all the same.
        """
        panel, kept = panel_of(state), state.options_left
        among = sorted(active_options(state)) if active else kept
        return panel_certificate(
            state.wins,
            state.ties,
            panel.missing,
            labels=[option.name for option in state.options],
            members=len(panel.members),
            excused=[name for name in panel.members if name in panel.excused],
            active=among if active or len(kept) < state.k else None,
            goal=state.settings.goal,
        )

    def counts(self, state: StudyState, now: float) -> tuple[Any, ...]:
        """Return wins, ties and missing answers."""
        return state.wins, state.ties, panel_of(state).missing

    def describe_panel(self, state: StudyState) -> dict[str, Any]:
        """Return who the panel is, and how many answers it has given, skips included."""
        answers = int(panel_of(state).answered.sum()) // 2
        return {"panel": list(state.settings.panel), "answers": answers}

    def is_open(self, state: StudyState, now: float) -> bool:
        """Tell whether the goal is not settled."""
        return not self.certificate(state).decided

    def panel_standing(self, state: StudyState) -> PanelStanding:
        """Return where the panel stands."""
        panel, matter = panel_of(state), find_open_answers(state).sum(axis=(1, 2)) // 2
        only_some = 1 < len(active_options(state)) < len(state.options_left)
        return PanelStanding(
            members=panel.members,
            excused=tuple(name for name in panel.members if name in panel.excused),
            given=tuple(map(panel.count_answers, panel.members)),
            matter=tuple(matter.tolist()),
            missing=panel.missing,
            silent=panel.silent,
            active=self.certificate(state, active=only_some),
        )

    def plan(
        self, look: Callable[[], Standing], goal: Until, people: int | None, **how: Any
    ) -> Forecast:
        """Return how many more answers it may take until some active option is sure to be best."""
        from copeland.study.results.verdict import refuse_for_panel
        from copeland.study.results.voter_reach import panel_plan

        refuse_for_panel(goal, people)
        return panel_plan(look(), how["worlds"], how["seed"], how["progress"])


def panel_of(state: StudyState) -> PanelLedger:
    """Return the ledger of a panel's study."""
    assert isinstance(state.ledger, PanelLedger)
    return state.ledger


def find_open_answers(state: StudyState) -> NDArray[np.bool_]:
    """Return members x K x K: whose missing answers may bear on the goal among the active options."""
    among = sorted(active_options(state))
    matter = np.zeros(panel_of(state).answered.shape, dtype=bool)
    if can_reach_goal(state, among):
        cut, aim = np.ix_(range(len(matter)), among, among), aim_of(state, among)
        wins = state.wins[np.ix_(among, among)]
        matter[cut] = still_matter(wins, panel_of(state).silent[cut], *aim)
    return matter


def aim_of(state: StudyState, among: Sequence[int]) -> tuple[str, list[str]]:
    """Return the goal, and the names of the options that are asked."""
    return state.settings.goal, [state.options[i].name for i in among]


def can_reach_goal(state: StudyState, among: Sequence[int]) -> bool:
    """Tell whether there is anything to ask of these options: of a baseline, if it is one of them."""
    goal, names = aim_of(state, among)
    if goal == BEST:
        return len(among) > 1
    aim = Goal.parse(goal)
    return len(among) > max(aim.number, 1) and (aim.kind != ABOVE or aim.name in names)


def _require_few(k: int) -> None:
    if k > MOST:
        raise InvalidParameter(
            f"a panel's study takes up to {MOST} options, not {k:,}; let people vote instead."
        )


def _require_name(state: StudyState, voter: str) -> None:
    if voter not in panel_of(state).places:
        raise InvalidParameter(
            f"'{voter}' is not on the panel, which is {join_names(panel_of(state).members)}."
        )


def _require_member(state: StudyState, voter: str | None) -> None:
    """Refuse who is not on the panel, or is excused."""
    if voter is None:
        raise InvalidParameter(
            f"this vote has no voter, but the panel is {join_names(panel_of(state).members)}; say whose it is."
        )
    _require_name(state, voter)
    if voter in panel_of(state).excused:
        raise InvalidParameter(f"'{voter}' is excused; readmit the voter first.")


def _require_first(
    state: StudyState, vote: VoteEvent, met: set[tuple[str, frozenset[int]]]
) -> None:
    """Refuse a member's second answer on a pair; note the first in what was met."""
    if vote.outcome == ERROR:
        return
    assert vote.voter is not None
    left, right = sides_of(vote)
    subject = vote.voter, frozenset((left, right))
    if subject in met or panel_of(state).has_answered(vote.voter, left, right):
        pair = join_names([state.options[i].name for i in sorted((left, right))])
        raise AlreadyVoted(
            f"'{vote.voter}' has already answered {pair}; to change the answer, undo that vote first."
        )
    met.add(subject)


class _Sitting:
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
        fitting = [asked for asked in self._log.questions(held) if self._fits(asked)]
        return repeat_questions(fitting, held, n)

    def _fits(self, asked: AskedEvent) -> bool:
        sides = sides_of(asked)
        fits = self._request.allows(*sides) and self._request.sides(*sides) == sides
        return fits and asked.item == self._request.item

    def _seat(self, voter: str | None) -> int:
        assert voter is not None, "every ballot of a panel is somebody's"
        return panel_of(self._state).places[voter]

    def _plan_question(self, count_on: bool) -> tuple[int, int, int] | None:
        """Return the member and the two options that the planner would ask now, with or without the answers under way."""
        among = sorted(active_options(self._state))
        if not can_reach_goal(self._state, among):
            return None
        wins, silent = self._state.wins.copy(), panel_of(self._state).silent
        if count_on:
            for ballot in self._under_way.values():
                winner = likely_winner(wins, ballot.left, ballot.right)
                wins[winner, ballot.left + ballot.right - winner] += 1
                silent[self._seat(ballot.voter), *_both_ways(ballot.left, ballot.right)] = True
        cut, cut_each = np.ix_(among, among), np.ix_(range(len(silent)), among, among)
        aim = aim_of(self._state, among)
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
        return [tuple(place[i] for i in sides_of(one) if i in place) for one in shown]

    def _new_to(self, voter: str) -> list[AskedEvent]:
        return [asked for asked in self.new if asked.voter == voter]

    def _hand_out(self, seat: int, one: int, other: int) -> None:
        voter, number = panel_of(self._state).members[seat], self._request.number + len(self.new)
        recent_ballots = recall_ballots([*self._log.ballots_of(voter), *self._new_to(voter)])
        left, right = self._request.sides(
            *recent_ballots.choose_sides(one, other, coin_of(self._state, number))
        )
        asked = self._request._replace(voter=voter).ballot(number, left, right, self._request.item)
        self.new.append(asked)
        about = {"voter": voter, "item": self._request.item, "start": self._request.now}
        entry = Entry(number, left, right, unit=number, **about)
        self._under_way[number] = entry


def _both_ways(one: int, other: int) -> tuple[list[int], list[int]]:
    """The places of a pair in a symmetric table."""
    return [one, other], [other, one]
