"""How good forecasts of further votes are: `python -m benchmarks.forecasts`.

A study is run by cpc-pac on a known matrix up to a share of the votes that it usually takes; the outlook
and the plan made there are held against the votes that it then took. The matrices are those of the
folder `COPELAND_TEST_DATA`/matrices.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import copeland
from copeland import PreferenceMatrix
from copeland.forecast.outlook import outlook_of
from copeland.forecast.races import PLANNED, forecast_of, new_start, votes_needed
from copeland.streams import stream
from copeland.study import Standing

RUNS = 20
WORLDS = 40
MOST = 200_000
SHARES = (0.0, 0.1, 0.3, 0.6)
NAMES = (
    *("arithmetic_8", "arxiv_6", "cyclic_4", "mslr_informational_5_condorcet", "spotify_day_20"),
    *("trec_421946_9", "wmt16_tur_eng_9"),
)


def begun(matrix: PreferenceMatrix, votes: int, run: int) -> Standing:
    """Return where a study stands after so many votes, asked for by cpc-pac."""
    policy = copeland.Policy(PLANNED, matrix.k, seed=run, epoch=1)
    noise = stream(run, "forecasts", matrix.name)
    rows = []
    while len(rows) < votes and not policy.finished:
        duel = policy.ask()
        first_wins = noise.random() < matrix.p[duel.first, duel.second]
        winner = duel.first if first_wins else duel.second
        policy.tell(duel, winner)
        names = [matrix.labels[i] for i in (duel.first, duel.second, winner)]
        rows.append(dict(zip(("left", "right", "outcome"), names, strict=True)))
    study = copeland.create_study("forecasts", list(matrix.labels), voters="independent")
    study.add_votes(rows)
    return study.standing()


def forecasts(runs: int = RUNS, names: Sequence[str] = NAMES) -> Iterator[str]:
    """Yield the table, line by line."""
    yield "## Forecasts of further votes"
    yield (
        "*Taken*: median of the further votes. *Outlook*, *plan*: the median of estimate / votes taken; in brackets the share "
        "of runs in which the outlook was within half and twice the votes taken, and in which these were inside the plan's "
        "range of 10 % to 90 %."
    )
    yield ""
    yield "| matrix | votes so far, of the usual number | runs | taken | outlook | plan |"
    yield "|---|---|---|---|---|---|"
    for name in names:
        file = Path(os.environ.get("COPELAND_TEST_DATA", ""), "matrices", f"{name}.csv")
        matrix = copeland.load(str(file))
        tie = np.zeros((matrix.k, matrix.k))
        start = new_start(matrix.k, epoch=1)
        usual = np.median(
            [votes_needed(PLANNED, start, matrix.p, tie, 10**7, (r,)) for r in range(20)]
        )
        for share in SHARES:
            rows = []
            for run in range(runs):
                standing = begun(matrix, int(share * usual), run)
                if standing.certificate.best:
                    continue
                taken = votes_needed(PLANNED, standing.start, matrix.p, tie, MOST, (run, 1))
                plan = forecast_of(standing.start, WORLDS, MOST, run).way(PLANNED)
                low, middle, high = (plan.quantile(q) or MOST for q in (0.1, 0.5, 0.9))
                rows.append((taken, outlook_of(standing.start).votes, low, middle, high))
            taken, outlook, low, middle, high = np.array(rows, float).T
            near = np.mean((outlook <= 2 * taken) & (taken <= 2 * outlook))
            inside = np.mean((low <= taken) & (taken <= high))
            yield (
                f"| {name} | {share:.0%} of {usual:,.0f} | {len(rows)} | {np.median(taken):,.0f} "
                f"| {np.median(outlook / taken):.2f} ({near:.0%}) "
                f"| {np.median(middle / taken):.2f} ({inside:.0%}) |"
            )


def main() -> None:
    """Print the table, of another number of runs or of some matrices alone if so told."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    for line in forecasts(runs, sys.argv[2:] or NAMES):
        print(line, flush=True)


if __name__ == "__main__":
    main()
