"""`make bench`: speed, with yardstick and package measured in this run.

The C++ rates beside it were recorded once, on one machine; they cannot be run here.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
import warnings

from rich.console import Console
from rich.table import Table

import copeland
from benchmarks import click_logs, interleaving
from copeland import Policy
from copeland.errors import AssumptionWarning
from copeland.registry import algorithms, register
from tests.oracles.ccb import PLAIN_CCB

SEED = 0
register(PLAIN_CCB)


def seconds(problem, algorithm, horizon, runs=1, **how):
    """Seconds a run, and real duels a run; what compiling takes is not counted."""
    row = copeland.simulate(problem, algorithm, horizon, runs=runs, seed=SEED, **how).summary()[0]
    return row["seconds"] / runs, row["comparisons"]


def horizons():
    """CCB with jumps against the loop that rebuilds every bound at every step, on mslr-5."""
    plain, _ = seconds("mslr-5", "ccb-plain", 1e6, runs=3)
    short, _ = seconds("mslr-5", "ccb", 1e8, runs=5)
    long, duels = seconds("mslr-5", "ccb", 1e12, runs=5)
    yield "mslr-5: rebuilt bounds, ns a step", f"{plain / 1e6 * 1e9:,.0f}", ""
    yield "mslr-5: CCB to 1e8, seconds a run", f"{short:.3f}", ""
    yield "mslr-5: CCB to 1e12, seconds a run", f"{long:.3f} ({duels:,.0f} real duels)", ""
    yield bar("mslr-5: ratio per simulated step", (plain / 1e6) / (long / 1e12), at_least=500_000)
    yield bar("mslr-5: cost of 1e12 over cost of 1e8", long / short, at_most=3)


def many_options():
    """The same on 500 options: real duels a second."""
    plain, slow_duels = seconds("synthetic-500", "ccb-plain", 2_000)
    ours, duels = seconds("synthetic-500", "ccb", 1e9)
    yield "synthetic-500: rebuilt bounds, duels a second", f"{slow_duels / plain:,.0f}", ""
    yield "synthetic-500: CCB to 1e9, duels a second", f"{duels / ours:,.0f}", ""
    yield bar(
        "synthetic-500: ratio of duels a second", (duels / ours) / (slow_duels / plain), at_least=50
    )
    yield bar("synthetic-500: CCB to 1e9, seconds", ours, at_most=60)
    yield bar("synthetic-500: peak memory, MiB", peak_memory(), at_most=400)


def peak_memory():
    """The largest resident size of a process that runs CCB on 500 options."""
    code = "import copeland; copeland.simulate('synthetic-500', 'ccb', 1e5, runs=1)"
    subprocess.run([sys.executable, "-c", code], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


# Steps a second of the fastest known C++ code for each rule, one thread, at K = 5, 50 and 500.
CPP = {
    "rucb": (2_100_000, 60_000, 1_450),
    "dts": (43_000, 2_500, 25),
    "dts-plus": (189_000, 2_700, 25),
    "rcs": (247_000, 2_900, 29),
    "savage": (7_400_000, 50_000, 480),
    "rmed1": (1_050_000, 17_000, 1_600),
    "ecw-rmed": (210_000, 2_900, None),
}
STEPS = {5: 300_000, 50: 30_000, 500: 3_000}


def every_algorithm():
    """Steps a second of every algorithm, self-duels taken one by one, beside what is known of C++."""
    plain = {
        k: n / seconds(f"order-{k}-0.1:seed=0", "ccb-plain", n)[0]
        for k, n in {5: 300_000, 50: 3_000, 500: 200}.items()
    }
    yield "rebuilt bounds: steps a second at K = 5 / 50 / 500", _rates(plain.values()), ""
    for name in algorithms():
        if name == "ccb-plain":
            continue
        rates = {k: rate(name, k, n) for k, n in STEPS.items()}
        yield f"{name}: steps a second", _rates(rates.values()), _against(name, rates, plain)


def rate(name, k, steps):
    """Steps a second, or None where the algorithm refuses so many options."""
    try:
        took, duels = seconds(f"order-{k}-0.1:seed=0", name, steps, jump=False)
    except copeland.InvalidParameter:
        return None
    return (duels if algorithms()[name].stops else steps) / took


def _rates(rates):
    return " / ".join("refused" if rate is None else f"{rate:,.0f}" for rate in rates)


def _against(name, rates, plain):
    """What the rates are to the plain loop, and to C++: at least as fast at K = 5, else three times."""
    ratios = " / ".join("-" if r is None else f"{r / plain[k]:,.1f}" for k, r in rates.items())
    text = f"{ratios} x rebuilt"
    for (k, ours), theirs in zip(rates.items(), CPP.get(name, (None,) * 3), strict=True):
        if theirs is not None and ours is not None:
            met = ours >= theirs * (1 if k == 5 else 3)
            text += f"; K = {k}: {ours / theirs:,.1f} x C++ {'met' if met else 'NOT MET'}"
    return text


def live():
    """Ask and tell, interpreted."""
    policy = Policy("ccb", k=50, seed=SEED)
    start = time.perf_counter()
    for _ in range(1000):
        duel = policy.ask()
        policy.tell(duel, winner=min(duel.first, duel.second))
    yield "ccb: ask and tell at K = 50, ms", f"{time.perf_counter() - start:.3f}", ""


def imports():
    """How long `import copeland` takes, the best of five processes."""
    code = "import time; t = time.perf_counter(); import copeland; print(time.perf_counter() - t)"
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(5)
    ]
    yield bar("import copeland, seconds", min(float(run.stdout) for run in runs), at_most=0.5)


def bar(name, value, at_least=None, at_most=None):
    """A row with its bar and whether it is met."""
    met = value >= at_least if at_least is not None else value <= at_most
    limit = f"at least {at_least:,}" if at_least is not None else f"at most {at_most:,}"
    shown = f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
    return name, shown, f"{limit}: {'met' if met else 'NOT MET'}"


def main():
    """Measure everything and print it."""
    warnings.simplefilter("ignore", AssumptionWarning)  # only speed is looked at
    table = Table("what", "measured", "bar", title=f"copeland {copeland.__version__}")
    for part in (
        imports,
        horizons,
        many_options,
        every_algorithm,
        live,
        interleaving.rows,
        click_logs.rows,
    ):
        for row in part():
            table.add_row(*row)
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
