"""People from a larger group: each is dealt some pairs before the first answer, and answers each pair once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from copeland.certificate.base_certificate import BaseCertificate
from copeland.certificate.samples import PEOPLE, PEOPLE_WHO_LEAVE, Sample
from copeland.errors import InvalidParameter
from copeland.forecast.forecast import Forecast, Outlook, look_ahead
from copeland.forecast.prospects import Prospect, prospect_of
from copeland.forecast.start import PROOF, Voters, room_of
from copeland.study.kinds.kind import Kind, list_waiting, require_same_voter
from copeland.study.kinds.presentation import count_pairs
from copeland.study.log.event_log import Log
from copeland.study.log.events import ERROR, AskedEvent, VoteEvent, pair_of
from copeland.study.log.state import StudyState
from copeland.study.pair_choice import BallotRequest, recall_ballots
from copeland.study.results.measures import Measures, Reach, number_options
from copeland.study.results.standing import Standing
from copeland.study.settings import AGAINST, Settings
from copeland.support.escaping import command_line
from copeland.support.phrasing import format_count


class People(Kind):
    """A study in which the answers of one person may hang together, so that person's own answers may not decide what is asked."""

    needs_voters = True
    unit = "voter"

    def add_history(
        self, state: StudyState, log: Log, voter: str, request: BallotRequest
    ) -> BallotRequest:
        """Return the same request, with the pairs that the person has met: each pair has one ballot at most."""
        asked, waiting = log.ballots_of(voter), list_waiting(state, log, voter)
        answers = [vote for vote in log.votes_of(voter) if vote.number not in state.undone]
        given = [vote for vote in answers if vote.outcome != ERROR]
        failed = {
            vote.ballot for vote in answers if vote.outcome == ERROR
        }  # was not met, after all
        out = failed | {one.number for one in waiting}
        met = frozenset(map(pair_of, (*(one for one in asked if one.number not in out), *given)))
        request = request._replace(once=True, dealt=True, avoided=met, waiting=tuple(waiting))
        return request._replace(recent_ballots=recall_ballots(asked))

    def check_answer(self, state: StudyState, asked: AskedEvent, vote: VoteEvent) -> None:
        """Refuse an answer by somebody else than who was asked."""
        if asked.voter is not None:
            require_same_voter(asked, vote)

    def find_visitors(self, log: Log, voters: Sequence[str | None]) -> Collection[str | None]:
        """Return who of these was here before: everybody is dealt their pairs once, and further votes prove nothing."""
        names = [voter for voter in voters if voter is not None]
        return log.visitors(names) if names else ()

    def check_judging(
        self,
        settings: Settings,
        certificate: BaseCertificate,
        items: Mapping[str, Collection[str]] | None,
        repeat: bool,
    ) -> None:
        """Refuse: a judge is not one of many people."""
        raise InvalidParameter(
            "this study is for people, so a judge's votes prove nothing here; create it for a judge with --voters judge "
            "(voters='judge')."
        )

    def sample(self, settings: Settings) -> Sample:
        """Return what the votes are a sample of."""
        return Sample(PEOPLE if settings.missing == AGAINST else PEOPLE_WHO_LEAVE)

    # Estimates

    def outlook(self, standing: Standing) -> Outlook:
        """Return what would settle it, and how much that may take: those who were here get no further pairs."""
        each = votes_each(standing.settings, len(standing.active))
        found = look_ahead(standing.start, each, dealt=len(standing.voters))
        return number_options(found, standing.options_left)

    def reach(self, standing: Standing, outlook: Outlook) -> Reach:
        """Return how far people's votes go."""
        voters = len(standing.voters)
        people = None if outlook.people is None else outlook.people.beyond(voters)
        pairs = votes_each(standing.settings, len(standing.active))
        return Reach(
            pairs, _is_exhausted(standing), people, voters, _count_missing_answers(standing)
        )

    def find_voters(self, standing: Standing, people: int | None) -> Voters:
        """Return who can still answer: those known what they were dealt, and others who come anew."""
        start, each = standing.start, votes_each(standing.settings, len(standing.active))
        known = len(standing.voters)
        new = max((people or 0) - known, 0)
        room = room_of(start, new, np.zeros_like(start.wins))
        left = min(int(room.sum()) // 2, new * each) + _count_missing_answers(standing)
        return Voters(known + new, room, left, each, dealt=known)

    def check_prospect(self, voters: str) -> None:
        """Return: people can be counted beforehand."""

    def prospect(self, standing: Standing, people: int) -> Prospect:
        """Return what so many people can settle."""
        each = votes_each(standing.settings, len(standing.active))
        return prospect_of(standing.start, people, each)

    # The verdict in sentences

    def say_next(self, standing: Standing) -> str:
        """Return what is needed, in a few words."""
        return "More people are needed" if _is_exhausted(standing) else "Keep going"

    def advise_on_votes(self, reading: Measures, forecast: str) -> Iterator[str]:
        """Yield what is so many votes away, and who can give these."""
        within = "" if reading.reach is None else reach_sentence(reading.reach)
        if not within or not _is_exhausted(reading.standing):  # else votes alone are no advice
            yield forecast
        if within:
            yield within

    def plan_sentence(self, plan: Forecast, settings: Settings) -> str:
        """Return what people can settle: those so far, and how many it takes."""
        if plan.people is None:
            return ""
        pairs, within, so_far = votes_each(settings, plan.options), plan.within, ""
        if within is not None:
            enough = (
                f"is enough in {within.settled:,} of {format_count(len(within.votes), 'world')}"
            )
            if plan.goal == PROOF and not within.possible:
                enough = "can prove nothing, whatever they answer"
            so_far = f"{format_count(within.voters, 'voter')} can give {format_count(within.left, 'vote')} more, which {enough}; "
        return (
            f"A person has one vote per pair, {format_count(pairs, 'vote')} in all: {so_far}with as many people as needed, it "
            f"takes {plan.people.range.people_words}, those so far included."
        )

    def who_votes(self, settings: Settings, k: int) -> str:
        """Return who votes and what that assumes, in a sentence."""
        return (
            f"People vote. Each is dealt {format_count(votes_each(settings, k), 'pair')}"
            " before the first answer; what is proved is about the population they come from."
        )

    def onwards(self, name: str, settings: Settings, items: str) -> str:
        """Return how people vote."""
        return f"Vote with: {command_line('copeland', 'study', 'vote', name)}"

    def nothing_left(self, standing: Standing, voter: str | None, answered: int) -> str:
        """Return that there is nothing to ask; of one person, because all that was dealt is answered."""
        if standing.certificate.decided or voter is None or not answered:
            return super().nothing_left(standing, voter, answered)
        return (
            f"Nothing is left to ask of {voter}, who has answered {format_count(answered, 'pair')}, all that were dealt. "
            "The study goes on with other people."
        )


def votes_each(settings: Settings, k: int) -> int:
    """Return how many votes a person can give: one a pair, and no more than are dealt."""
    return min(count_pairs(k), settings.batch or count_pairs(k))


def reach_sentence(reach: Reach) -> str:
    """Return who or what is missing, in a sentence; empty if votes of the people so far may do."""
    if reach.people is None or reach.people.high == 0:
        return ""
    one = reach.people.high == 1
    people = "1 more person" if one else f"{reach.people.words} more people"
    if reach.exhausted:
        return f"Every voter so far has answered all their pairs; {people} would settle it."
    is_one = reach.voters == 1
    so_far = "voter so far has" if is_one else f"{reach.voters:,} voters so far have"
    left = f"; the {so_far} {format_count(reach.left, 'vote')} left in all" if reach.voters else ""
    return f"That takes {people}, as each can be asked {format_count(reach.pairs, 'pair')}{left}."


def _count_missing_answers(standing: Standing) -> int:
    """How many ballots have no answer, and may get one that counts."""
    found, counts_late = standing.ballots, standing.settings.missing == AGAINST
    return found.open + found.taken_back + (found.missing if counts_late else 0)


def _is_exhausted(standing: Standing) -> bool:
    """Whether nobody known can be asked anything: each has answered, or skipped, every pair."""
    return bool(standing.voters and not _count_missing_answers(standing))
