"""The kinds of study: options (also judged on test cases), or a panel of named voters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from copeland.study.kinds.base import Kind
    from copeland.study.settings import Settings


def kind_of(settings: Settings) -> Kind:
    """Return the kind of a study. It follows from the settings, which never change: choose it once, and call it."""
    if settings.panel:
        from copeland.study.kinds.panel import PanelOfVoters as Chosen
    elif settings.cases:
        from copeland.study.kinds.cases import JudgedCases as Chosen
    else:
        from copeland.study.kinds.base import Kind as Chosen
    return Chosen()
