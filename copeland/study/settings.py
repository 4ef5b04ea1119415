"""What a study is told when it is created, and keeps for life.

The fields of :class:`Settings` are the one table of settings: the command line, the page that creates a study and the HTTP
API name the settings that they offer, and take defaults, rules and help from here. An error carries the
setting that is wrong as its ``field``, so that each of them can point to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple

from copeland.errors import InvalidParameter
from copeland.study.log.events import check_text, is_storable
from copeland.support.goal import BEST, Goal, is_goal
from copeland.support.phrasing import join_names
from copeland.support.spec import Spec

INDEPENDENT = "independent"  # who votes, each vote a fresh draw
PEOPLE = "people"  # who votes, several pairs each
JUDGE = "judge"  # who votes on test cases
PANEL = "panel"  # who votes, and who chooses the pairs there
AGAINST, IGNORED = "against", "ignored"  # what people's missing answers prove
THESE, LIKE_THESE = "these", "like-these"  # what is proved: of exactly these cases, or of others
BATCH = 4  # pairs that each person is dealt: with more, votes to a proof grow faster than people fall (docs/notes/people.md)
ONLY_PANEL, NEVER_PANEL = ("panel",), ("delta", "margin", "batch")  # settings
ONLY_JUDGE = ("population", "cases")


class Rule(NamedTuple):
    """What a value must be, in words and as a check."""

    expected: str
    fits: Callable[[Any], bool]


def number(words: str, fits: Callable[[float], bool]) -> Rule:
    """Return the rule of a number."""
    kinds = (int, float)
    return Rule(words, lambda x: isinstance(x, kinds) and not isinstance(x, bool) and fits(x))


def whole(least: int) -> Rule:
    """Return the rule of a whole number."""
    return Rule(f"a whole number, {least} or more", lambda x: type(x) is int and x >= least)


def choice(*choices: str, unsaid: Sequence[str] = ()) -> Rule:
    """Return the rule of one of several words."""
    expected = join_names([repr(choice) for choice in choices], last="or")
    return Rule(expected, lambda x: x in (*choices, *unsaid))


def allow_none(rule: Rule) -> Rule:
    """Return the same rule for a value that may be left out."""
    return Rule(rule.expected, lambda x: x is None or rule.fits(x))


_NAME = Rule("a name, such as cpc-pac", is_storable)
_GOAL = Rule("'best', 'top:3' or another number, 'above:NAME' or 'tiers'", is_goal)
RISK = number("a number between 0 and 1", lambda x: 0 < x < 1)
MARGIN = number("a number from 0 to below 1/2", lambda x: 0 <= x < 0.5)
_SECONDS = number("a number of seconds above 0", lambda x: 0 < x < math.inf)


def setting(default: Any, rule: Rule | None, help: str, usual: str = "") -> Any:
    """A row of the table; ``usual`` is the default in words, which :func:`usual_settings` gives in place of None."""
    if default is not None:
        usual = f"{default:g}" if isinstance(default, int | float) else str(default or "")
    return field(default=default, metadata={"rule": rule, "help": help, "usual": usual})


def check_rules(settings: Any) -> None:
    """Refuse a setting that breaks its rule."""
    for one in fields(settings):
        value, rule = getattr(settings, one.name), one.metadata["rule"]
        if rule is not None and not rule.fits(value):
            raise InvalidParameter(
                f"{one.name} is {value!r}; it must be {rule.expected}.", one.name
            )


def usual_settings(
    voters: str | None, panel: Sequence[str], cases: int | None = None
) -> dict[str, Any]:
    """Return the settings that follow from who votes, where they are not told."""
    voters = (PANEL if panel else PEOPLE) if voters is None else voters
    dealt, judge = voters == PEOPLE, voters == JUDGE
    cases = int(judge) if cases is None else cases
    return {
        "voters": voters,
        "algorithm": PANEL if voters == PANEL else "cpc-pac",
        "repeats": "count" if voters == INDEPENDENT else "first",
        "batch": BATCH if dealt else 0,
        "missing": AGAINST if dealt else "",
        "cases": cases,
        "population": (THESE if cases == 1 else LIKE_THESE) if judge else "",
    }


@dataclass(frozen=True)
class Settings:
    """How a study asks and counts.

    Parameters
    ----------
    algorithm
        Who chooses the pairs: a registered name, with parameters if need be (``"ccb:alpha=1.01"``). By default
        ``"cpc-pac"``; a panel has a planner of its own.
    delta
        The probability with which the certificate may ever be wrong.
    margin
        Pairs within this of 1/2 are too close to matter.
    seed
        Same seed, same answers: same ballots.
    both_bad
        Whether "both are bad" counts as a ``"tie"`` or is left out (``"drop"``).
    repeats
        Whether a voter's further votes on the same pair (and item) ``"count"``, or only the ``"first"``.
        By default they count, unless people vote. Where judges vote, only the first on a pair and case counts, whoever gave it.
    voters
        Who votes? ``"panel"`` by default if one is named, else ``"people"``. ``"independent"``, independent visitors: every vote is a
        fresh draw, as clicks of one vote a visitor are. ``"people"``, people from a larger group: one person may answer many pairs, each
        pair once, whatever the item, and the answers may hang together; what a person is asked does not depend on that person's answers.
        What is proved is about the group they come from. ``"panel"``, exactly these people: the
        named voters are the whole electorate, each answers each pair at most once, and nothing is random: delta
        and the margin mean nothing, and the algorithm is ``"panel"``. ``"judge"``, a judge on test cases: one or more judges vote, and
        each case has one vote for each pair.
    lease
        Seconds for which an unanswered ballot counts as on its way. A later answer proves nothing where missing answers are ignored, as
        they are with independent voters.
    open_ballots
        How many unanswered ballots a voter may hold. A person holds one or two, in several windows a few;
        a judge holds one for each worker. Eight are a third of what the smallest study needs.
    batch
        Where people vote, how many pairs each of them gets, all dealt before that person's first answer: 4 by default, or all
        pairs if these are fewer.
        So nothing that anybody says can change what the same person is asked.
    missing
        Where people vote, what a ballot proves that its voter never answers. ``"against"``, the default: it counts as a loss of
        both sides. ``"ignored"``: nothing, by the assumption that people leave for reasons that have nothing to do with the
        options. Empty elsewhere.
    panel
        The names of the voters, if they are a panel.
    goal
        What the study is to find out. ``"best"``: who is best. ``"top:3"``: three options such that no other beats more than any of
        them. ``"above:NAME"``: for each other option, whether it beats NAME. ``"tiers"``: groups of options that are
        apart; it goes on after the winner.
    population
        Where judges vote, what is proved: something about cases ``"like-these"``, of which these are a random sample, or about exactly
        ``"these"`` cases, with the answers that the judges give. By default ``"like-these"``, and ``"these"`` if there is one case.
        Empty elsewhere.
    cases
        Where judges vote, how many test cases there are; 1, the default, if the options themselves are compared, once. 0 elsewhere.

    Examples
    --------
    >>> settings = Settings(delta=0.01, margin=0.02)
    >>> settings.algorithm, settings.delta, settings.voters
    ('cpc-pac', 0.01, 'people')
    """

    algorithm: str = setting(
        None, _NAME, "Who chooses the pairs; a panel has its own planner.", "cpc-pac"
    )
    delta: float = setting(0.05, RISK, "The probability that the certificate may be wrong.")
    margin: float = setting(0.0, MARGIN, "Pairs within this of 1/2 are too close to matter.")
    seed: int = setting(0, whole(0), "Same seed, same answers: same ballots.")
    both_bad: str = setting(
        "tie",
        choice("tie", "drop"),
        "What 'both are bad' counts as: tie, or drop to leave it out.",
    )
    repeats: str = setting(
        None,
        choice("count", "first"),
        "A voter's further votes on a pair: count, or only the first.",
        "first if people vote, else count",
    )
    voters: str = setting(
        None,
        choice(PEOPLE, INDEPENDENT, PANEL, JUDGE),
        "Who votes? independent: independent visitors, one vote each, as with clicks; people: people from a larger group, "
        "who answer several pairs each; panel: exactly these people, whom you name; judge: a judge on test cases, a program or "
        "a language model.",
        "people",
    )
    lease: float = setting(
        600.0,
        _SECONDS,
        "Seconds for which the study waits for an answer; from independent voters, a later one proves nothing.",
    )
    open_ballots: int = setting(
        8, whole(1), "How many unanswered ballots a voter may hold at a time."
    )
    batch: int = setting(
        None,
        whole(0),
        "How many pairs each person is dealt, all before the first answer.",
        str(BATCH),
    )
    panel: tuple[str, ...] = setting((), None, "The names of the members of the panel.")
    missing: str = setting(
        None,
        choice(AGAINST, IGNORED, unsaid=("",)),
        "What it proves if a person leaves pairs unanswered: against, a loss of both sides; or "
        "ignored, if people leave for reasons that have nothing to do with the options.",
        AGAINST,
    )
    population: str = setting(
        None,
        choice(THESE, LIKE_THESE, unsaid=("",)),
        "Where a judge votes, what is proved: of cases like-these, of which they are a sample, or of exactly these "
        "cases.",
        f"{LIKE_THESE}, or {THESE} if there is one case",
    )
    goal: str = setting(
        BEST,
        _GOAL,
        "What to find out: best; top:3 (or another number), the best few; above:NAME, who is better than NAME; "
        "or tiers.",
    )
    cases: int = setting(
        None,
        whole(0),
        "Where a judge votes, how many test cases there are; 1 if it compares the options themselves.",
        "1",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "panel", _members(self.panel))
        for name, value in usual_settings(self.voters, self.panel, self.cases).items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        check_rules(self)
        object.__setattr__(self, "goal", str(Goal.parse(self.goal)))
        for sentence in _objections(self):
            raise InvalidParameter(sentence, sentence.split()[0])

    @cached_property
    def spec(self) -> Spec:
        """The algorithm's name and the parameters that were given with it."""
        return Spec.parse(self.algorithm)

    def parameters(self, epoch: int, names: Sequence[str]) -> dict[str, Any]:
        """Return the algorithm's parameters: those given, and what it must know of the study and its options."""
        from copeland.registry import find

        known = find(self.spec.name).parameters
        shared = self.terms(epoch) | {"dependent": int(self.dependent)}
        shared["goal"] = Goal.parse(self.goal).with_number(names)
        return dict(self.spec.params) | {k: v for k, v in shared.items() if k in known}

    def terms(self, epoch: int) -> dict[str, Any]:
        """Return what a proof is held to."""
        fixed = {"delta": self.delta, "margin": self.margin}
        return {**fixed, "epoch": epoch, "dependent": self.dependent}

    @cached_property
    def people(self) -> bool:
        """Whether people vote: votes of one voter may depend on each other."""
        return self.voters == PEOPLE

    @cached_property
    def dependent(self) -> bool:
        """Whether only single claims have a proof, and averages of several have none.

        So it is where all pairs are judged on the same cases, which are a sample.
        """
        return self.population == LIKE_THESE

    @property
    def first_epoch(self) -> int:
        """The epoch in which a study begins: 0, which has all of delta, where no option may come after votes."""
        return 0 if self.population == LIKE_THESE else 1

    @cached_property
    def finite(self) -> int | None:
        """How many votes a pair can have that a proof is about; None if any number."""
        return self.cases if self.population == THESE else None

    @cached_property
    def once(self) -> bool:
        """Whether a voter answers a pair once, whatever the item: people and the members of a panel do."""
        return self.people or bool(self.panel)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that mean something here, as plain values."""
        left_out = (
            *(NEVER_PANEL if self.panel else ONLY_PANEL),
            *(() if self.missing else ("missing",)),
            *(() if self.goal != BEST else ("goal",)),
            *(() if self.voters == JUDGE else ONLY_JUDGE),
        )
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
            if name not in left_out
        }

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Settings:
        """Return the settings that :meth:`to_dict` wrote."""
        for name in values.keys() - SETTINGS.keys():
            raise InvalidParameter(f"there is no setting {name!r}; this version does not know it.")
        read = cls(**values)
        for name in read.to_dict().keys() - values.keys():
            raise InvalidParameter(f"the settings do not say {name}; give all that a study has.")
        return read


SETTINGS = {one.name: one for one in fields(Settings)}


def check_lease(lease: float) -> None:
    """Refuse a lease that a ballot cannot have."""
    if not _SECONDS.fits(lease):
        raise InvalidParameter(f"lease is {lease!r}; it must be {_SECONDS.expected}.", "lease")


def _members(given: Any) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InvalidParameter(f"panel is {given!r}; give a list of names.", "panel")
    for name in given:
        check_text("a panel's ", voter=name)
        if name is None or not name.strip():
            raise InvalidParameter(f"a member of the panel is {name!r}; give each a name.", "panel")
        if given.count(name) > 1:
            raise InvalidParameter(f"the panel has '{name}' twice; name each member once.", "panel")
    return tuple(given)


def _objections(s: Settings) -> Iterator[str]:
    """What does not go together; each sentence begins with the setting that is to change."""
    for name in ONLY_JUDGE:
        value = getattr(s, name)
        if value and s.voters != JUDGE:
            yield f"{name} is for judges, but voters is {s.voters!r}; let voters be 'judge'."
        if not value and s.voters == JUDGE:
            yield f"{name} is {value!r}, but a judge votes on test cases; say how many there are, and what is proved of them."
    if s.population == LIKE_THESE and s.cases == 1:
        yield "population is 'like-these', but one case says nothing about cases like it; give more, or let it be 'these'."
    if s.panel and s.voters != PANEL:
        yield f"panel has names, but voters is {s.voters!r}; let voters be 'panel'."
    if s.repeats == "count" and s.voters != INDEPENDENT:
        yield "repeats is 'count', but further votes on a pair can count only if voters are independent; leave it out."
    if s.missing and not s.people:
        yield "missing says what people's missing answers prove; leave it out, or let people vote."
    if s.batch and not s.people:
        yield "batch is what each person is dealt; leave it out, or let people vote."
    if s.people and not s.missing:
        yield "missing is '', but people may leave pairs unanswered; let it be 'against' or 'ignored'."
    if s.people and not s.batch:
        yield "batch is 0; each person is dealt all pairs at the start, so say how many: 1 or more."
    if s.voters == PANEL:
        yield from _objections_to_panel(s)
    else:
        yield from _objections_to_algorithm(s)


def _objections_to_panel(s: Settings) -> Iterator[str]:
    if not s.panel:
        yield "panel has no names, but voters is 'panel'; name its members."
    if s.margin:
        yield f"margin is {s.margin:g}; a panel's majorities are counted and not estimated, so leave the margin out."
    if s.algorithm != PANEL:
        yield f"algorithm is {s.algorithm!r}; a panel has its own planner, so leave it out."


def _objections_to_algorithm(s: Settings) -> Iterator[str]:
    from copeland.registry import find

    algorithm = find(s.spec.name)
    if s.people and algorithm.absorb is None:
        yield (
            f"algorithm is {algorithm.name}, which cannot choose a voter's pairs without that voter's own votes, "
            "as a study of people must; use cpc-pac, or let voters be independent."
        )
    if "goal" in s.spec.params:
        yield "algorithm has the parameter `goal`, but a study has a goal of its own; give it as the study's goal."
    if algorithm.needs_horizon:
        yield f"algorithm is {algorithm.name}, which must know its horizon in advance, and a study has none; use another."
