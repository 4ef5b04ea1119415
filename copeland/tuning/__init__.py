"""Tuning by votes: find the point of a space that beats the largest share of it, even if preferences run in cycles.

What is estimated: docs/tuning.md.
"""

from __future__ import annotations

from copeland.tuning.duels import Duel
from copeland.tuning.landscape import Landscape
from copeland.tuning.parameters import Choice, Integer, Real
from copeland.tuning.spaces import Space
from copeland.tuning.tuner import Found, Tuner

__all__ = ["Choice", "Duel", "Found", "Integer", "Landscape", "Real", "Space", "Tuner"]
