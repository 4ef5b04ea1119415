"""What a certificate tells of votes that were undone: how many, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from copeland.words import counted

REASONS = 5  # that are told one by one
LETTERS = 80  # of a reason


def undone_note(bodies: Iterable[Mapping[str, Any] | None]) -> str:
    """Return how many votes were undone and why, from what these events say; empty if none was.

    Examples
    --------
    >>> undone_note([{"reason": "a robot"}, None, {"reason": "a robot"}])
    'Undone, and not counted: 3 votes (a robot: 2; no reason told: 1).'
    """
    reasons: Counter[str] = Counter()
    for body in bodies:
        reasons[_reason(body or {})] += (body or {}).get("times", 1)
    if not reasons:
        return ""
    told = [f"{reason}: {times:,}" for reason, times in reasons.most_common(REASONS)]
    others = sum(reasons.values()) - sum(times for _, times in reasons.most_common(REASONS))
    told += [f"other reasons: {others:,}"] if others else []
    return f"Undone, and not counted: {counted(sum(reasons.values()), 'vote')} ({'; '.join(told)})."


def _reason(body: Mapping[str, Any]) -> str:
    if "reason" in body:
        return str(body["reason"])[:LETTERS]
    return "a whole import" if "import" in body else "no reason told"
