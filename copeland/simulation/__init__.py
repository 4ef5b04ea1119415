"""Simulations: algorithms on problems, as tasks that run anywhere and keep their results."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from copeland.simulation.simulator import simulate

__all__ = ["simulate"]


def __getattr__(name: str) -> Any:
    """Import what is first asked for: who reads runs needs no kernels."""
    if name == "simulate":
        return import_module("copeland.simulation.simulator").simulate
    if name == "result_folder":
        return import_module("copeland.simulation.result_folder")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
