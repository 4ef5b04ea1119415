"""Studies with given votes on their pairs, and the words of their pages."""

import re
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from unittest.mock import patch

from copeland.study import create_study
from copeland.study.report import study_page
from copeland.study.results.analysis import Analysis

SWAPPED = {"left": "right", "right": "left", "tie": "tie"}


@cache
def undecided():
    return Analysis(create_study("soup", ["a", "b"], voters="independent").standing()).verdict


def said(**parts):
    """A verdict in other words."""
    told = {
        "claim": "Nobody knows yet.",
        "proved": ("Nothing is.",),
        "shown": (),
        "advice": ("Wait.",),
        "chances": None,
    }
    return replace(undecided(), **(told | parts))


def votes(one, other, won, lost=0, tied=0, **more):
    """Votes on a pair, with the sides taking turns."""
    for outcome, times in (("left", won), ("right", lost), ("tie", tied)):
        for turn in range(times):
            if turn % 2:
                yield {"left": one, "right": other, "outcome": outcome, **more}
            else:
                yield {"left": other, "right": one, "outcome": SWAPPED[outcome], **more}


def study_with(options, *rows, **settings):
    study = create_study("soup", list(options), **{"voters": "independent", **settings})
    study.add_votes([row for some in rows for row in some])
    return study


def text_of(html):
    body = re.sub(r"<(style|svg)\b.*?</\1>", " ", html[html.index("<body>") :], flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", body).split())


def told(sentences):
    return " ".join(sentences)


@contextmanager
def undrawn():
    """Leave the figures of a page empty, for who reads its words: drawing takes most of the time."""
    figures = ("scores", "graph", "matrix", "progress", "position", "ranking")
    nothing = {f"{name}_figure": lambda *_, **__: None for name in figures}

    def empty(figure, alt, whole=False):
        return study_page._Picture("<svg></svg>", alt, "")

    with patch.multiple(study_page, _picture=empty, **nothing):
        yield
