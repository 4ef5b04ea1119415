"""A tuning by votes

Top: the share of the space that each point beats, as the tuner estimates it, and the chance to lose to the recommended point, the star.
White dots are points that were asked about. Bottom: the same share along each parameter.
"""

import copeland

space = copeland.Space({"hue": copeland.Real(0, 1), "size": copeland.Real(0, 1)})
tuner = copeland.Tuner(space, seed=1)
for _ in range(30):
    duel = tuner.ask()
    better = min(duel.first, duel.second, key=lambda p: abs(p["hue"] - 0.3) + abs(p["size"] - 0.6))
    tuner.tell(duel, winner=better)
figures = {"The estimated score over a space of two parameters": copeland.plot(tuner)}
