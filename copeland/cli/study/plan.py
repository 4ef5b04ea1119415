"""copeland study plan: how many more votes it may take, and what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from copeland.cli.options import Json, Number, Whole
from copeland.cli.progress import progress_bar
from copeland.cli.shell import INTERRUPTED, note, print_json, show
from copeland.cli.study.group import STORAGE, Name, Storage, opened, study
from copeland.errors import InvalidParameter

if TYPE_CHECKING:
    from copeland.forecast.forecast import Forecast, Way
    from copeland.forecast.voter_races import Within
    from copeland.study import Study


@study.command("plan", epilog="Example: `copeland study plan tea --cost-per-vote 0.05`")
def plan_command(
    name: Name,
    cost_per_vote: Annotated[float | None, Number(help="What one vote costs.")] = None,
    until: Annotated[
        str,
        typer.Option(
            help="Count votes until an option is proved best, or, with likely=0.95, until its "
            "chance to be best reaches 0.95, which is an estimate."
        ),
    ] = "proved",
    people: Annotated[
        int | None,
        Whole(
            help="How many voters there will be in all, where people vote; by default, those so far."
        ),
    ] = None,
    worlds: Annotated[
        int | None,
        Whole(
            help="How many plausible worlds to simulate; 20 by default, as for every forecast that is shown."
        ),
    ] = None,
    most: Annotated[int, Whole(help="Give up on a world after this many further votes.")] = 20_000,
    seed: Annotated[int, Whole(help="Same seed, same plan.")] = 0,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Predict by simulation how many more votes it takes to prove an option best.

    It draws worlds from what the votes so far leave plausible. In each world it continues the study in
    three ways, with the same stopping rule: as this package chooses pairs, by all pairs in turn, and by
    random pairs.
    """
    if cost_per_vote is not None and not cost_per_vote > 0:
        raise InvalidParameter(f"--cost-per-vote is {cost_per_vote}; it must be above 0.")
    from copeland.forecast.panel_forecast import BELIEF as PANEL_BELIEF
    from copeland.forecast.plausible_worlds import BELIEF
    from copeland.forecast.start import goal_of
    from copeland.study.report.study_tables import plan_sentences, plan_table
    from copeland.study.results.voter_reach import plan_sentence

    goal = goal_of(until, "--until")
    work = opened(name, storage)
    _require_people(people, work)
    try:
        with progress_bar("worlds") as advance:
            plan = work.plan(worlds, most, seed, advance, until=goal, people=people)
    except KeyboardInterrupt:
        note("copeland: stopped before the first world was done.")
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        said = {"reach": plan_sentence(plan, work.settings) or None}
        print_json(_described(name, plan, cost_per_vote) | said)
    else:
        show(
            f"{name}: {plan.votes:,} votes so far. Until {plan.goal.words}, in "
            f"{plan.worlds} plausible worlds:",
            plan_table(plan, cost_per_vote),
            *plan_sentences(plan),
            *filter(None, [plan_sentence(plan, work.settings)]),
            PANEL_BELIEF if work.settings.panel else BELIEF,
        )
    if plan.interrupted:
        raise typer.Exit(INTERRUPTED)


def _require_people(people: int | None, work: Study) -> None:
    """Refuse a number of people where nobody knows of people."""
    if people is not None and not work.settings.people:
        raise InvalidParameter(
            f"--people is for studies of people, and here voters are '{work.settings.voters}'; leave it out."
        )


def _described(name: str, plan: Forecast, price: float | None) -> dict[str, Any]:
    return {
        "study": name,
        "options": plan.options,
        "votes": plan.votes,
        "until": str(plan.goal),
        "worlds": plan.worlds,
        "most": plan.most,
        "interrupted": plan.interrupted,
        "cost_per_vote": price,
        "ways": [_way(way, price) for way in plan.ways],
        "people": None if plan.people is None else _quantiles(plan.people),
        "within": None if plan.within is None else _within(plan.within),
    }


def _way(way: Way, price: float | None) -> dict[str, Any]:
    """Quantiles are null where they are beyond the cap."""
    votes = _quantiles(way)
    told = {"way": way.name, "votes": votes, "unfinished": way.unfinished}
    if price is not None:
        told["cost"] = {q: None if n is None else n * price for q, n in votes.items()}
    return told


def _quantiles(way: Way) -> dict[str, float | None]:
    return {f"q{round(100 * q)}": way.quantile(q) for q in (0.1, 0.5, 0.9)}


def _within(within: Within) -> dict[str, Any]:
    """What the voters so far can settle."""
    told = within._asdict() | {"worlds": len(within.votes), "settled": within.settled}
    del told["votes"]
    return told
