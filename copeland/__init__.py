"""Find the best of many options from noisy pairwise comparisons, also when they run in circles."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from copeland.version import __version__

if TYPE_CHECKING:
    from copeland import winners
    from copeland.errors import CopelandError, InvalidMatrix, InvalidParameter
    from copeland.matrix import PreferenceMatrix
    from copeland.policy import Duel, Policy
    from copeland.problems import Problem, load
    from copeland.registry import Algorithm, register
    from copeland.report import plot
    from copeland.runs import Runs
    from copeland.simulation import simulate
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

_HOMES = {
    "errors": ("CopelandError", "InvalidMatrix", "InvalidParameter"),
    "matrix": ("PreferenceMatrix",),
    "policy": ("Duel", "Policy"),
    "problems": ("Problem", "load"),
    "registry": ("Algorithm", "register"),
    "report": ("plot",),
    "runs": ("Runs",),
    "simulation": ("simulate",),
    "study": ("create_study", "open_study"),
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is first asked for: a name from its module, or a module.

    So the command starts at once, and only what needs a database imports one.
    """
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is not None:
        found = getattr(import_module(f"copeland.{home}"), name)
    elif name.startswith("_") or find_spec(f"copeland.{name}") is None:
        raise AttributeError(f"module 'copeland' has no attribute '{name}'")
    else:
        found = import_module(f"copeland.{name}")
    globals()[name] = found
    return found
