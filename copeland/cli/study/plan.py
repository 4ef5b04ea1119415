"""copeland study plan and copeland study allocate: how many more votes it may take, and which users see which rankers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from copeland.cli.arguments import Force
from copeland.cli.interrupts import INTERRUPTED
from copeland.cli.output import Line, Reply, note, progress_bar, require_new
from copeland.cli.study import Named, study
from copeland.support.phrasing import percent

if TYPE_CHECKING:
    from copeland.forecast.forecast import Forecast, Way
    from copeland.forecast.races import Within
    from copeland.study import Study
    from copeland.study.allocation import Allocation

_SHOWN = 20  # pairs
_EXAMPLE = "copeland study allocate rankers --impressions 100000 --out allocation.json"


@study.command("plan", epilog="Example: `copeland study plan tea`")
def plan_command(
    at: Named,
    until: str = "proved",
    people: int | None = None,
    worlds: int | None = None,
    most: int = 20_000,
    seed: int = 0,
) -> Reply:
    """Predict how many more votes it takes to prove an option best.

    It draws worlds from what the votes so far leave plausible. In each world it counts votes by three ways of choosing pairs, with
    the same stopping rule: as this package does, which it computes, and by all pairs in turn and by random pairs, which it simulates.

    --until     Count votes until an option is proved best, or the study's goal is reached; or, with likely=0.95, until its
        chance to be best reaches 0.95, which is an estimate.
    --people    How many voters there will be in all, where people vote; by default, those so far.
    --worlds    How many plausible worlds; by default 100, as for every forecast that is shown, and fewer of many options.
    --most      Give up on a world after this many further votes.
    --seed      Same seed, same plan.
    """
    from copeland.forecast.start import read_until
    from copeland.study.kinds import kind_of

    goal = read_until(until, "--until")
    work = at.open()
    try:
        with progress_bar("worlds") as advance:
            plan = work.plan(worlds, most, seed, advance, until=goal, people=people)
    except KeyboardInterrupt:
        note("copeland: stopped before the first world was done.")
        raise typer.Exit(INTERRUPTED) from None
    reach = kind_of(work.settings).plan_sentence(plan, work.settings)
    result = _describe(at.name, plan) | {"reach": reach or None}
    code = INTERRUPTED if plan.interrupted else 0
    return Reply(result, _plan_lines(work, plan, reach), code=code)


def _plan_lines(work: Study, plan: Forecast, reach: str) -> Iterator[Any]:
    from copeland.study.kinds import kind_of
    from copeland.study.report.study_tables import plan_sentences, plan_table
    from copeland.support.goal import Goal

    end = plan.goal.words if plan.goal.likely else Goal.parse(work.settings.goal).end
    yield f"{work.name}: {plan.votes:,} votes so far. Until {end}, in {plan.worlds} plausible worlds:"
    yield plan_table(plan)
    yield from plan_sentences(plan)
    yield from filter(None, [reach])
    yield kind_of(work.settings).belief


def _describe(name: str, plan: Forecast) -> dict[str, Any]:
    return {
        "study": name,
        "options": plan.options,
        "votes": plan.votes,
        "until": str(plan.goal),
        "worlds": plan.worlds,
        "most": plan.most,
        "interrupted": plan.interrupted,
        "ways": [
            {"way": way.name, "votes": _quantiles(way), "unfinished": way.unfinished}
            for way in plan.ways
        ],
        "people": None if plan.people is None else _quantiles(plan.people),
        "within": None if plan.within is None else _within(plan.within),
    }


def _quantiles(way: Way) -> dict[str, float | None]:
    """Some quantiles, None where they are beyond the cap."""
    return {f"q{round(100 * q)}": way.quantile(q) for q in (0.1, 0.5, 0.9)}


def _within(within: Within) -> dict[str, Any]:
    """What the voters so far can settle."""
    told = within._asdict() | {"worlds": len(within.votes), "settled": within.settled}
    del told["votes"]
    return told


@study.command("allocate", epilog=f"Example: `{_EXAMPLE}`")
def allocate_command(
    at: Named,
    impressions: int,
    out: Path | None = None,
    control: str | None = None,
    control_share: float = 0.0,
    cap: float = 1.0,
    traffic: float = 1.0,
    valid: float = 3600.0,
    force: Force = False,
) -> Reply:
    """Divide users among the pairs that the study would ask next.

    A paused option is in no pair of the next document.

    --impressions       How many lists you will show while the document is valid.
    --out FILE.json     Write the document here.
    --control OPTION    What users who do not take part see; by default, the leader.
    --control-share     The share of users who never take part.
    --cap               The largest share of interleaved lists that may hold one ranker.
    --traffic           The share of users who take part; raise it step by step.
    --valid             Seconds for which the document holds.
    """
    if out is not None:
        require_new(out, force)
    found = at.open().allocate(
        impressions,
        control=control,
        control_share=control_share,
        cap=cap,
        traffic=traffic,
        valid=valid,
    )
    if out is not None:
        from copeland.support.atomic_files import write_file

        write_file(out, found.to_json().encode())
        note(f"Written to {out}; it holds until {found.valid_until}.")
    lines = [Line(found.to_json().rstrip())] if out is None else _sentences(found)
    return Reply(json.loads(found.to_json()), lines)


def _sentences(found: Allocation) -> Iterator[str]:
    from copeland.study.allocation import BUCKETS

    filled = sum(share.end - share.first for share in found.pairs) / BUCKETS  # less under a cap
    part = found.taking_part / BUCKETS * filled
    then = f"Once this expires, everybody sees {found.alone}."
    if part == 0:
        yield f"No users take part; everybody sees {found.alone}."
    elif part == 1:
        yield f"All users take part. {then}"
    else:
        yield f"{percent(part)} of users take part; the others see {found.alone}. {then}"
    pairs = sorted(found.pairs, key=lambda share: share.first - share.end)
    for share in pairs[:_SHOWN]:
        yield f"  {percent((share.end - share.first) / BUCKETS)} {share.left} and {share.right}"
    if len(pairs) > _SHOWN:
        yield f"  and {len(pairs) - _SHOWN:,} more pairs"
