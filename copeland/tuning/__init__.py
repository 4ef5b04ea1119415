"""Tuning by votes: find the point of a space that beats the largest share of it, even if preferences run in cycles.

What is estimated and what can be proved: docs/tuning.md.
"""

from __future__ import annotations

from copeland.tuning.audit import Audit
from copeland.tuning.duels import Duel
from copeland.tuning.landscape import Landscape
from copeland.tuning.parameters import Choice, Integer, Real
from copeland.tuning.spaces import Space
from copeland.tuning.tuner import Found, Tuner

__all__ = ["Audit", "Choice", "Duel", "Found", "Integer", "Landscape", "Real", "Space", "Tuner"]
