"""The verdict on a study in words: what is proved, what shows, what is likely, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, NamedTuple

from copeland.certificate.base_certificate import BaseCertificate
from copeland.certificate.certificate import Certificate
from copeland.certificate.sentences import advice_of, on_cases, state_goal
from copeland.errors import InvalidParameter
from copeland.forecast.outlook import Need
from copeland.forecast.plausible_worlds import MOST_OPTIONS, favourite_of
from copeland.forecast.start import Until
from copeland.study.options import ACTIVE
from copeland.study.results.measures import LEAST, Measures
from copeland.study.results.notes import describe_edits
from copeland.study.results.standing import PROVED, PanelStanding, Standing
from copeland.study.results.voter_reach import (
    are_too_few,
    case_advice,
    half_words,
    is_exhausted,
    is_judged,
    reach_sentence,
    votes_left,
)
from copeland.support.escaping import inert
from copeland.support.goal import ABOVE, BEST, Goal
from copeland.support.names import name_voters
from copeland.support.notebook_html import html_table
from copeland.support.phrasing import (
    LISTED,
    NAME,
    about,
    capital,
    format_count,
    join_names,
    letters,
    percent,
    percent_chance,
    quote_name,
    quote_names,
    shorten_names,
    some,
)

ESTIMATE = "an estimate, not a proof"


def likely_words(name: str, chance: float) -> str:
    """Return that an option is likely best.

    Examples
    --------
    >>> likely_words("tea", 0.97)
    'tea is likely best (97 %): an estimate, not a proof.'
    """
    return f"{name} is likely best ({percent_chance(chance)}): {ESTIMATE}."


def likely_sentence(standing: Standing, least: float) -> str:
    """Return who has at least this chance to be best, in a sentence; empty if nobody has."""
    settings = standing.settings
    if standing.votes == 0:
        return ""
    favourite = favourite_of(standing.wins, standing.ties, settings.margin, least, settings.seed)
    if favourite is None:
        return ""
    name = quote_name(shorten_names(standing.labels, NAME)[favourite.option])
    return likely_words(name, favourite.chance)


def refuse_for_panel(goal: Until, people: int | None = None) -> None:
    """Refuse what means nothing to a panel, whose answers settle who is best for certain."""
    if goal.likely is not None:
        raise InvalidParameter(
            "a panel is asked until its answers settle the matter, so likely means nothing there; leave it out."
        )
    if people is not None:
        raise InvalidParameter(
            "people means nothing for a panel, whose members are named; leave it out."
        )


def require_chances(until: Until, options: int, goal: str) -> None:
    """Refuse to go on until one of very many options is likely best, or where that is not the goal."""
    if until.likely is not None and goal != BEST:
        raise InvalidParameter(
            f"likely is about who is best, and the goal of this study is '{goal}'; leave it out."
        )
    if until.likely is not None and options > MOST_OPTIONS:
        raise InvalidParameter(
            f"chances to be best are estimated for up to {MOST_OPTIONS} options, and there are {options:,}; "
            "go on until an option is proved best."
        )


PAIRS = 5  # to ask, named in a sentence
GIVEN, TO_ASK = "Answers given: ", "Still to be asked: "  # begin sentences about members of a panel
CHANCES = "Chance to be best"
SMALLER = (
    "Each chance is the smaller of what two beliefs say, so they may add up to less than 100 %."
)
UNLIKELY = 0.05  # a chance to be best with which an option looks out of the running


class Estimates(NamedTuple):
    """How likely each option is to be best, in a few rows, and how that is known."""

    rows: tuple[tuple[str, str], ...]  # an option, or how many others, and the chance in words
    note: str

    @property
    def lines(self) -> list[str]:
        """The rows as an aligned list."""
        name, chance = (max(map(letters, column)) for column in zip(*self.rows, strict=True))
        return [
            f"- {one}{' ' * (name - letters(one))}  {share:>{chance}}" for one, share in self.rows
        ]

    @property
    def html(self) -> str:
        """The rows as a table for notebooks."""
        return html_table(f"{CHANCES}. {self.note}", ["", "chance"], self.rows, len(self.rows))


@dataclass(frozen=True)
class Verdict:
    """What to tell people who are waiting for an answer; made by :func:`verdict_of`.

    Examples
    --------
    >>> from copeland import create_study
    >>> study = create_study("tea", ["green", "black"])
    >>> verdict = study.verdict()
    >>> verdict.kind
    'open'
    """

    kind: Literal["winner", "tied", "reached", "open"]  # reached: a goal beyond one winner is
    claim: str
    proved: tuple[str, ...]  # wrong with probability delta at most
    shown: tuple[str, ...]  # by the votes as they are, and estimates
    advice: tuple[str, ...]  # what would settle it
    assumptions: tuple[str, ...]  # what the proof rests on
    chances: (
        tuple[float, ...] | None
    )  # of each option to be best, estimated; None if there are too many, or a panel is sure
    estimates: Estimates | None = None  # the same as a table; None once an option is proved best

    @property
    def sentences(self) -> tuple[str, ...]:
        """All but the assumptions, the claim first."""
        return (self.claim, *self.proved, *self.shown, *self.advice)

    @property
    def parts(self) -> dict[str, tuple[str, ...]]:
        """The sentences below the claim, by what they rest on; parts that say nothing are left out."""
        by_part = {"Proved": self.proved, "Seen in the votes": self.shown, "Next": self.advice}
        return {part: sentences for part, sentences in by_part.items() if sentences}

    def to_dict(self) -> dict[str, str | tuple[str, ...]]:
        """Return its sentences by field, for JSON."""
        fields = ("kind", "claim", "proved", "shown", "advice", "assumptions")
        return {name: getattr(self, name) for name in fields}

    def __str__(self) -> str:
        lines = [self.claim]
        for part, sentences in self.parts.items():
            lines += ["", part, *(f"- {sentence}" for sentence in sentences)]
        if self.estimates is not None:
            lines += ["", CHANCES, *self.estimates.lines, self.estimates.note]
        return inert("\n".join(lines))

    def _repr_html_(self) -> str:
        parts = "".join(
            f"<dt>{escape(part)}</dt>"
            + "".join(f"<dd>{escape(inert(one))}</dd>" for one in sentences)
            for part, sentences in self.parts.items()
        )
        chances = "" if self.estimates is None else self.estimates.html
        return f"<p><strong>{escape(inert(self.claim))}</strong></p><dl>{parts}</dl>{chances}"


def verdict_of(votes: Standing | Measures) -> Verdict:
    """Return the verdict on a study, as of its last vote.

    Parameters
    ----------
    votes
        Where the study stands, or what its votes come to if that is known already.

    Examples
    --------
    >>> from copeland.study import create_study
    >>> study = create_study("tea", ["green", "black"])
    >>> _ = study.add_votes([{"left": "green", "right": "black", "outcome": "left"}] * 10)
    >>> verdict_of(study.standing()).claim
    'green is proved the only winner.'
    """
    votes = votes if isinstance(votes, Measures) else Measures(votes)
    certificate = votes.certificate
    return Verdict(
        kind=kind_of_verdict(certificate),
        claim=claim_of(votes),
        proved=tuple(_list_proofs(votes)),
        shown=tuple(_describe_votes(votes)),
        advice=tuple(_advice(votes)),
        assumptions=certificate.assumptions,
        chances=votes.each_chance,
        estimates=_estimates(votes),
    )


def kind_of_verdict(certificate: BaseCertificate) -> Literal["winner", "tied", "reached", "open"]:
    """Return how far the goal is reached, in a word."""
    if certificate.goal == BEST:
        return certificate.verdict
    return "reached" if certificate.decided else "open"


def claim_of(votes: Measures) -> str:
    """Return the verdict in a sentence or two, which takes no forecast."""
    if votes.certificate.goal != BEST:
        claim = _claim_goal(votes)
    else:
        claim = (
            _name_leaders(votes) if votes.certificate.verdict == "open" else _name_winners(votes)
        )
    if not votes.standing.settings.cases or not votes.standing.votes:
        return claim
    assert isinstance(votes.certificate, Certificate)
    return f"{on_cases(votes.certificate.terms)}{claim}"


def _claim_goal(votes: Measures) -> str:
    """How far a goal beyond one winner is reached."""
    certificate, standing = votes.certificate, votes.standing
    words = ("sure to be", "is", "are") if standing.panel else ("proved", "is proved", "are proved")
    claim = f"{state_goal(certificate, *words)}."
    names = tuple(f"{name}{end}" for name in quote_names(certificate.labels) for end in " ,")
    if not claim.startswith(names) and not standing.settings.cases:
        claim = capital(claim)  # a name of an option stays as it is
    if certificate.decided:
        return claim
    if standing.closed:
        return f"{claim} The study was closed before more was known."
    if is_judged(standing):
        return f"{claim} All cases are judged."
    if standing.panel is not None and not standing.panel.members_to_ask:
        return f"{claim} Nothing can be asked."
    return f"{claim} {'More people are needed' if is_exhausted(standing) else 'Keep going'}."


def _name_winners(votes: Measures) -> str:
    """What is proved, in a few words."""
    certificate = votes.certificate
    name = votes.join_names(certificate.best)
    up_to = f" up to a margin of {certificate.margin:g}" if certificate.margin else ""
    if up_to and isinstance(certificate, Certificate):
        are = "is" if certificate.verdict == "winner" else "are each"
        return f"{name} {are} proved best{up_to}. {advice_of(certificate.choice, certificate.best, votes.names)}"
    of = "" if certificate.active is None else f" of the {len(certificate.active)} active options"
    if certificate.verdict == "winner":
        if certificate.is_all:
            return f"{name} is proved the only winner{of}."
        return f"{name} is proved best{of}; a tie for best is not ruled out."
    return f"{name} are proved tied for first{of}{', in a cycle' if votes.in_circle else ''}."


def _name_leaders(votes: Measures) -> str:
    """Who leads, in a few words."""
    standing, panel = votes.standing, votes.standing.panel
    best = "proved best" if panel is None else "sure to be best"
    if standing.votes == 0:
        given = "votes" if panel is None else "answers"
        return f"There are no {given} yet; any option could be best."
    if panel is not None and panel.active.best:
        are = "is" if len(panel.active.best) == 1 else "are"
        return (
            f"{votes.join_names(panel.active.best)} {are} best of the active options. With those "
            "that are paused, none is sure to be best."
        )
    more = "More people are needed" if is_exhausted(standing) else "Keep going"
    if votes.likely is not None and votes.chances is not None and not standing.closed:
        claim = likely_words(votes.names[votes.likely], votes.chances.each[votes.likely])
        if is_judged(standing):
            return f"{claim} All cases are judged, and no option is proved best."
        return f"{claim} {more} for a proof: no option is proved best yet."
    first = votes.join_names(votes.leaders)
    lead = f"{first} leads" if len(votes.leaders) == 1 else f"{first} are tied for first"
    cycle = f"{lead_sense(votes)}{', in a cycle' if votes.in_circle else ''}"
    if standing.closed:
        likelier = _likelier(votes) if panel is None else ""
        return f"{lead}{cycle}; the study was closed before any option was {best}.{likelier}"
    if panel is not None and not panel.members_to_ask:
        return f"{lead} so far{cycle}. No option is sure to be best, and nothing can be asked."
    if is_judged(standing):
        return (
            f"{lead}{cycle}.{_likelier(votes)} All cases are judged, and no option is proved best."
        )
    return f"{lead} so far{cycle}.{_likelier(votes)} {more}: no option is {best} yet."


def lead_sense(votes: Measures) -> str:
    """Return in which sense the leaders lead, if others beat more options than they do; nothing if none does."""
    if not votes.leaders or votes.certificate.best or votes.have_most_wins:
        return ""
    is_panel = votes.standing.panel is not None
    return ", with half a win for each open pair" if is_panel else ", by wins minus losses"


def _likelier(votes: Measures) -> str:
    """Who is likelier to be best than all who lead, if anybody is."""
    likeliest, first = votes.likeliest, votes.leaders[0]
    if votes.chances is None or likeliest is None or likeliest in votes.leaders:
        return ""
    chances = [percent_chance(votes.chances.each[i]) for i in (likeliest, first)]
    return (
        f" Counting how sure each win is, {votes.names[likeliest]} is likelier to be best: "
        f"{chances[0]}, against {chances[1]} for {votes.names[first]}."
    )


def _list_proofs(votes: Measures) -> Iterator[str]:
    certificate, standing, panel = votes.certificate, votes.standing, votes.standing.panel
    if panel is None:
        yield certificate.statement
        yield from _list_open_claims(votes)
    else:
        is_same = panel.active.active == certificate.active
        both = [certificate.statement, *([] if is_same else [panel.active.statement])]
        yield from both if certificate.decided else reversed(both)  # what is decided comes first
    if certificate.goal != BEST:
        return
    out = [i for i in votes.among if i not in certificate.possible]
    if certificate.margin and out:
        yield (
            f"Ruled out: {votes.join_names(out)}. Some option beats more others by more than the margin than "
            f"{'it' if len(out) == 1 else 'each of them'} beats or ties."
        )
    elif out:
        yield f"Ruled out: {votes.join_names(out)}."
    best = set(certificate.best)
    close = [pair for pair in certificate.ties if not best or best.issuperset(pair)]
    if close and panel is None:
        pairs = join_names([f"{votes.names[i]} and {votes.names[j]}" for i, j in close])
        yield f"Within the margin of {certificate.margin:g}, these are proved tied: {pairs}."
    gone = [i for i in certificate.best if standing.options[i].state != ACTIVE]
    if gone:
        states = join_names([f"{votes.names[i]} is {standing.options[i].state}" for i in gone])
        covers = (
            "the verdict is about all options, that one included"
            if panel is None
            else "the first statement is about that option too"
        )
        yield f"{states}; {covers}."


def _list_open_claims(votes: Measures) -> Iterator[str]:
    """The answers that do not count yet, and the options that may be best too."""
    certificate, waiting = votes.certificate, votes.standing.waiting
    if waiting:
        are = "answer waits" if waiting == 1 else "answers wait"
        yield (
            f"{waiting:,} more {are} behind ballots that were handed out earlier and have no answer yet: answers count in "
            "the order in which their ballots were handed out."
        )
    others = [i for i in certificate.possible if i not in certificate.best]
    if others and certificate.best and certificate.goal == BEST:
        are = "are" if len(others) > 1 else "is"
        them = "it" if certificate.verdict == "winner" else "them"
        what = "best up to the margin too" if certificate.margin else f"tied with {them}"
        yield f"Whether {votes.join_names(others)} {are} {what} is not proved."


def _describe_votes(votes: Measures) -> Iterator[str]:
    panel = votes.standing.panel
    if panel is not None:
        yield from _count_answers(panel)
    if votes.standing.votes == 0:
        return
    if votes.standing.edits:
        yield from describe_edits(votes.standing.edits, votes.standing.labels)
    is_open = kind_of_verdict(votes.certificate) == "open"
    if is_open:
        yield from _leading(votes) if panel is None else _leading_in_panel(votes)
    if votes.circle:
        yield _circle(votes)
    if is_open and votes.certificate.goal == BEST:
        yield from _behind(votes)
    if votes.chances is not None and votes.certificate.goal == BEST:
        yield from _other_counts(votes)


def _count_answers(panel: PanelStanding) -> Iterator[str]:
    """How many answers each member has given, and who is excused."""
    names = _shorten_members(panel)
    given = [f"{n:,} by {names[name]}" for name, n in zip(panel.members, panel.given, strict=True)]
    yield f"{GIVEN}{join_names(given)}."
    if panel.excused:
        excused = join_names([names[name] for name in panel.excused])
        yield f"Excused: {excused}. The study does not wait for their missing answers."


def _shorten_members(panel: PanelStanding) -> dict[str, str]:
    """The members as they stand in sentences."""
    readable = name_voters(panel.members, "member")
    shown = shorten_names(list(readable.values()), NAME)
    return dict(zip(panel.members, shown, strict=True))


def _leading(votes: Measures) -> Iterator[str]:
    if lead_sense(votes):
        yield from _leading_by_points(votes)
    if not votes.have_most_wins:
        return
    first, others = votes.leaders[0], votes.rivals
    even = int((votes.matrix.p[first, list(votes.among)] == 0.5).sum()) - 1
    besides = f" ({format_count(even, 'pair')} even or without votes)" if even else ""
    beat = "beats" if len(votes.leaders) == 1 else "each beat"
    many = int(votes.scores[first])
    option = "option" if votes.certificate.active is None else "active option"
    whom = f"{many} of the {format_count(others, 'other')}" if many < others else "every other"
    yield (
        f"So far, {votes.join_names(votes.leaders)} {beat} {whom}{besides}, and no {option} beats more."
    )


def _leading_by_points(votes: Measures) -> Iterator[str]:
    """Who leads though others beat more: a win less, or a loss less, moves the points of an option alike."""
    lead = "leads" if len(votes.leaders) == 1 else "lead"
    records = _tell_records(votes, votes.leaders)
    if len(votes.leaders) > 1 and len({int(votes.scores[i]) for i in votes.leaders}) == 1:
        records = f"each {_tell_record(votes, votes.leaders[0])}"
    yield f"By wins minus losses, {votes.join_names(votes.leaders)} {lead} so far: {records}."
    more = _beat_more(votes)
    if more:
        yield f"More wins, but also more losses: {_tell_records(votes, more)}."


def _tell_records(votes: Measures, options: Sequence[int]) -> str:
    """The wins and losses of options, one by one."""
    return some([f"{votes.names[i]} {_tell_record(votes, i)}" for i in options], PAIRS, "; ")


def _tell_record(votes: Measures, option: int) -> str:
    """How many others one option beats, and how many beat it."""
    won, lost = int(votes.scores[option]), int(votes.losses[option])
    return f"beats {won or 'none'} and loses to {lost or 'none'}"


def _beat_more(votes: Measures) -> list[int]:
    """Who beats more options than any leader does."""
    most = max(votes.scores[i] for i in votes.leaders)
    return [i for i in votes.order if i in votes.among and votes.scores[i] > most]


def _leading_in_panel(votes: Measures) -> Iterator[str]:
    others, among = votes.rivals, list(votes.among)
    for i in votes.leaders if len(votes.leaders) <= PAIRS else ():
        even = others - int(((votes.sure[i, among] > 0) | (votes.sure[among, i] > 0)).sum())
        besides = f" ({format_count(even, 'pair')} even or without answers)" if even else ""
        yield (
            f"By the answers so far, {votes.names[i]} beats {votes.scores[i]} of the "
            f"{format_count(others, 'other')}{besides}."
        )
    more = _beat_more(votes) if lead_sense(votes) else []
    if more:
        beat = "beats" if len(more) == 1 else "beat"
        yield f"{votes.join_names(more)} {beat} more, but each open pair counts as half a win."


def _circle(votes: Measures) -> str:
    """The cycle, with the votes of each link and whether it is proved."""
    links = votes.links(votes.circle)
    links_in_words = join_names(
        [f"{votes.names[i]} beats {votes.names[j]} ({_score(votes, i, j)})" for i, j in links]
    )
    proved = [link for link in links if votes.sure[link] == PROVED]
    sure = "None of these wins is proved yet"
    if len(proved) == len(links):
        sure = f"Each of these wins is proved ({votes.certificate.proviso})"
    elif proved:
        wins = join_names([f"{votes.names[i]} over {votes.names[j]}" for i, j in proved])
        sure = f"{wins} {'is' if len(proved) == 1 else 'are'} proved, the rest not"
    return f"There is a cycle: {links_in_words}. {sure}."


def _behind(votes: Measures) -> Iterator[str]:
    """Who is not among the leaders, though not ruled out."""
    rest = [i for i in votes.certificate.possible if i not in votes.leaders]
    chances = votes.chances.among if votes.chances else [1.0] * len(votes.names)
    out = [i for i in rest if chances[i] < UNLIKELY]
    behind = [i for i in rest if i not in out]
    if out:
        look = "looks" if len(out) == 1 else "look"
        yield f"{votes.join_names(out)} {look} out of the running, but that is not proved."
    if behind:
        yield f"Behind, but still possible: {votes.join_names(behind)}."


def _estimates(votes: Measures) -> Estimates | None:
    """How likely each option is to be best, while none is proved to be."""
    chances = votes.chances
    certificate = votes.certificate
    if chances is None or votes.standing.votes == 0 or certificate.goal != BEST or certificate.best:
        return None
    order = sorted(votes.among, key=lambda i: (-round(chances.each[i], 2), i))
    worth = [i for i in order if chances.each[i] >= LEAST or len(order) <= LISTED][:LISTED]
    names = shorten_names(votes.standing.labels, NAME)
    rows = [(names[i], percent_chance(chances.each[i])) for i in worth]
    if len(worth) < len(order):
        most = chances.each[order[len(worth)]]
        least = percent_chance(most) + ("" if most < LEAST else " at most")
        rows.append((format_count(len(order) - len(worth), "other"), least))
    worlds = f"{chances.worlds:,} worlds that the votes leave plausible"
    smaller = f" {SMALLER}"
    if votes.standing.panel is not None:
        worlds = f"{chances.worlds:,} ways in which the missing answers may plausibly turn out"
        smaller = ""
    exactly = (
        f" That exactly {votes.join_names(votes.leaders)} are best: {percent_chance(chances.together)}."
        if len(votes.leaders) > 1
        else ""
    )
    note = f"An estimate from {worlds}, not a proof; options that tie for first share it.{smaller}{exactly}"
    return Estimates(tuple(rows), note)


def _other_counts(votes: Measures) -> Iterator[str]:
    """Where Borda and von Neumann name others, by what is believed of all pairs."""
    leading = set(votes.leaders)
    if not leading & set(votes.borda_first):
        borda = int(votes.borda.argmax())
        yield (
            f"Borda, which counts by how much options win, would name {votes.names[borda]} instead: it wins an "
            f"estimated {percent(float(votes.borda[borda]))} of the votes against a random other."
        )
    if not leading.issuperset(votes.lottery_support):
        draws = [
            f"{votes.names[i]} ({percent(float(votes.lottery[i]))})" for i in votes.lottery_support
        ]
        yield (
            "Von Neumann's lottery, which no single option beats, would draw "
            f"{join_names(draws)}, by estimate."
        )


def _score(votes: Measures, i: int, j: int) -> str:
    """The votes of one option against another."""
    wins, tied = votes.standing.wins, votes.standing.ties[i, j]
    return f"{wins[i, j]:,}:{wins[j, i]:,}" + (f", {tied:,} tied" if tied else "")


def _advice(votes: Measures) -> Iterator[str]:
    standing, panel = votes.standing, votes.standing.panel
    if panel is not None:
        yield from _advise_panel(votes, panel)
        return
    if standing.closed or votes.certificate.decided:
        return
    outlook, on_test_cases = votes.outlook, bool(standing.settings.cases)
    pairs = _list_pairs(votes, outlook.pairs)
    if on_test_cases and standing.votes and are_too_few(standing, outlook):
        yield from case_advice(standing)
    elif outlook.champion is None:  # by all votes and the options left it is settled already
        yield "A few more answers may settle it."
    elif outlook.votes is None:
        proof = f"A proof that {votes.names[outlook.champion]} is best"
        yield (
            f"{proof if votes.certificate.goal == BEST else 'A proof'} needs votes on {pairs}, but an option there is "
            "paused. Resume or retire it, or certify the active options alone."
        )
    elif standing.votes == 0 and on_test_cases:
        most = int(votes_left(standing).sum()) // 2
        yield f"Judges give each pair one vote on each case: {format_count(most, 'vote')} at most."
    elif standing.votes == 0:
        yield "How many votes it takes depends on how far apart the options are: a plan simulates it."
    else:
        within = reach_sentence(votes.reach) if votes.reach is not None else ""
        if not within or not is_exhausted(standing):  # else votes alone are no advice
            aim = f", to prove {votes.names[outlook.champion]} best"
            forecast = _forecast(votes, outlook.votes)
            yield f"{forecast} Next{aim if votes.certificate.goal == BEST else ''}: {pairs}."
        if within:
            yield within
        if on_test_cases:
            yield from case_advice(standing)


def _advise_panel(votes: Measures, panel: PanelStanding) -> Iterator[str]:
    """What would settle it, and who is to be asked."""
    if votes.standing.closed or panel.active.decided:
        return
    if not panel.members_to_ask:
        yield _explain_pause(votes)
        return
    outlook = votes.outlook
    assert outlook.champion is not None
    scope = "" if panel.active.active is None else " of the active options"
    if votes.standing.votes and votes.remaining is not None:
        aim = f", to make sure that {votes.names[outlook.champion]} is best{scope}"
        yield (
            f"{capital(votes.remaining.words)} of the {panel.active.missing:,} missing answers settle it in four of five cases"
            f"{half_words(votes.remaining)}. "
            f"Next{aim if panel.active.goal == BEST else ''}: {_list_pairs(votes, outlook.pairs)}."
        )
    names = _shorten_members(panel)
    yield f"{TO_ASK}{join_names([names[one] for one in panel.members_to_ask])}."


def _explain_pause(votes: Measures) -> str:
    """What keeps a panel from being asked: options that are paused or retired."""
    goal, active = Goal.parse(votes.certificate.goal), votes.standing.active
    if goal.kind == ABOVE and goal.name not in active:
        return f"{quote_name(goal.name)} is paused, so nothing can be asked; resume it."
    need = max(goal.number + 1, 2)
    return f"Fewer than {need} options are active, so nothing can be asked; resume one, or add one."


def _list_pairs(votes: Measures, needs: Sequence[Need]) -> str:
    """The first pairs to ask, by name."""
    pairs = [f"{votes.names[need.first]} against {votes.names[need.second]}" for need in needs]
    return join_names(pairs, PAIRS)


def _forecast(votes: Measures, needed: int) -> str:
    """How many more votes it takes, in a sentence; on test cases, of which there are so many, an estimate."""
    if votes.remaining is None:
        return f"About {about(needed)} more vote{'' if needed == 1 else 's'} may settle it."
    return f"{capital(votes.remaining.words)} more votes settle it in four of five cases{half_words(votes.remaining)}."
