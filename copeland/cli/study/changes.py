"""copeland study copy, edit, option, excuse, readmit, close, reopen and delete: what changes a running study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from copeland.cli.arguments import Json
from copeland.cli.output import Reply, note
from copeland.cli.program import Group
from copeland.cli.study import Named, study
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
def add_command(at: Named, option: OptionName, text: str = "", path: str = "") -> Reply:
    """Add an option; from now on the certificate covers all of them.

    --text         What voters are shown for it.
    --path FILE    A file that shows it.
    """
    at.open().add_option(option, text, path)
    return _tell_state(at, option, "active", f"'{option}' is now an option.")


@option.command(
    "edit", epilog='Example: `copeland study option edit tea oolong --text "Half-oxidised."`'
)
def edit_option_command(at: Named, option: OptionName, text: str) -> Reply:
    """Change the text of an option; its name stays, and the verdict says so if there are votes.

    --text    What voters are shown for it from now on.
    """
    changed = at.open().edit_option(option, text, SOURCE)
    said = f"The text of '{option}' is {'new' if changed else 'as it was'}."
    return Reply({"study": at.name, "option": option, "changed": changed}, said)


@option.command("pause", epilog="Example: `copeland study option pause tea oolong`")
def pause_command(at: Named, option: OptionName) -> Reply:
    """Stop asking about an option until you resume it."""
    at.open().pause_option(option)
    return _tell_state(at, option, "paused", f"'{option}' is paused.")


@option.command("resume", epilog="Example: `copeland study option resume tea oolong`")
def resume_command(at: Named, option: OptionName) -> Reply:
    """Ask about a paused or retired option again."""
    at.open().resume_option(option)
    return _tell_state(at, option, "active", f"'{option}' is asked again.")


@option.command("retire", epilog="Example: `copeland study option retire tea oolong`")
def retire_command(at: Named, option: OptionName) -> Reply:
    """Ask no more about an option; the verdict is then about the others."""
    at.open().retire_option(option)
    return _tell_state(at, option, "retired", f"'{option}' is retired.")


def _tell_state(at: Named, option: str, state: str, sentence: str) -> Reply:
    return Reply({"study": at.name, "option": option, "state": state}, sentence)


@study.command(
    "edit", epilog='Example: `copeland study edit tea --question "Which would you drink?"`'
)
def edit_command(at: Named, question: str | None = None, guidance: str | None = None) -> Reply:
    """Change the question or the guidance that voters read on a server.

    --question TEXT    What voters are asked from now on.
    --guidance TEXT    What they read before the first pair from now on.
    """
    if question is None and guidance is None:
        raise InvalidParameter("nothing is to be changed; give --question or --guidance.")
    changed = at.open().edit_page(question, guidance, SOURCE)
    said = "Voters read it from now on." if changed else "Voters read this already."
    return Reply({"study": at.name, "changed": changed}, said)


@study.command("excuse", epilog="Example: `copeland study excuse lunch cid`")
def excuse_command(at: Named, voter: Member) -> Reply:
    """Stop waiting for the missing answers of a panel member; answers already given stay."""
    work = at.open()
    work.excuse(_find_member(work, voter))
    said = f"{voter} is excused. {_state_result(work)}"
    return Reply({"study": at.name, "excused": voter}, said)


@study.command("readmit", epilog="Example: `copeland study readmit lunch cid`")
def readmit_command(at: Named, voter: Member) -> Reply:
    """Wait again for the answers of an excused member."""
    work = at.open()
    work.readmit(_find_member(work, voter))
    said = f"The study waits for the answers of {voter}. {_state_result(work)}"
    return Reply({"study": at.name, "readmitted": voter}, said)


def _state_result(work: Study) -> str:
    """What is settled of a panel's study, with the members as their links name them."""
    from copeland.study.kinds import kind_of

    kind, standing = kind_of(work.settings), work.standing(voters=False)
    return kind.rename_voters(standing, _name_members(work)).certificate.statement


@study.command("close", epilog="Example: `copeland study close tea`")
def close_command(at: Named) -> Reply:
    """Take no more votes; nothing is lost, and you can still look at the study."""
    at.open().close()
    return Reply({"study": at.name, "closed": True}, f"The study '{at.name}' is closed.")


@study.command("reopen", epilog="Example: `copeland study reopen tea`")
def reopen_command(at: Named, reason: str | None = None) -> Reply:
    """Take votes again after a study was closed; certificates from before still hold.

    --reason TEXT    The reason, for the log.
    """
    at.open().reopen(reason)
    return Reply({"study": at.name, "closed": False}, f"The study '{at.name}' takes votes.")


@study.command("copy", epilog='Example: `copeland study copy tea "tea in May"`')
def copy_command(at: Named, new: str) -> Reply:
    """Make a new study with the options, settings and images of another, and no votes.

    NEW    The name of the copy.
    """
    from copeland.study.creation import copy_study

    options = [option.name for option in copy_study(at.name, new, at.storage).options]
    said = f"The study '{new}' has {format_count(len(options), 'option')} and no votes."
    return Reply({"study": new, "copied_from": at.name, "options": options}, said)


@study.command("delete", epilog="Example: `copeland study delete tea`")
def delete_command(at: Named, yes: bool = False) -> Reply:
    """Delete a study with its votes, images and links, for good; it asks for the name first.

    --yes    Delete it without asking for its name again.
    """
    from copeland.study.creation import delete_study

    votes = at.open().look_at_state(lambda state: state.votes)
    if not yes:
        _ask_for_name(at.name, votes)
    delete_study(at.name, at.storage)
    return Reply({"study": at.name, "deleted": True}, f"The study '{at.name}' is deleted.")


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
    from copeland.support.phrasing import name_voters

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
