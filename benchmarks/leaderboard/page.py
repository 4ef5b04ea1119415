"""The page of the leaderboard, in Markdown: every table, and where ours is not the best."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from benchmarks.leaderboard.board import (
    DELTA,
    IDENTIFICATION,
    MOST_VOTES,
    OURS,
    REGRET,
    Leaderboard,
    Outcome,
    Played,
    Versus,
    entrants,
    excuse,
    excuse_from,
)
from copeland.registry import algorithms

FAR = 5  # rivals with more than this many times the least mean are only named
ASSUMES = "†"

_TITLES = {REGRET: "Regret", IDENTIFICATION: "Identification"}


def leaderboard_page(board: Leaderboard, date: str, versions: Mapping[str, str]) -> str:
    """Return the page; ``date`` and ``versions`` say when and with what the numbers were made."""
    parts = [
        *_opening(board, date, versions),
        *_summary(board),
        *_legend(),
        *_behind(board),
        *_same_threshold(board),
        *_board(board, REGRET),
        *_board(board, IDENTIFICATION),
        *_footprints(board),
        *_left_out(board),
    ]
    return "\n".join(parts) + "\n"


def _opening(board: Leaderboard, date: str, versions: Mapping[str, str]) -> Iterator[str]:
    made = ", ".join(f"{name} {version}" for name, version in versions.items())
    yield "# Leaderboard"
    yield ""
    yield (
        "Every [algorithm](algorithms.md) runs on every [problem](problems.md) that it can run on. This page has the result in short, a picture of all "
        "of it, the problems where our own algorithm loses, and the full tables, folded."
    )
    yield ""
    yield f"Written by `make leaderboard` on {date}: {made}; seed {board.seed}."
    if board.quick:
        yield "This is a quick board: it has fewer problems and runs than `make leaderboard`."


def _legend() -> Iterator[str]:
    yield ""
    yield "## How to read the tables"
    yield ""
    yield (
        "A random problem is drawn again for each run; run r of every algorithm gets the same draw. Slow algorithms have fewer runs, so a ratio uses "
        "only the runs that both sides have."
    )
    yield ""
    yield "- **Regret**: mean regret of Definition 1, up to 2 a duel, with its standard error, at T steps."
    yield (
        f"- **Votes**: mean number of votes until an algorithm stops, at delta = {DELTA:g}, with its standard error. Runs that have not ended "
        f"after {_power(MOST_VOTES)} votes, or that took too long, are *unfinished* and count with the votes they had. *Wrong*: runs that stopped with "
        "an option that is not a Copeland winner."
    )
    yield "- **Bold**: the least mean. **≥**: some runs were cut off, so the true mean is at least this."
    yield "- **x best**: the mean, as a multiple of the least mean. **x limit**: the mean, as a multiple of what theory allows in the long run, LB ln T or LB ln(1/delta)"
    yield (
        "  ([limits](theory.md)). It can be below 1, because the limit is asymptotic. Above 60 options we use the limit of ECW-RMED's plan, which is "
        "no lower."
    )
    yield (
        f"- **{ASSUMES}**: the algorithm assumes a Condorcet winner. Where there is one, the algorithm has less to prove. Where there is none, it may still end among the "
        "winners if these form a cycle on top, and no limit binds it there; elsewhere its regret is linear. So we list it separately."
    )
    yield "- **s**: seconds of one processor per run."
    yield "- `ccb:threshold=...` and `ecw-rmed:...threshold=...` decide pairs at the threshold that `cpc` has with that setting."


def _summary(board: Leaderboard) -> Iterator[str]:
    """How ours did over all problems, a row for each of ours."""
    yield ""
    yield "## In short"
    yield ""
    yield (
        "This table compares ours, over all problems and at the last mark, with algorithms that assume no Condorcet winner. It says on how many problems ours has the lowest mean, and "
        "gives the geometric mean of ours as a multiple of the best other and of the limit."
    )
    yield ""
    rows = [_summary_row(board, kind, name) for kind in OURS for name in OURS[kind]]
    yield from _table(
        ("board", "algorithm", "problems", "lowest", "x best other", "x limit"),
        [row for row in rows if row],
    )


def _summary_row(board: Leaderboard, kind: str, name: str) -> list[str]:
    runs = [
        (played, ours)
        for played in board.played
        for ours in played.ours()
        if played.contest.board == kind and ours.algorithm == name
    ]
    if not runs:
        return []
    against = [played.hardest(ours, played.others(assuming=False)) for played, ours in runs]
    ratios = [versus.ratio for versus in against if versus is not None]
    limits = [ours.means[-1] / played.limit_at(-1) for played, ours in runs if played.limit > 0]
    lowest = sum(ratio < 1 for ratio in ratios)
    means = [f"{_geometric_mean(values):.2f}" if values else "-" for values in (ratios, limits)]
    return [_TITLES[kind], _name(name), str(len(runs)), str(lowest), *means]


def _geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def _behind(board: Leaderboard) -> Iterator[str]:
    """Where ours is not the best, by how much, and how surely."""
    yield ""
    yield "## Where cpc is not the best"
    for assuming, title in (
        (False, "Against algorithms that assume no Condorcet winner"),
        (True, f"Against those that do ({ASSUMES})"),
    ):
        compared = [
            (played, versus)
            for played in board.played
            for ours in played.ours()
            for at in range(len(played.contest.marks))
            if (versus := played.hardest(ours, played.others(assuming), at)) is not None
        ]
        lost = sorted((row for row in compared if row[1].ratio > 1), key=lambda row: -row[1].ratio)
        yield ""
        yield f"{title}: in {len(lost)} of {len(compared)} comparisons another algorithm has the lower mean."
        if lost:
            yield ""
            yield from _table(
                (
                    *("problem", "what", "ours", "lower", "ours / lower"),
                    *("standard errors", "lower / limit"),
                ),
                [_behind_row(played, versus) for played, versus in lost],
            )


def _behind_row(played: Played, versus: Versus) -> list[str]:
    board = played.contest.board
    what = f"regret, T = {_power(versus.mark)}" if board == REGRET else "votes"
    sure = "-" if math.isnan(versus.errors) else f"{versus.errors:.1f}"
    names = (f"`{played.contest.name}`", what, _name(versus.ours), _name(versus.other))
    at = played.contest.marks.index(versus.mark)
    to_limit = _times(played.of(versus.other).means[at], played.limit_at(at))
    return [*names, f"{versus.ratio:.2f}", sure, to_limit]


def _same_threshold(board: Leaderboard) -> Iterator[str]:
    """Ours against the rules that decide pairs as ours does, a row for each problem."""
    regret = [one for one in board.played if one.contest.board == REGRET]
    rows = [row for one in regret if len(row := _same_row(one)) > 1]
    if not rows:
        return
    yield ""
    yield "## At the same threshold"
    yield ""
    yield (
        "The mean regret at the last mark, as a multiple of that of the better of CCB and ECW-RMED, which decide pairs here at the threshold of "
        "the same setting. In parentheses: the difference in standard errors. ECW-RMED adds up the evidence of several pairs; `cpc` decides "
        "each pair alone."
    )
    yield ""
    yield from _table(("problem", "eager", "cautious"), rows)


def _same_row(played: Played) -> list[str]:
    row = [f"`{played.contest.name}`"]
    for ours in played.ours():
        setting = "eager" if "eager" in ours.algorithm else "cautious"
        alike = [one for one in played.others() if f"threshold={setting}" in one.algorithm]
        if versus := played.hardest(ours, alike):
            error = "" if math.isnan(versus.errors) else f" ({versus.errors:+.1f})"
            row.append(f"{versus.ratio:.2f}{error}")
    return row


def _board(board: Leaderboard, kind: str) -> Iterator[str]:
    played = [one for one in board.played if one.contest.board == kind]
    if not played:
        return
    yield ""
    yield f"## {_TITLES[kind]}"
    for group in dict.fromkeys(one.contest.group for one in played):
        members = [one for one in played if one.contest.group == group]
        yield ""
        yield f"### {_TITLES[kind]}: {group}"
        yield ""
        yield from _glance(members)
        yield ""
        yield from _details(members)


def _glance(members: Sequence[Played]) -> Iterator[str]:
    """Ours against the best others, a row for each problem."""
    ours = OURS[members[0].contest.board]
    head = ["problem", "K", *map(_name, ours), "best other", *(f"{_name(n)} / it" for n in ours)]
    if members[0].contest.board == REGRET:
        head += [f"best other {ASSUMES}", *(f"{_name(n)} / it" for n in ours)]
    head.append("limit")
    yield from _table(head, [_glance_row(one) for one in members])


def _glance_row(played: Played) -> list[str]:
    contest = played.contest
    row = [f"`{contest.name}`", str(contest.k), *(_mean(one) for one in played.ours())]
    row += _best_cells(played, played.others(assuming=False))
    if contest.board == REGRET:
        row += _best_cells(played, played.others(assuming=True))
    return [*row, _amount(played.limit_at(-1))]


def _best_cells(played: Played, rivals: Sequence[Outcome]) -> list[str]:
    """The best of some rivals, and what each of ours is to the one it does worst against."""
    if not rivals:
        return ["-"] * (1 + len(played.ours()))
    best = min(rivals, key=lambda one: one.means[-1])
    against = [played.hardest(one, rivals) for one in played.ours()]
    ratios = [f"{versus.ratio:.2f}" for versus in against if versus is not None]
    return [f"{_name(best.algorithm)} {_mean(best)}", *ratios]


def _details(members: Sequence[Played]) -> Iterator[str]:
    """Every algorithm that is not far behind, a row for each problem and algorithm."""
    contest = members[0].contest
    regret = contest.board == REGRET
    horizons = [f"T = {_power(mark)}" for mark in contest.marks] if regret else ["votes"]
    alike = len({one.contest.marks for one in members}) == 1
    if regret and not alike:
        horizons = ["first mark", "last mark"]
    last = ["right", "runs", "s"] if regret else ["wrong", "unfinished", "runs", "s"]
    rows = [row for one in members for row in _detail_rows(one)]
    yield from _table(
        ["problem", "algorithm", *horizons, "worst run", "x best", "x limit", *last], rows
    )
    if regret and not alike:
        yield ""
        yield "Marks: T = 1e5 and 1e6; from 100 options on, 1e6 and 1e7."


def _detail_rows(played: Played) -> Iterator[list[str]]:
    ranked = sorted(played.outcomes, key=lambda one: one.means[-1])
    valid = [one for one in ranked if one in played.others() or one in played.ours()]
    best = valid[0]
    shown = [
        one
        for one in ranked
        if one.means[-1] <= FAR * best.means[-1] or one.algorithm in OURS[played.contest.board]
    ]
    for place, one in enumerate(shown):
        name = f"`{played.contest.name}`" if place == 0 else ""
        yield [name, *_detail_row(played, one, best)]
    behind = [_name(one.algorithm) for one in ranked if one not in shown]
    if behind:
        yield ["", f"further behind: {', '.join(behind)}"]


def _detail_row(played: Played, one: Outcome, best: Outcome) -> list[str]:
    contest = played.contest
    means = [_mean(one, at) for at in range(one.scores.shape[1])]
    if one is best:
        means[-1] = f"**{means[-1]}**"
    row = [_name(one.algorithm), *means, _amount(one.scores[:, -1].max())]
    row += [f"{played.versus(one, best).ratio:.2f}", _times(one.means[-1], played.limit_at(-1))]
    seconds = f"{one.seconds:.2g}" if one.seconds < 10 else f"{one.seconds:.0f}"
    if contest.board == REGRET:
        return [*row, f"{100 * one.right.mean():.0f} %", str(one.runs), seconds]
    return [*row, str(one.wrong), str(int(one.cut[:, -1].sum())), str(one.runs), seconds]


def _footprints(board: Leaderboard) -> Iterator[str]:
    if not board.footprints:
        return
    yield ""
    yield "## Very many options"
    yield ""
    yield (
        "Each row is one run in its own process: the peak memory of the whole process, with Python and numba, and the time of a real duel."
    )
    yield ""
    yield from _table(
        ("problem", "algorithm", "steps", "real duels", "MiB", "microseconds a duel"),
        [
            [
                f"`{one.problem}`",
                _name(one.algorithm),
                _power(one.steps),
                _amount(float(found["duels"])),
                f"{float(found['mebibytes']):,.0f}",
                f"{1e6 * float(found['seconds']) / float(found['duels']):.2f}",
            ]
            for one, found in board.footprints
        ],
    )


def _left_out(board: Leaderboard) -> Iterator[str]:
    """Who is not on the board, or not on all of its problems, and why."""
    yield ""
    yield "## Left out"
    yield ""
    found: dict[tuple[str, str, str], list[str]] = {}
    for kind in (REGRET, IDENTIFICATION):
        for name, where, why in _missing(board, kind):
            found.setdefault((_TITLES[kind], where, why), []).append(_name(name))
    rows = [[kind, ", ".join(names), where, why] for (kind, where, why), names in found.items()]
    yield from _table(("board", "algorithms", "where", "why"), rows)


def _missing(board: Leaderboard, kind: str) -> Iterator[tuple[str, str, str]]:
    """Every algorithm that does not meet all problems of a board: its name, from where on, and why."""
    for name, algorithm in algorithms().items():
        if why := excuse_from(kind, algorithm):
            yield name, "everywhere", why
    for name, algorithm in entrants(kind):
        for k in _sizes(board, kind):
            if why := excuse(kind, name, algorithm, k):
                yield name, f"from {k} options on", why
                break


def _sizes(board: Leaderboard, kind: str) -> list[int]:
    return sorted({one.contest.k for one in board.played if one.contest.board == kind})


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for row in rows:
        cells = [*row, *[""] * (len(head) - len(row))]
        yield f"| {' | '.join(cells)} |"


def _name(algorithm: str) -> str:
    return f"`{algorithm}`{' ' + ASSUMES if _assumes(algorithm) else ''}"


def _assumes(algorithm: str) -> bool:
    return algorithms()[algorithm.partition(":")[0]].assumes_condorcet


def _mean(one: Outcome, at: int = -1) -> str:
    """A mean with its standard error; a lower bound if runs were cut."""
    least = "≥ " if one.cut[:, at].any() else ""
    error = one.errors[at]
    return f"{least}{_amount(one.means[at])}" + (
        "" if math.isnan(error) else f" ± {_amount(error)}"
    )


def _times(mean: float, limit: float) -> str:
    return f"{mean / limit:.2f}" if limit > 0 else "-"


def _amount(x: float) -> str:
    if math.isnan(x):
        return "-"
    return f"{x:,.0f}" if x >= 99.5 else f"{x:.3g}"


def _power(x: int) -> str:
    """Return a round number in powers of ten.

    Examples
    --------
    >>> _power(30_000_000)
    '3e7'
    """
    digits = str(x)
    return f"{digits.rstrip('0')}e{len(digits) - len(digits.rstrip('0'))}"
