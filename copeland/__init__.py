"""Find the best of many options from noisy pairwise comparisons, also when they run in circles."""

from typing import TYPE_CHECKING, Any

from copeland import winners
from copeland.errors import CopelandError, InvalidMatrix, InvalidParameter
from copeland.matrix import PreferenceMatrix
from copeland.policy import Duel, Policy
from copeland.problems import Problem, load
from copeland.registry import Algorithm, register
from copeland.report import plot
from copeland.runs import Runs
from copeland.simulation import simulate
from copeland.version import __version__

if TYPE_CHECKING:
    from copeland.study import create_study, open_study

__all__ = [
    "Algorithm",
    "CopelandError",
    "Duel",
    "InvalidMatrix",
    "InvalidParameter",
    "Policy",
    "PreferenceMatrix",
    "Problem",
    "Runs",
    "__version__",
    "create_study",
    "load",
    "open_study",
    "plot",
    "register",
    "simulate",
    "winners",
]


def __getattr__(name: str) -> Any:
    """Import live studies, and the database they need, when they are first used."""
    if name in ("create_study", "open_study"):
        from copeland import study

        return getattr(study, name)
    raise AttributeError(f"module 'copeland' has no attribute '{name}'")
