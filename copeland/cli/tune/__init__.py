"""copeland tune: continuous options. Each command has its own file, which registers it."""

from __future__ import annotations

import importlib
import pkgutil

from copeland.cli.tune.group import tune

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_module.name)

__all__ = ["tune"]
