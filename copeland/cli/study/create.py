"""copeland study create: a new study, from names, from a CSV file of options, or from votes."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copeland.cli.options import (
    FORMS,
    STORAGE,
    IdColumn,
    ItemColumn,
    Json,
    LeftColumn,
    Number,
    OutcomeColumn,
    RightColumn,
    Storage,
    TimeColumn,
    VoterColumn,
    Whole,
    columns_of,
)
from copeland.cli.output import note, tell_result
from copeland.cli.study import study
from copeland.errors import InvalidParameter, StorageError, UnknownStudy
from copeland.support.escaping import command_line

if TYPE_CHECKING:
    from copeland.study import Study


@study.command("create", epilog="Example: `copeland study create prompts --options prompts.csv`")
def create_command(
    name: Annotated[str, typer.Argument(metavar="STUDY", help="A name for the study.")],
    options: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="A CSV file of options: a column name, and optionally text or path.",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="NAME", help="An option; repeat for each."),
    ] = None,
    votes: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help=f"Votes to begin with. {FORMS}"),
    ] = None,
    left: LeftColumn = None,
    right: RightColumn = None,
    outcome: OutcomeColumn = None,
    voter: VoterColumn = None,
    item: ItemColumn = None,
    time: TimeColumn = None,
    id_: IdColumn = None,
    storage: Storage = STORAGE,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="Who chooses the pairs; a panel has its own planner.", show_default="cpc-pac"
        ),
    ] = None,
    delta: Annotated[
        float, Number(help="The probability that the certificate may be wrong.")
    ] = 0.05,
    margin: Annotated[
        float, Number(help="Pairs within this of 1/2 are too close to matter.")
    ] = 0.0,
    indifference: Annotated[float | None, Number(hidden=True)] = None,
    both_bad: Annotated[
        str, typer.Option(help="What 'both are bad' counts as: tie, or drop to leave it out.")
    ] = "tie",
    repeats: Annotated[
        str | None,
        typer.Option(
            help="A voter's further votes on a pair: count, or only the first.",
            show_default="first if people vote, else count",
        ),
    ] = None,
    voters: Annotated[
        str | None,
        typer.Option(
            help="Who votes: people, each of whom may answer many pairs, each once; independent, "
            "where every vote is a fresh draw, as with clicks; panel, where only the named "
            "voters count; or judge, where programs or models decide test cases, each once.",
            show_default="people",
        ),
    ] = None,
    judge: Annotated[bool, typer.Option("--judge", help="Short for --voters judge.")] = False,
    cases: Annotated[
        str | None,
        typer.Option(
            metavar="N|FILE",
            help="Where a judge votes, how many test cases there are, or the file that holds them; 1 if it compares the "
            "options themselves.",
            show_default="1",
        ),
    ] = None,
    population: Annotated[
        str | None,
        typer.Option(
            help="Where a judge votes, what is proved: of exactly these cases, or of cases like-these, of which they are "
            "a sample.",
            show_default="these",
        ),
    ] = None,
    people: Annotated[
        int | None,
        Whole(
            help="How many people will vote. The command says at once what is within their reach."
        ),
    ] = None,
    panel: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="The members of the panel: names with commas between them, or repeat for each.",
        ),
    ] = None,
    lease: Annotated[
        float, Number(help="Seconds for which the study counts on an unanswered ballot.")
    ] = 600.0,
    open_ballots: Annotated[
        int, Whole(help="How many unanswered ballots a voter may hold at a time.")
    ] = 8,
    batch: Annotated[
        int | None,
        Whole(
            help="How many pairs each person is dealt, all before the first answer.",
            show_default="4",
        ),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            help="What it proves if a person leaves pairs unanswered: against, a loss of both sides; or "
            "ignored, if people leave for reasons that have nothing to do with the options.",
            show_default="against",
        ),
    ] = None,
    seed: Annotated[int, Whole(help="Same seed, same answers: same ballots.")] = 0,
    load_if_exists: Annotated[
        bool, typer.Option("--load-if-exists", help="Continue the study if it exists.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Create a study; its settings are fixed from here on.

    With --from, the options are those in the votes unless you name them, and a damaged file creates nothing.
    """
    from copeland.study import create_study, create_study_from_votes
    from copeland.study.results.voter_reach import who_votes

    columns = columns_of(
        left=left, right=right, outcome=outcome, voter=voter, item=item, time=time, event_id=id_
    )
    if (options is not None and option) or not (options or option or votes):
        raise InvalidParameter(
            "give the options: either --options FILE.csv or -o NAME -o NAME ..., or votes with --from."
        )
    if columns and votes is None:
        raise InvalidParameter(
            f"--{next(iter(columns)).removeprefix('event_')} names a column of votes; give them with --from."
        )
    members = [one.strip() for names in panel or () for one in names.split(",") if one.strip()]
    if judge and voters not in (None, "judge"):
        raise InvalidParameter(f"--judge means --voters judge, but --voters is {voters}; say one.")
    voters = "judge" if judge else voters
    if voters is None:
        voters, members = _who_votes(name, storage, load_if_exists, members)
    _require_fitting(voters, repeats, batch, people)
    if voters != "judge" and (cases or population):
        raise InvalidParameter("--cases and --population are for judges; say --voters judge.")
    _require_panel(voters, repeats, members, margin)
    given = option or (None if options is None else str(options))
    how: dict[str, Any] = dict(
        storage=storage,
        algorithm=algorithm,
        delta=delta,
        margin=margin if indifference is None else indifference,
        seed=seed,
        both_bad=both_bad,
        repeats=repeats,
        voters=voters,
        panel=members,
        lease=lease,
        open_ballots=open_ballots,
        batch=batch,
        missing=missing,
        cases=_number_of(cases),
        population=population,
        load_if_exists=load_if_exists,
    )
    if votes is not None:
        made, taken = create_study_from_votes(name, votes, columns=columns, options=given, **how)
    else:
        assert given is not None
        made, taken = create_study(name, given, **how), None
    names = [one.name for one in made.options]
    result = {"study": name, "options": names, "settings": made.settings.to_dict()}
    reach, prospect = _reach(made, people)
    result |= prospect
    tell_result(
        f"Study '{name}' has {len(names)} options. {who_votes(made.settings, len(names))} {reach}"
        f"{'' if taken is None else taken.sentence}",
        result if taken is None else {**result, **taken.to_dict()},
        as_json,
        _onwards(made, cases),
    )


