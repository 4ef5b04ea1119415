"""The page of the leaderboard, in Markdown: pictures and twelve rows; and every table, on a page of its own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from benchmarks.leaderboard.board import MOST_VOTES, REAL, entrants, excuse, excuse_from
from benchmarks.leaderboard.rows import (
    ASSUMES,
    FEW,
    FEW_RUNS,
    TITLES,
    amount,
    mean_of,
    named,
    ranked,
    times,
)
from benchmarks.leaderboard.scores import (
    DELTA,
    IDENTIFICATION,
    OURS,
    REGRET,
    Giant,
    Played,
    Score,
    Versus,
    played,
)
from copeland.registry import algorithms

FAR = 5  # rivals with more than this many times the least mean are only named
WORST = 6  # losses that the page shows
CLEAR = 2.0  # standard errors
EAGER = "cpc:setting=eager"
BEHIND = ("problem", "what", "ours", "lower", "ours / lower", "standard errors", "lower / limit")
TWELVE = (
    *("mslr_informational_136", "mslr5k_ndcgwin_136", "alpaca_eval_56", "spotify_day_20"),
    *("wmt16_eng_ron_12", "debian_leader_2005_7", "mslr-5", "arithmetic-8", "tournament-20"),
    *("easy-100", "order-100-0.1", "synthetic-500"),
)
WHAT = {REGRET: "mean regret", IDENTIFICATION: "mean votes"}


def leaderboard_page(scores: Sequence[Score], giants: Sequence[Giant], quick: bool = False) -> str:
    """Return the page that people read."""
    board = played(scores)
    parts = [
        *_opening(scores, quick),
        *_summary(board),
        *_maps(board),
        *_twelve(board),
        *_worst(board),
        *_many_options(giants),
    ]
    return "\n".join(parts) + "\n"


def tables_page(scores: Sequence[Score], giants: Sequence[Giant]) -> str:
    """Return every table, for the notes."""
    board = played(scores)
    parts = [
        "# Leaderboard: every table",
        "",
        "[The leaderboard](../leaderboard.md) has this in short, and [leaderboard.csv](../leaderboard.csv) has the numbers.",
        *_legend(),
        *_behind(board),
        *_same_threshold(board),
        *_board(board, REGRET),
        *_board(board, IDENTIFICATION),
        *_giants(giants),
        *_left_out(board),
    ]
    return "\n".join(parts) + "\n"


def _opening(scores: Sequence[Score], quick: bool) -> Iterator[str]:
    yield "# Leaderboard"
    yield ""
    yield (
        "Every [algorithm](algorithms.md) runs on every [problem](problems.md) that it can run on. "
        "[Every table](notes/leaderboard-tables.md) is in the notes, and [leaderboard.csv](leaderboard.csv) has all numbers."
    )
    yield ""
    versions = sorted({one.played.rpartition(" ")[2] for one in scores})
    yield f"Written by `make leaderboard`. Rows were played by copeland {', '.join(versions)}."
    if quick:
        yield "This is a quick board: it has fewer problems and runs than `make leaderboard`."
    yield ""
    yield (
        "We chose the constants of `cpc` and `cpc-pac` on problems of this page, so it flatters them. "
        "[One algorithm](one-algorithm.md#on-problems-that-we-did-not-choose-on) has results on problems that we chose nothing on."
    )


def _many_options(giants: Sequence[Giant]) -> Iterator[str]:
    if giants:
        most = max(giants, key=lambda one: one.duels)
        yield ""
        yield "## Very many options"
        yield ""
        yield (
            f"`{most.algorithm}` on `{most.problem}` takes {most.mebibytes:,.0f} MiB and {most.microseconds:.2f} microseconds a duel "
            f"({most.played}; [others](notes/leaderboard-tables.md#very-many-options))."
        )


def _twelve(board: Sequence[Played]) -> Iterator[str]:
    """Twelve problems, real ones first: ours against the best other that assumes no Condorcet winner."""
    rows = [
        row
        for name in TWELVE
        for one in board
        if one.about.problem == name and one.about.board == REGRET
        for row in [_twelve_row(one)]
    ]
    if not rows:
        return
    yield ""
    yield "## Twelve problems"
    yield ""
    yield (
        "Mean regret of Definition 1 at the last mark (T = 1e6, or 1e7 from 100 options on), with its standard error. The first seven are of real votes, clicks and elections. "
        f"*Best other* is the best algorithm that assumes no Condorcet winner; {FEW} marks a mean of fewer than {FEW_RUNS} runs. "
        "*Limit* is what theory allows in the long run, LB ln T ([limits](theory.md#limits-what-no-algorithm-can-beat)); means can be below it, because it is asymptotic."
    )
    yield ""
    head = ("problem", "K", "`cpc`, eager", "`cpc`", "best other", "eager / it", "limit")
    yield from _table(head, rows)


def _twelve_row(problem: Played) -> list[str]:
    means = {one.algorithm: mean_of(one, one.mark) for one in problem.ours()}
    best, *ratios = _best_cells(problem, problem.others(assuming=False))
    names = [one.algorithm for one in problem.ours()]
    ratio = dict(zip(names, ratios, strict=True)).get(EAGER, "-")
    ours = [means.get(name, "-") for name in (EAGER, "cpc")]
    return [
        f"`{problem.about.problem}`",
        str(problem.about.options),
        *ours,
        best,
        ratio,
        amount(problem.about.limit),
    ]


def _worst(board: Sequence[Played]) -> Iterator[str]:
    """The few comparisons that ours loses most clearly."""
    compared = _compare(board, assuming=False)
    lost = _lost(compared)
    yield ""
    yield "## Where cpc is not the best"
    yield ""
    yield (
        f"Against algorithms that assume no Condorcet winner, another has the lower mean in {len(lost)} of {len(compared)} comparisons. "
        "[All of them](notes/leaderboard-tables.md#where-cpc-is-not-the-best), and those against algorithms that do assume one, are in the notes."
    )
    clear = [one for one in lost if one.errors >= CLEAR][:WORST]
    if clear:
        yield f"The largest beyond {CLEAR:g} standard errors:"
        yield ""
        yield from _table(BEHIND, [_behind_row(versus) for versus in clear])


def _legend() -> Iterator[str]:
    yield ""
    yield "## How to read the tables"
    yield ""
    yield (
        "A random problem is drawn again for each run; run r of every algorithm gets the same draw. Slow algorithms have fewer runs."
    )
    yield ""
    yield "- **Regret**: mean regret of Definition 1, up to 2 a duel, with its standard error, at T steps."
    yield (
        f"- **Votes**: mean number of votes until an algorithm stops, at delta = {DELTA:g}, with its standard error. Runs that have not ended "
        f"after {_power(MOST_VOTES)} votes, or that took too long, are *unfinished* and count with the votes they had. *Wrong*: runs that stopped with "
        "an option that is not a Copeland winner."
    )
    yield "- **Bold**: the least mean. **≥**: some runs were cut off, so the true mean is at least this. **-**: there is nothing to compare, or runs of both sides were cut."
    yield f"- **{FEW}**: the mean is of fewer than {FEW_RUNS} runs."
    yield "- **x best**: the mean, as a multiple of the least mean. **x limit**: the mean, as a multiple of what theory allows in the long run, LB ln T or LB ln(1/delta)"
    yield (
        "  ([limits](../theory.md)). It can be below 1, because the limit is asymptotic. Above 60 options we use the limit of ECW-RMED's plan, which is "
        "no lower."
    )
    yield (
        f"- **{ASSUMES}**: the algorithm assumes a Condorcet winner. Where there is one, the algorithm has less to prove. Where there is none, it may still end among the "
        "winners if these form a cycle on top, and no limit binds it there; elsewhere its regret is linear. So we list it separately."
    )
    yield "- **s**: seconds of one processor per run."
    yield "- `ccb:threshold=...` and `ecw-rmed:...threshold=...` decide pairs at the threshold that `cpc` has with that setting."


def _summary(board: Sequence[Played]) -> Iterator[str]:
    """How ours did on problems of real data, then on the others: a row for each of ours."""
    yield ""
    yield "## In short"
    yield ""
    yield (
        "Ours against algorithms that assume no Condorcet winner, at the last mark. *Lowest*: on how many problems ours has the lowest mean. *x*: "
        "ours as a multiple of the best other and of the limit, in the geometric mean. Problems on which runs of ours were cut are left out."
    )
    yield ""
    real = [problem for problem in board if problem.about.group == REAL]
    made = [problem for problem in board if problem.about.group != REAL]
    rows = [
        _summary_row(problems, kind, name, origin)
        for kind in OURS
        for origin, problems in (("real", real), ("made", made))
        for name in OURS[kind]
    ]
    yield from _table(
        ("board", "data", "algorithm", "problems", "lowest", "x best other", "x limit"),
        [row for row in rows if row],
    )


def _summary_row(board: Sequence[Played], kind: str, name: str, origin: str) -> list[str]:
    runs = [(problem, ours) for problem in board for ours in problem.ours()]
    runs = [(p, ours) for p, ours in runs if (ours.board, ours.algorithm) == (kind, name)]
    if not runs:
        return []
    against = [p.hardest(ours, p.others(assuming=False), ours.mark) for p, ours in runs]
    ratios = [versus.ratio for versus in against if versus is not None and not versus.is_open]
    limits = [ours.mean / ours.limit for _, ours in runs if ours.limit > 0 and not ours.cut]
    lowest = sum(ratio < 1 for ratio in ratios)
    means = [f"{_geometric_mean(values):.2f}" if values else "-" for values in (ratios, limits)]
    return [TITLES[kind], origin, named(name), str(len(ratios)), str(lowest), *means]


def _geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def _maps(board: Sequence[Played]) -> Iterator[str]:
    """The pictures of all scores, which :mod:`benchmarks.leaderboard.maps` draws."""
    yield ""
    yield "## All of it at a glance"
    yield ""
    yield (
        "A row for each algorithm, a column for each problem. Blue is near the least mean on that problem or below it, orange far from it. "
        f"{ASSUMES} marks algorithms that assume a Condorcet winner."
    )
    for kind in dict.fromkeys(problem.about.board for problem in board):
        title = f"{TITLES[kind]}: {WHAT[kind]} of every algorithm on every problem"
        yield ""
        yield f"![{title}](images/leaderboard-{kind}.svg)"


def _behind(board: Sequence[Played]) -> Iterator[str]:
    """Where ours is not the best, by how much, and how surely."""
    yield ""
    yield "## Where cpc is not the best"
    for assuming, title in (
        (False, "Against algorithms that assume no Condorcet winner"),
        (True, f"Against those that do ({ASSUMES})"),
    ):
        compared = _compare(board, assuming)
        lost = _lost(compared)
        yield ""
        yield f"{title}: in {len(lost)} of {len(compared)} comparisons another algorithm has the lower mean."
        if lost:
            yield ""
            yield from _table(BEHIND, [_behind_row(versus) for versus in lost])


def _compare(board: Sequence[Played], assuming: bool) -> list[Versus | None]:
    """Ours against the hardest rival, on every problem and mark; None where there is nothing to tell."""
    compared = [
        problem.hardest(ours, problem.others(assuming), mark)
        for problem in board
        for ours in problem.ours()
        for mark in problem.marks
        if problem.has_others(assuming)
    ]
    return [one for one in compared if one is None or not one.is_open]


def _lost(compared: Sequence[Versus | None]) -> list[Versus]:
    """The comparisons that ours loses, the clearest first."""
    lost = (one for one in compared if one and one.ratio > 1)
    return sorted(lost, key=lambda one: -one.ratio)


def _behind_row(versus: Versus) -> list[str]:
    ours, other, mark = versus.ours, versus.other, versus.mark
    what = f"regret, T = {_power(mark)}" if ours.board == REGRET else "votes"
    sure = "-" if math.isnan(versus.errors) else f"{versus.errors:.1f}"
    names = (f"`{ours.problem}`", what, named(ours.algorithm), named(other.algorithm))
    to_limit = times(other.at(mark)[0], other.limit_at(mark))
    return [*names, f"{versus.ratio:.2f}", sure, to_limit]


def _same_threshold(board: Sequence[Played]) -> Iterator[str]:
    """Ours against the rules that decide pairs as ours does, a row for each problem."""
    regret = [one for one in board if one.about.board == REGRET]
    rows = [row for row in map(_same_row, regret) if set(row[1:]) - {"-"}]
    if not rows:
        return
    yield ""
    yield "## At the same threshold"
    yield ""
    yield (
        "The mean regret at the last mark, as a multiple of that of the better of CCB and ECW-RMED, which decide pairs here at the threshold of "
        "the same setting. In parentheses: the difference in standard errors. ECW-RMED adds up the evidence of several pairs; `cpc` adds up that of a rival's losses."
    )
    yield ""
    yield from _table(("problem", "eager", "cautious"), rows)


def _same_row(problem: Played) -> list[str]:
    row = [f"`{problem.about.problem}`"]
    for ours in problem.ours():
        setting = "eager" if "eager" in ours.algorithm else "cautious"
        alike = [one for one in problem.others() if f"threshold={setting}" in one.algorithm]
        row.append(_told(problem.hardest(ours, alike, ours.mark)))
    return row


def _told(versus: Versus | None) -> str:
    """A ratio, and the difference in standard errors."""
    if versus is None or versus.is_open:
        return "-"
    error = "" if math.isnan(versus.errors) else f" ({versus.errors:+.1f})"
    return f"{versus.ratio:.2f}{error}"


def _board(board: Sequence[Played], kind: str) -> Iterator[str]:
    on_it = [one for one in board if one.about.board == kind]
    if not on_it:
        return
    yield ""
    yield f"## {TITLES[kind]}"
    for group in dict.fromkeys(one.about.group for one in on_it):
        members = [one for one in on_it if one.about.group == group]
        yield ""
        yield f"### {TITLES[kind]}: {group}"
        yield ""
        yield from _glance(members)
        yield ""
        yield from _details(members)


def _glance(members: Sequence[Played]) -> Iterator[str]:
    """Ours against the best others, a row for each problem."""
    ours = OURS[members[0].about.board]
    head = ["problem", "K", *map(named, ours), "best other", *(f"{named(n)} / it" for n in ours)]
    if members[0].about.board == REGRET:
        head += [f"best other {ASSUMES}", *(f"{named(n)} / it" for n in ours)]
    head.append("limit")
    yield from _table(head, [_glance_row(one) for one in members])


def _glance_row(problem: Played) -> list[str]:
    about = problem.about
    row = [f"`{about.problem}`", str(about.options)]
    row += [mean_of(one, one.mark) for one in problem.ours()]
    row += _best_cells(problem, problem.others(assuming=False))
    if about.board == REGRET:
        row += _best_cells(problem, problem.others(assuming=True))
    return [*row, amount(about.limit)]


def _best_cells(problem: Played, rivals: Sequence[Score]) -> list[str]:
    """The best of some rivals, and each of ours in multiples of it."""
    if not rivals:
        return ["-"] * (1 + len(problem.ours()))
    best = min(rivals, key=lambda one: one.mean)
    ratios = [_ratio(Versus(one, best, one.mark)) for one in problem.ours()]
    return [f"{named(best.algorithm)} {mean_of(best, best.mark)}", *ratios]


def _ratio(versus: Versus) -> str:
    """A ratio; a lower bound if runs of ours were cut, and nothing if the other's were cut too."""
    ours, other = versus.ours.at(versus.mark)[2], versus.other.at(versus.mark)[2]
    return "-" if ours and other else f"{'≥ ' if ours else ''}{versus.ratio:.2f}"


