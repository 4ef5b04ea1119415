"""Live studies: every vote kept, a certificate at the end."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from copeland.study.exports import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """Import all names when one is first asked for: the command line reads the settings, and needs no database for it."""
    if name == "__all__" or not name.startswith("_"):
        names = import_module("copeland.study.exports")
        globals().update({one: getattr(names, one) for one in ("__all__", *names.__all__)})
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
