"""How often a gate claims what is false, what it costs, and whether it finds what it announces: `python -m benchmarks.gates [runs]`.

Looked at after every verdict, until all questions are judged. Judgments of people and of models are those of
`COPELAND_TEST_DATA`/votes/arena_2023.csv.gz.
"""

from __future__ import annotations

import csv
import gzip
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import beta

from copeland.certificate.case_evidence import log_evidence_of_cases, log_evidence_of_winners
from copeland.gate.claims import (
    BESIDE,
    BETTER,
    MUCH_WORSE,
    NOT_WORSE,
    WORSE,
    GateTerms,
    has_failed,
    has_passed,
)
from copeland.gate.gate_forecast import LOST, TIED, WON, count_calls, forecast_gate
from copeland.support.rng import stream

DELTA, MARGIN, CASES = 0.05, 0.05, 200
RUNS = 2_000
EDGE = 1e-9
CLAIMS = (BETTER, NOT_WORSE, WORSE, MUCH_WORSE)
JUDGES = {"winner": "people", "gpt4": "GPT-4", "claude": "Claude", "gpt35": "GPT-3.5"}
EVEN, BORDER = 0.5, 0.5 - MARGIN


@dataclass(frozen=True)
class Trial:
    """VerdictCounts of many runs, in the order in which they come, and the theta of each that is claimed about."""

    name: str
    about: str
    verdicts: np.ndarray  # runs x questions
    theta: np.ndarray
    exact: bool

    @property
    def terms(self) -> GateTerms:
        epoch = int(self.exact)  # as a study has it
        return GateTerms("not-worse", MARGIN, DELTA, self.verdicts.shape[1], self.exact, epoch)


def read_judgments() -> dict[str, np.ndarray]:
    """Return the verdicts of each judge on all cases, from the side of the first answer; empty without the data."""
    file = Path(os.environ.get("COPELAND_TEST_DATA", ""), "votes", "arena_2023.csv.gz")
    if not file.exists():
        return {}
    with gzip.open(file, "rt") as lines:
        rows = list(csv.DictReader(lines))
    sides = {"model_a": WON, "model_b": LOST}
    return {
        name: np.array([sides.get(row[column], TIED) for row in rows], np.int8)
        for column, name in JUDGES.items()
    }


