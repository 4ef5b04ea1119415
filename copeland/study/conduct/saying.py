"""What a study says of its votes: a verdict, forecasts, a ranking, changes over time, a page."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

from copeland.drift import LEVEL, check_level
from copeland.errors import InvalidParameter
from copeland.forecast.goals import Goal, goal_of
from copeland.forecast.prospects import Prospect, check_people, prospect_of
from copeland.forecast.races import MOST, Forecast
from copeland.inert import inert
from copeland.study.conduct.transactions import Transactions
from copeland.study.conduct.tunable import require_options, tuned_and_cast, tuned_by
from copeland.study.meaning.cases import refuse_for_cases
from copeland.study.meaning.drifting import Drift, drifts_of
from copeland.study.meaning.guidance import guidance_of
from copeland.study.meaning.likely import refuse_for_panel, require_chances
from copeland.study.meaning.panel_plan import panel_plan
from copeland.study.meaning.ranking import Ranking, ranking_of
from copeland.study.meaning.reach import Met, met_of, plan_of, votes_each
from copeland.study.meaning.reading import Reading
from copeland.study.meaning.standing import (
    Standing,
    standing_of,
    voters_of,
)
from copeland.study.meaning.verdict import Verdict, claim_of, verdict_of
from copeland.study.record.log import Log
from copeland.words import counted, shortened

CLAIM = 80  # letters of what is said of a study in passing

Clock = Callable[[], float]


class Saying:
    """The part of a study that only reports and changes nothing."""

    name: str
    _work: Transactions
    _clock: Clock

    def __repr__(self) -> str:
        if self._work.books.tuning is not None:
            return f"<Study {self._size()}, points of a space>"
        claim, _, _ = claim_of(self._seen()).partition(". ")
        return f"<Study {self._size()}: {shortened([claim.rstrip('.')], CLAIM)[0]}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(inert(self._size()))}</p>{self.verdict()._repr_html_()}"

    def _size(self) -> str:
        books = self._work.books
        size = f"{counted(books.k, 'option')}, {counted(books.votes, 'vote')}"
        return f"{self.name!r}, {size}"

    def _seen(self) -> Reading:
        """What is known without looking into the storage."""
        now = self._clock()
        return self._work.known(lambda books: Reading(standing_of(self.name, books, (), now)))

    def verdict(self) -> Verdict:
        """Return what to tell people who are waiting for an answer, in sentences.

        Examples
        --------
        >>> from copeland.study import create_study
        >>> study = create_study("tea", ["green", "black"])
        >>> _ = study.add_votes([{"left": "green", "right": "black", "outcome": "left"}] * 10)
        >>> study
        <Study 'tea', 2 options, 10 votes: green is proved the only winner>
        >>> study.verdict().kind, study.certificate().best
        ('winner', (0,))
        """
        if self._work.books.tuning is not None:
            from copeland.study.meaning.tuned import tuned_verdict

            return tuned_verdict(tuned_by(self._work, self.name, self._clock))
        return verdict_of(self.standing(voters=self._work.books.settings.people))

    def plan(
        self,
        worlds: int | None = None,
        most: int = MOST,
        seed: int = 0,
        progress: Callable[[int, int], None] | None = None,
        *,
        until: str | Goal = "proved",
        people: int | None = None,
    ) -> Forecast:
        """Return how many more votes it may take to prove an option best, by simulation.

        Where people vote, it also says what the voters so far can settle, each with one vote per pair.
        For a panel, it counts answers until some active option is sure to be best.

        Parameters
        ----------
        worlds
            How many plausible worlds; 20 by default, as for every forecast that is shown.
        most
            Give up on a world after this many votes.
        progress
            Called with (worlds done, worlds in all).
        until
            ``"likely=0.95"``: the votes until one option has that chance to be best, which is an estimate.
        people
            How many voters there will be in all; by default those who have voted so far.
        """
        goal = goal_of(until)
        check_people(people)
        require_options(self._work.books, "so nobody can say how many votes they need")
        if self._work.books.settings.panel:
            refuse_for_panel(goal, people)
            return panel_plan(self.standing(voters=False), worlds, seed, progress)
        if self._work.books.settings.cases:
            refuse_for_cases(self.standing(voters=False))
        standing, met = self._work.read(self._met)
        require_chances(goal, len(standing.options))
        return plan_of(standing, met, people, worlds, most, seed, progress, goal)

    def prospect(self, people: int) -> Prospect:
        """Return what this many voters can settle, as people and as a panel, by simulation."""
        check_people(people)
        require_options(self._work.books, "so nobody can say what this many voters can settle")
        if not self._work.books.settings.people:
            raise InvalidParameter(
                "this is not a study of people, so there is nothing for them to settle."
            )
        standing = self.standing(voters=False)
        each = votes_each(self._work.books.settings, len(standing.active))
        return prospect_of(standing.start, people, each)

    def _met(self, log: Log) -> tuple[Standing, Met]:
        """Where the study stands, and what those have met whose votes prove something."""
        books = self._work.books
        standing = standing_of(self.name, books, (), self._clock())
        tally = log.tally() if self._work.books.settings.people else ()
        return standing, met_of((row for row in tally if not books.is_guide(row[0])), books.k)

    def ranking(self) -> Ranking:
        """Return all options in tiers that are proved apart, with Copeland scores and strengths.

        Examples
        --------
        >>> from copeland.study import create_study
        >>> study = create_study("tea", ["green", "black", "white"])
        >>> _ = study.add_votes([{"winner": "black", "loser": "white", "n": 40}])
        >>> _ = study.add_votes([{"winner": "black", "loser": "green", "n": 40}])
        >>> study.ranking().tiers
        (('black',), ('green', 'white'))
        """
        require_options(self._work.books, "so they cannot all be ranked: see shortlist()")
        return ranking_of(Reading(self.standing(voters=False)))

    def drift(self, level: float = LEVEL) -> tuple[Drift, ...]:
        """Return the pairs whose votes changed over time; a certificate assumes that none did.

        If none changes within an epoch, the probability that this ever returns one is at most ``level``: however often
        you look, add options or start counting again.
        """
        check_level(level)
        require_options(self._work.books, "hardly any pair comes twice, so no change would show")
        return self._work.read(lambda log: drifts_of(self._work.books, log.replay(), level))

    def report(self, path: str | Path, command: str = "") -> Path:
        """Write where the study stands as one HTML page; return its path.

        ``command``, if given, is the command that the page names to make it again.
        """
        if self._work.books.tuning is not None:
            from copeland.study.page.tuned import write_tuned_page

            told = tuned_and_cast(self._work, self.name, self._clock)
            return write_tuned_page(*told, path, command)
        from copeland.study.page.page import write_study_page

        log = self._work.read(lambda log: list(log.replay()))
        return write_study_page(self.standing(), log, path, command, self.drift())

    def standing(self, voters: bool = True) -> Standing:
        """Return where the study stands: counts, certificate, leader, position bias, voters, guides.

        ``voters=False`` leaves out voters and guides, which need a pass over all votes.
        """

        def look(log: Log) -> Standing:
            books, now = self._work.books, self._clock()
            if not voters:
                return standing_of(self.name, books, (), now)
            tally = list(log.tally())
            proving = (row for row in tally if not books.is_guide(row[0]))
            known = voters_of(proving, self._work.books.settings.panel)
            guides = guidance_of(tally, books.guides, books.wins)
            return standing_of(self.name, books, known, now, guides)

        return self._work.read(look)
