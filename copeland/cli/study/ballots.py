"""copeland study ask, tell, undo and vote: ballots, for programs of one's own and in the terminal."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copeland.cli.arguments import Json
from copeland.cli.interrupts import INTERRUPTED
from copeland.cli.output import Reply, note, show
from copeland.cli.study import Folder, Item, Named, Voter, nothing_left, study, wait_first
from copeland.errors import InvalidParameter, UnknownVote
from copeland.study.kinds import kind_of
from copeland.study.options import read_material
from copeland.support.escaping import command_line
from copeland.support.phrasing import format_count, join_names

if TYPE_CHECKING:
    from copeland.study import Ballot, Study, Vote


UNDO, QUIT, CTRL_C = "undo", "quit", "Ctrl-C"
KEYS = {"l": "left", "r": "right", "t": "tie", "b": "both_bad", "s": "skip", "u": UNDO, "q": QUIT}


@study.command("ask", epilog="Example: `copeland study ask tea --voter ann --json`")
def ask_command(
    at: Named,
    voter: Voter = None,
    n: int = 1,
    available: list[str] | None = None,
    item: Item = None,
) -> Reply:
    """Hand out ballots. The JSON is a list, which is empty if nothing is left to ask.

    A voter who holds as many ballots as the study allows gets the oldest again. For a panel, without
    --voter, each ballot says which member to ask.

    --n, -n               How many ballots.
    --available OPTION    Ask only about these options; repeat for each.
    """
    from copeland.study import Wait

    work = at.open()
    kind_of(work.settings).refuse_loose_ballot(work.name, work.settings)
    about: dict[str, Any] = {"available": available, "item": item}
    ballots = work.ask(voter, n=n, **about)
    if not ballots:
        asked = work.ask(voter, **about)
        if isinstance(asked, Wait):
            return Reply({"wait_until": asked.until}, wait_first(asked))
        ballots = [asked] if asked is not None else []
    return Reply([_describe(work, one) for one in ballots], _lines(work, ballots, voter))


def _lines(work: Study, ballots: Sequence[Ballot], voter: str | None) -> Iterator[str]:
    for ballot in ballots:
        whom = "" if ballot.voter in (None, voter) else f" for {ballot.voter}"
        yield (
            f"Ballot {ballot.id}{whom}: {ballot.left} (left) or {ballot.right} (right)?"
            f" Answer: {command_line('copeland', 'study', 'tell', work.name, ballot.id, 'left')}"
        )
    if not ballots:
        yield nothing_left(work, voter)


def _describe(work: Study, ballot: Ballot) -> dict[str, Any]:
    """A ballot with what is to be shown for both sides."""
    return {
        "ballot": ballot.id,
        "left": work.option(ballot.left).shown,
        "right": work.option(ballot.right).shown,
        "voter": ballot.voter,
        "item": ballot.item,
        "expires": ballot.expires,
    }


@study.command("tell", epilog="Example: `copeland study tell tea 17 left --voter ann`")
def tell_command(
    at: Named,
    ballot: int,
    outcome: str,
    voter: Voter = None,
    event_id: str | None = None,
    item: str | None = None,
    source: str | None = None,
) -> Reply:
    """Store the answer to a ballot; it is on disk when the command returns.

    BALLOT           Its number, as `ask` gave it.
    OUTCOME          left, right, tie, both_bad, skip, error, or the winner's name.
    --event-id ID    Your own id for the vote; if you send it twice, it counts once.
    --item NAME      What the options were compared on.
    --source TEXT    Where the vote comes from.
    """
    vote = at.open().tell(ballot, outcome, voter, event_id, item=item, source=source)
    kept = f"Kept as vote {vote.event_id}: {vote.outcome}, of {vote.left} and {vote.right}."
    return Reply(vote._asdict(), kept)


@study.command("undo", epilog="Example: `copeland study undo tea --last --voter ann`")
def undo_command(
    at: Named,
    event_id: str | None = None,
    last: bool = False,
    import_: str | None = None,
    voter: Voter = None,
) -> Reply:
    """Stop counting a vote; it stays in the log, and so does its undoing.

    What is proved then holds with and without the vote, so you may undo votes for any reason.

    [ID]               The vote's event_id.
    --last             The last vote that still counts.
    --import SOURCE    Undo every vote imported from this source: the file's name, or the name given with --source.
    """
    if [event_id is not None, last, import_ is not None].count(True) != 1:
        raise InvalidParameter(
            "say which vote to undo: either its event_id, or --last, or --import SOURCE."
        )
    work = at.open()
    if import_ is not None:
        undone = work.undo_import(import_)
        said = f"Undid {format_count(undone, 'vote')} imported from '{import_}'."
        return Reply({"study": work.name, "source": import_, "undone": undone}, said)
    chosen = event_id or _last(work, voter)
    work.undo(chosen)
    return Reply({"study": at.name, "undone": chosen}, f"The vote {chosen} no longer counts.")


def _last(work: Study, voter: str | None) -> str:
    """The last vote, of one voter if so told, that was not undone."""
    for vote in reversed(work.votes()):
        if not vote.undone and voter in (None, vote.voter):
            return vote.event_id
    whose = "" if voter is None else f" of '{voter}'"
    raise UnknownVote(f"there is no vote{whose} to undo.")


@study.command("vote", epilog="Example: `copeland study vote tea --voter ann`")
def vote_command(
    at: Named,
    voter: Voter = None,
    ballots: int | None = None,
    item: Item = None,
    folder: Folder = None,
    *,
    as_json: Json = False,
) -> Reply:
    """Vote by typing l, r, t (tie), b (both bad), s (skip), u (undo) or q (quit), and Enter.

    An option with a text or a file is shown without its name, so voting is blind. In a study of
    people or of a panel, the voter is by default the name of your account.

    --ballots N    Stop after this many votes.
    """
    work = at.open()
    kind_of(work.settings).refuse_loose_ballot(work.name, work.settings)
    voter, answer = voter or _name_account(work), ""
    given: list[tuple[Ballot, Vote]] = []
    hand = work.ask(voter, item=item)
    while hand and len(given) != ballots:
        if not as_json:
            _show_ballot(work, hand, len(given), folder or work.storage.folder)
        answer = _read_answer()
        if answer in (QUIT, CTRL_C):
            break
        if answer == UNDO and given:
            _give_back(work, hand, voter)
            hand, vote = given.pop()
            work.undo(vote)
        elif answer == UNDO:
            note("copeland: there is nothing to undo.")
        else:
            given.append((hand, work.tell(hand, answer, voter, source="terminal")))
            hand = None if len(given) == ballots else work.ask(voter, item=item)
    why, until = "", None
    if finished := hand is None and len(given) != ballots:
        why = f" {nothing_left(work, voter)}"
    elif hand:
        _give_back(work, hand, voter)
    elif hand is not None:
        why, until = f" {wait_first(hand)}", hand.until
    if not as_json:
        note(f"copeland: {format_count(len(given), 'answer')} kept.{why}")
    votes = [vote.event_id for _, vote in given]
    result = {"study": at.name, "votes": votes, "finished": finished, "wait_until": until}
    return Reply(result, code=INTERRUPTED if answer == CTRL_C else 0)


def _show_ballot(work: Study, ballot: Ballot, given: int, folder: Path | None) -> None:
    show(f"\nWhich is better?{f' On: {ballot.item}' if ballot.item else ''} ({given} answered)")
    for side, name in (("left", ballot.left), ("right", ballot.right)):
        option = work.option(name)
        text = option.text or option.path or name
        if text == option.path:
            with suppress(InvalidParameter):  # an image, say, of which the name is shown
                text = read_material(option.path, folder)
        show(f"\n--- {side} ---", text)
    show("", "   ".join(f"{key}: {meaning}" for key, meaning in KEYS.items()))


def _read_answer() -> str:
    """Return what the first line means that means something."""
    while True:
        try:
            line = sys.stdin.readline()
        except KeyboardInterrupt:
            return CTRL_C
        word = line.strip().lower().replace(" ", "_")
        if not line or word in KEYS or word in KEYS.values():
            return KEYS.get(word, word) if line else QUIT
        note(f"copeland: '{line.strip()}' is not an answer; type one of these: {', '.join(KEYS)}.")


def _give_back(work: Study, ballot: Ballot, voter: str | None) -> None:
    """Skip a ballot, so that the study does not wait for its answer; a person meets it again."""
    if not work.settings.once:
        work.tell(ballot, "skip", voter, source="terminal: left")


def _name_account(work: Study) -> str | None:
    """Return who sits at this terminal, where it matters: one person, however many ballots."""
    try:
        account = getpass.getuser() if work.settings.once else None
    except (KeyError, OSError):  # an account without a name
        account = "terminal"
    members = work.settings.panel
    if not kind_of(work.settings).admits(work.settings, account):
        raise InvalidParameter(
            f"your account is '{account}', which is not on the panel; say with --voter whether you "
            f"are {join_names(members, last='or')}."
        )
    return account
