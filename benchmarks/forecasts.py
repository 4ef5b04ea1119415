"""How good forecasts are: `python -m benchmarks.forecasts [runs]`.

Every study is run to its end: by cpc-pac on a known matrix, by people who are dealt a few pairs each, and by panels.
What was forecast on the way is held against what it then took. Real matrices are those of the folder
`COPELAND_TEST_DATA`/matrices.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

import copeland
from benchmarks.likely import Draw, believed, near_tie, strengths, uniform
from benchmarks.panel import panel
from benchmarks.people import PRESENT, play_dealt
from copeland import PreferenceMatrix
from copeland.certificate import next_question
from copeland.forecast.forecast import ForecastRange, look_ahead
from copeland.forecast.panel_forecast import no_answers, panel_remaining
from copeland.forecast.races import PlannedRace
from copeland.forecast.start import Start, new_start
from copeland.policy import warm
from copeland.study.kinds import kind_of
from copeland.support.rng import stream

RUNS = 5
MOMENTS = (0.0, 0.1, 0.3, 0.6)  # shares of what it took in all
MOST = 500_000  # votes of a study
BATCH = 4


class Told(NamedTuple):
    """What was forecast, and what it then took."""

    said: ForecastRange
    taken: int

    @property
    def inside(self) -> bool:
        """Whether the forecast's range holds what it took."""
        low = self.said.most if self.said.low is None else self.said.low
        return low <= self.taken and (self.said.high is None or self.taken <= self.said.high)

    @property
    def width(self) -> float:
        """How many times as large the end of the range is as its beginning."""
        low, _, high = (self.said.most if n is None else n for n in self.said[:3])
        return high / max(low, 1)


def real(name: str) -> PreferenceMatrix:
    """Return a matrix of the folder."""
    folder = os.environ.get("COPELAND_TEST_DATA", "")
    return copeland.load(str(Path(folder, "matrices", f"{name}.csv")))


def drawn(draw: Draw, name: str, run: int) -> PreferenceMatrix:
    """Return a random matrix, another one in each run."""
    return PreferenceMatrix(draw(stream(run, "forecasts", name)))


def by_votes(find: Callable[[int], PreferenceMatrix], run: int) -> Iterator[Told]:
    """Run a study whose votes are fresh draws."""
    p = find(run).p
    start, tie = new_start(len(p), epoch=1), np.zeros_like(p)
    whole = PlannedRace(start, p, tie, (run,))
    whole.run(MOST)
    race = PlannedRace(start, p, tie, (run,))
    for share in MOMENTS:
        race.run(int(share * whole.votes))
        now = Start(*race.counts(), epoch=1)
        said = look_ahead(now).remaining
        if said is not None:
            yield Told(said, whole.votes - race.votes)


def by_people(matrix: PreferenceMatrix, run: int) -> Iterator[Told]:
    """Run a study of people who are dealt a few pairs each; votes and people are two forecasts."""
    *_, (ended, everybody) = play_dealt(matrix, run, BATCH)
    votes, due = ended.votes, [int(share * ended.votes) for share in MOMENTS]
    for state, people in play_dealt(matrix, run, BATCH):
        if not due or state.votes < due[0]:
            continue
        due.pop(0)
        start = kind_of(state.settings).standing("people", state, 0.0).start
        found = look_ahead(start, BATCH, people)
        if found.remaining is None or found.people is None:
            continue
        yield Told(found.remaining, votes - state.votes)
        yield Told(found.people, everybody)


def by_panel(family: str, k: int, members: int, run: int) -> Iterator[Told]:
    """Run a panel, with manners."""
    said = panel(family, k, members, run)
    course = [*_answered(said, run)]
    for share in MOMENTS:
        nth = int(share * (len(course) - 1))
        wins, silent = course[nth]
        found = panel_remaining(wins, np.zeros_like(wins), silent)
        if found is not None:
            yield Told(found, len(course) - 1 - nth)


