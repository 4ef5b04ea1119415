"""What a certificate says and what it rests on, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from copeland.certificate.base_certificate import BaseCertificate
from copeland.certificate.evidence import THESE
from copeland.certificate.goal_sentences import state_goal
from copeland.certificate.proof import Terms
from copeland.support.goal import BEST
from copeland.support.phrasing import capital, format_count, join_names, quote_names


def on_cases(terms: Terms) -> str:
    """Return on which cases and by whose judgment something is proved, as a sentence begins; empty if there is nothing to say."""
    if not terms.voters.startswith("judge"):
        return ""
    these = f"On these {terms.cases:,} cases" if terms.voters == THESE else "On cases like these"
    which, by = "" if terms.cases == 1 else these, ""
    if terms.judges:
        by = f"{'by' if which else 'By'} the judge{'s' if len(terms.judges) > 1 else ''} {join_names(terms.judges)}"
    said = ", ".join(filter(None, (which, by)))
    return f"{said}: " if said else ""


def statement_of(c: BaseCertificate, terms: Terms) -> str:
    """Return what is proved, in a sentence."""
    if c.goal == BEST:
        verdict = state_verdict(c, terms.margin)
    else:
        verdict = state_goal(c, "proved", "is proved", "are proved")
    said = f"after {format_count(c.votes, 'vote')}, {verdict} ({c.proviso})."
    return f"{on_cases(terms)}{said}" if on_cases(terms) else capital(said)


def state_verdict(c: BaseCertificate, margin: float) -> str:
    """Return the verdict in words."""
    names = quote_names(c.labels)
    among = c.k if c.active is None else len(c.active)
    scope = "" if c.active is None else f" among the {among} active options"
    up_to = f" up to a margin of {margin:g}" if margin > 0 else ""
    if c.verdict == "open":
        what = "no option is proved best" if c.beats or c.ties else "nothing is proved"
        left = join_names([names[i] for i in c.possible])
        left = "every option" if len(c.possible) == among else left
        yet = "" if c.complete else " yet"
        return f"{what}{scope}{up_to}{yet}; {left} could still be best"
    if c.verdict == "winner":
        claim = "is proved the only winner" if c.is_all and not up_to else "is proved best"
    else:
        claim = "are proved tied for first" if not up_to else "are each proved best"
    beats = "beats, or ties within the margin," if up_to else "beats"
    by = " by more than the margin" if up_to else ""
    alone = c.is_all and len(c.best) < among
    rivals = "no other option beats as many" if alone else "no option beats more"
    best, least = join_names([names[i] for i in c.best]), c.least
    if least == 0:
        return f"{best} {claim}{scope}{up_to}: no option beats another{by}"
    how_many = f"at least {least} of the {among - 1} others"
    if least == among - 1:
        how_many = "the other" if among == 2 else "every other"
    return (
        f"{best} {claim}{scope}{up_to}: "
        f"{'it' if c.verdict == 'winner' else 'each'} {beats} {how_many}, and {rivals}{by}"
    )


def advice_of(choice: Sequence[int], best: Sequence[int], names: Sequence[str]) -> str:
    """Return which option to take, by these names: with a margin, one proved best may lose to another."""
    taken = join_names([names[i] for i in choice])
    if len(choice) > 1:
        return f"Take any of {taken}: by the votes, none of them is ahead."
    beats = f"Take {taken}: by what is proved and what is likely, it beats the most others."
    if set(choice) <= set(best):
        return beats
    return f"{beats} That it is best up to the margin is not proved yet."


def list_assumptions(terms: Terms, active: bool) -> Iterator[str]:
    """Yield what the votes must be like for it to hold, in sentences."""
    yield from (
        _list_judge_assumptions(terms)
        if terms.voters.startswith("judge")
        else _list_voter_assumptions(terms)
    )
    yield "Which option is shown first is drawn at random, or makes no difference."
    yield (
        f"Delta, the margin{'' if terms.goal == BEST else ', the goal'} and what counts as a vote were fixed before the votes were seen, and no "
        "vote was left out because of its outcome. Where votes were undone, each claim holds with and without them."
    )
    if terms.epoch == 0:
        yield "No option was added after the first vote."
    if not active:
        yield "The statement is about all options ever offered."
    else:
        yield "The statement is about the active options alone, as if there were no others."


def _list_voter_assumptions(terms: Terms) -> Iterator[str]:
    """Yield what is assumed of voters."""
    yield (
        "Whatever came before, option i wins a vote against j with the same probability p_ij, a tie "
        "counting half: votes do not influence each other, and preferences do not drift."
    )
    if terms.voters.startswith("people"):
        yield (
            "The voters are draws from one population, independent of each other. Each was dealt all pairs before the "
            "first answer, and voters count in the order in which they arrived."
        )
        yield (
            "A dealt pair without an answer counts as a loss of both options."
            if terms.voters == "people"
            else "Voters who left pairs unanswered left for reasons that have nothing to do with the options."
        )
    elif terms.voters == "independent":
        yield "Answers of one voter to different pairs do not depend on each other."
    else:
        yield (
            "Votes on one pair come from different voters. What a voter is asked does not depend on that "
            "voter's own earlier answers: neither directly, nor through what others were asked because "
            "of them."
        )


def _list_judge_assumptions(terms: Terms) -> Iterator[str]:
    """Yield what is assumed of judges and their test cases."""
    if terms.cases == 1:
        yield "Each pair has one vote, and the statement is about these votes: whose preference they are, the judge decides."
        return
    if terms.voters == THESE:
        yield (
            f"The statement is about these {terms.cases:,} cases and the answers that judges give on them: i beats j if i wins on more of "
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
    if len(terms.judges) > 1:
        yield "Which judge votes on a case is drawn at random, or makes no difference."
