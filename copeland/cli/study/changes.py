"""copeland study copy, edit, option, excuse, readmit, close, reopen and delete: what changes a running study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from copeland.cli.arguments import STORAGE, Json, Storage
from copeland.cli.output import note, tell_result
from copeland.cli.program import Group
from copeland.cli.study import Name, open_study, study
from copeland.errors import InvalidParameter
from copeland.support.escaping import command_line, file_name
from copeland.support.phrasing import format_count, join_names

if TYPE_CHECKING:
    from copeland.study import Study

SOURCE = "command line"  # what the log says of changes that are made here

option = Group("option", no_args_is_help=True)
study.add(option)

OptionName = Annotated[str, typer.Argument(metavar="OPTION", help="The name of an option.")]
Member = Annotated[
    str,
    typer.Argument(
        metavar="VOTER", help="A member of the panel, by the name in the log or beside the link."
    ),
]


@option.callback(epilog="Example: `copeland study option add tea oolong`")
def option_command(as_json: Json = False) -> None:
    """Add, edit, pause, resume or retire an option of a running study."""


@option.command(
    "add", epilog='Example: `copeland study option add tea oolong --text "Half-oxidised."`'
)
def add_command(
    name: Name,
    option: OptionName,
    text: Annotated[str, typer.Option(help="What voters are shown for it.")] = "",
    path: Annotated[str, typer.Option(metavar="FILE", help="A file that shows it.")] = "",
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Add an option; from now on the certificate covers all of them."""
    open_study(name, storage).add_option(option, text, path)
    _tell(name, option, "active", f"'{option}' is now an option.", as_json)


