"""Tables of studies for a terminal: plain values in, rich tables out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from copeland.orders.rank import COLUMNS, MEANING, format_place, format_ranks
from copeland.report.terminal_tables import FIXED, FOLDED, LONGEST, NUMBER, make_table, plain_text
from copeland.study.results.analysis import strength_words
from copeland.support.phrasing import about, format_count, percent_chance

if TYPE_CHECKING:
    from rich.table import Table

    from copeland.forecast.forecast import Forecast, Way
    from copeland.orders.rank import Ranking
    from copeland.study.results.analysis import OptionRow


def studies_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return the studies of a storage, a row for each."""
    table = _start_table("study", ("options", "votes"))
    table.add_column("how it stands")
    for row in rows:
        stands = row["stands"] + (" (closed)" if row["closed"] else "")
        table.add_row(
            plain_text(row["study"]), f"{row['options']:,}", f"{row['votes']:,}", plain_text(stands)
        )
    return table


def _start_table(name: str, numbers: Sequence[str]) -> Table:
    """A table of names, with columns of numbers."""
    return make_table(None, {name: FOLDED, **dict.fromkeys(numbers, NUMBER)})


def standing_table(rows: Sequence[OptionRow]) -> Table:
    """Return the options of a study, who leads first."""
    guessed = any(row.chance is not None for row in rows)
    chance = ("chance",) if guessed else ()
    table = _start_table("option", ("won", "lost", "tied", "beats", "proved", *chance))
    table.add_column("")
    for row in rows[:LONGEST]:
        table.add_row(
            plain_text(row.name),
            *(f"{n:,}" for n in (row.won, row.lost, row.tied, row.beats, row.least)),
            *(["" if row.chance is None else percent_chance(row.chance)] if guessed else []),
            plain_text(row.add_state(row.place)),
        )
    table.caption = plain_text(
        f"{_note_first(len(rows))}beats: how many options, so far; proved: at least this many{_note_chance(rows)}"
    )
    return table


def _note_chance(rows: Sequence[OptionRow]) -> str:
    """What the chances of a table are; nothing if it has none."""
    chances = [row.chance for row in rows if row.chance is not None]
    if not chances:
        return ""
    # Of a panel there is one estimate, and the chances add up.
    less = ": the smaller of two, so they add up to less than 100 %" if sum(chances) < 0.995 else ""
    return f"; chance: to be best, an estimate{less}"


def _note_first(options: int) -> str:
    """That a table does not show all options; nothing if it does."""
    more = f"the first {LONGEST} of {options} options, --json gives all; "
    return more if options > LONGEST else ""


def ranking_table(ranking: Ranking) -> Table:
    """Return all options, the best tier first."""
    by, scores = ranking.by, ranking.by == "copeland"
    columns = (
        ("beats", "proved", "rank", "strength") if scores else (COLUMNS[by], "interval", "rank")
    )
    table = make_table(None, {"tier": NUMBER, "option": FOLDED, **dict.fromkeys(columns, NUMBER)})
    before = 1
    for place in ranking.places[:LONGEST]:
        if place.tier > before:
            table.add_section()
        before = place.tier
        value, low, high = format_place(place, by)
        cells = [value, f"{low} to {high}", format_ranks(place)]
        cells += [strength_words(place.strength)] if scores else []
        table.add_row(str(place.tier), plain_text(place.name), *cells)
    meaning = (
        "beats: how many others, so far; proved: where that number must be; rank: where it may be; "
        "strength: log-odds by Bradley and Terry, an estimate"
        if scores
        else f"{COLUMNS[by]}: {MEANING[by]}; interval and rank hold for all options together ({ranking.proviso})"
    )
    table.caption = plain_text(f"{_note_first(len(ranking.places))}{meaning}")
    return table


def panel_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return the members of a panel, and how much each has answered."""
    table = _start_table("member", ("answers", "missing", "to ask"))
    table.add_column("")
    for row in rows:
        table.add_row(
            plain_text(row["name"]),
            *(f"{row[name]:,}" for name in ("answers", "missing", "to_ask")),
            "excused" if row["excused"] else "",
        )
    table.caption = plain_text("to ask: missing answers that may still affect the verdict")
    return table


def plan_table(plan: Forecast) -> Table:
    """Return how many more votes each way of asking may take."""
    table = make_table(None, {"how pairs are chosen": FIXED})
    for name in ("more votes (median)", "10 % to 90 %"):
        table.add_column(name, **NUMBER)
    for way in plan.ways:
        table.add_row(way.name, *_cells(way))
    return table


def _cells(way: Way) -> tuple[str, str]:
    low, middle, high = (_format_quantile(way, share) for share in (0.1, 0.5, 0.9))
    return middle, low if low == high else f"{low} to {high}"


def _format_quantile(way: Way, share: float) -> str:
    votes = way.quantile(share)
    return f"over {about(way.most)}" if votes is None else about(votes)


def plan_sentences(plan: Forecast) -> list[str]:
    """Return what a plan says beside its table."""
    said = []
    if plan.interrupted:
        said.append(f"Stopped by Ctrl-C after {format_count(plan.worlds, 'world')}.")
    cut = [f"{way.unfinished} by {way.name}" for way in plan.ways if way.unfinished]
    if cut:
        said.append(
            f"Stopped after {plan.most:,} votes without a proof, of {format_count(plan.worlds, 'world')}: "
            f"{', '.join(cut)}."
        )
    return said
