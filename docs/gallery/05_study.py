"""The figures of a study

How many others each option beats, who beats whom, the share of votes in each pair, and how the proof grew.
`copeland study report` draws them on one page.
"""

import copeland
from copeland.study.report.study_figures import (
    BEST,
    COLOURS,
    OUT,
    POSSIBLE,
    Interval,
    graph_figure,
    matrix_figure,
    position_figure,
    progress_figure,
    scores_figure,
    shown_arrows,
    shown_options,
)
from copeland.study.results.analysis import PROVED, Analysis
from copeland.study.results.history import history_of

study = copeland.create_study("lunch", ["soup", "salad", "pasta", "toast"])
wins = {("soup", "salad"): 80, ("salad", "pasta"): 75, ("pasta", "soup"): 75}
wins |= {(dish, "toast"): 90 for dish in ("soup", "salad", "pasta")}
for (winner, loser), percent in wins.items():
    for vote in range(60):
        left, right = (winner, loser) if vote % 2 else (loser, winner)
        better = winner if vote < 60 * percent // 100 else loser
        study.add_votes([{"left": left, "right": right, "outcome": better}])

standing = study.standing()
reading, found = Analysis(standing), standing.certificate
names = dict(enumerate(option.name for option in standing.options))
known = {i: BEST if i in found.best else POSSIBLE if i in found.possible else OUT for i in names}
bars = [
    Interval(names[i], reading.scores[i], *found.scores[i], COLOURS[known[i]])
    for i in reading.order
]
shown = shown_options(reading)
side, rows = standing.position, history_of(study.log(), study.standing())

figures = {
    "How many options each one beats, with what is not ruled out": scores_figure(bars, len(names)),
    "Who beats whom, and how sure that is": graph_figure(
        shown, shown_arrows(reading, shown), list(names.values()), known
    ),
    "The share of votes in each pair; bold where it is proved": matrix_figure(
        reading.shares, list(names.values()), reading.sure == PROVED
    ),
    "How the proof grew with the votes": progress_figure(
        [row.votes for row in rows],
        [row.possible for row in rows],
        [row.share for row in rows],
        options=len(names),
    ),
    "How often the left side won": position_figure(
        [Interval("all votes", side.share, side.low, side.high)]
    ),
}
