"""`make bench`: every claim of speed, with both sides measured in this run."""

from __future__ import annotations

import resource
import subprocess
import sys
import time

from rich.console import Console
from rich.table import Table

import copeland
from copeland import Policy
from copeland.policy import algorithms, register
from copeland.testing.plain_ccb import PLAIN_CCB

SEED = 0
register(PLAIN_CCB)


def seconds(problem, algorithm, horizon, runs=1, **how):
    """CPU-bound seconds a run, and real duels a run; what compiling takes is not counted."""
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
    code = "import copeland; copeland.simulate('synthetic-500', 'ccb', 1e5)"
    subprocess.run([sys.executable, "-c", code], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def every_algorithm():
    """Nanoseconds a turn of the loop, at three sizes."""
    for name in algorithms():
        if name == "ccb-plain":
            continue
        costs = []
        for k in (10, 50, 200):
            took, duels = seconds(f"order-{k}-0.1:seed=0", name, 200_000)
            costs.append(f"{took / max(duels, 1) * 1e9:,.0f}")
        yield f"{name}: ns a real duel at K = 10 / 50 / 200", " / ".join(costs), ""


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
    table = Table("what", "measured", "bar", title=f"copeland {copeland.__version__}")
    for part in (imports, horizons, many_options, every_algorithm, live):
        for row in part():
            table.add_row(*row)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
