"""Find the best of many options from noisy pairwise comparisons, even when they run in cycles."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from copeland.version import __version__

if TYPE_CHECKING:
    from copeland.audit import JudgeAudit, audit_judges
    from copeland.boards import Board, board
    from copeland.certificate import Certificate, certify
    from copeland.errors import CopelandError, InvalidMatrix, InvalidParameter
    from copeland.gate import GateResult, run_gate
    from copeland.matrix import PreferenceMatrix
    from copeland.orders import rank
    from copeland.policy import Duel, Policy
    from copeland.problems import Problem, list_problems, load
    from copeland.registry import Algorithm, list_algorithms, register
    from copeland.report import plot
    from copeland.simulation import simulate
    from copeland.simulation.runs import Runs
    from copeland.study import (
        Ballot,
        Option,
        Standing,
        Study,
        Vote,
        Wait,
        create_study,
        list_studies,
        open_study,
    )
    from copeland.theory import bounds, gaps, winners
    from copeland.theory import lower_bounds as limits
    from copeland.tuning import Choice, Integer, Real, Space, Tuner

__all__ = [
    "Algorithm",
    "Ballot",
    "Board",
    "Certificate",
    "Choice",
    "CopelandError",
    "Duel",
    "GateResult",
    "Integer",
    "InvalidMatrix",
    "InvalidParameter",
    "JudgeAudit",
    "Option",
    "Policy",
    "PreferenceMatrix",
    "Problem",
    "Real",
    "Runs",
    "Space",
    "Standing",
    "Study",
    "Tuner",
    "Vote",
    "Wait",
    "__version__",
    "audit_judges",
    "board",
    "bounds",
    "certify",
    "create_study",
    "gaps",
    "limits",
    "list_algorithms",
    "list_problems",
    "list_studies",
    "load",
    "open_study",
    "plot",
    "rank",
    "register",
    "run_gate",
    "simulate",
    "winners",
]

# Modules that have a short name here.
_SHORT = {
    "bounds": "theory.bounds",
    "gaps": "theory.gaps",
    "limits": "theory.lower_bounds",
    "winners": "theory.winners",
}

_HOMES = {
    "audit": ("JudgeAudit", "audit_judges"),
    "boards": ("Board", "board"),
    "certificate": ("Certificate", "certify"),
    "errors": ("CopelandError", "InvalidMatrix", "InvalidParameter"),
    "gate": ("GateResult", "run_gate"),
    "matrix": ("PreferenceMatrix",),
    "orders": ("rank",),
    "policy": ("Duel", "Policy"),
    "problems": ("Problem", "list_problems", "load"),
    "registry": ("Algorithm", "list_algorithms", "register"),
    "report": ("plot",),
    "simulation.runs": ("Runs",),
    "simulation": ("simulate",),
    "study": (
        *("Ballot", "Option", "Standing", "Study", "Vote", "Wait"),
        *("create_study", "list_studies", "open_study"),
    ),
    "tuning": ("Choice", "Integer", "Real", "Space", "Tuner"),
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is first asked for: a name from its module, or a module.

    So the command starts at once, and only what needs a database imports one.
    """
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is not None:
        found = getattr(import_module(f"copeland.{home}"), name)
    elif name in _SHORT:
        found = import_module(f"copeland.{_SHORT[name]}")
    elif name.startswith("_") or find_spec(f"copeland.{name}") is None:
        raise AttributeError(f"module 'copeland' has no attribute '{name}'")
    else:
        found = import_module(f"copeland.{name}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
