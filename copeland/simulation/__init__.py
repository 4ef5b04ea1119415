"""Simulations: algorithms on problems, as tasks that run anywhere and keep their results."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from copeland.simulation.simulator import simulate

__all__ = ["simulate"]


def __getattr__(name: str) -> Any:
    """Import `simulate` when it is first asked for: who reads runs needs no kernels."""
    if name != "simulate":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from copeland.simulation.simulator import simulate

    return simulate
