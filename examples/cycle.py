"""A cycle and an option that never wins: what a study says where ratings go wrong.

A beats B, B beats C and C beats A, 140 to 60 each; each of them beats D, 110 to 90; E lost to D 20 times
and met nobody else.

Run it: python examples/cycle.py
"""

import copeland

VOTES = {"AB": (140, 60), "BC": (140, 60), "CA": (140, 60)}
VOTES |= {"AD": (110, 90), "BD": (110, 90), "CD": (110, 90), "DE": (20, 0)}
MORE = {pair: (19 * won, 19 * lost) for pair, (won, lost) in VOTES.items()}
MORE |= {"AE": (20, 0), "BE": (20, 0), "CE": (20, 0)}


def rows(votes):
    """Yield votes, one by one."""
    for (first, second), (won, lost) in votes.items():
        for number in range(won + lost):
            winner = first if number < won else second
            yield {"left": first, "right": second, "outcome": winner}


def main() -> None:
    """Tell what the votes say, and what twenty times as many would prove."""
    study = copeland.create_study("cycle", list("ABCDE"), voters="independent")
    study.add_votes(rows(VOTES))
    print(study.verdict())

    study.add_votes(rows(MORE))
    print("\nWith twenty times the votes, and E against the others:")
    print(study.verdict())


if __name__ == "__main__":
    main()
