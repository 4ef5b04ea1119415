"""What a study is told when it is created, and keeps for life."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any
from warnings import warn

from copeland.errors import InvalidParameter
from copeland.registry import find
from copeland.study.input_limits import check_text, is_storable
from copeland.study.log.arrivals import MISSING
from copeland.study.log.judged_cases import POPULATIONS
from copeland.support.phrasing import join_names
from copeland.support.spec import Spec

FORMERLY = {"indifference": "margin"}  # what old logs call a setting

_CHOICES = {
    "both_bad": ("tie", "drop"),
    "repeats": ("count", "first"),
    "voters": ("people", "independent", "panel", "judge"),
    "missing": ("", *MISSING),
    "population": ("", *POPULATIONS),
}

PEOPLE = ("people", "dependent")  # the second is what the first was called
BATCH = 4  # pairs that each person is dealt: with more, votes to a proof grow faster than people fall (docs/studies.md)
JUDGE = "judge"  # who votes on test cases
PANEL = "panel"  # who votes, and who chooses the pairs there
TUNER = "tuner"  # who chooses the pairs of a space
ONLY_PANEL, NEVER_PANEL = ("panel",), ("delta", "margin", "batch")  # settings
ONLY_SPACE, NEVER_SPACE = ("space", "show"), ("margin", "batch")
ONLY_JUDGE = ("population", "cases")


@dataclass(frozen=True)
class Settings:
    """How a study asks and counts.

    Parameters
    ----------
    algorithm
        Who chooses the pairs: a registered name, with parameters if need be (``"ccb:alpha=1.01"``).
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
        Who votes. ``"people"``: one person may answer many pairs, each pair once, whatever the item, and
        the answers may hang together; what a person is asked does not depend on that person's answers. What is
        proved is about the population they come from. ``"independent"``: every vote is a fresh draw, as
        clicks of one vote a visitor are. ``"dependent"`` is what people were called. ``"panel"``: the named
        voters are the whole electorate, each answers each pair at most once, and nothing is random: delta
        and the margin mean nothing, and the algorithm is ``"panel"``. ``"judge"``: one or more judges vote on test cases, and
        each case has one vote for each pair.
    lease
        Seconds for which an unanswered ballot counts as on its way.
    open_ballots
        How many unanswered ballots a voter may hold. A person holds one or two, in several windows a few;
        a judge holds one for each worker. Eight are a third of what the smallest study needs.
    batch
        Where people vote, how many pairs each of them gets, all dealt before that person's first answer.
        So nothing that anybody says can change what the same person is asked.
    missing
        Where people vote, what a ballot proves that its voter never answers. ``"against"``: it counts as a loss of
        both sides. ``"ignored"``: nothing, by the assumption that people leave for reasons that have nothing to do with the
        options. Empty in studies that were made before people were counted in the order of their arrival.
    panel
        The names of the voters, if they are a panel.
    space
        The space whose points are the options, as text (:meth:`copeland.Space.to_json`); the algorithm is
        ``"tuner"``. Only audits prove anything, and ``delta`` is for all of them together.
    show
        What voters see of a point: a text in which ``{name}`` stands for a parameter; by default its values.
    population
        Where judges vote, what is proved: something about exactly ``"these"`` cases, or about cases ``"like-these"``, of
        which these are a random sample. Empty elsewhere.
    cases
        Where judges vote, how many test cases there are; 1 if the options themselves are compared, once. 0 elsewhere.

    Examples
    --------
    >>> settings = Settings(delta=0.01, margin=0.02)
    >>> settings.algorithm, settings.delta, settings.voters
    ('cpc-pac', 0.01, 'independent')
    """

    algorithm: str = "cpc-pac"
    delta: float = 0.05
    margin: float = 0.0
    seed: int = 0
    both_bad: str = "tie"
    repeats: str = "count"
    voters: str = "independent"
    lease: float = 600.0
    open_ballots: int = 8
    batch: int = 0
    panel: tuple[str, ...] = ()
    space: str = ""
    show: str = ""
    missing: str = ""
    population: str = ""
    cases: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "panel", _members(self.panel))
        _require(0 < _number(self, "delta") < 1, "delta", self.delta, "a number between 0 and 1")
        margin_fits = 0 <= _number(self, "margin") < 0.5
        _require(margin_fits, "margin", self.margin, "a number from 0 to below 1/2")
        _require(_whole(self.seed, 0), "seed", self.seed, "a whole number, 0 or more")
        _require(
            _whole(self.open_ballots, 1),
            "open_ballots",
            self.open_ballots,
            "a whole number, 1 or more",
        )
        _require(_whole(self.batch, 0), "batch", self.batch, "a whole number, 0 or more")
        _require(_number(self, "lease") > 0, "lease", self.lease, "a number of seconds above 0")
        _require(is_storable(self.algorithm), "algorithm", self.algorithm, "a name, as cpc-pac")
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            _require(
                value in choices or (name == "voters" and value in PEOPLE),
                name,
                value,
                join_names([repr(choice) for choice in choices], last="or"),
            )
        _check_judge(self)
        if self.missing and (self.space or not self.people):
            raise InvalidParameter(
                "missing says what people's missing answers prove; leave it out, or let people vote on options."
            )
        if self.space or self.show or self.algorithm == TUNER:
            _check_space(self)
        elif self.voters == PANEL or self.panel:
            _check_panel(self)
        else:
            self._check_algorithm()

    def _check_algorithm(self) -> None:
        algorithm = find(self.spec.name)
        if self.people and self.repeats == "count":
            raise InvalidParameter(
                "where people vote, only a person's first vote on a pair can count; leave "
                "repeats out, or let voters be independent."
            )
        if self.batch and not self.people:
            raise InvalidParameter("a batch is dealt to each person, so it needs people as voters.")
        if self.missing and not self.batch:
            raise InvalidParameter(
                "batch is 0; each person is dealt all pairs at the start, so say how many: 1 or more."
            )
        if self.people and algorithm.absorb is None:
            raise InvalidParameter(
                f"{algorithm.name} cannot choose a voter's pairs without that voter's own votes, "
                "as a study of people must; use cpc-pac, or let voters be independent."
            )
        if self.spec.params.get("together"):
            raise InvalidParameter(
                "a study shows losses one by one; leave `together` out of its algorithm's parameters."
            )
        if algorithm.needs_horizon:
            raise InvalidParameter(
                f"{self.spec.name} must know its horizon in advance, and a study has none; use "
                "another algorithm."
            )

    @property
    def spec(self) -> Spec:
        """The algorithm's name and the parameters that were given with it."""
        return Spec.parse(self.algorithm)

    def parameters(self, epoch: int) -> dict[str, Any]:
        """Return the algorithm's parameters: those given, and what it must know of the study."""
        known = find(self.spec.name).parameters
        shared = self.terms(epoch) | {"dependent": int(self.dependent)}
        return dict(self.spec.params) | {k: v for k, v in shared.items() if k in known}

    def terms(self, epoch: int) -> dict[str, Any]:
        """Return what a proof is held to."""
        fixed = {"delta": self.delta, "margin": self.margin}
        return {**fixed, "epoch": epoch, "dependent": self.dependent}

    @property
    def people(self) -> bool:
        """Whether people vote: votes of one voter may depend on each other."""
        return self.voters in PEOPLE

    @property
    def dependent(self) -> bool:
        """Whether only single claims have a proof, and averages of several have none.

        So it is where what is asked of a person was chosen one by one, and where all pairs are judged on the same cases, which are a sample.
        """
        return (self.people and not self.missing) or self.population == POPULATIONS[1]

    @property
    def finite(self) -> int | None:
        """How many votes a pair can have that a proof is about; None if any number."""
        return self.cases if self.population == POPULATIONS[0] else None

    @property
    def once(self) -> bool:
        """Whether a voter answers a pair once, whatever the item: people and the members of a panel do."""
        return self.people or bool(self.panel)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that mean something here, as plain values."""
        left_out = (
            *(NEVER_PANEL if self.panel else ONLY_PANEL),
            *(NEVER_SPACE if self.space else ONLY_SPACE),
            *(() if self.missing else ("missing",)),
            *(() if self.voters == JUDGE else ONLY_JUDGE),
        )
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
            if name not in left_out
        }

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Settings:
        """Return the settings that :meth:`to_dict` wrote; what a newer version added is left out."""
        known = {field.name: field.name for field in fields(cls)} | FORMERLY
        return cls(**{known[name]: value for name, value in values.items() if name in known})

    @property
    def indifference(self) -> float:
        """What the margin was called."""
        warn("settings.indifference is now called settings.margin.", DeprecationWarning, 2)
        return self.margin


def _members(given: Any) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InvalidParameter(f"panel is {given!r}; give a list of names.")
    for name in given:
        check_text("a panel's ", voter=name)
        if name is None or not name.strip():
            raise InvalidParameter(f"a member of the panel is {name!r}; give each a name.")
        if given.count(name) > 1:
            raise InvalidParameter(f"the panel has '{name}' twice; name each member once.")
    return tuple(given)


def _check_judge(settings: Settings) -> None:
    """Refuse test cases without a judge, a judge without them, and what means nothing there."""
    _require(_whole(settings.cases, 0), "cases", settings.cases, "a whole number, 1 or more")
    if settings.voters != JUDGE:
        if settings.cases or settings.population:
            raise InvalidParameter(
                f"test cases are for judges, but voters is {settings.voters!r}; say voters='judge'."
            )
        return
    if not settings.cases or not settings.population:
        raise InvalidParameter(
            "a judge votes on test cases; say how many there are (cases=1 if the options themselves are compared), "
            "and whether the population is 'these' or 'like-these'."
        )
    if settings.repeats != "first":
        raise InvalidParameter("each case has one vote for each pair; leave repeats out.")
    if settings.space:
        raise InvalidParameter(
            "a space has no end of points to judge on test cases; let voters be independent."
        )
    if settings.population == POPULATIONS[1] and settings.cases == 1:
        raise InvalidParameter(
            "one case says nothing about cases like it; give more cases, or let the population be 'these'."
        )


def _check_panel(settings: Settings) -> None:
    """Refuse a panel without members, members without a panel, and what means nothing there."""
    if settings.voters != PANEL:
        raise InvalidParameter(
            f"a panel is named, but voters is {settings.voters!r}; say voters='panel'."
        )
    if not settings.panel:
        raise InvalidParameter("voters is 'panel', but nobody is named; give panel=[names].")
    if settings.margin != 0:
        raise InvalidParameter(
            f"margin is {settings.margin:g}; a panel's majorities are counted and not estimated, so "
            "leave the margin out."
        )
    if settings.repeats != "first":
        raise InvalidParameter(
            "a member of a panel answers a pair once; leave repeats out, or let others vote."
        )
    if settings.batch:
        raise InvalidParameter(
            "a batch is dealt to people in general, not to a panel; leave it out."
        )
    if settings.algorithm != PANEL:
        raise InvalidParameter(
            f"algorithm is {settings.algorithm!r}; a panel has its own planner, so leave it out."
        )


def _check_space(settings: Settings) -> None:
    """Refuse what is not a space, and settings that mean nothing for points of a space."""
    from copeland.study.options import check_show
    from copeland.tuning import Choice, Space

    if not settings.space:
        raise InvalidParameter(
            "a template or a tuner needs a space of points; give space=Space(...)."
        )
    parameters = Space.parameters_in(settings.space)
    check_show(settings.show, list(parameters))
    for name, parameter in parameters.items():
        for value in parameter.options if isinstance(parameter, Choice) else ():
            _require(not isinstance(value, str) or is_storable(value), name, value, "plain text")
    if settings.voters == PANEL or settings.panel:
        raise InvalidParameter(
            "a panel answers every pair, but the points of a space have no end; choose other voters."
        )
    if settings.people and settings.repeats == "count":
        raise InvalidParameter(
            "where people vote, only a person's first vote on a pair can count; leave out repeats, "
            "or let voters be independent."
        )
    if settings.algorithm != TUNER:
        raise InvalidParameter(
            f"algorithm is {settings.algorithm!r}; a space has a tuner of its own, so leave it out."
        )
    for name in NEVER_SPACE:
        if getattr(settings, name):
            raise InvalidParameter(f"{name} means nothing for points of a space; leave it out.")


def _number(settings: Settings, name: str) -> float:
    value = getattr(settings, name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return math.nan
    return value


def _whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _require(holds: bool, name: str, value: Any, expected: str) -> None:
    if not holds:
        raise InvalidParameter(f"{name} is {value!r}; it must be {expected}.")
