"""The sentences of a page that are others where a panel votes."""

from __future__ import annotations

from copeland.certificate import PanelCertificate
from copeland.study.results.analysis import PROVED, Analysis
from copeland.study.results.history import Progress
from copeland.study.results.panel_standing import PanelStanding
from copeland.support.phrasing import format_count, join_names

NO_CYCLE = "No cycle is settled among these options."
PROGRESS_NOTE = (
    "A pair is settled once the missing answers cannot change it: one option beats the other, or all have "
    "answered and it is a tie. Not all pairs need be settled to know who is best. Undone votes "
    "are left out."
)
SCORES = (
    "A dot shows how many others an option beats so far. A bar shows where its "
    "number can still end, whatever the missing answers say; both ends are possible."
)
SURENESS = (
    "Proved: whatever the missing answers say. Ahead: more members for than against so far, "
    "nothing more. It can be sure who is best while many pairs are not."
)


def lead_sentence(options: int, votes: int, panel: PanelStanding) -> str:
    """Return what kind of study it is, in a line."""
    missing = int(panel.missing.sum()) // 2
    return (
        f"A study of {format_count(options, 'option')} by a panel of {len(panel.members)}: "
        f"{format_count(votes, 'vote')}, and {format_count(missing, 'answer')} missing."
    )


def matrix_sentence(reading: Analysis, certificate: PanelCertificate) -> str:
    """Return how many pairs were voted on, and how many are settled."""
    proved = int((reading.sure == PROVED).sum())
    return (
        f"Pairs with votes: {reading.pairs - reading.unmet:,} of {reading.pairs:,}. Proved one way or the other: "
        f"{proved:,}; proved tied: {len(certificate.ties):,}."
    )


def progress_sentence(last: Progress) -> str:
    """Return how far a panel has come that is not sure yet."""
    return (
        f"After {format_count(last.votes, 'vote')}, {last.possible} of {last.options} options could still be best, and "
        f"{100 * last.share:.1f} % of the pairs are settled."
    )


def members_note(panel: PanelStanding) -> str:
    """Return how to read the table of members."""
    excused = (
        f" Excused, so the study does not wait for: {join_names(panel.excused)}."
        if panel.excused
        else ""
    )
    return (
        "Answers: skips included. Missing: pairs not answered. To ask: those that may still "
        f"affect who is best.{excused}"
    )
