"""How often a certificate is wrong, whatever is done to ballots: `python -m benchmarks.ledger_table [runs] [words of a row]`.

Every attack is tried on the real ledger, with a look after every event, and on a ledger without the rule that stands against it. That
one has to be found out, or the attack is none.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import product
from typing import Any

from scipy.stats import beta, binom

from benchmarks.ballot_attacks import (
    ATTACKS,
    KINDS,
    PANEL,
    Attack,
    break_ledger,
)
from benchmarks.ballot_trials import Trial, begin_trial
from benchmarks.ballot_voters import World
from copeland.support.rng import stream

DELTA = 0.05
RUNS, BROKEN = 2_000, 100
BALLOTS = {2: 200, 3: 300, 8: 1_200}  # that are handed out in a run, by the number of options
TICKS = 1_500  # seconds that a run takes at most

EVEN, NEAR = World("two even", 2), World("two, .48", 2, 0.48)
THREE = World("three even", 3, aims=True)
EIGHT = World("eight even", 8, aims=True)  # of which some are retired
WORLDS = (EVEN, NEAR, THREE, EIGHT)


def worlds_of(attack: Attack) -> tuple[World, ...]:
    """Return where an attack is tried."""
    return (EIGHT,) if attack.retires else (EVEN, NEAR, THREE)


def count_fooled(attack: Attack, kind: str, world: World, runs: int, broken: bool = False) -> int:
    """Return how many of so many studies prove anything that is wrong, at any look."""
    known: dict[Any, bool] = {}
    fooled = 0
    for run in range(runs):
        rng = stream(0, "ledger", attack.name, kind, world.name, run)
        trial = begin_trial(KINDS[kind], world, rng, known)
        if broken:
            break_ledger(trial, attack.without)
        fooled += is_fooled(trial, attack)
    return fooled


def is_fooled(trial: Trial, attack: Attack) -> bool:
    """Tell whether a study proves anything that is wrong, at any look."""
    while trial.now < TICKS:
        trial.now += 1.0
        if trial.proves_wrong():
            return True
        asked = 0
        if trial.asked.total() < BALLOTS[trial.world.k]:
            attack.options(trial)
            asked = _ask(trial, attack)
            if trial.proves_wrong():
                return True
        if not asked and trial.is_over:
            break
    return False


def _ask(trial: Trial, attack: Attack) -> int:
    """Hand out ballots, and let those who answer against whom it is for have their fate; return how many."""
    for _ in range(attack.at_once):
        trial.electorate.ask(trial)
    new, trial.new = trial.new, []
    for ballot in new:
        fate = attack.fate if trial.is_against(ballot) else attack.favour
        trial.plan(ballot, fate(trial, ballot))
    return len(new)


def most_wrong(runs: int, kind: str = "") -> int:
    """Return how many of so many runs may be wrong, if each is so with probability delta, but for one time in a thousand."""
    return 0 if kind == PANEL else int(binom.ppf(0.999, runs, DELTA))


def ledger_table(runs: int = RUNS, only: str = "") -> Iterator[str]:
    """How often certificates are wrong, whatever is done to ballots."""
    yield "## False certificates, whatever is done to ballots"
    yield (
        f"How many of {runs:,} studies ever prove anything that is wrong, at delta = {DELTA}, with a look after every vote and every "
        "second. Votes for the option that somebody works for come at once; that is the wrong one or, of equals, the one that "
        "is ahead. The row says what happens to the votes against it. A ballot has 60 s. *Two, .48*: the first wins 48 % of the "
        "votes. *Three even* and *eight even*: the pair is asked that is nearest to a wrong claim. "
        f"If certificates were wrong with probability {DELTA}, more than {most_wrong(runs)} of {runs:,} would be wrong one time in a "
        "thousand. *At most*: the upper end of the 95 % interval of Clopper and Pearson of the largest number in the row. "
        "A panel must never be wrong."
    )
    yield ""
    yield f"| who votes | votes against | {' | '.join(world.name for world in WORLDS)} | at most |"
    yield f"|---|---|{'---|' * len(WORLDS)}---|"
    for kind, attack in product(KINDS, ATTACKS):
        if kind in attack.kinds and only in f"{kind}: {attack.name}":
            yield _row(kind, attack, runs)
    yield ""
    yield (
        f"The same attacks on ledgers without the rule that is against them: of {BROKEN} studies of each kind and world, how many "
        f"prove something wrong, the fewest and the most. More than {most_wrong(BROKEN)} are too many."
    )
    yield ""
    yield "| votes against | the ledger | fewest | most |"
    yield "|---|---|---|---|"
    for attack in ATTACKS[1:]:
        if any(only in f"{kind}: {attack.name}" for kind in attack.kinds):
            fooled = [
                count_fooled(attack, kind, world, BROKEN, broken=True)
                for kind, world in product(attack.kinds, worlds_of(attack))
            ]
            name = attack.without.__name__.replace("_", " ")
            yield f"| {attack.name} | {name} | {min(fooled)} | {max(fooled)} |"


def _row(kind: str, attack: Attack, runs: int) -> str:
    began = time.process_time()
    fooled = {world: count_fooled(attack, kind, world, runs) for world in worlds_of(attack)}
    worst = max(fooled.values())
    end = float(beta.ppf(0.975, worst + 1, runs - worst)) if worst < runs else 1.0
    print(f"{kind}: {attack.name}: {time.process_time() - began:.0f} s", file=sys.stderr)
    cells = " | ".join(f"{fooled.get(world, '')}" for world in WORLDS)
    return f"| {kind} | {attack.name} | {cells} | {end:.3f} |".replace("0.", ".")


def main() -> None:
    """Print the tables, of fewer runs or of some rows alone if so told."""
    told = sys.argv[1:]
    runs = next((int(word) for word in told if word.isdigit()), RUNS)
    only = next((word for word in told if not word.isdigit()), "")
    for line in ledger_table(runs, only):
        print(line, flush=True)


if __name__ == "__main__":
    main()
