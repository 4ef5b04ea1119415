"""How many questions a panel is spared: `python -m benchmarks.panel [panels of a family and size]`.

`python -m benchmarks.panel manners [panels]`: how many more it takes if no option is shown to a voter more than
three times running.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from copeland.certificate import next_question, panel_certificate
from copeland.support.rng import stream

PANELS = 50
SIZES = ((6, 5), (12, 3), (12, 5), (12, 9), (20, 7))
SEED = 0


def of_orders(orders):
    """Voters x K x K: 1 where a voter prefers i, -1 where j."""
    place = np.argsort(orders, axis=1)
    return np.sign(place[:, None, :] - place[:, :, None]).astype(np.int8)


def mallows(phi):
    """Noisy copies of one order: phi is 0 for no noise, and 1 for nothing else."""

    def draw(rng, k, voters):
        orders = np.zeros((voters, 0), dtype=int)
        for i in range(k):
            chances = phi ** np.arange(i, -1.0, -1)
            at = rng.choice(i + 1, voters, p=chances / chances.sum())
            orders = np.array([np.insert(o, x, i) for o, x in zip(orders, at, strict=True)])
        return of_orders(orders)

    return draw


def bradley_terry(spread):
    """Voters who draw every answer on its own, by strengths of the options."""

    def draw(rng, k, voters):
        strength = rng.normal(0, spread, k)
        p = 1 / (1 + np.exp(strength - strength[:, None]))
        said = np.triu(np.where(rng.random((voters, k, k)) < p, 1, -1), 1)
        return (said - said.transpose(0, 2, 1)).astype(np.int8)

    return draw


def impartial(rng, k, voters):
    """Any order is as likely as any other."""
    return of_orders(np.array([rng.permutation(k) for _ in range(voters)]))


def paradox(rng, k, voters):
    """The three best go in a circle, and the rest follows in noisy order."""
    tops = np.array([np.roll(range(3), v % 3) for v in range(voters)])
    rest = np.argsort(np.arange(3, k) + rng.normal(0, 2, (voters, k - 3)), axis=1) + 3
    return of_orders(np.hstack([tops, rest]))


def circle(rng, k, voters):
    """Each voter begins at another place of one circle of all options."""
    orders = np.array([np.roll(range(k), round(v * k / voters)) for v in range(voters)])
    for order in orders:  # a neighbour or two change places
        for at in rng.integers(0, k - 1, 2):
            order[[at, at + 1]] = order[[at + 1, at]]
    return of_orders(orders)


FAMILIES = {
    "Mallows .3": mallows(0.3),
    "Mallows .6": mallows(0.6),
    "Mallows .8": mallows(0.8),
    "Bradley-Terry, spread 1": bradley_terry(1.0),
    "Bradley-Terry, spread 2": bradley_terry(2.0),
    "impartial culture": impartial,
    "cycle of the top three": paradox,
    "cycle of all": circle,
}


def panel(family, k, voters, nth):
    """The answers of one panel, its options in random order."""
    rng = stream(SEED, "panel", family, k, voters, nth)
    order = rng.permutation(k)
    return FAMILIES[family](rng, k, voters)[:, order[:, None], order]


def play(said, until="best", seed=0, recent_ballots=False):
    """How many questions are asked until the planner has no more; each step is held against the truth."""
    answered = np.zeros(said.shape, dtype=bool)
    wins = np.zeros(said.shape[1:], dtype=int)
    rng = stream(seed, "play")
    seen = [[] for _ in said] if recent_ballots else None
    while question := next_question(wins, None, answered, rng, last=seen, until=until):
        v, i, j = question
        if recent_ballots:
            seen[v].append((i, j))
        answered[v, [i, j], [j, i]] = True
        wins[i, j] += said[v, i, j] > 0
        wins[j, i] += said[v, i, j] < 0
        require_right(wins, (~answered).sum(axis=0) * ~np.eye(len(wins), dtype=bool), said)
    return int(answered.sum()) // 2


def require_right(wins, missing, said):
    """Fail if the certificate says anything that the whole panel's answers contradict."""
    found = panel_certificate(wins, missing=missing, members=len(said))
    score = (said.sum(axis=0, dtype=int) > 0).sum(axis=1)
    winners = set(np.flatnonzero(score == score.max()).tolist())
    assert set(found.best) <= winners <= set(found.possible)
    assert not found.is_all or set(found.best) == winners
    assert all(low <= one <= high for one, (low, high) in zip(score, found.scores, strict=True))


