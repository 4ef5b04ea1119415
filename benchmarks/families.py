"""`python -m benchmarks.families [tuned | held-out | new] [--runs N] [WORD...]`: CPC on families of problems.

Constants of CPC may be chosen on the tuned half. What is said of it is said of the held-out half (other sizes, other
gaps and other seeds; only `planted` is a family of which nothing was tuned on) and of the new families: parts of real
matrices of language models, translations, songs, races and search engines. Words choose the problems whose names
contain one of them. What is played is kept in out/families, so a stopped run goes on where it was. Where
`COPELAND_TEST_DATA` names a folder of matrices, sub-matrices of real ones are played too.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.leaderboard.bouts import Bout, Effort
from copeland.problems import problem_of
from copeland.support.tasks import finish

TUNED, HELD_OUT, NEW = "tuned", "held-out", "new"
SEEDS = {TUNED: (1, 2), HELD_OUT: (11, 12), NEW: (21, 22)}
HALVES = {
    TUNED: (
        "tournament-8-U(.01,.2)",
        "tournament-16-U(.02,.45)",
        "tournament-30-U(.05,.45)",
        "total-order-8-U(.005,.1)",
        "total-order-20-U(.01,.2)",
        "order-12-U(.01,.3)",
        "order-32-U(.02,.2)",
        "bradley-terry-8:scale=0.3",
        "bradley-terry-16:scale=1",
        "bradley-terry-32:scale=0.5",
        "blocks-9-3-U(.02,.2)",
        "blocks-25-5-U(.05,.45)",
        "rotated-10-U(.05,.3)",
        "rotated-20-U(.08,.12)",
        "perturbed-.01-of-mslr-5",
        "perturbed-.03-of-arithmetic-8",
    ),
    HELD_OUT: (
        "tournament-6-U(.02,.1)",
        "tournament-20-U(.01,.3)",
        "tournament-40-U(.05,.45)",
        "total-order-10-U(.01,.05)",
        "total-order-16-U(.01,.3)",
        "order-8-U(.005,.2)",
        "order-24-U(.02,.3)",
        "order-64-U(.05,.3)",
        "bradley-terry-6:scale=0.2",
        "bradley-terry-20:scale=0.7",
        "bradley-terry-40:scale=1.5",
        "blocks-15-3-U(.03,.3)",
        "blocks-21-7-U(.05,.2)",
        "rotated-8-U(.05,.2)",
        "rotated-24-U(.05,.45)",
        "perturbed-.02-of-arxiv-6",
        "perturbed-.01-of-mslr-5-condorcet",
        "planted-12-3-2",
        "medium-16",
    ),
    NEW: (),
}
# Real matrices, by file, how many options are drawn from each, and whether these have a Condorcet winner; None: either.
_EACH = (True, False)
REAL = {
    TUNED: (("mslr_informational_136", 8, _EACH), ("mslr_informational_136", 20, _EACH)),
    HELD_OUT: (
        ("mslr_informational_136", 5, _EACH),
        ("mslr_informational_136", 16, _EACH),
        ("mslr_informational_136", 32, _EACH),
        ("mslr5k_ndcgwin_136", 12, _EACH),
    ),
    NEW: (
        ("alpaca_eval_56", 8, (None,)),
        ("alpaca_eval_56", 16, (None,)),
        ("mq2008_ndcgwin_46", 8, (None,)),
        ("mq2008_ndcgwin_46", 16, (None,)),
        ("mylaps_15", 8, (None,)),
        ("spotify_day_20", 10, (None,)),
        ("trec_540006_9", 6, (None,)),
        ("wmt16_eng_ron_12", 8, (None,)),
        ("wmt16_tur_eng_9", 6, (None,)),
    ),
}

OURS = ("cpc:setting=eager", "cpc")
OTHERS = ("ccb", "dts", "dts-plus", "ecw-rmed:beta=1e-9")
LENT = "ecw-rmed:beta=1e-9,threshold=eager"  # another plan with our threshold
MARKS = (10**6,)
LONGEST = 120.0  # seconds of a run; what is cut then has more regret than it shows
FOLDER = Path(__file__).parent.parent / "out" / "families"


def problems(half: str, folder: Path | None = None) -> list[str]:
    """Return the names of a half, with sub-matrices of real ones if their folder is known."""
    forms = [*HALVES[half], *(_parts(half, folder) if folder is not None else ())]
    return [
        f"{form}{',' if ':' in form else ':'}seed={seed}" for form in forms for seed in SEEDS[half]
    ]


def _parts(half: str, folder: Path) -> Iterator[str]:
    for name, k, each in REAL[half]:
        for whether in each:
            kind = "" if whether is None else f":condorcet={whether}"
            yield f"part-{k}-of-{folder / name}.csv{kind}"


@dataclass(frozen=True)
class Row:
    """One problem, played."""

    problem: str
    regret: dict[str, NDArray[np.float64]]  # by algorithm: halved, of each run
    cut: tuple[str, ...]  # whose regret may be more

    @property
    def best_other(self) -> str:
        """The other algorithm of the least mean."""
        return min(OTHERS, key=lambda name: self.regret[name].mean())

    def ratio(self, ours: str) -> float:
        """Our mean in multiples of the best other's."""
        return float(self.regret[ours].mean() / self.regret[self.best_other].mean())


