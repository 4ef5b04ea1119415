"""The verdict on a study in words: what is proved, what shows, what is likely, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from operator import itemgetter
from typing import NamedTuple

from copeland.certificate.certificate import Certificate, advice_of
from copeland.certificate.goal_claims import Outcome
from copeland.forecast.plausible_worlds import favourite_of
from copeland.study.kinds import kind_of
from copeland.study.kinds.kind import Kind
from copeland.study.options import ACTIVE
from copeland.study.results.measures import LEAST, Measures
from copeland.study.results.notes import describe_edits
from copeland.study.results.standing import PROVED, Standing
from copeland.support.escaping import inert
from copeland.support.notebook_html import html_table
from copeland.support.phrasing import (
    LISTED,
    NAME,
    capital,
    format_count,
    join_names,
    letters,
    percent,
    percent_chance,
    quote_name,
    quote_names,
    shorten_names,
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


CHANCES = "Chance to be best"
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

    kind: Outcome
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
        return dict(filter(itemgetter(1), by_part.items()))

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


class Reading(Measures):
    """What the votes of a study come to, in numbers and in the words of its kind."""

    kind: Kind

    def __init__(self, standing: Standing) -> None:
        super().__init__(standing, kind_of(standing.settings))


def verdict_of(votes: Standing | Reading) -> Verdict:
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
    votes = votes if isinstance(votes, Reading) else Reading(votes)
    certificate = votes.certificate
    return Verdict(
        kind=certificate.claims.outcome,
        claim=claim_of(votes),
        proved=tuple(_list_proofs(votes)),
        shown=tuple(_describe_votes(votes)),
        advice=tuple(votes.kind.advise(votes)),
        assumptions=certificate.assumptions,
        chances=votes.each_chance,
        estimates=_estimates(votes),
    )


def claim_of(votes: Reading) -> str:
    """Return the verdict in a sentence or two, which takes no forecast."""
    begin = votes.kind.begin_claim(votes.certificate) if votes.standing.votes else ""
    if not votes.aims_at_best:
        return f"{begin}{_claim_goal(votes, within=bool(begin))}"
    is_open = votes.certificate.verdict == "open"
    return f"{begin}{_name_leaders(votes) if is_open else _name_winners(votes)}"


def _claim_goal(votes: Reading, within: bool) -> str:
    """How far a goal beyond one winner is reached; ``within`` a sentence that has begun."""
    certificate, standing = votes.certificate, votes.standing
    claim = f"{certificate.claims.statement}."
    names = tuple(f"{name}{end}" for name in quote_names(certificate.labels) for end in " ,")
    if not claim.startswith(names) and not within:
        claim = capital(claim)  # a name of an option stays as it is
    if certificate.decided:
        return claim
    if standing.closed:
        return f"{claim} The study was closed before more was known."
    return f"{claim} {votes.kind.say_end(standing) or votes.kind.say_next(standing)}."


def _name_winners(votes: Reading) -> str:
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


def _name_leaders(votes: Reading) -> str:
    """Who leads, in a few words."""
    standing, kind = votes.standing, votes.kind
    if standing.votes == 0:
        return f"There are no {kind.answers} yet; any option could be best."
    for_active = kind.claim_for_active(votes)
    if for_active:
        return for_active
    end = kind.say_end(standing)
    if votes.likely is not None and votes.chances is not None and not standing.closed:
        claim = likely_words(votes.names[votes.likely], votes.chances.each[votes.likely])
        if end:
            return f"{claim} {end}, and no option is {kind.best}."
        return f"{claim} {kind.say_next(standing)} for a proof: no option is {kind.best} yet."
    first = votes.join_names(votes.leaders)
    lead = f"{first} leads" if len(votes.leaders) == 1 else f"{first} are tied for first"
    cycle = f"{lead_sense(votes)}{', in a cycle' if votes.in_circle else ''}"
    likelier = _likelier(votes)
    if standing.closed:
        return f"{lead}{cycle}; the study was closed before any option was {kind.best}.{likelier}"
    if end:
        return f"{lead}{cycle}.{likelier} {end}, and no option is {kind.best}."
    more = kind.say_next(standing)
    return f"{lead} so far{cycle}.{likelier} {more}: no option is {kind.best} yet."


def lead_sense(votes: Reading) -> str:
    """Return in which sense the leaders lead, if others beat more options than they do; nothing if none does."""
    return votes.kind.lead_sense if votes.leads_by_points else ""


def _likelier(votes: Reading) -> str:
    """Who is likelier to be best than all who lead, if anybody is."""
    if votes.chances is None:
        return ""
    likeliest = min((*votes.leaders, *votes.among), key=votes.order_by_chance)
    if likeliest in votes.leaders:
        return ""
    first, chances = votes.leaders[0], votes.chances.each
    return (
        f" Counting how sure each win is, {votes.names[likeliest]} is likelier to be best: "
        f"{percent_chance(chances[likeliest])}, against {percent_chance(chances[first])} for {votes.names[first]}."
    )


def _list_proofs(votes: Reading) -> Iterator[str]:
    certificate, standing = votes.certificate, votes.standing
    yield from votes.kind.list_statements(votes)
    if not votes.aims_at_best:
        return
    out = sorted({*votes.among} - {*certificate.possible})
    if certificate.margin and out:
        yield (
            f"Ruled out: {votes.join_names(out)}. Some option beats more others by more than the margin than "
            f"{'it' if len(out) == 1 else 'each of them'} beats or ties."
        )
    elif out:
        yield f"Ruled out: {votes.join_names(out)}."
    best = set(certificate.best)
    close = list(filter(best.issuperset, certificate.ties)) if best else certificate.ties
    if close and votes.kind.names_ties:
        pairs = join_names([f"{votes.names[i]} and {votes.names[j]}" for i, j in close])
        yield f"Within the margin of {certificate.margin:g}, these are proved tied: {pairs}."
    states = []
    for i in certificate.best:
        if standing.options[i].state != ACTIVE:
            states.append(f"{votes.names[i]} is {standing.options[i].state}")
    if states:
        yield f"{join_names(states)}; {votes.kind.about_gone}."


def _describe_votes(votes: Reading) -> Iterator[str]:
    yield from votes.kind.describe_answers(votes.standing)
    if votes.standing.votes == 0:
        return
    if votes.standing.edits:
        yield from describe_edits(votes.standing.edits, votes.standing.labels)
    is_open = votes.certificate.claims.outcome == "open"
    if is_open:
        yield from votes.kind.describe_lead(votes)
    if votes.circle:
        yield _circle(votes)
    if is_open and votes.aims_at_best:
        yield from _behind(votes)
    if votes.chances is not None and votes.aims_at_best:
        yield from _other_counts(votes)


def _circle(votes: Reading) -> str:
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


def _behind(votes: Reading) -> Iterator[str]:
    """Who is not among the leaders, though not ruled out."""
    out, behind = [], []
    for i in votes.certificate.possible:
        if i not in votes.leaders:
            is_out = votes.chances is not None and votes.chances.among[i] < UNLIKELY
            (out if is_out else behind).append(i)
    if out:
        look = "looks" if len(out) == 1 else "look"
        yield f"{votes.join_names(out)} {look} out of the running, but that is not proved."
    if behind:
        yield f"Behind, but still possible: {votes.join_names(behind)}."


def _estimates(votes: Reading) -> Estimates | None:
    """How likely each option is to be best, while none is proved to be."""
    chances = votes.chances
    is_told = votes.aims_at_best and not votes.certificate.best
    if chances is None or votes.standing.votes == 0 or not is_told:
        return None
    order = sorted(votes.among, key=votes.order_by_chance)
    names, rows = shorten_names(votes.standing.labels, NAME), []
    for i in order[:LISTED]:
        if chances.each[i] >= LEAST or len(order) <= LISTED:
            rows.append((names[i], percent_chance(chances.each[i])))
    if len(rows) < len(order):
        most = chances.each[order[len(rows)]]
        least = percent_chance(most) + ("" if most < LEAST else " at most")
        rows.append((format_count(len(order) - len(rows), "other"), least))
    exactly = (
        f" That exactly {votes.join_names(votes.leaders)} are best: {percent_chance(chances.together)}."
        if len(votes.leaders) > 1
        else ""
    )
    note = f"{votes.kind.explain_chances(chances.worlds)}{exactly}"
    return Estimates(tuple(rows), note)


def _other_counts(votes: Reading) -> Iterator[str]:
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


def _score(votes: Reading, i: int, j: int) -> str:
    """The votes of one option against another."""
    wins, tied = votes.standing.wins, votes.standing.ties[i, j]
    return f"{wins[i, j]:,}:{wins[j, i]:,}" + (f", {tied:,} tied" if tied else "")
