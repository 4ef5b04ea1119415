"""How good tuning by votes is: `python -m benchmarks.tuning FILE [seeds [votes [problem,... [rule,...]]]]`.

Each run is a line of FILE, so that what is stopped goes on where it was. `make measure tuning` writes the table.
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import tuning_botorch
from benchmarks.continuous_games import game, games
from benchmarks.tuning_cost import costs
from benchmarks.tuning_page import FEWER, MARKS, page
from benchmarks.tuning_rivals import Eubo, Grid, Pbo, Random
from copeland.support.rng import stream
from copeland.tuning import Tuner

SEEDS, VOTES = 10, 200
SHARED = {"tuner": Tuner, "eubo": Eubo, "pbo": Pbo, "random": Random}
GRIDS = {"cpc-25": ("cpc", 25), "cpc-100": ("cpc", 100), "dts-25": ("dts", 25)}
RULES = (*SHARED, *GRIDS)
FILE = Path(__file__).parent.parent / "out" / "tuning.jsonl"


def run(problem, rule, seed, votes, batch=1):
    """One run: regret of the recommendation and cumulative regret at the marks."""
    world = game(problem, seed)
    play = _shared if rule in SHARED else _apart
    voter = stream(seed, "voter", problem)
    asked, marks, cpu = [], {}, []
    for number, ask in enumerate(play(world, rule, seed, voter, votes, batch, cpu), 1):
        asked.append(ask[:2])
        if number in (*MARKS, FEWER):
            marks[number] = [ask[2](), number]
    pairs = np.array(asked).reshape(-1, world.space.d)
    regrets = (world.best[0] - world.score(pairs)).reshape(-1, 2).mean(axis=1)
    return {
        "problem": problem,
        "rule": rule,
        "seed": seed,
        "batch": batch,
        "ms": [round(1000 * float(one), 1) for one in (np.median(cpu[-50:]), max(cpu))],
        "marks": {
            str(n): {
                "regret": world.best[0] - float(world.score(place[None])[0]),
                "estimate": estimate,
                "cumulative": float(regrets[:n].sum()),
            }
            for n, ((place, estimate), _) in marks.items()
        },
    }


def _shared(world, rule, seed, voter, votes, batch, cpu):
    tuner = SHARED[rule](world.space, seed=seed)

    def recommended():
        found = tuner.recommend()
        return world.space.place(found.point), found.regret

    for start in range(0, votes, batch):
        began = time.process_time()
        duels = tuner.ask(min(batch, votes - start))
        cpu.append((time.process_time() - began) / len(duels))
        for duel in duels:
            x, z = (world.space.place(point) for point in duel[1:])
            tuner.tell(duel, duel.first if voter.random() < world.chance(x, z) else duel.second)
            yield x, z, recommended


def _apart(world, rule, seed, voter, votes, batch, cpu):
    make = partial(Grid, *GRIDS[rule]) if rule in GRIDS else tuning_botorch.Botorch
    player = make(world.space, seed)
    for _ in range(votes):
        began = time.process_time()
        duel, x, z = player.ask()
        cpu.append(time.process_time() - began)
        player.tell(duel, voter.random() < world.chance(x, z))
        yield x, z, lambda: (player.recommend(), None)


def kept(*files):
    """The runs that files hold; of two that began alike, the longer one."""
    lines = [line for file in files if file.exists() for line in file.read_text().splitlines()]
    runs = sorted(map(json.loads, lines), key=lambda run: max(map(int, run["marks"])))
    return list({_key(run): run for run in runs}.values())


def _key(run):
    return run["problem"], run["rule"], run["seed"], run["batch"]


def measure(file, seeds=SEEDS, votes=VOTES, problems=None, rules=RULES, batch=1):
    """Make the runs that a file lacks, seed by seed."""
    there = {_key(run) for run in kept(file) if str(votes) in run["marks"]}
    for seed in range(seeds):
        for problem in problems or games():
            for rule in rules:
                if (problem, rule, seed, batch) not in there:
                    done = run(problem, rule, seed, votes, batch)
                    with file.open("a") as lines:
                        lines.write(json.dumps(done) + "\n")
                    shown = {n: round(one["regret"], 3) for n, one in done["marks"].items()}
                    print(problem, rule, seed, shown, done["ms"], file=sys.stderr, flush=True)


def tuning():
    """Tuning by votes: regret of the recommendation on problems with and without circles."""
    FILE.parent.mkdir(parents=True, exist_ok=True)
    measure(FILE)
    if tuning_botorch.installed():
        few = tuning_botorch
        measure(FILE, few.SEEDS, few.VOTES, few.PROBLEMS, ["botorch"])
    yield from page(kept(FILE))
    yield from costs()


def main():
    """Measure what the command line names."""
    file, *rest = sys.argv[1:]
    seeds, votes = (*map(int, rest[:2]), *(SEEDS, VOTES)[len(rest[:2]) :])
    problems = rest[2].split(",") if rest[2:3] not in ([], ["all"]) else None
    rules = rest[3].split(",") if len(rest) > 3 else RULES
    measure(Path(file), seeds, votes, problems, rules, *map(int, rest[4:5]))


if __name__ == "__main__":
    main()
