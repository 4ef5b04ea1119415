"""A simulated voter, in the place of people, clicks or a model: it prints left or right.

Run it: python examples/voter.py brief rude
"""

import random
import sys

# How good each option is, which in life nobody knows.
WORTH = {"steps": 8.0, "expert": 3.0, "brief": 2.0, "plain": 1.0, "rude": 0.2}


def main() -> None:
    """Choose between two options, by name; the better one more often."""
    left, right = sys.argv[1:] or ("steps", "rude")
    share = WORTH[left] / (WORTH[left] + WORTH[right])
    print("left" if random.random() < share else "right")


if __name__ == "__main__":
    main()
