"""What a certificate says, of one winner or of another goal, and what it rests on, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from copeland.certificate.base_certificate import BaseCertificate
from copeland.certificate.cluster_evidence import CASES, Clusters
from copeland.certificate.evidence import THESE
from copeland.certificate.goal_proof import cut_by_certificate, list_contenders, list_open
from copeland.certificate.proof import Terms
from copeland.support.goal import ABOVE, BEST, TOP, Goal
from copeland.support.phrasing import capital, format_count, join_names, quote_name, quote_names

_LISTED = 8  # tiers in a sentence
IN, OPEN, OUT = "in", "open", "out"  # where an option stands by a goal


def on_cases(terms: Terms) -> str:
    """Return on which cases and by whose judgment something is proved, as a sentence begins; empty if there is nothing to say."""
    if not terms.voters.startswith("judge"):
        return ""
    these = f"On these {terms.cases:,} cases" if terms.voters == THESE else "On cases like these"
    which, by = "" if terms.cases == 1 else f"{these}{_say_clusters(terms)}", ""
    if terms.judges:
        by = f"{'by' if which else 'By'} the judge{'s' if len(terms.judges) > 1 else ''} {join_names(terms.judges)}"
    said = ", ".join(filter(None, (which, by)))
    return f"{said}: " if said else ""


def _say_clusters(terms: Terms) -> str:
    """What is drawn at random, if that is not the case: to follow the cases."""
    if terms.clusters is None:
        return ""
    number = format_count(terms.clusters[0], "cluster")
    if terms.voters == THESE:
        return f" in {number} that count the same"
    return f" ({terms.cases:,} in {number}; the clusters are the sample)"


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
        f"Delta, the margin{'' if terms.goal == BEST else ', the goal'} and what counts as a vote were fixed before "
        "the votes were seen, and no "
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
        yield "Whether a voter answers a ballot within its lease has nothing to do with the answer; how soon does not matter."
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
    if terms.clusters is not None:
        yield from _list_cluster_assumptions(terms, Clusters(*terms.clusters))
    elif terms.voters == THESE:
        yield (
            f"The statement is about these {terms.cases:,} cases and the answers that judges give on them: i beats j if i wins on more of "
            "them than j. If a judge answers by chance, it is about the answers that it gave, or would have given."
        )
        yield "Each case has one vote for each pair. For each pair, the cases come in a random order that no answer decides."
        yield "A case that a judge skips counts as a tie. One without an answer, because the judge failed or is silent, counts against both options until it is judged."
    else:
        yield (
            "The cases are random draws, independent of each other, from all those that the statement is about. p_ij is the "
            "probability that i wins on such a case against j, by these judges, a tie counting half."
        )
        yield "Each case has one vote for each pair. All pairs take the cases in one random order that was drawn beforehand."
        yield "A case that a judge skips is left out. One without an answer, because the judge failed or is silent, counts against both options until it is judged."
    if len(terms.judges) > 1:
        yield "Which judge votes on a case is drawn at random, or makes no difference."


def _list_cluster_assumptions(terms: Terms, clusters: Clusters) -> Iterator[str]:
    """Yield what is assumed of judges and their test cases, where these come in clusters."""
    which = f"these {terms.cases:,} cases in {format_count(clusters.number, 'cluster')}"
    if terms.voters == THESE:
        yield (
            f"The statement is about {which} and the answers that judges give on them: i beats j if it is ahead of j in the mean over "
            "clusters of wins less losses, each cluster counting the same. If a judge answers by chance, it is about the answers that it gave, "
            "or would have given."
        )
        yield "For each pair, the clusters come in a random order that no answer decides, each of them whole."
        skipped = "counts as a tie"
    else:
        counts = "case" if clusters.weight == CASES else "cluster"
        yield (
            f"The sample is of clusters: {which}. The clusters are random draws, independent of each other, from all those that the statement "
            "is about; cases of one cluster may depend on each other in any way. p_ij is the mean score of i against j, by these "
            f"judges, each {counts} counting the same and a tie counting half."
        )
        yield "All pairs take the clusters in one random order that was drawn beforehand, each of them whole."
        skipped = "is left out"
    yield (
        f"Each case has one vote for each pair. A case that a judge skips {skipped}. One without an answer, in a cluster that was begun, "
        "counts against both options until it is judged."
    )


def state_goal(c: BaseCertificate, sure: str, one: str, several: str) -> str:
    """Return how far the goal is reached: that something ``one`` (is proved) or ``several`` (are proved), or is not ``sure`` yet."""
    goal = Goal.parse(c.goal)
    if goal.kind == TOP:
        return _state_top(c, goal, sure, several)
    if goal.kind == ABOVE:
        return _state_baseline(c, goal, one, several)
    return _state_tiers(c, sure, several)


def _state_top(c: BaseCertificate, goal: Goal, sure: str, several: str) -> str:
    names, others = quote_names(c.labels), len(c.among) - 1
    if not c.top:
        left = list_contenders(c, goal.number)
        who = "every option" if len(left) == len(c.among) else join_names([names[i] for i in left])
        return f"no {goal.number} options are {sure} the top {goal.number}{_scope(c)} yet; {who} could still be among them"
    top = join_names([names[i] for i in c.top])
    claim = f"{top} {several} the top {goal.number}{_scope(c)}"
    if len(c.top) > others:
        return f"{claim}: no other option is left"
    if c.margin:
        return (
            f"{claim} up to a margin of {c.margin:g}: each beats, or ties within the margin, at least as many as "
            "any other option beats by more than the margin"
        )
    least = min(c.scores[i][0] for i in c.top)
    return f"{claim}: each beats at least {least} of the {others} others, and no other option beats more than any of these"


def _state_baseline(c: BaseCertificate, goal: Goal, one: str, several: str) -> str:
    base, names = quote_name(goal.name), quote_names(c.labels)
    if goal.baseline(c.labels) not in c.among:
        return f"nothing is said, because {base} is not active"

    def tell() -> Iterator[str]:
        yield from _tell(c.above, f"better than {base}")
        yield from _tell(c.below, f"worse than {base}")
        yield from _tell(c.even, f"even with {base}{' within the margin' if c.margin else ''}")
        alone = [i for i in c.not_worse if i not in (*c.above, *c.even)]
        yield from _tell(alone, f"not worse than {base} by {c.margin:g}")

    def _tell(options: Sequence[int], what: str) -> Iterator[str]:
        if options:
            who = join_names([names[i] for i in options])
            yield f"{who} {one if len(options) == 1 else several} {what}"

    left = list(list_open(c, goal))
    told = list(tell())
    if left:
        told.append(
            f"{format_count(len(left), 'option')} {'is' if len(left) == 1 else 'are'} not decided yet: "
            f"{join_names([names[i] for i in left])}"
        )
    return "; ".join(told)


def _state_tiers(c: BaseCertificate, sure: str, several: str) -> str:
    tiers, names = cut_by_certificate(c), quote_names(c.labels)
    number = max(tiers.values())
    if number == 1 and c.decided:
        return f"all options{_scope(c)} are one tier, and no pair is left that could split it"
    if number == 1:
        return f"no tiers are {sure} apart{_scope(c)} yet"
    shown = [
        join_names([names[i] for i in sorted(tiers) if tiers[i] == tier])
        for tier in range(1, number + 1)
    ]
    more = "" if number <= _LISTED else "; ..."
    return f"{number} tiers {several} apart{_scope(c)}: {'; '.join(shown[:_LISTED])}{more}"


def _scope(c: BaseCertificate) -> str:
    return "" if c.active is None else f" among the {len(c.active)} active options"


def place_option(c: BaseCertificate, option: int) -> tuple[str, str]:
    """Return where an option stands by the goal, in a word and in a few."""
    goal = Goal.parse(c.goal)
    base = quote_name(goal.name)
    if goal.kind == TOP:
        if option in c.top:
            return IN, f"top {goal.number}"
        out = bool(c.top) or option not in list_contenders(c, goal.number)
        return (OUT, f"not in the top {goal.number}") if out else (OPEN, "not ruled out")
    if goal.kind == ABOVE:
        told = {IN: (c.above, f"better than {base}"), OUT: (c.below, f"worse than {base}")}
        for where, (options, words) in told.items():
            if option in options:
                return where, words
        if option == goal.baseline(c.labels):
            return OPEN, "the baseline"
        return OPEN, f"even with {base}" if option in c.even else "not decided"
    tiers = cut_by_certificate(c)
    number = tiers.get(option, 1)
    where = IN if number == 1 and max(tiers.values()) > 1 else OPEN if number == 1 else OUT
    return where, f"tier {number}"


def count_goal(c: BaseCertificate) -> dict[str, str]:
    """Return how far the goal is reached, in a few numbers."""
    goal = Goal.parse(c.goal)
    if goal.kind == TOP:
        left = goal.number if c.top else len(list_contenders(c, goal.number))
        return {"may be in the top": f"{left:,}", f"proved top {goal.number}": f"{len(c.top):,}"}
    if goal.kind == ABOVE:
        left = len(list(list_open(c, goal)))
        return {
            "better": f"{len(c.above):,}",
            "worse": f"{len(c.below):,}",
            "not decided": f"{left:,}",
        }
    return {"tiers": f"{max(cut_by_certificate(c).values()):,}"}


def share_of_goal(c: BaseCertificate) -> float:
    """Return how far the goal is reached, from 0 to 1: the options, or the pairs of tiers, that are decided."""
    goal, k = Goal.parse(c.goal), len(c.among)
    if c.decided:
        return 1.0
    if goal.kind == TOP:
        return (k - len(list_contenders(c, goal.number))) / (k - goal.number)
    if goal.kind == ABOVE:
        return 1 - len(list(list_open(c, goal))) / max(k - 1, 1)
    return (len(c.beats) + len(c.ties)) / (k * (k - 1) / 2)
