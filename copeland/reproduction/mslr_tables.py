"""What the 136 features of MSLR are: 25 kinds of five streams each, and eleven of the page itself."""

from __future__ import annotations

STREAMS = ("body", "anchor", "title", "URL", "whole document")

_STATISTICS = ("sum", "least", "largest", "mean", "variance")
_OF_STREAMS = (
    "covered query terms", "share of query terms covered", "stream length", "IDF",
    *(f"{name} of term frequency" for name in _STATISTICS),
    *(f"{name} of term frequency by length" for name in _STATISTICS),
    *(f"{name} of tf-idf" for name in _STATISTICS),
    "boolean model", "vector space model", "BM25", "LMIR.ABS", "LMIR.DIR", "LMIR.JM",
)  # fmt: skip
_OF_PAGES = (
    "slashes in the URL", "length of the URL", "links to the page", "links from the page", "PageRank",
    "SiteRank", "quality score", "quality score 2", "clicks for query and URL", "clicks for the URL",
    "dwell time of the URL",
)  # fmt: skip

FEATURES = 136


def feature_words(number: int) -> str:
    """Return what a feature of MSLR is, by its number from 1.

    Examples
    --------
    >>> feature_words(16), feature_words(110), feature_words(130)
    ('IDF, body', 'BM25, whole document', 'PageRank')
    """
    kind, stream = divmod(number - 1, len(STREAMS))
    if kind < len(_OF_STREAMS):
        return f"{_OF_STREAMS[kind]}, {STREAMS[stream]}"
    return _OF_PAGES[number - 1 - len(_OF_STREAMS) * len(STREAMS)]
