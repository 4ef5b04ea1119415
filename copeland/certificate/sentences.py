"""What a certificate says and what it rests on, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from copeland.support.phrasing import capital, format_count, join_names, quote_names

Certified = Any  # a copeland.Certificate, whose file imports this one


def on_cases(c: Certified) -> str:
    """Return on which cases and by whose judgment something is proved, as a sentence begins; empty if there is nothing to say."""
    if not c.voters.startswith("judge"):
        return ""
    which = ""
    if c.cases > 1:
        which = (
            f"On these {c.cases:,} cases"
            if c.voters == "judge, these cases"
            else "On cases like these"
        )
    by = ""
    if c.judges:
        by = f"{'by' if which else 'By'} the judge{'s' if len(c.judges) > 1 else ''} {join_names(c.judges)}"
    said = ", ".join(filter(None, (which, by)))
    return f"{said}: " if said else ""


def statement_of(c: Certified) -> str:
    """Return what is proved, in a sentence."""
    where, said = (
        on_cases(c),
        f"after {format_count(c.votes, 'vote')}, {state_verdict(c)} ({c.proviso}).",
    )
    return f"{where}{said}" if where else capital(said)


def statement_before(c: Certified) -> str:
    """Return the same as copeland 0.2 put it, for the files that it wrote."""
    return (
        f"After {c.votes:,} votes, {state_verdict(c, before=True)} (error probability {c.delta:g})."
    )


def state_verdict(c: Certified, before: bool = False) -> str:
    """Return the verdict in words, or in those ``before``."""
    names = c.labels if before else quote_names(c.labels)
    among = c.k if c.active is None else len(c.active)
    scope = "" if c.active is None else f" among the {among} active options"
    up_to = f" up to a margin of {c.margin:g}" if c.margin > 0 else ""
    if c.verdict == "open":
        what = "no option is proved best" if c.beats or c.ties else "nothing is proved"
        left = join_names([names[i] for i in c.possible])
        if before:
            left = "all" if len(c.possible) == among else left
            return f"no option is proved best{scope}{up_to} yet, and {left} may be"
        left = "every option" if len(c.possible) == among else left
        yet = "" if c.complete else " yet"
        return f"{what}{scope}{up_to}{yet}; {left} could still be best"
    if c.verdict == "winner":
        claim = "is proved the only winner" if c.is_all and not up_to else "is proved best"
    else:
        claim = "are proved tied for first" if not up_to else "are each proved best"
    beats, by = (
        ("beats, or ties within the margin,", " by more than the margin")
        if up_to
        else ("beats", "")
    )
    rivals = (
        "no other option beats as many"
        if c.is_all and len(c.best) < among
        else "no option beats more"
    )
    least = min(c.lower[i] for i in c.best)
    if least == 0:
        return f"{join_names([names[i] for i in c.best])} {claim}{scope}{up_to}: no option beats another{by}"
    how_many = f"at least {least} of the {among - 1} others"
    if least == among - 1:
        how_many = "the other" if among == 2 else "every other"
    return (
        f"{join_names([names[i] for i in c.best])} {claim}{scope}{up_to}: "
        f"{'it' if c.verdict == 'winner' else 'each'} {beats} {how_many}, and {rivals}{by}"
    )


def list_assumptions(c: Certified) -> Iterator[str]:
    """Yield what the votes must be like for it to hold, in sentences."""
    yield from (
        _list_judge_assumptions(c) if c.voters.startswith("judge") else _list_voter_assumptions(c)
    )
    yield "Which option is shown first is drawn at random, or makes no difference."
    yield (
        "Delta, the margin and what counts as a vote were fixed before the votes were seen, and no "
        "vote was left out because of its outcome. Where votes were undone, each claim holds with and without them."
    )
    if c.together:
        yield "That losses may be shown together was decided before the votes were seen."
    if c.epoch == 0:
        yield "No option was added after the first vote."
    if c.active is None:
        yield "The statement is about all options ever offered."
    else:
        yield "The statement is about the active options alone, as if there were no others."


def _list_voter_assumptions(c: Certified) -> Iterator[str]:
    """Yield what is assumed of voters."""
    yield (
        "Whatever came before, option i wins a vote against j with the same probability p_ij, a tie "
        "counting half: votes do not influence each other, and preferences do not drift."
    )
    if c.voters.startswith("people"):
        yield (
            "The voters are draws from one population, independent of each other. Each was dealt all pairs before the "
            "first answer, and voters count in the order in which they arrived."
        )
        yield (
            "A dealt pair without an answer counts as a loss of both options."
            if c.voters == "people"
            else "Voters who left pairs unanswered left for reasons that have nothing to do with the options."
        )
    elif c.voters == "independent":
        yield "Answers of one voter to different pairs do not depend on each other."
    else:
        yield (
            "Votes on one pair come from different voters. What a voter is asked does not depend on that "
            "voter's own earlier answers: neither directly, nor through what others were asked because "
            "of them."
        )


def _list_judge_assumptions(c: Certified) -> Iterator[str]:
    """Yield what is assumed of judges and their test cases."""
    if c.cases == 1:
        yield "Each pair has one vote, and the statement is about these votes: whose preference they are, the judge decides."
        return
    if c.voters == "judge, these cases":
        yield (
            f"The statement is about these {c.cases:,} cases and the answers that judges give on them: i beats j if i wins on more of "
            "them than j. If a judge answers by chance, it is about the answers that it gave, or would have given."
        )
        yield "Each case has one vote for each pair. For each pair, the cases come in a random order that no answer decides."
        yield "A case that a judge skips counts as a tie. One on which a judge failed counts against both options until it is judged."
    else:
        yield (
            "The cases are random draws, independent of each other, from all those that the statement is about. p_ij is the "
            "probability that i wins on such a case against j, by these judges, a tie counting half."
        )
        yield "Each case has one vote for each pair. All pairs take the cases in one random order that was drawn beforehand."
        yield "A case that a judge skips is left out. One on which a judge failed counts against both options until it is judged."
    if len(c.judges) > 1:
        yield "Which judge votes on a case is drawn at random, or makes no difference."
