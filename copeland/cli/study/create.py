"""copeland study create: a new study, from names or from a CSV file of options."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from copeland.cli.options import Json, Number, Whole
from copeland.cli.study.group import STORAGE, Storage, study, tell_result
from copeland.errors import InvalidParameter, StorageError, UnknownStudy
from copeland.inert import command_line


@study.command("create", epilog="Example: `copeland study create prompts --options prompts.csv`")
def create_command(
    name: Annotated[str, typer.Argument(metavar="STUDY", help="A name for the study.")],
    options: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv", help="The options: a column name, and text or path if wished."
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="NAME", help="An option; again for each."),
    ] = None,
    storage: Storage = STORAGE,
    algorithm: Annotated[str, typer.Option(help="Who chooses the pairs.")] = "cpc-pac",
    delta: Annotated[float, Number(help="How likely the certificate may be wrong.")] = 0.05,
    margin: Annotated[
        float, Number(help="Pairs within this of 1/2 are too close to matter.")
    ] = 0.0,
    indifference: Annotated[float | None, Number(hidden=True)] = None,
    both_bad: Annotated[
        str, typer.Option(help="'Both are bad' counts as a tie, or is left out: tie or drop.")
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
            help="Who votes: people, of whom one may answer many pairs, each once; or independent, where "
            "every vote is a fresh draw, as with clicks.",
            show_default="people",
        ),
    ] = None,
    lease: Annotated[
        float, Number(help="Seconds for which an unanswered ballot is on its way.")
    ] = 600.0,
    open_ballots: Annotated[
        int, Whole(help="How many unanswered ballots a voter may hold at a time.")
    ] = 8,
    seed: Annotated[int, Whole(help="Same seed, same answers: same ballots.")] = 0,
    load_if_exists: Annotated[
        bool, typer.Option("--load-if-exists", help="Go on with the study if it is there.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Create a study; its settings are fixed from here on."""
    if (options is None) == (not option):
        raise InvalidParameter("give the options: either --options FILE.csv or -o NAME -o NAME ...")
    from copeland.study import create_study
    from copeland.study.meaning.reach import who_votes

    voters = voters or _voters_of(name, storage, load_if_exists)
    _require_fitting(voters, repeats)
    made = create_study(
        name,
        option or str(options),
        storage,
        algorithm=algorithm,
        delta=delta,
        margin=margin if indifference is None else indifference,
        seed=seed,
        both_bad=both_bad,
        repeats=repeats,
        voters=voters,
        lease=lease,
        open_ballots=open_ballots,
        load_if_exists=load_if_exists,
    )
    names = [one.name for one in made.options]
    tell_result(
        f"Study '{name}' has {len(names)} options. {who_votes(made.settings, len(names))} Vote with: "
        f"{command_line('copeland', 'study', 'vote', name)}",
        {"study": name, "options": names, "settings": made.settings.to_dict()},
        as_json,
    )


def _voters_of(name: str, storage: str, load_if_exists: bool) -> str:
    """Who votes, if that is not said: those of the study that is gone on with, in a new one people."""
    from copeland.study import open_study

    if load_if_exists:
        with suppress(UnknownStudy, StorageError):
            return open_study(name, storage).settings.voters
    return "people"


def _require_fitting(voters: str, repeats: str | None) -> None:
    """Refuse what Python would refuse too, in the words of the command line."""
    from copeland.study.record.settings import PEOPLE

    if voters not in (*PEOPLE, "independent"):
        raise InvalidParameter(f"--voters is '{voters}'; say people or independent.")
    if voters in PEOPLE and repeats == "count":
        raise InvalidParameter(
            "--repeats count does not go with people, of whom each has one vote a pair; leave it out, or "
            "say --voters independent."
        )
