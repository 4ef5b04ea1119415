"""Where a panel stands: what its answers settle, which of them are missing, and which still matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.certificate import PanelCertificate, panel_certificate
from copeland.certificate.panel_planner import still_matter
from copeland.study.log.state import StudyState
from copeland.study.voter_history import active as find_active


def panel_certificate_of(state: StudyState, active: bool = False) -> PanelCertificate:
    """Return what is settled of the options that are not retired, or of the active ones alone.

    Answers that nobody will be asked for, as an option is paused, are missing all the same.
    """
    panel, kept = state.panel, state.options_left
    among = sorted(find_active(state)) if active else kept
    return panel_certificate(
        state.wins,
        state.ties,
        panel.missing,
        labels=[option.name for option in state.options],
        members=len(panel.members),
        excused=[name for name in panel.members if name in panel.excused],
        active=among if active or len(kept) < state.k else None,
    )


def find_open_answers(state: StudyState) -> NDArray[np.bool_]:
    """Return members x K x K: whose missing answers may bear on who is best of the active options."""
    among = sorted(find_active(state))
    matter = np.zeros(state.panel.answered.shape, dtype=bool)
    if len(among) > 1:
        cut = np.ix_(range(len(matter)), among, among)
        matter[cut] = still_matter(state.wins[np.ix_(among, among)], state.panel.silent[cut])
    return matter


@dataclass(frozen=True, eq=False)
class PanelStanding:
    """Where a panel stands: who has answered how much, what is missing, and whose answers still matter."""

    members: tuple[str, ...]
    excused: tuple[str, ...]
    given: tuple[int, ...]  # answers of each member, skips included
    matter: tuple[int, ...]  # of each member: missing answers that may bear on who is best
    missing: NDArray[np.int64]  # K x K: answers that are waited for
    silent: NDArray[np.bool_]  # members x K x K: answered, or excused
    active: PanelCertificate  # what is settled of the active options: of those not paused

    @property
    def members_to_ask(self) -> tuple[str, ...]:
        """The members who are still to be asked something."""
        return tuple(name for name, n in zip(self.members, self.matter, strict=True) if n)

    def rows(self) -> list[dict[str, Any]]:
        """Return what is known of each member."""
        k = len(self.missing)
        return [
            {
                "name": name,
                "answers": given,
                "missing": 0 if name in self.excused else k * (k - 1) // 2 - given,
                "to_ask": matter,
                "excused": name in self.excused,
            }
            for name, given, matter in zip(self.members, self.given, self.matter, strict=True)
        ]


def panel_standing_of(state: StudyState) -> PanelStanding:
    """Return where the panel of a study stands."""
    panel = state.panel
    matter = find_open_answers(state).sum(axis=(1, 2)) // 2
    return PanelStanding(
        members=panel.members,
        excused=tuple(name for name in panel.members if name in panel.excused),
        given=tuple(map(panel.count_answers, panel.members)),
        matter=tuple(matter.tolist()),
        missing=panel.missing,
        silent=panel.silent,
        active=panel_certificate_of(
            state, active=1 < len(find_active(state)) < len(state.options_left)
        ),
    )