def _answered(said: np.ndarray, run: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Wins and who has answered, before the first question and after each."""
    members, k, _ = said.shape
    wins, silent, rng = np.zeros((k, k), int), no_answers(members, k), stream(run, "forecasts")
    seen: list[list[tuple[int, int]]] = [[] for _ in said]
    yield wins.copy(), silent.copy()
    while question := next_question(wins, None, silent, rng, last=seen):
        voter, i, j = question
        seen[voter].append((i, j))
        silent[voter, [i, j], [j, i]] = True
        wins[i, j] += said[voter, i, j] > 0
        wins[j, i] += said[voter, i, j] < 0
        yield wins.copy(), silent.copy()


def studies() -> dict[str, tuple[str, Callable[[int], Iterator[Told]]]]:
    """Return who votes in each study, and how it is run."""
    found: dict[str, tuple[str, Callable[[int], Iterator[Told]]]] = {}
    for name in (
        *("arithmetic_8", "cyclic_4", "mslr_informational_5_condorcet", "spotify_day_20"),
        *("trec_421946_9", "wmt16_tur_eng_9"),
    ):
        matrix = real(name)
        found[f"`{name}`"] = "fresh draws", partial(by_votes, lambda run, matrix=matrix: matrix)
    for name, draw in (
        ("the belief itself, 5 options", believed(5)),
        ("the belief itself, 12 options", believed(12)),
        ("strengths alone (spread 0.5), 10 options", strengths(10, 0.5)),
        ("every pair by itself, uniform, 8 options", uniform(8)),
        ("the best two 55 : 45, 5 options", near_tie(5, 0.05)),
    ):
        find = partial(drawn, draw, name)
        found[name] = "fresh draws", partial(by_votes, find)
    for matrix in (copeland.load("easy-20"), copeland.load("mslr-5"), real("trec_540006_9")):
        name = f"`{matrix.name}`, margin 0.1"
        found[name] = f"people, {BATCH} pairs each", partial(by_people, matrix)
    for family, k, members in (
        *(("Mallows .3", 12, 5), ("Mallows .8", 12, 5), ("Bradley-Terry, spread 1", 12, 5)),
        *(("impartial culture", 6, 5), ("Mallows .6", 20, 7), ("cycle of the top three", 12, 9)),
    ):
        name = f"{family}, {k} options"
        found[name] = f"a panel of {members}", partial(by_panel, family, k, members)
    return found


def forecasts(runs: int = RUNS) -> Iterator[str]:
    """How often what a study took is inside the range of its forecast."""
    warm()
    yield "## Forecasts"
    yield (
        f"Every study is run to its end {runs} times. At its start and when 10, 30 and 60 % of its votes are in, the "
        "forecast that all places show is held against "
        "what it then took: votes or answers, and for people their number in all, too. *Inside*: how often that is "
        "inside the stated range. *Middle*: the middle of the range over what "
        "it took, median. *Width*: the end of the range over its beginning, median. Of "
        f"people, {PRESENT} are present at a time."
    )
    yield ""
    yield "| study | who votes | taken in all, median | inside | middle | width |"
    yield "|---|---|---|---|---|---|"
    told: list[Told] = []
    for name, (voters, run_one) in studies().items():
        rows = [[*run_one(run)] for run in range(runs)]
        told += chain(*rows)
        yield _row(name, voters, rows)
    inside = sum(one.inside for one in told)
    yield f"| all | | | {inside} of {len(told)} ({inside / len(told):.0%}) | | |"


def _row(name: str, voters: str, rows: list[list[Told]]) -> str:
    flat = [*chain(*rows)]
    inside, width = sum(one.inside for one in flat), np.median([one.width for one in flat])
    ratio = np.median([(one.said.middle or one.said.most) / max(one.taken, 1) for one in flat])
    taken = np.median([row[0].taken for row in rows if row])
    share = f"{inside} of {len(flat)}"
    return f"| {name} | {voters} | {taken:,.0f} | {share} | {ratio:.2f} | {width:.1f} |"


def main() -> None:
    """Print the table, of another number of runs if so told."""
    for line in forecasts(*map(int, sys.argv[1:2])):
        print(line, flush=True)


if __name__ == "__main__":
    main()
