"""A panel of named voters, who are the whole electorate: who may answer what, who is excused, and what is sure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from copeland.certificate import PanelCertificate, panel_certificate
from copeland.certificate.base_certificate import BaseCertificate
from copeland.errors import AlreadyVoted, CopelandError, InvalidParameter, InvalidRow
from copeland.forecast.forecast import SETTLED, Forecast, Outlook, scale_outlook
from copeland.forecast.panel_forecast import (
    BELIEF,
    panel_chances,
    panel_forecast,
    panel_outlook,
    panel_remaining,
    questions_sentence,
)
from copeland.forecast.plausible_worlds import Chances
from copeland.forecast.start import Until
from copeland.study.kinds.kind import Kind, Questions, check_goal, require_same_voter
from copeland.study.kinds.panel_sitting import (
    Aim,
    PanelSitting,
    aim_of,
    can_reach_goal,
    find_open_answers,
    panel_of,
)
from copeland.study.kinds.presentation import PAIRS, ProgressWords, Rest, list_better, list_pairs
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
from copeland.study.log.state import StudyState
from copeland.study.options import ACTIVE
from copeland.study.pair_choice import BallotRequest, Chooser
from copeland.study.results.measures import Measures, number_options
from copeland.study.results.standing import PanelStanding, Standing
from copeland.study.settings import Settings
from copeland.support.escaping import command_line
from copeland.support.goal import Goal
from copeland.support.phrasing import (
    NAME,
    capital,
    format_count,
    join_names,
    name_voters,
    percent,
    quote_name,
    shorten_names,
)

GIVEN, TO_ASK = "Answers given: ", "Still to be asked: "  # begin sentences about members
MOST = 200  # options: the planner weighs every champion against every rival of every other


class PanelOfVoters(Kind):
    """A study in which the named voters answer each pair at most once."""

    only_counts = False
    best = "sure to be best"
    answers = "answers"
    belief = BELIEF
    lead_sense = ", with half a win for each open pair"
    about_gone = "the first statement is about that option too"
    no_cycle = "No cycle is settled among these options."
    proof_tile = "pairs settled"
    share_note = "Not all pairs need be settled for a verdict."
    progress = ProgressWords(
        "pairs settled",
        "how many of the pairs are settled",
        "A pair is settled once the missing answers cannot change it: one option beats the other, or all have "
        "answered and it is a tie. Not all pairs need be settled for a verdict. Undone votes "
        "are left out.",
    )
    about_people = (GIVEN, TO_ASK)
    names_likely = False
    names_ties = False
    asks_either_way = True
    draws_estimates = False
    asks_shares = True

    def check_allocating(self) -> None:
        """Refuse: nobody searches."""
        raise InvalidParameter("a panel is asked by name; an allocation is for users of a search.")

    def check_start(self, state: StudyState) -> None:
        """Refuse more options than a panel's planner can weigh while somebody waits, and a goal that they cannot have."""
        _require_few(state.k)
        check_goal(state)

    def add_history(
        self, state: StudyState, log: Log, voter: str, request: BallotRequest
    ) -> BallotRequest:
        """Return the same request: the state knows what each member has met. Refuse who is not on the panel."""
        _require_member(state, voter)
        return request

    def make_chooser(self, state: StudyState, log: Log) -> None:
        """Return nothing: whoever asks finds the panel as it is then."""

    def propose(
        self, state: StudyState, log: Log, chooser: Chooser | None, request: BallotRequest, n: int
    ) -> Questions:
        """Return what to append, and what to hand out."""
        sitting = PanelSitting(state, log, request)
        while len(sitting.new) < n and sitting.ask():
            pass
        return [*sitting.new], sitting.new or sitting.repeat_questions(n)

    def check_answer(self, state: StudyState, asked: AskedEvent, vote: VoteEvent) -> None:
        """Refuse a vote that is not the first answer, by the member who was asked."""
        require_same_voter(asked, vote)
        _require_member(state, vote.voter)
        _require_first(state, vote, set())

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
        among = sorted(state.options_asked) if active else kept
        return panel_certificate(
            state.wins,
            state.ties,
            panel.missing,
            labels=[option.name for option in state.options],
            members=len(panel.members),
            excused=[name for name in panel.members if name in panel.excused],
            active=among if active or len(kept) < state.k else None,
            goal=state.settings.goal,
            panel=panel.members,
            answers=int(panel.answered.sum()) // 2,
        )

    def counts(self, state: StudyState, now: float) -> tuple[Any, ...]:
        """Return wins, ties and missing answers."""
        return state.wins, state.ties, panel_of(state).missing

    def list_scopes(self, state: StudyState) -> Iterator[tuple[Any, ...]]:
        """Yield the same: all options, those that are not retired, or those that are active."""
        for options in (None, tuple(state.options_left), tuple(sorted(state.options_asked))):
            yield 0, None, options

    def is_open(self, state: StudyState, now: float) -> bool:
        """Tell whether the goal is not settled."""
        return not self.certificate(state).decided

    def panel_standing(self, state: StudyState) -> PanelStanding:
        """Return where the panel stands."""
        panel, matter = panel_of(state), find_open_answers(state).sum(axis=(1, 2)) // 2
        only_some = 1 < len(state.options_asked) < len(state.options_left)
        return PanelStanding(
            members=panel.members,
            excused=tuple(name for name in panel.members if name in panel.excused),
            given=tuple(map(panel.count_answers, panel.members)),
            matter=tuple(matter.tolist()),
            missing=panel.missing,
            silent=panel.silent,
            active=self.certificate(state, active=only_some),
        )

    # Estimates

    def is_exact(self, settings: Settings) -> bool:
        """Tell whether a proof may count all votes that there can be: a panel is its whole electorate."""
        return True

    def find_likely_wins(self, standing: Standing) -> NDArray[np.bool_]:
        """Return no win: each is settled, or it is not."""
        return np.zeros(standing.wins.shape, dtype=bool)

    def find_clear_wins(self, standing: Standing) -> NDArray[np.bool_]:
        """Return which wins are settled."""
        clear = self.find_likely_wins(standing)
        for winner, loser in standing.certificate.beats:
            clear[winner, loser] = True
        return clear

    def estimate_chances(
        self, standing: Standing, cut: tuple[Any, ...], ahead: Sequence[int]
    ) -> Chances:
        """Return the chances to be best once all answers are in."""
        missing, seed = _stand_of(standing).missing[cut], standing.settings.seed
        return panel_chances(standing.wins[cut], standing.ties[cut], missing, ahead, seed)

    def outlook(self, standing: Standing) -> Outlook:
        """Return what would settle it among the active options, and how many answers that may take."""
        among, cut, aim = _cut_to_active(standing)
        if not can_reach_goal(*aim):
            return SETTLED
        panel, wins = _stand_of(standing), standing.wins[cut]
        found = panel_outlook(wins, panel.missing[cut], aim)
        answers = panel_remaining(wins, standing.ties[cut], panel.silent[:, *cut], aim)
        return number_options(found if answers is None else scale_outlook(found, answers), among)

    def plan(
        self,
        standing: Standing,
        goal: Until,
        people: int | None,
        *,
        count: int | None = None,
        seed: int = 0,
        progress: Callable[[int, int], None] | None = None,
        **_how: Any,
    ) -> Forecast:
        """Return how many more answers it may take until the goal is settled for the active options."""
        self.check_until(goal, len(standing.options), standing.settings.goal)
        if people is not None:
            raise InvalidParameter(
                "people means nothing for a panel, whose members are named; leave it out."
            )
        among, cut, aim = _cut_to_active(standing)
        if len(among) < 2:
            raise InvalidParameter("fewer than 2 options are active, so there is nothing to ask.")
        silent, counts = (
            _stand_of(standing).silent[:, *cut],
            (standing.wins[cut], standing.ties[cut]),
        )
        return panel_forecast(*counts, silent, count, seed, progress, aim=aim)

    def check_until(self, until: Until, options: int, goal: str) -> None:
        """Refuse to go on until an option is likely best: answers settle who is best for certain."""
        if until.likely is not None:
            raise InvalidParameter(
                "a panel is asked until its answers settle the matter, so likely means nothing there; leave it out."
            )

    # The verdict in sentences

    def say_end(self, standing: Standing) -> str:
        """Return that nobody is to be asked, if that is so."""
        return "" if _stand_of(standing).members_to_ask else "Nothing can be asked"

    def claim_for_active(self, reading: Measures) -> str:
        """Return what is settled of the active options alone, if anything is."""
        best = _stand_of(reading.standing).active.best
        if not best:
            return ""
        are = "is" if len(best) == 1 else "are"
        return (
            f"{reading.join_names(best)} {are} best of the active options. With those "
            "that are paused, none is sure to be best."
        )

    def list_statements(self, reading: Measures) -> Iterator[str]:
        """Yield what is settled of all options and of the active ones, first what is decided."""
        whole, active = reading.certificate, _stand_of(reading.standing).active
        both = [whole.statement, *([] if active.active == whole.active else [active.statement])]
        yield from both if whole.decided else reversed(both)

    def describe_answers(self, standing: Standing) -> Iterator[str]:
        """Yield how many answers each member has given, and who is excused."""
        panel = _stand_of(standing)
        names = _shorten_members(panel)
        each = zip(panel.members, panel.given, strict=True)
        yield f"{GIVEN}{join_names([f'{n:,} by {names[name]}' for name, n in each])}."
        if panel.excused:
            excused = join_names([names[name] for name in panel.excused])
            yield f"Excused: {excused}. The study does not wait for their missing answers."

    def describe_lead(self, reading: Measures) -> Iterator[str]:
        """Yield who leads, and by what; an open pair is half a win."""
        others, among = reading.rivals, list(reading.among)
        for i in reading.leaders if len(reading.leaders) <= PAIRS else ():
            even = others - int(((reading.sure[i, among] > 0) | (reading.sure[among, i] > 0)).sum())
            besides = f" ({format_count(even, 'pair')} even or without answers)" if even else ""
            yield (
                f"By the answers so far, {reading.names[i]} beats {reading.scores[i]} of the "
                f"{format_count(others, 'other')}{besides}."
            )
        more = list_better(reading) if reading.leads_by_points else []
        if more:
            beat = "beats" if len(more) == 1 else "beat"
            yield f"{reading.join_names(more)} {beat} more, but each open pair counts as half a win."

    def explain_chances(self, worlds: int) -> str:
        """Return what the estimated chances come from."""
        return (
            f"An estimate from {worlds:,} ways in which the missing answers may plausibly turn out, not a proof; options that "
            "tie for first share it."
        )

    def advise(self, reading: Measures) -> Iterator[str]:
        """Yield what would settle it, and who is to be asked."""
        panel = _stand_of(reading.standing)
        if reading.standing.closed or panel.active.decided:
            return
        if not panel.members_to_ask:
            yield _explain_pause(reading.standing)
            return
        outlook = reading.outlook
        assert outlook.champion is not None
        scope = "" if panel.active.active is None else " of the active options"
        if reading.standing.votes and reading.outlook.remaining is not None:
            aim = f", to make sure that {reading.names[outlook.champion]} is best{scope}"
            yield (
                f"{capital(reading.outlook.remaining.words)} of the {panel.active.missing:,} missing answers settle it in four of five "
                f"cases{reading.outlook.remaining.half_words}. "
                f"Next{aim if reading.aims_at_best else ''}: {list_pairs(reading, outlook.pairs)}."
            )
        names = _shorten_members(panel)
        yield f"{TO_ASK}{join_names([names[one] for one in panel.members_to_ask])}."

    def who_votes(self, settings: Settings, k: int) -> str:
        """Return who votes, and how many questions that takes."""
        members = len(settings.panel)
        return f"The panel's {format_count(members, 'member')} are the whole electorate. {questions_sentence(members, k)}"

    def expect(self, settings: Settings, options: int) -> tuple[str, ...]:
        """Return that the result is certain, and after how many questions."""
        members = len(settings.panel)
        return (
            f"With {format_count(options, 'option')} and exactly {format_count(members, 'voter')}, "
            "the result is certain for them once enough has been answered.",
            questions_sentence(members, options),
        )

    def onwards(self, name: str, settings: Settings, items: str) -> str:
        """Return how members vote."""
        vote = command_line("copeland", "study", "vote", name)
        return f"Vote with: {vote}; each member says who it is with --voter NAME."

    def nothing_left(self, standing: Standing, voter: str | None, answered: int) -> str:
        """Return that there is nothing to ask, of anybody or of this member now."""
        panel = _stand_of(standing)
        if panel.active.decided or standing.closed or not panel.members_to_ask:
            statement = panel.active.statement
            return f"Nothing is left to ask: {statement[0].lower()}{statement[1:]}"
        whom = "" if voter is None else f" of {voter}"
        return f"Nothing is left to ask{whom} now. Still to be asked: {join_names(panel.members_to_ask)}."

    def explain_rest(self, settings: Settings, certificate: BaseCertificate, who: str) -> Rest:
        """Return that the members who judge are asked nothing more."""
        return Rest("finished", "nothing is left to ask of the members who judge here.")

    # Voters and pages

    def admits(self, settings: Settings, voter: str | None) -> bool:
        """Tell whether somebody is on the panel."""
        return voter in settings.panel

    def check_link(self, settings: Settings, name: str = "") -> None:
        """Refuse a link for everybody, or for somebody who is not on the panel."""
        if name:
            raise InvalidParameter(
                f"Exactly these people vote, and '{name}' has no link; make one in the list, or leave out the name."
            )
        raise InvalidParameter(
            "Exactly these people vote, so a link for everybody would lead nowhere; send each their own."
        )

    def name_voters(self, standing: Standing) -> dict[str, str]:
        """Return what to call each member, by the name in the log; members go by their place in the panel."""
        return name_voters(_stand_of(standing).members, "member")

    def rename_voters(self, standing: Standing, names: Mapping[str, str]) -> Standing:
        """Return a standing with other names of its members."""
        renamed, panel = super().rename_voters(standing, names), _stand_of(standing)
        return replace(
            renamed,
            settings=replace(
                standing.settings, panel=tuple(names[one] for one in standing.settings.panel)
            ),
            certificate=_rename_members(standing.certificate, names),
            panel=replace(
                panel,
                members=tuple(names[one] for one in panel.members),
                excused=tuple(names[one] for one in panel.excused),
                active=_rename_members(panel.active, names),
            ),
        )

    def list_members(self, standing: Standing) -> list[dict[str, Any]]:
        """Return what is known of each member."""
        return _stand_of(standing).rows()

    def open_badge(self, standing: Standing) -> str:
        """Return how a study stands of which nothing is sure, but perhaps of the active options."""
        decided = _stand_of(standing).active.decided
        return "Settled for the active options" if decided else "Keep going"

    def sure_tile(self, standing: Standing) -> tuple[str, str]:
        """Return how many answers matter: what is sure is counted, and not estimated."""
        return "answers that matter", f"{sum(_stand_of(standing).matter):,}"

    def tiles(self, standing: Standing, share: float) -> dict[str, str]:
        """Return how many answers are missing."""
        return {"answers missing": f"{cast(PanelCertificate, standing.certificate).missing:,}"}

    def lead_sentence(self, standing: Standing) -> str:
        """Return what kind of study it is, in a line."""
        panel = _stand_of(standing)
        options = format_count(len(standing.options), "option")
        missing = format_count(int(panel.missing.sum()) // 2, "answer")
        votes = format_count(standing.votes, "vote")
        return f"A study of {options} by a panel of {len(panel.members)}: {votes}, and {missing} missing."

    def explain_bars(self, reading: Measures, option: int) -> str:
        """Return how to read the bars of the scores."""
        return (
            "A dot shows how many others an option beats so far. A bar shows where its "
            "number can still end, whatever the missing answers say; both ends are possible."
        )

    def explain_arrows(self, delta: float) -> str:
        """Return what the kinds of arrows mean."""
        return (
            "Proved: whatever the missing answers say. Ahead: more members for than against so far, "
            "nothing more. The verdict can be sure while many pairs are not."
        )

    def count_close_pairs(self, certificate: BaseCertificate, likely: int) -> str:
        """Return how many pairs are proved tied."""
        return f"proved tied: {len(certificate.ties):,}."

    def tie_words(self, known: str) -> str:
        """Return what is known of a pair that is proved tied."""
        return "proved tied"

    def say_share(self, share: float) -> str:
        """Return how far a proof is, as the end of a sentence."""
        return f", and {percent(share, digits=1)} of the pairs are settled."

    def describe_settings(self, settings: Settings, basis: dict[str, str]) -> dict[str, str]:
        """Return on what the verdict rests, by name: nothing of it is estimated, and nobody repeats a vote."""
        for name in ("error probability", "margin", "repeats"):
            del basis[name]
        return basis | {"voters": f"a panel: {', '.join(settings.panel)}"}


def _stand_of(standing: Standing) -> PanelStanding:
    """Where the panel of a study stands."""
    return cast(PanelStanding, standing.panel)


def _cut_to_active(standing: Standing) -> tuple[list[int], tuple[NDArray[np.int64], ...], Aim]:
    """The active options, what picks their counts, and the goal among them."""
    among = [i for i, option in enumerate(standing.options) if option.state == ACTIVE]
    return among, np.ix_(among, among), aim_of(standing.settings, standing.options, among)


def _shorten_members(panel: PanelStanding) -> dict[str, str]:
    """The members as they stand in sentences."""
    readable = name_voters(panel.members, "member")
    shown = shorten_names(list(readable.values()), NAME)
    return dict(zip(panel.members, shown, strict=True))


def _explain_pause(standing: Standing) -> str:
    """What keeps a panel from being asked: options that are paused or retired."""
    goal, active = Goal.parse(standing.settings.goal), standing.active
    if goal.name and goal.name not in active:
        return f"{quote_name(goal.name)} is paused, so nothing can be asked; resume it."
    need = max(goal.number + 1, 2)
    return f"Fewer than {need} options are active, so nothing can be asked; resume one, or add one."


def _rename_members(certificate: Any, names: Mapping[str, str]) -> Any:
    said = {"panel": certificate.panel, "excused": certificate.excused}
    renamed = {
        field: tuple(names.get(one, one) for one in people) for field, people in said.items()
    }
    return replace(certificate, **renamed)


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
    subject = vote.voter, pair_of(vote)
    if subject in met or panel_of(state).has_answered(vote.voter, vote.left, vote.right):
        pair = join_names([state.options[i].name for i in sorted(pair_of(vote))])
        raise AlreadyVoted(
            f"'{vote.voter}' has already answered {pair}; to change the answer, undo that vote first."
        )
    met.add(subject)
