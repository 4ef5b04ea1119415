"""A judge of answers to sums: the right number wins, and of two right answers the shorter one.

Run it: python examples/gate/judge.py "What is 3 x 4?" 12 "It is 12."
"""

import re
import sys


def main() -> None:
    """Print left, right or tie."""
    question, left, right = sys.argv[1:] or ("What is 3 x 4?", "12", "It is 12.")
    first, second = map(int, re.findall(r"\d+", question))
    correct = [str(first * second) in re.findall(r"\d+", answer) for answer in (left, right)]
    if correct[0] != correct[1]:
        print("left" if correct[0] else "right")
    elif correct[0] and len(left) != len(right):
        print("left" if len(left) < len(right) else "right")
    else:
        print("tie" if correct[0] else "both_bad")


if __name__ == "__main__":
    main()
