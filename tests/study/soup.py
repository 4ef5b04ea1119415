"""A study of soups with votes on its pairs, and its page."""

import re
from dataclasses import replace

from copeland.study import create_study
from copeland.study.meaning.verdict import verdict_of

SWAPPED = {"left": "right", "right": "left", "tie": "tie"}


def said(**parts):
    """A verdict in other words."""
    told = {
        "claim": "Nobody knows yet.",
        "proved": ("Nothing is.",),
        "shown": (),
        "advice": ("Wait.",),
        "chances": None,
    }
    open_ = verdict_of(create_study("soup", ["a", "b"]).standing())
    return replace(open_, **(told | parts))


def votes(one, other, won, lost=0, tied=0, **more):
    """Votes on a pair, with the sides taking turns."""
    for outcome, times in (("left", won), ("right", lost), ("tie", tied)):
        for turn in range(times):
            if turn % 2:
                yield {"left": one, "right": other, "outcome": outcome, **more}
            else:
                yield {"left": other, "right": one, "outcome": SWAPPED[outcome], **more}


def study_with(options, *rows, **settings):
    study = create_study("soup", list(options), **settings)
    study.add_votes([row for some in rows for row in some])
    return study


def text_of(page):
    body = re.sub(r"<(style|svg)\b.*?</\1>", " ", page[page.index("<body>") :], flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", body).split())


def told(sentences):
    return " ".join(sentences)
