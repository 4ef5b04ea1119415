"""How good tuning by votes is: `python -m benchmarks.tuning FILE [seeds [votes [problem,... [rule,...]]]]`.

Each run is a line of FILE, so that what is stopped goes on where it was. `make measure tuning` writes the table.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import tuning_botorch
from benchmarks.tuning_audits import audits
from benchmarks.tuning_cost import costs
from benchmarks.tuning_rivals import Eubo, Grid, Pbo, Random
from copeland.streams import stream
from copeland.tuning import Tuner
from copeland.tuning.problems import game, games, mixed_games

MARKS = (50, 100, 200, 500)
SEEDS, VOTES = 10, 200
SHARED = {"tuner": Tuner, "eubo": Eubo, "pbo": Pbo, "random": Random}
GRIDS = {"cpc-25": ("cpc", 25), "cpc-100": ("cpc", 100), "dts-25": ("dts", 25)}
RULES = (*SHARED, *GRIDS)
SHOWN = (*RULES, "botorch")
TRANSITIVE = ("forrester", "branin", "goldstein", "hartmann3", "hartmann6", "ackley5")
FILE = Path(__file__).parent.parent / "out" / "tuning.jsonl"


def run(problem, rule, seed, votes, batch=1):
    """One run: regret of the recommendation and cumulative regret at the marks."""
    world = game(problem, seed)
    play = _shared if rule in SHARED else _apart
    voter = stream(seed, "voter", problem)
    asked, marks, cpu = [], {}, []
    for number, ask in enumerate(play(world, rule, seed, voter, votes, batch, cpu), 1):
        asked.append(ask[:2])
        if number in MARKS:
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
    runs = sorted(map(json.loads, lines), key=lambda run: len(run["marks"]))
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
    yield ""
    yield from audits()


def page(runs):
    """The part of the page that some runs make."""
    yield "## Tuning by votes"
    yield (
        "Regret of the recommendation: the largest share of the space that any point beats, less the share that the "
        "recommended point beats. Means and standard errors over runs; shares are counted against "
        "16,384 points. The first six problems have a utility, the others run in circles. `eubo` (a transitive rule), "
        "`pbo` (dueling Thompson sampling) and `random` (random pairs) share the fitting of `tuner`: `eubo` without "
        "the cyclic part, `pbo` without the utility. `cpc` and `dts` play a grid of 25 or 100 points. `botorch` is BoTorch's own EUBO. In brackets: how many runs; "
        "few of them say little about problems on which the tuner varies much."
    )
    for votes in MARKS:
        some = [run for run in runs if run["batch"] == 1 and str(votes) in run["marks"]]
        if some:
            yield ""
            yield f"### After {votes} votes"
            yield ""
            yield from table(some, votes)
    yield ""
    yield from _calibration(runs)
    yield ""
    yield from _batches(runs)
    yield from _cost(runs)


def table(runs, votes):
    """Problems x rules: mean regret, standard error and number of runs."""
    rules = [rule for rule in SHOWN if any(run["rule"] == rule for run in runs)]
    yield f"| problem | {' | '.join(rules)} |"
    yield "|---|" + "---|" * len(rules)
    for problem in (*games(), *mixed_games()):
        cells = [_cell(runs, votes, [problem], rule, "regret") for rule in rules]
        if any(cells):
            yield f"| `{problem}` | {' | '.join(cells)} |"
    groups = {
        "with a utility": TRANSITIVE,
        "in circles": [g for g in games() if g not in TRANSITIVE],
    }
    for words, group in groups.items():
        cells = [_cell(runs, votes, group, rule, "regret") for rule in rules]
        if any(cells):
            yield f"| *{words}* | {' | '.join(cells)} |"
    cells = [_cell(runs, votes, games(), rule, "cumulative") for rule in rules]
    if any(cells):
        yield f"| *summed over all votes* | {' | '.join(cells)} |"


def _cell(runs, votes, problems, rule, what):
    """The mean over problems, with its standard error over runs; empty unless each problem has runs."""
    values = [
        [r["marks"][str(votes)][what] for r in runs if r["rule"] == rule and r["problem"] == one]
        for one in problems
    ]
    if not all(values):
        return ""
    mean = np.mean([np.mean(one) for one in values])
    count = sum(map(len, values))
    digits = 1 if what == "cumulative" else 3
    mean = (
        round(mean, digits) + 0.0
    )  # a regret of -0.00001, against a largest share that was searched, is none
    if min(map(len, values)) < 2:
        return f"{mean:.{digits}f} ({count})"
    error = np.sqrt(sum(np.var(one, ddof=1) / len(one) for one in values)) / len(values)
    return f"{mean:.{digits}f} ± {error:.{digits}f} ({count})"


def _calibration(runs):
    """What the tuner's own estimate of its regret was worth."""
    pairs = [
        (mark["estimate"], mark["regret"])
        for run in runs
        if run["rule"] == "tuner" and run["batch"] == 1
        for votes, mark in run["marks"].items()
        if votes == "200"
    ]
    yield "### What the tuner's own estimate of its regret was worth, after 200 votes"
    yield ""
    yield "| estimate | runs | true mean | 90 % within |"
    yield "|---|---|---|---|"
    edges = (0, 0.01, 0.03, 0.06, 1)
    for low, high in itertools.pairwise(edges):
        true = [regret for estimate, regret in pairs if low <= estimate < high]
        if true:
            within = np.quantile(true, 0.9)
            yield f"| {low:g} to {high:g} | {len(true)} | {np.mean(true):.3f} | {within:.3f} |"


def _batches(runs):
    """What is lost where five duels are asked at once."""
    several = [run for run in runs if run["batch"] > 1]
    if not several:
        return
    yield "### In batches of five, after 200 votes"
    yield ""
    yield "| problem | one at a time | in batches |"
    yield "|---|---|---|"
    for problem in dict.fromkeys(run["problem"] for run in several):
        seeds = {run["seed"] for run in several if run["problem"] == problem}
        alike = [r for r in runs if r["batch"] == 1 and r["seed"] in seeds and "200" in r["marks"]]
        cells = [_cell(some, 200, [problem], "tuner", "regret") for some in (alike, several)]
        yield f"| `{problem}` | {' | '.join(cells)} |"
    yield ""


def _cost(runs):
    """The time of asks."""
    for votes in ("200", "500"):
        ours = [
            run
            for run in runs
            if run["rule"] == "tuner" and run["batch"] == 1 and list(run["marks"])[-1] == votes
        ]
        if ours:
            usual, most = np.median([run["ms"][0] for run in ours]), max(r["ms"][1] for r in ours)
            yield (
                f"With {votes} votes an ask takes {usual:.0f} ms of CPU (median of {len(ours)} runs, the last 50 asks of "
                f"each); the longest of all took {most:.0f} ms."
            )


def main():
    """Measure what the command line names."""
    file, *rest = sys.argv[1:]
    seeds, votes = (*map(int, rest[:2]), *(SEEDS, VOTES)[len(rest[:2]) :])
    problems = rest[2].split(",") if rest[2:3] not in ([], ["all"]) else None
    rules = rest[3].split(",") if len(rest) > 3 else RULES
    measure(Path(file), seeds, votes, problems, rules, *map(int, rest[4:5]))


if __name__ == "__main__":
    main()
