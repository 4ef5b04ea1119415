"""What verdicts and certificates say of texts that were changed after votes, and of a study that was reopened."""

from __future__ import annotations

from collections.abc import Sequence

from copeland.study.log.events import GUIDANCE, IMAGE_TEXT, OPTION_TEXT, QUESTION, REOPENED
from copeland.study.log.state_parts import Edit
from copeland.support.phrasing import format_count, join_names, quote_name

WORDS = {
    OPTION_TEXT: "The text of {} was changed",
    IMAGE_TEXT: "The description of the image of {} was changed",
    QUESTION: "The question was changed",
    GUIDANCE: "The guidance was changed",
    REOPENED: "The study was closed, and reopened",
}


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
        what = WORDS.get(part, f"The {part} was changed").format(name)
        said.append(f"{what}{times} after {after}.")
    return said