@option.command(
    "edit", epilog='Example: `copeland study option edit tea oolong --text "Half-oxidised."`'
)
def edit_option_command(
    name: Name,
    option: OptionName,
    text: Annotated[str, typer.Option(help="What voters are shown for it from now on.")],
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Change the text of an option; its name stays, and the verdict says so if there are votes."""
    work = open_study(name, storage)
    changed = work.edit_option(option, text, SOURCE)
    said = f"The text of '{option}' is {'new' if changed else 'as it was'}."
    result = {"study": name, "option": option, "changed": changed}
    tell_result(said, result, as_json)


@option.command("pause", epilog="Example: `copeland study option pause tea oolong`")
def pause_command(
    name: Name, option: OptionName, storage: Storage = STORAGE, as_json: Json = False
) -> None:
    """Stop asking about an option until you resume it."""
    open_study(name, storage).pause_option(option)
    _tell(name, option, "paused", f"'{option}' is paused.", as_json)


@option.command("resume", epilog="Example: `copeland study option resume tea oolong`")
def resume_command(
    name: Name, option: OptionName, storage: Storage = STORAGE, as_json: Json = False
) -> None:
    """Ask about a paused or retired option again."""
    open_study(name, storage).resume_option(option)
    _tell(name, option, "active", f"'{option}' is asked again.", as_json)


@option.command("retire", epilog="Example: `copeland study option retire tea oolong`")
def retire_command(
    name: Name, option: OptionName, storage: Storage = STORAGE, as_json: Json = False
) -> None:
    """Ask no more about an option; the verdict is then about the others."""
    open_study(name, storage).retire_option(option)
    _tell(name, option, "retired", f"'{option}' is retired.", as_json)


def _tell(name: str, option: str, state: str, sentence: str, as_json: bool) -> None:
    tell_result(sentence, {"study": name, "option": option, "state": state}, as_json)


@study.command(
    "edit", epilog='Example: `copeland study edit tea --question "Which would you drink?"`'
)
def edit_command(
    name: Name,
    question: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What voters are asked from now on.")
    ] = None,
    guidance: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="What they read before the first pair from now on."),
    ] = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Change the question or the guidance that voters read on a server."""
    if question is None and guidance is None:
        raise InvalidParameter("nothing is to be changed; give --question or --guidance.")
    changed = open_study(name, storage).edit_page(question, guidance, SOURCE)
    said = "Voters read it from now on." if changed else "Voters read this already."
    tell_result(said, {"study": name, "changed": changed}, as_json)


@study.command("excuse", epilog="Example: `copeland study excuse lunch cid`")
def excuse_command(
    name: Name, voter: Member, storage: Storage = STORAGE, as_json: Json = False
) -> None:
    """Stop waiting for the missing answers of a panel member; answers already given stay."""
    work = open_study(name, storage)
    work.excuse(_find_member(work, voter))
    said = f"{voter} is excused. {_state_result(work)}"
    tell_result(said, {"study": name, "excused": voter}, as_json)


@study.command("readmit", epilog="Example: `copeland study readmit lunch cid`")
def readmit_command(
    name: Name, voter: Member, storage: Storage = STORAGE, as_json: Json = False
) -> None:
    """Wait again for the answers of an excused member."""
    work = open_study(name, storage)
    work.readmit(_find_member(work, voter))
    said = f"The study waits for the answers of {voter}. {_state_result(work)}"
    tell_result(said, {"study": name, "readmitted": voter}, as_json)


def _state_result(work: Study) -> str:
    """What is settled of a panel's study, with the members as their links name them."""
    from dataclasses import replace

    from copeland.certificate import PanelCertificate

    found, names = work.certificate(), _name_members(work)
    assert isinstance(found, PanelCertificate)
    return replace(found, excused=tuple(names[one] for one in found.excused)).statement


@study.command("close", epilog="Example: `copeland study close tea`")
def close_command(name: Name, storage: Storage = STORAGE, as_json: Json = False) -> None:
    """Take no more votes; nothing is lost, and you can still look at the study."""
    open_study(name, storage).close()
    tell_result(f"The study '{name}' is closed.", {"study": name, "closed": True}, as_json)


@study.command("reopen", epilog="Example: `copeland study reopen tea`")
def reopen_command(
    name: Name,
    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The reason, for the log.")
    ] = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Take votes again after a study was closed; certificates from before still hold."""
    open_study(name, storage).reopen(reason)
    tell_result(f"The study '{name}' takes votes.", {"study": name, "closed": False}, as_json)


@study.command("copy", epilog='Example: `copeland study copy tea "tea in May"`')
def copy_command(
    name: Name,
    new: Annotated[str, typer.Argument(metavar="NEW", help="The name of the copy.")],
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Make a new study with the options, settings and images of another, and no votes."""
    from copeland.study.creation import copy_study

    made = copy_study(name, new, storage)
    options = [option.name for option in made.options]
    said = f"The study '{new}' has {format_count(len(options), 'option')} and no votes."
    result = {"study": new, "copied_from": name, "options": options}
    tell_result(said, result, as_json)


@study.command("delete", epilog="Example: `copeland study delete tea`")
def delete_command(
    name: Name,
    yes: Annotated[
        bool, typer.Option("--yes", help="Delete it without asking for its name again.")
    ] = False,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Delete a study with its votes, images and links, for good; it asks for the name first."""
    from copeland.study.creation import delete_study

    votes = open_study(name, storage).look_at_state(lambda state: state.votes)
    if not yes:
        _ask_for_name(name, votes)
    delete_study(name, storage)
    tell_result(f"The study '{name}' is deleted.", {"study": name, "deleted": True}, as_json)


def _ask_for_name(name: str, votes: int) -> None:
    """Say how to keep a copy, and go on only if the name is typed."""
    import sys

    export = command_line("copeland", "study", "export", name, f"{file_name(name)}.jsonl")
    copy = f"`copeland backup FILE` or `{export}` keeps a copy"
    if sys.stdin.isatty():
        note(f"'{name}' has {format_count(votes, 'vote')}; {copy}.")
        note("To delete the study for good, type its name:")
    if sys.stdin.readline().strip() != name.strip():
        raise InvalidParameter(
            f"the name '{name}' was not typed, so nothing was deleted; {copy}, then type the name, or add --yes."
        )


def _name_members(study: Study) -> dict[str, str]:
    """Return what to call each member of a panel, by the name in the log: the name beside the last link, if there is one."""
    from sqlalchemy import select

    from copeland.study.log.schema import links
    from copeland.support.names import name_voters

    panel = study.settings.panel
    key = study.storage.key(study.name)
    named = (links.c.study == key, links.c.voter.is_not(None), links.c.label != "")
    query = select(links.c.voter, links.c.label).where(*named).order_by(links.c.id)
    rows = study.storage.transact(lambda connection: connection.execute(query).all(), reads=True)
    return name_voters(panel, "member") | {voter: label for voter, label in rows if voter in panel}


def _find_member(study: Study, name: str) -> str:
    """Return the name in the log of a member, who is named so there or beside a link."""
    names = _name_members(study)
    if name in names or not names:
        return name  # a study without a panel refuses it in its own words
    found = [voter for voter, label in names.items() if label == name]
    if not found:
        raise InvalidParameter(
            f"'{name}' is not on the panel, which is {join_names(sorted(names.values()))}."
        )
    if len(found) > 1:
        raise InvalidParameter(
            f"{len(found)} members are called '{name}'; rename one on the page that shares the study."
        )
    return found[0]
