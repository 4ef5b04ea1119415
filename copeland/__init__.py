"""Find the best of many options from noisy pairwise comparisons, also when they run in circles."""

from copeland import winners
from copeland.errors import CopelandError, InvalidMatrix, InvalidParameter
from copeland.matrix import PreferenceMatrix
from copeland.policy import Algorithm, Duel, Policy, register
from copeland.problems import Problem, load
from copeland.report import plot
from copeland.runs import Runs
from copeland.simulation import simulate
from copeland.version import __version__

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
    "load",
    "plot",
    "register",
    "simulate",
    "winners",
]