def early_majority(said, seed=0):
    """How many questions it takes to ask all pairs, each until its majority is decided."""
    rng = stream(seed, "early")
    questions = 0
    for i, j in zip(*np.triu_indices(said.shape[1], 1), strict=True):
        margins = np.append(0, rng.permutation(said[:, i, j]).cumsum())
        left = np.arange(len(said), -1, -1)
        questions += int(np.argmax((np.abs(margins) > left) | (left == 0)))
    return questions


def fewest(said, until="best"):
    """How few questions could settle it, if one knew all the answers beforehand; no ties in them.

    All wins of one winner must be proved, or of all; and every other option must fail to beat so many
    that it cannot have more wins, or as many. A win takes more than half of the voters, a failure half.
    """
    voters, k, _ = said.shape
    beats = said.sum(axis=0, dtype=int) > 0
    score = beats.sum(axis=1)
    top = score == score.max()
    proved = [top] if until == "all" else np.eye(k, dtype=bool)[top]
    return min(
        int(score[ours].sum()) * (voters // 2 + 1)
        + int(_failures(score, beats, ours, until).sum()) * ((voters + 1) // 2)
        for ours in proved
    )


def _failures(score, beats, ours, until):
    """How often each option must fail besides its losses to those that are proved best."""
    needed = len(score) - 1 - score.max() + ((until == "all") & ~ours)
    if ours.sum() == 1:
        needed = np.where(ours, 0, needed)  # one option need not be compared with itself
    return np.maximum(needed - beats[ours].sum(axis=0), 0)


def row(family, k, voters, panels):
    """The medians of a family at one size."""
    said = [panel(family, k, voters, nth) for nth in range(panels)]
    early = np.array([early_majority(one, nth) for nth, one in enumerate(said)])
    cells = [f"{np.median(early):.0f}"]
    for until in ("best", "all"):
        ours = np.array([play(one, until, nth) for nth, one in enumerate(said)])
        least = np.median([fewest(one, until) for one in said])
        cells += [f"{np.median(ours):.0f}", f"{np.median(early / ours):.1f}", f"{least:.0f}"]
    return f"| {family} | {k} x {voters} | {' | '.join(cells)} |"


def savings(panels=PANELS):
    """How many questions a panel is spared."""
    yield (
        f"{panels * len(FAMILIES) * len(SIZES):,} panels, {panels} in a row; medians. Every certificate, at "
        "every step, is held against the answers of the whole panel."
    )
    yield ""
    yield "| panel | options x voters | early majority | until one is best | ratio | fewest | until all are known | ratio | fewest |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for k, voters in SIZES:
        for family in FAMILIES:
            began = time.perf_counter()
            yield row(family, k, voters, panels)
            print(f"{family} {k} x {voters}: {time.perf_counter() - began:.1f} s", file=sys.stderr)


def recent_ballots(panels=6):
    """How many more questions it takes to show no option too often running; circles left out."""
    ratios, usual = [], []
    for k, voters in SIZES:
        for family in (name for name in FAMILIES if "circle" not in name):
            said = [panel(family, k, voters, nth) for nth in range(panels)]
            without = np.array([play(one, seed=nth) for nth, one in enumerate(said)])
            with_ = np.array(
                [play(one, seed=nth, recent_ballots=True) for nth, one in enumerate(said)]
            )
            ratios.append(with_.mean() / without.mean())
            usual.append(np.median(with_) / ((k - 1) * (voters // 2 + 1)))
            print(f"{family} {k} x {voters}: {ratios[-1]:.2f}, {usual[-1]:.2f}", file=sys.stderr)
    yield f"{panels} panels each of {len(ratios)} families and sizes."
    yield f"Questions with manners, of those without: {_spread(ratios)}; of the fewest: {_spread(usual)}."


def _spread(values):
    low, middle, high = np.quantile(values, [0.1, 0.5, 0.9])
    return f"{middle:.2f} (10 % to 90 %: {low:.2f} to {high:.2f})"


def main():
    """Print the table."""
    if sys.argv[1:2] == ["manners"]:
        lines = recent_ballots(*map(int, sys.argv[2:3]))
    else:
        lines = savings(*map(int, sys.argv[1:2]))
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    main()
