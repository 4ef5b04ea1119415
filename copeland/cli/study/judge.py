"""copeland study judge: let programs or language models vote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copeland.cli.arguments import STORAGE, Json, Number, Storage, Whole
from copeland.cli.interrupts import INTERRUPTED
from copeland.cli.output import note, print_json, progress_bar, show
from copeland.cli.program import FAILURE
from copeland.cli.study import AsGuide, Folder, Name, nothing_left, open_study, study, wait_first
from copeland.errors import InvalidParameter, StudyClosed
from copeland.support.escaping import command_line
from copeland.support.phrasing import format_count, percent

if TYPE_CHECKING:
    from copeland.study import Study, Wait
    from copeland.study.judges import Summary

_EXAMPLE = 'copeland study judge tea --command "python judge.py {left} {right}" --calls 500'
_CODES = {"failed": FAILURE, "interrupted": INTERRUPTED}


@study.command("judge", epilog=f"Example: `{_EXAMPLE}`")
def judge_command(
    name: Name,
    command: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COMMAND",
            help="A program that prints an outcome; {left}, {right} and {item} stand for texts. "
            "Repeat for each.",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL", help="A language model at --url; repeat for each."),
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="An endpoint that speaks OpenAI's chat completions.")
    ] = None,
    voter: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="The name under which a judge votes; repeat for each, programs first.",
        ),
    ] = None,
    until: Annotated[
        str,
        typer.Option(
            help="Go on until an option is proved best, or the study's goal is reached; or, with likely=0.95, until its chance "
            "to be best reaches 0.95, which is an estimate."
        ),
    ] = "proved",
    calls: Annotated[int, Whole(help="Make at most this many calls to judges.")] = 1_000,
    cost: Annotated[
        float | None, Number(help="Spend at most this much money; needs --prices.")
    ] = None,
    prices: Annotated[
        str | None,
        typer.Option(
            metavar="IN,OUT", help="Prices of a million tokens, read and written: 0.15,0.60."
        ),
    ] = None,
    swap: Annotated[
        str,
        typer.Option(
            help="random: one call per ballot; confirm: two calls, the second with the sides swapped."
        ),
    ] = "random",
    items: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What options are compared on: .txt, .csv, .jsonl or .json, or any file of answers.",
        ),
    ] = None,
    repeat: Annotated[
        bool,
        typer.Option(
            "--repeat",
            help="Ask the same question again: only for a judge that answers by chance.",
        ),
    ] = False,
    prompt: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What to tell models, with {left}, {right} and {item}."),
    ] = None,
    key_variable: Annotated[
        str,
        typer.Option(metavar="NAME", help="The environment variable with the key; '' for none."),
    ] = "OPENAI_API_KEY",
    workers: Annotated[int, Whole(help="How many ballots to judge at the same time.")] = 1,
    temperature: Annotated[
        float, Number(help="How freely models draw their answers; above 0, --repeat makes sense.")
    ] = 0.0,
    max_tokens: Annotated[int, Whole(help="How many tokens a model's answer may have.")] = 16,
    timeout: Annotated[float, Number(help="How many seconds a judge may take.")] = 60.0,
    patience: Annotated[int, Whole(help="Stop when a judge fails this many times in a row.")] = 5,
    seed: Annotated[int, Whole(help="Same seed, same items.")] = 0,
    guide: AsGuide = False,
    folder: Folder = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Let judges vote until nothing is left to ask, or a limit is reached; Ctrl-C keeps what is judged.

    A judge answers each pair, with its sides and item, once; in a study of --voters judge, all judges together. A failure is kept as an error, which is
    not a vote. Exit code 1 if a judge keeps failing.
    """
    from copeland.forecast.start import read_until
    from copeland.study.judges import judge_study, read_items
    from copeland.study.judges.price_estimate import estimate_price
    from copeland.support.atomic_files import read_text

    goal = read_until(until, "--until")
    if temperature < 0:
        raise InvalidParameter(f"--temperature is {temperature:g}; it must be 0 or more.")
    work = open_study(name, storage)
    if work.closed:
        raise StudyClosed(f"the study '{name}' is closed; it takes no more votes.")
    judges = _judges(
        command or [],
        model or [],
        voter or [],
        {
            "url": url,
            "prompt": None if prompt is None else read_text(prompt),
            "prices": _prices(prices),
            "key_variable": key_variable or None,
            "max_tokens": max_tokens,
            "options": {"temperature": temperature},
        },
        timeout,
    )
    drawn = None if items is None else read_items(items)
    place = folder or work.storage.folder
    priced = estimate_price(work, judges, calls, drawn, swap, place, cost, repeat)
    if priced is not None:
        note(f"copeland: {priced.sentence}")
    with progress_bar("calls") as advance:
        advance(0, calls)
        done = judge_study(
            work,
            judges,
            until=goal,
            calls=calls,
            cost=cost,
            swap=swap,
            workers=workers,
            items=drawn,
            seed=seed,
            repeat=repeat,
            patience=patience,
            folder=folder,
            role="guide" if guide else None,
            progress=lambda judged: advance(judged.calls, calls),
            rest=_resting(),
        )
    if as_json:
        print_json(_describe(name, done))
    else:
        show(*_sentences(work, done, guide))
    if done.reason in _CODES:
        raise typer.Exit(_CODES[done.reason])


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


