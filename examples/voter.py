"""A simulated voter, in the place of people, clicks or a model: it prints left or right.

Run it: python examples/voter.py brief rude

With ``--count FILE`` it counts its answers in a file, and everybody's n-th answer rests on the same random number.
"""

import argparse
import random
from pathlib import Path

# How good each option is, which in life nobody knows.
WORTH = {"steps": 8.0, "expert": 3.0, "brief": 2.0, "plain": 1.0, "rude": 0.2}


def main() -> None:
    """Choose between two options, by name; the better one more often."""
    parser = argparse.ArgumentParser()
    parser.add_argument("left", nargs="?", default="steps", choices=WORTH)
    parser.add_argument("right", nargs="?", default="rude", choices=WORTH)
    parser.add_argument("--count", type=Path, metavar="FILE")
    given = parser.parse_args()
    share = WORTH[given.left] / (WORTH[given.left] + WORTH[given.right])
    print("left" if draw_number(given.count) < share else "right")


def draw_number(count: Path | None) -> float:
    """Return a random number; the n-th of a fixed sequence if a file says how many were drawn."""
    if count is None:
        return random.random()
    drawn = int(count.read_text()) if count.exists() else 0
    count.write_text(str(drawn + 1))
    return random.Random(f"voter {drawn}").random()


if __name__ == "__main__":
    main()
