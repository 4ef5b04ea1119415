"""The page of a study of a space: what is estimated, with pictures, and what is proved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from copeland.report.tuning_page import tuning_page
from copeland.simulation.result_folder import versions
from copeland.study.kinds.space import ASSUMED, Tuned
from copeland.support.atomic_files import write_file
from copeland.tuning import Tuner
from copeland.tuning.past_recommendations import Cast, progress_of


def write_tuned_page(
    tuner: Tuner, tuned: Tuned, cast: Sequence[Cast], path: str | Path, command: str = ""
) -> Path:
    """Write where a study of a space stands as one HTML page; return its path."""
    path = Path(path)
    write_file(path, tuned_page(tuner, tuned, cast, command).encode(), private=True)
    return path


def tuned_page(tuner: Tuner, tuned: Tuned, cast: Sequence[Cast], command: str = "") -> str:
    """Return that page."""
    proved = [one.statement for one in tuned.audits]
    assumed = ASSUMED if proved else ()
    marks = progress_of(tuner, tuned.found, cast)
    return tuning_page(
        tuner, tuned.found, tuned.name, versions(), marks, [*proved, *assumed], command
    )