def _judges(
    commands: list[str], models: list[str], voters: list[str], chat: dict[str, Any], timeout: float
) -> list[Any]:
    """The judges that were named, each the voter it was told to be."""
    from copeland.study.judges import ChatJudge, CommandJudge

    if not commands and not models:
        raise InvalidParameter("name a judge: --command PROGRAM, or --model MODEL with --url.")
    if models and chat["url"] is None:
        raise InvalidParameter(f"the model '{models[0]}' needs the --url of its endpoint.")
    if voters and len(voters) != len(commands) + len(models):
        raise InvalidParameter(
            f"--voter is given {len(voters)} times for {len(commands) + len(models)} judges; "
            "name each, or none."
        )
    names = voters or [None] * (len(commands) + len(models))
    programs = [
        CommandJudge(command, timeout, name) for command, name in zip(commands, names, strict=False)
    ]
    return programs + [
        ChatJudge(model, **chat, timeout=timeout, name=name)
        for model, name in zip(models, names[len(commands) :], strict=True)
    ]


def _prices(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        read, written = (float(part) for part in text.split(","))
    except ValueError:
        raise InvalidParameter(
            f"--prices is '{text}'; write two numbers, as in 0.15,0.60."
        ) from None
    return read, written


def _describe(name: str, done: Summary) -> dict[str, Any]:
    told = {
        field: getattr(done, field)
        for field in (
            *("calls", "votes", "skips", "errors", "left_out", "retries", "confirmed", "flips"),
            *("tokens", "cost", "reason", "stopped"),
        )
    }
    agreement = {
        "pairs": [pair._asdict() for pair in done.agreement.pairs],
        "judges": [judge._asdict() for judge in done.agreement.judges],
    }
    swaps = [{"judge": judge} | swaps._asdict() for judge, swaps in done.swaps.items()]
    total = done.total._asdict()
    return {"study": name, **told, "total": total, "swaps": swaps, "agreement": agreement}


def _sentences(work: Study, done: Summary, guide: bool) -> list[str]:
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
    paid = f", cost {done.cost:,.4g}" if done.cost else ""
    said = [
        f"{format_count(done.votes, 'vote')} from {format_count(done.calls, 'call')}"
        f"{paid}{' (' + ', '.join(besides) + ')' if besides else ''}. Stopped: {done.stopped}"
    ]
    if done.reason == "finished":
        said.append(nothing_left(work))
    if done.reason == "likely":
        said.append("To go on to a proof, judge without --until.")
    if done.reason == "answered" and guide:
        vote = command_line("copeland", "study", "vote", work.name)
        said.append(f"What guides say proves nothing; let people vote: {vote}")
    elif done.reason == "answered" and work.settings.cases:
        said += work.verdict().advice
    elif done.reason == "answered":
        said.append(
            "Name more items with --items, or vote yourself: "
            f"{command_line('copeland', 'study', 'vote', work.name)}. A judge that answers by chance "
            "may answer again with --repeat."
        )
    if done.total.calls > done.calls:
        said.append(spent_sentence(done.total))
    said += flip_sentences(done.swaps)
    said += [
        f"{pair.first} and {pair.second} agree in {percent(pair.agreement)} of {pair.n:,} cases."
        for pair in done.agreement.pairs
    ]
    return [*said, f"How it stands: {command_line('copeland', 'study', 'status', work.name)}"]
