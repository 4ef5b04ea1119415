"""A board for people to read: a page with intervals and pairs, a table for a README, and one for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from copeland.boards.board_claims import BoardClaims, BoardRow
from copeland.orders.rank import Place, Ranking, format_ranks
from copeland.report.document import (
    INK,
    PALETTE,
    document,
    image,
    inline_svg,
    name,
    new_figure,
    plain_axes,
)
from copeland.report.ranking_figure import describe_ranking, ranking_figure
from copeland.report.terminal_tables import FOLDED, LONGEST, NUMBER, make_table, plain_text
from copeland.support.markdown import escape_markdown, tabulate_markdown
from copeland.support.phrasing import shorten_names
from copeland.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table


MOST = 60  # systems of which the pairs are drawn
_NAME = 18  # letters of a name beside the pairs
_ROW = 0.19  # inches
_SIDE = 1.7  # inches beside the pairs
_LETTERS = 8.0  # points


def board_page(board: BoardClaims, command: str = "") -> str:
    """Return a board as an HTML page that needs nothing else."""
    ranking = rank_board(board)
    shown = board.rows[:MOST]
    pairs = inline_svg(image(pairs_figure(board), "svg", "pairs"))
    more = (
        f" Of {len(board.rows):,} systems, the first {MOST}."
        if len(shown) < len(board.rows)
        else ""
    )
    return document(
        "board",
        title="Board",
        verdict=board.sentence,
        advice=[*board.advice, *board.notes],
        ranking=inline_svg(image(ranking_figure(ranking), "svg", "ranking")),
        ranking_alt=describe_ranking(ranking),
        pairs=pairs,
        pairs_span=f"min-width: {min(len(shown), MOST) * 1.1 + 8:.0f}rem",
        pairs_alt=f"{board.pairs_apart:,} of {board.pairs:,} pairs are told apart.",
        pairs_lead=f"A mark: the system of the row is proved better than the system of the column.{more}",
        head=_list_head(board),
        rows=[_list_cells(board, row) for row in board.rows],
        known={"what is proved": board.assumptions},
        versions={"copeland": __version__},
        command=command,
    )


def rank_board(board: BoardClaims) -> Ranking:
    """Return the order of a board as a ranking, which has a figure."""
    k, places = len(board.rows), []
    for n, row in enumerate(board.rows):
        values = row.mean, row.low, row.high
        if row.wins is not None:
            least, lost = int(board.better[n].sum()), int(board.better[:, n].sum())
            values = float(row.wins), float(least), float(k - 1 - lost)
        places.append(Place(row.name, row.tier, *values, row.rank_low, row.rank_high))
    by = "mean" if board.by == "mean" else "copeland"
    return Ranking(tuple(places), board.delta, board.notes, by=by)


def pairs_figure(board: BoardClaims) -> Figure:
    """Return which systems are proved better than which, as a square of marks."""
    names = shorten_names([row.name for row in board.rows[:MOST]], _NAME)
    k = len(names)
    side = _SIDE + max(_ROW * k, 1.0)
    figure = new_figure(side, side)
    axes = figure.subplots()
    for sign, table in ((0, board.better), (1, board.better.T)):
        below, across = table[:k, :k].nonzero()
        colour = PALETTE[5] if sign == 0 else INK
        axes.scatter(
            across, below, s=16, marker="s", color=colour, alpha=1.0 if sign == 0 else 0.15
        )
    plain_axes(axes, _LETTERS, grid="none")
    axes.set(xlim=(-0.5, k - 0.5), ylim=(k - 0.5, -0.5), aspect="equal")
    axes.set_yticks(range(k), names, parse_math=False)
    axes.set_xticks(range(k), names, rotation=90, parse_math=False)
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    for label, row in zip(axes.get_yticklabels(), board.rows, strict=False):
        name(label, row.name)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure


def board_table(board: BoardClaims) -> Table:
    """Return the systems as a table for a terminal."""
    head = _list_head(board)
    layout: dict[str, Any] = dict.fromkeys(head, NUMBER)
    table = make_table(None, {**layout, "system": FOLDED})
    before = 1
    for row in board.rows[:LONGEST]:
        if row.tier > before:
            table.add_section()
        before = row.tier
        table.add_row(*(plain_text(cell) for cell in _list_cells(board, row)))
    cut = len(board.rows) > LONGEST
    first = f"the first {LONGEST} of {len(board.rows):,} systems, --json gives all; " if cut else ""
    table.caption = plain_text(
        f"{first}tier: the systems of one are tied, as a group; rank: where it may be; intervals, ranks and tiers hold together"
    )
    return table


def board_markdown(board: BoardClaims) -> str:
    """Return a board as a table for a README."""
    cells = [_list_cells(board, row) for row in board.rows]
    notes = (*board.advice, *board.notes, board.assumptions)
    parts = (
        escape_markdown(board.sentence),
        tabulate_markdown(_list_head(board), cells),
        "\n".join(f"- {escape_markdown(note)}" for note in notes),
    )
    return "\n\n".join(parts) + "\n"


def _list_head(board: BoardClaims) -> list[str]:
    wins = ["wins"] if board.by == "wins" else []
    return [
        "system",
        "tier",
        *wins,
        "mean",
        "interval",
        "rank",
        *([board.goal] if board.rows[0].place else []),
    ]


def _list_cells(board: BoardClaims, row: BoardRow) -> Sequence[str]:
    wins = [] if row.wins is None else [f"{row.wins:,}"]
    ranks = format_ranks(
        Place(row.name, row.tier, row.mean, row.low, row.high, row.rank_low, row.rank_high)
    )
    cells = [
        row.name,
        str(row.tier),
        *wins,
        f"{row.mean:.3f}",
        f"{row.low:.3f} to {row.high:.3f}",
        ranks,
    ]
    return [*cells, row.place] if row.place else cells
