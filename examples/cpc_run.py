"""Draw one run of CPC: what its certificate costs as it goes, and which pairs it duels.

Run it: python examples/cpc_run.py [FILE.svg]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

import copeland

PROBLEM = "order-12-0.1"
STEPS = 6000


def run(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Duel; return the certificate's price and its option at every step, and the duels of each pair."""
    matrix = copeland.load(PROBLEM)
    policy = copeland.Policy("cpc", k=matrix.k, seed=seed)
    world = np.random.default_rng(seed)
    price, champion = np.zeros(STEPS), np.zeros(STEPS, int)
    duels = np.zeros((matrix.k, matrix.k))
    for step in range(STEPS):
        duel = policy.ask()
        price[step], champion[step] = policy.state.price[0], policy.recommend()
        first_wins = world.random() < matrix.p[duel.first, duel.second]
        policy.tell(duel, winner=duel.first if first_wins else duel.second)
        if duel.first != duel.second:
            duels[duel.first, duel.second] += 1
            duels[duel.second, duel.first] += 1
    return price, champion, duels


def draw(price: np.ndarray, champion: np.ndarray, duels: np.ndarray) -> Figure:
    """Draw price and champions over time, and the duels as a matrix."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), width_ratios=[1.7, 1])
    steps = np.arange(1, len(price) + 1)
    colours = plt.get_cmap("tab10")
    for place, option in enumerate(np.unique(champion)):
        shown = np.where(champion == option, np.maximum(price, 0), np.nan)
        left.plot(steps, shown, lw=1.2, color=colours(place % 10), label=f"option {option}")
    left.set(xscale="log", xlabel="step", ylabel="price of the certificate")
    left.legend(title="whose it is", fontsize=8, frameon=False)
    left.spines[["top", "right"]].set_visible(False)
    shown = right.imshow(np.log10(duels + 1), cmap="Blues")
    right.set(xlabel="option", ylabel="option", title="duels of each pair")
    right.set(xticks=range(0, len(duels), 2), yticks=range(0, len(duels), 2))
    ticks = [0, 1, 2, 3]
    bar = figure.colorbar(shown, ax=right, ticks=ticks, shrink=0.8)
    bar.set_ticklabels(["0", "9", "99", "999"])
    figure.tight_layout()
    return figure


def main() -> None:
    """Write the picture."""
    folder = tempfile.mkdtemp()
    path = Path(sys.argv[1] if len(sys.argv) > 1 else f"{folder}/cpc_run.svg")
    draw(*run(seed=2)).savefig(path)
    print(f"wrote {path.name}")


if __name__ == "__main__":
    main()
