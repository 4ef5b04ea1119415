"""copeland study judge: let programs or language models vote."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copeland.cli.interrupts import INTERRUPTED
from copeland.cli.judge_options import Cost, Judges, Patience
from copeland.cli.output import Reply, note, progress_bar
from copeland.cli.program import FAILURE
from copeland.cli.study import Folder, Named, Server, find_study, nothing_left, study, wait_first
from copeland.errors import InvalidParameter, StudyClosed
from copeland.study.kinds import kind_of
from copeland.support.escaping import command_line
from copeland.support.phrasing import format_count, format_money, percent

if TYPE_CHECKING:
    from copeland.study import Wait
    from copeland.study.any_study import AnyStudy
    from copeland.study.judges import Judged, Summary

_EXAMPLE = 'copeland study judge tea --command "python judge.py {left} {right}" --calls 500'
_CODES = {"failed": FAILURE, "interrupted": INTERRUPTED}


@study.command("judge", epilog=f"Example: `{_EXAMPLE}`")
def judge_command(
    at: Named,
    judges: Judges,
    until: str = "proved",
    calls: int = 1_000,
    cost: Cost = None,
    swap: str = "random",
    items: Path | None = None,
    cluster: str | None = None,
    repeat: bool = False,
    workers: int | None = None,
    patience: Patience = 5,
    folder: Folder = None,
    server: Server = None,
) -> Reply:
    """Let judges vote until nothing is left to ask, or a limit is reached; Ctrl-C keeps what is judged.

    Without --items a judge answers each pair, with its sides, once; on test cases, all judges together answer each
    pair once on each. A failure is kept as an error, which is not a vote. Exit code 1 if a judge keeps failing.

    --until         Go on until an option is proved best, or the study's goal is reached; or, with likely=0.95, until its chance to be
        best reaches 0.95, which is an estimate.
    --calls         Make at most this many calls to judges.
    --swap          random: one call per ballot; confirm: a second call with the sides swapped, unless the first says tie.
    --items FILE    The test cases of a study of --judge, all of them: .txt, .csv, .jsonl or .json, or any file of answers.
    --cluster COLUMN    The column of --items that says which test cases hang together; cluster, if there is one.
    --repeat        Ask the same question again: only for a judge that draws each answer afresh.
    --workers       How many ballots to judge at the same time. [default: 1; with language models it doubles to 8 until a server is
        overloaded]
    """
    from copeland.forecast.start import read_until
    from copeland.study.any_study import folder_of
    from copeland.study.judges import judge_study, read_items
    from copeland.study.judges.price_estimate import estimate_price
    from copeland.study.judges.workers import MOST, may_share

    goal = read_until(until, "--until")
    work = find_study(at.name, at.storage, server)
    if work.closed:
        raise StudyClosed(f"the study '{at.name}' is closed; it takes no more votes.")
    named = judges.make()
    if cluster is not None and items is None:
        raise InvalidParameter("--cluster names a column of a file; give that with --items FILE.")
    drawn = None if items is None else read_items(items, cluster)
    place = folder or folder_of(work)
    priced = estimate_price(work, named, calls, drawn, swap, place, repeat)
    if priced is not None:
        note(f"copeland: {priced.sentence}")
    grows = workers is None and may_share(named)
    said = f"copeland: up to {MOST} calls at a time, and fewer when a server is overloaded; --workers fixes the number."
    announce = cache(lambda: note(said) if grows else None)  # once, when all is well
    with progress_bar("calls") as advance:

        def tell(judged: Judged) -> None:
            announce()
            advance(judged.calls, calls)

        advance(0, calls)
        done = judge_study(
            work,
            named,
            until=goal,
            calls=calls,
            cost=cost,
            swap=swap,
            workers=workers,
            items=drawn,
            repeat=repeat,
            patience=patience,
            folder=folder,
            progress=tell,
            rest=_resting(),
        )
    code = _CODES.get(done.reason, 0)
    return Reply(_describe(at.name, done), _sentences(work, done, server), code=code)


def _resting() -> Callable[[Wait], None]:
    """Sleep where a judge must, and say until when, once."""
    from copeland.study.judges import sleep_until

    said: set[Wait] = set()

    def rest(wait: Wait) -> None:
        if wait not in said:
            note(f"copeland: waiting. {wait_first(wait)}")
            said.add(wait)
        sleep_until(wait)

    return rest


def _describe(name: str, done: Summary) -> dict[str, Any]:
    agreement = {"pairs": [pair._asdict() for pair in done.agreement.pairs]}
    swaps = [{"judge": judge} | swaps._asdict() for judge, swaps in done.swaps.items()]
    parts = {"total": done.total._asdict(), "swaps": swaps, "agreement": agreement}
    return {"study": name, **vars(done), **parts}


def _sentences(work: AnyStudy, done: Summary, server: str | None) -> list[str]:
    from copeland.study.results.agreement import flip_sentences, spent_sentence

    besides = [
        words
        for number, words in (
            (done.errors, format_count(done.errors, "error")),
            (done.skips, format_count(done.skips, "skip")),
            (done.left_out, f"skipped {done.left_out:,} already answered"),
            (done.retries, f"{done.retries:,} sent again"),
        )
        if number
    ]
    paid = f", cost {format_money(done.cost)}" if done.cost else ""
    sentences = [
        f"{format_count(done.votes, 'vote')} from {format_count(done.calls, 'call')}"
        f"{paid}{' (' + ', '.join(besides) + ')' if besides else ''}. Stopped: {done.stopped}"
    ]
    if done.overloads:
        sentences.append(
            f"A judge was overloaded {format_count(done.overloads, 'time')}; in the end there were "
            f"{format_count(done.workers, 'call')} at a time."
        )
    if done.reason == "finished":
        sentences.append(nothing_left(work))
    if done.reason == "likely":
        sentences.append("To go on to a proof, judge without --until.")
    if done.reason == "answered" and kind_of(work.settings).draws_cases:
        sentences += work.verdict().advice
    elif done.reason == "answered":
        vote = f"You may vote yourself: {command_line('copeland', 'study', 'vote', work.name)}. "
        sentences.append(
            f"{'' if server else vote}A judge that draws each answer afresh may answer again with --repeat."
        )
    if done.total.calls > done.calls:
        sentences.append(spent_sentence(done.total))
    sentences += [*flip_sentences(done.swaps), *done.habits]
    sentences += [
        f"{pair.first} and {pair.second} agree in {percent(pair.agreement)} of {pair.n:,} cases."
        for pair in done.agreement.pairs
    ]
    where = "" if server is None else f" --server {command_line(server)}"
    return [*sentences, f"How it stands: copeland study status{where} {command_line(work.name)}"]
