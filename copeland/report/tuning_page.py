"""The page of a tuning: the setting to take, and pictures of what the model believes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from copeland.report.document import document, inline_svg
from copeland.report.images import image
from copeland.report.landscapes import landscape_figure
from copeland.report.tuning_progress import progress_figure
from copeland.tuning import Found, Tuner
from copeland.tuning.progress import Mark
from copeland.words import counted, percent


def tuning_page(
    tuner: Tuner,
    found: Found,
    name: str,
    versions: Mapping[str, str],
    marks: Sequence[Mark] = (),
    proved: Sequence[str] = (),
    command: str = "",
) -> str:
    """Return a tuning as an HTML page that needs nothing else; ``proved`` is what audits say, in sentences.

    ``marks`` tell how the recommendation grew; one alone is no progress.
    """
    seen = tuner.landscape()
    lead = (
        f"After {counted(tuner.votes, 'vote')}, take the setting below. By the model's estimate it beats "
        f"{percent(found.score)} of all settings, and some other point beats {100 * found.regret:.1f} "
        "percentage points more."
    )
    return document(
        "tuning",
        title=f"Tuning {name}",
        lead=lead,
        taken=[[key, _value(value)] for key, value in found.point.items()],
        landscape=inline_svg(image(landscape_figure(seen), "svg")),
        progress=_progress(marks),
        proved=proved,
        plane=seen.plane is not None,
        known={
            "votes": f"{tuner.votes:,} on {counted(len(seen.asked), 'pair')}",
            "open duels": str(len(tuner.open)),
            "space": repr(tuner.space),
            "seed": str(tuner.seed),
        },
        versions=versions,
        command=command,
    )


def _progress(marks: Sequence[Mark]) -> str:
    if len(marks) < 2:
        return ""
    return inline_svg(image(progress_figure(marks), "svg", "progress"))


def _value(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
