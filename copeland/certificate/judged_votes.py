"""Votes of people and of a judge on the same cases, as rows or files: what they prove together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from copeland.certificate.certificate import Certificate, certify
from copeland.certificate.control_judge import ControlJudge, turn_tables
from copeland.certificate.control_variates import ANSWERS, LOST, OUTCOMES, SKIPPED, TIED, WON
from copeland.certificate.evidence import check_labels
from copeland.errors import InvalidParameter, InvalidRow
from copeland.formats import read_votes
from copeland.support.arrays import Ints
from copeland.support.phrasing import format_count
from copeland.support.row_files import rows_of_table, table_of
from copeland.support.vote_tables import ColumnLayout, VoteRow, find_layout, read_rows, text_in

_PLACES = {"left": WON, "right": LOST, "tie": TIED, "both_bad": TIED}  # others are no votes
GUIDE = "guide"  # a role whose votes prove nothing


class JudgedVotes(NamedTuple):
    """Counts of people's votes, and a judge's answers on the same cases."""

    wins: Ints
    ties: Ints
    labels: tuple[str, ...]
    control: ControlJudge


class _Said(NamedTuple):
    """One row: who says what of a pair on a case; ``place`` is for the first option of the two."""

    where: str
    voter: str | None
    pair: tuple[int, int]
    place: int
    item: str | None
    times: int
    outcome: str
    proves: bool  # neither by a guide nor a repeat


def certify_with_judge(
    votes: Any,
    judge: str,
    cases: int,
    *,
    labels: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    **terms: Any,
) -> Certificate:
    """Return what people's votes prove, where the judge's answers on all cases make them count for more.

    The judge is not believed: the certificate is wrong with probability delta at most, however bad the judge is. docs/notes/certificate-proofs.md says what must
    hold ("Judges that count"): above all, the case of each vote was drawn uniformly from all cases.

    Parameters
    ----------
    votes
        A file, a data frame or rows, as ``study.votes()`` gives them: ``left``, ``right``, ``outcome``, ``voter`` and ``item``, the name of the
        case. They hold the votes of people and the answers of the judge.
    judge
        The judge's name, in the column of voters. Other voters are people, but for guides. Where a pair lacks some answer of the judge, the votes on it count as they are.
    cases
        How many cases there are.
    labels
        The names of all options; by default those of the votes, in their order.
    columns
        Which column holds what, if their names do not tell: ``{"item": "question_id"}``.
    terms
        What else :func:`certify` takes, such as ``delta``, ``margin``, ``voters`` and ``goal``.

    Examples
    --------
    >>> rows = [{"left": "tea", "right": "milk", "voter": "gpt", "item": str(n), "outcome": "left" if n % 10 < 6 else "right"} for n in range(50)]
    >>> drawn = np.random.default_rng(1).integers(50, size=120)
    >>> people = [rows[n] | {"voter": f"person {i}"} for i, n in enumerate(drawn)]
    >>> found = certify_with_judge(rows + people, "gpt", cases=50)
    >>> print(found.statement)
    After 120 votes, tea is proved the only winner: it beats the other, and no other option beats as many
    (error probability 0.05; the answers of the judge gpt on all 50 cases are used, and not believed).
    """
    told = count_with_judge(votes, judge, cases, labels=labels, columns=columns)
    return certify(told.wins, told.ties, labels=told.labels, control=told.control, **terms)


def count_with_judge(
    votes: Any,
    judge: str,
    cases: int,
    *,
    labels: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
) -> JudgedVotes:
    """Return the counts that :func:`certify_with_judge` takes, to certify or to check a certificate again.

    If the judge answered a case more than once, as in both orders, and not always for the same option, that is a tie; so is a skip of the judge.

    Examples
    --------
    >>> row = {"left": "tea", "right": "milk", "outcome": "left", "item": "morning"}
    >>> found = count_with_judge([row | {"voter": "gpt"}, row | {"voter": "ann"}], "gpt", cases=1)
    >>> found.wins.tolist(), found.control.tables[0, 1].tolist()
    ([[0, 1], [0, 0]], [[1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    """
    said, names = _read(votes, columns, labels)
    answers = _collect_answers((one for one in said if one.voter == judge), judge, cases)
    people = [one for one in said if one.voter != judge and one.proves]
    k = len(names)
    wins, ties = np.zeros((k, k), np.int64), np.zeros((k, k), np.int64)
    tables = np.zeros((k, k, OUTCOMES, ANSWERS), np.int64)
    for one in people:
        i, j = one.pair
        if one.place == TIED:
            ties[[i, j], [j, i]] += one.times
        elif one.place != SKIPPED:
            wins[(i, j) if one.place == WON else (j, i)] += one.times
        known = answers.get(one.pair, {})
        if len(known) < cases or one.item is None:
            continue
        if one.item not in known:
            raise InvalidRow(
                f"{one.where}: '{one.item}' is not one of the {format_count(cases, 'case')} that {judge} answered."
            )
        tables[i, j, one.place, known[one.item]] += one.times
    tables += turn_tables(tables).swapaxes(0, 1)
    return JudgedVotes(wins, ties, names, _make_judge(judge, cases, answers, tables))


def _make_judge(
    judge: str, cases: int, answers: Mapping[tuple[int, int], Mapping[str, int]], tables: Ints
) -> ControlJudge:
    k = len(tables)
    wins, ties = np.zeros((k, k), np.int64), np.zeros((k, k), np.int64)
    for (i, j), known in answers.items():
        places = list(known.values())
        wins[i, j], wins[j, i] = places.count(WON), places.count(LOST)
        ties[[i, j], [j, i]] = places.count(TIED)
    return ControlJudge(judge, cases, wins, tables, ties)


def _collect_answers(
    said: Iterable[_Said], judge: str, cases: int
) -> dict[tuple[int, int], dict[str, int]]:
    """What the judge says of each pair on each case."""
    found: defaultdict[tuple[int, int], dict[str, int]] = defaultdict(dict)
    for one in said:
        if one.outcome == "error":
            continue
        if one.item is None:
            raise InvalidRow(
                f"{one.where}: {judge} does not say on which case; give each answer an item."
            )
        place = TIED if one.place == SKIPPED else one.place
        known = found[one.pair]
        known[one.item] = place if known.get(one.item, place) == place else TIED
        if len(known) > cases:
            raise InvalidRow(
                f"{one.where}: {judge} has answers on more than {format_count(cases, 'case')}; say how many there are."
            )
    if not found:
        raise InvalidParameter(
            f"no vote is by the judge '{judge}'; give its name as voters have it."
        )
    return dict(found)


def _read(
    votes: Any, columns: Mapping[str, str] | None, labels: Sequence[str] | None
) -> tuple[list[_Said], tuple[str, ...]]:
    """All rows that say something, and the names of the options."""
    if isinstance(votes, str | Path):
        table, layout = read_votes(Path(votes), None, columns)
    else:
        table = table_of(rows_of_table(votes), "the rows")
        layout = find_layout(table, columns)
    if layout.voter is None or layout.item is None:
        missing = "voter" if layout.voter is None else "item"
        raise InvalidRow(f"{table.where}: there is no column '{missing}'; name it in columns.")
    rows = list(read_rows(table, layout))
    told = dict.fromkeys(name for row in rows for name in (row.left, row.right))
    names = check_labels(list(told) if labels is None else labels, len(labels or told))
    return [_read_row(row, layout, names) for row in rows], names


def _read_row(row: VoteRow, layout: ColumnLayout, names: Sequence[str]) -> _Said:
    """One row, from the view of the option that is named first."""
    if row.is_undone:
        raise InvalidRow(
            f"{row.where}: the vote was undone; with a judge that counts, certify votes of which none was."
        )
    for name in (row.left, row.right):
        if name not in names:
            raise InvalidRow(f"{row.where}: '{name}' is not among the labels.")
    i, j = names.index(row.left), names.index(row.right)
    place = _PLACES.get(row.outcome, SKIPPED)
    if i > j:
        place = {WON: LOST, LOST: WON}.get(place, place)
    about = text_in(row.row, layout.voter), (min(i, j), max(i, j)), place
    proves = text_in(row.row, "role") != GUIDE and (row.counts or place == SKIPPED)
    item = text_in(row.row, layout.item)
    return _Said(row.where, *about, item, row.times, row.outcome, proves)
