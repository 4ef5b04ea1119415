"""Options in order: by how many others they beat, by their mean chance, or by strength, with tiers that can be told apart."""

from copeland.orders.rank import ORDERS, Place, Ranking, rank

__all__ = ["ORDERS", "Place", "Ranking", "rank"]