def play(problem: str, runs: int, seed: int = 0) -> Row:
    """Return a problem played by all, each so many runs."""
    effort = Effort(seconds=math.inf, least=runs, most=runs, longest=LONGEST)
    names = (*OURS, *OTHERS, LENT)
    bouts = [Bout(problem, name, MARKS, effort, seed) for name in names]
    results = dict(zip(names, finish(bouts, FOLDER), strict=True))
    cut = {name: np.isnan(found["regret"][:, -1]) for name, found in results.items()}
    regret = {
        name: np.where(cut[name], found["reached"], found["regret"][:, -1]) / 2
        for name, found in results.items()
    }
    return Row(problem, regret, tuple(name for name in cut if cut[name].any()))


def table(rows: Iterator[Row]) -> Iterator[str]:
    """Yield a line for each problem as it is played, and what they come to."""
    yield "| problem | K | eager | cautious | best other | its regret | ECW-RMED, our threshold | eager / best | cautious / best |"
    yield "|---|---|---|---|---|---|---|---|---|"
    ratios = []
    for row in rows:
        ratios.append([row.ratio(name) for name in OURS])
        other = row.best_other
        eager, cautious, theirs, lent = (_mean(row, name) for name in (*OURS, other, LENT))
        yield (
            f"| `{_short(row.problem)}` | {problem_of(row.problem).k} | {eager} | {cautious} | {other} "
            f"| {theirs} | {lent} | {ratios[-1][0]:.2f} | {ratios[-1][1]:.2f} |"
        )
    yield ""
    for name, ratio in zip(OURS, np.array(ratios).T, strict=True):
        mean = math.exp(np.log(ratio).mean())
        yield (
            f"`{name}`: lowest on {(ratio < 1).sum()} of {len(ratio)}, {mean:.2f} of the best other in the "
            f"geometric mean, {ratio.max():.2f} at most."
        )


def _mean(row: Row, name: str) -> str:
    regret = row.regret[name]
    error = regret.std(ddof=1) / math.sqrt(len(regret)) if len(regret) > 1 else math.nan
    return f"{'> ' if name in row.cut else ''}{regret.mean():,.0f} ± {error:,.0f}"


def _short(problem: str) -> str:
    """A name without the folder of its file."""
    form, of, rest = problem.partition("-of-")
    return form + of + rest.rpartition("/")[2]


def main() -> None:
    """Play a half, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("half", choices=[TUNED, HELD_OUT, NEW])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("words", nargs="*")
    given = parser.parse_intermixed_args()
    data = Path(os.environ.get("COPELAND_TEST_DATA", "")) / "matrices"
    named = problems(given.half, data if data.is_dir() else None)
    chosen = [
        name for name in named if not given.words or any(word in name for word in given.words)
    ]
    for line in table(play(name, given.runs) for name in chosen):
        print(line, flush=True)


if __name__ == "__main__":
    main()