def exchange(verdicts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the verdicts with the names of the two sides exchanged by a fair coin at each case: nobody is better."""
    other = np.array([LOST, WON, TIED], np.int8)[verdicts]
    return np.where(rng.random(verdicts.shape) < 0.5, verdicts, other)


def lower(verdicts: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return the verdicts with a share of them lost instead: a mean of 1/2 becomes (1 - share) / 2."""
    return np.where(rng.random(verdicts.shape) < share, np.int8(LOST), verdicts)


def shift(verdicts: np.ndarray, lead: int, rng: np.random.Generator) -> np.ndarray:
    """Return the verdicts with some changed, until wins are ahead of losses by exactly so many in each run."""
    found = verdicts.copy()
    for row in found:
        ahead = int((row == WON).sum() - (row == LOST).sum())
        while ahead != lead:
            down = ahead > lead
            at = rng.choice(np.flatnonzero(row != (LOST if down else WON)))
            row[at] = TIED if row[at] != TIED else (LOST if down else WON)
            ahead += -1 if down else 1
    return found


def means(verdicts: np.ndarray) -> np.ndarray:
    return ((verdicts == WON) + (verdicts == TIED) / 2).mean(axis=1)


def fixed(
    name: str,
    verdicts: np.ndarray,
    rng: np.random.Generator,
    about: str = "these, one verdict a case",
) -> Trial:
    """Return a trial about exactly these verdicts, asked for in a random order."""
    return Trial(name, about, rng.permuted(verdicts, axis=1), means(verdicts), exact=True)


def sample(name: str, verdicts: np.ndarray, theta: float) -> Trial:
    """Return a trial about cases like these."""
    return Trial(name, "like-these", verdicts, np.full(len(verdicts), theta), exact=False)


def real_trials(runs: int, seed: int = 0) -> Iterator[Trial]:
    """Draw cases of real judgments and exchange the names: even, and at the border of not worse."""
    for name, judged in read_judgments().items():
        rng = stream(seed, "gates", name)
        drawn = np.stack([rng.choice(judged, CASES, replace=False) for _ in range(runs)])
        even = exchange(drawn, rng)
        below = lower(even, 2 * MARGIN, rng)
        lead = round(-2 * MARGIN * CASES)
        yield sample(f"{name}, names exchanged", even, EVEN)
        yield sample(f"{name}, 1 of 10 lost instead", below, BORDER)
        yield fixed(f"{name}, names exchanged", even, rng)
        yield fixed(f"{name}, names exchanged, made exactly even", shift(even, 0, rng), rng)
        yield fixed(f"{name}, made exactly 1/2 - .05", shift(below, lead, rng), rng)


def side_verdicts(left: float, ties: float, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return runs x 2 orders x cases of a judge on answers that are equally good.

    With probability ``left`` it names the left answer of a case in both orders; else it ties or has a preference, the same in both.
    """
    shape = (runs, CASES)
    liked = np.where(rng.random(shape) < ties, TIED, rng.integers(0, 2, shape))
    biased = rng.random(shape) < left
    return np.stack([np.where(biased, side, liked) for side in (WON, LOST)], axis=1).astype(np.int8)


def simulated_trials(runs: int, seed: int = 0) -> Iterator[Trial]:
    """Judges that prefer a side, and judges that answer by chance; each case is asked once, with drawn sides."""
    these = "these, one verdict a case"
    for name, left, ties in [
        ("names the left answer, always", 1.0, 0.0),
        ("names the left answer in 7 of 10 cases", 0.7, 0.3),
    ]:
        rng = stream(seed, "gates", name)
        asked = side_verdicts(left, ties, runs, rng)
        which = rng.integers(0, 2, (runs, CASES))
        one = np.take_along_axis(asked, which[:, None, :], axis=1)[:, 0]
        yield fixed(name, one, rng, these)
        confirmed = np.where(asked[:, 0] == asked[:, 1], asked[:, 0], np.int8(TIED))
        yield fixed(name, confirmed, rng, "these, both orders confirmed")
        yield sample(name, one, EVEN)
    rng = stream(seed, "gates", "chance")
    by_chance = rng.integers(0, 2, (runs, CASES)).astype(np.int8)
    yield sample("answers by chance", by_chance, EVEN)
    yield fixed("answers by chance", by_chance, rng, these)
    even = shift(by_chance, 0, rng)
    yield fixed("answers by chance, made exactly even", even, rng, these)
    few = np.where(rng.random((runs, CASES)) < 0.9, TIED, rng.integers(0, 2, (runs, CASES)))
    lead = round(-2 * MARGIN * CASES)
    yield fixed("9 of 10 ties, made exactly 1/2 - .05", shift(few.astype(np.int8), lead, rng), rng)


def is_false(claim: str, theta: np.ndarray) -> np.ndarray:
    border = BORDER if claim in (NOT_WORSE, MUCH_WORSE) else EVEN
    above = claim in (BETTER, NOT_WORSE)
    return theta <= border + EDGE if above else theta >= border - EDGE


def find_claims(trial: Trial) -> dict[str, np.ndarray]:
    """Return in which runs each claim is made after any number of verdicts; runs that stand alike are weighed together."""
    counts = np.stack([np.cumsum(trial.verdicts == kind, axis=1) for kind in (WON, LOST, TIED)])
    seen, back = np.unique(counts.reshape(3, -1), axis=1, return_inverse=True)
    weigh, found = trial.terms.weigh(*seen), {}
    at = {
        claim: sided
        for claim, sided in zip(
            CLAIMS, ((0.0, 0), (MARGIN, 0), (0.0, 1), (-MARGIN, 1)), strict=True
        )
    }
    proved = {
        claim: weigh(margin)[side] >= trial.terms.find_level(claim)
        for claim, (margin, side) in at.items()
    }
    for claim in CLAIMS:
        made = proved[claim] & proved[BESIDE.get(claim, claim)]
        found[claim] = made[back.reshape(-1)].reshape(trial.verdicts.shape).any(axis=1)
    return found


def largest_rate(times: int, runs: int) -> float:
    """Return the upper end of the two-sided 95 % interval of Clopper and Pearson."""
    return float(beta.ppf(0.975, times + 1, runs - times)) if times < runs else 1.0


def short(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1)


def false_rows(runs: int) -> Iterator[str]:
    for trial in (*real_trials(runs), *simulated_trials(runs)):
        made = find_claims(trial)
        wrong = np.any([made[claim] & is_false(claim, trial.theta) for claim in CLAIMS], axis=0)
        spread = f"{trial.theta.min():.2f} to {trial.theta.max():.2f}"
        theta = f"{trial.theta[0]:.2f}" if np.ptp(trial.theta) < EDGE else spread
        said = (made[BETTER] | made[WORSE]).mean()
        yield (
            f"| {trial.name} | {trial.about} | {theta.replace('0.', '.')} | {short(said)} | {short(wrong.mean())} "
            f"| {short(largest_rate(int(wrong.sum()), runs))} |"
        )


def measure_power(
    terms: GateTerms, calls: int, max_calls: int | None, runs: int, seed: int
) -> tuple[float, np.ndarray]:
    """Return the share of runs that pass and the calls of each, by the rule itself at every verdict: no ceilings, no jumps."""
    rng = stream(seed, "gates", "power", terms.require, terms.cases, calls)
    said = np.where(rng.random((runs, CASES)) < 0.3, TIED, (rng.random((runs, CASES)) >= 0.6))
    passed, asked = np.zeros(runs, bool), np.full(runs, terms.cases)
    active = np.arange(runs)
    counts = np.zeros((3, runs), np.int64)
    for n in range(1, terms.cases + 1):
        for kind in (WON, LOST, TIED):
            counts[kind, active] += said[active, n - 1] == kind
        seen, back = np.unique(counts[:, active], axis=1, return_inverse=True)
        won, lost = has_passed(*seen, terms), has_failed(*seen, terms)
        left = terms.cases - n
        if (
            max_calls is not None
        ):  # to confirm a case takes two calls, unless the first answer is a tie
            spent = calls * n - (calls - 1) * seen[TIED]
            left = np.minimum(left, (max_calls - spent) // calls)
        hope = has_passed(seen[0] + left, seen[1], seen[2], terms)
        passed[active] = won[back]
        stops = (won | lost | ~hope)[back]
        asked[active[stops]] = n
        active = active[~stops]
        if not active.size:
            break
    return float(passed.mean()), count_calls(said, asked, calls)


def power_rows(runs: int) -> Iterator[str]:
    for require, margin in (("better", 0.0), ("not-worse", MARGIN)):
        for about, cases, exact, calls in (
            ("these, random", CASES, True, 1),
            ("these, confirm", CASES, True, 2),
            ("like-these, random", CASES, False, 1),
        ):
            terms = GateTerms(require, margin, DELTA, cases, exact, int(exact))
            for max_calls in (None, CASES // 2) if exact else (None,):
                power = forecast_gate(terms, calls, max_calls)
                measured, spent = measure_power(terms, calls, max_calls, runs, 1)
                yield (
                    f"| {require} | {about} | {max_calls or 'all'} | {short(power.passed)} | {short(measured)} "
                    f"| {short(abs(power.passed - measured))} | {power.median_calls} | {np.median(spent):.0f} "
                    f"| {short(np.median(spent) / (calls * CASES))} |"
                )


def tie_rows(runs: int) -> Iterator[str]:
    """Yield after how many of 400 questions a claim with a margin is proved, by cases alone and with what ties tell."""
    questions = 2 * CASES
    for claim, won, lost in (
        (NOT_WORSE, 200, 200),
        (NOT_WORSE, 140, 140),
        (NOT_WORSE, 40, 40),
        (NOT_WORSE, 8, 8),
        (MUCH_WORSE, 140, 260),
        (MUCH_WORSE, 60, 220),
        (MUCH_WORSE, 20, 140),
    ):
        said = np.repeat([WON, LOST, TIED], [won, lost, questions - won - lost])
        rng = stream(0, "gates", "ties", claim, won)
        paths = rng.permuted(np.tile(said, (runs, 1)), axis=1)
        w, l, t = (np.cumsum(paths == kind, axis=1) for kind in (WON, LOST, TIED))
        margin = MARGIN if claim == NOT_WORSE else -MARGIN
        sides = (w, l, t) if claim == NOT_WORSE else (l, w, t)
        medians = [
            np.median(
                (weigh_sides(*sides, questions, margin) >= np.log(2 / DELTA)).argmax(axis=1) + 1
            )
            for weigh_sides in (log_evidence_of_winners, log_evidence_of_cases)
        ]
        ties = (questions - won - lost) / questions
        yield f"| {claim} | {won}:{lost} | {ties:.0%} | {medians[0]:.0f} | {medians[1]:.0f} |".replace(
            "%", " %"
        )


def gates(runs: int = RUNS) -> Iterator[str]:
    """False claims of a gate, what it costs, and what it announces."""
    yield "## Gates"
    yield (
        f"delta = {short(DELTA)[:3]}, margin .05, {CASES} cases, {runs:,} runs each, a look after every verdict until all are judged. "
        "*Said*: runs that prove better or worse at any look. *False*: runs with any false claim at any look, and "
        "the upper end of the 95 % interval "
        "of that rate. On *these* cases theta is the mean over the verdicts that the judge gave."
    )
    yield ""
    yield "| judgments | about | theta | said | false | at most |"
    yield "|---|---|---|---|---|---|"
    yield from false_rows(runs)
    yield ""
    yield (
        "A candidate that wins 60:40 with 30 % ties on 200 cases. *Announced* comes from 3,000 simulated runs before "
        "the start, of exactly these cases with fewer looks; *measured* from "
        f"{2 * runs:,} others that ask the rule itself at every verdict. "
    )
    yield ""
    yield "| requires | about | calls allowed | announced power | measured | difference | announced median calls | measured | of all |"
    yield "|---|---|---|---|---|---|---|---|---|"
    yield from power_rows(2 * runs)
    yield ""
    yield (
        f"The median number of questions, of 400, to a proof with a margin of .05, in {runs // 10:,} random orders of "
        "one population. *By cases*: the evidence of "
        "test cases alone. *With ties*: what a gate takes."
    )
    yield ""
    yield "| claim | won : lost | ties | by cases | with ties |"
    yield "|---|---|---|---|---|"
    yield from tie_rows(max(runs // 10, 1))


def main() -> None:
    """Print the tables, of fewer runs if so told."""
    for line in gates(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS):
        print(line, flush=True)


if __name__ == "__main__":
    main()