def _details(members: Sequence[Played]) -> Iterator[str]:
    """Every algorithm that is not far behind, a row for each problem and algorithm."""
    first = members[0]
    regret = first.about.board == REGRET
    horizons = [f"T = {_power(mark)}" for mark in first.marks] if regret else ["votes"]
    alike = len({one.marks for one in members}) == 1
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


def _detail_rows(problem: Played) -> Iterator[list[str]]:
    best = problem.best()
    shown = [one for one in ranked(problem) if one.mean <= FAR * best.mean or one.is_ours]
    for place, one in enumerate(shown):
        name = f"`{one.problem}`" if place == 0 else ""
        yield [name, *_detail_row(problem, one, best)]
    behind = [named(one.algorithm) for one in ranked(problem) if one not in shown]
    if behind:
        yield ["", f"further behind: {', '.join(behind)}"]


def _detail_row(problem: Played, one: Score, best: Score) -> list[str]:
    means = [mean_of(one, mark) for mark in problem.marks]
    if one is best:
        means[-1] = f"**{means[-1]}**"
    row = [named(one.algorithm), *means, amount(one.worst)]
    row += [_ratio(Versus(one, best, one.mark)), times(one.mean, one.limit)]
    seconds = f"{one.seconds:.2g}" if one.seconds < 10 else f"{one.seconds:.0f}"
    if one.board == REGRET:
        return [*row, f"{100 * one.right:.0f} %", str(one.runs), seconds]
    return [*row, str(one.wrong), str(one.unfinished), str(one.runs), seconds]


