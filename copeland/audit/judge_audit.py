"""The audit of judges: everything that is measured of each, what the pass marks come to, and two judges beside each other."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from copeland.audit.audit_page import audit_page, shares_figure
from copeland.audit.audit_sentences import tell_audit
from copeland.audit.comparisons import (
    Compared,
    PairShare,
    compare_pairs,
    compare_votes,
    correlate,
    estimate_furthest,
    find_winners,
)
from copeland.audit.estimates import estimate_kappa, estimate_share
from copeland.audit.judge_report import Disagreement, JudgeReport, Part, TwoJudges
from copeland.audit.judged_cases import (
    CastVote,
    Columns,
    Comparison,
    JudgedCases,
    match_votes,
    read_cases,
    require_matches,
    settle_verdicts,
    tag_cases,
)
from copeland.audit.leanings import (
    compare_family,
    compare_length,
    compare_periods,
    count_repeats,
    estimate_first,
    list_family,
)
from copeland.audit.pass_marks import PassMark, apply_marks, join_decisions, read_mark
from copeland.errors import InvalidParameter
from copeland.support.arrays import Bools
from copeland.support.atomic_files import write_file
from copeland.support.escaping import cell
from copeland.support.plain_values import to_plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARGIN = 0.05  # a share is off if it differs by more
PAIR_VOTES = 50  # votes of people that a pair needs to be looked at by itself


@dataclass(frozen=True)
class JudgeAudit:
    """An audit: a report of each judge, every two of them on the same cases, and what the pass marks come to.

    Examples
    --------
    >>> import copeland
    >>> rows = [{"left": "a", "right": "b", "people": "left", "gpt": "left"}] * 40
    >>> audit = copeland.audit_judges(rows, people="people", judges=["gpt"], require=["agreement>=.9"])
    >>> audit.decision, audit.sentences[0]
    ('passed', 'gpt is fit to decide by this pass mark: agreement >= 0.9 is proved.')
    """

    reports: tuple[JudgeReport, ...]
    two: tuple[TwoJudges, ...]

    @property
    def decision(self) -> str | None:
        """Whether all judges passed, one failed, or neither is proved; None without a pass mark."""
        found = [one.decision for one in self.reports]
        return None if None in found else join_decisions(one for one in found if one)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """What the audit says, the decision first."""
        return tuple(tell_audit(self.reports, self.two))

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it ready for JSON."""
        return {
            "decision": self.decision,
            "judges": to_plain(self.reports),
            "two_judges": to_plain(self.two),
            "sentences": to_plain(self.sentences),
        }

    def pairs_csv(self) -> str:
        """Return every pair that was looked at as a CSV table."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        names = {"people": "people_share", "judge": "judge_share"}
        head = [names.get(field, field) for field in PairShare._fields]
        writer.writerow(["judge", *head, "off", "proved_to_differ"])
        for report in self.reports:
            for one in report.pairs:
                about = [cell(name) for name in (report.judge, one.first, one.second)]
                numbers = [one.votes, *(f"{number:.6g}" for number in one[3:])]
                writer.writerow([*about, *numbers, one.is_off(report.margin), one.is_proved])
        return text.getvalue()

    def page(self, command: str = "") -> str:
        """Return the audit as an HTML page that needs nothing else."""
        return audit_page(self.reports, self.two, command)

    def report(self, path: str | Path, command: str = "") -> Path:
        """Write the page to a file; return where it is."""
        write_file(Path(path), self.page(command).encode())
        return Path(path)

    def draw_figure(self) -> Figure:
        """Return each judge's share of every pair beside people's, as a figure; ``copeland.plot(audit)`` does the same."""
        return shares_figure(self.reports)


def audit_judges(
    votes: Any,
    *,
    people: str | None = None,
    judges: str | Sequence[str] = (),
    require: str | Iterable[str] = (),
    columns: Mapping[str, str] | None = None,
    lengths: tuple[str, str] | None = None,
    texts: tuple[str, str] | None = None,
    tags: str | Mapping[str, Sequence[str]] | None = None,
    margin: float = MARGIN,
    pair_votes: int = PAIR_VOTES,
    format: str | None = None,
) -> JudgeAudit:
    """Return what votes of people say of judges that answered the same cases.

    Parameters
    ----------
    votes
        A file of votes in any format that :func:`copeland.formats.read_votes` reads, a data frame, rows, or a study.
    people
        The column with people's outcome, where every judge has a column too. Without it every row names its voter, and
        voters that are not judges are people.
    judges
        The columns or the voters that are judges. Of a study, by default the judges that voted in it.
    require
        Pass marks such as ``"agreement>=.8"`` and ``"off<=.1"``, fixed before you look: :data:`copeland.audit.pass_marks.MEASURES`.
    columns
        Names of the columns ``left``, ``right``, ``outcome``, ``voter``, ``item`` and ``time``, where they are others.
    lengths, texts
        The columns with the lengths of the left and the right answer, or with the answers themselves.
    tags
        The column with tags of the item, separated by commas; by default ``tags``, if there is one. Or the tags of each item by its
        name, as a study needs.
    margin
        By how much a share must differ to be off.
    pair_votes
        How many votes of people a pair needs to be looked at by itself.
    format
        The name of the file's format, if it does not show.

    Examples
    --------
    >>> rows = [{"left": "a", "right": "b", "people": "left", "gpt": "left"}] * 30
    >>> rows += [{"left": "a", "right": "b", "people": "right", "gpt": "left"}] * 30
    >>> audit = audit_judges(rows, people="people", judges="gpt", require="agreement>=.8")
    >>> audit.decision, audit.reports[0].pairs[0].difference
    ('failed', 0.5)
    """
    marks = [read_mark(one) for one in ([require] if isinstance(require, str) else require)]
    named = list(dict.fromkeys([judges] if isinstance(judges, str) else judges))
    if not 0 <= margin < 1:
        raise InvalidParameter(f"margin is {margin}; it must be at least 0 and below 1.")
    if pair_votes < 1:
        raise InvalidParameter(f"pair_votes is {pair_votes}; it must be at least 1.")
    if lengths is not None and texts is not None:
        raise InvalidParameter("give the lengths of the answers or their texts, not both.")
    more = Columns(lengths, texts, tags if isinstance(tags, str) else None)
    cases = read_cases(votes, people, named, columns, more, format)
    if isinstance(tags, Mapping):
        cases = tag_cases(cases, tags)
    require_matches(cases)
    reports = [_report_judge(cases, judge, marks, margin, pair_votes) for judge in cases.matched]
    two = (_compare_judges(cases, *pair) for pair in combinations(cases.matched, 2))
    return JudgeAudit(tuple(reports), tuple(one for one in two if one is not None))


def _report_judge(
    cases: JudgedCases, judge: str, marks: Sequence[PassMark], margin: float, pair_votes: int
) -> JudgeReport:
    found = compare_votes(cases.matched[judge])
    verdicts = cases.verdicts[judge]
    pairs = compare_pairs(found, pair_votes)
    report = JudgeReport(
        judge=judge,
        compared=len(found.votes),
        verdicts=len(verdicts),
        grouped=found.groups.words,
        agreement=found.estimate_agreement(),
        agreement_with_ties=estimate_share(found.people == found.judge, found.groups),
        kappa=estimate_kappa(found.people, found.judge, found.groups),
        by_option=_part_by_option(found),
        by_tag=_part_by_tag(found),
        first=estimate_first(verdicts),
        people_first=estimate_first(found.votes),
        longer=compare_length(found),
        family=compare_family(found, judge),
        family_options=list_family(judge, found.options),
        repeats=count_repeats(verdicts, cases.asked_twice.get(judge, (0, 0))),
        periods=compare_periods(found),
        pairs=pairs,
        margin=margin,
        pair_votes=pair_votes,
        off=estimate_furthest(pairs),
        correlation=correlate(found),
        people_winners=find_winners(found, found.people),
        judge_winners=find_winners(found, found.judge),
    )
    return replace(report, marks=apply_marks(marks, report.measured))


def _part_by_option(found: Compared) -> tuple[Part, ...]:
    """How often they agree on pairs with each option, the least first."""
    place = {name: i for i, name in enumerate(found.options)}
    of_pair = np.array([[place[name] for name in pair] for pair in found.pair_names])[found.pairs]
    return _estimate_parts(found, ((n, (of_pair == i).any(axis=1)) for n, i in place.items()))


def _part_by_tag(found: Compared) -> tuple[Part, ...]:
    tags = sorted({tag for vote in found.votes for tag in vote.tags})
    each = ((tag, np.array([tag in vote.tags for vote in found.votes])) for tag in tags)
    return _estimate_parts(found, each)


def _estimate_parts(found: Compared, parts: Iterable[tuple[str, Bools]]) -> tuple[Part, ...]:
    each = ((name, found.estimate_agreement(mask)) for name, mask in parts)
    known = [Part(name, one) for name, one in each if one is not None]
    return tuple(sorted(known, key=lambda part: (part.agreement.value, part.name)))


def _compare_judges(cases: JudgedCases, first: str, second: str) -> TwoJudges | None:
    """Two judges on the cases that both answered, those without a vote of a person too."""
    matched = _match_judges(cases, first, second)
    if not matched:
        return None
    found = compare_votes(matched)
    differ = np.flatnonzero(found.people != found.judge)
    return TwoJudges(
        first,
        second,
        found.estimate_agreement(),
        estimate_share(found.people == found.judge, found.groups),
        find_winners(found, found.people),
        find_winners(found, found.judge),
        tuple(_name_disagreement(matched[int(i)]) for i in differ),
    )


def _match_judges(cases: JudgedCases, first: str, second: str) -> Sequence[Comparison]:
    """The verdicts of one judge in the place of people's votes; a case counts once."""
    own: dict[Any, CastVote] = {}
    for case, score in settle_verdicts(cases.verdicts[first]).items():
        own[case] = CastVote(None, *case, score)
    return match_votes(list(own.values()), {second: cases.verdicts[second]}).matched[second]


def _name_disagreement(one: Comparison) -> Disagreement:
    pair = one.vote.pair
    said = [{1.0: pair[0], 0.0: pair[1]}.get(s, "tie") for s in (one.vote.first_score, one.verdict)]
    return Disagreement(one.vote.item, *pair, *said)
