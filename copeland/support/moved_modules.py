"""Documented modules that have moved: for one release their old paths lead to the new ones, with a warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "copeland.algorithms.kl_best_arm": "copeland.algorithms.copeland_pac",
    "copeland.bounds": "copeland.theory.bounds",
    "copeland.experiments": "copeland.reproduction",
    "copeland.experiments.paper": "copeland.reproduction.paper_experiments",
    "copeland.experiments.reproduction": "copeland.reproduction.reproduction",
    "copeland.gaps": "copeland.theory.gaps",
    "copeland.lemmas": "copeland.theory.lemmas",
    "copeland.limits": "copeland.theory.lower_bounds",
    "copeland.panel": "copeland.certificate",
    "copeland.ranking.allocation": "copeland.search.allocation",
    "copeland.ranking.estimates": "copeland.ranking.estimation",
    "copeland.ranking.logs": "copeland.ranking",
    "copeland.ranking.logs.counting": "copeland.ranking.click_log",
    "copeland.ranking.logs.joining": "copeland.ranking.click_log",
    "copeland.ranking.report": "copeland.ranking.rankers_page",
    "copeland.results": "copeland.simulation.result_folder",
    "copeland.runs": "copeland.simulation.runs",
    "copeland.study.meaning": "copeland.study.results",
    "copeland.study.meaning.history": "copeland.study.results.history",
    "copeland.study.meaning.reading": "copeland.study.results.analysis",
    "copeland.study.page": "copeland.study.report",
    "copeland.study.page.figures": "copeland.study.report.study_figures",
    "copeland.study.page.graph": "copeland.study.report.graph_layout",
    "copeland.study.page.graph_figure": "copeland.study.report.graph_figure",
    "copeland.study.page.page": "copeland.study.report.study_page",
    "copeland.winners": "copeland.theory.winners",
}


class MovedFinder:
    """Find a module under its old name, and load it: a finder and a loader by their methods alone."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load an old name, None for every other one."""
        return ModuleSpec(fullname, self) if fullname in MOVED else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module that the old name means."""
        new = MOVED[spec.name]
        warnings.warn(f"{spec.name} is now called {new}.", DeprecationWarning, stacklevel=2)
        module = import_module(new)
        self._own = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it is: it was loaded under its own name."""
        module.__spec__ = self._own


def follow_old_names() -> None:
    """Let the old names be imported."""
    if not any(isinstance(finder, MovedFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, MovedFinder())  # before the one that looks beside a moved package
