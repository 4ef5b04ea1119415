"""Search rankers as options: documents, grades and features, and rankers that order them."""

from copeland.ranking.collection import Collection, InvalidCollection, synthetic, undecided_queries
from copeland.ranking.rankers import Ranker, all_features, constant_features, rankings, ranks

__all__ = [
    "Collection",
    "InvalidCollection",
    "Ranker",
    "all_features",
    "constant_features",
    "rankings",
    "ranks",
    "synthetic",
    "undecided_queries",
]
