"""Who voted, by a log; and a standing as people read it: voters whose names a server drew at random are numbers in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from copeland.certificate import PanelCertificate
from copeland.study.results.standing import PanelStanding, Standing
from copeland.support.names import name_voters

C = TypeVar("C")


def readable_names_of(standing: Standing) -> dict[str, str]:
    """Return what to call each voter of a standing, by the name in the log; members go by their place in the panel."""
    if standing.panel is not None:
        return name_voters(standing.panel.members, "member")
    return name_voters([voter.name for voter in standing.voters])


def replace_random_names(standing: Standing, names: Mapping[str, str]) -> Standing:
    """Return a standing with other names of voters.

    Examples
    --------
    >>> from copeland import create_study
    >>> study = create_study("tea", ["green", "black"])
    >>> _ = study.tell(study.ask(voter="visitor-0123456789ab"), "left")
    >>> standing = study.standing()
    >>> replace_random_names(standing, readable_names_of(standing)).voters[0].name
    'voter 1'
    """
    if all(name == own for own, name in names.items()):
        return standing
    panel, settings = standing.panel, standing.settings
    if settings.panel:
        settings = replace(settings, panel=tuple(names[one] for one in settings.panel))
    return replace(
        standing,
        settings=settings,
        voters=tuple(replace(one, name=names.get(one.name, one.name)) for one in standing.voters),
        certificate=_rename_absent(standing.certificate, names),
        panel=None if panel is None else _rename_members(panel, names),
        swaps={names.get(one, one): swaps for one, swaps in standing.swaps.items()},
    )


def _rename_members(panel: PanelStanding, names: Mapping[str, str]) -> PanelStanding:
    return replace(
        panel,
        members=tuple(names[one] for one in panel.members),
        excused=tuple(names[one] for one in panel.excused),
        active=_rename_absent(panel.active, names),
    )


def _rename_absent(certificate: C, names: Mapping[str, str]) -> C:
    if not isinstance(certificate, PanelCertificate):
        return certificate
    return replace(certificate, excused=tuple(names.get(one, one) for one in certificate.excused))