def _giants(giants: Sequence[Giant]) -> Iterator[str]:
    if not giants:
        return
    yield ""
    yield "## Very many options"
    yield ""
    yield (
        "Each row is one run in its own process: the peak memory of the whole process, with Python and numba, and the time of a real duel. "
        "[leaderboard-many-options.csv](../leaderboard-many-options.csv) has the numbers."
    )
    yield ""
    yield from _table(
        ("problem", "algorithm", "steps", "real duels", "MiB", "microseconds a duel", "measured"),
        [
            [
                f"`{one.problem}`",
                named(one.algorithm),
                _power(one.steps),
                f"{one.duels:,}",
                f"{one.mebibytes:,.0f}",
                f"{one.microseconds:.2f}",
                one.played,
            ]
            for one in giants
        ],
    )


def _left_out(board: Sequence[Played]) -> Iterator[str]:
    """Who is not on the board, or not on all of its problems, and why."""
    yield ""
    yield "## Left out"
    yield ""
    found: dict[tuple[str, str, str], list[str]] = {}
    for kind in (REGRET, IDENTIFICATION):
        for name, where, why in _missing(board, kind):
            found.setdefault((TITLES[kind], where, why), []).append(named(name))
    rows = [[kind, ", ".join(names), where, why] for (kind, where, why), names in found.items()]
    yield from _table(("board", "algorithms", "where", "why"), rows)


def _missing(board: Sequence[Played], kind: str) -> Iterator[tuple[str, str, str]]:
    """Every algorithm that does not meet all problems of a board: its name, from where on, and why."""
    for name, algorithm in algorithms().items():
        if why := excuse_from(kind, algorithm):
            yield name, "everywhere", why
    for name, algorithm in entrants(kind):
        for k in _sizes(board, kind):
            if why := excuse(kind, name, algorithm, k):
                yield name, f"from {k} options on", why
                break


def _sizes(board: Sequence[Played], kind: str) -> list[int]:
    return sorted({one.about.options for one in board if one.about.board == kind})


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for row in rows:
        cells = [*row, *[""] * (len(head) - len(row))]
        yield f"| {' | '.join(cells)} |"


def _power(x: int) -> str:
    """Return a round number in powers of ten.

    Examples
    --------
    >>> _power(30_000_000)
    '3e7'
    """
    digits = str(x)
    return f"{digits.rstrip('0')}e{len(digits) - len(digits.rstrip('0'))}"
