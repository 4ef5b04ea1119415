"""copeland study create: a new study, from names, from a CSV file of options, or from votes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copeland.cli.arguments import (
    FORMS,
    NO_COLUMNS,
    STORAGE,
    Columns,
    FormatName,
    Storage,
    take_settings,
)
from copeland.cli.output import Line, Reply, note
from copeland.cli.study import study
from copeland.errors import InvalidParameter
from copeland.support.escaping import command_line

if TYPE_CHECKING:
    from copeland.study import Study


@study.command("create", epilog="Example: `copeland study create prompts --options prompts.csv`")
@take_settings(
    *("goal", "algorithm", "delta", "margin", "both_bad", "repeats"),
    *("voters", "judge", "cases", "cluster", "cluster_weight", "population", "people", "panel"),
    *("lease", "open_ballots", "batch", "missing", "seed"),
)
def create_command(
    name: str,
    options: Path | None = None,
    option: list[str] | None = None,
    votes: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help=f"Votes to begin with. {FORMS}"),
    ] = None,
    format_: FormatName = None,
    columns: Columns = NO_COLUMNS,
    storage: Storage = STORAGE,
    *,
    judge: bool = False,
    cases: str | None = None,
    cluster: str | None = None,
    cluster_weight: str = "cases",
    people: int | None = None,
    panel: list[str] | None = None,
    load_if_exists: bool = False,
    **settings: Any,
) -> Reply:
    """Create a study; its settings are fixed from here on.

    With --from, the options are those in the votes unless you name them, and a damaged file creates nothing.

    STUDY                 A name for the study.
    --options FILE.csv    A CSV file of options: a column name, and optionally text or path.
    --option, -o NAME     An option; repeat for each.
    --judge               Short for --voters judge.
    --cases N|FILE        Where a judge votes, how many test cases there are, or the file that holds them; 1 if it compares the
        options themselves. [default: 1]
    --cluster COLUMN      The column of --cases FILE that says which cases hang together; cluster, if there is one.
    --cluster-weight      What counts the same where cases hang together: cases, or equal for every cluster.
    --people              How many people will vote. The command says at once what is within their reach.
    --panel NAMES         The members of the panel: names with commas between them, or repeat for each.
    --load-if-exists      Continue the study if it exists.
    """
    from copeland.study import create_study, create_study_from_votes
    from copeland.study.kinds import kind_of

    if (options is not None and option) or not (options or option or votes):
        raise InvalidParameter(
            "give the options: either --options FILE.csv or -o NAME -o NAME ..., or votes with --from."
        )
    if columns.named and votes is None:
        raise InvalidParameter(
            f"--{next(iter(columns.named)).removeprefix('event_')} names a column of votes; give them with --from."
        )
    if format_ is not None and votes is None:
        raise InvalidParameter("--format names that of a file of votes; give it with --from.")
    settings["panel"] = [
        one.strip() for names in panel or () for one in names.split(",") if one.strip()
    ]
    if judge and settings["voters"] not in (None, "judge"):
        raise InvalidParameter(
            f"--judge means --voters judge, but --voters is {settings['voters']}; say one."
        )
    if judge:
        settings["voters"] = "judge"
    if people is not None:
        _check_people(people, settings)
    settings |= {"cases": _read_cases(cases, cluster), "cluster_weight": cluster_weight}
    settings |= {"storage": storage, "load_if_exists": load_if_exists}
    given = option or (None if options is None else str(options))
    if votes is not None:
        made, taken = create_study_from_votes(
            name, votes, columns=columns.named, format=format_, options=given, **settings
        )
    else:
        assert given is not None
        made, taken = create_study(name, given, **settings), None
    names = [one.name for one in made.options]
    result = {"study": name, "options": names, "settings": made.settings.to_dict()}
    reach, prospect = _reach(made, people)
    kind = kind_of(made.settings)
    voters = kind.who_votes(made.settings, len(names))
    units = kind.say_clusters(made.certificate())
    said = f"Study '{name}' has {len(names)} options. {voters} {units}{reach}"
    if taken is not None:
        prospect |= taken.to_dict()
        said += taken.sentence
    items = "FILE" if cases is None or cases.isdigit() else command_line(cases).removeprefix("-- ")
    return Reply(result | prospect, [said, Line(kind.onwards(name, made.settings, items))])


def _read_cases(cases: str | None, cluster: str | None) -> int | dict[str, list[str]] | None:
    """How many test cases there are, or those of a file by cluster."""
    from copeland.study.judges import read_items
    from copeland.study.judges.prompts import cluster_items

    if cases is not None and not cases.isdecimal():
        return cluster_items(read_items(cases, cluster))
    if cluster is not None:
        raise InvalidParameter(
            "--cluster names a column of a file of test cases; give that with --cases FILE."
        )
    return None if cases is None else int(cases)


def _check_people(people: int, settings: dict[str, Any]) -> None:
    """Refuse to say what is within the reach of people where others vote."""
    from copeland.forecast.prospects import check_people
    from copeland.study.kinds import kind_by_voters
    from copeland.study.settings import usual_settings

    voters = usual_settings(settings["voters"], settings["panel"])["voters"]
    kind_by_voters(voters).check_prospect(voters)
    check_people(people, "--people")


def _reach(made: Study, people: int | None) -> tuple[str, dict[str, Any]]:
    """What so many people can settle, in a sentence and as JSON; nothing if it was not asked for."""
    if people is None:
        return "", {}
    note("copeland: trying what is within reach, in plausible worlds.")
    found = made.prospect(people)
    return f"{found.sentence} ", {"reach": found.to_dict()}
