"""Find the colour of a button that beats most others, by votes between two at a time.

The voters here agree on a lightness, and go in a circle over hues: each likes those a third of the wheel further.
Run it: python examples/tune_colour.py
"""

import math
from pathlib import Path

import numpy as np

import copeland

SPACE = copeland.Space({"hue": copeland.Real(0, 360), "lightness": copeland.Real(20, 90)})


def vote(duel, voter):
    """Let a voter choose; in life nobody knows how."""
    turn = math.radians(duel.first["hue"] - duel.second["hue"])
    liked = [
        math.cos(math.radians(c["hue"] - 210)) - ((c["lightness"] - 55) / 20) ** 2
        for c in (duel.first, duel.second)
    ]
    g = 1.5 * math.sin(turn) + 2 * (liked[0] - liked[1])
    return duel.first if voter.random() < 1 / (1 + math.exp(-g)) else duel.second


def main() -> None:
    """Ask for 40 votes, survive a restart, recommend a colour and prove something of it."""
    voter, file = np.random.default_rng(1), Path("colour.npz")
    tuner = copeland.Tuner(SPACE, seed=1)
    for number in range(1, 41):
        duel = tuner.ask()
        tuner.tell(duel, winner=vote(duel, voter))
        if number == 20:  # the computer is turned off over night
            file.write_bytes(tuner.dump())
            tuner = copeland.Tuner.load(file.read_bytes())
    found = tuner.recommend()
    hue, lightness = (round(found.point[name]) for name in SPACE.parameters)
    print(f"After {tuner.votes} votes: hsl({hue}, 70%, {lightness}%).")
    print(f"It beats some {found.score:.0%} of all colours, by the model's estimate.")
    audit = tuner.audit(found.point)
    for _ in range(200):
        duel = audit.ask()
        audit.tell(duel, winner=vote(duel, voter))
    print(audit.statement)


if __name__ == "__main__":
    main()
