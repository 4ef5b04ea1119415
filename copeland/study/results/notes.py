"""What verdicts and certificates note beside what is proved: how answers came, and what was changed after votes.

A vote in the log says by which link, key or judge it came. Only the server knows whether a link is for everybody or for one
person, so of that the log can only say how many votes came by links at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from copeland.study.log.events import (
    GUIDANCE,
    IMAGE_TEXT,
    OPTION_TEXT,
    QUESTION,
    REOPENED,
    Event,
    is_vote,
    times_of,
)
from copeland.study.log.sides import ONCE
from copeland.study.log.state import Edit
from copeland.support.phrasing import format_count, join_names, quote_name

OPEN, PERSONAL = "by open links", "by personal links"
PROGRAMS, JUDGES, ELSEWHERE = "from programs with a key", "from judges", "from elsewhere"
REASONS = 5  # to undo votes that are told one by one
LETTERS = 80  # of such a reason
WAYS = (OPEN, PERSONAL, PROGRAMS, JUDGES, ELSEWHERE)
ANYBODY = "Anybody with an open link can vote, and the link cannot tell people apart: one person may have voted as several."
_LINK = "link "
_CHANGED = {
    OPTION_TEXT: "The text of {} was changed",
    IMAGE_TEXT: "The description of the image of {} was changed",
    QUESTION: "The question was changed",
    GUIDANCE: "The guidance was changed",
    REOPENED: "The study was closed, and reopened",
}


def way_of(source: str, links: Mapping[str, str]) -> str:
    """Return the way of a vote by its source; ``links`` are the ways of known links, by theirs.

    Examples
    --------
    >>> way_of("key 7f1c", {}), way_of("link ab", {"link ab": OPEN}), way_of("a file", {})
    ('from programs with a key', 'by open links', 'from elsewhere')
    """
    if source.startswith(ONCE):
        return JUDGES
    return links.get(source, PROGRAMS if source.startswith("key ") else ELSEWHERE)


def describe_arrivals(came: Mapping[str, int]) -> list[str]:
    """Return how many answers came by which ways, and what that means, in sentences.

    Examples
    --------
    >>> describe_arrivals({PERSONAL: 3, JUDGES: 1})
    ['Answers came by personal links (3) and from judges (1).']
    """
    told = []
    for way in WAYS:
        if came.get(way):
            told.append(f"{way} ({came[way]:,})")
    if not told:
        return []
    return [f"Answers came {join_names(told)}.", *([ANYBODY] if came.get(OPEN) else [])]


def undone_note(bodies: Iterable[Mapping[str, Any] | None]) -> str:
    """Return how many votes were undone and why, from what these events say; empty if none was.

    Examples
    --------
    >>> undone_note([{"reason": "a robot"}, None, {"reason": "a robot"}])
    'Undone, and not counted: 3 votes (a robot: 2; no reason told: 1).'
    """
    reasons: Counter[str] = Counter()
    for one in bodies:
        body = one or {}
        untold = "a whole import" if "import" in body else "no reason told"
        reasons[str(body.get("reason", untold))[:LETTERS]] += body.get("times", 1)
    if not reasons:
        return ""
    told = [f"{reason}: {times:,}" for reason, times in reasons.most_common(REASONS)]
    others = sum(reasons.values()) - sum(times for _, times in reasons.most_common(REASONS))
    told += [f"other reasons: {others:,}"] if others else []
    return f"Undone, and not counted: {format_count(sum(reasons.values()), 'vote')} ({'; '.join(told)})."


def find_wrong_arrivals(notes: Sequence[str], log: Iterable[Event]) -> Iterator[str]:
    """Yield what a log contradicts in notes of a certificate, and notes that no certificate has."""
    told = {way: _read_count(notes, way) for way in WAYS}
    known = describe_arrivals(told)
    for note in notes:
        if note not in known:
            yield f"it has a note that does not follow from the log: {note}"
    found = Counter[str]()
    for vote in log:
        if is_vote(vote):
            source = vote.source or ""
            found[OPEN if source.startswith(_LINK) else way_of(source, {})] += times_of(vote)
    if not known or _agrees(told, found):
        return
    yield f"its note on how answers came does not fit the log: {known[0]}"


def _read_count(notes: Sequence[str], way: str) -> int:
    counts = re.findall(rf"{re.escape(way)} \(([0-9,]{{1,26}})\)", notes[0] if notes else "")
    return int(counts[0].replace(",", "") or 0) if counts else 0


def _agrees(told: Mapping[str, int], found: Mapping[str, int]) -> bool:
    """Tell whether a log can have led to these counts: a link that a server does not know is from elsewhere."""
    same = all(told[way] == found[way] for way in (PROGRAMS, JUDGES))
    enough = told[ELSEWHERE] >= found[ELSEWHERE]
    return same and enough and sum(told.values()) == sum(found.values())


def describe_edits(edits: Sequence[Edit], names: Sequence[str]) -> list[str]:
    """Return a sentence for each change after votes; ``names`` are those of the options.

    Examples
    --------
    >>> describe_edits([Edit("text", 1, 12), Edit("question", None, 1)], ["A", "B"])
    ['The text of B was changed after 12 votes.', 'The question was changed after 1 vote.']
    >>> describe_edits([Edit("text", 0, 3), Edit("text", 0, 9)], ["A", "B"])
    ['The text of A was changed 2 times, after 3 and 9 votes.']
    """
    changed: dict[tuple[str, int | None], list[int]] = {}
    for edit in edits:
        changed.setdefault((edit.part, edit.option), []).append(edit.votes)
    said = []
    for (part, option), votes in changed.items():
        name = "" if option is None else quote_name(names[option])
        times = "" if len(votes) == 1 else f" {len(votes):,} times,"
        after = join_names([f"{n:,}" for n in votes[:-1]] + [format_count(votes[-1], "vote")])
        what = _CHANGED.get(part, f"The {part} was changed").format(name)
        said.append(f"{what}{times} after {after}.")
    return said
