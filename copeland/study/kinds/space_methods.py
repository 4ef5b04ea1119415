"""What a study can do if its options are points of a space: estimates about them, and audits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from copeland.errors import InvalidParameter
from copeland.study.log.event_log import Log
from copeland.study.log.events import Event
from copeland.study.log.state import Books, require_tuning
from copeland.study.session import Transactions
from copeland.support.rng import stream

if TYPE_CHECKING:
    from copeland.study.kinds.space import Tuned
    from copeland.tuning import Found, Tuner
    from copeland.tuning.past_recommendations import Cast


class Tunable:
    """What only a study of a space can do; a study of options refuses it."""

    name: str
    _work: Transactions
    _clock: Callable[[], float]

    def tuner(self) -> Tuner:
        """Return a copy of the tuner of a study of a space, to look at; ``copeland.plot`` draws it."""
        return self._work.read(lambda _log: require_tuning(self._work.books).trial().tuner)

    def recommend(self) -> Found:
        """Return the point of the space to take now. Its score and regret are estimates.

        Examples
        --------
        >>> from copeland import Real, Space
        >>> from copeland.study import create_study
        >>> study = create_study("size", space=Space({"pt": Real(6, 24)}))
        >>> for _ in range(12):
        ...     ballot = study.ask()
        ...     closer = min((ballot.left, ballot.right), key=lambda n: abs(study.option(n).point["pt"] - 11))
        ...     _ = study.tell(ballot, closer)
        >>> abs(study.recommend().point["pt"] - 11) < 4
        True
        """
        return self.tuner().recommend()

    def shortlist(self, k: int = 6) -> list[dict[str, Any]]:
        """Return ``k`` points of the space that may well include the best one."""
        return self.tuner().shortlist(k)

    def tuned(self) -> Tuned:
        """Return where a study of a space stands: the point to take, and what audits prove."""
        return read_tuning(self._work, self.name, self._clock)

    def audit(self, point: Mapping[str, Any] | None = None, votes: int = 200) -> None:
        """Ask from now on how a point does against random ones, until there are this many votes.

        :meth:`verdict` says what they prove: at least what share of the space the point beats.

        Parameters
        ----------
        point
            By default the one that is recommended now.
        votes
            How many votes. What the audit proves holds after each of them.
        """
        from copeland.study.kinds.space import audit_begun

        chosen = self.recommend().point if point is None else point

        def begin(_log: Log) -> list[Event]:
            books = self._work.books
            seed = int(stream(books.settings.seed, "audit", books.number).integers(2**32))
            return audit_begun(books, chosen, votes, seed, self._clock())

        self._work.append(begin)


def read_tuning(work: Transactions, name: str, clock: Callable[[], float]) -> Tuned:
    """Return where a study of a space stands."""
    from copeland.study.kinds.space import tuned_of

    tuned = work.read(lambda _log: tuned_of(name, work.books, clock())[1])
    return tuned()  # which takes a while, so others need not wait for it


def read_tuning_with_votes(
    work: Transactions, name: str, clock: Callable[[], float]
) -> tuple[Tuner, Tuned, list[Cast]]:
    """Return the tuner of a study, where it stands, and the votes that led there."""
    from copeland.study.kinds.space import cast_of, tuned_of

    def read(log: Log) -> tuple[Tuner, Callable[[], Tuned], list[Cast]]:
        return *tuned_of(name, work.books, clock()), cast_of(work.books, log.votes())

    tuner, tuned, cast = work.read(read)
    return tuner, tuned(), cast


def require_options(books: Books, instead: str) -> None:
    """Refuse what has no meaning where the options are points of a space."""
    if books.tuning is not None:
        raise InvalidParameter(
            f"the options of this study are points of a space, and there is no end of them; {instead}."
        )
