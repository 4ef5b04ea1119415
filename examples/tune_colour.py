"""Find the colour of a button that beats most others, by votes between two drawings at a time.

The voters here agree on a lightness, and go in a circle over hues: each likes those a third of the wheel further.
Run it: python examples/tune_colour.py. To let people vote on the same drawings instead of these voters:
copeland serve --storage sqlite:///colour.db
"""

import math
from pathlib import Path

import numpy as np

import copeland

SPACE = copeland.Space({"hue": copeland.Real(0, 360), "lightness": copeland.Real(20, 90)})
BUTTON = """<svg xmlns="http://www.w3.org/2000/svg" width="240" height="120" viewBox="0 0 240 120">
<rect x="20" y="20" width="200" height="80" rx="16" fill="hsl({hue:.0f},70%,{lightness:.0f}%)"/>
<text x="120" y="70" font-family="sans-serif" font-size="28" fill="white" text-anchor="middle">Send</text>
</svg>"""
STORAGE = "sqlite:///colour.db"


def vote(study, ballot, luck):
    """Let a voter choose; in life nobody knows how."""
    left, right = (study.option(name).point for name in (ballot.left, ballot.right))
    turn = math.radians(left["hue"] - right["hue"])
    liked = [
        math.cos(math.radians(one["hue"] - 210)) - ((one["lightness"] - 55) / 20) ** 2
        for one in (left, right)
    ]
    g = 1.5 * math.sin(turn) + 2 * (liked[0] - liked[1])
    study.tell(ballot, "left" if luck.random() < 1 / (1 + math.exp(-g)) else "right")


def main() -> None:
    """Ask three voters for 40 votes, survive a restart, recommend a colour and prove something of it."""
    luck = np.random.default_rng(1)
    how = {"space": SPACE, "show": BUTTON, "seed": 1, "load_if_exists": True}
    study = copeland.create_study("button", storage=STORAGE, **how)
    for number in range(40):
        if number == 20:  # the computer is turned off over night
            study = copeland.open_study("button", STORAGE)
        vote(study, study.ask(voter=f"voter {number % 3}"), luck)
    found = study.recommend()
    hue, lightness = (round(found.point[name]) for name in SPACE.parameters)
    print(f"After {study.tuner().votes} votes: hsl({hue}, 70%, {lightness}%). Look at button.svg.")
    Path("button.svg").write_text(BUTTON.format(**found.point))
    study.audit(found.point, votes=100)
    for ballot in study.ask(n=100):  # 100 passers-by
        vote(study, ballot, luck)
    print(study.verdict())


if __name__ == "__main__":
    main()
