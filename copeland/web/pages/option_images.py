"""The images of options where results are read: small beside each name, and large for who is proved best."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from copeland.web.recordings import is_recording
from copeland.web.server import Server
from copeland.web.store import Pane, VotingPage


class OptionImage(NamedTuple):
    """Where the image of an option is, how large, and what it shows in words."""

    address: str
    alt: str
    width: int
    height: int


def list_images(
    server: Server, page: VotingPage, address: Callable[[int, Pane], str]
) -> dict[str, OptionImage]:
    """Return the images of options by their names; ``address`` is told the place of an option, and its image."""
    panes, options = server.panes(page), server.study(page).options
    return {
        option.name: OptionImage(
            address(place, panes[option.name]),
            panes[option.name].alt,
            *server.size(panes[option.name].media),
        )
        for place, option in enumerate(options)
        if option.name in panes and not is_recording(server.kind(panes[option.name].media))
    }