def _onwards(made: Study, cases: str | None) -> str:
    """What to do next."""
    vote = command_line("copeland", "study", "vote", made.name)
    if made.settings.cases:
        judge = command_line("copeland", "study", "judge", made.name)
        if made.settings.cases == 1:
            return f'Judge with: {judge} --command "python judge.py {{left}} {{right}}"'
        items = (
            "FILE" if cases is None or cases.isdigit() else command_line(cases).removeprefix("-- ")
        )
        return f'Judge with: {judge} --items {items} --command "python judge.py {{left}} {{right}} {{item}}"'
    as_whom = "; each member says who it is with --voter NAME." if made.settings.panel else ""
    return f"Vote with: {vote}{as_whom}"


def _number_of(cases: str | None) -> int | None:
    """How many test cases there are: a number, or those of a file."""
    from copeland.study.judges import read_items

    if cases is None:
        return None
    return int(cases) if cases.isdecimal() else len(read_items(cases))


def _who_votes(
    name: str, storage: str, load_if_exists: bool, members: list[str]
) -> tuple[str, list[str]]:
    """Who votes, if that is not said: members who are named, or those of the study gone on with, or people."""
    from copeland.study import open_study

    if members:
        return "panel", members
    if load_if_exists:
        with suppress(UnknownStudy, StorageError):
            settings = open_study(name, storage).settings
            return settings.voters, list(settings.panel)
    return "people", []


def _reach(made: Study, people: int | None) -> tuple[str, dict[str, Any]]:
    """What so many people can settle, in a sentence and as JSON; nothing if it was not asked for."""
    from copeland.study.results.voter_reach import prospect_sentence

    if people is None:
        return "", {}
    note("copeland: trying what is within reach, in plausible worlds.")
    found = made.prospect(people)
    return f"{prospect_sentence(found)} ", {"reach": found.to_dict()}


def _require_fitting(
    voters: str, repeats: str | None, batch: int | None, people: int | None
) -> None:
    """Refuse what Python would refuse too, in the words of the command line."""
    from copeland.forecast.prospects import check_people
    from copeland.study.settings import JUDGE, PANEL, PEOPLE

    if voters not in (*PEOPLE, PANEL, JUDGE, "independent"):
        raise InvalidParameter(f"--voters is '{voters}'; say people, independent, panel or judge.")
    if voters == JUDGE and repeats == "count":
        raise InvalidParameter(
            "--repeats count does not go with a judge, because each case has one vote for each pair; leave it out."
        )
    if voters in PEOPLE and repeats == "count":
        raise InvalidParameter(
            "--repeats count does not go with people, who have one vote per pair; leave it out, "
            "or say --voters independent."
        )
    if batch is not None and voters not in PEOPLE:
        raise InvalidParameter("--batch is for people; leave it out, or say --voters people.")
    if people is not None and voters not in PEOPLE:
        raise InvalidParameter(
            f"--people does not go with --voters {voters}; leave it out, or say --voters people."
        )
    if people is not None:
        check_people(people, "--people")


def _require_panel(voters: str, repeats: str | None, members: list[str], margin: float) -> None:
    """Refuse a panel without members, members without a panel, and what means nothing to one."""
    from copeland.study.settings import PANEL

    if voters != PANEL:
        if members:
            raise InvalidParameter(f"--panel names a panel, but --voters is {voters}; say panel.")
        return
    if not members:
        raise InvalidParameter("--voters panel needs its members; say --panel ann,ben,cid.")
    if margin:
        raise InvalidParameter(
            "--margin means nothing for a panel, whose majorities are counted; leave it out."
        )
    if repeats == "count":
        raise InvalidParameter(
            "--repeats count does not go with a panel, whose members have one answer per pair; "
            "leave it out."
        )
