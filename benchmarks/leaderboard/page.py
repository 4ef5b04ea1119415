"""The page of the leaderboard, in Markdown: pictures, twelve rows, and how to read the file of all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from benchmarks.leaderboard.board import MOST_VOTES, REAL
from benchmarks.leaderboard.rows import (
    ASSUMES,
    FEW,
    FEW_RUNS,
    TITLES,
    amount,
    mean_of,
    named,
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
        *_reading(),
    ]
    return "\n".join(parts) + "\n"


def _opening(scores: Sequence[Score], quick: bool) -> Iterator[str]:
    yield "# Leaderboard"
    yield ""
    yield (
        "Every [algorithm](algorithms.md) runs on every [problem](problems.md) that it can run on. "
        "[leaderboard.csv](leaderboard.csv) has all numbers."
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


def _reading() -> Iterator[str]:
    yield ""
    yield "## How to read the numbers"
    yield ""
    yield (
        "A random problem is drawn again for each run; run r of every algorithm gets the same draw. Slow algorithms have fewer runs. "
        f"On the board of identification an algorithm counts votes until it stops, at delta = {DELTA:g}; a run that has not ended after "
        f"{_power(MOST_VOTES)} votes, or that takes too long, is unfinished and counts with the votes it had."
    )
    yield ""
    yield (
        f"- **≥**: some runs were cut off, so the true mean is at least this. **{FEW}**: a mean of fewer than "
        f"{FEW_RUNS} runs. **-**: there is nothing to compare."
    )
    yield (
        "- **x best**, **x limit**: the mean as a multiple of the least mean, and of what theory allows in "
        "the long run. Above 60 options the limit is that of ECW-RMED's plan, which is no lower."
    )
    yield (
        f"- **{ASSUMES}**: the algorithm assumes a Condorcet winner. Where there is none, it may still end among the "
        "winners if these form a cycle on top; "
        "elsewhere its regret is linear."
    )
    yield "- `ccb:threshold=...` and `ecw-rmed:...threshold=...` decide pairs at the threshold that `cpc` has with that setting."


def _many_options(giants: Sequence[Giant]) -> Iterator[str]:
    if giants:
        most = max(giants, key=lambda one: one.duels)
        yield ""
        yield "## Very many options"
        yield ""
        yield (
            f"`{most.algorithm}` on `{most.problem}` takes {most.mebibytes:,.0f} MiB and {most.microseconds:.2f} microseconds a duel "
            f"({most.played}; [others](leaderboard-many-options.csv))."
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
        "Mean regret of Definition 1 at the last mark (T = 1e6, or 1e7 from 100 options on), with its standard "
        "error. The first seven are of real votes, clicks and elections. "
        f"*Best other* is the best algorithm that assumes no Condorcet winner; {FEW} marks a mean of fewer than {FEW_RUNS} runs. "
        "*Limit* is what theory allows in the long run, LB ln T "
        "([limits](theory.md#limits-what-no-algorithm-can-beat)); means can be below it, because it is asymptotic."
    )
    yield ""
    head = ("problem", "K", "`cpc`, eager", "`cpc`", "best other", "eager / it", "limit")
    yield from _table(head, rows)


def _twelve_row(problem: Played) -> list[str]:
    means = {one.algorithm: mean_of(one, one.mark) for one in problem.ours()}
    best, *ratios = _best_cells(problem, problem.others())
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
    compared = _compare(board)
    lost = _lost(compared)
    yield ""
    yield "## Where cpc is not the best"
    yield ""
    yield (
        f"Against algorithms that assume no Condorcet winner, another has the lower mean in {len(lost)} of {len(compared)} comparisons."
    )
    clear = [one for one in lost if one.errors >= CLEAR][:WORST]
    if clear:
        yield f"The largest beyond {CLEAR:g} standard errors:"
        yield ""
        yield from _table(BEHIND, [_behind_row(versus) for versus in clear])


def _summary(board: Sequence[Played]) -> Iterator[str]:
    """How ours did on problems of real data, then on the others: a row for each of ours."""
    yield ""
    yield "## In short"
    yield ""
    yield (
        "Ours against algorithms that assume no Condorcet winner, at the last mark. *Lowest*: on how many problems "
        "ours has the lowest mean. *x*: "
        "ours as a multiple of the best other and of the limit, in the geometric mean. Problems on which runs of "
        "ours were cut are left out."
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
    against = [p.hardest(ours, p.others(), ours.mark) for p, ours in runs]
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


def _compare(board: Sequence[Played]) -> list[Versus | None]:
    """Ours against the hardest rival, on every problem and mark; None where there is nothing to tell."""
    compared = [
        problem.hardest(ours, problem.others(), mark)
        for problem in board
        for ours in problem.ours()
        for mark in problem.marks
        if problem.has_others()
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
