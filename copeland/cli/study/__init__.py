"""copeland study: live studies. One file a command, and each file registers its own."""

from __future__ import annotations

import importlib
import pkgutil

from copeland.cli.study.group import study

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_module.name)

__all__ = ["study"]
