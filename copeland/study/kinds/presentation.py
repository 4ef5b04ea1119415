"""What is estimated of a study, said of it and shown of it: that of independent visitors, from which other kinds differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import filterfalse, starmap
from operator import attrgetter, eq
from typing import Any, NamedTuple

from copeland.certificate.base_certificate import BaseCertificate
from copeland.forecast.forecast import Forecast, Need
from copeland.study.results.measures import Estimator, Measures
from copeland.study.results.standing import Standing
from copeland.study.settings import Settings
from copeland.support.escaping import command_line
from copeland.support.phrasing import (
    about,
    capital,
    format_count,
    join_names,
    name_voters,
    percent,
    some,
)

PAIRS = 5  # to ask, named in a sentence
PROGRESS_NOTE = (
    "A proof needs wins of one option and losses of all others, each with enough evidence. The "
    "lower curve shows how much of that evidence there is for the option nearest to its proof. "
    "It may fall when votes turn. Undone votes are left out."
)


class ProgressWords(NamedTuple):
    """What the lower curve of the figure over time shows."""

    curve: str  # its name
    meaning: str  # the same for those who do not see it
    note: str


class Rest(NamedTuple):
    """Why judges rest, in a word and as a sentence."""

    reason: str
    sentence: str


class Presentation(Estimator):
    """What all kinds show alike, and what is so of independent visitors."""

    best = "proved best"
    answers = "votes"
    lead_sense = ", by wins minus losses"
    about_gone = "the verdict is about all options, that one included"
    no_cycle = "There is no cycle among these options beyond what may be chance."
    proof_tile = "proof done"
    share_note = (
        "“Proof done” is the share of the evidence that a proof needs, not of the votes: the last tenth may "
        "take as many votes as the first nine."
    )
    about_people: tuple[str, ...] = ()  # how sentences on single voters begin
    progress = ProgressWords(
        "evidence there, of what a proof needs",
        "how much of the evidence for a proof is there",
        PROGRESS_NOTE,
    )
    names_ties = True  # whether a verdict names the pairs that are proved tied
    asks_shares = False  # whether voters are asked a share each of what all of them are to answer
    unit = ""  # the field of a vote that says which of them hang together; none where every vote is a fresh draw

    # The verdict in sentences

    def begin_claim(self, certificate: BaseCertificate) -> str:
        """Return of what the claim is, as its beginning."""
        return ""

    def say_next(self, standing: Standing) -> str:
        """Return what is needed, in a few words."""
        return "Keep going"

    def claim_for_active(self, reading: Measures) -> str:
        """Return what is settled of the active options alone; empty if nothing is, or nothing is said of them alone."""
        return ""

    def list_statements(self, reading: Measures) -> Iterator[str]:
        """Yield what is proved, what waits to be counted, and what is open beside a proof."""
        certificate, waiting = reading.certificate, reading.standing.waiting
        yield certificate.statement
        if waiting:
            are = "answer waits" if waiting == 1 else "answers wait"
            yield (
                f"{waiting:,} more {are} behind ballots that were handed out earlier and have no answer yet: answers count in "
                "the order in which their ballots were handed out."
            )
        others = list(filterfalse(certificate.best.__contains__, certificate.possible))
        if others and certificate.best and reading.aims_at_best:
            are = "are" if len(others) > 1 else "is"
            them = "it" if certificate.verdict == "winner" else "them"
            what = "best up to the margin too" if certificate.margin else f"tied with {them}"
            yield f"Whether {reading.join_names(others)} {are} {what} is not proved."

    def describe_answers(self, standing: Standing) -> Iterator[str]:
        """Yield who has answered how much, where that is known beforehand."""
        yield from ()

    def describe_lead(self, reading: Measures) -> Iterator[str]:
        """Yield who leads, and by what."""
        if reading.leads_by_points:
            yield from _describe_points(reading)
        if not reading.have_most_wins:
            return
        first, others = reading.leaders[0], reading.rivals
        even = int((reading.matrix.p[first, list(reading.among)] == 0.5).sum()) - 1
        besides = f" ({format_count(even, 'pair')} even or without votes)" if even else ""
        beat = "beats" if len(reading.leaders) == 1 else "each beat"
        many = int(reading.scores[first])
        option = "option" if reading.certificate.active is None else "active option"
        whom = f"{many} of the {format_count(others, 'other')}" if many < others else "every other"
        yield (
            f"So far, {reading.join_names(reading.leaders)} {beat} {whom}{besides}, and no {option} beats more."
        )

    def explain_chances(self, worlds: int) -> str:
        """Return what the estimated chances come from."""
        return (
            f"An estimate from {worlds:,} worlds that the votes leave plausible, not a proof; options that tie for first share "
            "it. Each chance is the smaller of what two beliefs say, so they may add up to less than 100 %."
        )

    def advise(self, reading: Measures) -> Iterator[str]:
        """Yield what would settle it."""
        if reading.standing.closed or reading.certificate.decided:
            return
        outlook = reading.outlook
        pairs = list_pairs(reading, outlook.pairs)
        if outlook.champion is None:  # by all votes and the options left it is settled already
            yield "A few more answers may settle it."
        elif outlook.votes is None:
            proof = f"A proof that {reading.names[outlook.champion]} is best"
            yield (
                f"{proof if reading.aims_at_best else 'A proof'} needs votes on {pairs}, but an option there is "
                "paused. Resume or retire it, or certify the active options alone."
            )
        elif reading.standing.votes == 0:
            yield self.say_length(reading.standing)
        else:
            aim = f", to prove {reading.names[outlook.champion]} best"
            forecast = _say_forecast(reading, outlook.votes)
            yield from self.advise_on_votes(
                reading, f"{forecast} Next{aim if reading.aims_at_best else ''}: {pairs}."
            )

    def say_length(self, standing: Standing) -> str:
        """Return how many votes a study takes that has none yet."""
        return (
            "How many votes it takes depends on how far apart the options are: a plan simulates it."
        )

    def advise_on_votes(self, reading: Measures, forecast: str) -> Iterator[str]:
        """Yield how many votes away the proof is, as ``forecast`` says it, and who can give these."""
        yield forecast

    def plan_sentence(self, plan: Forecast, settings: Settings) -> str:
        """Return what people can settle; empty where votes are fresh draws."""
        return ""

    def who_votes(self, settings: Settings, k: int) -> str:
        """Return who votes and what that assumes, in a sentence."""
        return (
            "Each vote counts as a fresh draw. If one person answers many times, the votes prove less than the "
            "certificate says."
        )

    def say_clusters(self, certificate: BaseCertificate) -> str:
        """Return in which clusters test cases come, as a sentence with a space; empty if they do not."""
        return ""

    def expect(self, settings: Settings, options: int) -> tuple[str, ...]:
        """Return what a study to be can expect, where that does not depend on how many vote; nothing where it does."""
        return ()

    def nothing_left(self, standing: Standing, voter: str | None, answered: int) -> str:
        """Return that there is nothing to ask, of a voter who has ``answered`` so many pairs."""
        if standing.certificate.decided:
            return "Nothing is left to ask: the verdict is proved."
        return "Nothing is left to ask."

    def explain_rest(self, settings: Settings, certificate: BaseCertificate, who: str) -> Rest:
        """Return why judges are asked nothing more: ``who`` has answered all there was, or nothing is left to ask."""
        if certificate.decided or not who:
            return Rest("finished", "the study has nothing left to ask.")
        return Rest(
            "answered",
            f"{who} answered every question there is, and the same answer again would not be a "
            "new vote; test cases (--judge --cases FILE), more judges, people, or a temperature above 0 with repeats "
            "allowed would help.",
        )

    def onwards(self, name: str, settings: Settings, items: str) -> str:
        """Return how votes get into a new study: the command; ``items``: where the test cases are, if there are any."""
        vote = command_line("copeland", "study", "vote", name)
        allocate = command_line("copeland", "study", "allocate", name)
        return (
            f"Vote with: {vote}\n"
            f"Or, for clicks on live traffic: {allocate} --impressions 2000 --out allocation.json"
        )

    # Voters and pages

    def admits(self, settings: Settings, voter: str | None) -> bool:
        """Tell whether somebody of this name may vote."""
        return True

    def check_link(self, settings: Settings, name: str = "") -> None:
        """Refuse a link that leads nowhere: for everybody or, with a name, for somebody new."""

    def refuse_loose_ballot(self, name: str, settings: Settings) -> None:
        """Refuse to hand out a ballot without what it is about."""

    def name_voters(self, standing: Standing) -> dict[str, str]:
        """Return what to call each voter, by the name in the log."""
        return name_voters(list(map(attrgetter("name"), standing.voters)))

    def make_readable(self, standing: Standing) -> tuple[dict[str, str], Standing]:
        """Return what to call each voter, by the name in the log, and the standing with these names."""
        names = self.name_voters(standing)
        is_same = all(starmap(eq, names.items()))
        return names, standing if is_same else self.rename_voters(standing, names)

    def rename_voters(self, standing: Standing, names: Mapping[str, str]) -> Standing:
        """Return a standing with other names of voters."""
        return replace(
            standing,
            voters=tuple(
                replace(one, name=names.get(one.name, one.name)) for one in standing.voters
            ),
            swaps={names.get(one, one): swaps for one, swaps in standing.swaps.items()},
        )

    def list_members(self, standing: Standing) -> list[dict[str, Any]] | None:
        """Return what is known of each member of a panel; None where anybody may vote."""
        return None

    def open_badge(self, standing: Standing) -> str:
        """Return in a word or two how a study stands of which nothing is proved or likely."""
        return "Keep going"

    def sure_tile(self, standing: Standing) -> tuple[str, str]:
        """Return how sure a proof is, as a name and a number."""
        return "confidence", f"{100 * (1 - standing.settings.delta):g} %"

    def tiles(self, standing: Standing, share: float) -> dict[str, str]:
        """Return how far the proof is, in numbers; ``share``: how much of it is there."""
        return {
            self.proof_tile: f"{math.floor(100 * share)} %",
            "error probability": f"{standing.settings.delta:g}",
        }

    def lead_sentence(self, standing: Standing) -> str:
        """Return what kind of study it is, in a line."""
        voters = f", {format_count(len(standing.voters), 'voter')}" if standing.voters else ""
        options, votes = len(standing.options), standing.votes
        return (
            f"A study of {format_count(options, 'option')}: {format_count(votes, 'vote')}{voters}."
        )

    def explain_bars(self, reading: Measures, option: int) -> str:
        """Return how to read the bars of the scores, of which that of ``option`` comes first."""
        certificate = reading.certificate
        margin = (
            f" The verdict allows for the margin: {reading.names[option]} beats, or ties within it, at least "
            f"{certificate.lower[option]}."
        )
        return (
            "A dot shows how many others an option beats so far. A bar shows where its true number must be. All that is "
            f"proved on this page is right together, at every vote, with probability {1 - reading.standing.settings.delta:g}."
            f"{margin if certificate.margin and option in certificate.best else ''}"
        )

    def explain_arrows(self, delta: float) -> str:
        """Return what the kinds of arrows mean."""
        return (
            f"Proved: right together with all else that is proved, at every vote, with probability {1 - delta:g}. "
            "Likely: as sure as that, but for this pair alone. Ahead: more votes for than against, nothing "
            "more."
        )

    def count_close_pairs(self, certificate: BaseCertificate, likely: int) -> str:
        """Return how many pairs are likely decided, or proved tied."""
        tied = (
            f" Proved tied within the margin of {certificate.margin:g}: {len(certificate.ties):,}."
        )
        return f"likely, not proved: {likely:,}.{tied if certificate.margin else ''}"

    def tie_words(self, known: str) -> str:
        """Return what is known of a pair that is proved tied."""
        return f"{known}, tied within the margin"

    def say_share(self, share: float) -> str:
        """Return how far a proof is, as the end of a sentence."""
        return f". The votes give {percent(share, digits=1)} of the evidence that the nearest proof needs."

    def describe_settings(self, settings: Settings, basis: dict[str, str]) -> dict[str, str]:
        """Return on what the verdict rests, by name, as far as it means something here."""
        return basis


def list_pairs(reading: Measures, needs: Sequence[Need]) -> str:
    """Return the first pairs to ask, by name."""
    pairs = []
    for need in needs:
        pairs.append(f"{reading.names[need.first]} against {reading.names[need.second]}")
    return join_names(pairs, PAIRS)


def list_better(reading: Measures) -> list[int]:
    """Return who beats more options than any leader does."""
    most = max(reading.scores[i] for i in reading.leaders)
    return [i for i in reading.order if i in reading.among and reading.scores[i] > most]


def count_pairs(k: int) -> int:
    """Return how many pairs there are of k options."""
    return k * (k - 1) // 2


def _describe_points(reading: Measures) -> Iterator[str]:
    """Who leads though others beat more: a win less, or a loss less, moves the points of an option alike."""
    lead = "leads" if len(reading.leaders) == 1 else "lead"
    records = _tell_records(reading, reading.leaders)
    if len(reading.leaders) > 1 and len({int(reading.scores[i]) for i in reading.leaders}) == 1:
        records = f"each {_tell_record(reading, reading.leaders[0])}"
    yield f"By wins minus losses, {reading.join_names(reading.leaders)} {lead} so far: {records}."
    more = list_better(reading)
    if more:
        yield f"More wins, but also more losses: {_tell_records(reading, more)}."


def _tell_records(reading: Measures, options: Sequence[int]) -> str:
    """The wins and losses of options, one by one."""
    return some([f"{reading.names[i]} {_tell_record(reading, i)}" for i in options], PAIRS, "; ")


def _tell_record(reading: Measures, option: int) -> str:
    """How many others one option beats, and how many beat it."""
    won, lost = int(reading.scores[option]), int(reading.losses[option])
    return f"beats {won or 'none'} and loses to {lost or 'none'}"


def _say_forecast(reading: Measures, needed: int) -> str:
    """How many more votes it takes, in a sentence; on test cases, of which there are so many, an estimate."""
    if reading.outlook.remaining is None:
        return f"About {about(needed)} more vote{'' if needed == 1 else 's'} may settle it."
    return f"{capital(reading.outlook.remaining.words)} more votes settle it in four of five cases{reading.outlook.remaining.half_words}."
