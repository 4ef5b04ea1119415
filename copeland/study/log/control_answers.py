"""A judge that counts, and what people said on the cases that were drawn since it had answered all cases of a pair."""

from __future__ import annotations

import numpy as np

from copeland.certificate.control_judge import ControlJudge, turn_tables
from copeland.certificate.control_variates import (
    ANSWERS,
    LOST,
    OUTCOMES,
    SKIPPED,
    TIED,
    UNANSWERED,
    WON,
)
from copeland.study.log.events import ERROR, LEFT, RIGHT, TIE, AskedEvent, VoteEvent
from copeland.study.log.state_parts import Pair, pair_of

DRAWN = "drawn"  # what the log says of a ballot whose case the study drew from all cases


class ControlAnswers:
    """The answers of a judge, case by case, and a table of people's votes for each pair.

    Once the judge has answered all cases of a pair, its answers there stay: whoever saw votes cannot change them any more.
    Rows and columns are those of :class:`copeland.ControlJudge`, for the option of a pair that was added first.
    """

    def __init__(self, judge: str, cases: int):
        self.judge = judge
        self.cases = cases
        self.answers: dict[Pair, dict[str, list[int]]] = {}  # of each case, all that was said
        self.named: set[str] = set()  # all cases that it answered
        self.totals: dict[Pair, list[int]] = {}  # won, tied and lost, of pairs with all answers
        self.tables: dict[Pair, list[int]] = {}  # row after row
        self.open: dict[int, int] = {}  # of each drawn ballot without a vote, the judge's answer
        self.votes: dict[int, tuple[int, int, int]] = {}  # by number: ballot, row, column

    def is_complete(self, pair: Pair) -> bool:
        """Tell whether the judge has answered all cases of a pair."""
        return pair in self.totals

    def hear(self, vote: VoteEvent, meaning: str | None) -> None:
        """Take in an answer of the judge; what is not its case, or comes once it has answered all, is left out."""
        pair = pair_of(vote)
        if vote.outcome == ERROR or vote.item is None or self.is_complete(pair):
            return
        answers = self.answers.setdefault(pair, {})
        answers.setdefault(vote.item, []).append(_row_of(vote, meaning))
        self.named.add(vote.item)
        if len(answers) == self.cases:
            said = [_column_of(one) for one in answers.values()]
            self.totals[pair] = [said.count(column) for column in (WON, TIED, LOST)]

    def forget(self, vote: VoteEvent, meaning: str | None) -> None:
        """Take back an answer of the judge that was undone, unless it had answered all."""
        pair, item = pair_of(vote), vote.item or ""
        if (
            vote.outcome == ERROR
            or self.is_complete(pair)
            or item not in self.answers.get(pair, {})
        ):
            return
        self.answers[pair][item].remove(_row_of(vote, meaning))
        if not self.answers[pair][item]:
            del self.answers[pair][item]
            self.named = {case for answers in self.answers.values() for case in answers}

    def ask(self, asked: AskedEvent) -> None:
        """Take in a ballot: if its case was drawn, it counts against both options until it is answered."""
        pair = pair_of(asked)
        if not (asked.body or {}).get(DRAWN) or not self.is_complete(pair):
            return
        said = self.answers[pair].get(asked.item or "")
        if said is None:
            raise ValueError(f"'{asked.item}' is not one of the cases that the judge answered")
        self.open[asked.number] = _column_of(said)
        self._count(pair, UNANSWERED, self.open[asked.number], 1)

    def answer(self, vote: VoteEvent, meaning: str | None) -> None:
        """Take in the first answer to a ballot; an error is none."""
        if vote.ballot not in self.open or vote.outcome == ERROR:
            return
        column, row = self.open.pop(vote.ballot), _row_of(vote, meaning)
        self.votes[vote.number] = (vote.ballot, row, column)
        self._move(pair_of(vote), UNANSWERED, row, column)

    def undo(self, vote: VoteEvent, own: bool) -> None:
        """Let an undone vote count as if it had never come; only a voter who took it back may answer again."""
        ballot, row, column = self.votes.pop(vote.vote, (None, None, None))
        if ballot is None or row is None or column is None:
            return
        self._move(pair_of(vote), row, UNANSWERED, column)
        if own:
            self.open[ballot] = column

    def restart(self) -> None:
        """Begin anew with the votes; the judge's answers stay."""
        self.tables, self.open, self.votes = {}, {}, {}

    def _move(self, pair: Pair, row: int, other: int, column: int) -> None:
        self._count(pair, row, column, -1)
        self._count(pair, other, column, 1)

    def _count(self, pair: Pair, row: int, column: int, step: int) -> None:
        table = self.tables.setdefault(pair, [0] * (OUTCOMES * ANSWERS))
        table[ANSWERS * row + column] += step

    def judge_of(self, k: int) -> ControlJudge:
        """Return what a certificate takes; answers on pairs that lack one are not used."""
        wins, ties = np.zeros((k, k), np.int64), np.zeros((k, k), np.int64)
        tables = np.zeros((k, k, OUTCOMES, ANSWERS), np.int64)
        for pair, (won, tied, lost) in self.totals.items():
            i, j = sorted(pair)
            wins[i, j], wins[j, i] = won, lost
            ties[[i, j], [j, i]] = tied
        for pair, table in self.tables.items():
            i, j = sorted(pair)
            tables[i, j] = np.reshape(table, (OUTCOMES, ANSWERS))
        tables += turn_tables(tables).swapaxes(0, 1)
        return ControlJudge(self.judge, self.cases, wins, tables, ties)


def _row_of(vote: VoteEvent, meaning: str | None) -> int:
    """The row of an outcome, for the option that was added first."""
    if meaning == TIE:
        return TIED
    if meaning not in (LEFT, RIGHT):
        return SKIPPED
    return WON if (meaning == LEFT) == (vote.left < vote.right) else LOST


def _column_of(said: list[int]) -> int:
    """The judge's answer on a case: if it said several things, or skipped, it sees a tie."""
    return said[0] if len(set(said)) == 1 and said[0] != SKIPPED else TIED
