"""The page of tuning: what runs of `benchmarks.tuning` add up to."""

from __future__ import annotations

import itertools

import numpy as np

from benchmarks.continuous_games import games, mixed_games

MARKS = (50, 100, 200, 500)  # votes after which there is a table
FEWER = 167  # votes, of which 200 are a fifth more
SHOWN = ("tuner", "eubo", "pbo", "random", "cpc-25", "cpc-100", "dts-25", "botorch")
TRANSITIVE = ("forrester", "branin", "goldstein", "hartmann3", "hartmann6", "ackley5")
_ESTIMATES = (0, 0.01, 0.03, 0.06, 0.12, 1)


def page(runs):
    """The part of the page that some runs make."""
    yield "## Tuning by votes"
    yield (
        "Regret of the recommendation: the largest share of the space that any point beats, less the share that the "
        "recommended point beats. Means and standard errors over runs; shares are counted against "
        "16,384 points. The first six problems have a utility, the others run in cycles. `eubo` (a transitive rule), "
        "`pbo` (dueling Thompson sampling) and `random` (random pairs) share the fitting of `tuner`: `eubo` without "
        "the cyclic part, `pbo` without the utility. `cpc` and `dts` play a grid of 25 or 100 points. `botorch` is "
        "BoTorch's own EUBO. In brackets: how many runs; "
        "few of them say little about problems on which the tuner varies much."
    )
    for votes in MARKS:
        some = [run for run in runs if run["batch"] == 1 and str(votes) in run["marks"]]
        if some:
            yield ""
            yield f"### After {votes} votes"
            yield ""
            yield from table(some, votes)
    yield from _transitive(runs)
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
        "in cycles": [g for g in games() if g not in TRANSITIVE],
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
    return _summed(values, 1 if what == "cumulative" else 3)


def _summed(values, digits):
    """The mean of means, its standard error, and how many values there are."""
    if not all(values):
        return ""
    mean = np.mean([np.mean(one) for one in values])
    count = sum(map(len, values))
    mean = round(mean, digits) + 0.0  # -0.00001, against a largest share that was searched, is none
    if min(map(len, values)) < 2:
        return f"{mean:.{digits}f} ({count})"
    error = np.sqrt(sum(np.var(one, ddof=1) / len(one) for one in values)) / len(values)
    return f"{mean:.{digits}f} ± {error:.{digits}f} ({count})"


def _ours(runs, batch=1):
    return [run for run in runs if run["rule"] == "tuner" and run["batch"] == batch]


def _at(runs, votes, what="regret"):
    """A number of each run that got that far, by problem and seed."""
    some = [run for run in runs if str(votes) in run["marks"]]
    return {(r["problem"], r["seed"]): r["marks"][str(votes)][what] for r in some}


def _more(ones, others):
    """How much larger numbers are than others of the same problem and seed: mean, standard error, how many."""
    gaps = [value - others[key] for key, value in ones.items() if key in others]
    if len(gaps) < 2:
        return ""
    error = np.std(gaps, ddof=1) / np.sqrt(len(gaps))
    return f"{np.mean(gaps):+.3f} ± {error:.3f} ({len(gaps)})"


def _transitive(runs):
    """The tuner against the rule that knows that there is a utility, on the same seeds."""
    rival = [run for run in runs if run["rule"] == "eubo"]
    ones, others = (
        {k: v for k, v in _at(some, 100).items() if k[0] in TRANSITIVE}
        for some in (_ours(runs), rival)
    )
    if _more(ones, others):
        yield ""
        yield (
            "On the problems with a utility, the regret of `tuner` after 100 votes less that of `eubo` with the same "
            f"seed is {_more(ones, others)}."
        )


def _calibration(runs):
    """What the tuner's own estimate of its regret was worth."""
    yield "### What the tuner's own estimate of its regret was worth"
    yield ""
    yield "| votes | estimate | runs | mean estimate | true mean | 90 % within |"
    yield "|---|---|---|---|---|---|"
    for votes in MARKS:
        guesses, truths = (_at(_ours(runs), votes, what) for what in ("estimate", "regret"))
        pairs = [(guesses[key], truths[key]) for key in guesses if key[0] in games()]
        for low, high in [*itertools.pairwise(_ESTIMATES), (0, 1)]:
            some = [pair for pair in pairs if low <= pair[0] < high]
            if some:
                guess, true = np.mean(some, axis=0)
                within = np.quantile([one for _, one in some], 0.9)
                words = f"{low:g} to {high:g}" if (low, high) != (0, 1) else "*all*"
                yield f"| {votes} | {words} | {len(some)} | {guess:.3f} | {true:.3f} | {within:.3f} |"


def _batches(runs):
    """What is lost where five duels are asked at once: what 200 votes give against fewer one at a time."""
    several = _at(_ours(runs, 5), 200)
    if not several:
        return
    yield "### In batches of five"
    yield ""
    yield f"| problem | one at a time, {FEWER} votes | one at a time, 200 | in batches, 200 |"
    yield "|---|---|---|---|"
    singles = [{k: v for k, v in _at(_ours(runs), n).items() if k in several} for n in (FEWER, 200)]
    for problem in dict.fromkeys(problem for problem, _ in several):
        cells = [
            _summed([[v for k, v in some.items() if k[0] == problem]], 3)
            for some in (*singles, several)
        ]
        yield f"| `{problem}` | {' | '.join(cells)} |"
    yield ""
    yield (
        "With the same seeds, the regret after 200 votes in batches less that after 200 votes one at a time is "
        f"{_more(several, singles[1])}. Less that after {FEWER} votes one at a time, which are a sixth fewer, it is "
        f"{_more(several, singles[0])}."
    )
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
